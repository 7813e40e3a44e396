/* How far a job is whose pace changes with who runs beside it (docs/models.md, section 14). */
#ifndef ORR_STUDY_CLUSTER_JOB_PROGRESS_H
#define ORR_STUDY_CLUSTER_JOB_PROGRESS_H

#include "core/core.h"
#include "sim/sim.h"

/* Iterations of a job while the same jobs run: the first ones of a job that starts then, and what
 * all others take, their mean. */
struct orr_iteration_times {
    const sim_time *sample; /* [samples] */
    uint32_t samples;
    sim_time mean_ps;
};

struct orr_progress {
    struct orr_arena *arena;
    uint64_t iterations;
    /* Its own. */
    bool has_times, fresh; /* it has run at this pace only, from its start on */
    struct orr_iteration_times times;
    uint64_t done;
    sim_time since_ps;                    /* it stands as said here */
    sim_time spent_ps, left_ps, whole_ps; /* of the iteration that it is in; whole: at this pace */
    struct orr_queue_span *span;          /* [spans], in the arena */
    size_t spans, capacity;
    bool no_memory;
};

/* Goes on to the time, at the pace that it has. O(samples). */
void orr_progress_advance(struct orr_progress *job, sim_time now_ps);

/* From now on, where it stands, another pace: what is left of an iteration is the same share of the
 * new mean. The samples are for a job that has not begun. O(1). */
void orr_progress_set_times(struct orr_progress *job, const struct orr_iteration_times *times,
                            sim_time now_ps);

/* When its last iteration ends at this pace; ORR_TIME_MAX: later than there is time. O(samples). */
sim_time orr_progress_end(const struct orr_progress *job);

#endif
