/* Progress of a job whose iteration time changes with the jobs that run at the same time
 * (docs/models.md, section 14). */
#ifndef ORR_STUDY_CLUSTER_JOB_PROGRESS_H
#define ORR_STUDY_CLUSTER_JOB_PROGRESS_H

#include <stddef.h>

#include "core/time.h"

struct orr_arena;
struct orr_queue_span;

/* Iteration times of a job while the same jobs run: the first ones after its start, and the mean,
 * which holds for all others. */
struct orr_iteration_times {
    const sim_time *sample; /* [samples] */
    uint32_t samples;
    sim_time mean_ps;
};

struct orr_progress {
    struct orr_arena *arena;
    uint64_t iterations;
    /* Private. */
    bool has_times, fresh; /* has_times: `times` is set; fresh: it has run with these times only,
                              from its start on */
    struct orr_iteration_times times;
    uint64_t done;
    sim_time since_ps; /* time of the state below */
    sim_time spent_ps, left_ps,
        whole_ps;                /* of the current iteration; whole: with the current times */
    struct orr_queue_span *span; /* [spans], in the arena */
    size_t spans, capacity;
    bool no_memory;
};

/* Advances to a time with the current iteration times. O(samples). */
void orr_progress_advance(struct orr_progress *job, sim_time now_ps);

/* Sets new iteration times from now on: of the current iteration the same share is left of the new
 * mean. Samples count only for a job that has not begun. O(1). */
void orr_progress_set_times(struct orr_progress *job, const struct orr_iteration_times *times,
                            sim_time now_ps);

/* The end of its last iteration with the current times; ORR_TIME_MAX: beyond the range of time.
 * O(samples). */
sim_time orr_progress_end(const struct orr_progress *job);

#endif
