/* TotientPerms (TopoOpt, NSDI'23, Algorithm 2): the jumps that lead around a group as one ring. */
#include "core/core.h"
#include "planner/finder/permutations.h"

static bool is_prime(uint32_t number)
{
    for (uint32_t i = 2; (uint64_t)i * i <= number; i++) {
        if (number % i == 0) {
            return false;
        }
    }
    return number > 1;
}

bool orr_finder_totient_perms(struct orr_arena *arena, uint32_t k, enum finder_links links,
                              bool primes, struct finder_jumps *out)
{
    const uint32_t most = links == FINDER_DUPLEX ? k / 2 : k - 1;
    const bool only_primes = primes || k > FINDER_PRIMES_ABOVE;
    uint32_t *jump = orr_arena_array(arena, most, sizeof *jump);
    *out = (struct finder_jumps){.jump = jump};
    for (uint32_t p = 1; jump != NULL && p <= most; p++) {
        if (orr_greatest_divisor(p, k) == 1 && (!only_primes || p == 1 || is_prime(p))) {
            jump[out->jumps++] = p;
        }
    }
    return jump != NULL;
}
