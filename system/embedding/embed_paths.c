/* The ways between two NPUs of a graph that an edge of a tree may take: their own link; else over
 * other NPUs; else the shortest ways through switches. All in the order of the nodes. */
#include <string.h>

#include "system/embedding/embed_private.h"

enum { MAX_HOPS = 64 };

/* A search of ways. */
struct walk {
    struct embed_finder *finder;
    struct embed_paths *out;
    uint32_t to;
    uint32_t hops; /* of the ways that are sought */
    bool switches; /* through these, else over NPUs */
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
    finder->passed = orr_arena_array(arena, graph->nodes, sizeof *finder->passed);
    if (keep) {
        finder->of_pair =
            orr_arena_array(arena, (size_t)embed->n * embed->n, sizeof *finder->of_pair);
    }
    if (finder->hops == NULL || finder->queue == NULL || finder->passed == NULL ||
        (keep && finder->of_pair == NULL)) {
        return orr_diag_no_memory(diag, "ways of trees");
    }
    return orr_net_graph_reverse(graph, arena, &finder->reverse, diag);
}

/* ---- walking ---- */

static void keep_way(struct walk *walk)
{
    struct embed_paths *out = walk->out;
    uint32_t *link =
        orr_arena_alloc_raw(walk->finder->arena, walk->hops * sizeof *link, _Alignof(uint32_t));
    if (link == NULL) {
        walk->failed = true;
        return;
    }
    memcpy(link, walk->link, walk->hops * sizeof *link);
    out->way[out->count++] = (struct embed_path){
        .link = link, .hops = walk->hops, .between = walk->switches ? 0 : walk->hops - 1};
}

/* Whether a way may go on over a node, of which `left` hops remain. */
static bool may_pass(const struct walk *walk, uint32_t node, uint32_t left)
{
    const struct embed_finder *finder = walk->finder;
    const bool is_switch = node >= finder->embed->graph->npus;
    return left > 0 && is_switch == walk->switches && !finder->passed[node] &&
           (!walk->switches || finder->hops[node] == left);
}

static void walk_from(struct walk *walk, uint32_t node, uint32_t done)
{
    const struct net_graph *graph = walk->finder->embed->graph;
    const uint32_t left = walk->hops - done - 1;
    walk->finder->passed[node] = true;
    for (uint32_t i = graph->first_out[node]; i < graph->first_out[node + 1]; i++) {
        const uint32_t next = graph->link[i].to;
        if (walk->failed || walk->out->count == EMBED_MAX_PATHS) {
            break;
        }
        walk->link[done] = i;
        if (left == 0 && next == walk->to) {
            keep_way(walk);
        } else if (next != walk->to && may_pass(walk, next, left)) {
            walk_from(walk, next, done + 1);
        }
    }
    walk->finder->passed[node] = false;
}

/* Hops of the switches to a node, through switches only. */
static void measure(struct embed_finder *finder, uint32_t to)
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

static void walk_switches(struct walk *walk, uint32_t from)
{
    measure(walk->finder, walk->to);
    walk->hops = walk->finder->hops[from];
    walk->switches = true;
    if (walk->hops <= MAX_HOPS) {
        walk_from(walk, from, 0);
    }
}

/* ---- which ways ---- */

static void find_ways(struct walk *walk, uint32_t from)
{
    const struct sys_embed *embed = walk->finder->embed;
    const uint32_t usual = embed->max_between == 0 ? 1 : embed->max_between;
    const uint32_t max = usual < MAX_HOPS ? usual : MAX_HOPS - 1;
    const bool linked = orr_net_graph_find(embed->graph, from, walk->to) != NET_NO_LINK;
    const bool over = embed->detours == SYS_DETOURS_ON && (!linked || embed->around);
    for (uint32_t between = linked ? 0 : 1; between <= (over ? max : 0); between++) {
        walk->hops = between + 1;
        walk_from(walk, from, 0);
    }
    if (walk->out->count == 0 && !walk->failed) {
        walk_switches(walk, from);
    }
}

enum orr_status orr_embed_find_paths(struct embed_finder *finder, uint32_t from, uint32_t to,
                                     struct embed_paths *out, struct orr_diag *diag)
{
    struct embed_path room[EMBED_MAX_PATHS];
    struct embed_paths found = {.way = room};
    struct walk walk = {.finder = finder, .out = &found, .to = embed_npu(finder->embed, to)};
    find_ways(&walk, embed_npu(finder->embed, from));
    out->way = orr_arena_array(finder->arena, (size_t)found.count + 1, sizeof *out->way);
    out->count = found.count;
    if (walk.failed || out->way == NULL) {
        return orr_diag_no_memory(diag, "ways of trees");
    }
    memcpy(out->way, room, found.count * sizeof *out->way);
    return ORR_OK;
}
