/* Fuzz target of graphs in DOT: any bytes give a graph that can be routed or told to be in parts,
 * or an error with a message. */
#include "core/arena.h"
#include "core/diag.h"
#include "network/graph.h"
#include "network/graph_metrics.h"
#include "network/graph_source.h"
#include "network/route_options.h"
#include "network/routing/router.h"
#include "network/routing/routing.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MAX_NODES = 4096 };

static void walk(const struct net_graph *graph, struct orr_arena *arena, struct orr_diag *diag)
{
    struct net_router *router = NULL;
    struct net_route_links path;
    const struct net_route_options options = {.routing = &orr_routing_ecmp};
    for (uint32_t i = 0; i < graph->links; i++) {
        const struct net_link *link = &graph->link[i];
        ORR_ASSERT(link->from < graph->nodes && link->to < graph->nodes && link->count >= 1);
        ORR_ASSERT(link->from != link->to && link->bytes_per_s > 0 && link->latency_ps >= 0);
    }
    if (orr_net_graph_check_connected(graph, arena, diag) != ORR_OK) {
        ORR_ASSERT(diag->message[0] != '\0');
        return;
    }
    ORR_ASSERT(orr_net_router_create(&router, graph, &options, arena, diag) == ORR_OK);
    for (uint32_t i = 0; i < graph->npus && i < 64; i++) {
        ORR_ASSERT(orr_net_router_path(router, i, graph->npus - 1 - i, i, &path) == ORR_OK);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct net_dot dot = {
        .file = "input", .text = (const char *)data, .bytes = size, .kind = {.bytes_per_s = 1e9}};
    struct net_graph graph;
    struct orr_diag diag;
    struct orr_arena *arena = orr_arena_create();
    orr_diag_init(&diag);
    const enum orr_status status = orr_net_graph_parse_dot(arena, &dot, &graph, &diag);
    ORR_ASSERT(status == ORR_OK || (status == ORR_ERR_INPUT && diag.message[0] != '\0'));
    if (status == ORR_OK && graph.nodes <= MAX_NODES) {
        walk(&graph, arena, &diag);
    }
    orr_arena_destroy(arena);
    return 0;
}
