/* The graph of a file, with its includes and values set: see network.h. */
#include <string.h>

#include "core/conf/conf.h"
#include "network/graph_build.h"
#include "network/graph_source.h"
#include "network/net_config.h"
#include "network/net_config_graph.h"
#include "network/net_config_read.h"
#include "network/route_options.h"

/* Adds the bandwidth and latency of options where the file gives none; a design gives those of its
 * links. */
static enum orr_status add_defaults(struct orr_arena *arena, const struct orr_conf **root,
                                    struct net_link_kind kind, struct orr_diag *diag)
{
    const struct orr_conf *network = orr_conf_get(*root, "network");
    const struct orr_conf *graph = network != NULL ? orr_conf_get(network, "graph") : NULL;
    enum orr_status status = ORR_OK;
    if (graph == NULL || orr_conf_get(network, "design") != NULL) {
        return ORR_OK;
    }
    if (kind.bytes_per_s > 0 && orr_conf_get(graph, "bandwidth") == NULL) {
        status = orr_conf_set(
            arena, *root,
            orr_arena_printf(arena, "network.graph.bandwidth=%.17g B/s", kind.bytes_per_s), root,
            diag);
    }
    if (status == ORR_OK && orr_conf_get(graph, "latency") == NULL) {
        status = orr_conf_set(
            arena, *root,
            orr_arena_printf(arena, "network.graph.latency=%lld ps", (long long)kind.latency_ps),
            root, diag);
    }
    return status;
}

static enum orr_status load_dot(struct orr_arena *arena, const struct net_graph_input *source,
                                struct net_config *config, struct orr_diag *diag)
{
    struct net_graph *graph = orr_arena_alloc(arena, sizeof *graph);
    if (graph == NULL) {
        return orr_diag_no_memory(diag, "the graph of the network");
    }
    *config = (struct net_config){.graph = graph, .routes = {.seed = 1}};
    return orr_net_graph_read_dot(arena, source->path, source->kind, graph, diag);
}

/* Loads the file with its includes, the values set and the defaults. */
static enum orr_status load_conf(struct orr_arena *arena, const struct net_graph_input *source,
                                 const struct orr_conf **root, struct orr_diag *diag)
{
    enum orr_status status =
        orr_conf_load_composed(arena, source->path, source->library, root, diag);
    for (size_t i = 0; i < source->sets && status == ORR_OK; i++) {
        status = orr_conf_set(arena, *root, source->set[i], root, diag);
    }
    return status == ORR_OK ? add_defaults(arena, root, source->kind, diag) : status;
}

static void warn_design(const struct net_graph_input *source, const struct orr_conf *section,
                        struct orr_diag *diag)
{
    const struct orr_conf *design = orr_conf_get(section, "design");
    orr_net_design_warn(section, diag);
    if (design != NULL && source->kind_requested) {
        const struct orr_location place = orr_conf_location(design);
        orr_diag_warn(diag, &place,
                      "%s gives its links' bandwidth and latency; those of options do nothing",
                      design->path);
    }
}

enum orr_status orr_net_graph_load(struct orr_arena *arena, const struct net_graph_input *source,
                                   struct net_config *config, struct orr_diag *diag)
{
    const struct orr_conf *root = NULL;
    if (orr_net_graph_is_dot(source->path)) {
        return load_dot(arena, source, config, diag);
    }
    enum orr_status status = load_conf(arena, source, &root, diag);
    if (status != ORR_OK) {
        return status;
    }
    const struct orr_conf *section = orr_conf_get(root, "network");
    if (section == NULL) {
        const struct orr_location place = orr_location_file(source->path);
        return orr_diag_fail(diag, ORR_ERR_INPUT, &place, "expected a network section, got none");
    }
    const struct net_config_input input = {
        .arena = arena, .map = section, .own = {.npus = source->npus}};
    status = orr_net_config_read_for(&input, config, diag);
    if (status == ORR_OK) {
        warn_design(source, section, diag);
    }
    return status == ORR_OK ? orr_net_config_make_graph(arena, config, diag) : status;
}

enum orr_status orr_net_config_make_graph(struct orr_arena *arena, struct net_config *config,
                                          struct orr_diag *diag)
{
    if (config->graph != NULL) {
        return ORR_OK;
    }
    struct net_graph *graph = orr_arena_alloc(arena, sizeof *graph);
    if (graph == NULL) {
        return orr_diag_no_memory(diag, "the graph of the network");
    }
    const enum orr_status status = orr_net_build_blocks(arena, config, graph, diag);
    config->graph = graph;
    config->routes.routing = orr_net_routing_for(NET_ROUTES_BY_DIMENSION);
    return status;
}
