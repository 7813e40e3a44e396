/* Channels of trees on the links of a graph: the embedding assigns each edge one channel per
 * direction, in every slice of a dimension that uses trees. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/conf/conf.h"
#include "network/capacity_changes.h"
#include "network/graph.h"
#include "system/collectives/trees.h"
#include "system/embedding/embedding.h"
#include "system/plan/planning.h"
#include "system/sys_config.h"

enum { MAX_CHANNELS = 1 << 24 };

struct layout {
    struct orr_arena *arena;
    const struct orr_conf *map; /* the section, or NULL */
    struct sys_config *config;
    const struct net_config *net;
    struct sys_tree *tree;       /* [trees] input of the embedding */
    struct net_channel *channel; /* of all slices embedded so far */
    uint32_t channels;
    struct sys_shared worst; /* the channel that the largest number of edges share */
    uint32_t conflicts;
    double bytes_per_s; /* of the slowest link */
};

static enum orr_status fail(const struct layout *layout, const char *why, struct orr_diag *diag)
{
    const struct orr_conf *node = orr_conf_get(layout->map, "trees");
    const struct orr_location location = orr_conf_location(node);
    return orr_diag_fail(diag, ORR_ERR_INPUT, &location, "%s: %s", node->path, why);
}

/* ---- a slice ---- */

/* Channel numbers count within the slice, from 1; the order of edges is the same in all slices. */
static bool number_channels(struct layout *layout, const struct sys_trees *slice)
{
    const uint32_t n = slice->n, count = slice->trees;
    struct coll_trees *trees = orr_arena_alloc(layout->arena, sizeof *trees);
    struct coll_tree *tree = orr_arena_array(layout->arena, count, sizeof *tree);
    uint32_t *up = orr_arena_array(layout->arena, (size_t)count * n, sizeof *up);
    uint32_t *down = orr_arena_array(layout->arena, (size_t)count * n, sizeof *down);
    if (trees == NULL || tree == NULL || up == NULL || down == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < count * n; i++) { /* the root: SYS_NO_CHANNEL + 1 = 0, no channel */
        up[i] = slice->up[i] + 1;
        down[i] = slice->down[i] + 1;
    }
    for (uint32_t t = 0; t < count; t++) {
        tree[t] = layout->config->trees->tree[t];
        tree[t].up = up + (size_t)t * n;
        tree[t].down = down + (size_t)t * n;
    }
    *trees = (struct coll_trees){.n = n, .trees = count, .tree = tree};
    layout->config->trees = trees;
    return true;
}

static void add_slice(struct layout *layout, const struct sys_trees *slice)
{
    memcpy(&layout->channel[layout->channels], slice->channel,
           slice->channels * sizeof *slice->channel);
    layout->channels += slice->channels;
    layout->conflicts += slice->conflicts;
    for (uint32_t i = 0; i < slice->shares; i++) {
        if (slice->shared[i].edges > layout->worst.edges) {
            layout->worst = slice->shared[i];
        }
    }
    for (uint32_t c = 0; c < slice->channels; c++) {
        for (uint32_t h = 0; h < slice->channel[c].hops; h++) {
            layout->bytes_per_s =
                fmin(layout->bytes_per_s,
                     layout->net->graph->link[slice->channel[c].hop[h].link].bytes_per_s);
        }
    }
}

static enum orr_status embed_slice(struct layout *layout, const struct sys_channel_range *ways,
                                   uint32_t number, struct orr_diag *diag)
{
    char why[512];
    const struct sys_tree_keys *keys = &layout->config->tree_keys;
    const uint32_t n = ways->n, stride = ways->stride, trees = layout->config->trees->trees;
    uint32_t *npu = orr_arena_array(layout->arena, n, sizeof *npu);
    struct sys_trees slice;
    struct orr_diag reason;
    if (npu == NULL) {
        return orr_diag_no_memory(diag, "the channels of trees");
    }
    for (uint32_t i = 0; i < n; i++) {
        npu[i] = number / stride * stride * n + number % stride + i * stride;
    }
    const struct sys_embed embed = {.graph = layout->net->graph,
                                    .n = n,
                                    .npu = npu,
                                    .detours = keys->detours,
                                    .strict = keys->channels == SYS_CHANNELS_OWN,
                                    .given = keys->way,
                                    .givens = keys->ways};
    orr_diag_init(&reason);
    if (orr_sys_embed(&embed, layout->tree, trees, layout->arena, &slice, &reason) != ORR_OK) {
        (void)snprintf(why, sizeof why, "%.500s", reason.message);
        return reason.status == ORR_ERR_INPUT ? fail(layout, why, diag)
                                              : orr_diag_no_memory(diag, "the channels of trees");
    }
    const bool first = layout->channels == 0;
    add_slice(layout, &slice);
    return !first || number_channels(layout, &slice)
               ? ORR_OK
               : orr_diag_no_memory(diag, "the channels of trees");
}

/* ---- all slices ---- */

static uint64_t count_channels(const struct layout *layout, struct sys_channel_range *ways)
{
    const struct coll_trees *trees = layout->config->trees;
    uint64_t channels = 0;
    uint32_t stride = 1;
    for (unsigned d = 0; d < layout->net->dims; d++) {
        const uint32_t n = layout->net->dim[d].npus;
        if (orr_sys_uses_user_trees(layout->config, d) && n == trees->n) {
            ways[d] = (struct sys_channel_range){.first = (uint32_t)channels,
                                                 .count = 2 * (n - 1) * trees->trees,
                                                 .stride = stride,
                                                 .n = n};
            channels += (uint64_t)ways[d].count * (layout->net->graph->npus / n);
        }
        stride *= n;
        if (channels > MAX_CHANNELS) {
            return channels;
        }
    }
    return channels;
}

static enum orr_status embed_all(struct layout *layout, const struct sys_channel_range *ways,
                                 struct orr_diag *diag)
{
    const struct coll_trees *trees = layout->config->trees;
    for (uint32_t t = 0; t < trees->trees; t++) {
        layout->tree[t] = (struct sys_tree){
            .n = trees->n, .root = trees->tree[t].root, .parent = trees->tree[t].parent};
    }
    for (unsigned d = 0; d < layout->net->dims; d++) {
        const uint32_t slices = ways[d].count != 0 ? layout->net->graph->npus / ways[d].n : 0;
        for (uint32_t slice = 0; slice < slices; slice++) {
            const enum orr_status status = embed_slice(layout, &ways[d], slice, diag);
            if (status != ORR_OK) {
                return status;
            }
        }
    }
    return ORR_OK;
}

static void warn_shared(const struct layout *layout, struct orr_diag *diag)
{
    char from[NET_NODE_BYTES], to[NET_NODE_BYTES];
    const struct orr_conf *node = orr_conf_get(layout->map, "trees");
    const struct orr_location location = orr_conf_location(node);
    const struct net_graph *graph = layout->net->graph;
    const struct net_link *link = &graph->link[layout->worst.hop.link];
    if (layout->conflicts != 0) {
        orr_diag_warn(diag, &location,
                      "%s: their edges share links, %" PRIu32
                      " times, one of them from %s to %s among %" PRIu32
                      "; messages that need it at the same time queue",
                      node->path, layout->conflicts, orr_net_node_name(graph, link->from, from),
                      orr_net_node_name(graph, link->to, to), layout->worst.edges);
    }
}

/* Bandwidth of the slowest link. */
static double slowest_link(const struct net_graph *graph)
{
    double bytes_per_s = INFINITY;
    for (uint32_t i = 0; i < graph->links; i++) {
        bytes_per_s = fmin(bytes_per_s, graph->link[i].bytes_per_s);
    }
    return graph->links != 0 ? bytes_per_s : 0;
}

/* Why edges of trees have no channels; NULL: they have. */
static const char *without_channels(const struct sys_config *config, const struct net_config *net)
{
    if (net->graph == NULL) {
        return "channels need the links of a network.graph";
    }
    if (config->tree_keys.channels == SYS_CHANNELS_NONE) {
        return "with tree_channels: none edges have no channels";
    }
    return orr_net_changes(net) ? "in a network with changes messages use routes" : NULL;
}

/* Warns of keys without effect, and on a graph that changes of the missing channels. */
static void warn_without_channels(const struct layout *layout, const char *why,
                                  struct orr_diag *diag)
{
    const struct orr_conf *trees = layout->map != NULL ? orr_conf_get(layout->map, "trees") : NULL;
    const bool none = layout->config->tree_keys.channels == SYS_CHANNELS_NONE;
    if (why == NULL || trees == NULL) {
        return;
    }
    if (!none) {
        orr_conf_warn_unused(layout->map, "tree_channels", why, diag);
    }
    orr_conf_warn_unused(layout->map, "tree_detours", why, diag);
    orr_conf_warn_unused(layout->map, "tree_ways", why, diag);
    if (!none && layout->net->graph != NULL) {
        const struct orr_location location = orr_conf_location(trees);
        orr_diag_warn(diag, &location, "%s: their edges have no channels of their own: %s",
                      trees->path, why);
    }
}

enum orr_status orr_sys_embed_trees(struct orr_arena *arena, const struct orr_conf *map,
                                    struct sys_config *config, struct net_config *net,
                                    struct orr_diag *diag)
{
    struct layout layout = {
        .arena = arena, .map = map, .config = config, .net = net, .bytes_per_s = INFINITY};
    config->tree_bytes_per_s = net->graph != NULL ? slowest_link(net->graph) : 0;
    const char *without = without_channels(config, net);
    if (config->trees == NULL || config->trees->n < 2 || without != NULL) {
        warn_without_channels(&layout, without, diag);
        return ORR_OK;
    }
    struct sys_channel_range *ways = orr_arena_array(arena, net->dims, sizeof *ways);
    layout.tree = orr_arena_array(arena, config->trees->trees, sizeof *layout.tree);
    const uint64_t channels = ways != NULL ? count_channels(&layout, ways) : 0;
    if (channels > MAX_CHANNELS) {
        return fail(&layout, "more tree edges in all slices of the network than are supported",
                    diag);
    }
    layout.channel = orr_arena_array(arena, channels, sizeof *layout.channel);
    if (ways == NULL || layout.tree == NULL || (layout.channel == NULL && channels != 0)) {
        return orr_diag_no_memory(diag, "the channels of trees");
    }
    const enum orr_status status = embed_all(&layout, ways, diag);
    if (status == ORR_OK && channels != 0) {
        warn_shared(&layout, diag);
        net->channel = layout.channel;
        net->channels = layout.channels;
        config->channel_ranges = ways;
        config->tree_bytes_per_s = layout.bytes_per_s;
    }
    return status;
}

/* ---- messages ---- */

uint32_t orr_sys_tree_channel(const struct sys *sys, unsigned dim, struct orr_rank src,
                              struct orr_rank dst, uint32_t channel)
{
    const struct net_config *net = sys->net->config;
    const struct sys_channel_range *all = sys->config->channel_ranges;
    if (all == NULL || dim >= net->dims || all[dim].count == 0) {
        return 0;
    }
    const struct sys_channel_range *ways = &all[dim];
    const uint32_t slice =
        src.rank / (ways->stride * ways->n) * ways->stride + src.rank % ways->stride;
    const uint32_t index = ways->first + slice * ways->count + channel - 1;
    const bool matches = index < net->channels && net->channel[index].from == src.rank &&
                         net->channel[index].to == dst.rank;
    return matches ? index + 1 : 0;
}
