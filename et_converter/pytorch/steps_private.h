/* Shared by cpu_steps.c (threads) and gpu_steps.c (streams). */
#ifndef ORR_ET_CONVERTER_PYTORCH_STEPS_PRIVATE_H
#define ORR_ET_CONVERTER_PYTORCH_STEPS_PRIVATE_H

#include "et_converter/pytorch/steps.h"

/* Context of a call on its thread. */
struct pt_call_site {
    uint32_t step;    /* step that ends with the call; PT_NONE: outside of the trace, or no step */
    uint32_t after;   /* blocking copies: the step that waits for the copy, or PT_NONE */
    uint32_t awaited; /* work that a synchronizing call waited for, or PT_NONE */
    uint32_t node;    /* innermost enclosing operator of the trace, or PT_NONE */
    uint32_t comm;    /* innermost enclosing communication, or PT_NONE */
};

struct pt_builder {
    struct pt_trace *trace;
    const struct kt_trace *kineto;
    const struct pt_link *link;
    struct pt_timeline *out;
    struct pt_call_site *site; /* [kineto->calls] */
    uint32_t *work_of_call;    /* [kineto->calls]: the first work by correlation, or PT_NONE */
    uint32_t *call_of_work;    /* [kineto->works] */
    int64_t from_ns, to_ns;    /* time that the trace covers */
    bool complete;             /* false: memory ran out */
};

/* Adds a step; PT_NONE if out of memory. */
uint32_t orr_pytorch_add_step(struct pt_builder *builder, const struct pt_step *step);
/* Adds an edge. No effect if a step is PT_NONE; omitted and counted if times contradict it. */
void orr_pytorch_add_edge(struct pt_builder *builder, uint32_t from, uint32_t to);

/* Pairs calls with their work by correlation. O(n log n). */
void orr_pytorch_pair_works(struct pt_builder *builder);

/* Adds the steps of launched work, their dependencies, and the waits of calls. */
void orr_pytorch_add_works(struct pt_builder *builder);

/* The last work to end during a call, of the work launched before it; PT_NONE: none. */
uint32_t orr_pytorch_awaited_work(const struct pt_builder *builder, const struct kt_call *call);

#endif
