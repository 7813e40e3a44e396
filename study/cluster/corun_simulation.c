/* Co-run simulation; see corun_simulation.h. */
#include "study/cluster/corun_simulation.h"

#include "core/arena.h"
#include "orrery/orrery.h"

#include <string.h>

/* Limits if a fast job runs with a slow one: iterations of the fast job for each sample of the slow
 * one, and simulations with more iterations. */
enum { MAX_ITERATIONS = 4096, MAX_ROUNDS = 4 };

struct batch {
    const struct orr_jobs *jobs; /* all jobs of the file */
    const struct orr_corun_member *member;
    size_t count;
    const struct orr_corun_options *options;
    struct orr_arena *arena;  /* of this round */
    struct orr_jobs selected; /* the members alone */
    uint32_t *iterations;     /* [count] */
    struct orr_jobs_run run;
};

static enum orr_status copy_members(struct batch *batch, struct orr_diag *diag)
{
    struct orr_job *job = orr_arena_array(batch->arena, batch->count, sizeof *job);
    uint32_t *number = orr_arena_array(batch->arena, batch->count, sizeof *number);
    if (job == NULL || number == NULL) {
        return orr_diag_no_memory(diag, "jobs that run together");
    }
    for (size_t i = 0; i < batch->count; i++) {
        const struct orr_corun_member *member = &batch->member[i];
        const struct orr_job *from = &batch->jobs->job[member->job];
        job[i] = *from;
        job[i].start_ps = 0;
        job[i].iterations = batch->iterations[i];
        number[i] = member->job;
        if (member->server != NULL) {
            job[i].server = orr_arena_array(batch->arena, orr_job_servers(from), sizeof(uint32_t));
            if (job[i].server == NULL) {
                return orr_diag_no_memory(diag, "jobs that run together");
            }
            memcpy(job[i].server, member->server, orr_job_servers(from) * sizeof(uint32_t));
        }
    }
    batch->selected = *batch->jobs;
    batch->selected.arena = batch->arena;
    batch->selected.job = job;
    batch->selected.jobs = batch->count;
    batch->selected.number = number;
    return ORR_OK;
}

/* Runs a loaded job without the lock, so that other threads can load. */
static enum orrery_status run_unlocked(struct orrery *handle, const void *context)
{
    const struct orr_corun_options *options = context;
    if (options->loading != NULL) {
        (void)pthread_mutex_unlock(options->loading);
    }
    const enum orrery_status status = orrery_run(handle);
    if (options->loading != NULL) {
        (void)pthread_mutex_lock(options->loading);
    }
    return status;
}

static enum orr_status run_round(struct batch *batch, struct orr_diag *diag)
{
    const struct orr_jobs_options options = {.run = run_unlocked, .context = batch->options};
    batch->arena = orr_arena_create();
    const enum orr_status status = batch->arena != NULL
                                       ? copy_members(batch, diag)
                                       : orr_diag_no_memory(diag, "jobs that run together");
    return status == ORR_OK ? orr_jobs_run(&batch->selected, &options, &batch->run, diag) : status;
}

static void end_round(struct batch *batch)
{
    orr_jobs_run_free(&batch->run);
    orr_arena_destroy(batch->arena);
    batch->run = (struct orr_jobs_run){.handle = NULL};
    batch->arena = NULL;
}

static sim_time first_end(const struct batch *batch)
{
    sim_time end_ps = ORR_TIME_MAX;
    for (size_t i = 0; i < batch->count; i++) {
        const sim_time own_ps = batch->run.result[i].end_ps;
        end_ps = own_ps < end_ps ? own_ps : end_ps;
    }
    return end_ps;
}

/* Iterations of the job that ended before the first job did. */
static uint32_t ended_by(const struct batch *batch, size_t i, sim_time end_ps)
{
    const struct orr_jobs_result *result = &batch->run.result[i];
    sim_time at_ps = 0;
    uint32_t count = 0;
    while (count < batch->iterations[i] && at_ps + result->iteration_ps[count] <= end_ps) {
        at_ps += result->iteration_ps[count++];
    }
    return count;
}

/* Adds iterations to jobs that end too early for the slowest one. False: there are enough. */
static bool add_iterations(struct batch *batch)
{
    const uint32_t sample = batch->jobs->queue.sample, min = sample > 1 ? sample - 1 : 1;
    const sim_time end_ps = first_end(batch);
    sim_time slowest_ps = 0;
    bool few = false, more = false;
    for (size_t i = 0; i < batch->count; i++) {
        const sim_time mean_ps = batch->run.result[i].mean_ps;
        slowest_ps = mean_ps > slowest_ps ? mean_ps : slowest_ps;
        few = few || ended_by(batch, i, end_ps) < min;
    }
    for (size_t i = 0; i < batch->count && few; i++) {
        const double mean_ps = (double)batch->run.result[i].mean_ps;
        const double wanted = mean_ps > 0 ? sample * ((double)slowest_ps / mean_ps) + 1 : 1;
        const uint32_t count = wanted < MAX_ITERATIONS ? (uint32_t)wanted : MAX_ITERATIONS;
        more = more || count > batch->iterations[i];
        batch->iterations[i] = count > batch->iterations[i] ? count : batch->iterations[i];
    }
    return more;
}

static enum orr_status compute_times(const struct batch *batch, size_t i, struct orr_arena *arena,
                                     struct orr_iteration_times *times, struct orr_diag *diag)
{
    const uint32_t ended =
        batch->count == 1 ? batch->iterations[i] : ended_by(batch, i, first_end(batch));
    double sum = 0;
    *times = (struct orr_iteration_times){.samples = ended > 0 ? ended : 1};
    sim_time *sample = orr_arena_array(arena, times->samples, sizeof *sample);
    if (sample == NULL) {
        return orr_diag_no_memory(diag, "the pace of a job");
    }
    for (uint32_t k = 0; k < times->samples; k++) {
        sample[k] = batch->run.result[i].iteration_ps[k];
        sum += (double)sample[k];
    }
    times->sample = sample;
    times->mean_ps = (sim_time)(sum / times->samples + 0.5);
    return ORR_OK;
}

static enum orr_status compute_all_times(const struct batch *batch, struct orr_arena *arena,
                                         struct orr_corun_result *out, struct orr_diag *diag)
{
    out->times = orr_arena_array(arena, batch->count, sizeof *out->times);
    enum orr_status status =
        out->times != NULL ? ORR_OK : orr_diag_no_memory(diag, "the paces of jobs");
    for (size_t i = 0; i < batch->count && status == ORR_OK; i++) {
        status = compute_times(batch, i, arena, &out->times[i], diag);
    }
    out->windows = batch->run.result[0].windows;
    return status;
}

/* Repeats the simulation until all jobs have enough iterations. */
static enum orr_status run_rounds(struct batch *batch, struct orr_corun_result *out,
                                  struct orr_diag *diag)
{
    enum orr_status status = ORR_OK;
    bool needs_more = true;
    while (needs_more && status == ORR_OK) {
        status = run_round(batch, diag);
        out->simulations++;
        needs_more = status == ORR_OK && batch->count > 1 && out->simulations < MAX_ROUNDS &&
                     add_iterations(batch);
        if (status == ORR_OK) {
            out->events += batch->run.events;
        }
        if (status == ORR_OK && !needs_more) {
            status = compute_all_times(batch, batch->options->arena, out, diag);
        }
        end_round(batch);
    }
    return status;
}

enum orr_status orr_corun_result(const struct orr_jobs *jobs, const struct orr_corun_member *member,
                                 size_t count, const struct orr_corun_options *options,
                                 struct orr_corun_result *out, struct orr_diag *diag)
{
    struct batch batch = {.jobs = jobs, .member = member, .count = count, .options = options};
    *out = (struct orr_corun_result){.times = NULL};
    batch.iterations = orr_arena_array(options->arena, count, sizeof *batch.iterations);
    if (batch.iterations == NULL) {
        return orr_diag_no_memory(diag, "jobs that run together");
    }
    for (size_t i = 0; i < count; i++) {
        const bool fewer = count == 1 && member[i].max != 0 && member[i].max < jobs->queue.sample;
        batch.iterations[i] = fewer ? member[i].max : jobs->queue.sample;
    }
    if (options->loading != NULL) {
        (void)pthread_mutex_lock(options->loading);
    }
    const enum orr_status status = run_rounds(&batch, out, diag);
    if (options->loading != NULL) {
        (void)pthread_mutex_unlock(options->loading);
    }
    return status;
}
