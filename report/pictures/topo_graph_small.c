/* Large graphs made small enough to draw: see topology_report.h. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "report/pictures/pictures.h"

struct small {
    const struct orr_graph_view *view;
    uint32_t *root;  /* [npus]: the NPU, or the switch that it hangs on */
    uint32_t *first; /* [nodes]: the first NPU that hangs there */
    uint32_t *last;  /* the last one */
    uint32_t *below; /* how many */
    uint32_t *node;  /* [nodes]: in the small graph; DROPPED */
    uint32_t *queue;
    struct net_reverse reverse;
};

#define DROPPED UINT32_MAX

/* Of NPUs that hang on one switch the first stands for all. */
static bool stands(const struct small *small, uint32_t node)
{
    return node >= small->view->graph.npus || small->root[node] == node ||
           small->first[small->root[node]] == node;
}

static void gather(struct small *small)
{
    const struct net_graph *graph = &small->view->graph;
    orr_net_graph_roots(graph, &small->reverse, small->root);
    for (uint32_t i = 0; i < graph->npus; i++) {
        const uint32_t root = small->root[i];
        small->first[root] = small->below[root]++ == 0 ? i : small->first[root];
        small->last[root] = i;
    }
}

/* Marks the nodes nearest to NPU 0 that stand for something, at most `most`; returns how many. */
static uint32_t choose(struct small *small, uint32_t max)
{
    const struct net_graph *graph = &small->view->graph;
    uint32_t head = 0, tail = 0;
    memset(small->node, 0xff, graph->nodes * sizeof *small->node);
    small->queue[tail++] = 0;
    small->node[0] = 0;
    while (head < tail) {
        const uint32_t node = small->queue[head++];
        for (uint32_t i = graph->first_out[node]; i < graph->first_out[node + 1]; i++) {
            const uint32_t to = graph->link[i].to;
            if (tail < max && small->node[to] == DROPPED && stands(small, to)) {
                small->node[to] = 0;
                small->queue[tail++] = to;
            }
        }
    }
    return tail;
}

/* "0-15" of NPUs in a row, "16 of 0-63" of others, the node's own name when it is one. */
static const char *name_of(const struct small *small, uint32_t node)
{
    const struct net_graph *graph = &small->view->graph;
    const uint32_t root = node < graph->npus ? small->root[node] : node;
    const uint32_t below = small->below[root];
    char text[NET_NODE_BYTES];
    if (node >= graph->npus || root == node || below == 1) {
        return orr_arena_strdup(small->view->arena, orr_net_node_name(graph, node, text));
    }
    const uint32_t first = small->first[root], last = small->last[root];
    return last - first + 1 == below
               ? orr_arena_printf(small->view->arena, "%" PRIu32 "-%" PRIu32, first, last)
               : orr_arena_printf(small->view->arena, "%" PRIu32 " of %" PRIu32 "-%" PRIu32, below,
                                  first, last);
}

static enum orr_status build(struct small *small, uint32_t npus, uint32_t switches,
                             struct net_graph *out)
{
    const struct net_graph *graph = &small->view->graph;
    struct net_graph_builder builder;
    struct orr_diag diag;
    const char **name = orr_arena_array(small->view->arena, (size_t)npus + switches, sizeof *name);
    uint32_t next = 0;
    orr_diag_init(&diag);
    for (uint32_t n = 0; n < graph->nodes && name != NULL; n++) {
        if (small->node[n] != DROPPED) {
            small->node[n] = next;
            name[next++] = name_of(small, n);
        }
    }
    orr_net_graph_begin(&builder, small->view->arena, npus, switches);
    builder.name = name;
    for (uint32_t i = 0; i < graph->links && name != NULL; i++) {
        struct net_link link = graph->link[i];
        link.from = small->node[link.from];
        link.to = small->node[link.to];
        if (link.from != DROPPED && link.to != DROPPED) {
            orr_net_graph_link(&builder, &link);
        }
    }
    return name == NULL ? ORR_ERR_MEMORY : orr_net_graph_end(&builder, out, &diag);
}

enum orr_status orr_graph_small(const struct orr_graph_view *view, uint32_t max,
                                struct net_graph *out, char note[ORR_NOTE_BYTES])
{
    const struct net_graph *graph = &view->graph;
    struct orr_arena *arena = view->arena;
    struct small small = {.view = view,
                          .root = orr_arena_array(arena, graph->npus, sizeof(uint32_t)),
                          .first = orr_arena_array(arena, graph->nodes, sizeof(uint32_t)),
                          .last = orr_arena_array(arena, graph->nodes, sizeof(uint32_t)),
                          .below = orr_arena_array(arena, graph->nodes, sizeof(uint32_t)),
                          .node = orr_arena_array(arena, graph->nodes, sizeof(uint32_t)),
                          .queue = orr_arena_array(arena, graph->nodes, sizeof(uint32_t))};
    if (small.root == NULL || small.first == NULL || small.last == NULL || small.below == NULL ||
        small.node == NULL || small.queue == NULL ||
        orr_net_graph_reverse(graph, arena, &small.reverse, NULL) != ORR_OK) {
        return ORR_ERR_MEMORY;
    }
    gather(&small);
    const uint32_t nodes = choose(&small, max);
    uint32_t npus = 0, shown = 0, servers = 0;
    for (uint32_t i = graph->npus; i < graph->npus + graph->servers; i++) {
        servers += small.node[i] != DROPPED;
    }
    for (uint32_t i = 0; i < graph->npus; i++) {
        npus += small.node[i] != DROPPED;
        shown += small.node[i] == DROPPED ? 0 : small.root[i] == i ? 1 : small.below[small.root[i]];
    }
    const bool all = shown == graph->npus && nodes - npus == graph->nodes - graph->npus;
    const char *merged = npus < shown ? "NPUs at one switch are one node" : "";
    note[0] = '\0';
    if (!all) {
        (void)snprintf(note, ORR_NOTE_BYTES,
                       "%s%sonly %" PRIu32 " of the NPUs and %" PRIu32
                       " of the switches are drawn, those nearest to NPU 0",
                       merged, npus < shown ? "; " : "", shown, nodes - npus);
    } else {
        (void)snprintf(note, ORR_NOTE_BYTES, "%s", merged);
    }
    const enum orr_status status = build(&small, npus, nodes - npus, out);
    out->servers = servers;
    return status;
}
