/* How the ranks of tensor, context and expert parallelism share the operators of a graph: the parts
 * of each operator (op_part.h), and what is exchanged along its edges (exchange.h). The dimensions
 * of tensor parallelism are chosen by axis_cut.h or given; context parallelism cuts tokens, expert
 * parallelism experts. */
#ifndef ORR_WORKLOAD_PARALLEL_GRAPH_GRAPH_CUT_H
#define ORR_WORKLOAD_PARALLEL_GRAPH_GRAPH_CUT_H

#include "workload/model/op_graph.h"
#include "workload/parallel/rank_ops.h"

struct orr_arena;
struct rank_amount;

/* The dimension that an axis cuts of each operator: an index, or EXCHANGE_NO_DIM. */
struct graph_cut {
    const struct model_graph *graph;
    const struct gen_plan *plan;
    uint32_t *tensor, *context, *expert; /* [ops]; expert: 0 outside of experts, the samples */
};

/* Creates the cut of a graph in the arena; *out is NULL without such ranks. Patterns of
 * plan->operators name dimensions of tensor parallelism. Errors, at their keys: a pattern that
 * names no operator, with the nearest; a dimension that it does not have or that is too small; a
 * degree by which no operator, or not every one that has to be, can be cut; memory. O((operators +
 * edges) x dimensions + patterns x operators). */
enum orr_status orr_graph_cut_create(struct orr_arena *arena, const struct model_graph *graph,
                                     const struct gen_plan *plan, const struct graph_cut **out,
                                     struct orr_diag *diag);

/* The part of an operator that a rank does, and of how many samples and shares (rank_part.h). False
 * when memory is out. */
bool orr_graph_cut_part(const struct graph_cut *cut, uint32_t op, struct model_op *part,
                        struct rank_amount *amount);

/* An exchange along an edge. */
struct graph_exchange {
    enum gen_family family;
    struct rank_comm forward, backward;
    uint64_t kept_bytes; /* that a consumer keeps of what arrives */
    bool is_gathered;    /* ... or else gathers again for the gradient of its weights */
};

enum { GRAPH_MAX_EXCHANGES = 3 };

/* The exchanges along an edge to an operator, in their order; returns their number. */
unsigned orr_graph_cut_exchanges(const struct graph_cut *cut, uint32_t op,
                                 const struct model_edge *edge,
                                 struct graph_exchange out[GRAPH_MAX_EXCHANGES]);

#endif
