/* Selection of jumps as in TopoOpt's published code, instead of Algorithm 3: see permutations.h. */
#include <math.h>
#include <stddef.h>

#include "core/arena.h"
#include "core/divide.h"
#include "network/permutations/permutations.h"

/* Whether the jump or its reverse (the same links) is taken. */
static bool is_taken(const struct net_jumps *taken, uint32_t jump, uint32_t servers)
{
    for (uint32_t i = 0; i < taken->jumps; i++) {
        if (taken->jump[i] == jump || taken->jump[i] == servers - jump) {
            return true;
        }
    }
    return false;
}

/* The first jump >= `jump` that makes one ring and is not taken; `servers` if there is none. */
static uint32_t candidate(uint32_t jump, uint32_t servers, const struct net_jumps *taken)
{
    while (jump < servers && (2 * (uint64_t)jump == servers || orr_gcd(jump, servers) != 1 ||
                              is_taken(taken, jump, servers))) {
        jump++;
    }
    return jump;
}

bool orr_net_select_published(struct orr_arena *arena, uint32_t servers, uint32_t wanted,
                              struct net_jumps *out)
{
    const uint32_t max = wanted < servers ? wanted : servers;
    const double ratio = pow(servers - 1, 1.0 / wanted);
    uint32_t *jump = orr_arena_array(arena, max, sizeof *jump);
    uint32_t last = 0;
    *out = (struct net_jumps){.jump = jump};
    for (uint32_t i = 0; jump != NULL && i < max; i++) {
        const uint32_t target = (uint32_t)ceil(pow(ratio, i) - 1e-9);
        last = candidate(target > last ? target : last + 1, servers, out);
        if (last >= servers) {
            break;
        }
        jump[out->jumps++] = 2 * (uint64_t)last < servers ? last : servers - last;
    }
    return jump != NULL;
}
