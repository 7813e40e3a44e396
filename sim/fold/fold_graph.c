/* Symmetry of graphs for the fold of collectives; see fold_graph.h. */
#include "sim/fold/fold_graph.h"

#include "core/arena.h"
#include "core/diag.h"
#include "network/graph.h"
#include "network/graph_rotation.h"
#include "network/net_config.h"
#include "network/routing/routing.h"

static bool is_equivalent(void *context, struct orr_rank src, struct orr_rank dst, bool backwards)
{
    struct fold_graph *graph = context;
    bool turns = true;
    for (unsigned d = 0; d < graph->fold->digits && turns; d++) {
        turns = !graph->fold->digit[d].folded ||
                orr_fold_route_rotates(&graph->digit_routes[d], src, dst, backwards);
    }
    return turns;
}

enum orr_status orr_fold_graph_open(struct fold_graph *graph, const struct net_config *network,
                                    const struct orr_fold *fold, const char **why,
                                    struct orr_diag *diag)
{
    *graph = (struct fold_graph){.network = network, .arena = orr_arena_create(), .fold = fold};
    graph->planner_routes =
        (struct sys_route_symmetry){.is_equivalent = is_equivalent, .context = graph};
    if (graph->arena == NULL) {
        return orr_diag_no_memory(diag, "the routes of the network");
    }
    const enum orr_status status =
        orr_net_router_create(&graph->router, network->graph, &network->routes, graph->arena, diag);
    for (unsigned d = 0; d < fold->digits && status == ORR_OK; d++) {
        const struct orr_fold_digit *digit = &fold->digit[d];
        const struct net_rotation rotation = {
            .stride = digit->stride, .size = digit->size, .step = 1};
        why[d] = orr_fold_routes_open(&graph->digit_routes[d], network, graph->router, &rotation,
                                      graph->arena);
    }
    return status == ORR_OK && orr_fold_graph_failed(graph)
               ? orr_diag_no_memory(diag, "the routes of the network")
               : status;
}

bool orr_fold_graph_failed(const struct fold_graph *graph)
{
    bool failed = false;
    for (unsigned d = 0; d < graph->fold->digits; d++) {
        failed |= graph->digit_routes[d].no_memory;
    }
    return failed;
}

void orr_fold_graph_close(struct fold_graph *graph)
{
    orr_arena_destroy(graph->arena);
}

enum orr_status orr_fold_graph_fits(const struct net_graph *graph, const struct orr_fold *fold,
                                    bool *fits, struct orr_diag *diag)
{
    uint32_t *representative = orr_heap_calloc((size_t)graph->links + 1, sizeof *representative);
    const enum orr_status status = representative != NULL
                                       ? orr_net_graph_representatives(graph, fold, representative)
                                       : ORR_ERR_MEMORY;
    orr_heap_free(representative);
    *fits = status == ORR_OK;
    return status == ORR_ERR_MEMORY ? orr_diag_no_memory(diag, "the fold") : ORR_OK;
}
