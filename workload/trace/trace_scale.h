/* Data-parallel traces of N ranks as traces of M ranks.
 *
 * It is done where every rank does the same: traces equal but for ids, recorded durations and names
 * of groups, communication by collectives of all ranks only. Rank r of the new set has the trace of
 * rank r modulo N, so each rank keeps its work (weak scaling). What a collective moves:
 *   all-reduce, reduce, broadcast, reduce-scatter (its input), barrier: as before;
 *   all-gather: comm_size is the contribution of a rank, a shard of a whole that does not depend on
 *   the number of ranks: size x N / M, rounded up as by padding;
 *   all-to-all, gather, scatter: refused, their sizes follow no such rule.
 * Recorded durations of collectives are of N ranks, and are left out when M is another. */
#ifndef ORR_WORKLOAD_TRACE_TRACE_SCALE_H
#define ORR_WORKLOAD_TRACE_TRACE_SCALE_H

#include "workload/trace/trace_query.h"

struct orr_trace_scale {
    const char *prefix; /* of the files, as of orr_et_load_set, and PREFIX.groups.json if any */
    const char *out;    /* prefix of the files to write */
    uint32_t from, to;  /* N and M, at least 1 */
    bool gzip;
};

struct orr_trace_scale_result {
    uint32_t nodes;          /* of rank 0; the same of the others */
    uint32_t gathers;        /* all-gathers of a rank, whose sizes were scaled */
    uint32_t rounded;        /* of them rounded up */
    uint32_t scatters;       /* reduce-scatters of a rank */
    uint32_t untimed;        /* collectives of a rank 0 that lost their recorded duration */
    uint32_t groups_kept;    /* groups of all ranks that were told */
    uint32_t groups_dropped; /* other groups, which no node uses; not written */
    bool group_file;         /* OUT.groups.json was written */
};

/* Fills in `from`, the number of files that there are of the prefix, where it is 0; errors where
 * files and `from`, by that name, do not go together. */
enum orr_status orr_trace_scale_ranks(struct orr_trace_scale *scale, const char *from_name,
                                      struct orr_diag *diag);

/* Errors: the files; the first reason why the set cannot be scaled, with the node. Nothing is
 * written then. O(N x (nodes + edges) + M x bytes of a trace). */
enum orr_status orr_trace_scale(const struct orr_trace_scale *scale,
                                struct orr_trace_scale_result *out, struct orr_diag *diag);

#endif
