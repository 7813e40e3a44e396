/* See sipml_check.h. */
#include "planner/sipml/sipml_check.h"

struct counting {
    const struct model_graph *model;
    uint32_t group, copies;
    struct sipml_degrees *of; /* [k] */
    uint64_t *pair;           /* bits [k * k]: from a row to a column */
    bool *rings;              /* [k] */
    struct sipml_peers *out;
};

static void note(struct counting *count, uint32_t from, uint32_t to)
{
    const size_t bit = (size_t)from * count->group + to;
    const uint64_t mask = UINT64_C(1) << bit % 64;
    if ((count->pair[bit / 64] & mask) == 0) {
        count->pair[bit / 64] |= mask;
        count->of[from].out++;
        count->of[to].in++;
    }
}

static void note_transfer(void *context, const struct demand_transfer *transfer)
{
    struct counting *count = context;
    const bool back = !count->model->lists_gradients;
    if (transfer->from == transfer->to || transfer->bytes == 0) {
        return;
    }
    note(count, transfer->from, transfer->to);
    if (back) {
        note(count, transfer->to, transfer->from);
    }
    count->out->transfer_bytes =
        sat_plus(count->out->transfer_bytes, sat_times(transfer->bytes, back ? 2 : 1));
}

static void note_reduce(void *context, const struct demand_reduce *reduce)
{
    struct counting *count = context;
    const uint64_t others = reduce->members - 1u;
    for (uint32_t i = 0; i < reduce->members; i++) {
        for (uint32_t j = 0; j < reduce->members; j++) {
            if (i != j) {
                note(count, reduce->member[i], reduce->member[j]);
            }
        }
        count->rings[reduce->member[i]] |= reduce->across;
    }
    /* To each of m - 1 others an m-th of the gradient and of the sum: 2 (m - 1) of all. */
    count->out->exchange_bytes =
        sat_plus(count->out->exchange_bytes, sat_times(2 * others, reduce->bytes));
    if (reduce->across) {
        const double share = 2.0 * (count->copies - 1) / count->copies;
        count->out->ring_bytes =
            sat_plus(count->out->ring_bytes, sat_whole(share * (double)reduce->bytes + 0.5));
    }
}

static void find_most(struct counting *count)
{
    struct sipml_peers *out = count->out;
    for (uint32_t g = 0; g < count->group; g++) {
        struct sipml_degrees *of = &count->of[g];
        out->of_group.out = of->out > out->of_group.out ? of->out : out->of_group.out;
        out->of_group.in = of->in > out->of_group.in ? of->in : out->of_group.in;
        if (count->rings[g]) {
            of->out++;
            of->in++;
            out->of_ring = (struct sipml_degrees){1, 1};
        }
        if (of->out > out->most_out) {
            out->most_out = of->out;
            out->out_device = g;
        }
        if (of->in > out->most_in) {
            out->most_in = of->in;
            out->in_device = g;
        }
    }
}

enum orr_status orr_sipml_peers(struct orr_arena *arena, const struct model_graph *model,
                                const struct strategy *strategy, struct sipml_peers *out,
                                struct orr_diag *diag)
{
    const uint32_t group = orr_strategy_group(strategy);
    struct counting count = {.model = model,
                             .group = group,
                             .copies = strategy->copies,
                             .of = orr_arena_array(arena, group, sizeof(struct sipml_degrees)),
                             .pair = orr_heap_calloc((size_t)group * group / 64 + 1, 8),
                             .rings = orr_arena_array(arena, group, sizeof(bool)),
                             .out = out};
    struct demand demand;
    *out = (struct sipml_peers){.of = count.of};
    const bool made = count.of != NULL && count.pair != NULL && count.rings != NULL &&
                      orr_demand_init(arena, model, strategy, &demand);
    for (uint32_t op = 0; op < model->ops && made; op++) {
        orr_demand_reduces(&demand, op, note_reduce, &count);
    }
    for (uint32_t edge = 0; edge < model->edges && made; edge++) {
        orr_demand_edge(&demand, edge, note_transfer, &count);
    }
    if (made) {
        find_most(&count);
    }
    orr_heap_free(count.pair);
    return made ? ORR_OK : orr_diag_no_memory(diag, "the peers of devices");
}
