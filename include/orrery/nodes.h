/* The nodes of a job's traces, with ORRERY_RECORD_NODES when they ran; after the run. */
#ifndef ORRERY_NODES_H
#define ORRERY_NODES_H

#include "orrery/base.h"

#ifdef __cplusplus
extern "C" {
#endif

enum orrery_node_kind {
    ORRERY_NODE_COMPUTE, /* the compute stream */
    ORRERY_NODE_CPU,     /* the CPU stream */
    ORRERY_NODE_LOAD,    /* the memory channel */
    ORRERY_NODE_STORE,
    ORRERY_NODE_COLLECTIVE, /* the stream of its group */
    ORRERY_NODE_SEND,       /* the stream to its peer */
    ORRERY_NODE_RECEIVE,
    ORRERY_NODE_OTHER /* metadata: takes no time */
};

struct orrery_node {
    uint64_t id;      /* as in the trace */
    const char *name; /* never NULL */
    enum orrery_node_kind kind;
    bool ran;    /* false: start and end are invalid */
    bool remote; /* LOAD, STORE: of the remote memory */
    int64_t start_ps, end_ps;
    int64_t transfer_ps;    /* end of its waiting for others; start_ps if it did not wait */
    uint64_t bytes;         /* moved: of memory, of the collective's data, of the message */
    uint64_t flops;         /* COMPUTE */
    const char *collective; /* COLLECTIVE: "all_reduce", ...; NULL otherwise */
    const char *group;      /* COLLECTIVE: its name, "" for all NPUs; NULL otherwise */
    uint32_t group_id;      /* COLLECTIVE: equal for equal groups of NPUs */
    uint32_t group_npus;    /* COLLECTIVE */
    uint32_t peer, tag;     /* SEND, RECEIVE */
};

/* The number of nodes of a rank's trace (0 without ORRERY_RECORD_NODES), and one of them by index,
 * in ascending id. Strings are owned by the handle. ORRERY_ERROR_INPUT if there is no such rank or
 * node, before the run, and if nodes were not recorded. O(log waits). */
ORRERY_API size_t orrery_nodes(const struct orrery *job, uint32_t rank);
ORRERY_API enum orrery_status orrery_node(const struct orrery *job, uint32_t rank, size_t index,
                                          struct orrery_node *node);

#ifdef __cplusplus
}
#endif

#endif
