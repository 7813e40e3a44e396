/* See taskgraph_job.h. */
#include "sim/cluster/taskgraph_job.h"

#include "sim/cluster/named_fabric.h"

static enum orr_status build(struct orr_taskgraph_job *job,
                             const struct orr_taskgraph_values *values, struct orr_arena *arena,
                             struct orr_diag *diag)
{
    const struct orr_fabric fabric = {.text = job->fabric,
                                      .path = job->fabric,
                                      .user = "task graph",
                                      .servers = job->job.taskgraph.servers,
                                      .own = &job->job.graph,
                                      .kind = values->kind,
                                      .seed = values->seed,
                                      .has_seed = values->has_seed,
                                      .flows = &job->config.flows,
                                      .no_bandwidth = "the task graph says no bandwidth",
                                      .bandwidth_key = values->bandwidth_key,
                                      .routing = job->routing,
                                      .routing_key = values->routing_key};
    job->config.flows = orr_net_flow_packets(false);
    return orr_fabric_build(&fabric, arena, &job->network, &job->config.routes, diag);
}

enum orr_status orr_taskgraph_load(struct orr_taskgraph_job *job,
                                   const struct orr_taskgraph_values *values,
                                   struct orr_arena *arena, struct orr_diag *diag)
{
    *job = (struct orr_taskgraph_job){.file = values->file,
                                      .fabric = values->fabric != NULL ? values->fabric : "graph",
                                      .routing = values->routing};
    enum orr_status status = orr_flexflow_load(arena, job->file, &job->job, diag);
    if (status == ORR_OK) {
        status = build(job, values, arena, diag);
    }
    if (status == ORR_OK && values->all_reduce != NULL) {
        status = orr_all_reduce_parse(values->all_reduce, &job->config.all_reduce, diag);
    }
    return status;
}

enum orr_status orr_taskgraph_run_loaded(struct orr_taskgraph_job *job,
                                         const struct orr_taskgraph_values *values,
                                         struct orr_diag *diag)
{
    struct net_flow_model *flows = &job->config.flows;
    if (values->shares != ORR_SHARES_BY_NETWORK) {
        flows->windows = values->shares == ORR_SHARES_WINDOWS;
    }
    flows->start_ps = values->setup_ps != NULL ? *values->setup_ps : flows->start_ps;
    flows->forward_ps = values->forwarding_ps != NULL ? *values->forwarding_ps : flows->forward_ps;
    job->config.graph = &job->job.taskgraph;
    job->config.network = &job->network;
    return orr_taskgraph_run(&job->run, &job->config, &job->result, diag);
}
