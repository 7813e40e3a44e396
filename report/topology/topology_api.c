/* Networks for programs; see include/orrery/topology.h. */
#include "core/arena.h"
#include "core/units.h"
#include "network/cost/cost.h"
#include "network/fabric_build.h"
#include "network/graph.h"
#include "network/graph_source.h"
#include "network/net_config_graph.h"
#include "network/net_config_read.h"
#include "network/route_options.h"
#include "orrery/orrery.h"
#include "report/topology/topology_object.h"
#include "report/topology/topology_private.h"
#include "sim/load/find_input.h"
#include "sim/load/inline_network.h"
#include "sim/load/platform_network.h"

#include <string.h>

struct orrery_topology *orrery_topology_new(void)
{
    return orr_object_new(sizeof(struct orrery_topology));
}

void orrery_topology_free(struct orrery_topology *topology)
{
    orr_object_free(topology != NULL ? &topology->object : NULL);
}

const char *orrery_topology_error(const struct orrery_topology *topology)
{
    return orr_object_error(topology != NULL ? &topology->object : NULL);
}

void orrery_topology_on_warning(struct orrery_topology *topology,
                                void (*warn)(void *user, const char *text), void *user)
{
    orr_object_on_warning(topology != NULL ? &topology->object : NULL, warn, user);
}

struct orr_object *orr_topology_object(struct orrery_topology *topology)
{
    return &topology->object;
}

/* ---- reading ---- */

/* Parses the links' bandwidth and latency of the input. */
static enum orr_status read_kind(const struct orrery_topology_input *input,
                                 struct net_link_kind *kind, struct orr_diag *diag)
{
    if (input->bandwidth != NULL && !orr_parse_bandwidth(input->bandwidth, &kind->bytes_per_s)) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                             "bandwidth: expected a positive bandwidth such as \"100 Gb/s\", got "
                             "\"%s\"",
                             input->bandwidth);
    }
    return input->latency == NULL || orr_parse_time(input->latency, &kind->latency_ps)
               ? ORR_OK
               : orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                               "latency: expected a time such as \"1 us\", got \"%s\"",
                               input->latency);
}

static enum orr_status read_optical(const char *text, enum net_optical *out, struct orr_diag *diag)
{
    *out = NET_OPTICAL_NONE;
    for (size_t i = 0; text != NULL && i < NET_OPTICALS; i++) {
        if (strcmp(text, orr_net_optical_name(i)) == 0) {
            *out = (enum net_optical)i;
            return ORR_OK;
        }
    }
    return text == NULL
               ? ORR_OK
               : orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                               "optical: expected " ORR_OPTICAL_NAMES ", got \"%s\"", text);
}

static enum orr_status read_fabric(struct orrery_topology *topology,
                                   const struct orrery_topology_input *input,
                                   struct net_link_kind kind)
{
    struct orr_graph_view *view = &topology->view;
    const struct net_routing *routing;
    view->has_bandwidths = kind.bytes_per_s > 0;
    if (input->npus > NET_MAX_NODES) {
        return orr_diag_fail(&topology->object.diag, ORR_ERR_INPUT, NULL,
                             "npus: expected a number from 1 to %d, got %u", NET_MAX_NODES,
                             input->npus);
    }
    if (!view->has_bandwidths && strchr(input->network, '@') != NULL) {
        return orr_diag_fail(&topology->object.diag, ORR_ERR_INPUT, NULL,
                             "%s: expected a bandwidth in addition to that of a level",
                             input->network);
    }
    kind.bytes_per_s = view->has_bandwidths ? kind.bytes_per_s : 1;
    const struct net_fabric fabric = {.text = input->network,
                                      .npus = input->npus,
                                      .kind = kind,
                                      .seed = input->seed != 0 ? input->seed : 1};
    topology->graph = true;
    return orr_net_build_fabric(&fabric, view->arena, &view->graph, &routing,
                                &topology->object.diag);
}

/* Completes reading: sets the view if the network is a graph. */
static enum orr_status set_config(struct orrery_topology *topology, enum orr_status status)
{
    struct net_config *config = &topology->topo.config;
    topology->graph = status == ORR_OK && config->graph != NULL;
    if (topology->graph) {
        topology->view.graph = *config->graph;
        topology->view.design = config->design;
        topology->view.has_bandwidths = true;
        if (config->cost != NULL) {
            const enum net_optical optical = topology->view.rules.optical;
            topology->view.rules = *config->cost;
            topology->view.rules.optical =
                optical != NET_OPTICAL_NONE ? optical : config->cost->optical;
        }
    }
    return status;
}

static enum orr_status read_file(struct orrery_topology *topology,
                                 const struct orrery_topology_input *input, const char *path,
                                 struct net_link_kind kind)
{
    struct net_config *config = &topology->topo.config;
    struct orr_arena *arena = topology->object.arena;
    struct orr_diag *diag = &topology->object.diag;
    const struct orr_platform_source platform = {
        .path = path, .set = input->set, .sets = input->set_count};
    if (!orr_net_graph_is_dot(path)) {
        topology->system = orr_platform_system(arena, &platform);
    }
    if (!orr_file_has_graph(path)) {
        if (input->bandwidth != NULL || input->latency != NULL || input->bandwidth_is != NULL) {
            return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                                 "bandwidth, latency and bandwidth_is go with a notation, a fabric "
                                 "or a graph");
        }
        return orr_platform_network_read(arena, &platform, config, diag);
    }
    char library[ORR_INPUT_PATH_BYTES];
    orr_inputs_library(library);
    const struct net_graph_input source = {.path = path,
                                           .library = library,
                                           .set = input->set,
                                           .sets = input->set_count,
                                           .kind = kind,
                                           .kind_requested =
                                               input->bandwidth != NULL || input->latency != NULL};
    return orr_platform_graph_load(arena, &source, config, diag);
}

static enum orr_status read_notation(struct orrery_topology *topology,
                                     const struct orrery_topology_input *input)
{
    const struct orr_inline_network network = {.topology = input->network,
                                               .bandwidth = input->bandwidth,
                                               .latency = input->latency,
                                               .bandwidth_is = input->bandwidth_is};
    return orr_inline_network_read(topology->object.arena, &network, &topology->topo.config,
                                   &topology->object.diag);
}

static enum orr_status read_network(struct orrery_topology *topology,
                                    const struct orrery_topology_input *input)
{
    struct orr_diag *diag = &topology->object.diag;
    struct net_link_kind kind = {.bytes_per_s = 0};
    char shipped[ORR_INPUT_PATH_BYTES];
    const char *path = NULL;
    if (input->platform != NULL) {
        topology->system = orr_platform_system_of(topology->object.arena, input->platform);
        return set_config(topology, orr_platform_network_of(topology->object.arena, input->platform,
                                                            &topology->topo.config, diag));
    }
    if (input->astra_network != NULL) {
        return orr_net_config_read_astra(topology->object.arena, input->astra_network,
                                         &topology->topo.config, diag);
    }
    const bool file = input->npus == 0 &&
                      orr_find_input("platforms", input->network, shipped, &path, NULL) == ORR_OK &&
                      !orr_is_notation(path);
    enum orr_status status =
        file ? ORR_OK
             : orr_reject_lost_sets(input->network, "", input->set, input->set_count, diag);
    if (status == ORR_OK && !file && input->npus == 0) {
        return read_notation(topology, input);
    }
    status = status == ORR_OK ? read_kind(input, &kind, diag) : status;
    if (status != ORR_OK) {
        return status;
    }
    return input->npus != 0 ? read_fabric(topology, input, kind)
                            : set_config(topology, read_file(topology, input, path, kind));
}

static enum orr_status check_input(const struct orrery_topology_input *input, struct orr_diag *diag)
{
    const enum orr_status status = orr_check_caller_struct(
        "orrery_topology_input", input != NULL ? &input->size : NULL, sizeof *input, diag);
    if (status != ORR_OK) {
        return status;
    }
    const int ways =
        (input->network != NULL) + (input->platform != NULL) + (input->astra_network != NULL);
    return ways == 1 && (input->npus == 0 || input->network != NULL)
               ? ORR_OK
               : orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                               "expected one of `network`, `platform` and `astra_network`%s",
                               input->npus != 0 ? "; `npus` goes with the name of a fabric" : "");
}

static enum orr_status read_input(struct orrery_topology *topology,
                                  const struct orrery_topology_input *input)
{
    struct orr_object *object = &topology->object;
    enum net_optical optical;
    enum orr_status status = check_input(input, &object->diag);
    if (status == ORR_OK) {
        status = read_optical(input->optical, &optical, &object->diag);
    }
    if (status != ORR_OK) {
        return status;
    }
    topology->read = false;
    if (!orr_object_clear(object)) {
        return ORR_ERR_MEMORY;
    }
    const char *name =
        orr_arena_strdup(object->arena, input->network != NULL ? input->network : "platform");
    topology->graph = false;
    topology->system = NULL;
    topology->topo = (struct orr_topo){.arena = object->arena};
    topology->view = (struct orr_graph_view){.name = name,
                                             .arena = object->arena,
                                             .rules = {.optical = optical},
                                             .bandwidth_name = "bandwidth"};
    return name != NULL ? read_network(topology, input)
                        : orr_diag_no_memory(&object->diag, "a network");
}

enum orrery_status orrery_topology_read(struct orrery_topology *topology,
                                        const struct orrery_topology_input *input)
{
    if (topology == NULL) {
        return ORRERY_ERROR_INPUT;
    }
    const enum orr_status status = read_input(topology, input);
    topology->read = topology->read || status == ORR_OK;
    return orr_object_finish(&topology->object, status);
}
