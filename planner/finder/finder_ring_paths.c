/* Paths between servers for the rings of groups without jumps: over the rings of all servers by
 * CoinChangeMod (TopoOpt, NSDI'23, Algorithm 1, line 19), else the first shortest path over all
 * links. */
#include <stdlib.h>

#include "core/arena.h"
#include "planner/finder/finder_private.h"

/* ---- coins ---- */

/* Collects the jumps of the rings of all servers. */
static bool jumps_of_all(const struct finder *finder, struct net_jumps *jumps)
{
    uint32_t *jump = orr_arena_array(finder->arena, finder->out->layers, sizeof *jump);
    *jumps = (struct net_jumps){.jump = jump};
    for (uint32_t l = 0; l < finder->out->layers && jump != NULL; l++) {
        const struct finder_layer *layer = &finder->layer[l];
        const bool of_all = layer->kind == FINDER_CONNECTION ||
                            (layer->kind == FINDER_RINGS &&
                             orr_finder_is_all(finder, finder->of[layer->of_class].members));
        if (of_all) {
            jump[jumps->jumps++] = layer->jump;
        }
    }
    return jump != NULL;
}

static bool prepare_coins(const struct finder *finder, struct finder_ring_paths *paths)
{
    const uint32_t n = finder->demand->servers;
    struct net_jumps jumps, coins;
    if (!jumps_of_all(finder, &jumps)) {
        return false;
    }
    return jumps.jumps == 0 ||
           (orr_net_coins_of(finder->arena, n, finder->options->links, &jumps, &coins) &&
            orr_net_coin_change(finder->arena, n, &coins, &paths->coins));
}

/* ---- links ---- */

static int ascending(const void *left, const void *right)
{
    const uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return (a > b) - (a < b);
}

/* Counts a link, or lists it if `next` is not NULL. */
static void add_link(uint32_t *at, uint32_t *next, struct finder_link link)
{
    const uint32_t index = at[link.from]++;
    if (next != NULL) {
        next[index] = link.to;
    }
}

static void visit_links(const struct finder *finder, uint32_t *at, uint32_t *next)
{
    for (uint32_t l = 0; l < finder->out->layers; l++) {
        const struct finder_layer *layer = &finder->layer[l];
        for (uint32_t i = 0; i < layer->links; i++) {
            add_link(at, next, layer->link[i]);
            if (layer->duplex) {
                add_link(at, next, (struct finder_link){layer->link[i].to, layer->link[i].from});
            }
        }
    }
}

static bool prepare_links(const struct finder *finder, struct finder_ring_paths *paths)
{
    const uint32_t n = finder->demand->servers;
    uint32_t *first = orr_arena_array(finder->arena, (size_t)n + 2, sizeof *first);
    paths->hops = orr_arena_array(finder->arena, n, sizeof *paths->hops);
    paths->predecessor = orr_arena_array(finder->arena, n, sizeof *paths->predecessor);
    paths->queue = orr_arena_array(finder->arena, n, sizeof *paths->queue);
    if (first == NULL || paths->hops == NULL || paths->predecessor == NULL ||
        paths->queue == NULL) {
        return false;
    }
    visit_links(finder, first + 2, NULL);
    for (uint32_t i = 2; i < n + 2; i++) {
        first[i] += first[i - 1];
    }
    paths->next = orr_arena_array(finder->arena, first[n + 1], sizeof *paths->next);
    if (paths->next == NULL) {
        return false;
    }
    visit_links(finder, first + 1, paths->next);
    for (uint32_t i = 0; i < n; i++) {
        qsort(paths->next + first[i], first[i + 1] - first[i], sizeof *paths->next, ascending);
    }
    paths->first = first;
    return true;
}

enum orr_status orr_finder_prepare_ring_paths(const struct finder *finder,
                                              struct finder_ring_paths *out)
{
    *out = (struct finder_ring_paths){.finder = finder, .from = NET_FAR};
    return prepare_coins(finder, out) && (out->coins.positions != 0 || prepare_links(finder, out))
               ? ORR_OK
               : orr_finder_no_memory(finder);
}

/* Breadth-first search from a server; lower servers first. */
static void search_from(struct finder_ring_paths *paths, uint32_t from)
{
    const uint32_t n = paths->finder->demand->servers;
    uint32_t count = 1;
    for (uint32_t i = 0; i < n; i++) {
        paths->hops[i] = i == from ? 0 : NET_FAR;
    }
    paths->from = from;
    paths->queue[0] = from;
    for (uint32_t at = 0; at < count; at++) {
        const uint32_t server = paths->queue[at];
        for (uint32_t i = paths->first[server]; i < paths->first[server + 1]; i++) {
            const uint32_t to = paths->next[i];
            if (paths->hops[to] == NET_FAR) {
                paths->hops[to] = paths->hops[server] + 1;
                paths->predecessor[to] = server;
                paths->queue[count++] = to;
            }
        }
    }
}

/* ---- either ---- */

static uint32_t ahead(const struct finder_ring_paths *paths, uint32_t from, uint32_t to)
{
    return to >= from ? to - from : paths->coins.positions - (from - to);
}

uint32_t orr_finder_hops(struct finder_ring_paths *paths, uint32_t from, uint32_t to)
{
    if (paths->coins.positions != 0) {
        return paths->coins.hops[ahead(paths, from, to)];
    }
    if (paths->from != from) {
        search_from(paths, from);
    }
    return paths->hops[to];
}

void orr_finder_between(struct finder_ring_paths *paths, uint32_t from, uint32_t to,
                        uint32_t *between)
{
    const uint32_t n = paths->finder->demand->servers;
    uint32_t count = orr_finder_hops(paths, from, to) - 1;
    while (count-- > 0) {
        const uint32_t coin =
            paths->coins.positions != 0 ? paths->coins.last[ahead(paths, from, to)] : 0;
        to = paths->coins.positions != 0 ? (to + n - coin) % n : paths->predecessor[to];
        between[count] = to;
    }
}
