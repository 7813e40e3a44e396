/* Steps of a recorded run, and the dependencies between them.
 *
 * The time of a CPU thread is cut at the starts of operators and at both ends of calls that launch
 * or await GPU work. Each piece is a step: an operator or a call. Time between operators belongs to
 * the step behind it, so each instant of a thread belongs to exactly one step. A step waits for its
 * predecessor on the thread; a step that resumes an idle thread, for the thread that has stopped;
 * GPU work, for its launch, for the previous work on its stream, and for other streams as events
 * say; a synchronizing call, for the work that it awaited. */
#ifndef ORR_ET_CONVERTER_PYTORCH_STEPS_H
#define ORR_ET_CONVERTER_PYTORCH_STEPS_H

#include "et_converter/pytorch/et_kineto_link.h"

enum pt_step_kind { PT_STEP_CPU, PT_STEP_GPU };

struct pt_step {
    int64_t start_ns;    /* start of its time; GPU: of the work */
    int64_t end_ns;      /* start_ns + duration, waiting included */
    int64_t duration_ns; /* without waiting for other steps */
    int64_t begun_ns;    /* start of its operator, call or work; start_ns may be earlier */
    /* key that ascends along threads, streams and edges: about its start, or the end of a call that
     * waits */
    int64_t order_ns;
    uint32_t name;
    uint32_t node;   /* of the execution trace, or PT_NONE */
    uint32_t work;   /* index into kineto->work, or PT_NONE */
    uint32_t comm;   /* of NCCL's work: index into trace->comm, or PT_NONE */
    uint32_t thread; /* CPU: index into kineto->thread */
    uint8_t kind;    /* enum pt_step_kind */
    bool after_idle; /* CPU: the thread was idle before its operator or call */
};

/* Step `to` waits for step `from`, whose order_ns is smaller, so there are no cycles. */
struct pt_edge {
    uint32_t from, to;
};

struct pt_timeline {
    struct pt_step *step; /* CPU steps by thread and time, then work by start */
    uint32_t steps;
    struct pt_edge *edge;
    uint32_t edges;
    uint32_t contradicted;     /* waits omitted because times contradict them */
    uint32_t without_launch;   /* work whose launch is not in the profile */
    uint32_t outside;          /* operators of the profile outside the trace's time */
    uint32_t works_outside;    /* kernels and copies launched there, or without a launch there */
    int64_t first_ns, last_ns; /* of the steps */
    size_t step_capacity, edge_capacity;
};

/* Builds the steps in trace->arena. O(events log events). */
enum orr_status orr_pytorch_timeline_build(struct pt_trace *trace, const struct kt_trace *kineto,
                                           const struct pt_link *link, struct pt_timeline *out,
                                           struct orr_diag *diag);

#endif
