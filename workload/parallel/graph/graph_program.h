/* What a rank does of a graph of operators: its layers, in pipeline stages, on its part of the
 * batch; whole operators, or their parts. */
#ifndef ORR_WORKLOAD_PARALLEL_GRAPH_GRAPH_PROGRAM_H
#define ORR_WORKLOAD_PARALLEL_GRAPH_GRAPH_PROGRAM_H

#include "workload/model/op_graph.h"
#include "workload/parallel/graph/graph_cut.h"
#include "workload/parallel/rank_ops.h"

struct orr_arena;

/* The row of its layers; operators without weights behind the last block are a head. O(1). */
struct gen_row orr_graph_row(const struct model_graph *graph);

/* Tables that are spread over all ranks: the rows that this one holds, and what it does with them.
 * Their gradients are not reduced. */
struct rank_tables {
    struct rank_op lookup, exchange; /* exchange: of what was looked up, and of its gradients */
    struct gen_work update;          /* of the rows that were read */
    uint64_t row_bytes, state_bytes;
};

struct graph_split {
    const struct rank_tables *tables; /* NULL: there are none */
    const struct graph_cut *cut;      /* NULL: operators are whole */
    const bool *again;                /* [ops] computed again (graph_again.h); NULL: none is */
};

/* The program of a graph, which must be checked, in the arena. What is kept for the backward pass:
 * each output once a part of the model that needs it, by the first layer there. All tables become
 * one layer. What is exchanged along edges is an operator in front of the first that needs it so in
 * its layer. split NULL: neither. NULL when memory is out. O(operators + edges). */
const struct rank_program *orr_graph_program(struct orr_arena *arena,
                                             const struct model_graph *graph,
                                             const struct gen_plan *plan,
                                             const struct graph_split *split);

#endif
