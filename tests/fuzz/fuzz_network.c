/* Fuzz target of network sections: any bytes give a network, or an error with a message. A small
 * graph is then walked: paths and rings are of its links and NPUs, everybody is reached by its
 * routes, and routes for an all-to-all load its links with what goes over them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/conf/conf.h"
#include "network/graph.h"
#include "network/net_config.h"
#include "network/net_config_read.h"
#include "network/routing/routing.h"
#include "planner/finder/routes.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MAX_DIGITS = 3, MAX_NODES = 256, MAX_NPUS = 24 };

/* Whether there are numbers of NPUs that take long to lay. */
static bool is_large(const uint8_t *data, size_t size)
{
    size_t digits = 0;
    for (size_t i = 0; i < size && digits <= MAX_DIGITS; i++) {
        digits = data[i] >= '0' && data[i] <= '9' ? digits + 1 : 0;
    }
    return digits > MAX_DIGITS;
}

static void check_path(const struct net_graph *graph, const uint32_t *link, uint32_t hops,
                       uint32_t from, uint32_t to)
{
    uint32_t node = from;
    for (uint32_t h = 0; h < hops; h++) {
        ORR_ASSERT(link[h] < graph->links && graph->link[link[h]].from == node);
        node = graph->link[link[h]].to;
    }
    ORR_ASSERT(node == to);
}

static void check_paths(const struct net_graph *graph)
{
    for (uint32_t i = 0; i < graph->paths; i++) {
        const struct net_path *path = &graph->path[i];
        ORR_ASSERT(path->hops > 0 && path->chance > 0);
        check_path(graph, graph->path_link + path->first_link, path->hops, path->from, path->to);
    }
}

static void check_rings(const struct net_graph *graph)
{
    for (uint32_t r = 0; r < graph->rings; r++) {
        const struct net_ring *ring = &graph->ring[r];
        for (uint32_t i = 0; ring->member != NULL && i < ring->npus; i++) {
            const uint32_t next = ring->member[(i + 1) % ring->npus];
            ORR_ASSERT(ring->member[i] < graph->npus);
            if (ring->way != 0 && graph->way[ring->way - 1 + i].hops != 0) {
                const struct net_route_links *way = &graph->way[ring->way - 1 + i];
                check_path(graph, way->link, way->hops, ring->member[i], next);
            }
        }
    }
}

/* Everybody reaches everybody by the section's own routes. */
static void walk(const struct net_config *config, struct orr_arena *arena, struct orr_diag *diag)
{
    const struct net_graph *graph = config->graph;
    struct net_router *router = NULL;
    ORR_ASSERT(orr_net_router_create(&router, graph, &config->routes, arena, diag) == ORR_OK);
    for (uint32_t pair = 0; pair < graph->npus * graph->npus; pair++) {
        const uint32_t from = pair / graph->npus, to = pair % graph->npus;
        struct net_route_links path;
        ORR_ASSERT(orr_net_router_path(router, from, to, pair, &path) == ORR_OK);
        check_path(graph, path.link, path.hops, from, to);
    }
}

static void check_routes(const struct net_config *config, struct orr_arena *arena,
                         struct orr_diag *diag)
{
    struct net_graph graph = *config->graph;
    const size_t pairs = (size_t)graph.npus * graph.npus;
    uint64_t *transfers = orr_arena_array(arena, pairs, sizeof *transfers);
    double *even = orr_arena_array(arena, (size_t)graph.links + 1, sizeof *even);
    struct finder_loads min, longer;
    double sum = 0;
    for (size_t i = 0; i < pairs; i++) {
        transfers[i] = i / graph.npus == i % graph.npus ? 0 : 1 + i % 7;
        sum += (double)transfers[i];
    }
    const struct finder_route_options options = {.longer = true};
    ORR_ASSERT(orr_finder_routes(arena, &graph, transfers,
                                 &(struct finder_route_options){.paths = 1}, &min, diag) == ORR_OK);
    check_paths(&graph);
    ORR_ASSERT(orr_finder_routes(arena, &graph, transfers, &options, &longer, diag) == ORR_OK);
    check_paths(&graph);
    ORR_ASSERT(orr_finder_add_even(&graph, transfers, even, diag) == ORR_OK);
    ORR_ASSERT(min.longer == 0 && min.pairs == longer.pairs);
    double divided = 0;
    for (uint32_t l = 0; l < graph.links; l++) {
        divided += even[l];
    }
    ORR_ASSERT(fabs(divided - min.hops_mean * sum) <= 1e-9 * divided);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct orr_arena *arena = orr_arena_create();
    const struct orr_conf *root = NULL;
    struct net_config config;
    struct orr_diag diag;
    orr_diag_init(&diag);
    enum orr_status status = is_large(data, size) ? ORR_ERR_MEMORY
                                                  : orr_conf_parse(arena, (const char *)data, size,
                                                                   "input", &root, &diag);
    if (status == ORR_OK) {
        status = orr_net_config_read(arena, root, &config, &diag);
        ORR_ASSERT(status == ORR_OK || (status == ORR_ERR_INPUT && diag.message[0] != '\0'));
    }
    if (status == ORR_OK && config.graph != NULL && config.graph->nodes <= MAX_NODES) {
        check_paths(config.graph);
        check_rings(config.graph);
        if (config.graph->npus <= MAX_NPUS && config.graph->circuits == NULL) {
            walk(&config, arena, &diag);
            check_routes(&config, arena, &diag);
        }
    }
    orr_arena_destroy(arena);
    return 0;
}
