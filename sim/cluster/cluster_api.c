/* Clusters of jobs, for the public API: see include/orrery/orrery.h. */
#include "core/conf/conf.h"
#include "sim/cluster/jobs.h"
#include "sim/orrery_private.h"
#include "workload/engine/engine.h"

static enum orr_status load(struct orrery *job, const char *file, const char *const *set,
                            size_t sets)
{
    struct orr_jobs *jobs = orr_arena_alloc(job->arena, sizeof *jobs);
    struct orr_cluster_network *network = orr_arena_alloc(job->arena, sizeof *network);
    if (jobs == NULL || network == NULL) {
        return orr_diag_no_memory(&job->diag, "a cluster");
    }
    enum orr_status status = orr_jobs_read(job->arena, file, set, sets, jobs, &job->diag);
    if (status == ORR_OK && jobs->network != ORR_JOBS_SHARED) {
        const struct orr_location place = orr_conf_location(orr_conf_get(jobs->cluster, "network"));
        status = orr_diag_fail(&job->diag, ORR_ERR_INPUT, &place,
                               "cluster.network: expected shared: jobs with a network each are "
                               "runs of their own");
    }
    if (status == ORR_OK && jobs->queue.order != ORR_QUEUE_NONE) {
        const struct orr_location place = orr_conf_location(orr_conf_get(jobs->cluster, "queue"));
        status = orr_diag_fail(&job->diag, ORR_ERR_INPUT, &place,
                               "cluster.queue: expected none: jobs that wait for servers are "
                               "several runs");
    }
    if (status == ORR_OK) {
        status = orr_jobs_place(jobs, &job->diag);
    }
    if (status == ORR_OK) {
        status = orr_jobs_build_network(jobs, NULL, network, &job->diag);
    }
    const struct orr_cluster_part all = {.jobs = jobs, .count = jobs->jobs, .network = network};
    return status == ORR_OK ? orr_cluster_load(job, &all) : status;
}

enum orrery_status orrery_load_cluster(struct orrery *job, const char *file, const char *const *set,
                                       size_t set_count)
{
    enum orr_status status = orr_check_empty(job);
    if (status == ORR_OK && file == NULL) {
        status = orr_diag_fail(&job->diag, ORR_ERR_INPUT, NULL, "a file of jobs is needed");
    }
    return orr_finish_call(job, status == ORR_OK ? load(job, file, set, set_count) : status);
}

uint32_t orrery_jobs(const struct orrery *job)
{
    return job->cluster.job_count;
}

enum orrery_status orrery_job(const struct orrery *job, uint32_t index,
                              struct orrery_job_times *times)
{
    if (index >= job->cluster.job_count || !job->ran) {
        return orr_reject_index(job, "job of a cluster", index, job->cluster.job_count);
    }
    const struct wl_job *of = &job->cluster.jobs[index];
    const struct wl_job_times took = orr_engine_job(job->layers.engine, index);
    *times = (struct orrery_job_times){.name = of->name,
                                       .ranks = of->rank,
                                       .npus = of->npus,
                                       .start_ps = of->start_ps,
                                       .end_ps = took.end_ps,
                                       .iterations = took.iterations,
                                       .iteration_ps = took.iteration_ps};
    return ORRERY_OK;
}
