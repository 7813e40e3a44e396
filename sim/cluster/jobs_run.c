/* Runs the jobs of a file; see jobs.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/conf/conf.h"
#include "core/file.h"
#include "et_converter/task_graph_input.h"
#include "network/net_backend.h"
#include "sim/api_call.h"
#include "sim/cluster/jobs.h"
#include "sim/cluster/named_fabric.h"
#include "sim/load/task_graph.h"
#include "sim/orrery_private.h"
#include "system/sys_counts.h"
#include "workload/engine/engine.h"

/* ---- networks ---- */

/* The bandwidth common to all task graphs; 0: they differ, or have none. */
static double agreed_bandwidth(const struct orr_jobs *jobs)
{
    double agreed = -1;
    for (const struct orr_jobs_source *source = jobs->sources; source != NULL;
         source = source->next) {
        const double own =
            source->graph != NULL ? source->graph->source.network.bytes_per_s : agreed;
        agreed = agreed < 0 ? own : own < agreed || own > agreed ? 0 : agreed;
    }
    return agreed > 0 ? agreed : 0;
}

/* Sets the flow model of the file. */
static void choose_flows(const struct orr_jobs *jobs, struct net_flow_model *flows)
{
    if (jobs->flow_model != ORR_JOBS_MODEL_BY_NETWORK) {
        flows->windows = jobs->flow_model == ORR_JOBS_WINDOWS;
    }
    flows->start_ps = jobs->flow_setup_ps > 0 ? jobs->flow_setup_ps : flows->start_ps;
    flows->forward_ps = jobs->forwarding_ps > 0 ? jobs->forwarding_ps : flows->forward_ps;
    flows->forward_bytes_per_s = jobs->forwarding_limit_bytes_per_s > 0
                                     ? jobs->forwarding_limit_bytes_per_s
                                     : flows->forward_bytes_per_s;
}

/* The fabric of the cluster's keys, or of the job's own network. */
static struct orr_fabric describe(const struct orr_jobs *jobs, const struct orr_job_platform *own)
{
    struct orr_fabric fabric = {.text = jobs->fabric,
                                .path =
                                    orr_fabric_is_file(jobs->fabric)
                                        ? orr_path_resolve(jobs->arena, jobs->file, jobs->fabric)
                                        : NULL,
                                .kind = jobs->kind,
                                .seed = jobs->seed,
                                .has_seed = true,
                                .routing = jobs->routing,
                                .rings = jobs->rings};
    if (own != NULL) {
        fabric.text = own->fabric;
        fabric.path = own->path;
        fabric.kind = own->kind;
        fabric.has_seed = own->plan == NULL;
        fabric.routing = own->routing;
        fabric.rings = own->rings;
    }
    return fabric;
}

/* Adds to a network error without location the key of the network, and, if the cluster's fabric is
 * built for each job, the job. */
static enum orr_status locate_error(enum orr_status status, const struct orr_jobs *jobs,
                                    const struct orr_job *of, struct orr_diag *diag)
{
    const struct orr_job_platform *own = of != NULL ? of->own : NULL;
    if (status != ORR_OK && diag->place.kind == ORR_LOCATION_NONE) {
        const struct orr_conf *node =
            own != NULL ? own->node : orr_conf_get(jobs->cluster, "fabric");
        diag->place = orr_conf_location(node == NULL ? jobs->cluster : node);
        if (of != NULL && own == NULL) {
            const size_t used = strlen(diag->message);
            (void)snprintf(diag->message + used, sizeof diag->message - used,
                           " (the network of job \"%s\")", of->name);
        }
    }
    return status;
}

/* The path of a key, in the job's entry or in the cluster section. */
static const char *key_of(const struct orr_jobs *jobs, const struct orr_job *of, const char *key)
{
    const struct orr_conf *map =
        of != NULL && orr_conf_get(of->node, key) != NULL ? of->node : NULL;
    const char *path =
        orr_arena_printf(jobs->arena, "%s.%s", map != NULL ? map->path : "cluster", key);
    return path != NULL ? path : key;
}

enum orr_status orr_jobs_build_network(const struct orr_jobs *jobs, const struct orr_job *of,
                                       struct orr_cluster_network *out, struct orr_diag *diag)
{
    const struct orr_job_platform *own = of != NULL ? of->own : NULL;
    struct orr_fabric fabric = describe(jobs, own);
    if (of != NULL && of->source->graph == NULL && strcmp(fabric.text, "graph") == 0) {
        const struct orr_location place = orr_conf_location(of->node);
        return orr_diag_fail(diag, ORR_ERR_INPUT, &place,
                             "%s: expected a task graph, for a network of its own (cluster.fabric: "
                             "graph), got %s",
                             of->node->path, of->source->path);
    }
    const struct conv_task_graph none = {.network = {.bytes_per_s = agreed_bandwidth(jobs)}};
    *out = (struct orr_cluster_network){.flows = orr_net_flow_packets(false)};
    fabric.user = of == NULL ? "cluster" : own != NULL ? "job" : "task graph";
    fabric.servers = of == NULL ? jobs->servers
                     : own != NULL && own->plan != NULL
                         ? 1 /* orr_job_platform_check checks a plan's */
                         : orr_job_servers(of);
    fabric.own = of == NULL || of->source->graph == NULL ? &none : &of->source->graph->source;
    fabric.flows = &out->flows;
    fabric.no_bandwidth = "the task graphs do not agree on a bandwidth";
    fabric.bandwidth_key = "cluster.link_bandwidth";
    fabric.routing_key = key_of(jobs, of, "routing");
    fabric.rings_key = key_of(jobs, of, "rings");
    enum orr_status status =
        orr_fabric_build(&fabric, jobs->arena, &out->graph, &out->routes, diag);
    if (status == ORR_OK && of != NULL) {
        status = orr_job_platform_check(of, &out->graph, diag);
    }
    choose_flows(jobs, &out->flows);
    return locate_error(status, jobs, of, diag);
}

/* ---- runs ---- */

/* Forwards the warnings of a handle. */
static void warn(void *user, const char *text)
{
    struct orr_diag *diag = user;
    if (diag->warn != NULL) {
        diag->warn(diag->warn_user, text);
    }
}

/* Runs jobs in a new handle. */
static enum orr_status run_part(struct orrery **out, const struct orr_cluster_part *part,
                                const struct orr_jobs_options *how, struct orr_diag *diag)
{
    struct orrery *handle = *out = orrery_new();
    if (handle == NULL) {
        return orr_diag_no_memory(diag, "a cluster");
    }
    orrery_on_warning(handle, warn, diag);
    orrery_record(handle, how->record);
    const enum orrery_status loaded = orr_finish_call(handle, orr_cluster_load(handle, part));
    const enum orrery_status status = loaded != ORRERY_OK ? loaded
                                      : how->run != NULL  ? how->run(handle, how->context)
                                                          : orrery_run(handle);
    orrery_on_warning(handle, NULL, NULL);
    return status == ORRERY_OK ? ORR_OK : orr_forward_error(handle, status, diag);
}

/* Reads the result of job `index` of the handle. */
static void read_result(const struct orrery *handle, uint32_t index, struct orr_jobs_result *out)
{
    const struct wl_job_times times = orr_engine_job(handle->layers.engine, index);
    const struct sys_tenant_counts counts = orr_sys_tenant_counts(handle->layers.sys, index);
    *out = (struct orr_jobs_result){.iteration_ps = times.iteration_ps,
                                    .end_ps = times.end_ps,
                                    .compute_max_ps =
                                        orr_engine_job_compute(handle->layers.engine, index),
                                    .all_reduces = counts.whole.all_reduces,
                                    .rounds = counts.whole.rounds,
                                    .ring_fallbacks = counts.whole.ring_fallbacks,
                                    .flows = counts.messages,
                                    .windows = handle->network.flow_model->windows};
}

static enum orr_status run_shared(struct orr_jobs_run *run, struct orr_diag *diag)
{
    const struct orr_jobs *jobs = run->jobs;
    const struct orr_cluster_part all = {
        .jobs = jobs, .count = jobs->jobs, .network = run->network};
    enum orr_status status = orr_jobs_build_network(jobs, NULL, run->network, diag);
    if (status == ORR_OK) {
        status = run_part(run->handle, &all, &run->how, diag);
    }
    for (size_t i = 0; i < jobs->jobs && status == ORR_OK; i++) {
        read_result(*run->handle, (uint32_t)i, &run->result[i]);
    }
    return status;
}

static enum orr_status run_sharded(struct orr_jobs_run *run, struct orr_diag *diag)
{
    const struct orr_jobs *jobs = run->jobs;
    enum orr_status status = ORR_OK;
    for (size_t i = 0; i < jobs->jobs && status == ORR_OK; i++) {
        status = orr_jobs_build_network(jobs, &jobs->job[i], &run->network[i], diag);
    }
    for (size_t i = 0; i < jobs->jobs && status == ORR_OK; i++) {
        const struct orr_cluster_part one = {
            .jobs = jobs, .first = i, .count = 1, .network = &run->network[i]};
        status = run_part(&run->handle[i], &one, &run->how, diag);
        if (status == ORR_OK) {
            read_result(run->handle[i], 0, &run->result[i]);
        }
    }
    return status;
}

/* ---- statistics ---- */

static int ascending(const void *left, const void *right)
{
    const sim_time a = *(const sim_time *)left, b = *(const sim_time *)right;
    return (a > b) - (a < b);
}

/* Mean, and the 99th percentile by nearest rank: the smallest time that at least 99 % of all times
 * do not exceed. Sorts the times. */
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
        memcpy(at, result->iteration_ps, count * sizeof *at);
        summarize(at, count, &result->mean_ps, &result->p99_ps);
        at += count;
        run->end_ps = result->end_ps > run->end_ps ? result->end_ps : run->end_ps;
    }
    summarize(time, run->iterations, &run->mean_ps, &run->p99_ps);
    orr_heap_free(time);
    for (size_t i = 0; i < run->handles; i++) {
        run->events += orrery_events(run->handle[i]);
    }
    return ORR_OK;
}

enum orr_status orr_jobs_run_alone(const struct orr_jobs_run *run, size_t number, sim_time *mean_ps,
                                   struct orr_diag *diag)
{
    const struct orr_cluster_part one = {
        .jobs = run->jobs, .first = number, .count = 1, .network = run->network};
    struct orrery *handle = NULL;
    const struct orr_jobs_options usual = {.record = 0};
    const enum orr_status status = run_part(&handle, &one, &usual, diag);
    if (status == ORR_OK) {
        const struct wl_job_times alone = orr_engine_job(handle->layers.engine, 0);
        double sum = 0;
        for (uint32_t i = 0; i < alone.iterations; i++) {
            sum += (double)alone.iteration_ps[i];
        }
        *mean_ps = (sim_time)(sum / alone.iterations + 0.5);
    }
    orrery_free(handle);
    return status;
}

const struct net_flows *orr_jobs_flows(const struct orr_jobs_run *run)
{
    const struct net *net = (*run->handle)->layers.net;
    return net->ops->flows(net);
}

enum orr_status orr_jobs_run(const struct orr_jobs *jobs, const struct orr_jobs_options *how,
                             struct orr_jobs_run *run, struct orr_diag *diag)
{
    const bool shared = jobs->network == ORR_JOBS_SHARED;
    *run = (struct orr_jobs_run){.jobs = jobs, .how = *how, .handles = shared ? 1 : jobs->jobs};
    run->handle = orr_arena_array(jobs->arena, run->handles, sizeof(struct orrery *));
    run->network = orr_arena_array(jobs->arena, run->handles, sizeof *run->network);
    run->result = orr_arena_array(jobs->arena, jobs->jobs, sizeof *run->result);
    if (run->handle == NULL || run->network == NULL || run->result == NULL) {
        return orr_diag_no_memory(diag, "the jobs");
    }
    const enum orr_status status = shared ? run_shared(run, diag) : run_sharded(run, diag);
    return status == ORR_OK ? collect(run, diag) : status;
}

void orr_jobs_run_free(struct orr_jobs_run *run)
{
    for (size_t i = 0; run->handle != NULL && i < run->handles; i++) {
        orrery_free(run->handle[i]);
    }
}
