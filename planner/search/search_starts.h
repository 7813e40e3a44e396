/* Generated start strategies of a search. */
#ifndef ORR_PLANNER_SEARCH_SEARCH_STARTS_H
#define ORR_PLANNER_SEARCH_SEARCH_STARTS_H

#include "planner/search/search_space.h"

/* Creates a start in the arena: data parallelism with tables round robin, or the nearest splits
 * that have a time; or (sharded) every operator's weights in as many shards as possible, and
 * operators without weights by samples. *legal: whether the strategy is valid for the model; if not
 * the reason is in diag. Errors: memory. O(operators x splits). */
enum orr_status orr_search_make_start(struct orr_arena *arena, const struct space *space,
                                      bool sharded, struct strategy *out, bool *legal,
                                      struct orr_diag *diag);

#endif
