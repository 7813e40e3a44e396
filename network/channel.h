/* Channels: pinned paths through a graph that messages can name (docs/models.md, section 4).
 * Included by network.h. */
#ifndef ORR_NETWORK_CHANNEL_H
#define ORR_NETWORK_CHANNEL_H

#include "core/core.h"

/* One hop of a channel: a link record of the graph and which of its parallel links, 0..count-1. */
struct net_hop {
    uint32_t link, lane;
};

/* Messages are store-and-forward over the hops. Each (link, lane) carries one message at a time, of
 * all channels that use it, at the bandwidth of one parallel link; waiting messages queue by
 * (order, label). The nodes between two hops forward. */
struct net_channel {
    uint32_t from, to, hops;   /* two NPUs; hops >= 1 */
    const struct net_hop *hop; /* [hops]; each starts where the previous one ends */
};

#endif
