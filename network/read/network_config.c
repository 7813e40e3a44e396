/* The `network` section of a platform file: dimensions with their units written out. */
#include <stdio.h>
#include <string.h>

#include "core/conf/conf.h"
#include "core/conf/conf_read.h"
#include "core/strings.h"
#include "network/coordinates.h"
#include "network/graph.h"
#include "network/graph_source.h"
#include "network/net_backend.h"
#include "network/net_config.h"
#include "network/net_config_cost.h"
#include "network/net_config_graph.h"
#include "network/net_config_read.h"
#include "network/net_dims.h"
#include "network/notation.h"
#include "network/read/backend_keys.h"
#include "network/read/network_design.h"
#include "network/read/network_section.h"
#include "network/route_options.h"

enum { WHY_BYTES = 256 };

/* Index into a list with one entry for all dimensions or one for each. */
static size_t entry(const struct orr_conf_list *list, unsigned d)
{
    return list->count == 1 ? 0 : d;
}

static enum orr_status check_mesh(const struct orr_conf *dim, const struct dim_section *values,
                                  struct orr_diag *diag)
{
    const struct orr_conf *npus = orr_conf_get(dim, "npus");
    if (values->block != NET_MESH || values->npus > 1) {
        return ORR_OK;
    }
    return orr_conf_expected(npus != NULL ? npus : dim, "2 or more NPUs, as a mesh has links",
                             diag);
}

static void fill_dim(struct net_dim *dim, const struct dim_section *values)
{
    *dim = (struct net_dim){.block = (enum net_block)values->block,
                            .npus = (uint32_t)values->npus,
                            .bandwidth_bytes_per_s = values->bandwidth,
                            .latency_ps = values->latency,
                            .per_npu = values->bandwidth_is == 1,
                            .reduces = values->reduces && values->block == NET_SWITCH,
                            .given_bytes_per_ns = values->bandwidth / 1e9,
                            .given_latency_ns = (double)values->latency / 1e3};
}

/* Reads a dimension from network.dims[d] or from the lists of the section. */
static enum orr_status read_dim(const struct network_section *network_section, unsigned d,
                                struct net_dim *dim, struct orr_diag *diag)
{
    const bool shaped = network_section->topology != NULL;
    const sim_time *latency = network_section->latency.values;
    struct dim_section values = {.block = (unsigned)dim->block,
                                 .npus = dim->npus,
                                 .bandwidth_is = network_section->bandwidth_is,
                                 .reduces = network_section->reduces,
                                 .latency = latency[entry(&network_section->latency, d)]};
    enum orr_status status = ORR_OK;
    if (network_section->dims.count == 0) {
        const double *bandwidth = network_section->bandwidth.values;
        values.bandwidth = bandwidth[entry(&network_section->bandwidth, d)];
    } else {
        const struct orr_conf *const *entries = network_section->dims.values;
        status = orr_conf_read(
            entries[d], shaped ? "a dimension whose shape network.topology gives" : "a dimension",
            orr_net_dim_table.keys + (shaped ? NET_SHAPE_KEYS : 0),
            orr_net_dim_table.count - (shaped ? NET_SHAPE_KEYS : 0), &values, diag);
        status = status == ORR_OK ? check_mesh(entries[d], &values, diag) : status;
    }
    fill_dim(dim, &values);
    return status;
}

static enum orr_status fail_key(const struct orr_conf *map, const char *key, const char *why,
                                struct orr_diag *diag)
{
    const struct orr_conf *node = orr_conf_get(map, key);
    const struct orr_location place = orr_conf_key_location(node);
    return orr_diag_fail(diag, ORR_ERR_INPUT, &place, "%s: %s", node->path, why);
}

static bool supports_graphs(const struct net_ops *ops)
{
    return ops->links != NULL;
}

static bool supports_capacity_changes(const struct net_ops *ops)
{
    return ops->capacities != NULL;
}

/* Fails if keys of dimensions are combined with a graph, or if the backend does not support the
 * graph. */
static enum orr_status check_graph(const struct orr_conf *map,
                                   const struct network_section *network_section,
                                   struct orr_diag *diag)
{
    static const char *const of_dims[] = {"bandwidth", "latency", "bandwidth_is", "reduces",
                                          "dims"};
    for (size_t i = 0; i < sizeof of_dims / sizeof *of_dims; i++) {
        if (orr_conf_get(map, of_dims[i]) != NULL) {
            return fail_key(map, of_dims[i],
                            network_section->design != NULL
                                ? "network.design gives its links' own; remove one of the two"
                                : "network.graph gives its links' own; remove one of the two",
                            diag);
        }
    }
    if (orr_conf_get(map, "npus") != NULL) {
        return fail_key(map, "npus",
                        "dimensions are scaled; a graph has its own, such as graph: {npus: 64, "
                        "fabric: fat-tree, bandwidth: 100 Gb/s}",
                        diag);
    }
    if (network_section->backend == NULL) {
        return ORR_OK;
    }
    char why[WHY_BYTES], names[WHY_BYTES / 2];
    const struct net_ops *ops = orr_net_backend_find(network_section->backend);
    if (ops->links == NULL) {
        (void)snprintf(why, sizeof why, "this backend does not support graphs; expected %s",
                       orr_net_backends_that(supports_graphs, " or ", names, sizeof names));
        return fail_key(map, "backend", why, diag);
    }
    if ((network_section->changes.count != 0 || network_section->circuits != NULL) &&
        ops->capacities == NULL) {
        (void)snprintf(
            why, sizeof why, "only the %s backend supports changes of bandwidths",
            orr_net_backends_that(supports_capacity_changes, " or ", names, sizeof names));
        return fail_key(map, network_section->changes.count != 0 ? "changes" : "circuits", why,
                        diag);
    }
    return ORR_OK;
}

static enum orr_status check_blocks(const struct orr_conf *map, struct orr_diag *diag)
{
    static const char *const of_graphs[][2] = {
        {"failures", "only a network.graph can have failures"},
        {"changes", "only links of a network.graph change"},
        {"circuits", "only a network.graph can have circuits"},
        {"cost", "only a network.graph has a price"},
        {"routing", "only a network.graph has routing"}};
    for (size_t i = 0; i < sizeof of_graphs / sizeof *of_graphs; i++) {
        const struct orr_conf *node = orr_conf_get(map, of_graphs[i][0]);
        if (node != NULL && (node->kind != ORR_CONF_LIST || node->count != 0)) {
            return fail_key(map, of_graphs[i][0], of_graphs[i][1], diag);
        }
    }
    return ORR_OK;
}

/* The section needs exactly one of dims, bandwidth (with topology) and graph. */
static enum orr_status check_sources(const struct orr_conf *map,
                                     const struct network_section *network_section,
                                     struct orr_diag *diag)
{
    const bool dims = network_section->dims.count != 0,
               lists = network_section->bandwidth.count != 0;
    if (dims && lists) {
        return fail_key(map, "bandwidth",
                        "network.dims gives bandwidths already; remove one of the two", diag);
    }
    if (network_section->graph != NULL) {
        return check_graph(map, network_section, diag);
    }
    if (dims || (lists && network_section->topology != NULL)) {
        return check_blocks(map, diag);
    }
    const struct orr_location place = orr_conf_location(map);
    return orr_diag_fail(diag, ORR_ERR_INPUT, &place,
                         "%s: the network section needs the key \"dims\" (the dimensions, the "
                         "innermost first), such as "
                         "dims: [{block: switch, npus: 8, bandwidth: 300 GB/s, latency: 500 ns}], "
                         "or \"topology\" and "
                         "\"bandwidth\", such as topology: Switch(8), bandwidth: 300 GB/s; "
                         "or \"graph\", such as graph: {npus: 64, fabric: fat-tree, bandwidth: 100 "
                         "Gb/s}",
                         map->path);
}

static enum orr_status check_length(const struct orr_conf *map, const char *key,
                                    const struct orr_conf_list *list, unsigned dims,
                                    struct orr_diag *diag)
{
    if (list->count <= 1 || list->count == dims) {
        return ORR_OK;
    }
    const struct orr_conf *node = orr_conf_get(map, key);
    const struct orr_location place = orr_conf_location(node);
    char each[64] = "";
    if (dims > 1) {
        (void)snprintf(each, sizeof each, ", or one for each of the %u dimensions", dims);
    }
    return orr_diag_fail(diag, ORR_ERR_INPUT, &place, "%s: expected one value%s; got %zu",
                         node->path, each, list->count);
}

/* Reads the number of dimensions, and their shapes if topology gives them. */
static enum orr_status read_shape(const struct orr_conf *map,
                                  const struct network_section *network_section,
                                  struct net_dim *dim, unsigned *dims, struct orr_diag *diag)
{
    *dims = (unsigned)network_section->dims.count;
    if (network_section->topology == NULL) {
        return ORR_OK;
    }
    const struct orr_location place = orr_conf_location(orr_conf_get(map, "topology"));
    const enum orr_status status =
        orr_net_parse_notation(network_section->topology, dim, dims, &place, diag);
    if (status == ORR_OK && network_section->dims.count != 0 &&
        *dims != network_section->dims.count) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, &place,
                             "network.topology has %u dimension%s, but network.dims has %zu", *dims,
                             orr_plural(*dims), network_section->dims.count);
    }
    return status;
}

static enum orr_status read_section(const struct orr_conf *map,
                                    struct network_section *network_section, struct net_dim *dim,
                                    unsigned *dims, struct orr_diag *diag)
{
    enum orr_status status = orr_conf_read(map, orr_net_key_table.owner, orr_net_key_table.keys,
                                           orr_net_key_table.count, network_section, diag);
    if (status == ORR_OK) {
        status = check_sources(map, network_section, diag);
    }
    if (status == ORR_OK) {
        status = orr_net_backend_keys_check(map, network_section->own, diag);
    }
    if (status == ORR_OK && network_section->graph == NULL) {
        status = read_shape(map, network_section, dim, dims, diag);
    }
    if (status == ORR_OK) {
        status = check_length(map, "bandwidth", &network_section->bandwidth, *dims, diag);
    }
    return status == ORR_OK ? check_length(map, "latency", &network_section->latency, *dims, diag)
                            : status;
}

/* Reads the graph and the dimensions that collectives use. */
static enum orr_status read_graph(const struct net_config_input *input,
                                  const struct network_section *network_section,
                                  struct net_config *config, struct orr_diag *diag)
{
    struct orr_arena *arena = input->arena;
    const struct orr_conf *map = input->map;
    const struct net_graph_source source = {
        .graph = network_section->graph,
        .failures = network_section->failures,
        .failures_at = orr_conf_get(map, "failures"),
        .changes = network_section->changes,
        .changes_at = orr_conf_get(map, "changes"),
        .reroutes = network_section->reroute,
        .recovery = (enum net_ring_recovery)network_section->ring_recovery,
        .circuits = network_section->circuits,
        .seed = config->routes.seed,
        .own = input->own};
    struct net_graph *graph = orr_arena_alloc(arena, sizeof *graph);
    if (graph == NULL) {
        return orr_diag_no_memory(diag, "the graph of the network");
    }
    enum orr_status status =
        orr_net_graph_read(arena, &source, graph, &config->routes.routing, diag);
    if (status != ORR_OK) {
        return status;
    }
    if (network_section->routing != NULL) {
        config->routes.routing = orr_net_routing_find(network_section->routing);
    }
    if (status == ORR_OK && config->routes.routing->by_dimension && graph->dims == 0) {
        return fail_key(map, "routing", "this graph has no dimensions", diag);
    }
    if (graph->recovery != NET_RECOVER_PATH && graph->circuits != NULL) {
        return fail_key(map, "ring_recovery", "circuits move by their controller; expected path",
                        diag);
    }
    config->cost = input->defaults;
    status = orr_net_config_set_graph(arena, config, graph, orr_conf_get(map, "topology"), diag);
    return status == ORR_OK && network_section->cost != NULL
               ? orr_net_config_add_cost(arena, config, network_section->cost, diag)
               : status;
}

static enum orr_status read_dims(const struct orr_conf *map,
                                 const struct network_section *network_section, struct net_dim *dim,
                                 struct net_config *config, struct orr_diag *diag)
{
    enum orr_status status = ORR_OK;
    for (unsigned d = 0; status == ORR_OK && d < config->dims; d++) {
        status = read_dim(network_section, d, &dim[d], diag);
    }
    if (status == ORR_OK && network_section->npus > 0) {
        status = orr_net_scale_outermost(map, network_section->npus, dim, config->dims, diag);
    }
    if (status == ORR_OK) {
        status = orr_net_config_check_reduces(map, config, diag);
    }
    if (status == ORR_OK && orr_net_npus(config) == 0) {
        const struct orr_conf *node =
            orr_conf_get(map, network_section->topology != NULL ? "topology" : "dims");
        const struct orr_location place = orr_conf_location(node);
        return orr_diag_fail(diag, ORR_ERR_INPUT, &place, "%s: more than 2^31 NPUs together",
                             node->path);
    }
    return status;
}

enum orr_status orr_net_config_read_section(const struct net_config_input *input,
                                            struct net_config *config, struct orr_diag *diag)
{
    struct orr_arena *arena = input->arena;
    const struct orr_conf *map = input->map;
    struct network_section network_section = {.own = orr_net_backend_keys_create(arena)};
    unsigned dims = 0;
    struct net_dim *dim = orr_arena_array(arena, NET_MAX_DIMS, sizeof *dim);
    if (dim == NULL || network_section.own == NULL) {
        return orr_diag_no_memory(diag, "the network's dimensions");
    }
    enum orr_status status = read_section(map, &network_section, dim, &dims, diag);
    if (status != ORR_OK) {
        return status;
    }
    *config = (struct net_config){
        .backend = network_section.backend != NULL
                       ? network_section.backend
                       : orr_net_backend_default(network_section.graph != NULL)->name,
        .dims = dims,
        .dim = dim,
        .message_overhead_ps = network_section.message_overhead,
        .routes = {.seed = (uint64_t)network_section.seed,
                   .paths = (uint32_t)network_section.paths,
                   .rings_routed = !network_section.ring_links},
        .own = orr_net_backend_keys_list(arena, network_section.own)};
    if (config->own == NULL) {
        return orr_diag_no_memory(diag, "the network's keys");
    }
    status = orr_net_backend_keys_check_backend(map, network_section.own, config->backend, diag);
    if (status != ORR_OK) {
        return status;
    }
    return network_section.graph != NULL ? read_graph(input, &network_section, config, diag)
                                         : read_dims(map, &network_section, dim, config, diag);
}
