/* The selection methods of permutations.h. */
#ifndef ORR_NETWORK_PERMUTATIONS_SELECT_PRIVATE_H
#define ORR_NETWORK_PERMUTATIONS_SELECT_PRIVATE_H

#include <stdbool.h>

#include "network/permutations/permutations.h"

struct orr_arena;

bool orr_net_select_geometric(struct orr_arena *arena, const struct net_jumps *from,
                              const struct net_jump_choice *choice, struct net_jumps *out);

/* min_mean_path.c */
bool orr_net_select_min_mean_path(struct orr_arena *arena, const struct net_jumps *from,
                                  const struct net_jump_choice *choice, struct net_jumps *out);

#endif
