/* Metrics of a graph: links, hops, bisection. */
#ifndef ORR_NETWORK_GRAPH_METRICS_H
#define ORR_NETWORK_GRAPH_METRICS_H

#include <stdint.h>

#include "core/status.h"

struct net_graph;
struct orr_arena;
struct orr_diag;

/* Metrics of a graph. Links are counted per direction, parallel ones each. */
struct net_graph_metrics {
    uint64_t links;
    uint32_t min_degree, max_degree;         /* outgoing links of an NPU */
    double npu_bytes_per_s;                  /* outgoing bandwidth of an NPU, mean */
    double network_bytes_per_s;              /* of all links */
    double min_bytes_per_s, max_bytes_per_s; /* of a link */
    uint32_t diameter;                       /* max hops between NPUs on shortest paths */
    double hops_mean;                        /* mean over pairs of NPUs */
    /* [diameter + 1]: ordered pairs of NPUs at each distance, from the nodes searched; in the
     * arena. */
    const double *pairs;
    /* Distances were computed from `searched` of the `searchable` nodes that have NPUs: from all
     * unless that takes more than seconds; if not from all, the diameter is a lower bound. */
    uint32_t searched, searchable;
};

/* Computes the metrics. Errors: as orr_net_graph_check_connected. O(nodes with NPUs x (nodes +
 * links)), at most about 1e9 steps. (routing/graph_metrics.c) */
enum orr_status orr_net_graph_metrics(const struct net_graph *graph, struct orr_arena *arena,
                                      struct net_graph_metrics *out, struct orr_diag *diag);

/* The smallest one-way capacity found between two halves of the NPUs, floor(n / 2) and the rest.
 * Switches are on the side that minimizes the cut (maximum flow). Candidates: halves by rank,
 * dimension, distance and Fiedler vector, and these with swaps of NPUs. So it is an upper bound of
 * the bisection bandwidth. */
struct net_bisection {
    double bytes_per_s;
    uint32_t cuts; /* tried */
};

/* Requires 2 or more connected NPUs. Errors: memory. (routing/bisection.c) */
enum orr_status orr_net_graph_bisection(const struct net_graph *graph, struct orr_arena *arena,
                                        struct net_bisection *out, struct orr_diag *diag);

/* Fails unless every NPU reaches every other. The error names two NPUs that do not, and the number
 * of components. O(nodes + links). */
enum orr_status orr_net_graph_check_connected(const struct net_graph *graph,
                                              struct orr_arena *arena, struct orr_diag *diag);

#endif
