/* FIFO queues of channels (network/channel.h), shared by the backends that support graphs, so that
 * a message takes the same time on all of them. A lane is one of the parallel links of a record. It
 * carries one message at a time, for message_overhead + bytes / the bandwidth of that link; waiting
 * messages are served by (order, label). */
#ifndef ORR_NETWORK_BACKENDS_CHANNEL_QUEUE_H
#define ORR_NETWORK_BACKENDS_CHANNEL_QUEUE_H

#include "network/backends/link_net.h"
#include "network/net_message.h"

struct orr_diag;

struct channel_queue;

/* Callback: a message without a channel crosses a lane (orr_channel_queue_pass). It starts now,
 * leaves the lane at `leaves`, and reaches its end at `arrives`. */
typedef void (*channel_queue_passes)(void *context, uint64_t cookie, sim_time leaves,
                                     sim_time arrives);

/* Creates the lanes of the config's checked channels, and linked->rest without them. A config
 * without channels leaves linked->channels NULL. */
enum orr_status orr_channel_queue_create(struct link_net *linked, channel_queue_passes passes,
                                         struct orr_diag *diag);

/* Sends a message that names a channel, with all calls of the listener. */
void orr_channel_queue_send(struct channel_queue *channels, const struct net_msg *msg);

/* Whether channels use all parallel links of a record: messages without a channel then share the
 * first one. O(1). */
bool orr_channel_queue_is_full(const struct channel_queue *channels, uint32_t link);

/* Requests such a record at `time` for a message without a channel; equal requests are ordered by
 * `tie`. */
struct channel_pass {
    const struct net_msg *msg;
    uint32_t link;
    unsigned dim;
    uint64_t tie, cookie;
};
void orr_channel_queue_pass(struct channel_queue *channels, const struct channel_pass *pass,
                            sim_time time);

#endif
