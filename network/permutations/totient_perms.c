/* TotientPerms (TopoOpt, NSDI'23, Algorithm 2): jumps coprime to the group size, each of which
 * makes one ring through all members. */
#include "core/arena.h"
#include "core/divide.h"
#include "network/permutations/permutations.h"

const char *const orr_net_cables_names[] = {"duplex", "one-way", NULL};

static bool is_prime(uint32_t number)
{
    for (uint32_t i = 2; (uint64_t)i * i <= number; i++) {
        if (number % i == 0) {
            return false;
        }
    }
    return number > 1;
}

static bool makes_one_ring(uint32_t p, uint32_t k, bool only_primes)
{
    return orr_gcd(p, k) == 1 && (!only_primes || p == 1 || is_prime(p));
}

uint32_t orr_net_totient_count(uint32_t k, uint32_t max)
{
    uint32_t count = 0;
    for (uint32_t p = 1; p < k && count < max; p++) {
        count += makes_one_ring(p, k, k > NET_PRIMES_ABOVE);
    }
    return count;
}

bool orr_net_totient_perms(struct orr_arena *arena, uint32_t k, enum net_cables links, bool primes,
                           struct net_jumps *out)
{
    const uint32_t max = links == NET_DUPLEX ? k / 2 : k - 1;
    const bool only_primes = primes || k > NET_PRIMES_ABOVE;
    uint32_t *jump = orr_arena_array(arena, max, sizeof *jump);
    *out = (struct net_jumps){.jump = jump};
    for (uint32_t p = 1; jump != NULL && p <= max; p++) {
        if (makes_one_ring(p, k, only_primes)) {
            jump[out->jumps++] = p;
        }
    }
    return jump != NULL;
}
