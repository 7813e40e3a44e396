/* Dimensions of a stacked topology: blocks, bandwidths, latencies. Times are picoseconds, sizes
 * bytes, bandwidths bytes/s. */
#ifndef ORR_NETWORK_NET_DIMS_H
#define ORR_NETWORK_NET_DIMS_H

#include "core/time.h"

enum { NET_MAX_DIMS = 32 };

enum net_block { NET_RING, NET_FULLY_CONNECTED, NET_SWITCH, NET_MESH, NET_BLOCKS };

/* Blocks whose NPUs pass messages on: a ring, and a mesh, which is a ring cut open. */
static inline bool net_passes_on(enum net_block block)
{
    return block == NET_RING || block == NET_MESH;
}

/* One dimension of a stacked topology. Dimension 0 varies fastest in the rank. */
struct net_dim {
    enum net_block block;
    uint32_t npus;                /* >= 1 */
    double bandwidth_bytes_per_s; /* of a link, or of an NPU's whole port when `per_npu` */
    sim_time latency_ps;          /* of one hop */
    bool per_npu;                 /* bandwidth_is: npu (aggregate) instead of link */
    bool reduces;                 /* a switch that reduces data in transit */
    /* The same as the file gives them, for delays in whole ns (net_config.whole_ns). */
    double given_bytes_per_ns;
    double given_latency_ns;
};

/* "ring", "fully_connected", "switch", "mesh". */
const char *orr_net_block_name(enum net_block block);

#endif
