/* Loads jobs of a cluster as one job of a handle; see jobs.h. */
#include <inttypes.h>
#include <string.h>

#include "core/fold.h"
#include "network/graph_metrics.h"
#include "network/net_config_graph.h"
#include "sim/cluster/jobs.h"
#include "sim/fold/fold_job.h"
#include "sim/load/pilot_run.h"
#include "sim/load/task_graph.h"
#include "sim/orrery_private.h"
#include "system/sys_counts.h"
#include "system/sys_groups.h"
#include "workload/engine/engine.h"
#include "workload/trace/trace.h"
#include "workload/trace/trace_builder.h"

static const struct orr_job *job_at(const struct orr_cluster_part *part, size_t index)
{
    return &part->jobs->job[part->first + index];
}

/* ---- servers ---- */

/* The NPUs of a job: on a shared network its placed servers, on its own network 0, 1, ... */
static const uint32_t *ranks_of(struct orrery *handle, const struct orr_cluster_part *part,
                                size_t index)
{
    const struct orr_job *job = job_at(part, index);
    if (part->jobs->network == ORR_JOBS_SHARED) {
        return job->server;
    }
    uint32_t *rank = orr_arena_array(handle->arena, orr_job_servers(job), sizeof *rank);
    for (uint32_t i = 0; rank != NULL && i < orr_job_servers(job); i++) {
        rank[i] = i;
    }
    return rank;
}

static enum orr_status make_jobs(struct orrery *handle, const struct orr_cluster_part *part)
{
    struct wl_job *jobs = orr_arena_array(handle->arena, part->count, sizeof *jobs);
    bool made = jobs != NULL;
    for (size_t i = 0; i < part->count && made; i++) {
        const struct orr_job *job = job_at(part, i);
        jobs[i] = (struct wl_job){.name = job->name,
                                  .rank = ranks_of(handle, part, i),
                                  .npus = orr_job_servers(job),
                                  .iterations = job->iterations,
                                  .start_ps = job->start_ps,
                                  .all_reduce = job->all_reduce};
        made = jobs[i].rank != NULL;
    }
    handle->cluster.jobs = jobs;
    handle->cluster.job_count = (uint32_t)part->count;
    return made ? ORR_OK : orr_diag_no_memory(&handle->diag, "the jobs of a cluster");
}

/* ---- the platform ---- */

static enum orr_status set_network(struct orrery *handle, const struct orr_cluster_network *network)
{
    handle->network = orr_net_config_of_flows(&network->routes, &network->flows);
    handle->npus = network->graph.npus;
    orr_fold_init(&handle->fold, handle->npus);
    handle->fold_reasons.why_nothing = "jobs share the platform";
    const enum orr_status status =
        orr_net_graph_check_connected(&network->graph, handle->arena, &handle->diag);
    return status == ORR_OK ? orr_net_config_set_graph(handle->arena, &handle->network,
                                                       &network->graph, NULL, &handle->diag)
                            : status;
}

/* Whether all jobs run by the rules of task graphs. On a shared network jobs outside this run count
 * too, so that a job alone has the same order of events as with the others. */
static bool by_rules(const struct orr_cluster_part *part)
{
    const bool shared = part->jobs->network == ORR_JOBS_SHARED;
    for (size_t i = 0; i < part->count; i++) {
        if (!job_at(part, i)->source->by_rules) {
            return false;
        }
    }
    for (const struct orr_jobs_source *source = part->jobs->sources; source != NULL && shared;
         source = source->next) {
        if (!source->by_rules) {
            return false;
        }
    }
    return true;
}

static enum orr_status read_machine(struct orrery *handle, const struct orr_cluster_part *part)
{
    const struct orr_jobs *jobs = part->jobs;
    const struct orr_job_platform *own = orr_job_platform_of(jobs, job_at(part, 0));
    const struct orr_machine_sections sections = {
        .system = own != NULL ? own->system : jobs->system,
        .memory = own != NULL ? own->memory : jobs->memory,
        .compute = own != NULL ? own->compute : jobs->compute};
    const enum orr_status status = orr_read_machine(handle, &sections);
    return status == ORR_OK && by_rules(part) ? orr_set_task_graph_policy(handle) : status;
}

/* ---- traces ---- */

static enum orr_status empty_trace(struct orrery *handle, const struct orr_trace **out)
{
    struct orr_trace_builder *builder = orr_trace_builder_create(handle->arena);
    if (builder == NULL) {
        return orr_diag_no_memory(&handle->diag, "a trace");
    }
    const enum orr_status status = orr_trace_builder_finish(builder, out, &handle->diag);
    orr_trace_builder_destroy(builder);
    return status;
}

/* Sets the traces of all servers; unused servers have an empty one. */
static enum orr_status set_traces(struct orrery *handle, const struct orr_cluster_part *part)
{
    const struct orr_trace **traces = orr_arena_array(handle->arena, handle->npus, sizeof *traces),
                           *empty = NULL;
    enum orr_status status = traces != NULL ? empty_trace(handle, &empty)
                                            : orr_diag_no_memory(&handle->diag, "the traces");
    for (uint32_t i = 0; i < handle->npus && status == ORR_OK; i++) {
        traces[i] = empty;
    }
    for (size_t i = 0; i < part->count && status == ORR_OK; i++) {
        const struct orr_jobs_source *source = job_at(part, i)->source;
        for (uint32_t n = 0; n < source->npus; n++) {
            traces[handle->cluster.jobs[i].rank[n]] = source->trace[n];
        }
    }
    handle->traces = traces;
    handle->source = (struct wl_traces){.trace = traces, .count = handle->npus};
    return status;
}

/* ---- groups and tenants ---- */

/* Adds a group under a name in the system, with the platform's ranks; NULL: all NPUs of the job. */
static enum orr_status add_group(struct orrery *handle, const struct wl_job *job, const char *name,
                                 const uint32_t *ranks, uint32_t count)
{
    uint32_t number, *mapped = orr_heap_calloc((size_t)count + 1, sizeof *mapped);
    if (mapped == NULL || name == NULL) {
        orr_heap_free(mapped);
        return orr_diag_no_memory(&handle->diag, "communicator groups");
    }
    for (uint32_t i = 0; i < count; i++) {
        mapped[i] = job->rank[ranks != NULL ? ranks[i] : i];
    }
    const enum orr_status status =
        orr_sys_group_add(handle->layers.sys, name, mapped, count, &number, &handle->diag);
    orr_heap_free(mapped);
    return status;
}

static enum orr_status add_groups(struct orrery *handle, const struct orr_job *from,
                                  const struct wl_job *job)
{
    const struct orr_jobs_source *source = from->source;
    uint32_t number;
    enum orr_status status = orr_sys_group_add(handle->layers.sys, job->name, job->rank, job->npus,
                                               &number, &handle->diag);
    for (uint32_t g = 0; g < source->groups && status == ORR_OK; g++) {
        const struct tg_group *group = &source->group[g];
        const char *name = orr_arena_printf(handle->arena, "%s/%s", job->name, group->name);
        status = add_group(handle, job, name, group->ranks, group->count);
    }
    return status;
}

/* Makes every job a tenant with its number, so that its messages take the same paths whichever
 * other jobs run. */
static enum orr_status set_tenants(struct orrery *handle, const struct orr_cluster_part *part)
{
    uint32_t *of = orr_arena_array(handle->arena, handle->npus, sizeof *of);
    uint32_t *number = orr_arena_array(handle->arena, part->count, sizeof *number);
    if (of == NULL || number == NULL) {
        return orr_diag_no_memory(&handle->diag, "the jobs of a cluster");
    }
    for (uint32_t i = 0; i < handle->npus; i++) {
        of[i] = UINT32_MAX;
    }
    for (uint32_t i = 0; i < handle->cluster.job_count; i++) {
        const size_t place = part->first + i;
        number[i] = part->jobs->number != NULL ? part->jobs->number[place] : (uint32_t)place;
        for (uint32_t n = 0; n < handle->cluster.jobs[i].npus; n++) {
            of[handle->cluster.jobs[i].rank[n]] = i;
        }
    }
    const struct sys_tenants tenants = {
        .count = handle->cluster.job_count, .of = of, .number = number};
    return orr_sys_set_tenants(handle->layers.sys, &tenants, &handle->diag);
}

/* ---- warnings ---- */

/* The number of members of a collective's group. */
static uint32_t members_of(const struct orr_job *job, const struct orr_trace *trace,
                           const struct orr_node *node)
{
    const char *name = node->group != 0 ? trace->groups[node->group - 1] : "";
    for (uint32_t g = 0; g < job->source->groups; g++) {
        if (strcmp(job->source->group[g].name, name) == 0) {
            return job->source->group[g].count;
        }
    }
    return orr_job_servers(job);
}

/* The members of the first all-reduce for which the chosen algorithm does not fit; 0: none. */
static uint32_t find_unfit(const struct orr_job *job)
{
    if (job->source->graph != NULL) {
        return orr_task_graph_unfit(&job->source->graph->source.graph, &job->all_reduce);
    }
    for (uint32_t n = 0; job->source->by_rules && n < orr_job_servers(job); n++) {
        const struct orr_trace *trace = job->source->trace[n];
        for (uint32_t i = 0; i < trace->nodes; i++) {
            const struct orr_node *node = &trace->node[i];
            const uint32_t members = node->kind == ORR_NODE_COLL ? members_of(job, trace, node) : 0;
            if (members > 1 && !orr_sys_mono_fits(&job->all_reduce, members)) {
                return members;
            }
        }
    }
    return 0;
}

/* Warns once about all-reduces for which the chosen algorithm does not fit. */
static void warn_of_rings(struct orrery *handle, const struct orr_job *job)
{
    const uint32_t members = find_unfit(job);
    char text[SYS_MONO_BYTES];
    if (members != 0) {
        orr_diag_warn(&handle->diag, NULL,
                      "%s: %s does not fit all-reduces among %" PRIu32
                      " servers; those it does not fit use ring",
                      job->name, orr_sys_mono_format(&job->all_reduce, text, sizeof text), members);
    }
}

/* ---- loading ---- */

static enum orr_status prepare(struct orrery *handle, const struct orr_cluster_part *part)
{
    if (orr_is_uncertain(handle)) {
        return orr_diag_fail(&handle->diag, ORR_ERR_INPUT, NULL,
                             "the uncertainty of a job's time: expected one job, not a cluster");
    }
    enum orr_status status = set_network(handle, part->network);
    if (status == ORR_OK) {
        status = read_machine(handle, part);
    }
    if (status == ORR_OK) {
        status = make_jobs(handle, part);
    }
    return status == ORR_OK ? set_traces(handle, part) : status;
}

static enum orr_status build(struct orrery *handle, const void *context)
{
    const struct orr_cluster_part *part = context;
    enum orr_status status = orr_build_layers(handle);
    for (size_t i = 0; i < part->count && status == ORR_OK; i++) {
        warn_of_rings(handle, job_at(part, i));
        status = add_groups(handle, job_at(part, i), &handle->cluster.jobs[i]);
    }
    if (status == ORR_OK) {
        status = set_tenants(handle, part);
    }
    return status == ORR_OK ? orr_build_engine(handle) : status;
}

enum orr_status orr_cluster_load(struct orrery *handle, const struct orr_cluster_part *part)
{
    enum orr_status status = prepare(handle, part);
    if (status == ORR_OK) {
        status = orr_pilot_run(handle, &(struct orr_builder){build, part});
    }
    return status == ORR_OK ? build(handle, part) : status;
}
