/* Embedding tables that are spread over all ranks; see graph_tables.h. */
#include "workload/parallel/graph/graph_tables.h"

#include "core/arena.h"
#include "core/saturate.h"
#include "workload/model/kinds/kinds.h"
#include "workload/parallel/layout.h"

/* Some tables: rows, their bytes and those of their state; for the samples of all ranks, the rows
 * that are read, as many of each, and the bytes of the vectors that they become. */
struct share {
    uint64_t rows, row_bytes, state_bytes;
    uint64_t reads, read_flops, read_bytes, read_state_bytes;
    uint64_t vector_bytes;
};

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static void add_table(const struct model_op *op, uint64_t element_bytes, uint64_t samples,
                      struct share *share)
{
    const struct model_embedding *table = op->attributes;
    const uint64_t lookups = sat_times(samples, table->lookups != 0 ? (uint64_t)table->lookups : 1);
    const uint64_t columns = (uint64_t)table->columns;
    const uint64_t row = sat_times(columns, element_bytes);
    share->rows = sat_plus(share->rows, (uint64_t)table->rows);
    share->row_bytes = sat_plus(share->row_bytes, sat_times((uint64_t)table->rows, row));
    share->state_bytes = sat_plus(
        share->state_bytes, sat_times((uint64_t)table->rows, (uint64_t)table->row_state_bytes));
    share->reads = sat_plus(share->reads, lookups);
    share->read_flops = sat_plus(share->read_flops, sat_times(lookups, columns));
    share->read_bytes = sat_plus(share->read_bytes, sat_times(lookups, row));
    share->read_state_bytes =
        sat_plus(share->read_state_bytes, sat_times(lookups, (uint64_t)table->row_state_bytes));
    share->vector_bytes = sat_plus(share->vector_bytes, sat_times(samples, op->output_bytes));
}

uint32_t orr_graph_tables_count(const struct model_graph *graph)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < graph->ops; i++) {
        count += graph->op[i].table ? 1 : 0;
    }
    return count;
}

/* Of equal rows a rank's part, rounded up to whole rows. */
static uint64_t part_of(uint64_t total, uint64_t rows, uint64_t ranks)
{
    return rows == 0 ? 0 : sat_times(sat_divide_up(rows, ranks), sat_divide_up(total, rows));
}

/* The rows of all tables are spread, the vectors are partial sums of all. */
static struct share by_row(const struct share *all, uint64_t ranks)
{
    return (struct share){.row_bytes = part_of(all->row_bytes, all->rows, ranks),
                          .state_bytes = part_of(all->state_bytes, all->rows, ranks),
                          .read_flops = part_of(all->read_flops, all->reads, ranks),
                          .read_bytes = part_of(all->read_bytes, all->reads, ranks),
                          .read_state_bytes = part_of(all->read_state_bytes, all->reads, ranks),
                          .vector_bytes = all->vector_bytes};
}

static struct share fuller(const struct share *a, const struct share *b)
{
    return (struct share){.row_bytes = larger(a->row_bytes, b->row_bytes),
                          .state_bytes = larger(a->state_bytes, b->state_bytes),
                          .read_flops = larger(a->read_flops, b->read_flops),
                          .read_bytes = larger(a->read_bytes, b->read_bytes),
                          .read_state_bytes = larger(a->read_state_bytes, b->read_state_bytes),
                          .vector_bytes = larger(a->vector_bytes, b->vector_bytes)};
}

/* Sums over the tables of each of `turns` ranks, to which these are dealt; of the fullest. */
static struct share share_of(const struct model_graph *graph, const struct gen_plan *plan,
                             struct share *of_turn, uint32_t turns)
{
    struct share fullest = {0};
    uint32_t number = 0;
    for (uint32_t i = 0; i < graph->ops; i++) {
        if (graph->op[i].table) {
            add_table(&graph->op[i], graph->element_bytes, plan->batch, &of_turn[number++ % turns]);
        }
    }
    for (uint32_t turn = 0; turn < turns; turn++) {
        fullest = fuller(&fullest, &of_turn[turn]);
    }
    return turns == 1 ? by_row(of_turn, plan->layout.npus) : fullest;
}

/* Not in the group of the gradients: it would wait for their reductions. */
static struct rank_op exchange_of(enum rank_sharding sharding, uint64_t bytes)
{
    const bool rows = sharding == RANK_BY_ROW;
    const struct rank_comm forward = {.family = GEN_WORLD,
                                      .comm = rows ? ORR_COMM_REDUCE_SCATTER : ORR_COMM_ALL_TO_ALL,
                                      .bytes = bytes,
                                      .is_set = true};
    struct rank_op exchange = {
        .name = "embeddings exchanged", .forward_comm = forward, .backward_comm = forward};
    exchange.backward_comm.comm = rows ? ORR_COMM_ALL_GATHER : ORR_COMM_ALL_TO_ALL;
    return exchange;
}

const struct rank_tables *orr_graph_tables(struct orr_arena *arena, const struct model_graph *graph,
                                           const struct gen_plan *plan, enum rank_sharding sharding)
{
    const uint32_t turns = sharding == RANK_BY_ROW ? 1 : plan->layout.npus;
    struct share *of_turn = orr_arena_array(arena, turns, sizeof *of_turn);
    struct rank_tables *tables = orr_arena_alloc(arena, sizeof *tables);
    if (of_turn == NULL || tables == NULL) {
        return NULL;
    }
    const struct share share = share_of(graph, plan, of_turn, turns);
    const uint64_t touched = sat_plus(share.read_bytes, share.read_state_bytes);
    tables->lookup = (struct rank_op){
        .name = "embedding lookup",
        .kind = ORR_OP_MEMORY,
        .forward = {share.read_flops, sat_plus(share.read_bytes, share.vector_bytes)}};
    tables->exchange = exchange_of(sharding, share.vector_bytes);
    tables->update =
        (struct gen_work){share.read_flops, sat_plus(share.vector_bytes, sat_times(2, touched))};
    tables->row_bytes = share.row_bytes;
    tables->state_bytes = share.state_bytes;
    return tables;
}
