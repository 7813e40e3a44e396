/* Dinic's algorithm; see max_flow.h. */
#include "network/bounds/max_flow.h"

#include <string.h>

#include "core/arena.h"

static bool index_arcs(struct max_flow *flow, const struct cap_arc *arc, struct orr_arena *arena)
{
    uint32_t *first = orr_arena_array(arena, (size_t)flow->nodes + 2, sizeof *first);
    uint32_t *leaving = orr_arena_array(arena, (size_t)flow->arcs * 2 + 1, sizeof *leaving);
    uint32_t *to = orr_arena_array(arena, (size_t)flow->arcs * 2 + 1, sizeof *to);
    if (first == NULL || leaving == NULL || to == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < flow->arcs; i++) {
        to[2 * i] = arc[i].to;
        to[2 * i + 1] = arc[i].from;
        first[arc[i].from + 2]++;
        first[arc[i].to + 2]++;
    }
    for (uint32_t n = 2; n <= flow->nodes; n++) {
        first[n] += first[n - 1];
    }
    for (uint32_t i = 0; i < 2 * flow->arcs; i++) {
        leaving[first[to[i ^ 1] + 1]++] = i;
    }
    flow->first = first;
    flow->leaving = leaving;
    flow->to = to;
    return true;
}

enum orr_status orr_max_flow_make(struct max_flow *out, uint32_t nodes, uint32_t arcs,
                                  const struct cap_arc *arc, struct orr_arena *arena)
{
    *out = (struct max_flow){.nodes = nodes, .arcs = arcs};
    out->rest = orr_arena_array(arena, (size_t)arcs * 2 + 1, sizeof *out->rest);
    out->level = orr_arena_array(arena, nodes, sizeof *out->level);
    out->next = orr_arena_array(arena, nodes, sizeof *out->next);
    out->path = orr_arena_array(arena, nodes, sizeof *out->path);
    out->queue = orr_arena_array(arena, nodes, sizeof *out->queue);
    return index_arcs(out, arc, arena) && out->rest != NULL && out->level != NULL &&
                   out->next != NULL && out->path != NULL && out->queue != NULL
               ? ORR_OK
               : ORR_ERR_MEMORY;
}

/* Levels of all nodes that the source reaches; whether the sink is one of them. */
static bool find_levels(struct max_flow *flow, uint32_t source, uint32_t sink)
{
    uint32_t head = 0, tail = 0;
    memset(flow->level, 0xff, flow->nodes * sizeof *flow->level);
    flow->level[source] = 0;
    flow->queue[tail++] = source;
    while (head < tail && flow->level[sink] == UINT32_MAX) {
        const uint32_t node = flow->queue[head++];
        for (uint32_t i = flow->first[node]; i < flow->first[node + 1]; i++) {
            const uint32_t arc = flow->leaving[i], to = flow->to[arc];
            if (flow->rest[arc] > 0 && flow->level[to] == UINT32_MAX) {
                flow->level[to] = flow->level[node] + 1;
                flow->queue[tail++] = to;
            }
        }
    }
    return flow->level[sink] != UINT32_MAX;
}

/* The next arc of the node that leads down a level and has capacity left; false: none. */
static bool advance(struct max_flow *flow, uint32_t node, uint32_t *out)
{
    for (uint32_t *next = &flow->next[node]; *next < flow->first[node + 1]; ++*next) {
        const uint32_t arc = flow->leaving[*next];
        if (flow->rest[arc] > 0 && flow->level[flow->to[arc]] == flow->level[node] + 1) {
            *out = arc;
            return true;
        }
    }
    return false;
}

/* Sends as much as the path carries; returns how many of its first arcs still have capacity. */
static uint32_t push(struct max_flow *flow, uint32_t hops, uint64_t most, uint64_t *sent)
{
    uint32_t keep = hops;
    for (uint32_t i = 0; i < hops; i++) {
        const uint64_t rest = flow->rest[flow->path[i]];
        most = rest < most ? rest : most;
    }
    for (uint32_t i = hops; i-- > 0;) {
        flow->rest[flow->path[i]] -= most;
        flow->rest[flow->path[i] ^ 1] += most;
        keep = flow->rest[flow->path[i]] == 0 ? i : keep;
    }
    *sent += most;
    return keep;
}

/* A blocking flow in the level graph. */
static uint64_t block(struct max_flow *flow, uint32_t source, uint32_t sink, uint64_t limit)
{
    uint64_t sent = 0;
    uint32_t hops = 0, node = source, arc;
    for (uint32_t n = 0; n < flow->nodes; n++) {
        flow->next[n] = flow->first[n];
    }
    while (sent < limit) {
        if (node == sink) {
            hops = push(flow, hops, limit - sent, &sent);
        } else if (advance(flow, node, &arc)) {
            flow->path[hops++] = arc;
        } else if (node != source) {
            flow->level[node] = UINT32_MAX; /* a dead end */
            hops--;
        } else {
            break;
        }
        node = hops == 0 ? source : flow->to[flow->path[hops - 1]];
    }
    return sent;
}

uint64_t orr_max_flow_run(struct max_flow *flow, uint32_t source, uint32_t sink, uint64_t limit)
{
    uint64_t sent = 0;
    while (sent < limit && find_levels(flow, source, sink)) {
        sent += block(flow, source, sink, limit - sent);
    }
    return sent;
}
