/* The traffic matrix: bytes between NPUs, as handed to the network. */
#ifndef ORR_NETWORK_TRAFFIC_H
#define ORR_NETWORK_TRAFFIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct orr_arena;

struct net_traffic;

/* One direction between two NPUs. */
struct net_pair {
    uint32_t src, dst;
    uint64_t messages, bytes;
};

/* Creates an empty matrix in the arena; NULL: out of memory. At most 48 bytes for each pair with
 * traffic. */
struct net_traffic *orr_net_traffic_create(struct orr_arena *arena);

/* Amortized O(1). orr_net_traffic_failed reports lack of memory. */
void orr_net_traffic_add(struct net_traffic *traffic, uint32_t src, uint32_t dst, uint64_t bytes);
bool orr_net_traffic_failed(const struct net_traffic *traffic);

/* The pairs with traffic, in no particular order, valid until more is added. */
const struct net_pair *orr_net_traffic_pairs(const struct net_traffic *traffic, size_t *count);

#endif
