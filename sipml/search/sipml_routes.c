/* Routes and their links as queues: see sipml_routes.h. */
#include "sipml/search/sipml_routes.h"

#include "core/arena.h"
#include "core/diag.h"
#include "network/graph.h"
#include "network/routing/routing.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static const double PS = 1e12;

/* Latency of a flow: its start, a handshake over the route, the latencies of the links, and the
 * store-and-forward times of packets (docs/models.md, section 4). */
static double latency_of(const struct sipml_network *network, const struct net_route_links *route)
{
    const struct net_flow_model *flows = &network->flows;
    const double packet = (double)flows->packet_bytes, start = (double)flows->start_bytes;
    double latency = (double)flows->start_ps, first = 0;
    for (uint32_t h = 0; h < route->hops; h++) {
        const struct net_link *link = &network->graph->link[route->link[h]];
        const bool passes = net_passes_host(network->graph, route, h);
        const double hop = (double)(link->latency_ps + (passes ? flows->forward_ps : 0));
        latency += start == 0 ? 0 : hop + start / link->bytes_per_s * PS;
        latency += hop + packet / link->bytes_per_s * PS;
        first = fmax(first, packet / link->bytes_per_s * PS);
    }
    return latency - first;
}

static enum orr_status find_links(struct sipml_routes *route_table, uint32_t from, uint32_t to,
                                  struct net_route_links *out)
{
    if (route_table->network->circuits) {
        route_table->direct = orr_net_graph_find(route_table->network->graph, from, to);
        *out = (struct net_route_links){&route_table->direct, route_table->direct != NET_NO_LINK};
        return out->hops != 0 ? ORR_OK : ORR_ERR_INPUT;
    }
    const enum orr_status status = orr_net_router_path(route_table->router, from, to, 0, out);
    return status == ORR_OK && out->hops == 0 ? ORR_ERR_INPUT : status;
}

/* ---- rings between groups ---- */

/* The devices at which ring edges begin, and the directions of rings. With circuits only the first
 * group counts, because the others are equal. With two groups both directions are the same edge. */
struct ring_edges {
    uint32_t devices, directions;
};

static struct ring_edges ring_edges_of(const struct sipml_routes *route_table)
{
    const uint32_t copies = route_table->copies;
    const uint32_t groups = copies == 1 ? 0 : route_table->network->circuits ? 1 : copies;
    return (struct ring_edges){route_table->group * groups,
                               route_table->network->bidirectional && copies > 2 ? 2 : 1};
}

static enum orr_status ring_edge(struct sipml_routes *route_table, uint32_t device, bool back,
                                 struct net_route_links *out, struct orr_diag *diag)
{
    const uint32_t devices = route_table->group * route_table->copies;
    const uint32_t on = back ? devices - route_table->group : route_table->group;
    const uint32_t next = (device + on) % devices;
    const enum orr_status status = find_links(route_table, device, next, out);
    return status == ORR_OK || route_table->network->circuits /* no weights: nothing is reduced */
               ? ORR_OK
               : orr_diag_fail(diag, status, NULL,
                               "no route in the network from device %" PRIu32 " to %" PRIu32,
                               device, next);
}

/* Adds one edge of a ring: its share of each link bounds the rate, its latency the latency. */
static void share_edge(struct sipml_routes *route_table, const struct net_route_links *edge,
                       double *rate)
{
    const struct net_link *link = route_table->network->graph->link;
    for (uint32_t h = 0; h < edge->hops; h++) {
        *rate = fmin(*rate,
                     net_link_capacity(&link[edge->link[h]]) / route_table->rings[edge->link[h]]);
    }
    route_table->ring_latency_ps =
        fmax(route_table->ring_latency_ps, latency_of(route_table->network, edge));
}

static enum orr_status find_rings(struct sipml_routes *route_table, struct orr_diag *diag)
{
    const struct ring_edges ring_edges = ring_edges_of(route_table);
    const uint32_t all = ring_edges.devices * ring_edges.directions;
    struct net_route_links edge;
    enum orr_status status = ORR_OK;
    for (uint32_t i = 0; i < all && status == ORR_OK; i++) {
        status =
            ring_edge(route_table, i % ring_edges.devices, i >= ring_edges.devices, &edge, diag);
        for (uint32_t h = 0; status == ORR_OK && h < edge.hops; h++) {
            route_table->rings[edge.link[h]]++;
        }
    }
    for (uint32_t i = 0; i < all && status == ORR_OK; i++) {
        status =
            ring_edge(route_table, i % ring_edges.devices, i >= ring_edges.devices, &edge, diag);
        if (status == ORR_OK) {
            share_edge(route_table, &edge, &route_table->ring_bytes_per_s[i % route_table->group]);
        }
    }
    for (uint32_t i = 0; i < route_table->group; i++) {
        route_table->ring_bytes_per_s[i] *= ring_edges.directions;
    }
    return status;
}

enum orr_status orr_sipml_routes_init(struct sipml_routes *route_table, struct orr_arena *arena,
                                      const struct sipml_network *network, uint32_t group,
                                      uint32_t copies, struct orr_diag *diag)
{
    const size_t links = (size_t)network->graph->links + 1;
    *route_table = (struct sipml_routes){
        .network = network,
        .arena = arena,
        .group = group,
        .copies = copies,
        .route = orr_arena_array(arena, (size_t)group * group, sizeof *route_table->route),
        .free_ps = orr_arena_array(arena, links, sizeof *route_table->free_ps),
        .rings = orr_arena_array(arena, links, sizeof *route_table->rings),
        .ring_bytes_per_s = orr_arena_array(arena, group, sizeof *route_table->ring_bytes_per_s)};
    if (route_table->route == NULL || route_table->free_ps == NULL || route_table->rings == NULL ||
        route_table->ring_bytes_per_s == NULL) {
        return orr_diag_no_memory(diag, "the routes of an estimate");
    }
    for (uint32_t i = 0; i < group; i++) {
        route_table->ring_bytes_per_s[i] = INFINITY;
    }
    const enum orr_status status = network->circuits
                                       ? ORR_OK
                                       : orr_net_router_create(&route_table->router, network->graph,
                                                               &network->routes, arena, diag);
    return status == ORR_OK ? find_rings(route_table, diag) : status;
}

/* ---- routes of a group ---- */

static uint32_t *reserve_links(struct sipml_routes *route_table, uint32_t hops)
{
    if (route_table->alloc - route_table->links < hops) {
        const size_t alloc = 2 * route_table->alloc + hops + 64;
        uint32_t *link = orr_arena_array(route_table->arena, alloc, sizeof *link);
        if (link == NULL) {
            return NULL;
        }
        if (route_table->links != 0) {
            memcpy(link, route_table->link, route_table->links * sizeof *link);
        }
        route_table->link = link;
        route_table->alloc = alloc;
    }
    return route_table->link + route_table->links;
}

const struct sipml_route *orr_sipml_route(struct sipml_routes *route_table, uint32_t from,
                                          uint32_t to)
{
    struct sipml_route *route = &route_table->route[(size_t)from * route_table->group + to];
    struct net_route_links found;
    if (route->hops != 0) {
        return route;
    }
    if (find_links(route_table, from, to, &found) != ORR_OK) {
        return NULL;
    }
    uint32_t *alloc = reserve_links(route_table, found.hops);
    if (alloc == NULL || route_table->links > UINT32_MAX - found.hops) {
        return NULL;
    }
    memcpy(alloc, found.link, found.hops * sizeof *alloc);
    *route = (struct sipml_route){(uint32_t)route_table->links, found.hops,
                                  latency_of(route_table->network, &found)};
    route_table->links += found.hops;
    return route;
}

double orr_sipml_route_bytes_per_s(const struct sipml_routes *route_table,
                                   const struct sipml_route *route)
{
    double min = INFINITY;
    for (uint32_t h = 0; h < route->hops; h++) {
        const uint32_t link = route_table->link[route->first + h];
        min = fmin(min, net_link_capacity(&route_table->network->graph->link[link]));
    }
    return min;
}

/* Counts the pairs of the group that use each link. False: no route. */
static bool count_pairs(struct sipml_routes *route_table, double *pairs)
{
    for (uint32_t i = 0; i < route_table->group * route_table->group; i++) {
        const uint32_t from = i / route_table->group, to = i % route_table->group;
        const struct sipml_route *route =
            from != to ? orr_sipml_route(route_table, from, to) : NULL;
        if (from != to && route == NULL) {
            return false;
        }
        for (uint32_t h = 0; from != to && h < route->hops; h++) {
            pairs[route_table->link[route->first + h]]++;
        }
    }
    return true;
}

static bool find_scatter(struct sipml_routes *route_table)
{
    const struct net_graph *graph = route_table->network->graph;
    double *pairs = orr_arena_array(route_table->arena, (size_t)graph->links + 1, sizeof *pairs);
    double *scatter = orr_arena_array(route_table->arena, route_table->group, sizeof *scatter);
    if (pairs == NULL || scatter == NULL || !count_pairs(route_table, pairs)) {
        return false;
    }
    for (uint32_t i = 0; i < route_table->group * route_table->group; i++) {
        const uint32_t from = i / route_table->group;
        const struct sipml_route *route =
            &route_table->route[i]; /* no hops from a device to itself */
        for (uint32_t h = 0; h < route->hops; h++) {
            const uint32_t link = route_table->link[route->first + h];
            const double each = net_link_capacity(&graph->link[link]) / pairs[link];
            scatter[from] = fmax(scatter[from], PS / each / (route_table->group - 1));
        }
    }
    route_table->scatter_ps = scatter;
    return true;
}

double orr_sipml_route_scatter(struct sipml_routes *route_table, uint32_t device)
{
    return route_table->scatter_ps != NULL || find_scatter(route_table)
               ? route_table->scatter_ps[device]
               : -1;
}

double orr_sipml_route_scatter_direct(struct sipml_routes *route_table, uint32_t device,
                                      const uint32_t *member, uint32_t members)
{
    double longest = 0;
    for (uint32_t i = 0; i < members; i++) {
        const struct sipml_route *route =
            member[i] != device ? orr_sipml_route(route_table, device, member[i]) : NULL;
        if (member[i] != device && route == NULL) {
            return -1;
        }
        if (route != NULL) {
            longest =
                fmax(longest, PS / orr_sipml_route_bytes_per_s(route_table, route) / (members - 1));
        }
    }
    return longest;
}

double orr_sipml_route_send(struct sipml_routes *route_table, const struct sipml_route *route,
                            double bytes, double ready_ps, double rings)
{
    double end = ready_ps;
    for (uint32_t h = 0; h < route->hops; h++) {
        const uint32_t link = route_table->link[route->first + h];
        const double capacity = net_link_capacity(&route_table->network->graph->link[link]);
        double *free_ps = &route_table->free_ps[link];
        const double shared =
            *free_ps <= ready_ps ? 1 + rings * (double)route_table->rings[link] : 1;
        *free_ps = fmax(*free_ps, ready_ps) + bytes / capacity * PS * shared;
        end = fmax(end, *free_ps);
    }
    return end + route->latency_ps;
}
