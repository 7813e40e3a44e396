/* Trees and rings on a graph as tables. */
#include <inttypes.h>
#include <string.h>

#include "core/strings.h"
#include "network/channel.h"
#include "network/graph.h"
#include "report/table_text.h"
#include "report/topology/embedding_report.h"

uint32_t orr_embedding_hop_node(const struct net_graph *graph, const struct net_channel *channel,
                                uint32_t hop)
{
    return hop == channel->hops ? channel->to : graph->link[channel->hop[hop].link].from;
}

uint32_t orr_embedding_used(const struct orr_embedding *embedding)
{
    uint32_t used = embedding->rings.rings * embedding->rings.n;
    const struct sys_trees *trees = &embedding->trees;
    for (uint32_t c = 0; c < trees->channels; c++) {
        used += trees->channel[c].hops;
    }
    return used - trees->conflicts;
}

static uint32_t links_of(const struct net_graph *graph)
{
    uint32_t links = 0;
    for (uint32_t i = 0; i < graph->links; i++) {
        links += graph->link[i].count;
    }
    return links;
}

static const char *name_of(const struct net_graph *graph, uint32_t node, char *text)
{
    return orr_net_node_name(graph, node, text);
}

/* ---- trees ---- */

static void print_parents(FILE *out, const struct sys_trees *trees)
{
    for (uint32_t t = 0; t < trees->trees; t++) {
        orr_print(out, "parents of tree %-5" PRIu32, t);
        for (uint32_t i = 0; i < trees->n; i++) {
            const uint32_t parent = trees->tree[t].parent[i];
            if (parent == SYS_NO_PARENT) {
                orr_print(out, " -");
            } else {
                orr_print(out, " %" PRIu32, parent);
            }
        }
        orr_print(out, "\n");
    }
}

static void print_hops(FILE *out, const struct net_graph *graph, const struct net_channel *channel,
                       int width)
{
    char line[256] = "", from[NET_NODE_BYTES], to[NET_NODE_BYTES];
    size_t used = 0;
    for (uint32_t h = 0; h < channel->hops && used < sizeof line - 1; h++) {
        const int length =
            snprintf(line + used, sizeof line - used, "%s%s-%s#%" PRIu32, h == 0 ? "" : " ",
                     name_of(graph, orr_embedding_hop_node(graph, channel, h), from),
                     name_of(graph, orr_embedding_hop_node(graph, channel, h + 1), to),
                     channel->hop[h].lane);
        used += length > 0 ? (size_t)length : 0;
    }
    orr_print(out, "%-*s", width, line);
}

enum { EDGE_BYTES = 2 * NET_NODE_BYTES + 4 };

/* "2 > 4": the ends of an edge. */
static const char *edge_text(const struct orr_embedding *embedding, struct sys_edge edge,
                             char text[EDGE_BYTES])
{
    const struct net_graph *graph = &embedding->view->graph;
    const struct sys_trees *trees = &embedding->trees;
    const uint32_t child = trees->npu[edge.child];
    const uint32_t parent = trees->npu[trees->tree[edge.tree].parent[edge.child]];
    char from[NET_NODE_BYTES], to[NET_NODE_BYTES];
    (void)snprintf(text, EDGE_BYTES, "%s > %s", name_of(graph, edge.down ? parent : child, from),
                   name_of(graph, edge.down ? child : parent, to));
    return text;
}

static void print_edges(FILE *out, const struct orr_embedding *embedding)
{
    const struct net_graph *graph = &embedding->view->graph;
    const struct sys_trees *trees = &embedding->trees;
    orr_print(out, "\ntree  %-11s %-22s %s\n", "edge", "up", "down");
    for (uint32_t t = 0; t < trees->trees; t++) {
        for (uint32_t i = 0; i < trees->n; i++) {
            const uint32_t up = trees->up[(size_t)t * trees->n + i];
            char edge[EDGE_BYTES];
            if (up == SYS_NO_CHANNEL) {
                continue;
            }
            orr_print(out, "%-5" PRIu32 " %-11s ", t, edge_text(embedding, trees->edge[up], edge));
            print_hops(out, graph, &trees->channel[up], 22);
            orr_print(out, " ");
            print_hops(out, graph, &trees->channel[trees->down[(size_t)t * trees->n + i]], 0);
            orr_print(out, "\n");
        }
    }
}

static void print_detours(FILE *out, const struct orr_embedding *embedding)
{
    const struct net_graph *graph = &embedding->view->graph;
    const struct sys_trees *trees = &embedding->trees;
    orr_print(out, "%-21s %" PRIu32, "detours", trees->detours);
    for (uint32_t c = 0, listed = 0; c < trees->channels; c++) {
        const struct net_channel *channel = &trees->channel[c];
        if (trees->edge[c].down || channel->hops < 2 ||
            orr_embedding_hop_node(graph, channel, 1) >= graph->npus) {
            continue;
        }
        char name[NET_NODE_BYTES], edge[EDGE_BYTES];
        orr_print(out, "%s tree %" PRIu32 " %s over", listed++ == 0 ? ":" : ",",
                  trees->edge[c].tree, edge_text(embedding, trees->edge[c], edge));
        for (uint32_t h = 1; h < channel->hops; h++) {
            orr_print(out, " %s", name_of(graph, orr_embedding_hop_node(graph, channel, h), name));
        }
    }
    orr_print(out, "\n");
    if (trees->switched > 0) {
        orr_print(out, "%-21s %" PRIu32 " edge%s\n", "through switches", trees->switched,
                  orr_plural(trees->switched));
    }
}

static bool uses(const struct net_channel *channel, struct net_hop hop)
{
    for (uint32_t h = 0; h < channel->hops; h++) {
        if (channel->hop[h].link == hop.link && channel->hop[h].lane == hop.lane) {
            return true;
        }
    }
    return false;
}

static void print_shares(FILE *out, const struct orr_embedding *embedding)
{
    const struct net_graph *graph = &embedding->view->graph;
    const struct sys_trees *trees = &embedding->trees;
    if (trees->shares > 0) {
        orr_print(out, "\n%-11s %s\n", "shared", "by");
    }
    for (uint32_t s = 0; s < trees->shares; s++) {
        const struct net_hop hop = trees->shared[s].hop;
        char from[NET_NODE_BYTES], to[NET_NODE_BYTES], lane[3 * NET_NODE_BYTES];
        (void)snprintf(lane, sizeof lane, "%s-%s#%" PRIu32,
                       name_of(graph, graph->link[hop.link].from, from),
                       name_of(graph, graph->link[hop.link].to, to), hop.lane);
        orr_print(out, "%-11s", lane);
        for (uint32_t c = 0, listed = 0; c < trees->channels; c++) {
            char edge[EDGE_BYTES];
            if (uses(&trees->channel[c], hop)) {
                orr_print(out, "%s tree %" PRIu32 " %s", listed++ == 0 ? "" : ",",
                          trees->edge[c].tree, edge_text(embedding, trees->edge[c], edge));
            }
        }
        orr_print(out, "\n");
    }
}

static void print_trees(FILE *out, const struct orr_embedding *embedding)
{
    const struct sys_trees *trees = &embedding->trees;
    orr_print(out, "%s: %" PRIu32 " tree%s over %" PRIu32 " NPU%s\n\n", embedding->view->name,
              trees->trees, orr_plural(trees->trees), trees->n, orr_plural(trees->n));
    print_parents(out, trees);
    orr_print(out, "%-21s %" PRIu32 " hop%s from its root to the farthest member\n", "depth",
              trees->depth, orr_plural(trees->depth));
    orr_print(out, "%-21s %" PRIu32 " of %" PRIu32 ", each way counted\n", "links used",
              orr_embedding_used(embedding), links_of(&embedding->view->graph));
    orr_print(out, "%-21s %" PRIu32 "%s\n", "conflicts", trees->conflicts,
              trees->conflicts == 0 ? ": no link is used twice"
              : trees->fewest       ? ", the fewest that there are"
                                    : ", the fewest that were found");
    print_detours(out, embedding);
    orr_print(out, "%-21s %" PRIu32 "\n", "inner nodes of two", trees->shared_inner);
    print_edges(out, embedding);
    print_shares(out, embedding);
}

/* ---- rings ---- */

static void print_rings(FILE *out, const struct orr_embedding *embedding)
{
    const struct sys_rings *rings = &embedding->rings;
    orr_print(out, "%s: %" PRIu32 " ring%s through %" PRIu32 " NPU%s\n\n", embedding->view->name,
              rings->rings, orr_plural(rings->rings), rings->n, orr_plural(rings->n));
    orr_print(out, "%-21s %" PRIu32 " of %" PRIu32 " among them, each way counted\n", "links used",
              rings->links - rings->unused, rings->links);
    orr_print(out, "%-21s %s\n", "more rings",
              rings->max ? "none without using a link twice" : "were not found");
    for (uint32_t r = 0; r < rings->rings; r++) {
        if (r == 0) {
            orr_print(out, "\n");
        }
        orr_print(out, "ring %-16" PRIu32, r);
        for (uint32_t i = 0; i < rings->n; i++) {
            char name[NET_NODE_BYTES];
            const uint32_t npu = rings->npu[rings->order[(size_t)r * rings->n + i]];
            orr_print(out, " %s", name_of(&embedding->view->graph, npu, name));
        }
        orr_print(out, "\n");
    }
}

bool orr_embedding_text(FILE *out, const struct orr_embedding *embedding)
{
    if (embedding->is_rings) {
        print_rings(out, embedding);
    } else {
        print_trees(out, embedding);
    }
    return fflush(out) == 0 && !ferror(out);
}
