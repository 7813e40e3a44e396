/* A planned task graph as one execution trace per NPU. */
#ifndef ORR_ET_CONVERTER_FLEXFLOW_FLEXFLOW_TRACES_H
#define ORR_ET_CONVERTER_FLEXFLOW_FLEXFLOW_TRACES_H

#include "et_converter/findings.h"
#include "et_converter/flexflow/flexflow_plan.h"
#include "et_converter/trace_output.h"

/* What became of the tasks of an NPU. */
struct flexflow_counts {
    uint64_t tasks;   /* of the graph; an all-reduce counts on its first server */
    uint64_t dropped; /* of these: all-reduces of one server */
};

struct flexflow_traces {
    const struct orr_trace **trace; /* [npus] */
    struct flexflow_counts *counts; /* [npus] */
    uint64_t messages;              /* of 0 bytes, for dependencies between NPUs */
};

/* Makes the traces; they live in the arena. Groups come from `output`, findings go to the report.
 * Node ids ascend in the plan's order on each NPU, so that program order is the same everywhere.
 * O((tasks + dependencies + members of all-reduces) log). */
enum orr_status orr_flexflow_traces_make(struct flexflow_traces *traces,
                                         const struct flexflow_plan *plan, struct orr_arena *arena,
                                         struct conv_output *output, struct conv_report *report,
                                         struct orr_diag *diag);

#endif
