/* Progress of a job; see job_progress.h. */
#include "study/cluster/job_progress.h"

#include "core/arena.h"
#include "sim/cluster/queue.h"

#include <math.h>

/* Time of the iteration with this number. */
static sim_time time_of(const struct orr_progress *job, uint64_t number)
{
    return job->fresh && number < job->times.samples ? job->times.sample[number]
                                                     : job->times.mean_ps;
}

static void add_span(struct orr_progress *job, sim_time iteration_ps, uint64_t count)
{
    if (count == 0) {
        return;
    }
    if (job->spans > 0 && job->span[job->spans - 1].iteration_ps == iteration_ps) {
        job->span[job->spans - 1].count += count;
        return;
    }
    struct orr_queue_span *grown =
        orr_arena_grow(job->arena, job->span, &job->capacity, job->spans + 1, sizeof *job->span);
    job->no_memory = job->no_memory || grown == NULL;
    if (grown != NULL) {
        job->span = grown;
        job->span[job->spans++] =
            (struct orr_queue_span){.iteration_ps = iteration_ps, .count = count};
    }
}

static void begin_iteration(struct orr_progress *job)
{
    job->spent_ps = 0;
    job->whole_ps = job->left_ps = job->done < job->iterations ? time_of(job, job->done) : 0;
}

/* Passes as many iterations of mean duration as fit into the time; returns the rest of the time. */
static sim_time pass_many(struct orr_progress *job, sim_time passed_ps)
{
    const sim_time mean_ps = job->times.mean_ps;
    const uint64_t rest = job->iterations - job->done;
    const uint64_t fit = mean_ps > 0 ? (uint64_t)(passed_ps / mean_ps) : rest;
    const uint64_t count = fit < rest ? fit : rest;
    add_span(job, mean_ps, count);
    job->done += count;
    return passed_ps - orr_time_mul(mean_ps, count);
}

void orr_progress_advance(struct orr_progress *job, sim_time now_ps)
{
    sim_time passed_ps = now_ps - job->since_ps;
    while (job->done < job->iterations && passed_ps >= job->left_ps) {
        passed_ps -= job->left_ps;
        add_span(job, orr_time_add(job->spent_ps, job->left_ps), 1);
        job->done++;
        if (!job->fresh || job->done >= job->times.samples) {
            passed_ps = pass_many(job, passed_ps);
        }
        begin_iteration(job);
    }
    if (job->done < job->iterations) {
        job->spent_ps += passed_ps;
        job->left_ps -= passed_ps;
    }
    job->since_ps = now_ps;
}

void orr_progress_set_times(struct orr_progress *job, const struct orr_iteration_times *times,
                            sim_time now_ps)
{
    const bool begins = !job->has_times || (job->done == 0 && job->spent_ps == 0);
    const sim_time left_ps = job->left_ps, whole_ps = job->whole_ps;
    job->times = *times;
    job->has_times = true;
    job->fresh = begins;
    job->since_ps = now_ps;
    if (begins) {
        begin_iteration(job);
    } else if (whole_ps != times->mean_ps && job->done < job->iterations) {
        const double share = whole_ps > 0 ? (double)left_ps / (double)whole_ps : 1;
        job->whole_ps = times->mean_ps;
        job->left_ps = (sim_time)llround(share * (double)times->mean_ps);
    }
}

sim_time orr_progress_end(const struct orr_progress *job)
{
    if (job->done >= job->iterations) {
        return job->since_ps;
    }
    sim_time end_ps = orr_time_add(job->since_ps, job->left_ps);
    uint64_t number = job->done + 1;
    for (; number < job->iterations && job->fresh && number < job->times.samples; number++) {
        end_ps = orr_time_add(end_ps, job->times.sample[number]);
    }
    return orr_time_add(end_ps, orr_time_mul(job->times.mean_ps, job->iterations - number));
}
