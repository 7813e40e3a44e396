/* How a job used its network; after the run. */
#ifndef ORRERY_NETWORK_USE_H
#define ORRERY_NETWORK_USE_H

#include "orrery/base.h"

#ifdef __cplusplus
extern "C" {
#endif

struct orrery_dim_stats {
    const char *block; /* "ring", "fully_connected", "switch", "mesh" */
    uint32_t npus;
    double bandwidth_bytes_per_s;
    int64_t latency_ps;
    orrery_wide messages, bytes;
    orrery_wide busy_ps; /* summed over ports or links; 0 if the backend does not count it */
    uint64_t servers;    /* ports or links */
    bool reduces;        /* switch with in-network reduction */
};

ORRERY_API unsigned orrery_dims(const struct orrery *job);
ORRERY_API enum orrery_status orrery_dim(const struct orrery *job, unsigned dim,
                                         struct orrery_dim_stats *stats);

/* Busy links or ports of a dimension over time, in steps of equal length with an average each: at
 * most 4096 steps, and more than 2000 for a job longer than 4 ns. All steps of a dimension add up
 * to its busy_ps; a flow of the backend `flow` counts evenly from its start to its end. 0 steps
 * without ORRERY_RECORD_LINK_USE, before the end of the run, and if nothing was busy or it is
 * unknown (clusters whose jobs have a network each, ASTRA-sim's timing). */
struct orrery_link_steps {
    size_t steps;
    int64_t step_ps;
};
ORRERY_API struct orrery_link_steps orrery_link_steps(const struct orrery *job);
/* Writes the number of busy links of each step, of at most `max` steps. ORRERY_ERROR_INPUT if there
 * is no such dimension or nothing was recorded. O(steps). */
ORRERY_API enum orrery_status orrery_link_use(const struct orrery *job, unsigned dim, double *links,
                                              size_t max);

/* A link of a graph, one way; `count` parallel ones. Nodes below orrery_npus() are NPUs, the others
 * switches. */
struct orrery_link {
    uint32_t from, to, count;
    double bandwidth_bytes_per_s; /* of one of them */
    int64_t latency_ps;
    uint64_t bytes;       /* carried bytes */
    double offered_bytes; /* capacity of all of them over the job's time */
};

/* The number of links (0 if the network is not a graph), and one of them by index. */
ORRERY_API size_t orrery_links(const struct orrery *job);
ORRERY_API enum orrery_status orrery_link(const struct orrery *job, size_t index,
                                          struct orrery_link *link);
/* The name of a node of a graph, owned by the job; NULL: it has only a number. */
ORRERY_API const char *orrery_node_name(const struct orrery *job, uint32_t node);

/* Demand-aware optical circuits of a job (network.circuits, controllers sip_ocs and sip_ring;
 * SiP-ML, SIGCOMM'21). */
struct orrery_circuits {
    bool once;         /* set once; else reconfigured periodically */
    uint32_t group;    /* NPUs with this distance have equivalent circuits */
    uint32_t pairs;    /* pairs that the NPUs of the first group send to */
    double weight;     /* weight of bytes inside of a group: the fastest of ... */
    uint32_t weights;  /* ... this many simulated ones; 1: none was simulated */
    uint32_t deficit;  /* once: wavelengths missing in the first assignment */
    int64_t switch_ps; /* iteration time on one switch with the same bandwidth */
};

/* False: the job has no such circuits. */
ORRERY_API bool orrery_circuits(const struct orrery *job, struct orrery_circuits *circuits);

/* Bandwidth tax of a graph: how often NPUs send each byte on average; 1 if no NPU forwards traffic
 * of others (TopoOpt, NSDI'23, section 5.4). 0: unknown. */
ORRERY_API double orrery_bandwidth_tax(const struct orrery *job);

/* Traffic from one NPU to another. */
struct orrery_pair {
    uint32_t from, to;
    uint64_t messages, bytes;
};

/* The number of pairs of NPUs with traffic (0 without ORRERY_RECORD_TRAFFIC), and one of them by
 * index, in no order. */
ORRERY_API size_t orrery_pairs(const struct orrery *job);
ORRERY_API enum orrery_status orrery_pair(const struct orrery *job, size_t index,
                                          struct orrery_pair *pair);

#ifdef __cplusplus
}
#endif

#endif
