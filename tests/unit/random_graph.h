/* Random graphs for tests of bounds. */
#ifndef ORR_TESTS_UNIT_RANDOM_GRAPH_H
#define ORR_TESTS_UNIT_RANDOM_GRAPH_H

#include <stdint.h>

#include "core/arena.h"
#include "core/diag.h"
#include "core/rng.h"
#include "network/graph.h"
#include "network/graph_build.h"

struct random_graph {
    uint32_t nodes;   /* at most; at least 2 are NPUs */
    bool duplex;      /* links both ways, of equal bandwidth */
    bool no_switches; /* all nodes are NPUs */
};

/* A graph of random links of 1 to 12 units of `unit` bytes/s; it need not be connected. */
static inline struct net_graph random_graph(const struct random_graph *shape, uint64_t seed,
                                            struct orr_arena *arena)
{
    static const double unit = 12.5e8;
    struct orr_rng rng;
    struct net_graph graph;
    struct net_graph_builder builder;
    orr_rng_init(&rng, seed, 59);
    const uint32_t nodes = 2 + (uint32_t)orr_rng_below(&rng, shape->nodes - 1);
    const uint32_t switches =
        shape->no_switches ? 0 : (uint32_t)orr_rng_below(&rng, nodes > 4 ? 4 : nodes - 1);
    const uint64_t density = 2 + orr_rng_below(&rng, 7);
    orr_net_graph_begin(&builder, arena, nodes - switches, switches);
    for (uint32_t a = 0; a < nodes; a++) {
        for (uint32_t b = shape->duplex ? a + 1 : 0; b < nodes; b++) {
            const bool is_path = (a + 1) % nodes == b; /* most graphs should be connected */
            if (a == b || orr_rng_below(&rng, 10) >= (is_path ? 9 : density)) {
                continue;
            }
            const struct net_link link = {.from = a,
                                          .to = b,
                                          .count = 1 + (uint32_t)orr_rng_below(&rng, 2),
                                          .bytes_per_s =
                                              unit * (double)(1 + orr_rng_below(&rng, 6))};
            if (shape->duplex) {
                orr_net_graph_both(&builder, &link);
            } else {
                orr_net_graph_link(&builder, &link);
            }
        }
    }
    ORR_ASSERT(orr_net_graph_end(&builder, &graph, NULL) == ORR_OK);
    return graph;
}

#endif
