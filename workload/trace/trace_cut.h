/* Cuts a part of a trace, or of the traces of all ranks, into separate traces. */
#ifndef ORR_WORKLOAD_TRACE_TRACE_CUT_H
#define ORR_WORKLOAD_TRACE_TRACE_CUT_H

#include "workload/trace/trace_steps.h"

/* The part to cut out of each trace. */
struct orr_cut {
    const char *marker;    /* see orr_steps_find; NULL: the default markers */
    const char *step;      /* label of the step, or NULL: */
    const char *from, *to; /* see orr_steps_between; `to` may be NULL */
    bool gzip;             /* compress the output */
};

/* Counts of one trace that was cut. */
struct orr_cut_result {
    uint32_t nodes;       /* written */
    uint32_t group_nodes; /* of these, process-group metadata from outside the step */
    uint32_t edges;       /* written */
    uint32_t dropped;     /* dependencies on nodes outside */
    uint32_t dropping;    /* nodes with dropped dependencies */
};

/* Writes the nodes of the step, with their ids and in their order, to a file; dependencies on nodes
 * of earlier steps are dropped. Metadata nodes with process groups are always kept, without
 * dependencies on nodes outside the step. Errors: no such step (the message lists the steps), no
 * memory, the file. O(nodes + edges). */
enum orr_status orr_trace_cut(const struct orr_trace *trace, const struct orr_cut *cut,
                              const char *path, struct orr_cut_result *out, struct orr_diag *diag);

#endif
