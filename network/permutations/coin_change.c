/* CoinChangeMod (TopoOpt, NSDI'23, appendix E.3, Algorithm 4): the fewest coins (jumps) whose sum
 * is v mod k, for every v, with back-trace.
 *
 * Algorithm 4 runs in rounds. A round gives v its hops if v less a coin got hops in the previous
 * round; its test also accepts equal results, so the last such coin in order wins. This file gets
 * the same result by breadth-first search from 0, and then finds the last coin of each value. */
#include <stdlib.h>

#include "core/arena.h"
#include "network/permutations/permutations.h"

/* Breadth-first search. `reached` is scratch [positions]. */
static void spread(uint32_t positions, const struct net_jumps *coins, uint32_t *hops,
                   uint32_t *reached)
{
    uint32_t count = 1;
    for (uint32_t v = 1; v < positions; v++) {
        hops[v] = NET_FAR;
    }
    for (uint32_t at = 0; at < count; at++) {
        for (uint32_t c = 0; c < coins->jumps; c++) {
            const uint32_t to = (reached[at] + coins->jump[c]) % positions;
            if (hops[to] == NET_FAR) {
                hops[to] = hops[reached[at]] + 1;
                reached[count++] = to;
            }
        }
    }
}

static uint32_t last_coin(uint32_t positions, const struct net_jumps *coins, const uint32_t *hops,
                          uint32_t value)
{
    for (uint32_t c = coins->jumps; c-- > 0;) {
        const uint32_t before = (value + positions - coins->jump[c] % positions) % positions;
        if (hops[before] != NET_FAR && hops[before] + 1 == hops[value]) {
            return coins->jump[c];
        }
    }
    return 0;
}

bool orr_net_coin_change(struct orr_arena *arena, uint32_t positions, const struct net_jumps *coins,
                         struct net_coins *out)
{
    uint32_t *hops = orr_arena_array(arena, positions, sizeof *hops);
    uint32_t *last = orr_arena_array(arena, positions, sizeof *last);
    if (hops == NULL || last == NULL) {
        return false;
    }
    spread(positions, coins, hops, last);
    for (uint32_t v = 0; v < positions; v++) {
        last[v] = v == 0 || hops[v] == NET_FAR ? 0 : last_coin(positions, coins, hops, v);
    }
    *out = (struct net_coins){.positions = positions, .hops = hops, .last = last};
    return true;
}

static int ascending(const void *left, const void *right)
{
    const uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return (a > b) - (a < b);
}

bool orr_net_coins_of(struct orr_arena *arena, uint32_t positions, enum net_cables links,
                      const struct net_jumps *jumps, struct net_jumps *coins)
{
    uint32_t *coin = orr_arena_array(arena, (size_t)jumps->jumps * 2 + 1, sizeof *coin);
    uint32_t count = 0, kept = 0;
    if (coin == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < jumps->jumps; i++) {
        coin[count++] = jumps->jump[i];
        if (links == NET_DUPLEX) {
            coin[count++] = positions - jumps->jump[i];
        }
    }
    qsort(coin, count, sizeof *coin, ascending);
    for (uint32_t i = 0; i < count; i++) {
        if (kept == 0 || coin[kept - 1] != coin[i]) {
            coin[kept++] = coin[i];
        }
    }
    *coins = (struct net_jumps){.jump = coin, .jumps = kept};
    return true;
}

struct net_coin_metrics orr_net_coin_metrics(const struct net_coins *coins)
{
    struct net_coin_metrics metrics = {.hops = 0};
    for (uint32_t v = 1; v < coins->positions && metrics.diameter != NET_FAR; v++) {
        metrics.hops += coins->hops[v];
        metrics.diameter = coins->hops[v] > metrics.diameter ? coins->hops[v] : metrics.diameter;
    }
    if (metrics.diameter == NET_FAR) {
        return (struct net_coin_metrics){.diameter = NET_FAR};
    }
    metrics.mean_path = coins->positions > 1 ? (double)metrics.hops / (coins->positions - 1) : 0;
    return metrics;
}
