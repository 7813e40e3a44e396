/* The steps of a recorded run and what each of them waits for.
 *
 * The time of a CPU thread is cut at the starts of operators and at both ends of calls that start
 * work on the GPU or wait for it. Every piece is a step: an operator, or a call. What is left
 * between operators belongs to the step behind it. A step waits for the one before it on its
 * thread; one that resumes an idle thread waits for the thread that stopped meanwhile; work on the
 * GPU waits for its launch, for the work before it on its stream, and for other streams where an
 * event says so; a synchronizing call waits for the work whose end it waited for. So all of a
 * thread's time is told, and none of it twice. */
#ifndef ORR_ET_CONVERTER_PYTORCH_STEPS_H
#define ORR_ET_CONVERTER_PYTORCH_STEPS_H

#include "et_converter/pytorch/et_kineto_link.h"

enum pt_step_kind { PT_STEP_CPU, PT_STEP_GPU };

struct pt_step {
    int64_t start_ns;    /* where its time begins; GPU: of the work */
    int64_t end_ns;      /* start_ns + what it took, with what it waited */
    int64_t duration_ns; /* without what it waited for another step */
    int64_t begun_ns;    /* when its operator, call or work began; start_ns may be before it */
    int64_t order_ns;    /* ascends along threads, streams and edges; about when it began, of a call
                            that waits about when it ended */
    uint32_t name;
    uint32_t node;   /* of the execution trace, or PT_NONE */
    uint32_t work;   /* index into kineto->work, or PT_NONE */
    uint32_t comm;   /* of NCCL's work: index into trace->comm, or PT_NONE */
    uint32_t thread; /* CPU: index into kineto->thread */
    uint8_t kind;    /* enum pt_step_kind */
    bool after_idle; /* CPU: the thread was idle before its operator or call */
};

/* Step `to` waits for step `from`, which is before it in order_ns: so no cycle can be. */
struct pt_edge {
    uint32_t from, to;
};

struct pt_timeline {
    struct pt_step *step; /* CPU steps by thread and time, then work by start */
    uint32_t steps;
    struct pt_edge *edge;
    uint32_t edges;
    uint32_t contradicted;     /* waits that times contradict, left out */
    uint32_t without_launch;   /* work whose launch is not in the profile */
    uint32_t outside;          /* operators of the profile outside the trace's time */
    int64_t first_ns, last_ns; /* of what is told */
    size_t step_capacity, edge_capacity;
};

/* Builds the steps; all in trace->arena. O(events log events). */
enum orr_status orr_pytorch_timeline_build(struct pt_trace *trace, const struct kt_trace *kineto,
                                           const struct pt_link *link, struct pt_timeline *out,
                                           struct orr_diag *diag);

#endif
