/* Loads of links: transfers divided evenly over shortest paths (ECMP), and all-reduces around
 * rings; see routes.h. */
#include <math.h>
#include <string.h>

#include "core/arena.h"
#include "core/diag.h"
#include "network/graph.h"
#include "network/routing/routing.h"
#include "planner/finder/route_private.h"

struct finder_load orr_finder_load_of(const struct net_graph *graph, const double *bytes)
{
    struct finder_load load = {.min = graph->links == 0 ? 0 : INFINITY};
    for (uint32_t l = 0; l < graph->links; l++) {
        const double seconds = bytes[l] / net_link_capacity(&graph->link[l]);
        load.mean += seconds / graph->links;
        load.min = fmin(load.min, seconds);
        load.max = fmax(load.max, seconds);
    }
    return load;
}

/* ---- distances ---- */

/* Breadth-first search of the hops to one NPU. */
struct hop_search {
    struct orr_arena *arena;
    const struct net_graph *graph;
    struct net_reverse reverse;
    uint16_t *hops;  /* [nodes] */
    uint32_t *queue; /* [nodes] */
    double *passes;  /* [nodes]: bytes to the NPU through this node */
};

static enum orr_status begin(struct hop_search *hop_search, const struct net_graph *graph,
                             struct orr_diag *diag)
{
    *hop_search = (struct hop_search){.arena = orr_arena_create(), .graph = graph};
    if (hop_search->arena == NULL) {
        return orr_diag_no_memory(diag, "the loads of links");
    }
    hop_search->hops = orr_arena_array(hop_search->arena, graph->nodes, sizeof *hop_search->hops);
    hop_search->queue = orr_arena_array(hop_search->arena, graph->nodes, sizeof *hop_search->queue);
    hop_search->passes =
        orr_arena_array(hop_search->arena, graph->nodes, sizeof *hop_search->passes);
    return hop_search->hops != NULL && hop_search->queue != NULL && hop_search->passes != NULL
               ? orr_net_graph_reverse(graph, hop_search->arena, &hop_search->reverse, diag)
               : orr_diag_no_memory(diag, "the loads of links");
}

static bool is_nearer(const struct hop_search *hop_search, uint32_t link)
{
    const struct net_link *at = &hop_search->graph->link[link];
    return hop_search->hops[at->to] + 1 == hop_search->hops[at->from];
}

/* ---- even division ---- */

static void divide(const struct hop_search *hop_search, uint32_t node, double *load)
{
    const struct net_graph *graph = hop_search->graph;
    uint32_t nearer_links = 0;
    for (uint32_t l = graph->first_out[node]; l < graph->first_out[node + 1]; l++) {
        nearer_links += is_nearer(hop_search, l);
    }
    for (uint32_t l = graph->first_out[node]; l < graph->first_out[node + 1]; l++) {
        if (is_nearer(hop_search, l)) {
            load[l] += hop_search->passes[node] / nearer_links;
            hop_search->passes[graph->link[l].to] += hop_search->passes[node] / nearer_links;
        }
    }
}

static enum orr_status add_to(struct hop_search *hop_search, const uint64_t *transfers, uint32_t to,
                              double *load, struct orr_diag *diag)
{
    const struct net_graph *graph = hop_search->graph;
    uint32_t found = 0;
    memset(hop_search->passes, 0, graph->nodes * sizeof *hop_search->passes);
    orr_net_graph_distances(graph, &hop_search->reverse, to, hop_search->hops, hop_search->queue);
    for (uint32_t node = 0; node < graph->nodes; node++) {
        const uint64_t bytes =
            node < graph->npus && node != to ? transfers[(size_t)node * graph->npus + to] : 0;
        if (bytes != 0 && hop_search->hops[node] == UINT16_MAX) {
            return orr_finder_fail_no_path(graph, node, to, diag);
        }
        hop_search->passes[node] = (double)bytes;
        found += hop_search->hops[node] != UINT16_MAX;
    }
    while (found-- > 1) { /* from the farthest node on, without the NPU itself */
        divide(hop_search, hop_search->queue[found], load);
    }
    return ORR_OK;
}

enum orr_status orr_finder_add_even(const struct net_graph *graph, const uint64_t *transfers,
                                    double *load, struct orr_diag *diag)
{
    struct hop_search hop_search;
    enum orr_status status = begin(&hop_search, graph, diag);
    for (uint32_t to = 0; status == ORR_OK && to < graph->npus; to++) {
        status = add_to(&hop_search, transfers, to, load, diag);
    }
    orr_arena_destroy(hop_search.arena);
    return status;
}

/* ---- rings ---- */

static bool is_member(const struct finder_ring_group *group, uint32_t npu)
{
    uint32_t i = 0;
    while (i < group->members && group->member[i] != npu) {
        i++;
    }
    return i < group->members;
}

static bool is_of(const struct net_ring *ring, const struct finder_ring_group *group,
                  bool members_only)
{
    if (!members_only || ring->member == NULL) {
        return !members_only && ring->member == NULL && ring->npus == group->members;
    }
    bool all = ring->npus == group->members;
    for (uint32_t i = 0; all && i < ring->npus; i++) {
        all = is_member(group, ring->member[i]);
    }
    return all;
}

static uint32_t count_rings(const struct net_graph *graph, const struct finder_ring_group *group,
                            bool members_only)
{
    uint32_t rings = 0;
    for (uint32_t i = 0; i < graph->rings; i++) {
        rings += is_of(&graph->ring[i], group, members_only);
    }
    return rings;
}

/* Adds bytes to the direct link, else to the shortest path with the lowest nodes. */
static enum orr_status add_shortest_path(struct hop_search *hop_search, uint32_t from, uint32_t to,
                                         double bytes, double *base, struct orr_diag *diag)
{
    const struct net_graph *graph = hop_search->graph;
    const uint32_t direct = orr_net_graph_find(graph, from, to);
    if (direct != NET_NO_LINK) {
        base[direct] += bytes;
        return ORR_OK;
    }
    orr_net_graph_distances(graph, &hop_search->reverse, to, hop_search->hops, hop_search->queue);
    if (hop_search->hops[from] == UINT16_MAX) {
        return orr_finder_fail_no_path(graph, from, to, diag);
    }
    for (uint32_t node = from; node != to;) {
        uint32_t l = graph->first_out[node];
        while (!is_nearer(hop_search, l)) {
            l++;
        }
        base[l] += bytes;
        node = graph->link[l].to;
    }
    return ORR_OK;
}

/* The ends of a step of a ring; ring NULL: of the group in its order. */
static void step_of(const struct net_ring *ring, const struct finder_ring_group *group,
                    uint32_t index, uint32_t ends[2])
{
    const uint32_t k = group->members, next = (index + 1) % k;
    if (ring == NULL) {
        ends[0] = group->member[index];
        ends[1] = group->member[next];
    } else if (ring->member != NULL) {
        ends[0] = ring->member[index];
        ends[1] = ring->member[next];
    } else if (ring->order != NULL) {
        ends[0] = group->member[ring->order[index]];
        ends[1] = group->member[ring->order[next]];
    } else {
        const uint64_t ahead = (uint64_t)(((int64_t)ring->jump % k + k) % k);
        ends[0] = group->member[index];
        ends[1] = group->member[(index + ahead) % k];
    }
}

static enum orr_status add_ring(struct hop_search *hop_search, const struct net_ring *ring,
                                const struct finder_ring_group *group, double *base,
                                struct orr_diag *diag)
{
    enum orr_status status = ORR_OK;
    for (uint32_t i = 0; status == ORR_OK && i < group->members; i++) {
        const struct net_route_links *way =
            ring != NULL && ring->way != 0 ? &hop_search->graph->way[ring->way - 1 + i] : NULL;
        uint32_t ends[2];
        for (uint32_t h = 0; way != NULL && h < way->hops; h++) {
            base[way->link[h]] += group->bytes;
        }
        if (way == NULL || way->hops == 0) {
            step_of(ring, group, i, ends);
            status = add_shortest_path(hop_search, ends[0], ends[1], group->bytes, base, diag);
        }
    }
    return status;
}

static enum orr_status add_rings(struct hop_search *hop_search,
                                 const struct finder_ring_group *group, double *base,
                                 struct orr_diag *diag)
{
    const struct net_graph *graph = hop_search->graph;
    const bool members_only = count_rings(graph, group, true) != 0;
    const uint32_t rings = count_rings(graph, group, members_only);
    /* bytes from a member to the next over one ring, in both halves of the all-reduce */
    struct finder_ring_group each = *group;
    each.bytes *= 2.0 * (group->members - 1) / group->members / (rings == 0 ? 1 : rings);
    if (rings == 0) {
        return add_ring(hop_search, NULL, &each, base, diag);
    }
    enum orr_status status = ORR_OK;
    for (uint32_t i = 0; status == ORR_OK && i < graph->rings; i++) {
        if (is_of(&graph->ring[i], group, members_only)) {
            status = add_ring(hop_search, &graph->ring[i], &each, base, diag);
        }
    }
    return status;
}

enum orr_status orr_finder_add_rings(const struct net_graph *graph,
                                     const struct finder_ring_group *group, double *base,
                                     struct orr_diag *diag)
{
    struct hop_search hop_search;
    if (group->members < 2) {
        return ORR_OK;
    }
    enum orr_status status = begin(&hop_search, graph, diag);
    if (status == ORR_OK) {
        status = add_rings(&hop_search, group, base, diag);
    }
    orr_arena_destroy(hop_search.arena);
    return status;
}
