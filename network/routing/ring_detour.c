/* Detours of ring steps by Dijkstra's algorithm: see ring_detour.h. */
#include "network/routing/ring_detour.h"

#include <stddef.h>

#include "core/arena.h"
#include "network/graph.h"
#include "network/permutations/permutations.h"

/* Cached paths; few: steps that lost their link. */
struct cached_path {
    uint32_t src, dst;
    struct net_route_links way; /* hops 0: no path */
};

/* A node reached by a path of this length. */
struct reached {
    uint64_t length;
    uint32_t node, link; /* last link of the path */
};

/* Weights. A detour over a record whose links all carry rings doubles the time of the ring it
 * shares them with. Avoiding that is worth some hops, but not a path around the whole network. */
enum { FREE_HOP = 1, RING_HOP = 4 };

struct net_ring_detour {
    const struct net_graph *graph;
    struct orr_arena *arena;
    uint32_t *rings;         /* [links]: ring steps over each record */
    const uint32_t *working; /* [links], or NULL */
    uint32_t *last; /* [nodes]: the link by which the node was reached; NET_NO_LINK: not reached */
    struct reached *heap;
    size_t heap_alloc, count;
    struct cached_path *cached_path;
    size_t cached_alloc, cached_paths;
};

/* ---- links that carry rings ---- */

static void count_link(struct net_ring_detour *detour, uint32_t from, uint32_t to)
{
    const uint32_t link = orr_net_graph_find(detour->graph, from, to);
    if (link != NET_NO_LINK) {
        detour->rings[link]++;
    }
}

static void count_path(struct net_ring_detour *detour, const struct net_route_links *way)
{
    for (uint32_t h = 0; h < way->hops; h++) {
        detour->rings[way->link[h]]++;
    }
}

/* The next position on the ring. */
static uint32_t next_position(const struct net_ring *ring, uint32_t position)
{
    const int64_t n = ring->npus, next = ((int64_t)position + ring->jump) % n;
    return ring->order != NULL ? ring->order[(ring->at[position] + 1) % ring->npus]
                               : (uint32_t)((next + n) % n);
}

static void count_ring(struct net_ring_detour *detour, const struct net_ring *ring)
{
    const bool listed = ring->member != NULL;
    for (uint32_t i = 0; (listed || ring->npus == detour->graph->npus) && i < ring->npus; i++) {
        if (ring->way != 0) {
            count_path(detour, &detour->graph->way[ring->way - 1 + i]);
        } else if (listed) {
            count_link(detour, ring->member[i], ring->member[(i + 1) % ring->npus]);
        } else {
            count_link(detour, i, next_position(ring, i));
        }
    }
}

static bool count_rings(struct net_ring_detour *detour)
{
    const struct net_graph *graph = detour->graph;
    struct net_jumps jumps = {.jumps = 0};
    for (uint32_t i = 0; i < graph->rings; i++) {
        if (graph->totient == 0 || graph->ring[i].member != NULL) {
            count_ring(detour, &graph->ring[i]);
        }
    }
    if (graph->totient != 0 && graph->npus > 1 &&
        !orr_net_totient_rings(detour->arena, graph->npus, graph->totient, &jumps)) {
        return false;
    }
    for (uint32_t i = 0; i < jumps.jumps; i++) {
        count_ring(detour, &(struct net_ring){.npus = graph->npus, .jump = (int32_t)jumps.jump[i]});
    }
    return true;
}

struct net_ring_detour *orr_net_ring_detour_create(const struct net_graph *graph,
                                                   struct orr_arena *arena)
{
    struct net_ring_detour *detour = orr_arena_alloc(arena, sizeof *detour);
    if (detour == NULL) {
        return NULL;
    }
    *detour = (struct net_ring_detour){
        .graph = graph,
        .arena = arena,
        .rings = orr_arena_array(arena, (size_t)graph->links + 1, sizeof *detour->rings),
        .last = orr_arena_array(arena, (size_t)graph->nodes + 1, sizeof *detour->last)};
    return detour->rings != NULL && detour->last != NULL && count_rings(detour) ? detour : NULL;
}

void orr_net_ring_detour_working(struct net_ring_detour *detour, const uint32_t *working)
{
    detour->working = working;
    detour->cached_paths = 0;
}

/* ---- paths ---- */

/* Ties go to the lower node, so that paths do not depend on the order of the heap. */
static bool is_before(const struct reached *one, const struct reached *other)
{
    return one->length != other->length ? one->length < other->length
           : one->node != other->node   ? one->node < other->node
                                        : one->link < other->link;
}

static bool push(struct net_ring_detour *detour, struct reached item)
{
    struct reached *heap = orr_arena_grow(detour->arena, detour->heap, &detour->heap_alloc,
                                          detour->count + 1, sizeof *heap);
    if (heap == NULL) {
        return false;
    }
    size_t at = detour->count++;
    for (; at != 0 && is_before(&item, &heap[(at - 1) / 2]); at = (at - 1) / 2) {
        heap[at] = heap[(at - 1) / 2];
    }
    heap[at] = item;
    detour->heap = heap;
    return true;
}

static struct reached pop(struct net_ring_detour *detour)
{
    struct reached *heap = detour->heap;
    const struct reached first = heap[0], item = heap[--detour->count];
    size_t at = 0;
    for (size_t child = 1; child < detour->count; child = 2 * at + 1) {
        child += child + 1 < detour->count && is_before(&heap[child + 1], &heap[child]);
        if (!is_before(&heap[child], &item)) {
            break;
        }
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = item;
    return first;
}

/* Pushes the neighbours of a reached node; false if memory is out. */
static bool expand(struct net_ring_detour *detour, const struct reached *from)
{
    const struct net_graph *graph = detour->graph;
    bool done = true;
    for (uint32_t l = graph->first_out[from->node]; done && l < graph->first_out[from->node + 1];
         l++) {
        const uint32_t to = graph->link[l].to;
        const uint32_t working =
            detour->working != NULL ? detour->working[l] : graph->link[l].count;
        if (working == 0 || detour->last[to] != NET_NO_LINK) {
            continue;
        }
        const bool taken = detour->rings[l] >= working;
        done = push(detour, (struct reached){.length = from->length + (taken ? RING_HOP : FREE_HOP),
                                             .node = to,
                                             .link = l});
    }
    return done;
}

/* Sets detour->last up to the destination; false if memory is out. */
static bool run_dijkstra(struct net_ring_detour *detour, uint32_t src, uint32_t dst)
{
    for (uint32_t n = 0; n < detour->graph->nodes; n++) {
        detour->last[n] = NET_NO_LINK;
    }
    detour->last[src] = 0; /* the source is reached */
    detour->count = 0;
    bool done = expand(detour, &(struct reached){.node = src});
    while (done && detour->count != 0 && detour->last[dst] == NET_NO_LINK) {
        const struct reached next = pop(detour);
        if (detour->last[next.node] == NET_NO_LINK) {
            detour->last[next.node] = next.link;
            done = expand(detour, &next);
        }
    }
    return done;
}

/* Stores the path found; false if memory is out. */
static bool store_path(struct net_ring_detour *detour, uint32_t src, uint32_t dst,
                       struct cached_path *out)
{
    const struct net_graph *graph = detour->graph;
    uint32_t hops = 0;
    *out = (struct cached_path){.src = src, .dst = dst};
    if (detour->last[dst] == NET_NO_LINK) {
        return true;
    }
    for (uint32_t at = dst; at != src; at = graph->link[detour->last[at]].from) {
        hops++;
    }
    uint32_t *link = orr_arena_array(detour->arena, (size_t)hops + 1, sizeof *link);
    if (link == NULL) {
        return false;
    }
    out->way = (struct net_route_links){.link = link, .hops = hops};
    for (uint32_t at = dst; at != src; at = graph->link[detour->last[at]].from) {
        link[--hops] = detour->last[at];
    }
    return true;
}

bool orr_net_ring_detour_path(struct net_ring_detour *detour, uint32_t src, uint32_t dst,
                              struct net_route_links *out, bool *out_of_memory)
{
    *out_of_memory = false;
    for (size_t i = 0; i < detour->cached_paths; i++) {
        if (detour->cached_path[i].src == src && detour->cached_path[i].dst == dst) {
            *out = detour->cached_path[i].way;
            return out->hops != 0;
        }
    }
    struct cached_path *cached_path =
        orr_arena_grow(detour->arena, detour->cached_path, &detour->cached_alloc,
                       detour->cached_paths + 1, sizeof *cached_path);
    if (cached_path != NULL) {
        detour->cached_path = cached_path;
    }
    if (cached_path == NULL || !run_dijkstra(detour, src, dst) ||
        !store_path(detour, src, dst, &cached_path[detour->cached_paths])) {
        *out_of_memory = true;
        return false;
    }
    *out = cached_path[detour->cached_paths++].way;
    return out->hops != 0;
}
