/* Runs the jobs of a file; see jobs.h. */
#include <stdlib.h>
#include <string.h>

#include "sim/cluster/jobs.h"
#include "sim/cluster/named_fabric.h"

/* ---- networks ---- */

/* The bandwidth that the task graphs agree on; 0: they do not, or do not say. */
static double agreed_bandwidth(const struct orr_jobs *jobs)
{
    double agreed = jobs->graphs->job.graph.link_bytes_per_ms;
    for (const struct orr_jobs_graph *graph = jobs->graphs; graph != NULL; graph = graph->next) {
        agreed = graph->job.graph.link_bytes_per_ms < agreed ||
                         graph->job.graph.link_bytes_per_ms > agreed
                     ? 0
                     : agreed;
    }
    return agreed;
}

/* What the jobs' file says of flows. */
static void choose_flows(const struct orr_jobs *jobs, struct net_flow_model *flows)
{
    if (jobs->flow_model != ORR_JOBS_MODEL_BY_NETWORK) {
        flows->windows = jobs->flow_model == ORR_JOBS_WINDOWS;
    }
    flows->start_ps = jobs->flow_setup_ps > 0 ? jobs->flow_setup_ps : flows->start_ps;
    flows->forward_ps = jobs->forwarding_ps > 0 ? jobs->forwarding_ps : flows->forward_ps;
}

static enum orr_status build_network(const struct orr_jobs *jobs, const struct orr_job *of,
                                     struct net_graph *network, struct orr_cluster_config *out,
                                     struct orr_diag *diag)
{
    const struct flexflow_graph none = {.link_bytes_per_ms = agreed_bandwidth(jobs)};
    *out = (struct orr_cluster_config){.network = network, .flows = orr_net_flow_packets(false)};
    const struct orr_fabric fabric = {
        .text = jobs->fabric,
        .path = orr_fabric_is_file(jobs->fabric)
                    ? orr_path_beside(jobs->arena, jobs->file, jobs->fabric)
                    : NULL,
        .user = of == NULL ? "cluster" : "task graph",
        .servers = of == NULL ? jobs->servers : of->graph->job.taskgraph.servers,
        .own = of == NULL ? &none : &of->graph->job.graph,
        .kind = jobs->kind,
        .seed = jobs->seed,
        .has_seed = true,
        .flows = &out->flows,
        .no_bandwidth = "the task graphs do not agree on a bandwidth",
        .bandwidth_key = "cluster.link_bandwidth",
        .routing = jobs->routing,
        .routing_key = "cluster.routing"};
    const enum orr_status status =
        orr_fabric_build(&fabric, jobs->arena, network, &out->routes, diag);
    if (status != ORR_OK && diag->place.kind == ORR_PLACE_NONE) {
        const struct orr_conf *node = orr_conf_get(jobs->cluster, "fabric");
        diag->place = orr_conf_place(node == NULL ? jobs->cluster : node);
    }
    choose_flows(jobs, &out->flows);
    return status;
}

/* ---- clusters ---- */

/* Random paths are those of the job's number, whoever else is there. */
static enum orr_status add(const struct orr_jobs *jobs, size_t number, struct orr_cluster *cluster,
                           struct orr_diag *diag)
{
    const struct orr_job *job = &jobs->job[number];
    const struct orr_cluster_job config = {.name = job->name,
                                           .graph = &job->graph->job.taskgraph,
                                           .server = jobs->network == ORR_JOBS_SHARED ? job->server
                                                                                      : NULL,
                                           .all_reduce = job->all_reduce,
                                           .start_ps = job->start_ps,
                                           .stream = (uint32_t)number,
                                           .iterations = job->iterations};
    return orr_cluster_add(cluster, &config, diag);
}

static enum orr_status run_shared(struct orr_jobs_run *run, struct orr_diag *diag)
{
    const struct orr_jobs *jobs = run->jobs;
    enum orr_status status = build_network(jobs, NULL, run->network, &run->config, diag);
    if (status == ORR_OK) {
        status = orr_cluster_create(run->cluster, &run->config, diag);
    }
    for (size_t i = 0; i < jobs->jobs && status == ORR_OK; i++) {
        status = add(jobs, i, *run->cluster, diag);
    }
    if (status == ORR_OK) {
        status = orr_cluster_run(*run->cluster, diag);
    }
    for (size_t i = 0; i < jobs->jobs && status == ORR_OK; i++) {
        run->result[i].of = orr_cluster_result(*run->cluster, (uint32_t)i);
        run->result[i].windows = run->config.flows.windows;
    }
    return status;
}

static enum orr_status run_sharded(struct orr_jobs_run *run, struct orr_diag *diag)
{
    const struct orr_jobs *jobs = run->jobs;
    enum orr_status status = ORR_OK;
    for (size_t i = 0; i < jobs->jobs && status == ORR_OK; i++) {
        struct orr_cluster_config config;
        status = build_network(jobs, &jobs->job[i], &run->network[i], &config, diag);
        if (status == ORR_OK) {
            status = orr_cluster_create(&run->cluster[i], &config, diag);
        }
        if (status == ORR_OK) {
            status = add(jobs, i, run->cluster[i], diag);
        }
        if (status == ORR_OK) {
            status = orr_cluster_run(run->cluster[i], diag);
        }
        if (status == ORR_OK) {
            run->result[i].of = orr_cluster_result(run->cluster[i], 0);
            run->result[i].windows = config.flows.windows;
        }
    }
    return status;
}

/* ---- figures ---- */

static int ascending(const void *left, const void *right)
{
    const sim_time a = *(const sim_time *)left, b = *(const sim_time *)right;
    return (a > b) - (a < b);
}

/* Mean, and the 99th percentile by the nearest rank: the smallest of the times that at least 99 %
 * of all do not exceed. Sorts them. */
static void summarize(sim_time *time, uint64_t count, sim_time *mean, sim_time *p99)
{
    double sum = 0;
    qsort(time, count, sizeof *time, ascending);
    for (uint64_t i = 0; i < count; i++) {
        sum += (double)time[i];
    }
    *mean = (sim_time)(sum / (double)count + 0.5);
    *p99 = time[(99 * count + 99) / 100 - 1];
}

static enum orr_status collect(struct orr_jobs_run *run, struct orr_diag *diag)
{
    const struct orr_jobs *jobs = run->jobs;
    for (size_t i = 0; i < jobs->jobs; i++) {
        run->iterations += jobs->job[i].iterations;
    }
    sim_time *time = orr_heap_calloc(run->iterations + 1, sizeof *time), *at = time;
    if (time == NULL) {
        return orr_diag_no_memory(diag, "the times of iterations");
    }
    for (size_t i = 0; i < jobs->jobs; i++) {
        struct orr_jobs_result *result = &run->result[i];
        const uint32_t count = jobs->job[i].iterations;
        memcpy(at, result->of.iteration_ps, count * sizeof *at);
        summarize(at, count, &result->mean_ps, &result->p99_ps);
        at += count;
        run->end_ps = result->of.end_ps > run->end_ps ? result->of.end_ps : run->end_ps;
    }
    summarize(time, run->iterations, &run->mean_ps, &run->p99_ps);
    orr_heap_free(time);
    for (size_t i = 0; i < run->clusters; i++) {
        run->events += orr_cluster_events(run->cluster[i]);
    }
    return ORR_OK;
}

enum orr_status orr_jobs_run_alone(const struct orr_jobs_run *run, size_t number, sim_time *mean_ps,
                                   struct orr_diag *diag)
{
    struct orr_cluster *cluster = NULL;
    enum orr_status status = orr_cluster_create(&cluster, &run->config, diag);
    if (status == ORR_OK) {
        status = add(run->jobs, number, cluster, diag);
    }
    if (status == ORR_OK) {
        status = orr_cluster_run(cluster, diag);
    }
    if (status == ORR_OK) {
        const struct orr_cluster_result alone = orr_cluster_result(cluster, 0);
        const uint32_t count = run->jobs->job[number].iterations;
        double sum = 0;
        for (uint32_t i = 0; i < count; i++) {
            sum += (double)alone.iteration_ps[i];
        }
        *mean_ps = (sim_time)(sum / count + 0.5);
    }
    orr_cluster_destroy(cluster);
    return status;
}

enum orr_status orr_jobs_run(const struct orr_jobs *jobs, struct orr_jobs_run *run,
                             struct orr_diag *diag)
{
    const bool shared = jobs->network == ORR_JOBS_SHARED;
    *run = (struct orr_jobs_run){.jobs = jobs, .clusters = shared ? 1 : jobs->jobs};
    run->cluster = orr_arena_array(jobs->arena, run->clusters, sizeof(struct orr_cluster *));
    run->network = orr_arena_array(jobs->arena, run->clusters, sizeof *run->network);
    run->result = orr_arena_array(jobs->arena, jobs->jobs, sizeof *run->result);
    if (run->cluster == NULL || run->network == NULL || run->result == NULL) {
        return orr_diag_no_memory(diag, "the jobs");
    }
    const enum orr_status status = shared ? run_shared(run, diag) : run_sharded(run, diag);
    return status == ORR_OK ? collect(run, diag) : status;
}

void orr_jobs_run_free(struct orr_jobs_run *run)
{
    for (size_t i = 0; run->cluster != NULL && i < run->clusters; i++) {
        orr_cluster_destroy(run->cluster[i]);
    }
}
