/* Graph metrics of a stacked topology: links, hops, bisection (docs/models.md, section 3). */
#ifndef ORR_NETWORK_NET_METRICS_H
#define ORR_NETWORK_NET_METRICS_H

#include "network/net_config.h"

/* Graph metrics of a topology (docs/models.md, section 3). Bandwidths are of one direction, and 0
 * where the config's are. Links count each direction. */
struct net_dim_metrics {
    uint64_t stride;         /* difference of neighbours' ranks */
    uint64_t lines;          /* rings, cliques or switches along the dimension */
    uint64_t links;          /* of the dimension, each direction counted */
    uint32_t links_per_npu;  /* outgoing links of an NPU; of a mesh, of one between two others */
    double link_bytes_per_s; /* of one of these */
    double npu_bytes_per_s;  /* of all of these */
    unsigned hops_max;
    double hops_from_one; /* sum of hops of the shortest paths from an NPU to all others of its
                             line; of a mesh the mean over its NPUs */
    double hops_mean;
    double bisection_bytes_per_s; /* of the cut that halves every line of the dimension */
};

struct net_metrics {
    uint64_t links;
    double npu_bytes_per_s;     /* of all dimensions */
    double network_bytes_per_s; /* over all NPUs */
    double bisection_bytes_per_s;
    unsigned bisection_dim; /* with the smallest bisection; config->dims */
    unsigned diameter;      /* hops */
    double hops_mean;
    sim_time longest_path_ps; /* largest latency of a shortest path */
    double mean_path_ps;
};

/* Metrics of a dimension of a config of 1 to 2^31 NPUs. O(dims). */
struct net_dim_metrics orr_net_dim_metrics(const struct net_config *config, unsigned d);

/* Ports of a dimension, of so many an NPU: those at the ends of a mesh lead nowhere. O(dims). */
uint64_t orr_net_servers(const struct net_config *config, unsigned d, uint32_t ports);

/* Metrics of the network. O(dims^2). */
struct net_metrics orr_net_metrics(const struct net_config *config);

#endif
