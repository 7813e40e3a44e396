/* Graphs of operators as programs; see graph_program.h. */
#include "workload/parallel/graph_program.h"

#include <string.h>

#include "core/arena.h"
#include "core/saturate.h"
#include "workload/parallel/rank_part.h"

struct kept {
    uint32_t output, input; /* 1 + the last part that keeps it: to use it, to recompute */
};

struct build {
    const struct model_graph *graph;
    const struct gen_plan *plan;
    const struct rank_tables *tables;
    struct rank_op *op;       /* [graph->ops] */
    struct rank_edge *edge;   /* [graph->edges + 1] */
    struct rank_block *block; /* [graph->layers] */
    struct rank_layer *layer; /* [graph->layers] */
    uint32_t *part, *number;  /* [graph->layers]: its part of the model, its layer there */
    struct kept *kept;        /* [graph->ops] */
    uint32_t edges, layers;   /* so far */
};

/* ---- operators ---- */

static void fill_op(const struct build *build, uint32_t index)
{
    const struct model_op *op = &build->graph->op[index];
    const struct rank_amount amount = {build->plan->micro_batch, 1, build->plan->element_bytes,
                                       GEN_ELEMENT};
    struct rank_op *out = &build->op[index];
    *out = (struct rank_op){.name = op->label,
                            .kind = (enum orr_op_kind)op->op_kind,
                            .of_core = op->op_kind == ORR_OP_ATTENTION && op->weights == 0};
    orr_rank_set_part(out, op, &amount);
    out->parameters = op->owner == index ? op->weights : 0;
}

/* ---- layers ---- */

static bool is_of_tables(const struct build *build, uint32_t layer)
{
    return build->tables != NULL && build->graph->op[build->graph->layer[layer].first].table;
}

/* The operator that gives an input, seen from a layer. */
static struct rank_edge edge_from(const struct build *build, uint32_t layer, uint32_t from)
{
    const uint32_t in = build->graph->op[from].layer;
    return (struct rank_edge){build->number[layer] - build->number[in],
                              is_of_tables(build, in) ? 1 : from - build->graph->layer[in].first};
}

/* Edges of a layer are numbered within the layer, as operators are; several tables are one input.
 */
static void fill_edges(struct build *build, uint32_t layer)
{
    const struct model_graph *graph = build->graph;
    const struct model_layer *of = &graph->layer[layer];
    const uint32_t first = build->edges;
    build->block[layer].edge = &build->edge[first];
    for (uint32_t i = of->first; i < of->end; i++) {
        const struct model_op *op = &graph->op[i];
        struct rank_op *out = &build->op[i];
        out->first_edge = build->edges - first;
        for (uint32_t e = op->first_edge; e < op->first_edge + op->edges; e++) {
            const struct rank_edge edge = edge_from(build, layer, graph->edge[e].from);
            const struct rank_edge *last = &build->edge[build->edges - (out->edges > 0 ? 1 : 0)];
            if (out->edges == 0 || last->back != edge.back || last->op != edge.op) {
                build->edge[build->edges++] = edge;
                out->edges++;
            }
        }
    }
}

static uint64_t output_bytes(const struct build *build, uint32_t index)
{
    return sat_times(build->graph->op[index].output_bytes, build->plan->micro_batch);
}

/* What an operator keeps of the outputs of others, if no other operator of the part does. */
static void keep_inputs(struct build *build, uint32_t layer, uint32_t index)
{
    const struct model_op *op = &build->graph->op[index];
    const uint32_t part = build->part[layer] + 1;
    for (uint32_t e = op->first_edge; e < op->first_edge + op->edges; e++) {
        const uint32_t from = build->graph->edge[e].from;
        const bool outside = build->graph->op[from].layer != layer;
        if (outside && build->kept[from].input != part) {
            build->kept[from].input = part;
            build->block[layer].input_bytes =
                sat_plus(build->block[layer].input_bytes, output_bytes(build, from));
        }
        if (op->keeps_inputs && build->kept[from].output != part) {
            build->kept[from].output = part;
            build->op[index].kept_bytes =
                sat_plus(build->op[index].kept_bytes, output_bytes(build, from));
            build->block[layer].outer_bytes =
                sat_plus(build->block[layer].outer_bytes, outside ? output_bytes(build, from) : 0);
        }
    }
}

static void keep_output(struct build *build, uint32_t layer, uint32_t index)
{
    if (build->graph->op[index].keeps_output) {
        build->kept[index].output = build->part[layer] + 1;
        build->op[index].kept_bytes =
            sat_plus(build->op[index].kept_bytes, output_bytes(build, index));
    }
}

static void fill_layer(struct build *build, uint32_t layer)
{
    const struct model_layer *of = &build->graph->layer[layer];
    struct rank_block *block = &build->block[layer];
    for (uint32_t i = of->first; i < of->end; i++) {
        fill_op(build, i);
        keep_inputs(build, layer, i);
        keep_output(build, layer, i);
    }
    fill_edges(build, layer);
    block->op = &build->op[of->first];
    block->ops = of->end - of->first;
    block->names_are_whole = true;
    block->recomputes = of->of_block;
    block->is_end = of->is_loose;
    orr_rank_block_finish(block, &build->op[of->first]);
    build->layer[build->number[layer]] =
        (struct rank_layer){.block = block, .name = of->name != NULL ? of->name : ""};
}

/* All tables: rows are looked up, then exchanged. */
static bool fill_tables(struct orr_arena *arena, struct build *build, uint32_t layer)
{
    struct rank_block *block = &build->block[layer];
    struct rank_op *op = orr_arena_array(arena, 2, sizeof *op);
    struct rank_edge *edge = orr_arena_array(arena, 1, sizeof *edge);
    if (op == NULL || edge == NULL) {
        return false;
    }
    op[0] = build->tables->lookup;
    op[1] = build->tables->exchange;
    op[1].edges = 1;
    *block = (struct rank_block){.op = op,
                                 .ops = 2,
                                 .edge = edge,
                                 .names_are_whole = true,
                                 .row_bytes = build->tables->row_bytes,
                                 .row_state_bytes = build->tables->state_bytes,
                                 .row_update = build->tables->update};
    orr_rank_block_finish(block, op);
    build->layer[build->number[layer]] = (struct rank_layer){.block = block, .name = "embedding"};
    return true;
}

static bool fill_layers(struct orr_arena *arena, struct build *build)
{
    uint32_t tables = UINT32_MAX;
    bool done = true;
    for (uint32_t l = 0; l < build->graph->layers && done; l++) {
        const bool of_tables = is_of_tables(build, l);
        build->number[l] = of_tables && tables != UINT32_MAX ? tables : build->layers++;
        if (!of_tables) {
            fill_layer(build, l);
        } else if (tables == UINT32_MAX) {
            tables = build->number[l];
            done = fill_tables(arena, build, l);
        }
    }
    return done;
}

/* ---- boundaries ---- */

/* Bytes that pass behind each layer: of every output that a later layer uses, up to the last one.
 * First as what is added and taken away there, then as sums. */
static bool fill_boundaries(struct orr_arena *arena, struct build *build)
{
    const struct model_graph *graph = build->graph;
    uint32_t *last = orr_arena_array(arena, graph->ops, sizeof *last);
    uint64_t *ends = orr_arena_array(arena, graph->layers, sizeof *ends), passing = 0;
    if (last == NULL || ends == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < graph->ops; i++) {
        for (uint32_t e = graph->op[i].first_edge; e < graph->op[i].first_edge + graph->op[i].edges;
             e++) {
            last[graph->edge[e].from] = graph->op[i].layer;
        }
    }
    for (uint32_t i = 0; i < graph->ops; i++) {
        ends[last[i]] =
            sat_plus(ends[last[i]], last[i] > graph->op[i].layer ? output_bytes(build, i) : 0);
    }
    for (uint32_t l = 0; l < graph->layers; l++) {
        for (uint32_t i = graph->layer[l].first; i < graph->layer[l].end; i++) {
            passing = sat_plus(passing, last[i] > l ? output_bytes(build, i) : 0);
        }
        passing -= ends[l];
        build->layer[build->number[l]].boundary_bytes = passing;
    }
    return true;
}

/* ---- the program ---- */

struct gen_row orr_graph_row(const struct model_graph *graph)
{
    const bool head = graph->layer[graph->layers - 1].is_loose;
    return (struct gen_row){.layers = graph->layers - head, .head = head};
}

static void set_parts(struct build *build)
{
    const struct gen_row row = orr_graph_row(build->graph);
    const struct gen_pipeline *pipeline = &build->plan->pipeline;
    for (uint32_t part = 0; part < orr_gen_pipeline_cut(pipeline); part++) {
        const struct gen_range range = orr_gen_part_range(build->plan, &row, part);
        for (uint32_t l = range.first; l < range.end + (range.head ? 1 : 0); l++) {
            build->part[l] = part;
        }
    }
}

const struct rank_program *orr_graph_program(struct orr_arena *arena,
                                             const struct model_graph *graph,
                                             const struct gen_plan *plan,
                                             const struct rank_tables *tables)
{
    struct build build = {
        .graph = graph,
        .plan = plan,
        .tables = tables,
        .op = orr_arena_array(arena, graph->ops, sizeof *build.op),
        .edge = orr_arena_array(arena, graph->edges + 1u, sizeof *build.edge),
        .block = orr_arena_array(arena, graph->layers, sizeof *build.block),
        .layer = orr_arena_array(arena, graph->layers, sizeof *build.layer),
        .part = orr_arena_array(arena, graph->layers, sizeof *build.part),
        .number = orr_arena_array(arena, graph->layers, sizeof *build.number),
        .kept = orr_arena_array(arena, graph->ops, sizeof *build.kept),
    };
    struct rank_program *program = orr_arena_alloc(arena, sizeof *program);
    if (build.op == NULL || build.edge == NULL || build.block == NULL || build.layer == NULL ||
        build.part == NULL || build.number == NULL || build.kept == NULL || program == NULL) {
        return NULL;
    }
    *program = (struct rank_program){.plan = plan,
                                     .layer = build.layer,
                                     .behind = graph->layer[graph->layers - 1].is_loose ? 1 : 0,
                                     .data_bytes = sat_times(graph->data_bytes, plan->micro_batch)};
    set_parts(&build);
    const bool done = fill_layers(arena, &build) && fill_boundaries(arena, &build);
    program->layers = build.layers;
    return done ? program : NULL;
}
