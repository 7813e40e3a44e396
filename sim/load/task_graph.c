/* Task graphs as workloads; see task_graph.h. */
#include "sim/load/task_graph.h"

#include <inttypes.h>
#include <string.h>

#include "core/conf/conf.h"
#include "network/allocation.h"
#include "network/flows/flows.h"
#include "network/graph.h"
#include "network/net_backend.h"
#include "network/net_config_graph.h"
#include "network/net_config_read.h"
#include "sim/load/platform_network.h"
#include "sim/load/strategy_job.h"
#include "sim/orrery_private.h"
#include "system/sys_groups.h"
#include "system/sys_mono.h"
#include "system/sys_policy.h"
#include "workload/strategy/strategy_check.h"
#include "workload/taskgraph/tg_graph.h"
#include "workload/trace/trace.h"
#include "workload/trace/trace_builder.h"

/* ---- the task graph ---- */

enum orr_status orr_task_graph_load(struct orr_arena *arena, const char *path,
                                    struct orr_task_graph *out, struct orr_diag *diag)
{
    out->file = path;
    const enum orr_status status = orr_convert_read_task_graph(arena, path, &out->source, diag);
    return status == ORR_OK
               ? orr_tg_traces_make(&out->traces, &out->source.graph, arena, NULL, diag)
               : status;
}

enum orr_status orr_task_graph_from_memory(struct orr_arena *arena, const struct tg_graph *graph,
                                           struct orr_task_graph *out, struct orr_diag *diag)
{
    out->file = graph->file != NULL ? graph->file : "task graph";
    out->source = (struct conv_task_graph){.graph = *graph};
    return orr_tg_traces_make(&out->traces, &out->source.graph, arena, NULL, diag);
}

/* Opens the strategy; its task graph is made once the platform's NPUs are known. */
static enum orr_status open_strategy(struct orr_arena *arena, const struct orr_conf *workload,
                                     struct orr_task_graph *out, struct orr_diag *diag)
{
    struct orr_strategy_job *from = orr_arena_alloc(arena, sizeof *from);
    if (from == NULL) {
        return orr_diag_no_memory(diag, "a task graph");
    }
    const enum orr_status status = orr_strategy_job_open(arena, workload, from, diag);
    *out = (struct orr_task_graph){.strategy = from};
    return status == ORR_OK ? orr_strategy_job_devices(from, &out->source.graph.npus, diag)
                            : status;
}

/* The key of a tree that names its task graph or strategy; NULL: none. Errors of a malformed
 * section are left to its reader. */
static const struct orr_conf *find_source(const struct orr_conf *root, bool *strategy)
{
    const struct orr_conf *workload = orr_conf_get(root, "workload");
    const bool map = workload != NULL && workload->kind == ORR_CONF_MAP;
    const struct orr_conf *file = map ? orr_conf_get(workload, "taskgraph") : NULL;
    *strategy = map && file == NULL && orr_conf_get(workload, "model") != NULL &&
                orr_conf_get(workload, "parallel") == NULL &&
                orr_conf_get(workload, "training") == NULL;
    return *strategy ? workload : file != NULL && file->kind == ORR_CONF_SCALAR ? file : NULL;
}

static enum orr_status add_task_graph_network(struct orr_arena *arena, const struct orr_conf **root,
                                              struct orr_diag *diag)
{
    return orr_conf_get(*root, "network") == NULL
               ? orr_conf_set(arena, *root, "network.graph.fabric=graph", root, diag)
               : ORR_OK;
}

enum orr_status orr_task_graph_read(struct orrery *job, const struct orr_conf **root)
{
    bool strategy;
    const struct orr_conf *source = find_source(*root, &strategy);
    if (job->tasks.graph != NULL || source == NULL) {
        return ORR_OK;
    }
    struct orr_task_graph *graph = orr_arena_alloc(job->arena, sizeof *graph);
    if (graph == NULL) {
        return orr_diag_no_memory(&job->diag, "a task graph");
    }
    job->tasks.graph = graph;
    if (strategy) {
        return open_strategy(job->arena, source, graph, &job->diag);
    }
    const char *path = orr_conf_resolve_path(job->arena, source);
    const enum orr_status status = path != NULL
                                       ? orr_task_graph_load(job->arena, path, graph, &job->diag)
                                       : orr_diag_no_memory(&job->diag, "a task graph");
    return status == ORR_OK ? add_task_graph_network(job->arena, root, &job->diag) : status;
}

static enum orr_status make_network(const void *context, struct orr_arena *arena,
                                    struct net_link_kind kind, struct net_graph *out,
                                    struct orr_diag *diag)
{
    const struct orr_task_graph *graph = context;
    return orr_convert_file_network(&graph->source, arena, kind, out, diag);
}

static struct net_workload_graph network_of(const struct orr_task_graph *graph)
{
    if (graph == NULL) {
        return (struct net_workload_graph){.npus = 0};
    }
    if (graph->strategy != NULL) {
        return (struct net_workload_graph){.npus = graph->source.graph.npus,
                                           .kind.latency_ps = ORR_PS_PER_US};
    }
    return (struct net_workload_graph){
        .make = make_network,
        .context = graph,
        .npus = graph->source.graph.npus,
        .kind = {.bytes_per_s = graph->source.network.bytes_per_s, .latency_ps = ORR_PS_PER_US}};
}

struct net_workload_graph orr_task_graph_network(const struct orrery *job)
{
    return network_of(job->tasks.graph);
}

/* ---- the network of a tree ---- */

/* Reads the task graph of a file, unless it is the cached one. */
static enum orr_status keep_graph(struct orr_kept_task_graph *kept, const char *path,
                                  struct orr_diag *diag)
{
    if (kept->path != NULL && strcmp(kept->path, path) == 0) {
        return ORR_OK;
    }
    orr_arena_reset(kept->arena);
    *kept = (struct orr_kept_task_graph){.arena = kept->arena};
    kept->graph = orr_arena_alloc(kept->arena, sizeof *kept->graph);
    const char *copy = orr_arena_strdup(kept->arena, path);
    if (kept->graph == NULL || copy == NULL) {
        return orr_diag_no_memory(diag, "a task graph");
    }
    *kept->graph = (struct orr_task_graph){.file = copy};
    const enum orr_status status =
        orr_convert_read_task_graph(kept->arena, copy, &kept->graph->source, diag);
    kept->path = status == ORR_OK ? copy : NULL;
    return status;
}

enum orr_status orr_tree_network_read(struct orr_arena *arena, const struct orr_conf **root,
                                      struct orr_kept_task_graph *kept, struct net_config *config,
                                      struct orr_diag *diag)
{
    bool strategy;
    struct orr_task_graph opened;
    const struct orr_task_graph *graph = NULL;
    const struct orr_conf *source = find_source(*root, &strategy);
    const char *path = source != NULL && !strategy ? orr_conf_resolve_path(arena, source) : NULL;
    enum orr_status status = ORR_OK;
    if (strategy) {
        status = open_strategy(arena, source, &opened, diag);
        graph = &opened;
    } else if (source != NULL) {
        status =
            path != NULL ? keep_graph(kept, path, diag) : orr_diag_no_memory(diag, "a task graph");
        graph = kept->graph;
        status = status == ORR_OK ? add_task_graph_network(arena, root, diag) : status;
    }
    const struct orr_conf *section = status == ORR_OK ? orr_conf_get(*root, "network") : NULL;
    if (status == ORR_OK && section == NULL) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL, "a platform needs the key \"network\"");
    }
    const struct net_config_input input = {
        .arena = arena, .map = section, .own = network_of(graph)};
    return status == ORR_OK ? orr_net_config_read_for(&input, config, diag) : status;
}

static enum orr_status empty_trace(struct orrery *job, const struct orr_trace **out)
{
    struct orr_trace_builder *builder = orr_trace_builder_create(job->arena);
    if (builder == NULL) {
        return orr_diag_no_memory(&job->diag, "a trace");
    }
    orr_trace_builder_set_rules(builder, job->tasks.graph->source.graph.first_come
                                             ? ORR_RULES_TASK_GRAPH
                                             : ORR_RULES_BY_NUMBER);
    const enum orr_status status = orr_trace_builder_finish(builder, out, &job->diag);
    orr_trace_builder_destroy(builder);
    return status;
}

/* Distances between NPUs are modulo the graph's NPUs: if the platform has more, NPUs get separate
 * traces. */
static enum orr_status fit_platform(struct orrery *job)
{
    struct orr_task_graph *graph = job->tasks.graph;
    struct tg_graph plain;
    if (graph->traces.alike == 1 || job->npus == graph->source.graph.npus) {
        return ORR_OK;
    }
    const enum orr_status status =
        orr_tg_expand(job->arena, &graph->source.graph, &plain, &job->diag);
    return status == ORR_OK
               ? orr_tg_traces_make(&graph->traces, &plain, job->arena, NULL, &job->diag)
               : status;
}

static enum orr_status lower_strategy(struct orrery *job)
{
    struct tg_graph graph;
    struct orr_strategy_job *from = job->tasks.graph->strategy;
    enum orr_status status = orr_strategy_job_read(job->arena, from, job->npus, &job->diag);
    if (status == ORR_OK && !job->requests.capacity_unchecked &&
        orr_strategy_check_memory(&from->model, &from->strategy, job->local.capacity_bytes,
                                  &job->diag) != ORR_OK) {
        status = orr_too_large(job);
    }
    if (status == ORR_OK) {
        status = orr_strategy_job_lower(job->arena, from, &job->compute, &graph, &job->diag);
    }
    if (status == ORR_OK) {
        status = orr_task_graph_from_memory(job->arena, &graph, job->tasks.graph, &job->diag);
    }
    return status == ORR_OK ? fit_platform(job) : status;
}

enum orr_status orr_task_graph_check(struct orrery *job)
{
    if (job->tasks.graph != NULL && job->tasks.graph->strategy != NULL) {
        return lower_strategy(job);
    }
    if (job->tasks.graph == NULL || job->tasks.graph->source.graph.npus <= job->npus) {
        return job->tasks.graph != NULL ? fit_platform(job) : ORR_OK;
    }
    const struct orr_location place =
        orr_conf_location(orr_conf_get(job->files.platform, "network"));
    return orr_diag_fail(&job->diag, ORR_ERR_INPUT, &place,
                         "the task graph needs %" PRIu32 " servers, and the network has %" PRIu32
                         " NPUs",
                         job->tasks.graph->source.graph.npus, job->npus);
}

enum orr_status orr_task_graph_traces(struct orrery *job, const struct orr_trace **by_rank)
{
    const struct orr_task_graph *graph = job->tasks.graph;
    const struct orr_trace *empty = NULL;
    const enum orr_status status = empty_trace(job, &empty);
    for (uint32_t rank = 0; rank < job->npus && status == ORR_OK; rank++) {
        by_rank[rank] = rank < graph->source.graph.npus ? graph->traces.trace[rank] : empty;
    }
    return status;
}

enum orr_status orr_task_graph_groups(const struct orrery *job, struct sys *sys,
                                      struct orr_diag *diag)
{
    const struct tg_traces *traces = &job->tasks.graph->traces;
    const uint32_t alike = orr_task_graph_group_npus(job);
    const bool first_only = alike != 0 && (sys != job->layers.sys || !job->fold.none);
    enum orr_status status = ORR_OK;
    for (uint32_t g = 0; g < traces->groups && status == ORR_OK; g++) {
        const struct tg_group *group = &traces->group[g];
        uint32_t number;
        if (!first_only || group->ranks[0] < alike) {
            status = orr_sys_group_add(sys, group->name, group->ranks, group->count, &number, diag);
        }
    }
    return status;
}

uint32_t orr_task_graph_group_npus(const struct orrery *job)
{
    const struct orr_task_graph *graph = job->tasks.graph;
    const struct net_graph *network = job->network.graph;
    const uint32_t npus =
        graph != NULL && graph->traces.alike > 1 ? job->npus / graph->traces.alike : 0;
    if (npus == 0 || network == NULL || net_graph_has_rings(network)) {
        return 0;
    }
    if (orr_net_is_allocated(network) && !orr_net_awaits_demands(network)) {
        return network->circuits->allocated->group == npus ? npus : 0;
    }
    return orr_net_graph_is_flat(network) ? npus : 0;
}

uint32_t orr_task_graph_unfit(const struct tg_graph *graph, const struct sys_mono *choice)
{
    for (uint32_t i = 0; i < graph->tasks && choice->kind != NULL; i++) {
        const struct tg_task *task = &graph->task[i];
        const uint32_t members = task->to * (task->across ? graph->copies : 1);
        if (task->role == TG_ALL_REDUCE && members > 1 && !orr_sys_mono_fits(choice, members)) {
            return members;
        }
    }
    return 0;
}

void orr_task_graph_warn(struct orrery *job)
{
    const struct sys_mono *choice = job->tasks.all_reduce != NULL
                                        ? job->tasks.all_reduce
                                        : &job->files.job_description.all_reduce;
    const uint32_t members = job->tasks.graph != NULL
                                 ? orr_task_graph_unfit(&job->tasks.graph->source.graph, choice)
                                 : 0;
    char text[SYS_MONO_BYTES];
    if (members != 0) {
        orr_diag_warn(&job->diag, NULL,
                      "the task graph: %s does not fit all-reduces among %" PRIu32
                      " servers; those it does not fit use ring",
                      orr_sys_mono_format(choice, text, sizeof text), members);
    }
}

/* ---- rules ---- */

static enum orr_status find_rules(struct orrery *job, const char **rules)
{
    *rules = "";
    for (uint32_t i = 0; i < job->source.count; i++) {
        const struct orr_trace *trace = job->source.trace[i];
        const struct orr_location place = orr_location_file(trace->path);
        const struct orr_location *at = trace->path[0] != '\0' ? &place : NULL;
        if (i == 0) {
            *rules = trace->rules;
        }
        if (trace->rules[0] != '\0' && !orr_rules_is_known(trace->rules)) {
            return orr_diag_fail(&job->diag, ORR_ERR_INPUT, at,
                                 "rules: expected \"" ORR_RULES_TASK_GRAPH
                                 "\" or \"" ORR_RULES_BY_NUMBER "\", got \"%s\"",
                                 trace->rules);
        }
        if (strcmp(trace->rules, *rules) != 0) {
            return orr_diag_fail(&job->diag, ORR_ERR_INPUT, at,
                                 "the traces of a job run by the same rules: expected \"%s\" as of "
                                 "rank 0, got \"%s\"",
                                 *rules, trace->rules);
        }
    }
    return ORR_OK;
}

static enum orr_status set_network(struct orrery *job, const struct orr_conf *network)
{
    const struct net_config_input input = {
        .arena = job->arena,
        .map = network,
        .own = job->tasks.graph != NULL
                   ? orr_task_graph_network(job)
                   : (struct net_workload_graph){.kind.latency_ps = ORR_PS_PER_US}};
    enum orr_status status = orr_net_config_read_for(&input, &job->network, &job->diag);
    if (status == ORR_OK) {
        status = orr_net_config_make_graph(job->arena, &job->network, &job->diag);
    }
    struct net_flow_model *flows = orr_arena_alloc(job->arena, sizeof *flows);
    if (status != ORR_OK || flows == NULL) {
        return status != ORR_OK ? status : orr_diag_no_memory(&job->diag, "the network");
    }
    *flows = orr_net_flow_packets(true);
    orr_net_config_flows(&job->network, flows);
    job->network.backend = orr_net_backend_default(true)->name;
    job->network.flow_model = flows;
    return ORR_OK;
}

enum orr_status orr_set_task_graph_policy(struct orrery *job)
{
    struct sys_policy *policy = orr_arena_alloc(job->arena, sizeof *policy);
    if (policy == NULL) {
        return orr_diag_no_memory(&job->diag, "the rules of a task graph");
    }
    *policy = orr_sys_policy_task_graph;
    policy->memory_path = job->system.config.policy->memory_path;
    job->system.config.policy = policy;
    return ORR_OK;
}

enum orr_status orr_apply_trace_rules(struct orrery *job, const struct orr_conf *network)
{
    const char *rules = "";
    enum orr_status status = find_rules(job, &rules);
    if (status != ORR_OK || rules[0] == '\0') {
        return status;
    }
    status = orr_set_task_graph_policy(job);
    return status == ORR_OK && job->tasks.external_network == NULL ? set_network(job, network)
                                                                   : status;
}
