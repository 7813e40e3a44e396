/* A part of a trace, or of the traces of all ranks, as traces of their own. */
#ifndef ORR_WORKLOAD_TRACE_TRACE_CUT_H
#define ORR_WORKLOAD_TRACE_TRACE_CUT_H

#include "workload/trace/trace_steps.h"

/* What is to be cut out of each trace. */
struct orr_cut {
    const char *marker;    /* as of orr_steps_find; NULL: the usual ones */
    const char *step;      /* label of the step, or NULL: */
    const char *from, *to; /* as of orr_steps_between; `to` may be NULL */
    bool gzip;             /* compress what is written */
};

/* What was cut out of one trace. */
struct orr_cut_result {
    uint32_t nodes;       /* written */
    uint32_t group_nodes; /* of them metadata of process groups from outside the step */
    uint32_t edges;       /* written */
    uint32_t dropped;     /* dependencies on nodes outside */
    uint32_t dropping;    /* nodes that had some */
};

/* Writes the nodes of the step, under their ids and in their order, to a file; dependencies on
 * nodes of earlier steps are dropped. Metadata nodes with
 * process groups are kept from wherever they are, without dependencies on what is outside. Errors:
 * no such step (the message lists those that there are), no memory, the file. O(nodes + edges). */
enum orr_status orr_trace_cut(const struct orr_trace *trace, const struct orr_cut *cut,
                              const char *path, struct orr_cut_result *out, struct orr_diag *diag);

#endif
