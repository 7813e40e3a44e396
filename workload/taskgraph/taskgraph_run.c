/* A task graph that has a network to itself: a cluster with one job. */
#include "workload/taskgraph/cluster.h"

struct orr_taskgraph_run {
    struct orr_cluster *cluster;
};

static enum orr_status run_all(struct orr_taskgraph_run *run,
                               const struct orr_taskgraph_config *config,
                               struct orr_taskgraph_result *result, struct orr_diag *diag)
{
    const struct orr_cluster_config of_cluster = {
        .network = config->network, .routes = config->routes, .flows = config->flows};
    const struct orr_cluster_job job = {
        .graph = config->graph, .all_reduce = config->all_reduce, .iterations = 1};
    enum orr_status status = orr_cluster_create(&run->cluster, &of_cluster, diag);
    if (status == ORR_OK) {
        status = orr_cluster_add(run->cluster, &job, diag);
    }
    if (status == ORR_OK) {
        status = orr_cluster_run(run->cluster, diag);
    }
    if (status == ORR_OK) {
        const struct orr_cluster_result of_job = orr_cluster_result(run->cluster, 0);
        *result = (struct orr_taskgraph_result){
            .iteration_ps = of_job.iteration_ps[0],
            .all_reduces = of_job.all_reduces,
            .rounds = of_job.rounds,
            .rings_instead = of_job.rings_instead,
            .compute_most_ps = of_job.compute_most_ps,
            .flows = orr_net_flows_counts(orr_cluster_flows(run->cluster)),
            .events = orr_cluster_events(run->cluster)};
    }
    return status;
}

enum orr_status orr_taskgraph_run(struct orr_taskgraph_run **out,
                                  const struct orr_taskgraph_config *config,
                                  struct orr_taskgraph_result *result, struct orr_diag *diag)
{
    *out = orr_heap_calloc(1, sizeof **out);
    return *out == NULL ? orr_diag_no_memory(diag, "the run of a task graph")
                        : run_all(*out, config, result, diag);
}

const struct net_flows *orr_taskgraph_flows(const struct orr_taskgraph_run *run)
{
    return orr_cluster_flows(run->cluster);
}

void orr_taskgraph_destroy(struct orr_taskgraph_run *run)
{
    if (run != NULL) {
        orr_cluster_destroy(run->cluster);
        orr_heap_free(run);
    }
}
