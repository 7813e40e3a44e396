/* The channels of circuits: see sipml_map.h. */
#include "sipml/plan/sipml_map.h"

#include "core/arena.h"
#include "core/diag.h"
#include "network/allocation.h"
#include "network/graph.h"
#include "sipml/wavelengths/wavelengths.h"

struct mapping {
    struct orr_arena *arena;
    const struct net_circuits *network;
    const struct sipml_traffic *traffic;
    const struct sipml_circuits *circuits;
    struct sipml_map *out;
    struct orr_diag *diag;
};

static enum orr_status no_memory(const struct mapping *mapping)
{
    return orr_diag_no_memory(mapping->diag, "the map of circuits");
}

/* Allocates the channels of all circuits of the first group. */
static bool alloc_channels(const struct mapping *mapping, uint32_t **first, uint32_t **channel)
{
    const uint32_t rows = mapping->traffic->rows;
    size_t circuits = 0;
    for (uint32_t i = 0; i < rows; i++) {
        circuits += mapping->circuits->set.circuits[i];
    }
    *first = orr_arena_array(mapping->arena, (size_t)rows + 1, sizeof **first);
    *channel = orr_arena_array(mapping->arena, circuits + 1, sizeof **channel);
    return *first != NULL && *channel != NULL;
}

/* ---- switches ---- */

static enum orr_status find_switches(const struct mapping *mapping)
{
    const struct sipml_traffic *traffic = mapping->traffic;
    struct ocs_demand *demand =
        orr_arena_array(mapping->arena, (size_t)traffic->rows + 1, sizeof *demand);
    uint32_t *peer = NULL;
    if (demand == NULL) {
        return no_memory(mapping);
    }
    for (uint32_t i = 0; i < traffic->rows; i++) {
        demand[i] = (struct ocs_demand){traffic->row[i].from, traffic->row[i].to, 1};
    }
    const struct ocs_problem problem = {.nodes = traffic->devices,
                                        .switches = mapping->network->ports,
                                        .demands = traffic->rows,
                                        .demand = demand,
                                        .group = traffic->group};
    const enum orr_status status = orr_ocs_switches(
        mapping->arena, &problem, mapping->circuits->set.circuits, &peer, mapping->diag);
    mapping->out->peer = peer;
    return status;
}

static enum orr_status map_switches(const struct mapping *mapping)
{
    const struct sipml_traffic *traffic = mapping->traffic;
    uint32_t *first = NULL, *channel = NULL, end = 0;
    const enum orr_status status = find_switches(mapping);
    if (status != ORR_OK || !alloc_channels(mapping, &first, &channel)) {
        return status != ORR_OK ? status : no_memory(mapping);
    }
    for (uint32_t i = 0; i < traffic->rows; i++) {
        const uint32_t *peer = mapping->out->peer + traffic->row[i].from;
        for (uint32_t s = 0; s < mapping->network->ports; s++) {
            if (peer[(size_t)s * traffic->group] == traffic->row[i].to) {
                channel[end++] = s;
            }
        }
        first[i + 1] = end;
    }
    mapping->out->first = first;
    mapping->out->channel = channel;
    mapping->out->known = true;
    return ORR_OK;
}

/* ---- wavelengths ---- */

/* Repeats the allocation of the network, whose result has only the number of wavelengths. */
static enum orr_status find_wavelengths(const struct mapping *mapping, struct ring_arc *arc,
                                        struct ring_allocation *out)
{
    const struct sipml_traffic *traffic = mapping->traffic;
    for (uint32_t i = 0; i < traffic->rows; i++) {
        const struct ocs_demand demand = {traffic->row[i].from, traffic->row[i].to,
                                          mapping->circuits->bytes[i]};
        (void)orr_ring_route(traffic->devices, 0, &demand, &arc[i]);
    }
    const struct ring_problem problem = {.nodes = traffic->group,
                                         .wavelengths = mapping->network->ports,
                                         .arcs = traffic->rows,
                                         .arc = arc};
    return orr_ring_allocate(mapping->arena, &problem, out, mapping->diag);
}

static enum orr_status map_wavelengths(const struct mapping *mapping)
{
    const struct sipml_traffic *traffic = mapping->traffic;
    uint32_t *first = NULL, *channel = NULL, end = 0;
    struct ring_arc *arc = orr_arena_array(mapping->arena, (size_t)traffic->rows + 1, sizeof *arc);
    bool *down = orr_arena_array(mapping->arena, (size_t)traffic->rows + 1, sizeof *down);
    struct ring_allocation found;
    if (arc == NULL || down == NULL || !alloc_channels(mapping, &first, &channel)) {
        return no_memory(mapping);
    }
    const enum orr_status status = find_wavelengths(mapping, arc, &found);
    if (status != ORR_OK) {
        return status;
    }
    for (uint32_t i = 0; i < traffic->rows; i++) {
        const uint64_t *mask = found.mask + (size_t)i * found.words;
        down[i] = arc[i].down;
        for (uint32_t w = 0; w < mapping->network->ports; w++) {
            if ((mask[w / 64] >> w % 64 & 1) != 0) {
                channel[end++] = w;
            }
        }
        first[i + 1] = end;
    }
    *mapping->out = (struct sipml_map){
        .known = true, .ring = true, .first = first, .channel = channel, .down = down};
    return ORR_OK;
}

enum orr_status orr_sipml_map(struct orr_arena *arena, const struct plan_job *job,
                              const struct sipml_traffic *traffic,
                              const struct sipml_circuits *circuits, struct sipml_map *out,
                              struct orr_diag *diag)
{
    const struct net_circuits *network = job->network.graph->circuits;
    const struct net_allocator_rules *rules = &network->allocated->rules;
    const struct mapping mapping = {arena, network, traffic, circuits, out, diag};
    *out = (struct sipml_map){.ring = job->circuits.bidirectional};
    if (circuits->turns > 1) {
        return ORR_OK; /* circuits that take turns are not all there at once */
    }
    if (!out->ring) {
        return rules->radix == 0 ? map_switches(&mapping) : ORR_OK;
    }
    return rules->rows == 1 && rules->method == NET_RING_LOAD && !rules->half
               ? map_wavelengths(&mapping)
               : ORR_OK;
}
