/* Embedding tables of a graph that are spread over all ranks: each table on one rank, or the rows
 * of every table over all (Mudigere et al., ISCA 2022, section 3). A rank looks its rows up for the
 * samples of all, and the pooled vectors are exchanged. */
#ifndef ORR_WORKLOAD_PARALLEL_GRAPH_GRAPH_TABLES_H
#define ORR_WORKLOAD_PARALLEL_GRAPH_GRAPH_TABLES_H

#include "workload/parallel/graph/graph_program.h"

enum rank_sharding { RANK_BY_TABLE, RANK_BY_ROW };

/* Tables of a graph. */
uint32_t orr_graph_tables_count(const struct model_graph *graph);

/* What the rank with the most does, in the arena; tables are dealt in turn. A step of the plan has
 * one micro-batch. NULL when memory is out. O(operators + NPUs). */
const struct rank_tables *orr_graph_tables(struct orr_arena *arena, const struct model_graph *graph,
                                           const struct gen_plan *plan,
                                           enum rank_sharding sharding);

#endif
