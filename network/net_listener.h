/* What a network tells its user: messages that have left, arrived or are forwarded. */
#ifndef ORR_NETWORK_NET_LISTENER_H
#define ORR_NETWORK_NET_LISTENER_H

#include "core/fold.h"
#include "network/net_message.h"

/* Callbacks of the network's user. `sent`: the last byte has left the source's port (in an event of
 * the source; never under reference timing or by backends without ports). `delivered`: the last
 * byte has arrived (in an event of the destination), with the message's label and cookie. */
struct net_listener {
    void *context;
    void (*sent)(void *context, struct orr_slot src, uint64_t source_cookie);
    void (*delivered)(void *context, struct orr_slot dst, uint64_t label, uint64_t cookie);
    /* Forwarding of a channel's message at an NPU that is not its end begins (+1) or ends (-1); in
     * events of that NPU. NULL: not needed. */
    void (*forwards)(void *context, struct orr_slot npu, int change);
    /* Trains of equal messages as one event (docs/models.md, section 9); NULL: none. When a message
     * of an NPU's class to itself starts on an idle port without waiting messages, the network may
     * call `repeats`, which fills the train that follows (false: not known), then `repeating` when
     * it makes the train. For the messages of a train the network calls neither `sent` nor
     * `delivered` but `repeated`, at the last one's delivery, or `interrupted`: from then on the
     * messages are single again. */
    bool (*repeats)(void *context, uint64_t source_cookie, struct net_repeat *repeat);
    void (*repeating)(void *context, uint64_t source_cookie);
    void (*repeated)(void *context, uint64_t source_cookie);
    void (*interrupted)(void *context, uint64_t source_cookie, const struct net_progress *progress);
};

#endif
