/* Compares two traces whose nodes are matched by content (trace_match.h). */
#ifndef ORR_WORKLOAD_TRACE_TRACE_COMPARE_H
#define ORR_WORKLOAD_TRACE_TRACE_COMPARE_H

#include "workload/trace/trace_match.h"
#include "workload/trace/trace_stats.h"

enum orr_trace_difference {
    ORR_DIFFERS_DURATION,
    ORR_DIFFERS_OPERATIONS,
    ORR_DIFFERS_BYTES,
    ORR_DIFFERS_PEER,  /* or tag */
    ORR_DIFFERS_GROUP, /* its name */
    ORR_DIFFERS_OTHER, /* any other attribute */
    ORR_DIFFERS_DEPENDENCIES,
    ORR_DIFFERENCES
};

/* A node that differs: only in one trace, or in both. */
struct orr_trace_change {
    uint32_t a, b;    /* indices; ORR_NO_MATCH: not in that trace */
    unsigned differs; /* bits of enum orr_trace_difference, of a node in both */
};

struct orr_trace_comparison {
    struct orr_trace_match match;
    struct orr_parents parents[2];
    struct orr_trace_part kind[2][ORR_NODE_KINDS];
    struct orr_trace_summary sum[2];
    uint32_t matched, only[2];             /* nodes */
    uint32_t differ[ORR_DIFFERENCES];      /* matched nodes */
    uint32_t edges_only[2];                /* between nodes that both traces have */
    const struct orr_trace_change *change; /* [changes] only in a, only in b, in both; by id */
    uint32_t changes;                      /* 0: the traces are the same but for ids */
};

/* Lives in the arena. O((nodes + edges) log). Errors: out of memory. */
enum orr_status orr_trace_compare(struct orr_arena *arena, const struct orr_trace *const trace[2],
                                  struct orr_trace_comparison *out, struct orr_diag *diag);

/* The number of parents of a node of trace `side` that its match does not have, although both
 * traces have them; the first `max` of them into lost[], as indices of that trace. O(parents of
 * both). */
uint32_t orr_trace_lost_parents(const struct orr_trace_comparison *comparison, unsigned side,
                                uint32_t node, uint32_t *lost, uint32_t max);

#endif
