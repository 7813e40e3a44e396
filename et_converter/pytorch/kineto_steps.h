/* The steps of a profile: the rows "ProfilerStep#N" of its main thread, and the GPU work that was
 * launched in each. */
#ifndef ORR_ET_CONVERTER_PYTORCH_KINETO_STEPS_H
#define ORR_ET_CONVERTER_PYTORCH_KINETO_STEPS_H

#include "et_converter/pytorch/kineto.h"

struct kt_step {
    int64_t number;
    int64_t start_ns, end_ns; /* of its row */
    uint32_t works;           /* launched in it */
    bool is_whole;            /* it has ended, and has work if other steps have */
};

struct kt_steps {
    struct kt_step *step; /* by start; each number once */
    uint32_t count;
    uint32_t *of_work;      /* [works]: the step of each work, or PT_NONE */
    uint32_t *call_of_work; /* [works]: its launch, index into kineto->call, or PT_NONE */
};

/* Finds the steps, in kineto->arena. Work belongs to the step in which it was launched, or began if
 * its launch is not known. O(ops + works log calls). */
enum orr_status orr_kineto_steps(const struct kt_trace *kineto, struct kt_steps *out,
                                 struct orr_diag *diag);

/* Picks a step: `text` is its number, "all", or NULL: the last whole one. *out: its index, or
 * PT_NONE for all of the profile, also where the profile has one step or none. Errors: there is no
 * such step; it is not a number. */
enum orr_status orr_kineto_pick_step(const struct kt_trace *kineto, const struct kt_steps *steps,
                                     const char *text, uint32_t *out, struct orr_diag *diag);

#endif
