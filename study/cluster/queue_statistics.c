/* Statistics over all jobs of a queue; see queue_statistics.h. */
#include "study/cluster/queue_statistics.h"

#include "core/arena.h"
#include "core/diag.h"
#include "core/sum.h"
#include "sim/cluster/jobs.h"
#include "sim/cluster/queue.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static int shorter(const void *left, const void *right)
{
    const struct orr_queue_span *a = left, *b = right;
    return (a->iteration_ps > b->iteration_ps) - (a->iteration_ps < b->iteration_ps);
}

/* Mean, and the 99th percentile by the nearest rank. Sorts the spans. */
static void summarize(struct orr_queue_span *span, size_t spans, sim_time *mean, sim_time *p99)
{
    double sum = 0;
    uint64_t count = 0, passed = 0;
    qsort(span, spans, sizeof *span, shorter);
    for (size_t i = 0; i < spans; i++) {
        sum += (double)span[i].iteration_ps * (double)span[i].count;
        count += span[i].count;
    }
    *mean = count > 0 ? (sim_time)(sum / (double)count + 0.5) : 0;
    *p99 = 0;
    const uint64_t rank = count - count / 100;
    for (size_t i = 0; i < spans && passed < rank; i++) {
        passed += span[i].count;
        *p99 = span[i].iteration_ps;
    }
}

static enum orr_status summarize_iterations(struct orr_queue_run *run, struct orr_diag *diag)
{
    size_t spans = run->jobs->jobs; /* at least one for each job, and as many as there are waits */
    for (size_t i = 0; i < run->jobs->jobs; i++) {
        spans += run->job[i].spans;
        run->iterations += run->jobs->job[i].iterations;
    }
    struct orr_queue_span *all = orr_heap_calloc(spans + 1, sizeof *all), *at = all;
    if (all == NULL) {
        return orr_diag_no_memory(diag, "the times of iterations");
    }
    for (size_t i = 0; i < run->jobs->jobs; i++) {
        struct orr_queued_job *job = &run->job[i];
        memcpy(at, job->span, job->spans * sizeof *at);
        summarize(at, job->spans, &job->mean_ps, &job->p99_ps);
        at += job->spans;
    }
    summarize(all, (size_t)(at - all), &run->mean_ps, &run->p99_ps);
    for (size_t i = 0; i < run->jobs->jobs; i++) {
        all[i] = (struct orr_queue_span){
            .iteration_ps = run->job[i].start_ps - run->job[i].arrival_ps, .count = 1};
    }
    summarize(all, run->jobs->jobs, &run->wait_mean_ps, &run->wait_p99_ps);
    orr_heap_free(all);
    return ORR_OK;
}

enum orr_status orr_queue_statistics(struct orr_queue_run *run, struct orr_diag *diag)
{
    double for_servers = 0, for_patching = 0, for_block = 0, used = 0;
    orr_sum busy_ps = 0;
    sim_time first_ps = ORR_TIME_MAX, end_ps = 0;
    const size_t jobs = run->jobs->jobs;
    for (size_t i = 0; i < jobs; i++) {
        const struct orr_queued_job *job = &run->job[i];
        for_servers += (double)job->for_servers_ps;
        for_patching += (double)job->for_patching_ps;
        for_block += (double)job->for_block_ps;
        busy_ps += (orr_sum)(job->end_ps - job->start_ps) * orr_job_servers(&run->jobs->job[i]);
        used += (double)(job->end_ps - job->start_ps) * orr_job_servers(&run->jobs->job[i]);
        first_ps = job->arrival_ps < first_ps ? job->arrival_ps : first_ps;
        end_ps = job->end_ps > end_ps ? job->end_ps : end_ps;
    }
    run->for_servers_mean_ps = (sim_time)(for_servers / (double)jobs + 0.5);
    run->for_patching_mean_ps = (sim_time)(for_patching / (double)jobs + 0.5);
    run->for_block_mean_ps = (sim_time)(for_block / (double)jobs + 0.5);
    run->makespan_ps = end_ps - first_ps;
    run->idle_ps = (orr_sum)run->makespan_ps * run->jobs->servers - busy_ps;
    run->utilization =
        run->makespan_ps > 0 ? used / ((double)run->makespan_ps * (double)run->jobs->servers) : 0;
    return summarize_iterations(run, diag);
}
