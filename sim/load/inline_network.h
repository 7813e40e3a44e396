/* An inline network: a few values, as in a file's section "network". */
#ifndef ORR_SIM_LOAD_INLINE_NETWORK_H
#define ORR_SIM_LOAD_INLINE_NETWORK_H

#include <stdbool.h>

#include "core/status.h"

struct net_config;
struct orr_arena;
struct orr_diag;

struct orr_inline_network {
    const char *topology;               /* the notation; needed */
    const char *bandwidth;              /* "100 GB/s", or a list with commas; NULL: unknown, 0 */
    const char *latency, *bandwidth_is; /* likewise; NULL: default */
    bool options;                       /* messages name them --topology, ... */
};

/* Reads the dimensions, in the arena. */
enum orr_status orr_inline_network_read(struct orr_arena *arena,
                                        const struct orr_inline_network *network,
                                        struct net_config *config, struct orr_diag *diag);

#endif
