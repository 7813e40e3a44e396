/* Ways and their links as queues: see sipml_routes.h. */
#include "planner/sipml/sipml_routes.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static const double PS = 1e12;

/* What a flow takes beside its bytes on the narrowest link: its start, a handshake over the way,
 * the latencies, and packets that nodes pass on as a whole (docs/models.md, section 4). */
static double latency_of(const struct sipml_network *network, const struct net_route_links *way)
{
    const struct net_flow_model *flows = &network->flows;
    const double packet = (double)flows->packet_bytes, start = (double)flows->start_bytes;
    double latency = (double)flows->start_ps, first = 0;
    for (uint32_t h = 0; h < way->hops; h++) {
        const struct net_link *link = &network->graph->link[way->link[h]];
        const bool passes = net_passes_host(network->graph, way, h);
        const double hop = (double)(link->latency_ps + (passes ? flows->forward_ps : 0));
        latency += start == 0 ? 0 : hop + start / link->bytes_per_s * PS;
        latency += hop + packet / link->bytes_per_s * PS;
        first = fmax(first, packet / link->bytes_per_s * PS);
    }
    return latency - first;
}

static enum orr_status find(struct sipml_routes *ways, uint32_t from, uint32_t to,
                            struct net_route_links *out)
{
    if (ways->network->circuits) {
        ways->direct = orr_net_graph_find(ways->network->graph, from, to);
        *out = (struct net_route_links){&ways->direct, ways->direct != NET_NO_LINK};
        return out->hops != 0 ? ORR_OK : ORR_ERR_INPUT;
    }
    const enum orr_status status = orr_net_router_path(ways->router, from, to, 0, out);
    return status == ORR_OK && out->hops == 0 ? ORR_ERR_INPUT : status;
}

/* ---- rings between groups ---- */

/* Of one ring, or of two, that begin at a device: the first group's with circuits, as the others'
 * are alike. Two groups are next to each other either way. */
struct edges {
    uint32_t devices, directions;
};

static struct edges edges_of(const struct sipml_routes *ways)
{
    const uint32_t copies = ways->copies;
    const uint32_t groups = copies == 1 ? 0 : ways->network->circuits ? 1 : copies;
    return (struct edges){ways->group * groups, ways->network->both_ways && copies > 2 ? 2 : 1};
}

static enum orr_status ring_edge(struct sipml_routes *ways, uint32_t device, bool back,
                                 struct net_route_links *out, struct orr_diag *diag)
{
    const uint32_t devices = ways->group * ways->copies;
    const uint32_t on = back ? devices - ways->group : ways->group;
    const uint32_t next = (device + on) % devices;
    const enum orr_status status = find(ways, device, next, out);
    return status == ORR_OK || ways->network->circuits /* without weights: it reduces nothing */
               ? ORR_OK
               : orr_diag_fail(diag, status, NULL,
                               "no way in the network from device %" PRIu32 " to %" PRIu32, device,
                               next);
}

/* What a ring has of one of its edges, and how long that takes. */
static void share_edge(struct sipml_routes *ways, const struct net_route_links *edge, double *rate)
{
    const struct net_link *link = ways->network->graph->link;
    for (uint32_t h = 0; h < edge->hops; h++) {
        *rate = fmin(*rate, net_link_capacity(&link[edge->link[h]]) / ways->rings[edge->link[h]]);
    }
    ways->ring_latency_ps = fmax(ways->ring_latency_ps, latency_of(ways->network, edge));
}

static enum orr_status find_rings(struct sipml_routes *ways, struct orr_diag *diag)
{
    const struct edges edges = edges_of(ways);
    const uint32_t all = edges.devices * edges.directions;
    struct net_route_links edge;
    enum orr_status status = ORR_OK;
    for (uint32_t i = 0; i < all && status == ORR_OK; i++) {
        status = ring_edge(ways, i % edges.devices, i >= edges.devices, &edge, diag);
        for (uint32_t h = 0; status == ORR_OK && h < edge.hops; h++) {
            ways->rings[edge.link[h]]++;
        }
    }
    for (uint32_t i = 0; i < all && status == ORR_OK; i++) {
        status = ring_edge(ways, i % edges.devices, i >= edges.devices, &edge, diag);
        if (status == ORR_OK) {
            share_edge(ways, &edge, &ways->ring_bytes_per_s[i % ways->group]);
        }
    }
    for (uint32_t i = 0; i < ways->group; i++) {
        ways->ring_bytes_per_s[i] *= edges.directions;
    }
    return status;
}

enum orr_status orr_sipml_routes_init(struct sipml_routes *ways, struct orr_arena *arena,
                                      const struct sipml_network *network, uint32_t group,
                                      uint32_t copies, struct orr_diag *diag)
{
    const size_t links = (size_t)network->graph->links + 1;
    *ways = (struct sipml_routes){
        .network = network,
        .arena = arena,
        .group = group,
        .copies = copies,
        .way = orr_arena_array(arena, (size_t)group * group, sizeof *ways->way),
        .free_ps = orr_arena_array(arena, links, sizeof *ways->free_ps),
        .rings = orr_arena_array(arena, links, sizeof *ways->rings),
        .ring_bytes_per_s = orr_arena_array(arena, group, sizeof *ways->ring_bytes_per_s)};
    if (ways->way == NULL || ways->free_ps == NULL || ways->rings == NULL ||
        ways->ring_bytes_per_s == NULL) {
        return orr_diag_no_memory(diag, "the ways of an estimate");
    }
    for (uint32_t i = 0; i < group; i++) {
        ways->ring_bytes_per_s[i] = INFINITY;
    }
    const enum orr_status status =
        network->circuits
            ? ORR_OK
            : orr_net_router_create(&ways->router, network->graph, &network->routes, arena, diag);
    return status == ORR_OK ? find_rings(ways, diag) : status;
}

/* ---- ways of a group ---- */

static uint32_t *room_for(struct sipml_routes *ways, uint32_t hops)
{
    if (ways->room - ways->links < hops) {
        const size_t room = 2 * ways->room + hops + 64;
        uint32_t *link = orr_arena_array(ways->arena, room, sizeof *link);
        if (link == NULL) {
            return NULL;
        }
        if (ways->links != 0) {
            memcpy(link, ways->link, ways->links * sizeof *link);
        }
        ways->link = link;
        ways->room = room;
    }
    return ways->link + ways->links;
}

const struct sipml_route *orr_sipml_route(struct sipml_routes *ways, uint32_t from, uint32_t to)
{
    struct sipml_route *way = &ways->way[(size_t)from * ways->group + to];
    struct net_route_links found;
    if (way->hops != 0) {
        return way;
    }
    if (find(ways, from, to, &found) != ORR_OK) {
        return NULL;
    }
    uint32_t *room = room_for(ways, found.hops);
    if (room == NULL || ways->links > UINT32_MAX - found.hops) {
        return NULL;
    }
    memcpy(room, found.link, found.hops * sizeof *room);
    *way =
        (struct sipml_route){(uint32_t)ways->links, found.hops, latency_of(ways->network, &found)};
    ways->links += found.hops;
    return way;
}

double orr_sipml_route_bytes_per_s(const struct sipml_routes *ways, const struct sipml_route *way)
{
    double min = INFINITY;
    for (uint32_t h = 0; h < way->hops; h++) {
        const uint32_t link = ways->link[way->first + h];
        min = fmin(min, net_link_capacity(&ways->network->graph->link[link]));
    }
    return min;
}

/* Pairs of the group over each link; false: no way. */
static bool count_pairs(struct sipml_routes *ways, double *pairs)
{
    for (uint32_t i = 0; i < ways->group * ways->group; i++) {
        const uint32_t from = i / ways->group, to = i % ways->group;
        const struct sipml_route *way = from != to ? orr_sipml_route(ways, from, to) : NULL;
        if (from != to && way == NULL) {
            return false;
        }
        for (uint32_t h = 0; from != to && h < way->hops; h++) {
            pairs[ways->link[way->first + h]]++;
        }
    }
    return true;
}

static bool find_spread(struct sipml_routes *ways)
{
    const struct net_graph *graph = ways->network->graph;
    double *pairs = orr_arena_array(ways->arena, (size_t)graph->links + 1, sizeof *pairs);
    double *spread = orr_arena_array(ways->arena, ways->group, sizeof *spread);
    if (pairs == NULL || spread == NULL || !count_pairs(ways, pairs)) {
        return false;
    }
    for (uint32_t i = 0; i < ways->group * ways->group; i++) {
        const uint32_t from = i / ways->group;
        const struct sipml_route *way = &ways->way[i]; /* of a device to itself: none */
        for (uint32_t h = 0; h < way->hops; h++) {
            const uint32_t link = ways->link[way->first + h];
            const double each = net_link_capacity(&graph->link[link]) / pairs[link];
            spread[from] = fmax(spread[from], PS / each / (ways->group - 1));
        }
    }
    ways->spread_ps = spread;
    return true;
}

double orr_sipml_route_spread(struct sipml_routes *ways, uint32_t device)
{
    return ways->spread_ps != NULL || find_spread(ways) ? ways->spread_ps[device] : -1;
}

double orr_sipml_route_split(struct sipml_routes *ways, uint32_t device, const uint32_t *member,
                             uint32_t members)
{
    double longest = 0;
    for (uint32_t i = 0; i < members; i++) {
        const struct sipml_route *way =
            member[i] != device ? orr_sipml_route(ways, device, member[i]) : NULL;
        if (member[i] != device && way == NULL) {
            return -1;
        }
        if (way != NULL) {
            longest = fmax(longest, PS / orr_sipml_route_bytes_per_s(ways, way) / (members - 1));
        }
    }
    return longest;
}

double orr_sipml_route_send(struct sipml_routes *ways, const struct sipml_route *way, double bytes,
                            double ready_ps, double rings)
{
    double end = ready_ps;
    for (uint32_t h = 0; h < way->hops; h++) {
        const uint32_t link = ways->link[way->first + h];
        const double capacity = net_link_capacity(&ways->network->graph->link[link]);
        double *free_ps = &ways->free_ps[link];
        const double shared = *free_ps <= ready_ps ? 1 + rings * (double)ways->rings[link] : 1;
        *free_ps = fmax(*free_ps, ready_ps) + bytes / capacity * PS * shared;
        end = fmax(end, *free_ps);
    }
    return end + way->latency_ps;
}
