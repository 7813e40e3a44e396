/* Channels: pinned paths through a graph that messages can name (docs/models.md, section 4). */
#ifndef ORR_NETWORK_CHANNEL_H
#define ORR_NETWORK_CHANNEL_H

#include <stdbool.h>
#include <stdint.h>

#include "core/status.h"

struct orr_diag;

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

struct net_config;

/* Checks that the config's channels are paths between NPUs through its graph. The error names the
 * channel and the hop. O(hops). (channel.c) */
enum orr_status orr_net_channels_check(const struct net_config *config, struct orr_diag *diag);

/* Whether an NPU forwards for a channel. Sets npu[rank] of each such NPU, unless `npu` is NULL.
 * O(hops). (channel.c) */
bool orr_net_channels_forward(const struct net_config *config, bool *npu);

#endif
