/* The GPU's view of what a profile recorded. */
#ifndef ORR_ET_CONVERTER_PROFILE_GPU_VIEW_H
#define ORR_ET_CONVERTER_PROFILE_GPU_VIEW_H

#include "et_converter/pytorch/kineto_steps.h"
#include "workload/gpu/gpu_account.h"

/* Counts of what was told. */
struct gpu_view_counts {
    uint32_t kernels, communication_kernels, copies;
    uint32_t without_launch; /* whose launch is not in the profile */
};

/* Tells the view of a step's work; `step` PT_NONE: of all work. The cause of idle time is that of
 * the work that ends it: "launch" if the work's launch began only when the last work had ended, as
 * Holistic Trace Analysis has it, and of that "peer" as long as an operator of the host
 * communicates (Gloo, MPI, UCC); "stream" if the work that ended last is of another stream; in a
 * view of several steps "end of step" up to the next step's row. Error: memory. O(works log works +
 * ops). */
enum orr_status orr_gpu_view_of(const struct kt_trace *kineto, const struct kt_steps *steps,
                                uint32_t step, struct orr_gpu_view *view,
                                struct gpu_view_counts *counts, struct orr_diag *diag);

#endif
