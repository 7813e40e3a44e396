/* The sources of jobs: a task graph, traces, or a workload file, as traces by the job's ranks with
 * their groups; see jobs.h. */
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "core/conf/conf.h"
#include "core/file.h"
#include "core/fold.h"
#include "memory/mem_config_read.h"
#include "network/net_backend.h"
#include "network/net_config.h"
#include "network/net_dims.h"
#include "sim/cluster/jobs.h"
#include "sim/fold/fold_job.h"
#include "sim/load/find_input.h"
#include "sim/load/task_graph.h"
#include "sim/load/workload_config.h"
#include "sim/orrery_private.h"
#include "system/sys_config_read.h"
#include "system/sys_fold.h"
#include "system/sys_groups.h"
#include "workload/engine/engine.h"
#include "workload/trace/et/et.h"
#include "workload/trace/trace.h"

/* ---- task graphs ---- */

static enum orr_status read_task_graph(struct orr_jobs *jobs, struct orr_jobs_source *source,
                                       struct orr_diag *diag)
{
    struct orr_task_graph *from = orr_arena_alloc(jobs->arena, sizeof *from);
    if (from == NULL) {
        return orr_diag_no_memory(diag, "a task graph");
    }
    const enum orr_status status = orr_task_graph_load(jobs->arena, source->path, from, diag);
    source->npus = from->source.graph.npus;
    source->trace = from->traces.trace;
    source->groups = from->traces.groups;
    source->group = from->traces.group;
    source->graph = from;
    return status;
}

/* ---- traces and workloads: loaded as on a platform of the job's NPUs alone ---- */

struct source_reader {
    struct orr_jobs *jobs;
    const struct orr_job_request *request;
    struct orr_jobs_source *source;
    struct orrery *alone;
    const struct orr_conf *root; /* of a workload file */
};

/* The prefix of traces; NULL: none. */
static const char *prefix_of(const struct source_reader *source_reader)
{
    if (source_reader->root == NULL) {
        return source_reader->source->path;
    }
    const struct orr_conf *section = orr_conf_get(source_reader->root, "workload");
    const struct orr_conf *traces =
        section != NULL && section->kind == ORR_CONF_MAP ? orr_conf_get(section, "traces") : NULL;
    return traces != NULL && traces->kind == ORR_CONF_SCALAR
               ? orr_conf_resolve_path(source_reader->jobs->arena, traces)
               : NULL;
}

/* Determines the number of NPUs: by the entry, by the source, or by listed servers. */
static enum orr_status count_npus(const struct source_reader *source_reader)
{
    const struct orr_job_request *request = source_reader->request;
    struct orrery *alone = source_reader->alone;
    alone->npus = request->npus;
    if (alone->npus == 0 && alone->tasks.graph != NULL) {
        alone->npus = alone->tasks.graph->source.graph.npus;
    }
    const char *prefix = alone->npus == 0 ? prefix_of(source_reader) : NULL;
    const struct orr_location place = orr_conf_location(request->node);
    if (prefix != NULL) {
        alone->npus = orr_et_set_size(prefix);
    }
    if (prefix != NULL && alone->npus == 0 && access(prefix, R_OK) != 0) {
        return orr_diag_fail(&alone->diag, ORR_ERR_INPUT, &place,
                             "%s: expected traces, got no file %s.0.et or %s.0.et.gz",
                             request->node->path, prefix, prefix);
    }
    if (alone->npus != 0) {
        return ORR_OK;
    }
    return orr_diag_fail(&alone->diag, ORR_ERR_INPUT, &place,
                         "%s: expected npus, how many NPUs the job has, such as npus: 8: its "
                         "workload does not say",
                         request->node->path);
}

static enum orr_status read_workload(struct source_reader *source_reader)
{
    struct orrery *alone = source_reader->alone;
    struct orr_arena *arena = alone->arena;
    char library[ORR_INPUT_PATH_BYTES];
    orr_inputs_library(library);
    enum orr_status status = orr_conf_load_composed(arena, source_reader->source->path, library,
                                                    &source_reader->root, &alone->diag);
    if (status == ORR_OK) {
        alone->files.platform = source_reader->root;
        status = orr_task_graph_read(alone, &source_reader->root);
    }
    if (status == ORR_OK) {
        status = count_npus(source_reader);
    }
    if (status == ORR_OK) {
        status = orr_wl_workload_from(arena, source_reader->root, alone->npus,
                                      &alone->files.job_description, &alone->diag);
    }
    if (status == ORR_OK &&
        orr_conf_get(orr_conf_get(source_reader->root, "workload"), "all_reduce") != NULL) {
        source_reader->source->all_reduce = &alone->files.job_description.all_reduce;
    }
    return status;
}

static enum orr_status describe_traces(struct source_reader *source_reader)
{
    struct orrery *alone = source_reader->alone;
    const struct orr_job_request *request = source_reader->request;
    alone->files.platform = request->node;
    alone->files.job_description.traces = source_reader->source->path;
    alone->files.job_description.groups = request->groups;
    alone->files.job_description.groups_file =
        request->groups_file != NULL
            ? orr_path_resolve(alone->arena, source_reader->jobs->file, request->groups_file)
            : NULL;
    return count_npus(source_reader);
}

/* Reads the servers' memory and rates, which determine times of operators. */
static enum orr_status read_speed(const struct source_reader *source_reader)
{
    struct orrery *alone = source_reader->alone;
    const struct orr_jobs *jobs = source_reader->jobs;
    const struct orr_job_platform *own = source_reader->request->own;
    const struct orr_conf *memory = own != NULL ? own->memory : jobs->memory;
    const struct orr_conf *compute = own != NULL ? own->compute : jobs->compute;
    const enum orr_status status = orr_mem_config_read(alone->arena, memory, jobs->servers,
                                                       &alone->local, &alone->remote, &alone->diag);
    alone->compute = (struct wl_compute){.memory_bytes_per_s = alone->local.bandwidth_bytes_per_s};
    return status == ORR_OK ? orr_wl_compute_read(alone->arena, compute, jobs->servers,
                                                  &alone->compute, &alone->diag)
                            : status;
}

/* Makes a platform of one switch, on which groups and models are loaded. */
static enum orr_status make_platform(const struct source_reader *source_reader)
{
    struct orrery *alone = source_reader->alone;
    struct net_dim *dim = orr_arena_array(alone->arena, 1, sizeof *dim);
    if (dim == NULL) {
        return orr_diag_no_memory(&alone->diag, "what a job runs");
    }
    *dim = (struct net_dim){.block = NET_SWITCH, .npus = alone->npus, .bandwidth_bytes_per_s = 1e9};
    alone->network =
        (struct net_config){.backend = orr_net_backend_default(false)->name, .dims = 1, .dim = dim};
    orr_fold_init(&alone->fold, alone->npus);
    alone->network.fold = &alone->fold;
    const enum orr_status status =
        orr_sys_config_read(alone->arena, NULL, 1, &alone->system.config, &alone->diag);
    return status == ORR_OK ? read_speed(source_reader) : status;
}

static enum orr_status set_groups(struct orrery *alone, struct orr_jobs_source *source)
{
    enum orr_status status = orr_sys_planner_create(&alone->layers.sys, &alone->system.config,
                                                    &alone->network, alone->arena, &alone->diag);
    if (status == ORR_OK) {
        status = orr_add_groups(alone);
    }
    if (status != ORR_OK) {
        return status;
    }
    source->groups = orr_sys_groups(alone->layers.sys) - 1;
    struct tg_group *group = orr_arena_array(alone->arena, source->groups, sizeof *group);
    for (uint32_t g = 0; group != NULL && g < source->groups; g++) {
        uint32_t count = 0;
        group[g].name = orr_sys_group_name(alone->layers.sys, g + 1);
        group[g].ranks = orr_sys_group_ranks(alone->layers.sys, g + 1, &count);
        group[g].count = group[g].ranks != NULL ? count : alone->npus;
    }
    source->group = group;
    return group != NULL ? ORR_OK : orr_diag_no_memory(&alone->diag, "communicator groups");
}

static enum orr_status set_traces(struct orrery *alone, struct orr_jobs_source *source)
{
    const struct orr_trace **trace =
        orr_arena_array(alone->arena, alone->npus, sizeof(struct orr_trace *));
    for (uint32_t rank = 0; trace != NULL && rank < alone->npus; rank++) {
        trace[rank] = wl_trace_of(&alone->source, orr_rank(rank));
    }
    source->trace = trace;
    source->npus = alone->npus;
    source->graph = alone->tasks.graph;
    return trace != NULL ? ORR_OK : orr_diag_no_memory(&alone->diag, "the traces");
}

static bool has_compute(const struct source_reader *source_reader)
{
    const struct orr_job_platform *own = source_reader->request->own;
    return (own != NULL ? own->compute : source_reader->jobs->compute) != NULL;
}

static enum orr_status load_alone(struct source_reader *source_reader)
{
    struct orrery *alone = source_reader->alone;
    enum orr_status status = source_reader->source->kind == ORR_JOB_WORKLOAD
                                 ? read_workload(source_reader)
                                 : describe_traces(source_reader);
    if (status == ORR_OK) {
        status = make_platform(source_reader);
    }
    if (status == ORR_OK) {
        status = orr_task_graph_check(alone);
    }
    if (status == ORR_OK) {
        status = orr_load_source(alone, has_compute(source_reader));
    }
    if (status == ORR_OK) {
        status = set_groups(alone, source_reader->source);
    }
    return status == ORR_OK ? set_traces(alone, source_reader->source) : status;
}

static enum orr_status read_alone(struct orr_jobs *jobs, const struct orr_job_request *request,
                                  struct orr_jobs_source *source, struct orr_diag *diag)
{
    struct source_reader source_reader = {.jobs = jobs, .request = request, .source = source};
    struct orrery *alone = orr_arena_alloc(jobs->arena, sizeof *alone);
    if (alone == NULL) {
        return orr_diag_no_memory(diag, "what a job runs");
    }
    alone->arena = jobs->arena;
    alone->diag = *diag;
    source_reader.alone = alone;
    const enum orr_status status = load_alone(&source_reader);
    *diag = alone->diag;
    if (status != ORR_OK && diag->place.kind == ORR_LOCATION_NONE) {
        diag->place = orr_conf_location(request->node);
    }
    return status;
}

/* ---- all sources ---- */

/* Checks that all NPUs of a job run by the same rules. */
static enum orr_status check_rules(struct orr_jobs_source *source, const struct orr_conf *node,
                                   struct orr_diag *diag)
{
    const struct orr_location place = orr_conf_location(node);
    if (source->npus == 0) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, &place,
                             "%s: expected a job of 1 NPU or more, got none: "
                             "%s has no servers",
                             node->path, source->path);
    }
    const char *rules = source->trace[0]->rules;
    source->by_rules = rules[0] != '\0';
    for (uint32_t i = 0; i < source->npus; i++) {
        const char *own = source->trace[i]->rules;
        if (strcmp(own, rules) != 0 || (own[0] != '\0' && !orr_rules_is_known(own))) {
            return orr_diag_fail(diag, ORR_ERR_INPUT, &place,
                                 "%s: expected traces by one set of rules, none, "
                                 "\"" ORR_RULES_TASK_GRAPH "\" or \"" ORR_RULES_BY_NUMBER
                                 "\", got \"%s\" of rank %" PRIu32,
                                 node->path, own, i);
        }
    }
    return ORR_OK;
}

static const char *path_of(const struct orr_jobs *jobs, const struct orr_job_request *request)
{
    char shipped[ORR_INPUT_PATH_BYTES];
    return request->kind == ORR_JOB_WORKLOAD && strpbrk(request->path, "/.") == NULL &&
                   orr_ships_input("workloads", request->path, shipped)
               ? orr_arena_strdup(jobs->arena, shipped)
               : orr_path_resolve(jobs->arena, jobs->file, request->path);
}

enum orr_status orr_jobs_source_find(struct orr_jobs *jobs, const struct orr_job_request *request,
                                     const struct orr_jobs_source **out, struct orr_diag *diag)
{
    const char *path = path_of(jobs, request);
    struct orr_jobs_source *source = jobs->sources;
    while (path != NULL && source != NULL &&
           (request->kind != ORR_JOB_TASKGRAPH || source->kind != ORR_JOB_TASKGRAPH ||
            strcmp(source->path, path) != 0)) {
        source = source->next;
    }
    *out = source;
    if (source != NULL) {
        return ORR_OK;
    }
    source = orr_arena_alloc(jobs->arena, sizeof *source);
    if (path == NULL || source == NULL) {
        return orr_diag_no_memory(diag, "what a job runs");
    }
    *source = (struct orr_jobs_source){.kind = request->kind, .path = path, .next = jobs->sources};
    *out = jobs->sources = source;
    const enum orr_status status = request->kind == ORR_JOB_TASKGRAPH
                                       ? read_task_graph(jobs, source, diag)
                                       : read_alone(jobs, request, source, diag);
    return status == ORR_OK ? check_rules(source, request->node, diag) : status;
}
