/* A program while it is built of a graph. Shared by graph_program.c and graph_memory.c. */
#ifndef ORR_WORKLOAD_PARALLEL_GRAPH_PROGRAM_BUILD_H
#define ORR_WORKLOAD_PARALLEL_GRAPH_PROGRAM_BUILD_H

#include "workload/parallel/graph/graph_program.h"

struct kept {
    uint32_t output, input; /* 1 + the last part that keeps it: to use it, to recompute */
};

/* An exchange of the layer that is built. */
struct made {
    struct graph_exchange what;
    struct rank_edge source, at;
    bool is_kept;
};

struct build {
    struct orr_arena *arena;
    const struct model_graph *graph;
    const struct gen_plan *plan;
    const struct rank_tables *tables;
    const struct graph_cut *cut;
    const bool *again;  /* [graph->ops] computed again; NULL: none is */
    struct rank_op *op; /* operators, and exchanges of those that are cut */
    struct rank_edge *edge;
    uint32_t *at;             /* [graph->ops]: its place among the operators of its layer */
    uint64_t *inner;          /* [graph->ops]: bytes that it keeps besides inputs and output */
    uint64_t *output;         /* [graph->ops]: bytes of its output */
    struct made *made;        /* exchanges of the layer */
    struct made **arrives;    /* [graph->edges]: the last exchange along it; NULL: none */
    struct rank_block *block; /* [graph->layers] */
    struct rank_layer *layer; /* [graph->layers] */
    uint32_t *part, *number;  /* [graph->layers]: its part of the model, its layer there */
    struct kept *kept;        /* [graph->ops] */
    uint32_t ops, edges, layers, mades; /* so far */
    bool scatters;
};

static inline bool orr_graph_is_again(const struct build *build, uint32_t op)
{
    return build->again != NULL && build->again[op];
}

/* What the operator that is added keeps of its inputs, and of its output. O(inputs). */
void orr_graph_keep_inputs(struct build *build, uint32_t layer, uint32_t index);
void orr_graph_keep_output(struct build *build, uint32_t layer, uint32_t index);

/* Marks what is made again of a layer: the operator in front of whose backward pass is the last
 * that uses it, itself or by way of others that are made again. `first`: its first. O(edges). */
void orr_graph_finish_again(const struct build *build, const struct model_layer *of,
                            struct rank_op *first);

#endif
