/* See corun_simulation.h. */
#include "study/cluster/corun_simulation.h"

#include <string.h>

/* A job that is fast beside a slow one has at most so many iterations for each of the slow one's
 * samples, and is given more at most so often. */
enum { MAX_ITERATIONS = 4096, MAX_ROUNDS = 4 };

struct set {
    const struct orr_jobs *jobs; /* of the file */
    const struct orr_corun_member *member;
    size_t count;
    const struct orr_corun_options *how;
    struct orr_arena *arena; /* of this round */
    struct orr_jobs some;    /* the members alone */
    uint32_t *iterations;    /* [count] */
    struct orr_jobs_run run;
};

static enum orr_status take_members(struct set *set, struct orr_diag *diag)
{
    struct orr_job *job = orr_arena_array(set->arena, set->count, sizeof *job);
    uint32_t *number = orr_arena_array(set->arena, set->count, sizeof *number);
    if (job == NULL || number == NULL) {
        return orr_diag_no_memory(diag, "jobs that run together");
    }
    for (size_t i = 0; i < set->count; i++) {
        const struct orr_corun_member *member = &set->member[i];
        const struct orr_job *from = &set->jobs->job[member->job];
        job[i] = *from;
        job[i].start_ps = 0;
        job[i].iterations = set->iterations[i];
        number[i] = member->job;
        if (member->server != NULL) {
            job[i].server = orr_arena_array(set->arena, orr_job_servers(from), sizeof(uint32_t));
            if (job[i].server == NULL) {
                return orr_diag_no_memory(diag, "jobs that run together");
            }
            memcpy(job[i].server, member->server, orr_job_servers(from) * sizeof(uint32_t));
        }
    }
    set->some = *set->jobs;
    set->some.arena = set->arena;
    set->some.job = job;
    set->some.jobs = set->count;
    set->some.number = number;
    return ORR_OK;
}

/* Runs what is loaded, while others load. */
static enum orrery_status run_unlocked(struct orrery *handle, const void *context)
{
    const struct orr_corun_options *how = context;
    if (how->loading != NULL) {
        (void)pthread_mutex_unlock(how->loading);
    }
    const enum orrery_status status = orrery_run(handle);
    if (how->loading != NULL) {
        (void)pthread_mutex_lock(how->loading);
    }
    return status;
}

static enum orr_status run_round(struct set *set, struct orr_diag *diag)
{
    const struct orr_jobs_options how = {.run = run_unlocked, .context = set->how};
    set->arena = orr_arena_create();
    const enum orr_status status = set->arena != NULL
                                       ? take_members(set, diag)
                                       : orr_diag_no_memory(diag, "jobs that run together");
    return status == ORR_OK ? orr_jobs_run(&set->some, &how, &set->run, diag) : status;
}

static void end_round(struct set *set)
{
    orr_jobs_run_free(&set->run);
    orr_arena_destroy(set->arena);
    set->run = (struct orr_jobs_run){.handle = NULL};
    set->arena = NULL;
}

static sim_time first_end(const struct set *set)
{
    sim_time end_ps = ORR_TIME_MAX;
    for (size_t i = 0; i < set->count; i++) {
        const sim_time own_ps = set->run.result[i].end_ps;
        end_ps = own_ps < end_ps ? own_ps : end_ps;
    }
    return end_ps;
}

/* How many iterations of the job had ended when the first job did. */
static uint32_t ended_by(const struct set *set, size_t i, sim_time end_ps)
{
    const struct orr_jobs_result *result = &set->run.result[i];
    sim_time at_ps = 0;
    uint32_t count = 0;
    while (count < set->iterations[i] && at_ps + result->iteration_ps[count] <= end_ps) {
        at_ps += result->iteration_ps[count++];
    }
    return count;
}

/* Gives those that end too soon for the slowest more iterations; false: there are enough. */
static bool ask_for_more(struct set *set)
{
    const uint32_t sample = set->jobs->queue.sample, min = sample > 1 ? sample - 1 : 1;
    const sim_time end_ps = first_end(set);
    sim_time slowest_ps = 0;
    bool few = false, more = false;
    for (size_t i = 0; i < set->count; i++) {
        const sim_time mean_ps = set->run.result[i].mean_ps;
        slowest_ps = mean_ps > slowest_ps ? mean_ps : slowest_ps;
        few = few || ended_by(set, i, end_ps) < min;
    }
    for (size_t i = 0; i < set->count && few; i++) {
        const double mean_ps = (double)set->run.result[i].mean_ps;
        const double wanted = mean_ps > 0 ? sample * ((double)slowest_ps / mean_ps) + 1 : 1;
        const uint32_t count = wanted < MAX_ITERATIONS ? (uint32_t)wanted : MAX_ITERATIONS;
        more = more || count > set->iterations[i];
        set->iterations[i] = count > set->iterations[i] ? count : set->iterations[i];
    }
    return more;
}

static enum orr_status take_pace(const struct set *set, size_t i, struct orr_arena *arena,
                                 struct orr_iteration_times *pace, struct orr_diag *diag)
{
    const uint32_t ended = set->count == 1 ? set->iterations[i] : ended_by(set, i, first_end(set));
    double sum = 0;
    *pace = (struct orr_iteration_times){.samples = ended > 0 ? ended : 1};
    sim_time *sample = orr_arena_array(arena, pace->samples, sizeof *sample);
    if (sample == NULL) {
        return orr_diag_no_memory(diag, "the pace of a job");
    }
    for (uint32_t k = 0; k < pace->samples; k++) {
        sample[k] = set->run.result[i].iteration_ps[k];
        sum += (double)sample[k];
    }
    pace->sample = sample;
    pace->mean_ps = (sim_time)(sum / pace->samples + 0.5);
    return ORR_OK;
}

static enum orr_status take_paces(const struct set *set, struct orr_arena *arena,
                                  struct orr_corun_result *out, struct orr_diag *diag)
{
    out->pace = orr_arena_array(arena, set->count, sizeof *out->pace);
    enum orr_status status =
        out->pace != NULL ? ORR_OK : orr_diag_no_memory(diag, "the paces of jobs");
    for (size_t i = 0; i < set->count && status == ORR_OK; i++) {
        status = take_pace(set, i, arena, &out->pace[i], diag);
    }
    out->windows = set->run.result[0].windows;
    return status;
}

/* Rounds until there are enough iterations of all. */
static enum orr_status run_rounds(struct set *set, struct orr_corun_result *out,
                                  struct orr_diag *diag)
{
    enum orr_status status = ORR_OK;
    bool again = true;
    while (again && status == ORR_OK) {
        status = run_round(set, diag);
        out->simulations++;
        again = status == ORR_OK && set->count > 1 && out->simulations < MAX_ROUNDS &&
                ask_for_more(set);
        if (status == ORR_OK) {
            out->events += set->run.events;
        }
        if (status == ORR_OK && !again) {
            status = take_paces(set, set->how->arena, out, diag);
        }
        end_round(set);
    }
    return status;
}

enum orr_status orr_corun_result(const struct orr_jobs *jobs, const struct orr_corun_member *member,
                                 size_t count, const struct orr_corun_options *how,
                                 struct orr_corun_result *out, struct orr_diag *diag)
{
    struct set set = {.jobs = jobs, .member = member, .count = count, .how = how};
    *out = (struct orr_corun_result){.pace = NULL};
    set.iterations = orr_arena_array(how->arena, count, sizeof *set.iterations);
    if (set.iterations == NULL) {
        return orr_diag_no_memory(diag, "jobs that run together");
    }
    for (size_t i = 0; i < count; i++) {
        const bool fewer = count == 1 && member[i].max != 0 && member[i].max < jobs->queue.sample;
        set.iterations[i] = fewer ? member[i].max : jobs->queue.sample;
    }
    if (how->loading != NULL) {
        (void)pthread_mutex_lock(how->loading);
    }
    const enum orr_status status = run_rounds(&set, out, diag);
    if (how->loading != NULL) {
        (void)pthread_mutex_unlock(how->loading);
    }
    return status;
}
