/* The k shortest loopless paths between two nodes (Yen's algorithm, of igraph), computed and cached
 * on first use of a pair. */
#ifndef ORR_NETWORK_ROUTING_K_SHORTEST_H
#define ORR_NETWORK_ROUTING_K_SHORTEST_H

#include <stdint.h>

#include "core/status.h"

struct net_graph;
struct orr_arena;
struct orr_diag;

struct k_shortest;

struct k_shortest_config {
    const struct net_graph *graph;
    const uint32_t *root; /* [npus]: the NPU, or the switch that is its only neighbour */
    uint32_t paths;
    struct orr_arena *arena;
};

/* 1 to `paths` paths, fewest links first. */
struct k_shortest_paths {
    uint32_t count;
    const uint32_t *first; /* [count + 1]: into link */
    const uint32_t *link;
};

/* Creates the cache; the graph must outlive it. Error: memory. */
enum orr_status orr_k_shortest_create(struct k_shortest **out, const struct k_shortest_config *of,
                                      struct orr_diag *diag);

/* Finds the paths between two different nodes, neither of which is a leaf NPU. Errors: no path
 * (ORR_ERR_INPUT), memory. */
enum orr_status orr_k_shortest_find(struct k_shortest *all, uint32_t from, uint32_t to,
                                    const struct k_shortest_paths **out);

#endif
