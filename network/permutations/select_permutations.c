/* SelectPermutations (TopoOpt, NSDI'23, Algorithm 3 and appendix E.2): jumps near a geometric
 * sequence, so that few steps reach far. The ratio is n^(1 / d_k), as in Algorithm 3;
 * NET_GEOMETRIC_TWO uses a ratio of at least 2, as in appendix E.2. */
#include <math.h>
#include <stddef.h>

#include "core/arena.h"
#include "network/permutations/select_private.h"

const char *const orr_net_select_names[] = {"geometric", "geometric-two", "least-mean-path", NULL};

/* n^(1 / d), exact if it is an integer, because two candidates may then be equally near. */
static double ratio_of(uint32_t servers, uint32_t wanted)
{
    const double root = pow(servers, 1.0 / wanted), rounded = floor(root + 0.5);
    const double power = pow(rounded, wanted), off = power - servers;
    return off < 0 || off > 0 ? root : rounded;
}

static uint32_t bits_of(uint32_t servers) /* ceil(log2) */
{
    uint32_t bits = 0;
    while (((uint64_t)1 << bits) < servers) {
        bits++;
    }
    return bits;
}

/* Index of the first jump >= target. */
static uint32_t lower_bound(const struct net_jumps *from, double target)
{
    uint32_t low = 0, high = from->jumps;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (from->jump[middle] < target) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Index of the unused jump nearest to the target, the lower of two. At least one is unused. */
static uint32_t nearest_unused(const struct net_jumps *from, const bool *used, double target)
{
    const uint32_t position = lower_bound(from, target);
    uint32_t above = position, below = position; /* index + 1 of the nearest unused jump below */
    while (above < from->jumps && used[above]) {
        above++;
    }
    while (below > 0 && used[below - 1]) {
        below--;
    }
    if (below == 0 || above == from->jumps) {
        return below == 0 ? above : below - 1;
    }
    return target - from->jump[below - 1] <= from->jump[above] - target ? below - 1 : above;
}

static uint32_t first_unused(const struct net_jumps *from, const bool *used)
{
    uint32_t i = 0;
    while (i + 1 < from->jumps && used[i]) {
        i++;
    }
    return i;
}

bool orr_net_select_geometric(struct orr_arena *arena, const struct net_jumps *from,
                              const struct net_jump_choice *choice, struct net_jumps *out)
{
    const uint32_t count = choice->wanted < from->jumps ? choice->wanted : from->jumps;
    double ratio = ratio_of(choice->servers, choice->wanted);
    const bool slow = choice->select == NET_GEOMETRIC_TWO && ratio < 2;
    const uint32_t reach = slow ? bits_of(choice->servers) : count;
    bool *used = orr_arena_array(arena, from->jumps, sizeof *used);
    uint32_t *jump = orr_arena_array(arena, count, sizeof *jump);
    if (used == NULL || jump == NULL) {
        return false;
    }
    ratio = slow ? 2 : ratio;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t at = i == 0 || i >= reach ? first_unused(from, used)
                                                 : nearest_unused(from, used, ratio * jump[i - 1]);
        used[at] = true;
        jump[i] = from->jump[at];
    }
    *out = (struct net_jumps){.jump = jump, .jumps = count};
    return true;
}

bool orr_net_select(struct orr_arena *arena, const struct net_jumps *from,
                    const struct net_jump_choice *choice, struct net_jumps *out)
{
    return choice->select == NET_LEAST_MEAN_PATH
               ? orr_net_select_min_mean_path(arena, from, choice, out)
               : orr_net_select_geometric(arena, from, choice, out);
}
