/* The ways to select permutations: see permutations.h. */
#ifndef ORR_PLANNER_FINDER_SELECT_PRIVATE_H
#define ORR_PLANNER_FINDER_SELECT_PRIVATE_H

#include "planner/finder/permutations.h"

bool orr_finder_select_geometric(struct orr_arena *arena, const struct finder_jumps *from,
                                 const struct finder_choice *choice, struct finder_jumps *out);

/* least_mean_path.c */
bool orr_finder_select_least(struct orr_arena *arena, const struct finder_jumps *from,
                             const struct finder_choice *choice, struct finder_jumps *out);

#endif
