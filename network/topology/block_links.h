/* Links of a stacked topology and the route of a message over them, one hop at a time. Dimension
 * order: the first dimension that differs comes first; a ring takes the shorter direction; a switch
 * is two hops.
 *
 * Links of an NPU in a dimension, and the bandwidth of each if bandwidth is counted per NPU:
 *
 *   block            links                          bandwidth of a link
 *   ring             1 each direction (of two       1/2
 *                    NPUs: 2 parallel ones)         (of two NPUs: 1 link with all of it)
 *   fully connected  1 per peer                     1 / (npus - 1)
 *   switch           1 up, 1 down                   all */
#ifndef ORR_NETWORK_TOPOLOGY_BLOCK_LINKS_H
#define ORR_NETWORK_TOPOLOGY_BLOCK_LINKS_H

#include <stdbool.h>
#include <stdint.h>

struct net_config;
struct net_dim;

struct link_dim {
    uint32_t first_link;
    uint32_t links; /* per NPU */
    uint32_t stride;
    double bytes_per_s, given_bytes_per_ns; /* of a link */
};

/* Links of an NPU in the dimension. */
uint32_t orr_link_dim_links(const struct net_dim *dim);

/* Fills dim[config->dims]. Returns the number of all links, of class representatives only with a
 * fold; it may exceed 2^32. O(dims). */
uint64_t orr_link_dims_init(struct link_dim *dims, const struct net_config *config);

/* Position of a message: at an NPU, or in the switch above the NPU to which it goes down. */
struct link_position {
    uint32_t npu;
    uint16_t dim; /* of the link crossed last; config->dims at the source */
    bool in_switch;
};

/* Moves the position over the next link towards `dst`, which it has not reached yet; returns the
 * link. `backwards`: the direction around a ring if both are equally long. */
uint32_t orr_link_next(const struct net_config *config, const struct link_dim *dims,
                       struct link_position *position, uint32_t dst, bool backwards);

#endif
