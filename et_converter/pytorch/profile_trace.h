/* A profile alone as trace and link: its operators are the nodes of a trace that the rest of the
 * converter takes as that of an execution trace observer. */
#ifndef ORR_ET_CONVERTER_PYTORCH_PROFILE_TRACE_H
#define ORR_ET_CONVERTER_PYTORCH_PROFILE_TRACE_H

#include "et_converter/pytorch/et_kineto_link.h"
#include "et_converter/pytorch/kineto_steps.h"

struct profile_reading {
    struct js_source source;
    int64_t step; /* the number of the step, in profiles of several; -1: all of it */
};

/* Reads a profile: the nodes of its operators in the order of time, and the link to them. Of a
 * step: operators and calls that begin in it, work that was launched in it. Communication of older
 * records takes kind and size of the row "nccl:NAME" inside. `trace` has its arena and strings.
 * Errors: those of orr_kineto_trace_read. O(bytes + events log events). */
enum orr_status orr_profile_trace_read(const struct profile_reading *reading,
                                       struct pt_trace *trace, struct kt_trace *kineto,
                                       struct pt_link *link, struct orr_diag *diag);

#endif
