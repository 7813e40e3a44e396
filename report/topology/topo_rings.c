/* Rings of groups as text and as JSON: see topo_rings.h. */
#include "report/topology/topo_rings.h"

#include <inttypes.h>

#include "core/arena.h"
#include "network/graph.h"
#include "network/permutations/permutations.h"
#include "report/table_text.h"

static uint32_t count_of(const struct net_graph *graph)
{
    uint32_t rings = 0;
    for (uint32_t i = 0; i < graph->rings; i++) {
        rings += graph->ring[i].member != NULL;
    }
    return rings;
}

/* The links of a ring step; none if the step follows routes. */
static struct net_route_links step_at(const struct net_graph *graph, const struct net_ring *ring,
                                      uint32_t index)
{
    return ring->way != 0 ? graph->way[ring->way - 1 + index] : (struct net_route_links){.hops = 0};
}

/* "0 (5) 4 (9) 8": members, in brackets the nodes between them. */
static void print_ring(FILE *out, const struct net_graph *graph, const struct net_ring *ring)
{
    char text[NET_NODE_BYTES];
    orr_print(out, "%-21s", "");
    for (uint32_t i = 0; i < ring->npus; i++) {
        const struct net_route_links step = step_at(graph, ring, i);
        orr_print(out, " %s", orr_net_node_name(graph, ring->member[i], text));
        for (uint32_t h = 0; h + 1 < step.hops; h++) {
            orr_print(out, "%s%s%s", h == 0 ? " (" : " ",
                      orr_net_node_name(graph, graph->link[step.link[h]].to, text),
                      h + 2 == step.hops ? ")" : "");
        }
    }
    orr_print(out, "\n");
}

/* Prints the jumps of a group of all NPUs, as an example. */
static void print_totient(FILE *out, const struct net_graph *graph)
{
    struct orr_arena *arena = orr_arena_create();
    struct net_jumps jumps = {.jumps = 0};
    orr_print(out, "%-21s totient:%" PRIu32 ", for all-reduces of groups of any size", "rings",
              graph->totient);
    if (arena != NULL && graph->npus > 1 &&
        orr_net_totient_rings(arena, graph->npus, graph->totient, &jumps)) {
        orr_print(out, "; of all %" PRIu32 " NPUs by jumps of", graph->npus);
    }
    for (uint32_t i = 0; i < jumps.jumps; i++) {
        orr_print(out, i > 0 ? ", %" PRIu32 : " %" PRIu32, jumps.jump[i]);
    }
    orr_print(out, "\n");
    orr_arena_destroy(arena);
}

void orr_graph_print_rings(FILE *out, const struct net_graph *graph)
{
    const uint32_t rings = count_of(graph);
    if (graph->totient != 0) {
        print_totient(out, graph);
    }
    if (rings == 0) {
        return;
    }
    orr_print(out, "%-21s %" PRIu32 ", and in brackets what their steps pass\n", "rings of groups",
              rings);
    for (uint32_t i = 0; i < graph->rings; i++) {
        if (graph->ring[i].member != NULL) {
            print_ring(out, graph, &graph->ring[i]);
        }
    }
}

/* The nodes of a step, both ends included. */
static json_t *step_json(const struct net_graph *graph, const struct net_ring *ring, uint32_t index)
{
    const struct net_route_links step = step_at(graph, ring, index);
    const uint32_t next = ring->member[(index + 1) % ring->npus];
    json_t *nodes = json_array();
    (void)json_array_append_new(nodes, json_integer(ring->member[index]));
    for (uint32_t h = 0; h + 1 < step.hops; h++) {
        (void)json_array_append_new(nodes, json_integer(graph->link[step.link[h]].to));
    }
    (void)json_array_append_new(nodes, json_integer(next));
    return nodes;
}

static json_t *ring_json(const struct net_graph *graph, const struct net_ring *ring)
{
    json_t *members = json_array(), *steps = ring->way != 0 ? json_array() : NULL;
    for (uint32_t i = 0; i < ring->npus; i++) {
        (void)json_array_append_new(members, json_integer(ring->member[i]));
        if (steps != NULL) {
            (void)json_array_append_new(steps, step_json(graph, ring, i));
        }
    }
    return json_pack("{s:o, s:o*}", "members", members, "steps", steps);
}

json_t *orr_graph_rings_json(const struct net_graph *graph)
{
    json_t *rings = count_of(graph) != 0 ? json_array() : NULL;
    for (uint32_t i = 0; rings != NULL && i < graph->rings; i++) {
        if (graph->ring[i].member != NULL) {
            (void)json_array_append_new(rings, ring_json(graph, &graph->ring[i]));
        }
    }
    return rings;
}
