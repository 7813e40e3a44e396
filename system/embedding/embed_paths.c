/* Candidate paths between two NPUs: their link; else over other NPUs; else the shortest paths
 * through switches. All in the order of nodes. */
#include <string.h>

#include "core/arena.h"
#include "core/diag.h"
#include "network/graph.h"
#include "system/embedding/embed_private.h"

enum { MAX_HOPS = 64 };

/* Depth-first search of paths. */
struct path_dfs {
    struct embed_finder *finder;
    struct embed_paths *out;
    uint32_t to;
    uint32_t hops; /* length of the paths */
    bool switches; /* through switches, else over NPUs */
    bool failed;   /* memory */
    uint32_t link[MAX_HOPS];
};

enum orr_status orr_embed_finder_open(struct embed_finder *finder, const struct sys_embed *embed,
                                      bool keep, struct orr_arena *arena, struct orr_diag *diag)
{
    const struct net_graph *graph = embed->graph;
    *finder = (struct embed_finder){.embed = embed, .arena = arena};
    finder->hops = orr_arena_array(arena, graph->nodes, sizeof *finder->hops);
    finder->queue = orr_arena_array(arena, graph->nodes, sizeof *finder->queue);
    finder->visited = orr_arena_array(arena, graph->nodes, sizeof *finder->visited);
    if (keep) {
        finder->of_pair =
            orr_arena_array(arena, (size_t)embed->n * embed->n, sizeof *finder->of_pair);
    }
    if (finder->hops == NULL || finder->queue == NULL || finder->visited == NULL ||
        (keep && finder->of_pair == NULL)) {
        return orr_diag_no_memory(diag, "paths of trees");
    }
    return orr_net_graph_reverse(graph, arena, &finder->reverse, diag);
}

/* ---- depth-first search ---- */

static void keep_path(struct path_dfs *path_dfs)
{
    struct embed_paths *out = path_dfs->out;
    uint32_t *link = orr_arena_alloc_raw(path_dfs->finder->arena, path_dfs->hops * sizeof *link,
                                         _Alignof(uint32_t));
    if (link == NULL) {
        path_dfs->failed = true;
        return;
    }
    memcpy(link, path_dfs->link, path_dfs->hops * sizeof *link);
    out->path[out->count++] =
        (struct embed_path){.link = link,
                            .hops = path_dfs->hops,
                            .between = path_dfs->switches ? 0 : path_dfs->hops - 1};
}

/* Whether a path can continue over a node with `left` hops remaining. */
static bool can_pass(const struct path_dfs *path_dfs, uint32_t node, uint32_t left)
{
    const struct embed_finder *finder = path_dfs->finder;
    const bool is_switch = node >= finder->embed->graph->npus;
    return left > 0 && is_switch == path_dfs->switches && !finder->visited[node] &&
           (!path_dfs->switches || finder->hops[node] == left);
}

static void dfs_from(struct path_dfs *path_dfs, uint32_t node, uint32_t done)
{
    const struct net_graph *graph = path_dfs->finder->embed->graph;
    const uint32_t left = path_dfs->hops - done - 1;
    path_dfs->finder->visited[node] = true;
    for (uint32_t i = graph->first_out[node]; i < graph->first_out[node + 1]; i++) {
        const uint32_t next = graph->link[i].to;
        if (path_dfs->failed || path_dfs->out->count == EMBED_MAX_PATHS) {
            break;
        }
        path_dfs->link[done] = i;
        if (left == 0 && next == path_dfs->to) {
            keep_path(path_dfs);
        } else if (next != path_dfs->to && can_pass(path_dfs, next, left)) {
            dfs_from(path_dfs, next, done + 1);
        }
    }
    path_dfs->finder->visited[node] = false;
}

/* Hops of each switch to a node, through switches only. */
static void measure_hops(struct embed_finder *finder, uint32_t to)
{
    const struct net_graph *graph = finder->embed->graph;
    uint32_t head = 0, tail = 0;
    memset(finder->hops, 0xff, graph->nodes * sizeof *finder->hops);
    finder->hops[to] = 0;
    finder->queue[tail++] = to;
    while (head < tail) {
        const uint32_t node = finder->queue[head++];
        for (uint32_t i = finder->reverse.first_in[node]; i < finder->reverse.first_in[node + 1];
             i++) {
            const uint32_t from = graph->link[finder->reverse.in[i]].from;
            if (finder->hops[from] == UINT16_MAX) {
                finder->hops[from] = (uint16_t)(finder->hops[node] + 1);
                finder->queue[tail] = from;
                tail += from >= graph->npus ? 1 : 0;
            }
        }
    }
}

static void dfs_through_switches(struct path_dfs *path_dfs, uint32_t from)
{
    measure_hops(path_dfs->finder, path_dfs->to);
    path_dfs->hops = path_dfs->finder->hops[from];
    path_dfs->switches = true;
    if (path_dfs->hops <= MAX_HOPS) {
        dfs_from(path_dfs, from, 0);
    }
}

/* ---- all paths ---- */

static void find_all_paths(struct path_dfs *path_dfs, uint32_t from)
{
    const struct sys_embed *embed = path_dfs->finder->embed;
    const uint32_t default_max = embed->max_between == 0 ? 1 : embed->max_between;
    const uint32_t max = default_max < MAX_HOPS ? default_max : MAX_HOPS - 1;
    const bool linked = orr_net_graph_find(embed->graph, from, path_dfs->to) != NET_NO_LINK;
    const bool over = embed->detours == SYS_DETOURS_ON && (!linked || embed->around);
    for (uint32_t between = linked ? 0 : 1; between <= (over ? max : 0); between++) {
        path_dfs->hops = between + 1;
        dfs_from(path_dfs, from, 0);
    }
    if (path_dfs->out->count == 0 && !path_dfs->failed) {
        dfs_through_switches(path_dfs, from);
    }
}

enum orr_status orr_embed_find_paths(struct embed_finder *finder, uint32_t from, uint32_t to,
                                     struct embed_paths *out, struct orr_diag *diag)
{
    struct embed_path storage[EMBED_MAX_PATHS];
    struct embed_paths found = {.path = storage};
    struct path_dfs path_dfs = {
        .finder = finder, .out = &found, .to = embed_npu(finder->embed, to)};
    find_all_paths(&path_dfs, embed_npu(finder->embed, from));
    out->path = orr_arena_array(finder->arena, (size_t)found.count + 1, sizeof *out->path);
    out->count = found.count;
    if (path_dfs.failed || out->path == NULL) {
        return orr_diag_no_memory(diag, "paths of trees");
    }
    memcpy(out->path, storage, found.count * sizeof *out->path);
    return ORR_OK;
}
