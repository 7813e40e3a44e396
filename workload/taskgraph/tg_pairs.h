/* The two ends of a transfer, where a task graph has a task for each. */
#ifndef ORR_WORKLOAD_TASKGRAPH_TG_PAIRS_H
#define ORR_WORKLOAD_TASKGRAPH_TG_PAIRS_H

#include "workload/taskgraph/tg_graph.h"

/* Pairs the ends of transfers: first those of which the receiving one waits for the sending one,
 * then the others between the same two NPUs in the order of their numbers. mate[tasks] becomes the
 * other end, or TG_NONE: an end without another is a whole transfer. Errors: ends of different
 * bytes. O(dependencies + ends log ends). */
enum orr_status orr_tg_pair_ends(const struct tg_graph *graph, uint32_t *other_end,
                                 struct orr_diag *diag);

/* Whether there are such ends at all. O(tasks). */
bool orr_tg_has_ends(const struct tg_graph *graph);

#endif
