/* Channels: ways of their own through a graph that messages name (docs/models.md, section 4).
 * Included by network.h. */
#ifndef ORR_NETWORK_CHANNEL_H
#define ORR_NETWORK_CHANNEL_H

#include "core/core.h"

/* One hop of a channel: a link record of the graph and which of its parallel links, 0..count-1. */
struct net_hop {
    uint32_t link, lane;
};

/* A message goes over it hop by hop, each time as a whole. Each (link, lane) carries one message at
 * a time, of all channels that name it together, with the bandwidth of one of the parallel links;
 * those that wait go by order and label. What is between two hops forwards. */
struct net_channel {
    uint32_t from, to, hops;   /* two NPUs; hops >= 1 */
    const struct net_hop *hop; /* [hops], each from where the one before leads to */
};

#endif
