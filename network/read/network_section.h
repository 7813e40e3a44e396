/* Values of the `network` section as its keys give them (network_keys.c). */
#ifndef ORR_NETWORK_READ_NETWORK_SECTION_H
#define ORR_NETWORK_READ_NETWORK_SECTION_H

#include <stdbool.h>
#include <stdint.h>

#include "core/conf/keys.h"
#include "core/time.h"

struct orr_conf;

struct network_section {
    const char *topology, *backend, *routing;
    struct orr_conf_list dims;               /* of mappings */
    struct orr_conf_list bandwidth, latency; /* one for all dimensions, or one for each */
    unsigned bandwidth_is, ring_recovery;
    bool reduces, reroute, ring_links;
    const struct orr_conf *design, *graph, *circuits, *cost;
    struct orr_conf_list failures, changes;
    int64_t seed, paths, npus;
    sim_time message_overhead;
    void *const *own; /* by backend */
};

struct dim_section {
    unsigned block, bandwidth_is;
    bool reduces;
    int64_t npus;
    double bandwidth;
    sim_time latency;
};

/* The keys of a dimension; the first NET_SHAPE_KEYS are those that a notation gives instead. */
enum { NET_SHAPE_KEYS = 2 };
extern const struct orr_key_table orr_net_dim_table;

#endif
