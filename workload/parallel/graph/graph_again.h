/* Which operators of a graph are computed again in the backward pass: what they give is not kept,
 * what they take is (training.recompute_operators). */
#ifndef ORR_WORKLOAD_PARALLEL_GRAPH_GRAPH_AGAIN_H
#define ORR_WORKLOAD_PARALLEL_GRAPH_GRAPH_AGAIN_H

#include "workload/model/op_graph.h"
#include "workload/parallel/parallel_plan.h"

struct orr_arena;

/* Creates the marks of a graph, [ops], in the arena; *out is NULL without selective recomputation.
 * Errors, at the key: a pattern that names no operator, with the nearest; an operator that others
 * outside of its layer use, whose output these keep; a table; memory. O(patterns x operators +
 * edges). */
enum orr_status orr_graph_again_create(struct orr_arena *arena, const struct model_graph *graph,
                                       const struct gen_plan *plan, const bool **out,
                                       struct orr_diag *diag);

#endif
