/* Router: shortest paths, ECMP, tables of paths, k shortest, dimension order; see routing.h.
 * Shortest paths go hop by hop over links to nodes one hop nearer to the destination. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/evq.h"
#include "core/units.h"
#include "network/graph.h"
#include "network/route_options.h"
#include "network/routing/dimension_order.h"
#include "network/routing/k_shortest.h"
#include "network/routing/routing.h"

struct net_router {
    const struct net_graph *graph;
    struct net_reverse reverse;
    enum net_routing routing;
    uint64_t seed;
    struct k_shortest *k_shortest; /* or NULL */
    struct orr_arena *arena;
    uint16_t **hops;      /* [nodes], distances to roots used so far */
    uint32_t *root;       /* [npus]: the NPU, or the switch that is its only neighbour */
    uint32_t *first_path; /* [npus + 1], of TABLE, by source */
    uint32_t *queue, *link;
    const bool *closed; /* [links]; NULL: all are open */
    bool *current;      /* [nodes]: hops[root] excludes the closed links */
    /* The open links by node, outgoing and incoming; NULL: all are open. */
    uint32_t *first_open, *open, *first_open_in, *open_in;
};

static const char *const names[NET_ROUTINGS] = {"shortest",        "ecmp",  "k-shortest",
                                                "dimension-order", "table", "ecmp-pairs"};

const char *orr_net_routing_name(size_t index)
{
    return index < NET_ROUTINGS ? names[index] : NULL;
}

bool orr_net_routing_find(const char *name, enum net_routing *out)
{
    for (size_t i = 0; i < NET_ROUTINGS; i++) {
        if (strcmp(name, names[i]) == 0) {
            *out = (enum net_routing)i;
            return true;
        }
    }
    return false;
}

static void index_paths(struct net_router *router)
{
    const struct net_graph *graph = router->graph;
    for (uint32_t i = 0; i < graph->paths; i++) {
        router->first_path[graph->path[i].from + 1] = i + 1;
    }
    for (uint32_t n = 0; n < graph->nodes; n++) {
        if (router->first_path[n + 1] < router->first_path[n]) {
            router->first_path[n + 1] = router->first_path[n];
        }
    }
}

bool orr_net_route_options_parse(const char *text, struct net_route_options *out)
{
    const size_t length = strcspn(text, ":");
    int64_t paths = 0;
    for (size_t i = 0; i < NET_ROUTINGS; i++) {
        if (strlen(names[i]) != length || strncmp(text, names[i], length) != 0) {
            continue;
        }
        if (text[length] != '\0' &&
            (i != NET_ROUTE_K_SHORTEST || !orr_parse_integer(text + length + 1, &paths) ||
             paths < 1 || paths > NET_MAX_PATHS)) {
            return false;
        }
        out->routing = (enum net_routing)i;
        out->paths = (uint32_t)paths;
        return true;
    }
    return false;
}

/* Prepares what only some kinds of routing need. */
static enum orr_status prepare(struct net_router *router, const struct net_route_options *options,
                               struct orr_diag *diag)
{
    if (router->routing == NET_ROUTE_DIMENSIONS && router->graph->dims == 0) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                             "network: dimension-order routing: expected a stacked topology, a "
                             "torus or a hypercube, got a graph without dimensions");
    }
    if (router->routing != NET_ROUTE_K_SHORTEST) {
        return ORR_OK;
    }
    const uint32_t paths = options->paths == 0 ? NET_DEFAULT_PATHS : options->paths;
    const struct k_shortest_config of = {
        .graph = router->graph, .root = router->root, .paths = paths, .arena = router->arena};
    return orr_k_shortest_create(&router->k_shortest, &of, diag);
}

enum orr_status orr_net_router_create(struct net_router **out, const struct net_graph *graph,
                                      const struct net_route_options *options,
                                      struct orr_arena *arena, struct orr_diag *diag)
{
    struct net_router *router = orr_arena_alloc(arena, sizeof *router);
    if (router == NULL) {
        return orr_diag_no_memory(diag, "the routes of the network");
    }
    *router = (struct net_router){
        .graph = graph,
        .routing = options->routing,
        .seed = options->seed,
        .arena = arena,
        .hops = orr_arena_array(arena, graph->nodes, sizeof *router->hops),
        .root = orr_arena_array(arena, graph->npus, sizeof *router->root),
        .first_path = orr_arena_array(arena, (size_t)graph->nodes + 1, sizeof(uint32_t)),
        .queue = orr_arena_array(arena, graph->nodes, sizeof *router->queue),
        .link = orr_arena_array(arena, (size_t)graph->nodes + 2, sizeof *router->link)};
    if (router->hops == NULL || router->root == NULL || router->first_path == NULL ||
        router->queue == NULL || router->link == NULL) {
        return orr_diag_no_memory(diag, "the routes of the network");
    }
    const enum orr_status status = orr_net_graph_reverse(graph, arena, &router->reverse, diag);
    if (status != ORR_OK) {
        return status;
    }
    orr_net_graph_roots(graph, &router->reverse, router->root);
    index_paths(router);
    *out = router;
    return prepare(router, options, diag);
}

/* Whether the routing chooses among equally short paths. */
static bool uses_ecmp(const struct net_router *router)
{
    return router->routing == NET_ROUTE_ECMP || router->routing == NET_ROUTE_PAIRS;
}

static bool alloc_open_links(struct net_router *router)
{
    const uint32_t nodes = router->graph->nodes, links = router->graph->links;
    struct orr_arena *arena = router->arena;
    router->current = orr_arena_array(arena, nodes, sizeof *router->current);
    router->first_open = orr_arena_array(arena, (size_t)nodes + 1, sizeof *router->first_open);
    router->open = orr_arena_array(arena, (size_t)links + 1, sizeof *router->open);
    router->first_open_in = orr_arena_array(arena, (size_t)nodes + 1, sizeof(uint32_t));
    router->open_in = orr_arena_array(arena, (size_t)links + 1, sizeof *router->open_in);
    return router->first_open_in != NULL && router->open_in != NULL && router->current != NULL &&
           router->first_open != NULL && router->open != NULL;
}

/* Lists the open links in the order of the graph. */
static void list_open(struct net_router *router)
{
    const struct net_graph *graph = router->graph;
    uint32_t *first_in = router->first_open_in, *in = router->open_in;
    uint32_t out = 0, back = 0;
    for (uint32_t node = 0; node < graph->nodes; node++) {
        router->first_open[node] = out;
        first_in[node] = back;
        for (uint32_t i = graph->first_out[node]; i < graph->first_out[node + 1]; i++) {
            router->open[out] = i;
            out += !router->closed[i];
        }
        for (uint32_t i = router->reverse.first_in[node]; i < router->reverse.first_in[node + 1];
             i++) {
            in[back] = router->reverse.in[i];
            back += !router->closed[router->reverse.in[i]];
        }
    }
    router->first_open[graph->nodes] = out;
    first_in[graph->nodes] = back;
}

enum orr_status orr_net_router_avoid(struct net_router *router, const bool *closed)
{
    const uint32_t nodes = router->graph->nodes;
    ORR_ASSERT(router->routing == NET_ROUTE_SHORTEST || uses_ecmp(router));
    if (router->current == NULL && !alloc_open_links(router)) {
        return ORR_ERR_MEMORY;
    }
    memset(router->current, 0, nodes * sizeof *router->current);
    router->closed = closed;
    list_open(router);
    return ORR_OK;
}

static const uint16_t *hops_to(struct net_router *router, uint32_t root)
{
    const bool old = router->closed != NULL && !router->current[root];
    const bool is_new = router->hops[root] == NULL;
    const struct net_reverse open = {.first_in = router->first_open_in, .in = router->open_in};
    if (is_new) {
        router->hops[root] = orr_arena_alloc_raw(
            router->arena, router->graph->nodes * sizeof(uint16_t), sizeof(uint16_t));
    }
    if ((is_new || old) && router->hops[root] != NULL) {
        orr_net_graph_distances(router->graph, router->closed != NULL ? &open : &router->reverse,
                                root, router->hops[root], router->queue);
    }
    if (old) {
        router->current[root] = true;
    }
    return router->hops[root];
}

/* splitmix64's output function. */
static uint64_t mix(uint64_t value)
{
    value = (value ^ (value >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    value = (value ^ (value >> 27)) * UINT64_C(0x94d049bb133111eb);
    return value ^ (value >> 31);
}

static bool is_closed(const struct net_router *router, uint32_t link)
{
    return router->closed != NULL && router->closed[link];
}

/* The links that leave a node, [begin, end): all, or entries of the list of open links. */
struct leaving {
    const uint32_t *open; /* NULL: the index is the link */
    uint32_t begin, end;
};

static struct leaving leaving_links(const struct net_router *router, uint32_t node)
{
    const uint32_t *first = router->closed != NULL ? router->first_open : router->graph->first_out;
    return (struct leaving){.open = router->closed != NULL ? router->open : NULL,
                            .begin = first[node],
                            .end = first[node + 1]};
}

static uint32_t link_of(const struct leaving *leaving, uint32_t at)
{
    return leaving->open != NULL ? leaving->open[at] : at;
}

/* The next link towards the destination; NET_NO_LINK: none. */
static uint32_t next_link(const struct net_router *router, const uint16_t *hops, uint32_t node,
                          uint64_t *draw)
{
    const struct net_link *link = router->graph->link;
    const struct leaving leaving = leaving_links(router, node);
    uint32_t best = NET_NO_LINK, equal = 0;
    for (uint32_t at = leaving.begin; at < leaving.end; at++) {
        const uint32_t i = link_of(&leaving, at);
        if (hops[link[i].to] + 1 != hops[node]) {
            continue;
        }
        if (!uses_ecmp(router)) {
            return i;
        }
        equal++;
        best = best == NET_NO_LINK ? at : best;
    }
    if (equal == 0) {
        return NET_NO_LINK;
    }
    if (equal == 1) {
        return link_of(&leaving, best);
    }
    *draw = mix(*draw + UINT64_C(0x9e3779b97f4a7c15));
    uint32_t pick = (uint32_t)(((*draw >> 32) * equal) >> 32);
    for (uint32_t at = best; at < leaving.end; at++) {
        const uint32_t i = link_of(&leaving, at);
        if (hops[link[i].to] + 1 == hops[node] && pick-- == 0) {
            return i;
        }
    }
    return link_of(&leaving, best);
}

static enum orr_status shortest_path(struct net_router *router, uint32_t src, uint32_t dst,
                                     uint64_t key, struct net_route_links *out)
{
    const struct net_graph *graph = router->graph;
    const uint32_t root = dst < graph->npus ? router->root[dst] : dst;
    const uint16_t *hops = hops_to(router, root);
    if (hops == NULL) {
        return ORR_ERR_MEMORY;
    }
    const uint64_t drawn =
        router->routing == NET_ROUTE_PAIRS ? mix((uint64_t)src << 32 | dst) : key;
    uint64_t draw = mix(drawn ^ router->seed * UINT64_C(0x9e3779b97f4a7c15));
    uint32_t count = 0;
    for (uint32_t node = src; node != root; node = graph->link[router->link[count++]].to) {
        router->link[count] =
            hops[node] == UINT16_MAX ? NET_NO_LINK : next_link(router, hops, node, &draw);
        if (router->link[count] == NET_NO_LINK) {
            return ORR_ERR_INPUT;
        }
    }
    if (root != dst) {
        router->link[count++] = router->reverse.in[router->reverse.first_in[dst]];
        if (is_closed(router, router->link[count - 1])) {
            return ORR_ERR_INPUT;
        }
    }
    *out = (struct net_route_links){.link = router->link, .hops = count};
    return ORR_OK;
}

/* The path of the graph's table at a share (0 to below 1) of the sum of chances of the pair, or
 * NULL. */
static const struct net_path *table_path(const struct net_router *router, uint32_t src,
                                         uint32_t dst, double share)
{
    const struct net_path *path = router->graph->path, *last = NULL;
    const uint32_t end = router->first_path[src + 1];
    uint32_t low = router->first_path[src], high = end;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (path[middle].to < dst) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    double sum = 0;
    for (uint32_t i = low; i < end && path[i].to == dst; i++) {
        sum += path[i].chance;
    }
    double pick = sum * share;
    for (uint32_t i = low; i < end && path[i].to == dst && (last == NULL || pick >= 0); i++) {
        last = &path[i];
        pick -= path[i].chance;
    }
    return last;
}

bool orr_net_router_share(const struct net_router *router, uint32_t src, uint32_t dst, double share,
                          struct net_route_links *out)
{
    const struct net_path *path =
        router->routing == NET_ROUTE_TABLE ? table_path(router, src, dst, share) : NULL;
    if (path != NULL) {
        *out = (struct net_route_links){.link = router->graph->path_link + path->first_link,
                                        .hops = path->hops};
    }
    return path != NULL;
}

static enum orr_status by_table(struct net_router *router, uint32_t src, uint32_t dst, uint64_t key,
                                struct net_route_links *out)
{
    const double share = (double)(mix(mix(key) ^ router->seed) >> 11) * 0x1p-53;
    return orr_net_router_share(router, src, dst, share, out)
               ? ORR_OK
               : shortest_path(router, src, dst, key, out);
}

/* One of the k shortest paths between the switches of the ends, with the links to and from
 * these. */
static enum orr_status by_k_shortest(struct net_router *router, uint32_t src, uint32_t dst,
                                     uint64_t key, struct net_route_links *out)
{
    const struct net_graph *graph = router->graph;
    const uint32_t from = src < graph->npus ? router->root[src] : src;
    const uint32_t to = dst < graph->npus ? router->root[dst] : dst;
    const struct k_shortest_paths *paths = NULL;
    uint32_t count = 0;
    if (from != to) {
        const enum orr_status status = orr_k_shortest_find(router->k_shortest, from, to, &paths);
        if (status != ORR_OK) {
            return status;
        }
    }
    if (from != src) {
        router->link[count++] = graph->first_out[src];
    }
    if (paths != NULL) {
        const uint64_t draw = mix(mix(key) ^ router->seed * UINT64_C(0x9e3779b97f4a7c15));
        const uint32_t pick = (uint32_t)(((draw >> 32) * paths->count) >> 32);
        const uint32_t hops = paths->first[pick + 1] - paths->first[pick];
        memcpy(router->link + count, paths->link + paths->first[pick], hops * sizeof(uint32_t));
        count += hops;
    }
    if (to != dst) {
        router->link[count++] = router->reverse.in[router->reverse.first_in[dst]];
    }
    *out = (struct net_route_links){.link = router->link, .hops = count};
    return ORR_OK;
}

static enum orr_status by_dimensions(struct net_router *router, uint32_t src, uint32_t dst,
                                     uint64_t key, struct net_route_links *out)
{
    const uint32_t hops =
        orr_dimension_order(router->graph, src, dst, key == NET_KEY_BACKWARDS, router->link);
    *out = (struct net_route_links){.link = router->link, .hops = hops};
    return hops != 0 ? ORR_OK : shortest_path(router, src, dst, key, out);
}

enum orr_status orr_net_router_path(struct net_router *router, uint32_t src, uint32_t dst,
                                    uint64_t key, struct net_route_links *out)
{
    if (src == dst) {
        *out = (struct net_route_links){.hops = 0};
        return ORR_OK;
    }
    switch (router->routing) {
    case NET_ROUTE_TABLE:
        return by_table(router, src, dst, key, out);
    case NET_ROUTE_K_SHORTEST:
        return by_k_shortest(router, src, dst, key, out);
    case NET_ROUTE_DIMENSIONS:
        return by_dimensions(router, src, dst, key, out);
    default:
        return shortest_path(router, src, dst, key, out);
    }
}

/* Number of links one hop nearer to the destination. */
static uint32_t count_next_links(const struct net_router *router, const uint16_t *hops,
                                 uint32_t node)
{
    const struct leaving leaving = leaving_links(router, node);
    uint32_t next_links = 0;
    for (uint32_t at = leaving.begin; at < leaving.end; at++) {
        next_links += hops[router->graph->link[link_of(&leaving, at)].to] + 1 == hops[node];
    }
    return next_links;
}

/* If every node of the path has one next link, there is one path. */
static bool has_one_shortest_path(struct net_router *router, uint32_t src, uint32_t dst)
{
    struct net_route_links path;
    if (shortest_path(router, src, dst, 0, &path) != ORR_OK) {
        return false;
    }
    const uint16_t *hops = hops_to(router, router->root[dst]);
    for (uint32_t h = 0; h < path.hops; h++) {
        const uint32_t node = router->graph->link[path.link[h]].from;
        if (node != router->root[dst] && count_next_links(router, hops, node) != 1) {
            return false;
        }
    }
    return true;
}

static bool has_one_table_path(struct net_router *router, uint32_t src, uint32_t dst)
{
    struct net_route_links first, last;
    if (!orr_net_router_share(router, src, dst, 0, &first)) {
        return orr_net_router_path(router, src, dst, 0, &first) == ORR_OK;
    }
    return orr_net_router_share(router, src, dst, 1 - 0x1p-53, &last) && first.link == last.link;
}

static bool has_one_k_shortest_path(struct net_router *router, uint32_t src, uint32_t dst)
{
    const uint32_t from = router->root[src], to = router->root[dst];
    const struct k_shortest_paths *paths = NULL;
    return from == to || (orr_k_shortest_find(router->k_shortest, from, to, &paths) == ORR_OK &&
                          paths->count == 1);
}

bool orr_net_router_depends_on_key(struct net_router *router, uint32_t src, uint32_t dst)
{
    struct net_route_links path;
    switch (router->routing) {
    case NET_ROUTE_SHORTEST:
    case NET_ROUTE_PAIRS:
    case NET_ROUTE_DIMENSIONS:
        return orr_net_router_path(router, src, dst, 0, &path) != ORR_OK;
    case NET_ROUTE_ECMP:
        return !has_one_shortest_path(router, src, dst);
    case NET_ROUTE_TABLE:
        return !has_one_table_path(router, src, dst);
    case NET_ROUTE_K_SHORTEST:
        return !has_one_k_shortest_path(router, src, dst);
    default:
        return true;
    }
}

void orr_net_route_failed(const struct net_graph *graph, uint32_t src, uint32_t dst,
                          enum orr_status status, struct orr_evq *queue)
{
    char from[NET_NODE_BYTES], to[NET_NODE_BYTES];
    if (status != ORR_ERR_INPUT) {
        orr_evq_stop(queue, status);
        return;
    }
    orr_evq_fail(queue,
                 "network: no path of at most %d links leads from %s to %s; longer ones are not "
                 "supported in a graph",
                 UINT16_MAX - 1, orr_net_node_name(graph, src, from),
                 orr_net_node_name(graph, dst, to));
}
