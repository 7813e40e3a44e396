/* Distances by breadth-first search, and connectedness: see routing.h. */
#include <inttypes.h>
#include <string.h>

#include "core/arena.h"
#include "core/diag.h"
#include "core/union_find.h"
#include "network/graph.h"
#include "network/routing/routing.h"

enum orr_status orr_net_graph_reverse(const struct net_graph *graph, struct orr_arena *arena,
                                      struct net_reverse *out, struct orr_diag *diag)
{
    uint32_t *first = orr_arena_array(arena, (size_t)graph->nodes + 2, sizeof *first);
    uint32_t *in = orr_arena_array(arena, (size_t)graph->links + 1, sizeof *in);
    if (first == NULL || in == NULL) {
        return orr_diag_no_memory(diag, "the routes of the network");
    }
    /* Counting sort: first[node + 1] is the insertion index of the node, which ends as the begin of
     * the next one. */
    for (uint32_t i = 0; i < graph->links; i++) {
        first[graph->link[i].to + 2]++;
    }
    for (uint32_t n = 2; n <= graph->nodes; n++) {
        first[n] += first[n - 1];
    }
    for (uint32_t i = 0; i < graph->links; i++) {
        in[first[graph->link[i].to + 1]++] = i;
    }
    *out = (struct net_reverse){.first_in = first, .in = in};
    return ORR_OK;
}

void orr_net_graph_distances(const struct net_graph *graph, const struct net_reverse *reverse,
                             uint32_t root, uint16_t *hops, uint32_t *queue)
{
    uint32_t head = 0, tail = 0;
    memset(hops, 0xff, graph->nodes * sizeof *hops);
    hops[root] = 0;
    queue[tail++] = root;
    while (head < tail && tail < graph->nodes) { /* all nodes found */
        const uint32_t node = queue[head++];
        for (uint32_t i = reverse->first_in[node]; i < reverse->first_in[node + 1]; i++) {
            const uint32_t from = graph->link[reverse->in[i]].from;
            if (hops[from] == UINT16_MAX && hops[node] < UINT16_MAX - 1) {
                hops[from] = (uint16_t)(hops[node] + 1);
                queue[tail++] = from;
            }
        }
    }
}

/* A path to an NPU with a single neighbour ends with the link from that neighbour. */
void orr_net_graph_roots(const struct net_graph *graph, const struct net_reverse *reverse,
                         uint32_t *root)
{
    for (uint32_t i = 0; i < graph->npus; i++) {
        const uint32_t first = reverse->first_in[i];
        const bool single = reverse->first_in[i + 1] - first == 1 &&
                            graph->first_out[i + 1] - graph->first_out[i] == 1;
        const uint32_t node = single ? graph->link[reverse->in[first]].from : i;
        root[i] = node >= graph->npus ? node : i;
    }
}

/* ---- connectedness ---- */

static enum orr_status fail_disconnected(const struct net_graph *graph, uint32_t *parent,
                                         uint32_t npu, struct orr_diag *diag)
{
    char text[NET_NODE_BYTES], other[NET_NODE_BYTES];
    const char *first = orr_net_node_name(graph, 0, text);
    uint32_t parts = 0, with_first = 0;
    for (uint32_t i = 0; i < graph->npus; i++) {
        with_first += orr_union_find_root(parent, i) == orr_union_find_root(parent, 0);
        parts += orr_union_find_root(parent, i) == i; /* the smallest node of a component */
    }
    return orr_diag_fail(
        diag, ORR_ERR_INPUT, NULL,
        "network: expected links that connect all %" PRIu32 " NPUs, got a graph of %" PRIu32 " "
        "components: NPU %s is not connected to NPU %s (the component of NPU %s has %" PRIu32 " "
        "NPUs)",
        graph->npus, parts, first, orr_net_node_name(graph, npu, other), first, with_first);
}

/* Marks the nodes that NPU 0 reaches; with `reverse` those that reach it. */
static void reach(const struct net_graph *graph, const struct net_reverse *reverse, bool *reached,
                  uint32_t *queue)
{
    const uint32_t *first = reverse != NULL ? reverse->first_in : graph->first_out;
    uint32_t tail = 0;
    queue[tail++] = 0;
    reached[0] = true;
    for (uint32_t head = 0; head < tail; head++) {
        for (uint32_t i = first[queue[head]]; i < first[queue[head] + 1]; i++) {
            const uint32_t other =
                reverse != NULL ? graph->link[reverse->in[i]].from : graph->link[i].to;
            if (!reached[other]) {
                reached[other] = true;
                queue[tail++] = other;
            }
        }
    }
}

/* What NPU 0 reaches, and what reaches it. */
struct reached {
    bool *from_first, *to_first; /* [nodes] */
};

/* Names two NPUs, and the cut that no link crosses: from what NPU 0 reaches to the rest, or from
 * the rest to what reaches NPU 0. */
static enum orr_status fail_unreachable(const struct net_graph *graph, struct reached reached,
                                        uint32_t npu, struct orr_diag *diag)
{
    char first[NET_NODE_BYTES], second[NET_NODE_BYTES];
    char from[NET_NPUS_BYTES], to[NET_NPUS_BYTES];
    const bool out = reached.to_first[npu], both = !out && !reached.from_first[npu];
    const struct net_npu_flags flags = {out ? reached.from_first : reached.to_first, graph->npus};
    return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                         "network: expected a path from every NPU to every other, got none from "
                         "NPU %s to NPU %s%s: no link leads from the NPUs %s to the NPUs %s",
                         orr_net_node_name(graph, out ? 0 : npu, first),
                         orr_net_node_name(graph, out ? npu : 0, second),
                         both ? "" : ", only the reverse",
                         orr_net_describe_npus(flags, out, from, sizeof from),
                         orr_net_describe_npus(flags, !out, to, sizeof to));
}

/* All NPUs reach each other if each reaches NPU 0 and is reached from it. */
static enum orr_status check_strongly_connected(const struct net_graph *graph,
                                                struct orr_arena *arena, struct orr_diag *diag)
{
    struct net_reverse reverse;
    uint32_t *queue = orr_arena_array(arena, graph->nodes, sizeof *queue);
    const struct reached reached = {
        .from_first = orr_arena_array(arena, graph->nodes, sizeof(bool)),
        .to_first = orr_arena_array(arena, graph->nodes, sizeof(bool)),
    };
    if (reached.to_first == NULL || queue == NULL || reached.from_first == NULL) {
        return orr_diag_no_memory(diag, "the routes of the network");
    }
    const enum orr_status status = orr_net_graph_reverse(graph, arena, &reverse, diag);
    if (status != ORR_OK) {
        return status;
    }
    reach(graph, &reverse, reached.to_first, queue);
    reach(graph, NULL, reached.from_first, queue);
    for (uint32_t i = 0; i < graph->npus; i++) {
        if (!reached.to_first[i] || !reached.from_first[i]) {
            return fail_unreachable(graph, reached, i, diag);
        }
    }
    return ORR_OK;
}

enum orr_status orr_net_graph_check_connected(const struct net_graph *graph,
                                              struct orr_arena *arena, struct orr_diag *diag)
{
    uint32_t *parent = orr_arena_array(arena, graph->nodes, sizeof *parent);
    if (parent == NULL) {
        return orr_diag_no_memory(diag, "the routes of the network");
    }
    orr_union_find_init(parent, graph->nodes);
    for (uint32_t i = 0; i < graph->links; i++) {
        (void)orr_union_find_unite(parent, graph->link[i].from, graph->link[i].to);
    }
    for (uint32_t i = 1; i < graph->npus; i++) {
        if (orr_union_find_root(parent, i) != orr_union_find_root(parent, 0)) {
            return fail_disconnected(graph, parent, i, diag);
        }
    }
    return check_strongly_connected(graph, arena, diag);
}
