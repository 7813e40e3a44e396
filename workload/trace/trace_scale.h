/* Scales data-parallel traces of N ranks to M ranks (weak scaling).
 *
 * Requires that every rank does the same: traces equal except for ids, recorded durations and names
 * of groups, communication only by collectives of all ranks. Rank r of the new set has the trace of
 * rank r modulo N, so each rank keeps its work. Sizes of collectives:
 *
 *   - all-reduce, reduce, broadcast, reduce-scatter (its input), barrier: unchanged;
 *   - all-gather: comm_size is the contribution of a rank, a shard of a total that does not depend
 *     on the number of ranks: size x N / M, rounded up as by padding;
 *   - all-to-all, gather, scatter: an error, their sizes follow no such rule.
 *
 * If M differs from N, recorded durations of collectives are omitted. */
#ifndef ORR_WORKLOAD_TRACE_TRACE_SCALE_H
#define ORR_WORKLOAD_TRACE_TRACE_SCALE_H

#include "workload/trace/trace_query.h"

struct orr_trace_scale {
    const char *prefix; /* of the files (orr_et_load_set) and PREFIX.groups.json */
    const char *out;    /* prefix of the files to write */
    uint32_t from, to;  /* N and M, at least 1 */
    bool gzip;
};

struct orr_trace_scale_result {
    uint32_t nodes;          /* nodes of each rank */
    uint32_t gathers;        /* all-gathers of a rank, whose sizes were scaled */
    uint32_t rounded;        /* of these, rounded up */
    uint32_t scatters;       /* reduce-scatters of a rank */
    uint32_t untimed;        /* collectives of rank 0 that lost their recorded duration */
    uint32_t groups_kept;    /* listed groups of all ranks */
    uint32_t groups_dropped; /* other groups, which no node uses; not written */
    bool group_file;         /* OUT.groups.json was written */
};

/* Sets `from`, if it is 0, to the number of files with the prefix; fails if the files contradict
 * `from`, which the message calls from_name. */
enum orr_status orr_trace_scale_ranks(struct orr_trace_scale *scale, const char *from_name,
                                      struct orr_diag *diag);

/* Scales and writes the set. Errors: the files; the first reason why the set cannot be scaled, with
 * the node; then nothing is written. O(N x (nodes + edges) + M x bytes of a trace). */
enum orr_status orr_trace_scale(const struct orr_trace_scale *scale,
                                struct orr_trace_scale_result *out, struct orr_diag *diag);

#endif
