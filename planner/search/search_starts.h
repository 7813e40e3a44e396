/* Strategies that a search begins at. */
#ifndef ORR_PLANNER_SEARCH_SEARCH_STARTS_H
#define ORR_PLANNER_SEARCH_SEARCH_STARTS_H

#include "planner/search/search_space.h"

/* Data parallelism with tables round robin, or what is next to it of splits with a time; or
 * (sharded) every operator's weights in as many shards as it can be split into, and what has none
 * by samples. In the arena. *legal: whether it is a strategy of the model; why not is in diag.
 * Errors: memory. O(operators x splits). */
enum orr_status orr_search_make_start(struct orr_arena *arena, const struct space *space,
                                      bool sharded, struct strategy *out, bool *legal,
                                      struct orr_diag *diag);

#endif
