/* The GPU's view of a rank's time: what its streams run, and why none of them runs anything, as
 * Holistic Trace Analysis tells it (temporal and idle time breakdown). Work of one kind that
 * overlaps counts once. Spans begin and end in the order of time. */
#ifndef ORR_WORKLOAD_GPU_GPU_ACCOUNT_H
#define ORR_WORKLOAD_GPU_GPU_ACCOUNT_H

#include <stdbool.h>
#include <stdint.h>

#include "core/time.h"

enum orr_gpu_kind { ORR_GPU_COMPUTE, ORR_GPU_COMMUNICATION, ORR_GPU_COPY, ORR_GPU_KINDS };

/* Why no stream runs anything. */
enum orr_gpu_idle {
    ORR_GPU_IDLE_LAUNCH,   /* the next work was launched only after the last one had ended */
    ORR_GPU_IDLE_STREAM,   /* it was launched, and waited for work of another stream */
    ORR_GPU_IDLE_PEER,     /* the host, or a receive, waited for another rank */
    ORR_GPU_IDLE_STEP_END, /* the step has no more work */
    ORR_GPU_IDLE_OTHER,    /* from one kernel of a stream to the next; launch not known */
    ORR_GPU_IDLES
};

/* "launch", "stream", "peer", "end_of_step", "other". */
const char *orr_gpu_idle_name(enum orr_gpu_idle cause);

struct orr_gpu_view {
    sim_time span_ps; /* from the first begin to the last end, or to the end of the step */
    sim_time compute_ps, communication_ps, memory_copy_ps;
    sim_time exposed_communication_ps; /* neither a compute kernel nor a copy runs beside it */
    sim_time idle_ps;                  /* no stream runs anything; the sum of the next ones */
    sim_time idle_by_ps[ORR_GPU_IDLES];
};

struct orr_gpu_account {
    struct orr_gpu_view view;
    uint32_t active[ORR_GPU_KINDS];
    sim_time begin_ps; /* of the first span */
    sim_time at_ps;    /* up to which the view is told */
    sim_time open_ps;  /* idle time before at_ps that has no cause yet */
    bool begun;
};

/* Whether no stream runs anything. */
bool orr_gpu_is_idle(const struct orr_gpu_account *account);

/* Gives `ps` of the current idle time a cause; no more than there is of it. */
void orr_gpu_attribute(struct orr_gpu_account *account, sim_time now_ps, enum orr_gpu_idle cause,
                       sim_time ps);

/* A span begins; `cause`: of the idle time before it that has none yet. */
void orr_gpu_begin(struct orr_gpu_account *account, enum orr_gpu_kind kind, sim_time now_ps,
                   enum orr_gpu_idle cause);
void orr_gpu_end(struct orr_gpu_account *account, enum orr_gpu_kind kind, sim_time now_ps);

/* The view up to end_ps, or to the last end if that is later: what is left of the step is idle. */
struct orr_gpu_view orr_gpu_finish(struct orr_gpu_account *account, sim_time end_ps);

#endif
