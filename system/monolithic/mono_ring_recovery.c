/* Ring recovery by sharing: the bytes of rings with a failed link are carried by the group's other
 * rings (network.ring_recovery: share; TopoOpt, NSDI'23, section 7). Parallel links are divided
 * evenly: with r rings over c links the first ceil(r / c) rings use the first link, and so on, and
 * the last links fail first. A ring works while all its links work. If none works, all rings are
 * used, and steps without a link use routes. */
#include <stdlib.h>

#include "network/capacity_changes.h"
#include "network/ring_links.h"
#include "system/monolithic/mono_private.h"

/* A ring uses a link record that may lose links; NET_NO_LINK: all links failed for good. */
struct watched {
    uint32_t link, ring;
};

struct mono_recovery {
    const struct watched *watched; /* [count], each once, by link and ring */
    size_t count;
    bool *broken, *now;            /* [rings] */
    const struct mono_rings *left; /* working rings, or all */
};

/* ---- links that can fail ---- */

struct watch_list {
    const struct sys *sys;
    const struct sys_group *group;
    const struct net_graph *graph;
    const struct mono_rings *rings;
    bool *can_fail; /* [links]: may lose links */
    struct watched *watched;
    size_t count, capacity;
    struct orr_arena *arena; /* scratch for the growing list */
    bool no_memory;
};

static void watch(struct watch_list *all, uint32_t link, uint32_t ring)
{
    if (link != NET_NO_LINK && !all->can_fail[link]) {
        return;
    }
    struct watched *grown =
        orr_arena_grow(all->arena, all->watched, &all->capacity, all->count + 1, sizeof *grown);
    if (grown == NULL) {
        all->no_memory = true;
        return;
    }
    all->watched = grown;
    grown[all->count++] = (struct watched){.link = link, .ring = ring};
}

static uint32_t rank_of(const struct sys_group *group, uint32_t member)
{
    return group->given != NULL ? group->given[member] : member;
}

/* Watches the links of a step between two members. */
static void watch_step(struct watch_list *all, uint32_t ring, uint32_t member)
{
    const struct net_ring *of = all->rings->ring[ring];
    const uint32_t next = mono_next(of, all->group->size, member);
    const uint32_t from = rank_of(all->group, member), to = rank_of(all->group, next);
    if (of->way != 0) {
        const struct net_route_links *way = &all->graph->way[of->way - 1 + of->at[member]];
        for (uint32_t h = 0; h < way->hops; h++) {
            watch(all, way->link[h], ring);
        }
        if (way->hops == 0) {
            watch(all, NET_NO_LINK, ring);
        }
        return;
    }
    const uint32_t link = orr_net_graph_find(all->graph, from, to);
    if (link != NET_NO_LINK || orr_net_graph_failed(all->graph, from, to) != NULL) {
        watch(all, link, ring);
    }
}

static int by_link(const void *left, const void *right)
{
    const struct watched *a = left, *b = right;
    if (a->link != b->link) {
        return a->link < b->link ? -1 : 1;
    }
    return (a->ring > b->ring) - (a->ring < b->ring);
}

/* Sorts by link and ring, and removes duplicates. */
static void sort(struct watch_list *all)
{
    size_t kept = 0;
    if (all->count > 1) {
        qsort(all->watched, all->count, sizeof *all->watched, by_link);
    }
    for (size_t i = 0; i < all->count; i++) {
        if (kept == 0 || by_link(&all->watched[kept - 1], &all->watched[i]) != 0) {
            all->watched[kept++] = all->watched[i];
        }
    }
    all->count = kept;
}

static bool find_watched(struct watch_list *all)
{
    const struct net_graph *graph = all->graph;
    all->can_fail = orr_arena_array(all->arena, (size_t)graph->links + 1, sizeof *all->can_fail);
    for (uint32_t i = 0; all->can_fail != NULL && i < graph->changes; i++) {
        all->can_fail[graph->change[i].link] = true;
    }
    for (uint32_t i = 0; all->can_fail != NULL && i < graph->failed_links; i++) {
        const struct net_link *failed = &graph->failed_link[i];
        const uint32_t link = orr_net_graph_find(graph, failed->from, failed->to);
        if (link != NET_NO_LINK) {
            all->can_fail[link] = true;
        }
    }
    for (uint32_t r = 0; all->can_fail != NULL && r < all->rings->count; r++) {
        for (uint32_t m = 0; m < all->group->size && !all->no_memory; m++) {
            watch_step(all, r, m);
        }
    }
    sort(all);
    return all->can_fail != NULL && !all->no_memory;
}

static struct mono_recovery *create(const struct sys *sys, const struct watch_list *from)
{
    struct mono_recovery *made = orr_arena_alloc(sys->arena, sizeof *made);
    struct watched *watched = orr_arena_array(sys->arena, from->count + 1, sizeof *watched);
    bool *broken = orr_arena_array(sys->arena, (size_t)from->rings->count * 2, sizeof *broken);
    if (made == NULL || watched == NULL || broken == NULL) {
        return NULL;
    }
    for (size_t i = 0; i < from->count; i++) {
        watched[i] = from->watched[i];
    }
    *made = (struct mono_recovery){.watched = watched,
                                   .count = from->count,
                                   .broken = broken,
                                   .now = broken + from->rings->count,
                                   .left = from->rings};
    return made;
}

/* ---- broken rings ---- */

static uint32_t working_of(const struct sys *sys, uint32_t link)
{
    const struct net_graph *graph = sys->net->config->graph;
    return graph->changes != 0 && sys->net->ops->capacities != NULL && sys->queue != NULL
               ? sys->net->ops->capacities->working(sys->net, link)
               : graph->link[link].count;
}

/* Number of links of the record before failures. */
static uint32_t links_of(const struct net_graph *graph, uint32_t link)
{
    const struct net_link *now = &graph->link[link];
    const struct net_link *failed = orr_net_graph_failed(graph, now->from, now->to);
    return failed != NULL ? failed->count : now->count;
}

/* Marks those of the rings [begin, end) of one record that have lost their link. */
static void mark_broken(const struct sys *sys, struct mono_recovery *recovery, size_t begin,
                        size_t end)
{
    const uint32_t link = recovery->watched[begin].link;
    const uint32_t rings = (uint32_t)(end - begin);
    const uint32_t links = link != NET_NO_LINK ? links_of(sys->net->config->graph, link) : 1;
    const uint32_t working = link != NET_NO_LINK ? working_of(sys, link) : 0;
    const uint32_t each = (rings + links - 1) / links;
    for (size_t i = begin; i < end; i++) {
        const bool lost = (i - begin) / each >= working;
        recovery->now[recovery->watched[i].ring] |= lost;
    }
}

/* Updates the broken rings; whether they changed. */
static bool find_broken(const struct sys *sys, struct mono_recovery *recovery, uint32_t rings)
{
    bool changed = false;
    if (sys->net->control != NULL && sys->queue != NULL) {
        orr_net_control_catch_up(sys->net->control);
    }
    for (uint32_t r = 0; r < rings; r++) {
        recovery->now[r] = false;
    }
    for (size_t begin = 0, end = 0; begin < recovery->count; begin = end) {
        while (end < recovery->count &&
               recovery->watched[end].link == recovery->watched[begin].link) {
            end++;
        }
        mark_broken(sys, recovery, begin, end);
    }
    for (uint32_t r = 0; r < rings; r++) {
        changed = changed || recovery->now[r] != recovery->broken[r];
        recovery->broken[r] = recovery->now[r];
    }
    return changed;
}

/* The working rings, or all if none works; NULL: no memory. */
static const struct mono_rings *keep_working(const struct sys *sys, const struct mono_rings *rings,
                                             const bool *broken)
{
    struct mono_rings *left = orr_arena_alloc(sys->arena, sizeof *left);
    const struct net_ring **ring = orr_arena_array(sys->arena, rings->count, sizeof *ring);
    uint32_t count = 0;
    if (left == NULL || ring == NULL) {
        return NULL;
    }
    for (uint32_t r = 0; r < rings->count; r++) {
        if (!broken[r]) {
            ring[count++] = rings->ring[r];
        }
    }
    *left = (struct mono_rings){.count = count, .ring = ring};
    return count != 0 ? left : rings;
}

/* ---- groups ---- */

static bool is_share_recovery(const struct sys *sys, const struct mono_rings *rings)
{
    const struct net_config *config = sys->net->config;
    return net_recovers_rings(config) && config->graph->recovery == NET_RECOVER_SHARE &&
           rings->ring[0] != NULL;
}

static struct mono_recovery *begin(const struct sys *sys, const struct sys_group *group,
                                   const struct mono_rings *rings)
{
    struct watch_list all = {.sys = sys,
                             .group = group,
                             .graph = sys->net->config->graph,
                             .rings = rings,
                             .arena = orr_arena_create()};
    struct mono_recovery *made = all.arena != NULL && find_watched(&all) ? create(sys, &all) : NULL;
    orr_arena_destroy(all.arena);
    return made;
}

const struct mono_rings *orr_mono_working_rings(struct sys *sys, struct sys_group *group,
                                                const struct mono_rings *rings)
{
    if (!is_share_recovery(sys, rings)) {
        return rings;
    }
    if (group->recovery == NULL) {
        group->recovery = begin(sys, group, rings);
    }
    struct mono_recovery *recovery = group->recovery;
    const struct mono_rings *left = NULL;
    if (recovery != NULL) {
        left = find_broken(sys, recovery, rings->count) ? keep_working(sys, rings, recovery->broken)
                                                        : recovery->left;
        recovery->left = left;
    }
    if (left == NULL && sys->queue != NULL) {
        orr_evq_stop(sys->queue, ORR_ERR_MEMORY);
    }
    return left;
}
