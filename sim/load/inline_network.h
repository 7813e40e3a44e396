/* A network that a few values describe, as those of a file's section "network" do. */
#ifndef ORR_SIM_LOAD_INLINE_NETWORK_H
#define ORR_SIM_LOAD_INLINE_NETWORK_H

#include "network/network.h"

struct orr_inline_network {
    const char *topology;               /* the notation; needed */
    const char *bandwidth;              /* "100 GB/s", or a list with commas; NULL: not known, 0 */
    const char *latency, *bandwidth_is; /* likewise; NULL: the default */
    bool options;                       /* messages call them --topology, ... */
};

/* The dimensions, in the arena. */
enum orr_status orr_inline_network_read(struct orr_arena *arena,
                                        const struct orr_inline_network *network,
                                        struct net_config *config, struct orr_diag *diag);

#endif
