/* Bytes between NPUs, as they are handed to the network. Included by network.h. */
#ifndef ORR_NETWORK_TRAFFIC_H
#define ORR_NETWORK_TRAFFIC_H

#include "core/core.h"

struct net_traffic;

/* Of one direction between two NPUs. */
struct net_pair {
    uint32_t src, dst;
    uint64_t messages, bytes;
};

/* Without traffic, in the arena; NULL when memory is out. Costs 48 bytes or less for each pair that
 * has some. */
struct net_traffic *orr_net_traffic_create(struct orr_arena *arena);

/* Amortized O(1). Memory that runs out is told by orr_net_traffic_failed. */
void orr_net_traffic_add(struct net_traffic *traffic, uint32_t src, uint32_t dst, uint64_t bytes);
bool orr_net_traffic_failed(const struct net_traffic *traffic);

/* The pairs with traffic, in no order, good until more is added. */
const struct net_pair *orr_net_traffic_pairs(const struct net_traffic *traffic, size_t *count);

#endif
