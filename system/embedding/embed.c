/* Embedding of given trees on a graph: paths of their edges, lanes of the links, shared lanes. */
#include "system/embedding/embedding.h"

#include <inttypes.h>
#include <string.h>

#include "core/diag.h"
#include "core/strings.h"
#include "network/graph.h"
#include "network/graph_metrics.h"
#include "system/embedding/embed_private.h"

enum { MAX_STEPS = 1 << 18 };

/* ---- edges and their paths ---- */

/* An edge without a path: the graph may be disconnected. */
static enum orr_status fail_no_path(const struct sys_embed *embed, const struct sys_tree *tree,
                                    uint32_t child, struct orr_arena *arena, struct orr_diag *diag)
{
    const enum orr_status status = orr_net_graph_check_connected(embed->graph, arena, diag);
    if (status != ORR_OK) {
        return status;
    }
    const uint32_t from = embed_npu(embed, child), to = embed_npu(embed, tree->parent[child]);
    const uint32_t max = embed->max_between == 0 ? 1 : embed->max_between;
    if (embed->detours == SYS_DETOURS_OFF) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                             "the edge of a tree from %" PRIu32 " to %" PRIu32
                             ": no duplex link, no path through switches, and detours are off",
                             from, to);
    }
    return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                         "the edge of a tree from %" PRIu32 " to %" PRIu32
                         ": no duplex link, no detour over %" PRIu32
                         " NPU%s at most, and no path through switches",
                         from, to, max, orr_plural(max));
}

enum orr_status orr_embed_edges(struct embed_finder *finder, const struct sys_tree *tree,
                                uint32_t trees, struct embed_edge *edge, struct orr_diag *diag)
{
    for (uint32_t t = 0; t < trees; t++) {
        for (uint32_t i = 0; i < tree[t].n; i++) {
            if (i == tree[t].root) {
                continue;
            }
            *edge = (struct embed_edge){.tree = t, .child = i};
            enum orr_status status = orr_embed_choices(finder, i, tree[t].parent[i], edge, diag);
            if (status == ORR_OK && edge->choices == 0) {
                status = fail_no_path(finder->embed, &tree[t], i, finder->arena, diag);
            }
            if (status != ORR_OK) {
                return status;
            }
            edge++;
        }
    }
    return ORR_OK;
}

/* ---- channels ---- */

/* Builder of the result. */
struct builder {
    const struct sys_embed *embed;
    struct sys_trees *out;
    struct net_channel *channel;
    struct sys_edge *edge;
    uint32_t *up, *down;
    uint32_t *uses; /* [links] uses so far, which select lanes */
    struct orr_arena *arena;
};

static bool add_channel(struct builder *builder, const struct embed_path *path,
                        struct sys_edge edge)
{
    const struct net_graph *graph = builder->embed->graph;
    struct net_hop *hop = orr_arena_array(builder->arena, path->hops, sizeof *hop);
    if (hop == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < path->hops; i++) {
        const uint32_t link = path->link[i];
        hop[i] =
            (struct net_hop){.link = link, .lane = builder->uses[link]++ % graph->link[link].count};
    }
    builder->edge[builder->out->channels] = edge;
    builder->channel[builder->out->channels++] =
        (struct net_channel){.from = graph->link[path->link[0]].from,
                             .to = graph->link[path->link[path->hops - 1]].to,
                             .hops = path->hops,
                             .hop = hop};
    return true;
}

static bool add_edge(struct builder *builder, const struct embed_edge *edge)
{
    struct sys_trees *out = builder->out;
    const struct embed_choice *choice = &edge->choice[edge->picked];
    const size_t at = (size_t)edge->tree * out->n + edge->child;
    builder->up[at] = out->channels;
    builder->down[at] = out->channels + 1;
    out->detours += choice->up.between + choice->down.between > 0 ? 1 : 0;
    out->between += choice->up.between;
    out->switched += choice->up.between == 0 && choice->up.hops > 1 ? 1 : 0;
    return add_channel(builder, &choice->up,
                       (struct sys_edge){.tree = edge->tree, .child = edge->child}) &&
           add_channel(builder, &choice->down,
                       (struct sys_edge){.tree = edge->tree, .child = edge->child, .down = true});
}

static bool init_builder(struct builder *builder, uint32_t links)
{
    struct sys_trees *out = builder->out;
    struct orr_arena *arena = builder->arena;
    const size_t entries = (size_t)out->n * out->trees;
    uint32_t *npu = orr_arena_array(arena, out->n, sizeof *npu);
    builder->channel = orr_arena_array(arena, 2 * entries, sizeof *builder->channel);
    builder->edge = orr_arena_array(arena, 2 * entries, sizeof *builder->edge);
    builder->up = orr_arena_array(arena, entries, sizeof *builder->up);
    builder->down = orr_arena_array(arena, entries, sizeof *builder->down);
    builder->uses = orr_arena_array(arena, (size_t)links + 1, sizeof *builder->uses);
    if (npu == NULL || builder->channel == NULL || builder->edge == NULL || builder->up == NULL ||
        builder->down == NULL || builder->uses == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < out->n; i++) {
        npu[i] = embed_npu(builder->embed, i);
    }
    memset(builder->up, 0xff, entries * sizeof *builder->up);
    memset(builder->down, 0xff, entries * sizeof *builder->down);
    out->npu = npu;
    out->channel = builder->channel;
    out->edge = builder->edge;
    out->up = builder->up;
    out->down = builder->down;
    return true;
}

/* ---- shared lanes ---- */

/* k edges on `count` lanes: the first k % count lanes have one more than the others. */
static bool list_shares(struct builder *builder)
{
    const struct net_graph *graph = builder->embed->graph;
    struct sys_trees *out = builder->out;
    uint32_t shares = 0;
    struct sys_shared *shared = NULL;
    for (unsigned pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < graph->links; i++) {
            const uint32_t count = graph->link[i].count, uses = builder->uses[i];
            for (uint32_t lane = 0; uses > count && lane < count; lane++) {
                const uint32_t edges = uses / count + (lane < uses % count ? 1 : 0);
                if (edges > 1 && pass == 1) {
                    shared[out->shares++] =
                        (struct sys_shared){.hop = {.link = i, .lane = lane}, .edges = edges};
                }
                shares += edges > 1 && pass == 0 ? 1 : 0;
            }
        }
        if (pass == 0) {
            shared = orr_arena_array(builder->arena, (size_t)shares + 1, sizeof *shared);
            if (shared == NULL) {
                return false;
            }
        }
    }
    out->shared = shared;
    return true;
}

static enum orr_status fail_shared(const struct sys_embed *embed, const struct sys_trees *trees,
                                   struct orr_diag *diag)
{
    char from[NET_NODE_BYTES], to[NET_NODE_BYTES];
    const struct net_graph *graph = embed->graph;
    (void)orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                        "the trees need more channels than there are links:");
    for (uint32_t i = 0; i < trees->shares; i++) {
        const struct net_link *link = &graph->link[trees->shared[i].hop.link];
        if (i > 0 && trees->shared[i].hop.link == trees->shared[i - 1].hop.link) {
            continue;
        }
        uint32_t edges = 0;
        for (uint32_t j = i;
             j < trees->shares && trees->shared[j].hop.link == trees->shared[i].hop.link; j++) {
            edges += trees->shared[j].edges - 1;
        }
        orr_diag_append(diag, "%s %s to %s has %" PRIu32 " and %" PRIu32 " are asked for",
                        i == 0 ? "" : ",", orr_net_node_name(graph, link->from, from),
                        orr_net_node_name(graph, link->to, to), link->count, link->count + edges);
    }
    return ORR_ERR_INPUT;
}

/* ---- metrics ---- */

static uint32_t depth_in_hops(const struct sys_trees *trees, uint32_t t)
{
    const struct sys_tree *tree = &trees->tree[t];
    uint32_t depth = 0;
    for (uint32_t i = 0; i < tree->n; i++) {
        uint32_t hops = 0;
        for (uint32_t at = i; at != tree->root; at = tree->parent[at]) {
            hops += trees->channel[trees->up[(size_t)t * tree->n + at]].hops;
        }
        depth = hops > depth ? hops : depth;
    }
    return depth;
}

static bool fill_metrics(struct sys_trees *out, struct orr_arena *arena)
{
    bool *inner = orr_arena_array(arena, out->n, sizeof *inner);
    for (uint32_t t = 0; t < out->trees && inner != NULL; t++) {
        const uint32_t depth = depth_in_hops(out, t);
        out->depth = depth > out->depth ? depth : out->depth;
        for (uint32_t other = 0; other < t; other++) {
            out->shared_inner +=
                orr_sys_trees_shared_inner(&out->tree[t], &out->tree[other], inner);
        }
    }
    return inner != NULL;
}

static enum orr_status fill(const struct sys_embed *embed, const struct embed_edge *edge,
                            const struct sys_tree *tree, struct orr_arena *arena,
                            struct sys_trees *out, struct orr_diag *diag)
{
    struct builder builder = {.embed = embed, .out = out, .arena = arena};
    const uint32_t edges = out->trees * (out->n - 1);
    struct sys_tree *copy = orr_arena_array(arena, out->trees, sizeof *copy);
    bool filled = copy != NULL && init_builder(&builder, embed->graph->links);
    for (uint32_t i = 0; i < edges && filled; i++) {
        filled = add_edge(&builder, &edge[i]);
    }
    for (uint32_t t = 0; t < out->trees && copy != NULL; t++) {
        copy[t] = tree[t];
    }
    out->tree = copy;
    if (!filled || !list_shares(&builder) || !fill_metrics(out, arena)) {
        return orr_diag_no_memory(diag, "paths of trees");
    }
    return embed->strict && out->conflicts > 0 ? fail_shared(embed, out, diag) : ORR_OK;
}

/* ---- entry ---- */

enum orr_status orr_embed_check_members(const struct sys_embed *embed, struct orr_diag *diag)
{
    const uint32_t npus = embed->graph->npus;
    if (embed->n < 1 || embed->n > npus) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                             "trees and rings: expected 1 to %" PRIu32 " ranks, got %" PRIu32, npus,
                             embed->n);
    }
    for (uint32_t i = 0; i < embed->n && embed->npu != NULL; i++) {
        if (embed->npu[i] >= npus) {
            return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                                 "trees and rings: expected an NPU from 0 to %" PRIu32
                                 ", got %" PRIu32,
                                 npus - 1, embed->npu[i]);
        }
    }
    return ORR_OK;
}

static enum orr_status check_trees(const struct sys_embed *embed, const struct sys_tree *tree,
                                   uint32_t trees, struct orr_diag *diag)
{
    for (uint32_t t = 0; t < trees; t++) {
        if (tree[t].n != embed->n) {
            return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                                 "a tree: expected the parents of %" PRIu32 " ranks, got %" PRIu32,
                                 embed->n, tree[t].n);
        }
    }
    return ORR_OK;
}

enum orr_status orr_embed_open(struct embed_finder *finder, const struct sys_embed *embed,
                               bool keep, struct orr_arena *arena, struct orr_diag *diag)
{
    enum orr_status status = orr_embed_check_members(embed, diag);
    status = status == ORR_OK ? orr_embed_check_user_paths(embed, diag) : status;
    return status == ORR_OK ? orr_embed_finder_open(finder, embed, keep, arena, diag) : status;
}

enum orr_status orr_embed_trees(struct embed_finder *finder, const struct sys_tree *tree,
                                struct sys_trees *out, struct orr_diag *diag)
{
    const struct sys_embed *embed = finder->embed;
    struct orr_arena *arena = finder->arena;
    const uint32_t edges = out->trees * (embed->n - 1);
    struct embed_task task = {.graph = embed->graph, .edges = edges, .steps = MAX_STEPS};
    struct embed_cost cost;
    enum orr_status status = ORR_OK;
    task.edge = orr_arena_array(arena, (size_t)edges + 1, sizeof *task.edge);
    task.uses = orr_arena_array(arena, (size_t)embed->graph->links + 1, sizeof *task.uses);
    if (task.edge == NULL || task.uses == NULL) {
        return orr_diag_no_memory(diag, "paths of trees");
    }
    status = orr_embed_edges(finder, tree, out->trees, task.edge, diag);
    status = status == ORR_OK ? orr_embed_assign(&task, arena, &cost, &out->fewest, diag) : status;
    if (status != ORR_OK) {
        return status;
    }
    out->conflicts = cost.conflicts;
    return fill(embed, task.edge, tree, arena, out, diag);
}

enum orr_status orr_sys_embed(const struct sys_embed *embed, const struct sys_tree *tree,
                              uint32_t trees, struct orr_arena *arena, struct sys_trees *out,
                              struct orr_diag *diag)
{
    struct embed_finder finder;
    enum orr_status status = orr_embed_open(&finder, embed, false, arena, diag);
    *out = (struct sys_trees){.n = embed->n, .trees = trees};
    status = status == ORR_OK ? check_trees(embed, tree, trees, diag) : status;
    return status == ORR_OK ? orr_embed_trees(&finder, tree, out, diag) : status;
}
