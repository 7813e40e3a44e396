/* The links of a stacked topology and the way of a message over them, one hop at a time: dimension
 * order (the first dimension that differs first), a ring the shorter way, a switch in two hops.
 *
 * Links of an NPU: a ring has one each way (two parallel ones in a ring of 2), a fully connected
 * dimension one per peer, a switch one up and one down. A bandwidth counted per NPU is shared: a
 * ring's link has half of it (all of it in a ring of 2, which then has one link), a fully connected
 * dimension's 1 / (npus - 1), a switch's the whole. */
#ifndef ORR_NETWORK_TOPOLOGY_BLOCK_LINKS_H
#define ORR_NETWORK_TOPOLOGY_BLOCK_LINKS_H

#include "network/network.h"

struct link_dim {
    uint32_t first_link;
    uint32_t links; /* per NPU */
    uint32_t stride;
    double bytes_per_s, astra_bytes_per_ns; /* of a link */
};

/* Links of an NPU in the dimension. */
uint32_t orr_link_dim_links(const struct net_dim *dim);

/* Fills dim[config->dims]; returns the number of links in all (with a fold: of the NPUs that stand
 * for their classes), which may exceed 2^32. O(dims). */
uint64_t orr_link_dims_init(struct link_dim *dims, const struct net_config *config);

/* Where a message is: at an NPU, or in the switch above the NPU it will go down to. */
struct link_position {
    uint32_t npu;
    uint16_t dim; /* of the link crossed last; config->dims at the source */
    bool in_switch;
};

/* Moves `place` over the next link towards `dst` (it must not be there yet); returns the link. */
uint32_t orr_link_next(const struct net_config *config, const struct link_dim *dims,
                       struct link_position *position, uint32_t dst, bool backwards);

#endif
