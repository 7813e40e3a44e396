/* Rings of a group that nobody gave: see embedding.h. */
#include "core/arena.h"
#include "core/diag.h"
#include "network/graph.h"
#include "network/graph_build.h"
#include "system/embedding/embed_search.h"

enum { MAX_MEMBERS = 1 << 14, MAX_SEARCHED = 4096, MAX_SPEEDS = 8, STEPS_PER_MEMBER = 20000 };
static const double whole = 0.999999; /* of sums of bandwidths */

/* Links among members. */
struct group_links {
    const struct net_graph *graph;
    const struct sys_ring_group *group;
    bool *is_member;          /* [NPUs] */
    double speed[MAX_SPEEDS]; /* of links among members, descending */
    uint32_t speeds;
    double one_link; /* what the fastest link of every member carries */
};

static uint32_t npu_of(const struct sys_ring_group *group, uint32_t place)
{
    return group->npu != NULL ? group->npu[place] : place;
}

/* Keeps the fastest few. */
static void add_speed(struct group_links *links, double bytes_per_s)
{
    uint32_t at = 0;
    while (at < links->speeds && links->speed[at] > bytes_per_s) {
        at++;
    }
    if (at == MAX_SPEEDS || (at < links->speeds && !(links->speed[at] < bytes_per_s))) {
        return;
    }
    links->speeds += links->speeds < MAX_SPEEDS;
    for (uint32_t i = links->speeds - 1; i > at; i--) {
        links->speed[i] = links->speed[i - 1];
    }
    links->speed[at] = bytes_per_s;
}

static bool is_among(const struct group_links *links, uint32_t npu)
{
    return npu < links->graph->npus && links->is_member[npu];
}

static void look_at(struct group_links *links)
{
    const struct net_graph *graph = links->graph;
    for (uint32_t i = 0; i < links->group->n; i++) {
        const uint32_t npu = npu_of(links->group, i);
        double fastest = 0;
        for (uint32_t l = graph->first_out[npu]; l < graph->first_out[npu + 1]; l++) {
            const double capacity = net_link_capacity(&graph->link[l]);
            fastest = capacity > fastest ? capacity : fastest;
            if (is_among(links, graph->link[l].to)) {
                add_speed(links, graph->link[l].bytes_per_s);
            }
        }
        links->one_link = i == 0 || fastest < links->one_link ? fastest : links->one_link;
    }
}

/* At most so many rings: half of the links of the member that has fewest, each both ways. */
static uint32_t bound_of(const struct group_links *links, double speed)
{
    const struct net_graph *graph = links->graph;
    uint32_t fewest = UINT32_MAX;
    for (uint32_t i = 0; i < links->group->n && fewest > 1; i++) {
        const uint32_t npu = npu_of(links->group, i);
        uint32_t lanes = 0;
        for (uint32_t l = graph->first_out[npu]; l < graph->first_out[npu + 1]; l++) {
            const struct net_link *link = &graph->link[l];
            lanes += is_among(links, link->to) && link->bytes_per_s >= speed ? link->count : 0;
        }
        fewest = lanes < fewest ? lanes : fewest;
    }
    return fewest / 2 < SYS_MAX_TREES ? fewest / 2 * 2 : 2 * SYS_MAX_TREES;
}

/* The rings on links that are at least so fast. */
static enum orr_status find_at(const struct group_links *links, double speed,
                               struct orr_arena *arena, struct sys_rings *out,
                               struct orr_diag *diag)
{
    const uint32_t n = links->group->n;
    const struct sys_embed embed = {.graph = links->graph,
                                    .n = n,
                                    .npu = links->group->npu,
                                    .min_bytes_per_s = speed,
                                    .steps = n > MAX_SEARCHED ? 1 : (uint64_t)STEPS_PER_MEMBER * n};
    return orr_sys_find_rings(&embed, 1, arena, out, diag);
}

/* Those that carry most. */
static enum orr_status find_best(const struct group_links *links, struct orr_arena *arena,
                                 struct sys_rings *best, struct orr_diag *diag)
{
    double carried = links->one_link * whole;
    enum orr_status status = ORR_OK;
    for (uint32_t i = 0; i < links->speeds && status == ORR_OK; i++) {
        const double speed = links->speed[i];
        const uint32_t bound = bound_of(links, speed);
        struct sys_rings found = {.rings = 0};
        if (bound * speed <= carried) {
            continue;
        }
        status = find_at(links, speed, arena, &found, diag);
        if (status == ORR_OK && found.rings * speed > carried) {
            carried = found.rings * speed;
            *best = found;
        }
    }
    return status;
}

/* With members in place of places. */
static enum orr_status keep(const struct sys_ring_group *group, const struct sys_rings *found,
                            struct orr_arena *arena, struct sys_group_rings *out,
                            struct orr_diag *diag)
{
    const size_t n = group->n;
    struct net_ring *ring = orr_arena_array(arena, found->rings, sizeof *ring);
    uint32_t *member = orr_arena_array(arena, found->rings * n, sizeof *member);
    if (ring == NULL || member == NULL) {
        return orr_diag_no_memory(diag, "the rings of a group");
    }
    for (uint32_t r = 0; r < found->rings; r++) {
        ring[r] = (struct net_ring){.npus = group->n, .member = member + r * n};
        for (size_t i = 0; i < n; i++) {
            member[r * n + i] = npu_of(group, found->order[r * n + i]);
        }
    }
    *out = (struct sys_group_rings){.rings = found->rings, .ring = ring};
    return ORR_OK;
}

/* The graph with the links that have failed: rings are of the network as it was built, and go
 * around failures as those do that are given (network.ring_recovery). */
static enum orr_status repair(const struct net_graph *graph, struct orr_arena *arena,
                              struct net_graph *intact, struct orr_diag *diag)
{
    struct net_graph_builder builder;
    orr_net_graph_begin(&builder, arena, graph->npus, graph->nodes - graph->npus);
    for (uint32_t l = 0; l < graph->links; l++) {
        const struct net_link *link = &graph->link[l];
        if (orr_net_graph_failed(graph, link->from, link->to) == NULL) {
            orr_net_graph_link(&builder, link);
        }
    }
    for (uint32_t l = 0; l < graph->failed_links; l++) {
        orr_net_graph_link(&builder, &graph->failed_link[l]);
    }
    const enum orr_status status = orr_net_graph_end(&builder, intact, diag);
    intact->dims = graph->dims;
    intact->dim = graph->dim;
    intact->first_in_dims = graph->first_in_dims;
    return status;
}

/* As many as are asked for. */
static void cut(const struct net_graph *graph, struct sys_rings *best)
{
    if (graph->asked_rings != 0 && best->rings > graph->asked_rings) {
        best->rings = graph->asked_rings;
    }
}

static enum orr_status search(const struct sys_ring_group *group, struct orr_arena *scratch,
                              struct sys_rings *best, struct orr_diag *diag)
{
    struct net_graph intact;
    struct group_links links = {.graph = group->graph, .group = group};
    if (group->graph->failed_links != 0) {
        const enum orr_status status = repair(group->graph, scratch, &intact, diag);
        if (status != ORR_OK) {
            return status;
        }
        links.graph = &intact;
    }
    links.is_member = orr_arena_array(scratch, group->graph->npus, sizeof *links.is_member);
    if (links.is_member == NULL) {
        return orr_diag_no_memory(diag, "the rings of a group");
    }
    for (uint32_t i = 0; i < group->n; i++) {
        links.is_member[npu_of(group, i)] = true;
    }
    look_at(&links);
    return find_best(&links, scratch, best, diag);
}

enum orr_status orr_sys_group_rings(const struct sys_ring_group *group, struct orr_arena *arena,
                                    struct sys_group_rings *out, struct orr_diag *diag)
{
    struct sys_rings best = {.rings = 0};
    *out = (struct sys_group_rings){.rings = 0};
    if (!net_graph_finds_rings(group->graph) || group->n < 3 || group->n > MAX_MEMBERS) {
        return ORR_OK;
    }
    struct orr_arena *scratch = orr_arena_create();
    enum orr_status status = scratch != NULL ? search(group, scratch, &best, diag)
                                             : orr_diag_no_memory(diag, "the rings of a group");
    cut(group->graph, &best);
    if (status == ORR_OK && best.rings != 0) {
        status = keep(group, &best, arena, out, diag);
    }
    orr_arena_destroy(scratch);
    return status;
}
