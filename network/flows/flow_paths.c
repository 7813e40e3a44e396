/* See flow_paths.h. */
#include "network/flows/flow_paths.h"

#include <math.h>
#include <string.h>

static uint64_t hash_of(const struct net_route_links *links)
{
    uint64_t hash = links->hops;
    for (uint32_t h = 0; h < links->hops; h++) {
        hash = (hash ^ links->link[h]) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 29;
    }
    return hash;
}

static bool rehash(struct flow_paths *paths)
{
    const size_t slots = paths->slots == 0 ? 256 : paths->slots * 2;
    uint32_t *slot = orr_heap_calloc(slots, sizeof *slot);
    if (slot == NULL) {
        return false;
    }
    for (size_t i = 0; i < paths->paths; i++) {
        const struct net_route_links links = {.link = paths->path[i].link,
                                              .hops = paths->path[i].hops};
        size_t at = hash_of(&links) & (slots - 1);
        while (slot[at] != 0) {
            at = (at + 1) & (slots - 1);
        }
        slot[at] = (uint32_t)i + 1;
    }
    orr_heap_free(paths->slot);
    paths->slot = slot;
    paths->slots = slots;
    return true;
}

static sim_time whole(double ps)
{
    return ps < 9e18 ? (sim_time)floor(ps + 0.5) : ORR_TIME_MAX;
}

/* Latencies, and what the rules for packets add to them (docs/models.md, section 4). */
static void time_path(const struct flow_paths *paths, struct flow_path *path)
{
    const double packet = (double)paths->model.packet_bytes;
    double start = (double)paths->model.start_ps, tail = 0, first = 0;
    for (uint32_t h = 0; h < path->hops; h++) {
        const struct net_link *link = &paths->graph->link[path->link[h]];
        const double ps_per_byte = 1e12 / link->bytes_per_s;
        const bool passes_npu = h + 1 < path->hops && link->to < paths->graph->npus;
        const double latency =
            (double)link->latency_ps + (passes_npu ? (double)paths->model.forward_ps : 0);
        start += paths->model.start_bytes == 0
                     ? 0
                     : latency + ps_per_byte * (double)paths->model.start_bytes;
        tail += latency + ps_per_byte * packet;
        path->round_trip_ps += latency + ps_per_byte * packet;
        /* The slowest link is in the flow's own rate, all others pass on one packet. */
        first = ps_per_byte * packet > first ? ps_per_byte * packet : first;
    }
    path->start_ps = whole(start);
    path->tail_ps = whole(tail - first);
}

static bool room(struct flow_paths *paths)
{
    if (paths->paths == paths->room) {
        const size_t more = paths->room == 0 ? 128 : paths->room * 2;
        struct flow_path *grown = orr_heap_realloc(paths->path, more * sizeof *grown);
        if (grown == NULL) {
            return false;
        }
        paths->path = grown;
        paths->room = more;
    }
    return 2 * (paths->paths + 1) <= paths->slots || rehash(paths);
}

static uint32_t add(struct flow_paths *paths, const struct net_route_links *links, size_t slot)
{
    struct flow_path path = {.hops = links->hops, .stream = UINT32_MAX};
    path.link =
        orr_arena_alloc_raw(paths->arena, links->hops * sizeof *path.link, sizeof *path.link);
    if (path.link == NULL) {
        return UINT32_MAX;
    }
    memcpy(path.link, links->link, links->hops * sizeof *path.link);
    time_path(paths, &path);
    paths->slot[slot] = (uint32_t)paths->paths + 1;
    paths->path[paths->paths] = path;
    return (uint32_t)paths->paths++;
}

uint32_t orr_flow_paths_intern(struct flow_paths *paths, const struct net_route_links *links)
{
    if (!room(paths)) {
        return UINT32_MAX;
    }
    size_t at = hash_of(links) & (paths->slots - 1);
    while (paths->slot[at] != 0) {
        const struct flow_path *path = &paths->path[paths->slot[at] - 1];
        if (path->hops == links->hops &&
            memcmp(path->link, links->link, links->hops * sizeof *path->link) == 0) {
            return paths->slot[at] - 1;
        }
        at = (at + 1) & (paths->slots - 1);
    }
    return add(paths, links, at);
}

void orr_flow_paths_fini(struct flow_paths *paths)
{
    orr_heap_free(paths->path);
    orr_heap_free(paths->slot);
}
