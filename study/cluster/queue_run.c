/* The event loop of jobs that wait for servers; see queue_run.h. */
#include "study/cluster/queue_run.h"

#include <inttypes.h>
#include <stdlib.h>

#include "core/conf/conf.h"
#include "sim/cluster/jobs.h"
#include "study/cluster/corun_times.h"
#include "study/cluster/job_progress.h"
#include "study/cluster/job_scheduler.h"
#include "study/cluster/queue_statistics.h"

struct queue {
    const struct orr_jobs *jobs;
    struct orr_corun_times corun;
    struct orr_sched sched;
    struct orr_progress *progress;     /* [jobs] */
    struct orr_corun_member *running;  /* [running_count], by ascending job; capacity: all jobs */
    struct orr_iteration_times *times; /* times of the running jobs, in the same order */
    uint32_t running_count;
    struct orr_queue_run *out;
};

static bool is_shared(const struct queue *queue)
{
    return queue->jobs->network == ORR_JOBS_SHARED;
}

/* ---- setting up ---- */

/* On a private network a job's end is known when it starts. */
static sim_time compute_end(void *context, uint32_t job, sim_time start_ps)
{
    struct queue *queue = context;
    if (is_shared(queue)) {
        return ORR_TIME_MAX;
    }
    orr_progress_set_times(&queue->progress[job], &queue->corun.unshared[queue->corun.kind[job]],
                           start_ps);
    return orr_progress_end(&queue->progress[job]);
}

static enum orr_status make_rows(struct queue *queue, struct orr_diag *diag)
{
    const struct orr_jobs *jobs = queue->jobs;
    struct orr_arena *arena = jobs->arena;
    queue->progress = orr_arena_array(arena, jobs->jobs, sizeof *queue->progress);
    queue->running = orr_arena_array(arena, jobs->jobs, sizeof *queue->running);
    queue->times = orr_arena_array(arena, jobs->jobs, sizeof *queue->times);
    queue->sched.job = orr_arena_array(arena, jobs->jobs, sizeof *queue->sched.job);
    queue->out->job = orr_arena_array(arena, jobs->jobs, sizeof *queue->out->job);
    uint32_t *order = orr_arena_array(arena, jobs->servers, sizeof *order);
    bool memory = queue->progress != NULL && queue->running != NULL && queue->times != NULL &&
                  queue->sched.job != NULL && queue->out->job != NULL && order != NULL;
    for (size_t i = 0; i < jobs->jobs && memory; i++) {
        const struct orr_job *job = &jobs->job[i];
        queue->progress[i] = (struct orr_progress){.arena = arena, .iterations = job->iterations};
        queue->sched.job[i] = (struct orr_sched_job){
            .arrival_ps = job->start_ps,
            .servers = orr_job_servers(job),
            .user_servers = job->servers != NULL ? job->server : NULL,
            .server = orr_arena_array(arena, orr_job_servers(job), sizeof(uint32_t))};
        memory = queue->sched.job[i].server != NULL;
    }
    if (!memory) {
        return orr_diag_no_memory(diag, "a queue of jobs");
    }
    orr_jobs_server_order(jobs, order);
    queue->sched.order = order;
    return ORR_OK;
}

static enum orr_status set_up(struct queue *queue, struct orr_diag *diag)
{
    const struct orr_queue *rules = &queue->jobs->queue;
    const struct orr_panels *panels = &rules->panels;
    enum orr_status status = make_rows(queue, diag);
    if (status != ORR_OK) {
        return status;
    }
    queue->sched.rules =
        (struct orr_sched_rules){.fifo = rules->order == ORR_QUEUE_FIFO,
                                 .look_ahead = panels->look_ahead,
                                 .block = orr_jobs_need_blocks(queue->jobs),
                                 .patch_ps = panels->node != NULL ? panels->reconfiguration_ps : 0,
                                 .flip_ps = panels->flip_ps,
                                 .notice_ps = panels->notice_ps};
    queue->sched.servers = queue->jobs->servers;
    queue->sched.jobs = (uint32_t)queue->jobs->jobs;
    queue->sched.compute_end = compute_end;
    queue->sched.context = queue;
    return orr_sched_init(&queue->sched, queue->jobs->arena, diag);
}

/* ---- panels ---- */

static uint32_t interfaces_of(const struct net_graph *graph)
{
    uint32_t max = 0;
    for (uint32_t i = 0; i < graph->npus; i++) {
        const uint32_t links = graph->first_out[i + 1] - graph->first_out[i];
        max = links > max ? links : max;
    }
    return max;
}

static enum orr_status fail_panels(const struct orr_panels *panels, uint32_t interfaces,
                                   const char *name, struct orr_diag *diag)
{
    const struct orr_location location = orr_conf_location(orr_conf_get(panels->node, "count"));
    return orr_diag_fail(diag, ORR_ERR_INPUT, &location,
                         "%s.count: expected %" PRIu32 " panels or more, got %" PRIu32
                         ": a server of \"%s\" has %" PRIu32 " interfaces%s",
                         panels->node->path, panels->look_ahead ? 2 * interfaces : interfaces,
                         panels->count, name, interfaces,
                         panels->look_ahead
                             ? ", and look-ahead needs an active and a look-ahead panel for each"
                             : "");
}

/* Checks that there are enough panels for the networks of all kinds of jobs. */
static enum orr_status check_panels(const struct queue *queue, struct orr_diag *diag)
{
    const struct orr_panels *panels = &queue->jobs->queue.panels;
    enum orr_status status = ORR_OK;
    for (uint32_t i = 0; i < queue->corun.kinds && panels->count > 0 && status == ORR_OK; i++) {
        const struct orr_job *job = &queue->jobs->job[queue->corun.first[i]];
        struct orr_cluster_network network;
        status = orr_jobs_build_network(queue->jobs, job, &network, diag);
        const uint32_t interfaces = status == ORR_OK ? interfaces_of(&network.graph) : 0;
        if (interfaces > panels->count / (panels->look_ahead ? 2 : 1)) {
            status = fail_panels(panels, interfaces, job->name, diag);
        }
    }
    return status;
}

/* ---- concurrent jobs ---- */

static int by_job(const void *left, const void *right)
{
    const struct orr_corun_member *a = left, *b = right;
    return (a->job > b->job) - (a->job < b->job);
}

/* Advances the jobs that ran until now; sets the times of the set of jobs that runs from now on. */
static enum orr_status update_times(struct queue *queue, struct orr_diag *diag)
{
    struct orr_sched *sched = &queue->sched;
    for (uint32_t i = 0; i < queue->running_count; i++) {
        orr_progress_advance(&queue->progress[queue->running[i].job], sched->now_ps);
    }
    queue->running_count = 0;
    for (uint32_t i = 0; i < sched->active_count; i++) {
        const uint32_t job = sched->active[i];
        if (sched->job[job].state == ORR_SCHED_RUNS) {
            queue->running[queue->running_count++] =
                (struct orr_corun_member){.job = job, .server = sched->job[job].server};
        }
    }
    qsort(queue->running, queue->running_count, sizeof *queue->running, by_job);
    enum orr_status status = ORR_OK;
    if (queue->running_count == 1) {
        queue->running->max = queue->corun.max[queue->corun.kind[queue->running->job]];
    }
    if (queue->running_count > 0) {
        status = orr_corun_times_shared(&queue->corun, queue->running, queue->running_count,
                                        queue->times, diag);
    }
    for (uint32_t i = 0; i < queue->running_count && status == ORR_OK; i++) {
        const uint32_t job = queue->running[i].job;
        orr_progress_set_times(&queue->progress[job], &queue->times[i], sched->now_ps);
        sched->job[job].end_ps = orr_progress_end(&queue->progress[job]);
    }
    return status;
}

/* ---- the run ---- */

static enum orr_status run_all(struct queue *queue, struct orr_diag *diag)
{
    enum orr_status status = ORR_OK;
    sim_time next_ps = orr_sched_next(&queue->sched);
    while (next_ps != ORR_TIME_MAX && status == ORR_OK) {
        const bool changed = orr_sched_step(&queue->sched, next_ps);
        if (changed && is_shared(queue)) {
            status = update_times(queue, diag);
        }
        next_ps = orr_sched_next(&queue->sched);
    }
    for (size_t i = 0; i < queue->jobs->jobs && status == ORR_OK; i++) {
        if (queue->sched.job[i].state != ORR_SCHED_DONE) {
            const struct orr_location location = orr_conf_location(queue->jobs->job[i].node);
            status = orr_diag_fail(diag, ORR_ERR_INPUT, &location,
                                   "job \"%s\" does not end in the time that can be simulated, 106 "
                                   "days",
                                   queue->jobs->job[i].name);
        }
    }
    return status;
}

/* The mean iteration of each job alone on its servers. */
static enum orr_status run_alone(struct queue *queue, struct orr_diag *diag)
{
    enum orr_status status = ORR_OK;
    for (uint32_t i = 0; i < queue->sched.jobs && status == ORR_OK; i++) {
        struct orr_queued_job *job = &queue->out->job[i];
        const struct orr_corun_member one = {
            .job = i, .max = queue->corun.max[queue->corun.kind[i]], .server = job->server};
        struct orr_iteration_times times;
        job->alone_ps = job->mean_ps;
        if (is_shared(queue)) {
            status = orr_corun_times_shared(&queue->corun, &one, 1, &times, diag);
            job->alone_ps = times.mean_ps;
        }
    }
    return status;
}

static enum orr_status collect(struct queue *queue, bool alone, struct orr_diag *diag)
{
    struct orr_queue_run *out = queue->out;
    for (uint32_t i = 0; i < queue->sched.jobs; i++) {
        const struct orr_sched_job *from = &queue->sched.job[i];
        struct orr_progress *progress = &queue->progress[i];
        orr_progress_advance(progress, from->end_ps);
        if (progress->no_memory) {
            return orr_diag_no_memory(diag, "the times of iterations");
        }
        out->job[i] = (struct orr_queued_job){
            .server = from->server,
            .arrival_ps = from->arrival_ps,
            .patching_ps = from->patching_ps,
            .for_servers_ps = from->ready_ps - from->arrival_ps,
            .for_patching_ps = from->start_ps - from->ready_ps,
            .for_block_ps = from->for_block_ps,
            .start_ps = from->start_ps,
            .end_ps = from->end_ps,
            .side = queue->sched.rules.look_ahead ? from->side : ORR_QUEUE_NO_SIDE,
            .span = progress->span,
            .spans = progress->spans};
    }
    out->fragmented_ps = queue->sched.fragmented_ps;
    out->largest_hole = queue->sched.largest_hole;
    enum orr_status status = orr_queue_statistics(out, diag);
    if (status == ORR_OK && alone) {
        out->alone = true;
        status = run_alone(queue, diag);
    }
    out->events = queue->corun.events;
    out->simulations = queue->corun.simulations;
    out->windows = queue->corun.windows;
    return status;
}

enum orr_status orr_queue_run(const struct orr_jobs *jobs, bool alone, struct orr_queue_run *out,
                              struct orr_diag *diag)
{
    struct queue queue = {.jobs = jobs, .out = out};
    *out = (struct orr_queue_run){.jobs = jobs};
    enum orr_status status = orr_corun_times_init(&queue.corun, jobs, diag);
    if (status == ORR_OK && jobs->queue.panels.node != NULL) {
        status = check_panels(&queue, diag);
    }
    if (status == ORR_OK && !is_shared(&queue)) {
        status = orr_corun_times_unshared(&queue.corun, diag);
    }
    if (status == ORR_OK) {
        status = set_up(&queue, diag);
    }
    if (status == ORR_OK) {
        status = run_all(&queue, diag);
    }
    return status == ORR_OK ? collect(&queue, alone, diag) : status;
}
