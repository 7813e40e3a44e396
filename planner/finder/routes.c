/* Routes of transfers; see routes.h. First each pair is one flow. Then pairs with many bytes,
 * compared with the mean load of a link, are divided into flows of equal bytes; flows of a pair
 * with the same path are one path in the result. The second solution is used only if it reduces the
 * maximum load to `helps_much` of the first, because a message takes one path as a whole, at
 * random, and so balances less than its parts would. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/arena.h"
#include "core/diag.h"
#include "network/graph.h"
#include "network/graph_build.h"
#include "network/routing/routing.h"
#include "planner/finder/route_private.h"

enum { PARTS_OF_A_LINK = 8 }; /* a flow has at most this fraction of a link's mean load */

static const double helps_much = 0.75; /* of the maximum load */

/* ---- flows ---- */

static enum orr_status no_memory(struct orr_diag *diag)
{
    return orr_diag_no_memory(diag, "the routes of transfers");
}

enum orr_status orr_finder_fail_no_path(const struct net_graph *graph, uint32_t from, uint32_t to,
                                        struct orr_diag *diag)
{
    char one[NET_NODE_BYTES], two[NET_NODE_BYTES];
    return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                         "the routes of transfers: no path from %s to %s",
                         orr_net_node_name(graph, from, one), orr_net_node_name(graph, to, two));
}

static bool allocate(struct routing *routing)
{
    struct orr_arena *scratch = routing->scratch;
    const size_t nodes = routing->graph->nodes, links = (size_t)routing->graph->links + 1;
    struct route_walk *walk = &routing->walk;
    routing->hops = orr_arena_array(scratch, routing->graph->npus, sizeof *routing->hops);
    routing->load = orr_arena_array(scratch, links, sizeof(double));
    routing->per_byte = orr_arena_array(scratch, links, sizeof(double));
    walk->visited_by = orr_arena_array(scratch, nodes, sizeof *walk->visited_by);
    walk->depth = orr_arena_array(scratch, nodes, sizeof *walk->depth);
    walk->via = orr_arena_array(scratch, nodes, sizeof *walk->via);
    walk->cost = orr_arena_array(scratch, nodes, sizeof(double));
    walk->frontier = orr_arena_array(scratch, nodes, sizeof *walk->frontier);
    walk->next = orr_arena_array(scratch, nodes, sizeof *walk->next);
    return routing->hops != NULL && routing->load != NULL && routing->per_byte != NULL &&
           walk->visited_by != NULL && walk->depth != NULL && walk->via != NULL &&
           walk->cost != NULL && walk->frontier != NULL && walk->next != NULL;
}

static bool is_sent(const struct routing *routing, const uint64_t *transfers, uint32_t from,
                    uint32_t to)
{
    return from != to && transfers[(size_t)from * routing->graph->npus + to] != 0;
}

/* Computes the hops to an NPU if it receives anything. */
static enum orr_status search_hops(struct routing *routing, const struct net_reverse *reverse,
                                   const uint64_t *transfers, uint32_t to, struct orr_diag *diag)
{
    const struct net_graph *graph = routing->graph;
    for (uint32_t from = 0; from < graph->npus; from++) {
        if (!is_sent(routing, transfers, from, to)) {
            continue;
        }
        if (routing->hops[to] == NULL) {
            routing->hops[to] = orr_arena_alloc_raw(
                routing->scratch, graph->nodes * sizeof(uint16_t), sizeof(uint16_t));
            if (routing->hops[to] == NULL) {
                return no_memory(diag);
            }
            orr_net_graph_distances(graph, reverse, to, routing->hops[to], routing->walk.frontier);
        }
        if (routing->hops[to][from] == UINT16_MAX) {
            return orr_finder_fail_no_path(graph, from, to, diag);
        }
    }
    return ORR_OK;
}

/* Demand of all pairs: their number, and loads if all links were equal. */
struct demand {
    size_t pairs;
    double per_byte, mean; /* of a link: seconds for a byte; mean load in seconds */
};

static struct demand survey(const struct routing *routing, const uint64_t *transfers)
{
    const struct net_graph *graph = routing->graph;
    struct demand demand = {.pairs = 0};
    double carried = 0;
    for (uint32_t from = 0; from < graph->npus; from++) {
        for (uint32_t to = 0; to < graph->npus; to++) {
            if (is_sent(routing, transfers, from, to)) {
                demand.pairs++;
                carried +=
                    (double)transfers[(size_t)from * graph->npus + to] * routing->hops[to][from];
            }
        }
    }
    for (uint32_t l = 0; l < graph->links; l++) {
        demand.per_byte += routing->per_byte[l] / graph->links;
        demand.mean += routing->load[l] / graph->links;
    }
    demand.mean += carried * demand.per_byte / fmax(graph->links, 1);
    return demand;
}

/* Divides the bytes of a pair into flows; false: memory is out. */
static bool cut(struct routing *routing, const struct demand *demand, uint32_t max,
                const struct route_flow *pair, size_t *alloc)
{
    const double wanted = ceil(PARTS_OF_A_LINK * pair->bytes * demand->per_byte / demand->mean);
    routing->cuts |= wanted > 1;
    const uint32_t parts = wanted < max ? (uint32_t)fmax(wanted, 1) : max;
    struct route_flow *flow = orr_arena_grow(routing->scratch, routing->flow, alloc,
                                             routing->flows + parts, sizeof *flow);
    if (flow == NULL) {
        return false;
    }
    routing->flow = flow;
    for (uint32_t p = 0; p < parts; p++) {
        flow[routing->flows] = *pair;
        flow[routing->flows++].bytes /= parts;
    }
    return true;
}

static int by_bytes(const void *left, const void *right)
{
    const struct route_flow *a = left, *b = right;
    if (a->bytes != b->bytes) {
        return a->bytes > b->bytes ? -1 : 1;
    }
    return a->from != b->from ? (a->from > b->from) - (a->from < b->from)
                              : (a->to > b->to) - (a->to < b->to);
}

static bool list_flows(struct routing *routing, const uint64_t *transfers, uint32_t max,
                       struct finder_loads *out)
{
    const uint32_t npus = routing->graph->npus;
    const struct demand demand = survey(routing, transfers);
    size_t alloc = 0;
    bool done = true;
    routing->scale = demand.mean > 0 ? demand.mean : 1;
    out->pairs = demand.pairs;
    for (uint32_t from = 0; done && from < npus; from++) {
        for (uint32_t to = 0; done && to < npus; to++) {
            const struct route_flow pair = {
                .bytes = (double)transfers[(size_t)from * npus + to], .from = from, .to = to};
            done =
                !is_sent(routing, transfers, from, to) || cut(routing, &demand, max, &pair, &alloc);
        }
    }
    if (done && routing->flows > 1) {
        qsort(routing->flow, routing->flows, sizeof *routing->flow, by_bytes);
    }
    return done;
}

static enum orr_status prepare(struct routing *routing, const uint64_t *transfers,
                               struct orr_diag *diag)
{
    const struct net_graph *graph = routing->graph;
    struct net_reverse reverse;
    enum orr_status status = allocate(routing)
                                 ? orr_net_graph_reverse(graph, routing->scratch, &reverse, diag)
                                 : no_memory(diag);
    for (uint32_t l = 0; status == ORR_OK && l < graph->links; l++) {
        routing->per_byte[l] = 1 / net_link_capacity(&graph->link[l]);
    }
    for (uint32_t to = 0; status == ORR_OK && to < graph->npus; to++) {
        status = search_hops(routing, &reverse, transfers, to, diag);
    }
    return status;
}

/* ---- result ---- */

static bool is_same(const struct route_flow *a, const struct route_flow *b)
{
    return a->from == b->from && a->to == b->to && a->hops == b->hops &&
           memcmp(a->link, b->link, a->hops * sizeof *a->link) == 0;
}

/* By pair, then by hops: the order of the paths in the graph. */
static int by_pair(const void *left, const void *right)
{
    const struct route_flow *a = left, *b = right;
    if (a->from != b->from || a->to != b->to) {
        return a->from != b->from ? (a->from > b->from) - (a->from < b->from)
                                  : (a->to > b->to) - (a->to < b->to);
    }
    if (a->hops != b->hops) {
        return a->hops < b->hops ? -1 : 1;
    }
    uint32_t h = 0;
    while (h < a->hops && a->link[h] == b->link[h]) {
        h++;
    }
    return h == a->hops ? 0 : (a->link[h] > b->link[h]) - (a->link[h] < b->link[h]);
}

static bool set_graph_paths(const struct routing *routing, struct orr_arena *arena,
                            struct net_graph *graph)
{
    size_t hops = 0;
    uint32_t paths = 0, links = 0;
    for (size_t i = 0; i < routing->flows; i++) {
        hops += routing->flow[i].hops;
    }
    struct net_path *path = orr_arena_array(arena, routing->flows + 1, sizeof *path);
    uint32_t *link = orr_arena_array(arena, hops + 1, sizeof *link);
    if (path == NULL || link == NULL) {
        return false;
    }
    for (size_t i = 0; i < routing->flows; i++) {
        const struct route_flow *flow = &routing->flow[i];
        if (i != 0 && is_same(flow - 1, flow)) {
            path[paths - 1].chance += 1; /* the flows of a pair have equal bytes */
            continue;
        }
        path[paths++] = (struct net_path){.from = flow->from,
                                          .to = flow->to,
                                          .chance = 1,
                                          .first_link = links,
                                          .hops = flow->hops};
        memcpy(link + links, flow->link, flow->hops * sizeof *link);
        links += flow->hops;
    }
    orr_net_graph_set_paths(graph, path, paths, link);
    return true;
}

static void count(const struct routing *routing, double *bytes, struct finder_loads *out)
{
    double sent = 0, carried = 0;
    memset(bytes, 0, routing->graph->links * sizeof *bytes);
    for (size_t i = 0; i < routing->flows; i++) {
        const struct route_flow *flow = &routing->flow[i];
        /* the last flow of a pair has the most hops */
        const bool last =
            i + 1 == routing->flows || flow[1].from != flow->from || flow[1].to != flow->to;
        out->longer += last && flow->hops > routing->hops[flow->to][flow->from];
        sent += flow->bytes;
        carried += flow->bytes * flow->hops;
        for (uint32_t h = 0; h < flow->hops; h++) {
            bytes[flow->link[h]] += flow->bytes;
        }
    }
    out->hops_mean = sent > 0 ? carried / sent : 0;
    out->transfers = orr_finder_load_of(routing->graph, bytes);
}

static void fill_loads(const struct routing *routing, const double *base, struct finder_loads *out)
{
    double *bytes = routing->load; /* not used any more */
    count(routing, bytes, out);
    for (uint32_t l = 0; base != NULL && l < routing->graph->links; l++) {
        bytes[l] += base[l];
    }
    out->all = orr_finder_load_of(routing->graph, bytes);
}

/* Solves with at most `max` flows a pair; false: memory is out. */
static bool solve(struct routing *routing, const uint64_t *transfers,
                  const struct finder_route_options *options, uint32_t max,
                  struct finder_loads *out)
{
    routing->flow = NULL;
    routing->flows = 0;
    routing->max = 0;
    for (uint32_t l = 0; l < routing->graph->links; l++) {
        routing->load[l] = options->base != NULL ? options->base[l] * routing->per_byte[l] : 0;
    }
    if (!list_flows(routing, transfers, max, out) || !orr_route_search(routing, options->longer)) {
        return false;
    }
    for (uint32_t l = 0; l < routing->graph->links; l++) {
        routing->max = fmax(routing->max, routing->load[l]);
    }
    return true;
}

static enum orr_status find(struct routing *routing, const uint64_t *transfers,
                            const struct finder_route_options *options, struct finder_loads *out,
                            struct orr_diag *diag)
{
    const uint32_t max = options->paths == 0                 ? FINDER_DEFAULT_PATHS
                         : options->paths < FINDER_MAX_PATHS ? options->paths
                                                             : FINDER_MAX_PATHS;
    const enum orr_status status = prepare(routing, transfers, diag);
    if (status != ORR_OK) {
        return status;
    }
    if (!solve(routing, transfers, options, 1, out)) {
        return no_memory(diag);
    }
    const struct routing undivided = *routing;
    if (max > 1 && routing->cuts && !solve(routing, transfers, options, max, out)) {
        return no_memory(diag);
    }
    if (routing->max > helps_much * undivided.max) {
        *routing = undivided;
    }
    if (routing->flows > 1) {
        qsort(routing->flow, routing->flows, sizeof *routing->flow, by_pair);
    }
    fill_loads(routing, options->base, out);
    return ORR_OK;
}

enum orr_status orr_finder_routes(struct orr_arena *arena, struct net_graph *graph,
                                  const uint64_t *transfers,
                                  const struct finder_route_options *options,
                                  struct finder_loads *out, struct orr_diag *diag)
{
    struct routing routing = {.scratch = orr_arena_create(), .graph = graph};
    enum orr_status status = routing.scratch != NULL ? ORR_OK : no_memory(diag);
    *out = (struct finder_loads){.pairs = 0};
    if (graph->circuits != NULL) {
        status = orr_diag_fail(
            diag, ORR_ERR_INPUT, NULL,
            "the routes of transfers: expected a graph with fixed links, got one with circuits");
    }
    if (status == ORR_OK) {
        status = find(&routing, transfers, options, out, diag);
    }
    if (status == ORR_OK && !set_graph_paths(&routing, arena, graph)) {
        status = no_memory(diag);
    }
    orr_arena_destroy(routing.scratch);
    return status;
}
