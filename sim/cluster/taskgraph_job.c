/* Runs one task graph on a network; see taskgraph_job.h. */
#include "sim/cluster/taskgraph_job.h"

#include "core/conf/conf.h"
#include "core/evq.h"
#include "network/net_backend.h"
#include "network/net_config_graph.h"
#include "sim/cluster/named_fabric.h"
#include "sim/orrery_private.h"
#include "workload/engine/engine.h"

static enum orr_status build(struct orr_taskgraph_job *job,
                             const struct orr_taskgraph_values *values, struct orr_arena *arena,
                             struct orr_diag *diag)
{
    const struct orr_fabric fabric = {.text = job->fabric,
                                      .path = job->fabric,
                                      .user = "task graph",
                                      .servers = job->graph.source.graph.npus,
                                      .own = &job->graph.source,
                                      .kind = values->kind,
                                      .kind_requested = values->kind_requested,
                                      .seed = values->seed,
                                      .has_seed = values->has_seed,
                                      .flows = &job->flows,
                                      .no_bandwidth = "the task graph says no bandwidth",
                                      .bandwidth_key = values->bandwidth_key,
                                      .routing = job->routing,
                                      .routing_key = values->routing_key,
                                      .rings = values->rings,
                                      .rings_key = values->rings_key,
                                      .set = values->set,
                                      .sets = values->sets};
    job->flows = orr_net_flow_packets(false);
    return orr_fabric_build(&fabric, arena, &job->network, &job->routes, diag);
}

static void choose_flows(const struct orr_taskgraph_values *values, struct net_flow_model *flows)
{
    if (values->shares != ORR_SHARES_BY_NETWORK) {
        flows->windows = values->shares == ORR_SHARES_WINDOWS;
    }
    flows->start_ps = values->setup_ps != NULL ? *values->setup_ps : flows->start_ps;
    flows->forward_ps = values->forwarding_ps != NULL ? *values->forwarding_ps : flows->forward_ps;
    if (values->forwarding_limit_bytes_per_s != NULL) {
        flows->forward_bytes_per_s = *values->forwarding_limit_bytes_per_s;
    }
}

static enum orr_status configure(struct orr_taskgraph_job *job, struct orr_arena *arena,
                                 struct orr_diag *diag)
{
    job->config = orr_net_config_of_flows(&job->routes, &job->flows);
    return orr_net_config_set_graph(arena, &job->config, &job->network, NULL, diag);
}

enum orr_status orr_taskgraph_load(struct orr_taskgraph_job *job,
                                   const struct orr_taskgraph_values *values,
                                   struct orr_arena *arena, struct orr_diag *diag)
{
    *job = (struct orr_taskgraph_job){.file = values->file,
                                      .fabric = values->fabric != NULL ? values->fabric : "graph",
                                      .routing = values->routing,
                                      .graph = {.file = values->file}};
    enum orr_status status =
        values->graph != NULL ? orr_task_graph_from_memory(arena, values->graph, &job->graph, diag)
                              : orr_task_graph_load(arena, job->file, &job->graph, diag);
    job->file = job->graph.file;
    if (status == ORR_OK) {
        status = build(job, values, arena, diag);
    }
    if (status == ORR_OK) {
        choose_flows(values, &job->flows);
        status = configure(job, arena, diag);
    }
    if (status == ORR_OK && values->all_reduce != NULL) {
        status = orr_sys_mono_parse(values->all_reduce, &job->all_reduce, diag);
    }
    return status;
}

/* ---- running ---- */

/* Makes the tree of the platform's sections, without network and workload, with values set on top.
 */
static enum orr_status make_tree(const struct orrery_inputs *platform, struct orrery *handle,
                                 const struct orr_conf **root)
{
    struct orr_arena *arena = handle->arena;
    enum orr_status status =
        platform->platform != NULL
            ? orr_conf_load_composed(arena, platform->platform, platform->library, root,
                                     &handle->diag)
            : orr_conf_parse(arena, "{}", 2, "command line", root, &handle->diag);
    const char *const own[] = {"network={graph: {fabric: graph}}", "workload={taskgraph: given}"};
    for (size_t i = 0; i < 2 && status == ORR_OK; i++) {
        status = orr_conf_set(arena, *root, own[i], root, &handle->diag);
    }
    return status == ORR_OK ? orr_merge_tree(handle, NULL, platform->set, platform->set_count, root)
                            : status;
}

enum orrery_status orr_taskgraph_prepare(struct orr_taskgraph_job *job,
                                         const struct orrery_inputs *platform,
                                         struct orrery *handle)
{
    const struct orr_conf *root = NULL;
    handle->tasks.graph = &job->graph;
    handle->tasks.external_network = &job->config;
    handle->tasks.all_reduce = &job->all_reduce;
    const enum orr_status status = make_tree(platform, handle, &root);
    return orr_finish_call(handle, status == ORR_OK ? orr_load_tree(handle, root) : status);
}

/* ---- results ---- */

/* Flows of all NPUs. Solutions are those of the simulation, not multiplied by classes. */
static struct net_flows_counts count_flows(const struct orrery *handle)
{
    struct net_flows_counts counts = orr_net_flows_counts(orr_task_graph_flows(handle));
    counts.flows *= handle->fold.class_size;
    return counts;
}

struct orr_task_graph_metrics orr_task_graph_metrics(const struct orrery *handle)
{
    const struct sys_mono_counts counts = orr_sys_mono_counts(handle->layers.sys);
    struct sys_ring_use rings;
    (void)orr_sys_ring_use(handle->layers.sys, &rings);
    return (struct orr_task_graph_metrics){.iteration_ps = orr_engine_wall(handle->layers.engine),
                                           .all_reduces = counts.all_reduces,
                                           .rounds = counts.rounds,
                                           .ring_fallbacks = counts.ring_fallbacks,
                                           .rings = rings,
                                           .compute_max_ps =
                                               orr_engine_job_compute(handle->layers.engine, 0),
                                           .flows = count_flows(handle),
                                           .events = orr_evq_handled(handle->layers.queue)};
}

const struct net_flows *orr_task_graph_flows(const struct orrery *handle)
{
    return handle->layers.net->ops->flows(handle->layers.net);
}

const struct orr_fold *orr_task_graph_fold(const struct orrery *handle)
{
    return &handle->fold;
}
