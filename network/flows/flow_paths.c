/* Interned paths of flows; see flow_paths.h. */
#include "network/flows/flow_paths.h"

#include <math.h>
#include <string.h>

#define NONE UINT32_MAX

enum { FIRST_SLOTS = 256 };

void orr_flow_paths_init(struct flow_paths *paths, const struct net_graph *graph,
                         const struct net_flow_model *model, struct orr_arena *arena, bool counts)
{
    *paths = (struct flow_paths){.arena = arena, .graph = graph, .model = *model, .counts = counts};
    paths->hosts = model->forward_bytes_per_s > 0 ? graph->npus + graph->servers : 0;
    orr_slab_init(&paths->path, arena, sizeof(struct flow_path));
    orr_slab_init(&paths->use, arena, sizeof(struct flow_path_use));
    orr_slab_init(&paths->times, arena, sizeof(struct flow_times));
}

void orr_flow_paths_fini(struct flow_paths *paths)
{
    orr_heap_free(paths->links);
    orr_heap_free(paths->slot);
    orr_heap_free(paths->tag);
    orr_heap_free(paths->with_hosts);
}

/* ---- hosts ---- */

/* The path with the hosts that it passes, valid until the next call; no hops: out of memory. */
static struct net_route_links with_hosts(struct flow_paths *paths,
                                         const struct net_route_links *links)
{
    if (!orr_heap_reserve(&paths->with_hosts, &paths->with_hosts_alloc, 2 * (size_t)links->hops,
                          sizeof *paths->with_hosts)) {
        return (struct net_route_links){.hops = 0};
    }
    struct net_route_links with = {.link = paths->with_hosts, .hops = links->hops};
    memcpy(paths->with_hosts, links->link, links->hops * sizeof *links->link);
    for (uint32_t h = 0; h < links->hops; h++) {
        if (net_passes_host(paths->graph, links, h)) {
            const struct net_link *link = &paths->graph->link[links->link[h]];
            paths->with_hosts[with.hops++] = paths->graph->links + link->to;
        }
    }
    return with;
}

/* ---- times ---- */

static sim_time whole(double ps)
{
    return ps < 9e18 ? (sim_time)floor(ps + 0.5) : ORR_TIME_MAX;
}

/* Latencies, with the additions of the packet rules (docs/models.md, section 4). */
static struct flow_times times_of(const struct flow_paths *paths,
                                  const struct net_route_links *links)
{
    const struct net_route_links own = flow_graph_links(paths, *links);
    const double packet = (double)paths->model.packet_bytes;
    double start = (double)paths->model.start_ps, tail = 0, first = 0;
    for (uint32_t h = 0; h < own.hops; h++) {
        const struct net_link *link = &paths->graph->link[own.link[h]];
        const double ps_per_byte = 1e12 / link->bytes_per_s;
        const bool passes_host = net_passes_host(paths->graph, &own, h);
        const double latency =
            (double)link->latency_ps + (passes_host ? (double)paths->model.forward_ps : 0);
        start += paths->model.start_bytes == 0
                     ? 0
                     : latency + ps_per_byte * (double)paths->model.start_bytes;
        tail += latency + ps_per_byte * packet;
        /* The slowest link is in the flow's rate; all others add one packet. */
        first = ps_per_byte * packet > first ? ps_per_byte * packet : first;
    }
    return (struct flow_times){.hops = links->hops,
                               .start_ps = whole(start),
                               .tail_ps = whole(tail - first),
                               .round_trip_ps = tail};
}

static bool same_times(const struct flow_times *one, const struct flow_times *other)
{
    return one->hops == other->hops && one->start_ps == other->start_ps &&
           one->tail_ps == other->tail_ps && one->round_trip_ps == other->round_trip_ps;
}

/* Interns the times; returns their number. Equal times can have several numbers: only the latest of
 * a hash is known. */
static uint32_t intern_times(struct flow_paths *paths, const struct flow_times *times)
{
    const uint64_t mixed =
        ((uint64_t)times->start_ps ^ (uint64_t)times->tail_ps << 20 ^ times->hops) *
        UINT64_C(0x9e3779b97f4a7c15);
    uint32_t *known = &paths->known[mixed >> 56];
    if (*known == 0 || !same_times(orr_slab_at(&paths->times, *known - 1), times)) {
        const uint32_t number = orr_slab_new(&paths->times);
        if (number == ORR_SLAB_NONE) {
            return NONE;
        }
        *(struct flow_times *)orr_slab_at(&paths->times, number) = *times;
        *known = number + 1;
    }
    return *known - 1;
}

/* ---- links ---- */

/* Adds consecutive blocks. */
static bool add_blocks(struct flow_paths *paths, size_t count)
{
    if (paths->blocks + count > (size_t)1 << (32 - FLOW_LINK_BITS)) {
        return false;
    }
    if (!orr_heap_reserve(&paths->links, &paths->block_alloc, paths->blocks + count,
                          sizeof *paths->links)) {
        return false;
    }
    uint32_t *block =
        orr_arena_alloc_raw(paths->arena, count * FLOW_LINKS * sizeof *block, sizeof *block);
    for (size_t i = 0; block != NULL && i < count; i++) {
        paths->links[paths->blocks + i] = block + i * FLOW_LINKS;
    }
    paths->blocks += block != NULL ? count : 0;
    return block != NULL;
}

/* Copies the links; returns the start of the copy. */
static uint32_t keep_links(struct flow_paths *paths, const struct net_route_links *links)
{
    const uint64_t end = (uint64_t)paths->blocks << FLOW_LINK_BITS;
    if (paths->linked + links->hops > end) {
        if (!add_blocks(paths, ((size_t)links->hops + FLOW_LINKS - 1) >> FLOW_LINK_BITS)) {
            return NONE;
        }
        paths->linked = end;
    }
    const uint32_t first = (uint32_t)paths->linked;
    memcpy(paths->links[first >> FLOW_LINK_BITS] + (first & (FLOW_LINKS - 1)), links->link,
           links->hops * sizeof *links->link);
    paths->linked += links->hops;
    return first;
}

/* ---- the table ---- */

static uint64_t hash_of(const struct net_route_links *links)
{
    uint64_t hash = links->hops;
    for (uint32_t h = 0; h < links->hops; h++) {
        hash = (hash ^ links->link[h]) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 29;
    }
    return hash;
}

static uint8_t tag_of(uint64_t hash)
{
    return (uint8_t)(hash % 255 + 1);
}

/* The slot of the path, or the free slot where it would be. */
static uint64_t find(const struct flow_paths *paths, const struct net_route_links *links,
                     uint64_t hash)
{
    uint64_t at = (hash >> 32) * paths->slots >> 32;
    for (; paths->tag[at] != 0; at = at + 1 == paths->slots ? 0 : at + 1) {
        if (paths->tag[at] == tag_of(hash)) {
            const struct net_route_links other =
                flow_path_links(paths, flow_path_at(paths, paths->slot[at]));
            if (other.hops == links->hops &&
                memcmp(other.link, links->link, links->hops * sizeof *other.link) == 0) {
                break;
            }
        }
    }
    return at;
}

/* Enters all paths into the empty table. */
static void fill(struct flow_paths *paths)
{
    for (uint32_t i = 0; i < paths->path.used; i++) {
        const struct net_route_links links = flow_path_links(paths, flow_path_at(paths, i));
        const uint64_t hash = hash_of(&links);
        uint64_t at = (hash >> 32) * paths->slots >> 32;
        while (paths->tag[at] != 0) {
            at = at + 1 == paths->slots ? 0 : at + 1;
        }
        paths->slot[at] = i;
        paths->tag[at] = tag_of(hash);
    }
}

/* Grows the table by half if more than 4 of 5 slots would be in use. */
static bool reserve_slot(struct flow_paths *paths)
{
    if (5 * ((uint64_t)paths->path.used + 1) <= 4 * paths->slots) {
        return true;
    }
    const uint64_t slots = paths->slots == 0 ? FIRST_SLOTS : paths->slots + paths->slots / 2;
    uint32_t *slot = orr_heap_alloc(slots * sizeof *slot);
    uint8_t *tag = orr_heap_calloc(slots, sizeof *tag);
    if (slot == NULL || tag == NULL) {
        orr_heap_free(slot);
        orr_heap_free(tag);
        return false;
    }
    orr_heap_free(paths->slot);
    orr_heap_free(paths->tag);
    paths->slot = slot;
    paths->tag = tag;
    paths->slots = slots;
    fill(paths);
    return true;
}

/* Adds a path, unless memory is out. */
static uint32_t add(struct flow_paths *paths, const struct net_route_links *links)
{
    const struct flow_times times = times_of(paths, links);
    const struct flow_path path = {
        .first = keep_links(paths, links), .times = intern_times(paths, &times), .class = NONE};
    const uint32_t use = paths->counts ? orr_slab_new(&paths->use) : 0;
    if (path.first == NONE || path.times == NONE || use == ORR_SLAB_NONE) {
        return NONE;
    }
    const uint32_t number = orr_slab_new(&paths->path);
    if (number != ORR_SLAB_NONE) {
        *flow_path_at(paths, number) = path;
    }
    if (paths->counts && number != ORR_SLAB_NONE) {
        *flow_path_use(paths, number) = (struct flow_path_use){.flows = 0};
    } else if (paths->counts) {
        orr_slab_free(&paths->use, use);
    }
    return number;
}

static uint32_t intern(struct flow_paths *paths, const struct net_route_links *links)
{
    if (!reserve_slot(paths)) {
        return NONE;
    }
    const uint64_t hash = hash_of(links);
    const uint64_t at = find(paths, links, hash);
    if (paths->tag[at] == 0) {
        const uint32_t number = add(paths, links);
        if (number == NONE) {
            return NONE;
        }
        paths->slot[at] = number;
        paths->tag[at] = tag_of(hash);
    }
    return paths->slot[at];
}

uint32_t orr_flow_paths_intern(struct flow_paths *paths, const struct net_route_links *links)
{
    if (paths->hosts == 0) {
        return intern(paths, links);
    }
    const struct net_route_links with = with_hosts(paths, links);
    return with.hops != 0 ? intern(paths, &with) : NONE;
}
