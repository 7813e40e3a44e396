/* The network graph and its builder: see graph.h. */
#include "network/graph.h"
#include "core/arena.h"
#include "core/diag.h"
#include "core/divide.h"
#include "network/graph_build.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "network/permutations/permutations.h"

void orr_net_graph_begin(struct net_graph_builder *builder, struct orr_arena *arena, uint32_t npus,
                         uint32_t switches)
{
    *builder = (struct net_graph_builder){.arena = arena, .npus = npus, .nodes = npus + switches};
}

void orr_net_graph_link(struct net_graph_builder *builder, const struct net_link *link)
{
    ORR_DEBUG_ASSERT(link->from < builder->nodes && link->to < builder->nodes);
    struct net_link *grown = orr_arena_grow(builder->arena, builder->link, &builder->link_alloc,
                                            builder->links + 1, sizeof *grown);
    if (grown == NULL) {
        builder->no_memory = true;
        return;
    }
    builder->link = grown;
    builder->link[builder->links++] = *link;
}

void orr_net_graph_both(struct net_graph_builder *builder, const struct net_link *link)
{
    struct net_link back = *link;
    back.from = link->to;
    back.to = link->from;
    orr_net_graph_link(builder, link);
    orr_net_graph_link(builder, &back);
}

/* orr_net_graph_end reports lack of memory. */
void orr_net_graph_add_ring(struct net_graph_builder *builder, const struct net_ring *ring)
{
    struct net_ring *grown = orr_arena_grow(builder->arena, builder->ring, &builder->ring_alloc,
                                            builder->rings + 1, sizeof *grown);
    if (grown == NULL) {
        builder->no_memory = true;
        return;
    }
    builder->ring = grown;
    builder->ring[builder->rings++] = *ring;
}

void orr_net_graph_warn_totient(const struct net_graph *graph, const struct orr_location *place,
                                const char *key, struct orr_diag *diag)
{
    const uint32_t n = graph->npus, available = orr_net_totient_count(n, graph->totient);
    if (n > 1 && available < graph->totient) {
        orr_diag_warn(diag, place,
                      "%s: totient:%" PRIu32 ": there are %" PRIu32 " permutations of %" PRIu32
                      " NPUs that are one ring; a group of all NPUs uses these",
                      key, graph->totient, available, n);
    }
}

bool orr_net_graph_ring(struct net_graph_builder *builder, uint32_t npus, int32_t jump)
{
    const uint32_t length = (uint32_t)(jump < 0 ? -(int64_t)jump : jump);
    if (npus < 2 || orr_gcd(length, npus) != 1) {
        return false;
    }
    orr_net_graph_add_ring(builder, &(struct net_ring){.npus = npus, .jump = jump});
    return true;
}

bool orr_net_graph_ring_of(struct net_graph_builder *builder, uint32_t npus, const uint32_t *order)
{
    uint32_t *kept = orr_arena_array(builder->arena, npus, sizeof *kept);
    uint32_t *at = orr_arena_array(builder->arena, npus, sizeof *at);
    if (kept == NULL || at == NULL) {
        builder->no_memory = true;
        return true;
    }
    for (uint32_t i = 0; i < npus; i++) {
        at[i] = npus;
    }
    for (uint32_t i = 0; i < npus; i++) {
        if (order[i] >= npus || at[order[i]] != npus) {
            return false;
        }
        kept[i] = order[i];
        at[order[i]] = i;
    }
    orr_net_graph_add_ring(builder, &(struct net_ring){.npus = npus, .order = kept, .at = at});
    return npus >= 2;
}

static int compare_links(const void *left, const void *right)
{
    const struct net_link *a = left, *b = right;
    if (a->from != b->from) {
        return a->from < b->from ? -1 : 1;
    }
    return (a->to > b->to) - (a->to < b->to);
}

const char *orr_net_node_name(const struct net_graph *graph, uint32_t node, char *text)
{
    if (graph->name != NULL && graph->name[node] != NULL) {
        return graph->name[node];
    }
    (void)snprintf(text, NET_NODE_BYTES, "%" PRIu32, node);
    return text;
}

static enum orr_status fail_too_many(const struct net_graph_builder *builder,
                                     const struct net_link *link, struct orr_diag *diag)
{
    const struct net_graph graph = {.name = builder->name};
    char from[NET_NODE_BYTES], to[NET_NODE_BYTES];
    return orr_diag_fail(
        diag, ORR_ERR_INPUT, NULL,
        "network.graph: expected at most %d parallel links, got more from node %s to node %s",
        NET_MAX_PARALLEL, orr_net_node_name(&graph, link->from, from),
        orr_net_node_name(&graph, link->to, to));
}

static enum orr_status fail_different(const struct net_graph_builder *builder,
                                      const struct net_link *link, struct orr_diag *diag)
{
    const struct net_graph graph = {.name = builder->name};
    char from[NET_NODE_BYTES], to[NET_NODE_BYTES];
    return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                         "network.graph: expected identical parallel links, got links of different "
                         "bandwidth or latency from node %s to node %s",
                         orr_net_node_name(&graph, link->from, from),
                         orr_net_node_name(&graph, link->to, to));
}

/* Sorts the links and merges those between the same two nodes. */
static enum orr_status merge_parallel(struct net_graph_builder *builder, struct orr_diag *diag)
{
    struct net_link *link = builder->link;
    size_t kept = 0;
    if (builder->links > 1) {
        qsort(link, builder->links, sizeof *link, compare_links);
    }
    for (size_t i = 0; i < builder->links; i++) {
        struct net_link *last = kept > 0 ? &link[kept - 1] : NULL;
        if (last == NULL || compare_links(last, &link[i]) != 0) {
            link[kept++] = link[i];
            continue;
        }
        const double more = last->bytes_per_s - link[i].bytes_per_s;
        if (more < 0 || more > 0 || last->latency_ps != link[i].latency_ps) {
            return fail_different(builder, last, diag);
        }
        if (last->count > NET_MAX_PARALLEL - link[i].count) {
            return fail_too_many(builder, last, diag);
        }
        last->count += link[i].count;
    }
    builder->links = kept;
    return ORR_OK;
}

enum orr_status orr_net_graph_end(struct net_graph_builder *builder, struct net_graph *graph,
                                  struct orr_diag *diag)
{
    uint32_t *first = orr_arena_array(builder->arena, (size_t)builder->nodes + 2, sizeof *first);
    if (builder->no_memory || first == NULL) {
        return orr_diag_no_memory(diag, "the graph of the network");
    }
    const enum orr_status status = merge_parallel(builder, diag);
    for (size_t i = 0; i < builder->links; i++) {
        first[builder->link[i].from + 1]++;
    }
    for (uint32_t i = 0; i < builder->nodes; i++) {
        first[i + 1] += first[i];
    }
    *graph = (struct net_graph){.npus = builder->npus,
                                .nodes = builder->nodes,
                                .links = (uint32_t)builder->links,
                                .link = builder->link,
                                .first_out = first,
                                .name = builder->name,
                                .rings = (uint32_t)builder->rings,
                                .ring = builder->ring};
    return status;
}

static int compare_paths(const void *left, const void *right)
{
    const struct net_path *a = left, *b = right;
    if (a->from != b->from) {
        return a->from < b->from ? -1 : 1;
    }
    if (a->to != b->to) {
        return a->to < b->to ? -1 : 1;
    }
    return (a->first_link > b->first_link) - (a->first_link < b->first_link);
}

void orr_net_graph_set_paths(struct net_graph *graph, struct net_path *path, uint32_t paths,
                             const uint32_t *path_link)
{
    if (paths > 1) {
        qsort(path, paths, sizeof *path, compare_paths);
    }
    graph->paths = paths;
    graph->path = path;
    graph->path_link = path_link;
}

uint32_t orr_net_graph_find(const struct net_graph *graph, uint32_t from, uint32_t to)
{
    uint32_t low = graph->first_out[from], high = graph->first_out[from + 1];
    const uint32_t end = high;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (graph->link[middle].to < to) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < end && graph->link[low].to == to ? low : NET_NO_LINK;
}

const char *const orr_net_ring_recoveries[] = {"path", "detour", "share", NULL};

const struct net_link *orr_net_graph_failed(const struct net_graph *graph, uint32_t from,
                                            uint32_t to)
{
    uint32_t low = 0, high = graph->failed_links;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        const struct net_link *at = &graph->failed_link[middle];
        if (at->from < from || (at->from == from && at->to < to)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    const bool found = low < graph->failed_links && graph->failed_link[low].from == from &&
                       graph->failed_link[low].to == to;
    return found ? &graph->failed_link[low] : NULL;
}

double orr_net_link_offered(const struct net_graph *graph, uint32_t link, sim_time time_ps)
{
    const struct net_link *of = &graph->link[link];
    double rate = net_link_capacity(of), bytes = 0;
    sim_time since = 0;
    for (uint32_t i = 0; i < graph->changes && graph->change[i].time_ps < time_ps; i++) {
        if (graph->change[i].link == link) {
            bytes += rate * (double)(graph->change[i].time_ps - since) / 1e12;
            rate = graph->change[i].bytes_per_s * graph->change[i].working;
            since = graph->change[i].time_ps;
        }
    }
    return bytes + rate * (double)(time_ps - since) / 1e12;
}

bool orr_net_graph_is_flat(const struct net_graph *graph)
{
    const struct net_link *first = graph->link;
    if (graph->nodes != graph->npus + 1 || graph->links != 2 * graph->npus) {
        return false;
    }
    for (uint32_t i = 0; i < graph->links; i++) {
        const struct net_link *link = &graph->link[i];
        const bool at_switch = (link->from == graph->npus) != (link->to == graph->npus);
        const bool is_identical =
            link->count == first->count && link->latency_ps == first->latency_ps &&
            !(link->bytes_per_s < first->bytes_per_s) && !(link->bytes_per_s > first->bytes_per_s);
        if (!at_switch || !is_identical) {
            return false;
        }
    }
    return true; /* the counts suffice: there is at most one record per ordered pair */
}

const char *orr_net_describe_npus(struct net_npu_flags flags, bool in, char *text, size_t bytes)
{
    size_t used = 0;
    text[0] = '\0';
    for (uint32_t from = 0; from < flags.npus; from++) {
        uint32_t to = from;
        if (flags.flag[from] != in) {
            continue;
        }
        while (to + 1 < flags.npus && flags.flag[to + 1] == in) {
            to++;
        }
        const char *joint = used == 0 ? "" : ",";
        if (used + 32 > bytes) {
            (void)snprintf(text + used, bytes - used, "%s...", joint);
            break;
        }
        used += (size_t)snprintf(text + used, bytes - used, "%s%" PRIu32, joint, from);
        if (to > from) {
            used += (size_t)snprintf(text + used, bytes - used, "-%" PRIu32, to);
        }
        from = to;
    }
    return text;
}
