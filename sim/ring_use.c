/* See ring_use.h. */
#include "sim/ring_use.h"

#include <inttypes.h>

#include "core/conf/conf.h"
#include "network/graph.h"
#include "sim/loaded_job.h"
#include "sim/orrery_private.h"
#include "system/embedding/embedding.h"
#include "system/sys_counts.h"
#include "system/sys_mono.h"

bool orr_ring_use(const struct orrery *job, struct sys_ring_use *out)
{
    *out = (struct sys_ring_use){.members = 0};
    return job->layers.sys != NULL && orr_sys_ring_use(job->layers.sys, out);
}

/* How all-reduces are done; NULL: in phases. */
static const struct sys_mono *mono_all_reduce_of(const struct orrery *job)
{
    if (job->tasks.graph == NULL) {
        return job->system.config.whole;
    }
    return orr_loaded_all_reduce(job);
}

bool orr_reduces_around_rings(const struct orrery *job)
{
    const struct sys_mono *whole = mono_all_reduce_of(job);
    return whole != NULL && orr_sys_mono_is_ring(whole);
}

/* Rings that the graph has for all of its NPUs. */
static uint32_t count_given(const struct net_graph *graph)
{
    uint32_t listed = 0, sized = 0;
    for (uint32_t i = 0; i < graph->rings; i++) {
        const struct net_ring *ring = &graph->ring[i];
        const bool all = ring->npus == graph->npus;
        listed += all && ring->member != NULL;
        sized += all && ring->member == NULL;
    }
    sized = graph->totient != 0 ? graph->totient : sized;
    return listed != 0 ? listed : sized;
}

static uint64_t count_links(const struct net_graph *graph)
{
    uint64_t links = 0;
    for (uint32_t l = 0; l < graph->links; l++) {
        const struct net_link *link = &graph->link[l];
        links += link->from < graph->npus && link->to < graph->npus ? link->count : 0;
    }
    return links;
}

enum orr_status orr_rings_of_all(const struct net_graph *graph, struct sys_ring_use *out,
                                 struct orr_diag *diag)
{
    const struct sys_ring_group group = {.graph = graph, .n = graph->npus};
    struct sys_group_rings found = {.rings = count_given(graph)};
    struct orr_arena *scratch = orr_arena_create();
    enum orr_status status =
        scratch != NULL ? ORR_OK : orr_diag_no_memory(diag, "the rings of the network");
    if (status == ORR_OK && found.rings == 0) {
        status = orr_sys_group_rings(&group, scratch, &found, diag);
    }
    const uint32_t rings = found.rings;
    const uint64_t used = (uint64_t)rings * graph->npus;
    *out =
        (struct sys_ring_use){.members = graph->npus, .rings = rings, .links = count_links(graph)};
    out->links_used = used < out->links ? used : out->links;
    orr_arena_destroy(scratch);
    return status;
}

static const struct orr_conf *key_of(const struct orr_conf *network)
{
    const struct orr_conf *graph = network != NULL ? orr_conf_get(network, "graph") : NULL;
    return graph != NULL && graph->kind == ORR_CONF_MAP ? orr_conf_get(graph, "rings") : NULL;
}

enum orr_status orr_check_asked_rings(const struct net_graph *graph, const struct orr_conf *network,
                                      struct orr_diag *diag)
{
    const struct orr_conf *rings = key_of(network);
    struct sys_ring_use use;
    if (graph == NULL || graph->asked_rings == 0) {
        return ORR_OK;
    }
    const enum orr_status status = orr_rings_of_all(graph, &use, diag);
    if (status != ORR_OK || use.rings >= graph->asked_rings) {
        return status;
    }
    const struct orr_location place =
        rings != NULL ? orr_conf_location(rings) : (struct orr_location){.kind = ORR_LOCATION_NONE};
    return orr_diag_fail(diag, ORR_ERR_INPUT, rings != NULL ? &place : NULL,
                         "%s: expected at most as many rings as there are: on the links between "
                         "all %" PRIu32 " NPUs %" PRIu32 " %s found, no link in two of them; got "
                         "auto:%" PRIu32,
                         rings != NULL ? rings->path : "rings", graph->npus, use.rings,
                         use.rings == 1 ? "is" : "are", graph->asked_rings);
}
