/* What a stacked topology is as a graph (docs/models.md, section 3). Bandwidths are one way, and 0
 * where the config's are. Links count each direction. */
#ifndef ORR_NETWORK_TOPOLOGY_FIGURES_H
#define ORR_NETWORK_TOPOLOGY_FIGURES_H

#include "network/network.h"

struct net_dim_figures {
    uint64_t stride;         /* how far the ranks of neighbours are apart */
    uint64_t lines;          /* rings, cliques or switches along the dimension */
    uint64_t links;          /* in all, each way */
    uint32_t links_per_npu;  /* by which an NPU sends */
    double link_bytes_per_s; /* of one of these */
    double npu_bytes_per_s;  /* of all of these */
    unsigned hops_max;
    uint64_t hops_from_one; /* of the shortest ways from an NPU to all others of its line */
    double hops_mean;
    double
        bisection_bytes_per_s; /* over the links that part every line of the dimension in halves */
};

struct net_figures {
    uint64_t links;
    double npu_bytes_per_s;     /* of all dimensions */
    double network_bytes_per_s; /* that, of all NPUs */
    double bisection_bytes_per_s;
    unsigned bisection_dim; /* the least one's; config->dims when no dimension has links */
    unsigned diameter;      /* hops */
    double hops_mean;
    sim_time longest_path_ps; /* latency of the longest of the shortest ways */
    double mean_path_ps;
};

/* A dimension of a config of 1 to 2^31 NPUs. O(dims). */
struct net_dim_figures net_dim_figures(const struct net_config *config, unsigned d);

/* The whole network. O(dims^2). */
struct net_figures net_figures(const struct net_config *config);

/* How many NPUs one reaches over a dimension without passing another NPU: at most two in a ring,
 * else all others of the line; and the index-th of them. A ring's are the one before and the one
 * behind, others ascend. O(dims). */
uint32_t net_neighbours(const struct net_config *config, unsigned d);
uint32_t net_neighbour(const struct net_config *config, uint32_t rank, unsigned d, uint32_t index);

#endif
