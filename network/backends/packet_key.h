/* The key `packet` of the network section, for the backends that model packets. */
#ifndef ORR_NETWORK_BACKENDS_PACKET_KEY_H
#define ORR_NETWORK_BACKENDS_PACKET_KEY_H

#include "core/conf/keys.h"

/* `at`: offset of a uint64_t; 0: no packets. */
#define NET_PACKET_KEY(at)                                                                         \
    {                                                                                              \
        .name = "packet", .type = ORR_KEY_BYTES, .offset = (at), .absent = "none",                 \
        .needed_with = "shares", .not_for = "maxmin", .example = "packet: 4 KiB",                  \
        .doc = "congestion: messages are split into packets of this size; flow: full packets are " \
               "sent, and forwarded once complete"                                                 \
    }

#endif
