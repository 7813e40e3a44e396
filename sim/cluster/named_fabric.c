/* Builds the network of a fabric text; see named_fabric.h. */
#include "sim/cluster/named_fabric.h"

#include <inttypes.h>
#include <string.h>

#include "et_converter/task_graph_input.h"
#include "network/fabric_build.h"
#include "network/flows/flows.h"
#include "network/graph.h"
#include "network/net_backend.h"
#include "network/net_config.h"
#include "network/net_config_graph.h"
#include "network/route_options.h"
#include "sim/load/find_input.h"
#include "sim/load/platform_network.h"

bool orr_fabric_is_file(const char *text)
{
    const char *dot = strrchr(text, '.');
    return dot != NULL && (orr_net_graph_is_dot(text) || strcmp(dot, ".yml") == 0 ||
                           strcmp(dot, ".yaml") == 0 || strcmp(dot, ".json") == 0);
}

/* Loads the graph of a platform or topology file, which must have enough servers. */
static enum orr_status read_file(const struct orr_fabric *fabric, struct orr_arena *arena,
                                 struct net_graph *network, struct net_route_options *routes,
                                 struct orr_diag *diag)
{
    const struct orr_location place = orr_location_file(fabric->path);
    struct net_config config;
    char library[ORR_INPUT_PATH_BYTES];
    orr_inputs_library(library);
    const struct net_graph_input source = {.path = fabric->path,
                                           .library = library,
                                           .set = fabric->set,
                                           .sets = fabric->sets,
                                           .kind = fabric->kind,
                                           .kind_requested = fabric->kind_requested,
                                           .npus = fabric->servers};
    const enum orr_status status = orr_platform_graph_load(arena, &source, &config, diag);
    if (status != ORR_OK) {
        return status;
    }
    *network = *config.graph;
    *routes = config.routes;
    fabric->flows->windows = true;
    routes->seed = fabric->has_seed ? fabric->seed : config.routes.seed;
    orr_net_config_flows(&config, fabric->flows);
    return network->npus >= fabric->servers
               ? ORR_OK
               : orr_diag_fail(diag, ORR_ERR_INPUT, &place,
                               "the %s needs %" PRIu32 " servers, and the network has "
                               "%" PRIu32 " NPUs",
                               fabric->user, fabric->servers, network->npus);
}

static enum orr_status build(const struct orr_fabric *fabric, struct orr_arena *arena,
                             struct net_graph *network, struct net_route_options *routes,
                             struct orr_diag *diag)
{
    struct net_link_kind kind = fabric->kind;
    const bool own = strcmp(fabric->text, "graph") == 0;
    *routes = (struct net_route_options){.routing = orr_net_routing_for(NET_ROUTES_BY_TABLE),
                                         .seed = fabric->seed};
    if (!own && orr_fabric_is_file(fabric->text)) {
        return read_file(fabric, arena, network, routes, diag);
    }
    const enum orr_status status = orr_reject_lost_sets(
        own ? "that of the task graph" : fabric->text, "network", fabric->set, fabric->sets, diag);
    if (status != ORR_OK) {
        return status;
    }
    if (own) {
        return orr_convert_file_network(fabric->own, arena, kind, network, diag);
    }
    if (!(kind.bytes_per_s > 0)) {
        kind.bytes_per_s = fabric->own->network.bytes_per_s;
    }
    if (!(kind.bytes_per_s > 0)) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL, "%s of links; %s is needed",
                             fabric->no_bandwidth, fabric->bandwidth_key);
    }
    const struct net_fabric named = {
        .text = fabric->text, .npus = fabric->servers, .kind = kind, .seed = fabric->seed};
    return orr_net_build_fabric(&named, arena, network, &routes->routing, diag);
}

static enum orr_status read_rings(const struct orr_fabric *fabric, struct net_graph *network,
                                  struct orr_diag *diag)
{
    if (!orr_net_graph_choose_rings(network, fabric->rings)) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                             "%s: expected " NET_RING_CHOICE_EXPECTED ", got \"%s\"",
                             fabric->rings_key, fabric->rings);
    }
    if (network->totient != 0) {
        orr_net_graph_warn_totient(network, NULL, fabric->rings_key, diag);
    }
    return ORR_OK;
}

enum orr_status orr_fabric_build(const struct orr_fabric *fabric, struct orr_arena *arena,
                                 struct net_graph *network, struct net_route_options *routes,
                                 struct orr_diag *diag)
{
    enum orr_status status = build(fabric, arena, network, routes, diag);
    if (status == ORR_OK && !orr_fabric_is_file(fabric->text)) {
        fabric->flows->windows = true;
    }
    if (status == ORR_OK && fabric->rings != NULL) {
        status = read_rings(fabric, network, diag);
    }
    if (status != ORR_OK || fabric->routing == NULL) {
        return status;
    }
    if (!orr_net_route_options_parse(fabric->routing, routes)) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                             "%s: expected shortest, ecmp, k-shortest, k-shortest:PATHS, "
                             "dimension-order, table or ecmp-pairs, got \"%s\"",
                             fabric->routing_key, fabric->routing);
    }
    if (routes->routing->by_table && network->paths == 0) {
        orr_diag_warn(diag, NULL, "%s: table: %s has no routes; flows take shortest paths",
                      fabric->routing_key, fabric->text);
    }
    return !routes->routing->by_dimension || network->dims != 0
               ? ORR_OK
               : orr_diag_fail(diag, ORR_ERR_INPUT, NULL, "%s: %s has no dimensions",
                               fabric->routing_key, fabric->text);
}
