/* Trees and rings on a graph as JSON. */
#include <jansson.h>

#include "report/json_text.h"
#include "report/topology/embedding_report.h"

static json_t *number(uint32_t value)
{
    return json_integer((json_int_t)value);
}

static json_t *node(const struct net_graph *graph, uint32_t at)
{
    char name[NET_NODE_BYTES];
    return graph->name == NULL ? number(at) : orr_json_text(orr_net_node_name(graph, at, name));
}

/* ---- trees ---- */

static json_t *hops(const struct net_graph *graph, const struct net_channel *channel)
{
    json_t *all = json_array();
    for (uint32_t h = 0; h < channel->hops; h++) {
        (void)json_array_append_new(
            all, json_pack("{s:o, s:o, s:I}", "from",
                           node(graph, orr_embedding_hop_node(graph, channel, h)), "to",
                           node(graph, orr_embedding_hop_node(graph, channel, h + 1)), "lane",
                           (json_int_t)channel->hop[h].lane));
    }
    return all;
}

static json_t *tree(const struct orr_embedding *embedding, uint32_t t)
{
    const struct sys_trees *trees = &embedding->trees;
    const struct net_graph *graph = &embedding->view->graph;
    json_t *parents = json_array(), *edges = json_array();
    for (uint32_t i = 0; i < trees->n; i++) {
        const size_t at = (size_t)t * trees->n + i;
        const uint32_t parent = trees->tree[t].parent[i];
        (void)json_array_append_new(parents,
                                    parent == SYS_NO_PARENT ? json_null() : number(parent));
        if (parent != SYS_NO_PARENT) {
            (void)json_array_append_new(
                edges,
                json_pack("{s:I, s:I, s:o, s:o}", "child", (json_int_t)i, "parent",
                          (json_int_t)parent, "up", hops(graph, &trees->channel[trees->up[at]]),
                          "down", hops(graph, &trees->channel[trees->down[at]])));
        }
    }
    return json_pack("{s:I, s:o, s:o}", "root", (json_int_t)trees->tree[t].root, "parents", parents,
                     "edges", edges);
}

static json_t *shares(const struct orr_embedding *embedding)
{
    const struct net_graph *graph = &embedding->view->graph;
    json_t *all = json_array();
    for (uint32_t s = 0; s < embedding->trees.shares; s++) {
        const struct sys_shared *shared = &embedding->trees.shared[s];
        const struct net_link *link = &graph->link[shared->hop.link];
        (void)json_array_append_new(
            all, json_pack("{s:o, s:o, s:I, s:I}", "from", node(graph, link->from), "to",
                           node(graph, link->to), "lane", (json_int_t)shared->hop.lane, "edges",
                           (json_int_t)shared->edges));
    }
    return all;
}

static json_t *all_trees(const struct orr_embedding *embedding)
{
    const struct sys_trees *trees = &embedding->trees;
    json_t *each = json_array();
    for (uint32_t t = 0; t < trees->trees; t++) {
        (void)json_array_append_new(each, tree(embedding, t));
    }
    return json_pack("{s:I, s:o, s:I, s:I, s:I, s:b, s:o, s:I, s:I, s:I, s:I}", "npus",
                     (json_int_t)trees->n, "trees", each, "depth_hops", (json_int_t)trees->depth,
                     "links_used", (json_int_t)orr_embedding_used(embedding), "conflicts",
                     (json_int_t)trees->conflicts, "fewest", trees->fewest, "shared",
                     shares(embedding), "detours", (json_int_t)trees->detours, "npus_between",
                     (json_int_t)trees->between, "through_switches", (json_int_t)trees->switched,
                     "inner_nodes_of_two", (json_int_t)trees->shared_inner);
}

/* ---- rings ---- */

static json_t *all_rings(const struct orr_embedding *embedding)
{
    const struct sys_rings *rings = &embedding->rings;
    json_t *each = json_array();
    for (uint32_t r = 0; r < rings->rings; r++) {
        json_t *order = json_array();
        for (uint32_t i = 0; i < rings->n; i++) {
            (void)json_array_append_new(order,
                                        number(rings->npu[rings->order[(size_t)r * rings->n + i]]));
        }
        (void)json_array_append_new(each, order);
    }
    return json_pack("{s:I, s:o, s:I, s:I, s:b}", "npus", (json_int_t)rings->n, "rings", each,
                     "links", (json_int_t)rings->links, "unused_links", (json_int_t)rings->unused,
                     "most", rings->max);
}

bool orr_embedding_json(FILE *out, const struct orr_embedding *embedding)
{
    json_t *root = embedding->is_rings ? all_rings(embedding) : all_trees(embedding);
    const bool written = root != NULL && orr_json_write(root, out, JSON_INDENT(2)) == 0 &&
                         fputc('\n', out) != EOF && fflush(out) == 0;
    json_decref(root);
    return written;
}
