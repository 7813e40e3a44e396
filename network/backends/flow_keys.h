/* The options of the flow backend. */
#ifndef ORR_NETWORK_BACKENDS_FLOW_KEYS_H
#define ORR_NETWORK_BACKENDS_FLOW_KEYS_H

#include "network/flows/flows.h"
#include "network/net_backend.h"

struct net_config;

enum { FLOW_BY_WINDOWS = 1 };

/* The values of a network section. */
struct flow_keys {
    uint64_t packet_bytes, handshake_bytes;
    int64_t messages_per_link; /* 0: the default */
    sim_time setup_ps, forwarding_ps;
    double forwarding_limit_bytes_per_s; /* 0: none */
    unsigned shares;
    bool has_shares;
    bool fluid; /* only the keys define packets, also for jobs that have them by default */
};

extern const struct net_backend_keys orr_flow_backend_keys;

/* The most messages of an NPU in flight on a link; the flow model. */
uint32_t orr_flow_max_in_flight(const struct flow_keys *keys, const struct net_config *config);
struct net_flow_model orr_flow_model(const struct flow_keys *keys, const struct net_config *config);

#endif
