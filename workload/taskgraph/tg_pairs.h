/* Pairs of transfer ends, if a task graph has one task for each end. */
#ifndef ORR_WORKLOAD_TASKGRAPH_TG_PAIRS_H
#define ORR_WORKLOAD_TASKGRAPH_TG_PAIRS_H

#include "workload/taskgraph/tg_graph.h"

/* Pairs the ends of transfers: first those where the receiving end waits for the sending one, then
 * the others between the same two NPUs in the order of their numbers. other_end[tasks] becomes the
 * other end, or TG_NONE: an end without another is a complete transfer. Errors: ends with different
 * bytes. O(dependencies + ends log ends). */
enum orr_status orr_tg_pair_ends(const struct tg_graph *graph, uint32_t *other_end,
                                 struct orr_diag *diag);

/* Whether the graph has such ends. O(tasks). */
bool orr_tg_has_ends(const struct tg_graph *graph);

#endif
