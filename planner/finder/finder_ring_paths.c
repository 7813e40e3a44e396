/* Ways from server to server for the rings of groups that have no jumps: over the rings of all
 * servers as CoinChangeMod leads (TopoOpt, NSDI'23, Algorithm 1, line 19), else the first of the
 * shortest ones over all that is laid. */
#include <stdlib.h>

#include "planner/finder/finder_private.h"

/* ---- coins ---- */

/* The jumps of rings of all servers. */
static bool jumps_of_all(const struct finding *finding, struct net_jumps *jumps)
{
    uint32_t *jump = orr_arena_array(finding->arena, finding->out->layers, sizeof *jump);
    *jumps = (struct net_jumps){.jump = jump};
    for (uint32_t l = 0; l < finding->out->layers && jump != NULL; l++) {
        const struct finder_layer *layer = &finding->layer[l];
        const bool of_all = layer->kind == FINDER_CONNECTION ||
                            (layer->kind == FINDER_RINGS &&
                             orr_finder_is_all(finding, finding->of[layer->of_class].members));
        if (of_all) {
            jump[jumps->jumps++] = layer->jump;
        }
    }
    return jump != NULL;
}

static bool prepare_coins(const struct finding *finding, struct finder_ring_paths *ways)
{
    const uint32_t n = finding->demand->servers;
    struct net_jumps jumps, coins;
    if (!jumps_of_all(finding, &jumps)) {
        return false;
    }
    return jumps.jumps == 0 ||
           (orr_net_coins_of(finding->arena, n, finding->options->links, &jumps, &coins) &&
            orr_net_coin_change(finding->arena, n, &coins, &ways->coins));
}

/* ---- links ---- */

static int ascending(const void *left, const void *right)
{
    const uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return (a > b) - (a < b);
}

/* Counts a link, or lists it where there is a list. */
static void put_link(uint32_t *at, uint32_t *next, struct finder_link link)
{
    const uint32_t place = at[link.from]++;
    if (next != NULL) {
        next[place] = link.to;
    }
}

static void visit_links(const struct finding *finding, uint32_t *at, uint32_t *next)
{
    for (uint32_t l = 0; l < finding->out->layers; l++) {
        const struct finder_layer *layer = &finding->layer[l];
        for (uint32_t i = 0; i < layer->links; i++) {
            put_link(at, next, layer->link[i]);
            if (layer->duplex) {
                put_link(at, next, (struct finder_link){layer->link[i].to, layer->link[i].from});
            }
        }
    }
}

static bool prepare_links(const struct finding *finding, struct finder_ring_paths *ways)
{
    const uint32_t n = finding->demand->servers;
    uint32_t *first = orr_arena_array(finding->arena, (size_t)n + 2, sizeof *first);
    ways->hops = orr_arena_array(finding->arena, n, sizeof *ways->hops);
    ways->before = orr_arena_array(finding->arena, n, sizeof *ways->before);
    ways->queue = orr_arena_array(finding->arena, n, sizeof *ways->queue);
    if (first == NULL || ways->hops == NULL || ways->before == NULL || ways->queue == NULL) {
        return false;
    }
    visit_links(finding, first + 2, NULL);
    for (uint32_t i = 2; i < n + 2; i++) {
        first[i] += first[i - 1];
    }
    ways->next = orr_arena_array(finding->arena, first[n + 1], sizeof *ways->next);
    if (ways->next == NULL) {
        return false;
    }
    visit_links(finding, first + 1, ways->next);
    for (uint32_t i = 0; i < n; i++) {
        qsort(ways->next + first[i], first[i + 1] - first[i], sizeof *ways->next, ascending);
    }
    ways->first = first;
    return true;
}

enum orr_status orr_finder_prepare_ring_paths(const struct finding *finding,
                                              struct finder_ring_paths *out)
{
    *out = (struct finder_ring_paths){.finding = finding, .from = NET_FAR};
    return prepare_coins(finding, out) && (out->coins.positions != 0 || prepare_links(finding, out))
               ? ORR_OK
               : orr_finder_no_memory(finding);
}

/* Spreads from the server, to lower servers first. */
static void spread(struct finder_ring_paths *ways, uint32_t from)
{
    const uint32_t n = ways->finding->demand->servers;
    uint32_t count = 1;
    for (uint32_t i = 0; i < n; i++) {
        ways->hops[i] = i == from ? 0 : NET_FAR;
    }
    ways->from = from;
    ways->queue[0] = from;
    for (uint32_t at = 0; at < count; at++) {
        const uint32_t server = ways->queue[at];
        for (uint32_t i = ways->first[server]; i < ways->first[server + 1]; i++) {
            const uint32_t to = ways->next[i];
            if (ways->hops[to] == NET_FAR) {
                ways->hops[to] = ways->hops[server] + 1;
                ways->before[to] = server;
                ways->queue[count++] = to;
            }
        }
    }
}

/* ---- either ---- */

static uint32_t ahead(const struct finder_ring_paths *ways, uint32_t from, uint32_t to)
{
    return to >= from ? to - from : ways->coins.positions - (from - to);
}

uint32_t orr_finder_hops(struct finder_ring_paths *ways, uint32_t from, uint32_t to)
{
    if (ways->coins.positions != 0) {
        return ways->coins.hops[ahead(ways, from, to)];
    }
    if (ways->from != from) {
        spread(ways, from);
    }
    return ways->hops[to];
}

void orr_finder_between(struct finder_ring_paths *ways, uint32_t from, uint32_t to,
                        uint32_t *between)
{
    const uint32_t n = ways->finding->demand->servers;
    uint32_t count = orr_finder_hops(ways, from, to) - 1;
    while (count-- > 0) {
        const uint32_t coin =
            ways->coins.positions != 0 ? ways->coins.last[ahead(ways, from, to)] : 0;
        to = ways->coins.positions != 0 ? (to + n - coin) % n : ways->before[to];
        between[count] = to;
    }
}
