/* What cpu_steps.c (threads) and gpu_steps.c (streams) share. */
#ifndef ORR_ET_CONVERTER_PYTORCH_STEPS_PRIVATE_H
#define ORR_ET_CONVERTER_PYTORCH_STEPS_PRIVATE_H

#include "et_converter/pytorch/steps.h"

/* A call as the walk over its thread met it. */
struct pt_call_site {
    uint32_t step;    /* that ends with the call, or PT_NONE: outside, or no step of its own */
    uint32_t after;   /* blocking copies: the step that waits for the copy, or PT_NONE */
    uint32_t awaited; /* work that a synchronizing call waited for, or PT_NONE */
    uint32_t node;    /* the innermost operator around it that the trace has, or PT_NONE */
    uint32_t comm;    /* the innermost communication around it, or PT_NONE */
};

struct pt_builder {
    struct pt_trace *trace;
    const struct kt_trace *kineto;
    const struct pt_link *link;
    struct pt_timeline *out;
    struct pt_call_site *site; /* [kineto->calls] */
    uint32_t *work_of_call;    /* [kineto->calls]: the first work by correlation, or PT_NONE */
    uint32_t *call_of_work;    /* [kineto->works] */
    int64_t from_ns, to_ns;    /* what is told */
    bool complete;             /* false: memory ran out */
};

/* A new step; PT_NONE when memory is out. */
uint32_t orr_pytorch_add_step(struct pt_builder *builder, const struct pt_step *step);
/* Passed over when a step is PT_NONE; left out when times contradict it. */
void orr_pytorch_add_edge(struct pt_builder *builder, uint32_t from, uint32_t to);

/* Pairs calls with their work by correlation. O(n log n). */
void orr_pytorch_pair_works(struct pt_builder *builder);

/* Steps of all work that was launched, with what they wait for, and what calls wait for. */
void orr_pytorch_add_works(struct pt_builder *builder);

/* The work that ended last while a call waited, of what was launched before; PT_NONE: none. */
uint32_t orr_pytorch_awaited_work(const struct pt_builder *builder, const struct kt_call *call);

#endif
