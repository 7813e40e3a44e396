/* Lines of the channels that messages name (network/channel.h): what backends that carry graphs
 * share, so that a message takes the same time on all of them. A lane is one of the parallel links
 * of a record, and carries one message at a time for message_overhead + bytes / the bandwidth of
 * that link; those that wait go by order and label. */
#ifndef ORR_NETWORK_BACKENDS_CHANNEL_QUEUE_H
#define ORR_NETWORK_BACKENDS_CHANNEL_QUEUE_H

#include "network/backends/link_net.h"

struct channel_queue;

/* A message that names no channel has passed a lane on its way (orr_channel_queue_pass): it begins
 * now, leaves the lane at `leaves`, and is at its other end at `arrives`. */
typedef void (*channel_queue_passes)(void *context, uint64_t cookie, sim_time leaves,
                                     sim_time arrives);

/* The lanes of the config's channels, which are checked, and linked->rest without them; a config
 * without any has none, and linked->channels stays NULL. */
enum orr_status orr_channel_queue_create(struct link_net *linked, channel_queue_passes passes,
                                         struct orr_diag *diag);

/* Sends a message that names a channel. Tells the listener all there is to tell. */
void orr_channel_queue_send(struct channel_queue *channels, const struct net_msg *msg);

/* Whether all links of a record are named by channels: then messages that name none pass the first
 * one. O(1). */
bool orr_channel_queue_is_full(const struct channel_queue *channels, uint32_t link);

/* A message that names no channel asks for such a record at `time`; equal requests go by `tie`. */
struct channel_pass {
    const struct net_msg *msg;
    uint32_t link;
    unsigned dim;
    uint64_t tie, cookie;
};
void orr_channel_queue_pass(struct channel_queue *channels, const struct channel_pass *pass,
                            sim_time time);

#endif
