/* Graphs of operators as programs; see graph_program.h. */
#include "workload/parallel/graph/graph_program.h"

#include <stdio.h>
#include <string.h>

#include "core/arena.h"
#include "core/saturate.h"
#include "workload/parallel/graph/program_build.h"
#include "workload/parallel/rank_part.h"
#include "workload/strategy/exchange.h"

/* ---- operators ---- */

static bool part_of(const struct build *build, uint32_t index, struct model_op *part,
                    struct rank_amount *amount)
{
    *part = build->graph->op[index];
    *amount =
        (struct rank_amount){build->plan->micro_batch, 1, build->plan->element_bytes, GEN_ELEMENT};
    return build->cut == NULL || orr_graph_cut_part(build->cut, index, part, amount);
}

static bool fill_op(struct build *build, uint32_t index)
{
    const struct model_op *op = &build->graph->op[index];
    struct model_op part;
    struct rank_amount amount;
    struct rank_op *out = &build->op[build->ops];
    const bool done = part_of(build, index, &part, &amount);
    *out = (struct rank_op){.name = op->label,
                            .kind = (enum orr_op_kind)op->op_kind,
                            .of_core = op->op_kind == ORR_OP_ATTENTION && op->weights == 0,
                            .of_experts = build->cut != NULL && build->cut->expert[index] != 0 &&
                                          build->plan->layout.size[GEN_EXPERT] > 1};
    orr_rank_set_part(out, &part, &amount);
    out->parameters = op->owner == index ? part.weights : 0;
    build->output[index] = sat_times(part.output_bytes, amount.samples) / amount.shares;
    build->inner[index] = out->kept_bytes;
    return done;
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
                              is_of_tables(build, in) ? 1 : build->at[from]};
}

static bool same_edge(const struct rank_edge *a, const struct rank_edge *b)
{
    return a->back == b->back && a->op == b->op;
}

/* Edges of a layer are numbered within the layer, as operators are; several tables are one input.
 */
static void add_edge(struct build *build, struct rank_op *op, const struct rank_edge *edge)
{
    const struct rank_edge *last = &build->edge[build->edges - (op->edges > 0 ? 1 : 0)];
    if (op->edges == 0 || !same_edge(last, edge)) {
        build->edge[build->edges++] = *edge;
        op->edges++;
    }
}

/* ---- exchanges ---- */

static bool same_comm(const struct rank_comm *a, const struct rank_comm *b)
{
    return a->is_set == b->is_set && a->comm == b->comm && a->bytes == b->bytes;
}

static struct made *find_made(const struct build *build, const struct graph_exchange *what,
                              const struct rank_edge *source)
{
    for (uint32_t i = 0; i < build->mades; i++) {
        struct made *made = &build->made[i];
        if (same_edge(&made->source, source) && made->what.family == what->family &&
            same_comm(&made->what.forward, &what->forward) &&
            same_comm(&made->what.backward, &what->backward)) {
            return made;
        }
    }
    return NULL;
}

/* "qkv input". NULL when memory is out. */
static const char *exchange_name(const struct build *build, const char *label,
                                 enum gen_family family)
{
    const char *what = family == GEN_EP ? "experts" : family == GEN_CP ? "tokens" : "input";
    const size_t bytes = strlen(label) + strlen(what) + 2;
    char *name = orr_arena_alloc(build->arena, bytes);
    if (name != NULL) {
        (void)snprintf(name, bytes, "%s %s", label, what);
    }
    return name;
}

static struct made *add_made(struct build *build, uint32_t layer, const char *label,
                             const struct made *new)
{
    struct made *made = &build->made[build->mades++];
    struct rank_op *op = &build->op[build->ops++];
    *made = *new;
    made->at.op = (uint32_t)(op - build->block[layer].op);
    *op = (struct rank_op){.name = exchange_name(build, label, new->what.family),
                           .forward_comm = new->what.forward,
                           .backward_comm = new->what.backward,
                           .first_edge =
                               (uint32_t)(&build->edge[build->edges] - build->block[layer].edge)};
    add_edge(build, op, &new->source);
    return op->name != NULL ? made : NULL;
}

/* Those along an edge, each once for a layer. */
static bool exchange_along(struct build *build, uint32_t layer, uint32_t index, uint32_t e)
{
    const struct model_edge *edge = &build->graph->edge[e];
    struct graph_exchange what[GRAPH_MAX_EXCHANGES];
    const unsigned count = orr_graph_cut_exchanges(build->cut, index, edge, what);
    struct rank_edge source = edge_from(build, layer, edge->from);
    for (unsigned i = 0; i < count; i++) {
        struct made *made = find_made(build, &what[i], &source);
        const struct made new = {.what = what[i], .source = source};
        made = made != NULL ? made : add_made(build, layer, build->graph->op[index].label, &new);
        if (made == NULL) {
            return false;
        }
        source = made->at;
        build->arrives[e] = made;
    }
    return true;
}

static bool exchange_inputs(struct build *build, uint32_t layer, uint32_t index)
{
    const struct model_op *op = &build->graph->op[index];
    bool done = true;
    for (uint32_t e = op->first_edge; e < op->first_edge + op->edges && done; e++) {
        done = build->cut == NULL || exchange_along(build, layer, index, e);
    }
    return done;
}

static void fill_edges(struct build *build, uint32_t layer, uint32_t index)
{
    const struct model_op *of = &build->graph->op[index];
    struct rank_op *op = &build->op[build->ops];
    op->first_edge = (uint32_t)(&build->edge[build->edges] - build->block[layer].edge);
    for (uint32_t e = of->first_edge; e < of->first_edge + of->edges; e++) {
        const struct rank_edge edge = build->arrives[e] != NULL
                                          ? build->arrives[e]->at
                                          : edge_from(build, layer, build->graph->edge[e].from);
        add_edge(build, op, &edge);
    }
}

/* ---- layers ---- */

static bool add_op(struct build *build, uint32_t layer, uint32_t index)
{
    const bool done = exchange_inputs(build, layer, index) && fill_op(build, index);
    if (done) {
        fill_edges(build, layer, index);
        orr_graph_keep_inputs(build, layer, index);
        orr_graph_keep_output(build, layer, index);
        build->at[index] = (uint32_t)(&build->op[build->ops] - build->block[layer].op);
        build->ops++;
    }
    return done;
}

static bool fill_layer(struct build *build, uint32_t layer)
{
    const struct model_layer *of = &build->graph->layer[layer];
    struct rank_block *block = &build->block[layer];
    struct rank_op *first = &build->op[build->ops];
    bool done = true;
    block->op = first;
    block->edge = &build->edge[build->edges];
    build->mades = 0;
    for (uint32_t i = of->first; i < of->end && done; i++) {
        done = add_op(build, layer, i);
    }
    block->ops = (uint32_t)(&build->op[build->ops] - first);
    block->names_are_whole = true;
    block->recomputes = of->of_block;
    block->is_end = of->is_loose;
    orr_graph_finish_again(build, of, first);
    orr_rank_block_finish(block, first);
    build->layer[build->number[layer]] =
        (struct rank_layer){.block = block, .name = of->name != NULL ? of->name : ""};
    return done;
}

/* All tables: rows are looked up, then exchanged. */
static bool fill_tables(struct build *build, uint32_t layer)
{
    struct rank_block *block = &build->block[layer];
    struct rank_op *op = orr_arena_array(build->arena, 2, sizeof *op);
    struct rank_edge *edge = orr_arena_array(build->arena, 1, sizeof *edge);
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

static bool fill_layers(struct build *build)
{
    uint32_t tables = UINT32_MAX;
    bool done = true;
    for (uint32_t l = 0; l < build->graph->layers && done; l++) {
        const bool of_tables = is_of_tables(build, l);
        build->number[l] = of_tables && tables != UINT32_MAX ? tables : build->layers++;
        if (!of_tables) {
            done = fill_layer(build, l);
        } else if (tables == UINT32_MAX) {
            tables = build->number[l];
            done = fill_tables(build, l);
        }
    }
    return done;
}

/* ---- boundaries ---- */

/* Whether tensor-parallel ranks that hold the same send a share each to the next stage: where all
 * that passes is whole. */
static bool scatters(const struct build *build, const uint32_t *last)
{
    const struct gen_plan *plan = build->plan;
    bool scatters = plan->pipeline_scatter && plan->pipeline.stages > 1 &&
                    plan->layout.size[GEN_TENSOR] > 1 && build->cut != NULL;
    for (uint32_t i = 0; i < build->graph->ops && scatters; i++) {
        scatters = last[i] <= build->graph->op[i].layer || build->cut->tensor[i] == EXCHANGE_NO_DIM;
    }
    return scatters;
}

/* Bytes that pass behind each layer: of every output that a later layer uses, up to the last one.
 * First as what is added and taken away there, then as sums. */
static bool fill_boundaries(struct build *build)
{
    const struct model_graph *graph = build->graph;
    uint32_t *last = orr_arena_array(build->arena, graph->ops, sizeof *last);
    uint64_t *ends = orr_arena_array(build->arena, graph->layers, sizeof *ends), passing = 0;
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
            sat_plus(ends[last[i]], last[i] > graph->op[i].layer ? build->output[i] : 0);
    }
    for (uint32_t l = 0; l < graph->layers; l++) {
        for (uint32_t i = graph->layer[l].first; i < graph->layer[l].end; i++) {
            passing = sat_plus(passing, last[i] > l ? build->output[i] : 0);
        }
        passing -= ends[l];
        build->layer[build->number[l]].boundary_bytes = passing;
    }
    build->scatters = scatters(build, last);
    return true;
}

/* ---- the program ---- */

struct gen_row orr_graph_row(const struct model_graph *graph)
{
    const bool head = graph->layer[graph->layers - 1].is_loose;
    return (struct gen_row){.layers = graph->layers - head, .head = head};
}

/* Of tables, which are no operators of their own; the others set theirs. */
static void set_outputs(struct build *build)
{
    for (uint32_t i = 0; i < build->graph->ops; i++) {
        build->output[i] = sat_times(build->graph->op[i].output_bytes, build->plan->micro_batch);
    }
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

/* Exchanges are at most three for each edge. */
static bool begin(struct build *build)
{
    struct orr_arena *arena = build->arena;
    const struct model_graph *graph = build->graph;
    const size_t exchanges = build->cut != NULL ? GRAPH_MAX_EXCHANGES * (size_t)graph->edges : 0;
    build->op = orr_arena_array(arena, graph->ops + exchanges, sizeof *build->op);
    build->edge = orr_arena_array(arena, graph->edges + exchanges + 1, sizeof *build->edge);
    build->made = orr_arena_array(arena, exchanges + 1, sizeof(struct made));
    build->arrives = orr_arena_array(arena, graph->edges + 1u, sizeof *build->arrives);
    build->at = orr_arena_array(arena, graph->ops, sizeof *build->at);
    build->inner = orr_arena_array(arena, graph->ops, sizeof *build->inner);
    build->output = orr_arena_array(arena, graph->ops, sizeof *build->output);
    build->kept = orr_arena_array(arena, graph->ops, sizeof *build->kept);
    build->block = orr_arena_array(arena, graph->layers, sizeof *build->block);
    build->layer = orr_arena_array(arena, graph->layers, sizeof *build->layer);
    build->part = orr_arena_array(arena, graph->layers, sizeof *build->part);
    build->number = orr_arena_array(arena, graph->layers, sizeof *build->number);
    return build->op != NULL && build->edge != NULL && build->made != NULL &&
           build->arrives != NULL && build->at != NULL && build->output != NULL &&
           build->inner != NULL && build->kept != NULL && build->block != NULL &&
           build->layer != NULL && build->part != NULL && build->number != NULL;
}

const struct rank_program *orr_graph_program(struct orr_arena *arena,
                                             const struct model_graph *graph,
                                             const struct gen_plan *plan,
                                             const struct graph_split *split)
{
    struct build build = {.arena = arena,
                          .graph = graph,
                          .plan = plan,
                          .tables = split != NULL ? split->tables : NULL,
                          .cut = split != NULL ? split->cut : NULL,
                          .again = split != NULL ? split->again : NULL};
    struct rank_program *program = orr_arena_alloc(arena, sizeof *program);
    if (program == NULL || !begin(&build)) {
        return NULL;
    }
    const uint64_t data = sat_times(graph->data_bytes, plan->micro_batch);
    *program = (struct rank_program){
        .plan = plan,
        .layer = build.layer,
        .behind = graph->layer[graph->layers - 1].is_loose ? 1 : 0,
        .data_bytes =
            build.cut != NULL ? sat_divide_up(data, plan->layout.size[GEN_CONTEXT]) : data};
    set_parts(&build);
    set_outputs(&build);
    const bool done = fill_layers(&build) && fill_boundaries(&build);
    program->layers = build.layers;
    program->scatters = build.scatters;
    return done ? program : NULL;
}
