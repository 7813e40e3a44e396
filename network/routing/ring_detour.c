/* See ring_detour.h. Dijkstra's algorithm. */
#include "network/routing/ring_detour.h"

#include "network/permutations/permutations.h"

/* Ways that were asked for; few: steps that have lost their links. */
struct known {
    uint32_t src, dst;
    struct net_route_links way; /* hops 0: there is none */
};

/* A node that a way of that length leads to. */
struct reached {
    uint64_t length;
    uint32_t node, link; /* the last one of the way */
};

/* A record of which rings take all links holds up the ring that shares it for twice its time: to
 * leave it out is worth some hops, but not a way around the whole network. */
enum { FREE_HOP = 1, RING_HOP = 4 };

struct net_ring_detour {
    const struct net_graph *graph;
    struct orr_arena *arena;
    uint32_t *rings;         /* [links]: steps of rings that go over a record */
    const uint32_t *working; /* [links], or NULL */
    uint32_t *last;          /* [nodes]: the link by which it was reached; NET_NO_LINK: not yet */
    struct reached *heap;
    size_t room, count;
    struct known *known;
    size_t known_room, knowns;
};

/* ---- which links rings go over ---- */

static void count_link(struct net_ring_detour *borrow, uint32_t from, uint32_t to)
{
    const uint32_t link = orr_net_graph_find(borrow->graph, from, to);
    if (link != NET_NO_LINK) {
        borrow->rings[link]++;
    }
}

static void count_way(struct net_ring_detour *borrow, const struct net_route_links *way)
{
    for (uint32_t h = 0; h < way->hops; h++) {
        borrow->rings[way->link[h]]++;
    }
}

/* The place behind another. */
static uint32_t next_place(const struct net_ring *ring, uint32_t place)
{
    const int64_t n = ring->npus, next = ((int64_t)place + ring->jump) % n;
    return ring->order != NULL ? ring->order[(ring->at[place] + 1) % ring->npus]
                               : (uint32_t)((next + n) % n);
}

static void count_ring(struct net_ring_detour *borrow, const struct net_ring *ring)
{
    const bool listed = ring->member != NULL;
    for (uint32_t i = 0; (listed || ring->npus == borrow->graph->npus) && i < ring->npus; i++) {
        if (ring->way != 0) {
            count_way(borrow, &borrow->graph->way[ring->way - 1 + i]);
        } else if (listed) {
            count_link(borrow, ring->member[i], ring->member[(i + 1) % ring->npus]);
        } else {
            count_link(borrow, i, next_place(ring, i));
        }
    }
}

static bool count_rings(struct net_ring_detour *borrow)
{
    const struct net_graph *graph = borrow->graph;
    struct net_jumps jumps = {.jumps = 0};
    for (uint32_t i = 0; i < graph->rings; i++) {
        if (graph->totient == 0 || graph->ring[i].member != NULL) {
            count_ring(borrow, &graph->ring[i]);
        }
    }
    if (graph->totient != 0 && graph->npus > 1 &&
        !orr_net_totient_rings(borrow->arena, graph->npus, graph->totient, &jumps)) {
        return false;
    }
    for (uint32_t i = 0; i < jumps.jumps; i++) {
        count_ring(borrow, &(struct net_ring){.npus = graph->npus, .jump = (int32_t)jumps.jump[i]});
    }
    return true;
}

struct net_ring_detour *orr_net_ring_detour_create(const struct net_graph *graph,
                                                   struct orr_arena *arena)
{
    struct net_ring_detour *borrow = orr_arena_alloc(arena, sizeof *borrow);
    if (borrow == NULL) {
        return NULL;
    }
    *borrow = (struct net_ring_detour){
        .graph = graph,
        .arena = arena,
        .rings = orr_arena_array(arena, (size_t)graph->links + 1, sizeof *borrow->rings),
        .last = orr_arena_array(arena, (size_t)graph->nodes + 1, sizeof *borrow->last)};
    return borrow->rings != NULL && borrow->last != NULL && count_rings(borrow) ? borrow : NULL;
}

void orr_net_ring_detour_working(struct net_ring_detour *borrow, const uint32_t *working)
{
    borrow->working = working;
    borrow->knowns = 0;
}

/* ---- ways ---- */

/* Of equal lengths the lower node, so that ways do not depend on the order of the heap. */
static bool before(const struct reached *one, const struct reached *other)
{
    return one->length != other->length ? one->length < other->length
           : one->node != other->node   ? one->node < other->node
                                        : one->link < other->link;
}

static bool push(struct net_ring_detour *borrow, struct reached item)
{
    struct reached *heap =
        orr_arena_grow(borrow->arena, borrow->heap, &borrow->room, borrow->count + 1, sizeof *heap);
    if (heap == NULL) {
        return false;
    }
    size_t at = borrow->count++;
    for (; at != 0 && before(&item, &heap[(at - 1) / 2]); at = (at - 1) / 2) {
        heap[at] = heap[(at - 1) / 2];
    }
    heap[at] = item;
    borrow->heap = heap;
    return true;
}

static struct reached pop(struct net_ring_detour *borrow)
{
    struct reached *heap = borrow->heap;
    const struct reached first = heap[0], item = heap[--borrow->count];
    size_t at = 0;
    for (size_t child = 1; child < borrow->count; child = 2 * at + 1) {
        child += child + 1 < borrow->count && before(&heap[child + 1], &heap[child]);
        if (!before(&heap[child], &item)) {
            break;
        }
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = item;
    return first;
}

/* What goes on from a node that was reached; false: no memory. */
static bool go_on(struct net_ring_detour *borrow, const struct reached *from)
{
    const struct net_graph *graph = borrow->graph;
    bool done = true;
    for (uint32_t l = graph->first_out[from->node]; done && l < graph->first_out[from->node + 1];
         l++) {
        const uint32_t to = graph->link[l].to;
        const uint32_t working =
            borrow->working != NULL ? borrow->working[l] : graph->link[l].count;
        if (working == 0 || borrow->last[to] != NET_NO_LINK) {
            continue;
        }
        const bool taken = borrow->rings[l] >= working;
        done = push(borrow, (struct reached){.length = from->length + (taken ? RING_HOP : FREE_HOP),
                                             .node = to,
                                             .link = l});
    }
    return done;
}

/* Sets borrow->last up to the destination; false: no memory. */
static bool search(struct net_ring_detour *borrow, uint32_t src, uint32_t dst)
{
    for (uint32_t n = 0; n < borrow->graph->nodes; n++) {
        borrow->last[n] = NET_NO_LINK;
    }
    borrow->last[src] = 0; /* not gone back to */
    borrow->count = 0;
    bool done = go_on(borrow, &(struct reached){.node = src});
    while (done && borrow->count != 0 && borrow->last[dst] == NET_NO_LINK) {
        const struct reached next = pop(borrow);
        if (borrow->last[next.node] == NET_NO_LINK) {
            borrow->last[next.node] = next.link;
            done = go_on(borrow, &next);
        }
    }
    return done;
}

/* The way that was found, kept; false: no memory. */
static bool keep(struct net_ring_detour *borrow, uint32_t src, uint32_t dst, struct known *out)
{
    const struct net_graph *graph = borrow->graph;
    uint32_t hops = 0;
    *out = (struct known){.src = src, .dst = dst};
    if (borrow->last[dst] == NET_NO_LINK) {
        return true;
    }
    for (uint32_t at = dst; at != src; at = graph->link[borrow->last[at]].from) {
        hops++;
    }
    uint32_t *link = orr_arena_array(borrow->arena, (size_t)hops + 1, sizeof *link);
    if (link == NULL) {
        return false;
    }
    out->way = (struct net_route_links){.link = link, .hops = hops};
    for (uint32_t at = dst; at != src; at = graph->link[borrow->last[at]].from) {
        link[--hops] = borrow->last[at];
    }
    return true;
}

bool orr_net_ring_detour_path(struct net_ring_detour *borrow, uint32_t src, uint32_t dst,
                              struct net_route_links *out, bool *out_of_memory)
{
    *out_of_memory = false;
    for (size_t i = 0; i < borrow->knowns; i++) {
        if (borrow->known[i].src == src && borrow->known[i].dst == dst) {
            *out = borrow->known[i].way;
            return out->hops != 0;
        }
    }
    struct known *known = orr_arena_grow(borrow->arena, borrow->known, &borrow->known_room,
                                         borrow->knowns + 1, sizeof *known);
    if (known != NULL) {
        borrow->known = known;
    }
    if (known == NULL || !search(borrow, src, dst) ||
        !keep(borrow, src, dst, &known[borrow->knowns])) {
        *out_of_memory = true;
        return false;
    }
    *out = known[borrow->knowns++].way;
    return out->hops != 0;
}
