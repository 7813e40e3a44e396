/* Statistics of a trace: nodes by kind and device, computation by operator, communication by kind
 * and group. */
#ifndef ORR_WORKLOAD_TRACE_TRACE_STATS_H
#define ORR_WORKLOAD_TRACE_TRACE_STATS_H

#include "workload/trace/trace_ops.h"
#include "workload/trace/trace_query.h"

/* Collectives of one kind and group, or sends, or receives. */
struct orr_comm_row {
    enum orr_node_kind kind;  /* COLL, SEND or RECV */
    enum orr_trace_comm comm; /* COLL */
    const char *group;        /* name in the trace; "": all NPUs, SEND and RECV */
    uint64_t nodes, bytes, smallest_bytes, largest_bytes, duration_ps;
};

/* Nodes of one kind, or on one device. */
struct orr_trace_part {
    uint64_t nodes, timed; /* timed: with a recorded duration */
    uint64_t duration_ps;
};

struct orr_trace_stats {
    struct orr_trace_summary sum;
    struct orr_trace_part kind[ORR_NODE_KINDS];
    struct orr_trace_part device[ORR_DEVICES];
    struct orr_op_table compute;     /* COMP nodes, sorted */
    const struct orr_comm_row *comm; /* [comms], descending by bytes */
    uint32_t comms;
};

/* Computes the statistics. Rows live in the arena, their names in the trace or the arena. Sums
 * saturate at UINT64_MAX. O(nodes + edges + rows log rows). Errors: out of memory. */
enum orr_status orr_trace_stats(struct orr_arena *arena, const struct orr_trace *trace,
                                struct orr_trace_stats *out, struct orr_diag *diag);

#endif
