/* Large graphs condensed to a size that can be drawn: see pictures.h. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/arena.h"
#include "core/diag.h"
#include "network/graph_build.h"
#include "network/routing/routing.h"
#include "report/pictures/pictures.h"

struct condensed {
    const struct orr_graph_view *view;
    uint32_t *root;  /* [npus]: the switch that the NPU is attached to, or the NPU itself */
    uint32_t *first; /* [nodes]: the first attached NPU */
    uint32_t *last;  /* the last attached NPU */
    uint32_t *below; /* number of attached NPUs */
    uint32_t *node;  /* [nodes]: index in the condensed graph; DROPPED */
    uint32_t *queue;
    struct net_reverse reverse;
};

#define DROPPED UINT32_MAX

/* True for nodes that are drawn: of the NPUs on one switch only the first. */
static bool stands(const struct condensed *condensed, uint32_t node)
{
    return node >= condensed->view->graph.npus || condensed->root[node] == node ||
           condensed->first[condensed->root[node]] == node;
}

static void gather(struct condensed *condensed)
{
    const struct net_graph *graph = &condensed->view->graph;
    orr_net_graph_roots(graph, &condensed->reverse, condensed->root);
    for (uint32_t i = 0; i < graph->npus; i++) {
        const uint32_t root = condensed->root[i];
        condensed->first[root] = condensed->below[root]++ == 0 ? i : condensed->first[root];
        condensed->last[root] = i;
    }
}

/* Marks the drawn nodes nearest to NPU 0, at most `max` (breadth-first search); returns their
 * number. */
static uint32_t choose(struct condensed *condensed, uint32_t max)
{
    const struct net_graph *graph = &condensed->view->graph;
    uint32_t head = 0, tail = 0;
    memset(condensed->node, 0xff, graph->nodes * sizeof *condensed->node);
    condensed->queue[tail++] = 0;
    condensed->node[0] = 0;
    while (head < tail) {
        const uint32_t node = condensed->queue[head++];
        for (uint32_t i = graph->first_out[node]; i < graph->first_out[node + 1]; i++) {
            const uint32_t to = graph->link[i].to;
            if (tail < max && condensed->node[to] == DROPPED && stands(condensed, to)) {
                condensed->node[to] = 0;
                condensed->queue[tail++] = to;
            }
        }
    }
    return tail;
}

/* "0-15" for consecutive NPUs, "16 of 0-63" for others, the node's own name for a single one. */
static const char *name_of(const struct condensed *condensed, uint32_t node)
{
    const struct net_graph *graph = &condensed->view->graph;
    const uint32_t root = node < graph->npus ? condensed->root[node] : node;
    const uint32_t below = condensed->below[root];
    char text[NET_NODE_BYTES];
    if (node >= graph->npus || root == node || below == 1) {
        return orr_arena_strdup(condensed->view->arena, orr_net_node_name(graph, node, text));
    }
    const uint32_t first = condensed->first[root], last = condensed->last[root];
    return last - first + 1 == below
               ? orr_arena_printf(condensed->view->arena, "%" PRIu32 "-%" PRIu32, first, last)
               : orr_arena_printf(condensed->view->arena, "%" PRIu32 " of %" PRIu32 "-%" PRIu32,
                                  below, first, last);
}

static enum orr_status build(struct condensed *condensed, uint32_t npus, uint32_t switches,
                             struct net_graph *out)
{
    const struct net_graph *graph = &condensed->view->graph;
    struct net_graph_builder builder;
    struct orr_diag diag;
    const char **name =
        orr_arena_array(condensed->view->arena, (size_t)npus + switches, sizeof *name);
    uint32_t next = 0;
    orr_diag_init(&diag);
    for (uint32_t n = 0; n < graph->nodes && name != NULL; n++) {
        if (condensed->node[n] != DROPPED) {
            condensed->node[n] = next;
            name[next++] = name_of(condensed, n);
        }
    }
    orr_net_graph_begin(&builder, condensed->view->arena, npus, switches);
    builder.name = name;
    for (uint32_t i = 0; i < graph->links && name != NULL; i++) {
        struct net_link link = graph->link[i];
        link.from = condensed->node[link.from];
        link.to = condensed->node[link.to];
        if (link.from != DROPPED && link.to != DROPPED) {
            orr_net_graph_link(&builder, &link);
        }
    }
    return name == NULL ? ORR_ERR_MEMORY : orr_net_graph_end(&builder, out, &diag);
}

enum orr_status orr_graph_condense(const struct orr_graph_view *view, uint32_t max,
                                   struct net_graph *out, char note[ORR_NOTE_BYTES])
{
    const struct net_graph *graph = &view->graph;
    struct orr_arena *arena = view->arena;
    struct condensed condensed = {.view = view,
                                  .root = orr_arena_array(arena, graph->npus, sizeof(uint32_t)),
                                  .first = orr_arena_array(arena, graph->nodes, sizeof(uint32_t)),
                                  .last = orr_arena_array(arena, graph->nodes, sizeof(uint32_t)),
                                  .below = orr_arena_array(arena, graph->nodes, sizeof(uint32_t)),
                                  .node = orr_arena_array(arena, graph->nodes, sizeof(uint32_t)),
                                  .queue = orr_arena_array(arena, graph->nodes, sizeof(uint32_t))};
    if (condensed.root == NULL || condensed.first == NULL || condensed.last == NULL ||
        condensed.below == NULL || condensed.node == NULL || condensed.queue == NULL ||
        orr_net_graph_reverse(graph, arena, &condensed.reverse, NULL) != ORR_OK) {
        return ORR_ERR_MEMORY;
    }
    gather(&condensed);
    const uint32_t nodes = choose(&condensed, max);
    uint32_t npus = 0, shown = 0, servers = 0;
    for (uint32_t i = graph->npus; i < graph->npus + graph->servers; i++) {
        servers += condensed.node[i] != DROPPED;
    }
    for (uint32_t i = 0; i < graph->npus; i++) {
        npus += condensed.node[i] != DROPPED;
        shown += condensed.node[i] == DROPPED ? 0
                 : condensed.root[i] == i     ? 1
                                              : condensed.below[condensed.root[i]];
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
    const enum orr_status status = build(&condensed, npus, nodes - npus, out);
    out->servers = servers;
    return status;
}
