/* A cluster: one network and one order of events for any number of jobs, each of which runs a task
 * graph on servers of its own, some iterations one after the other (TopoOpt, NSDI'23, section 5.6).
 * What they share is the links. */
#ifndef ORR_WORKLOAD_TASKGRAPH_CLUSTER_H
#define ORR_WORKLOAD_TASKGRAPH_CLUSTER_H

#include "workload/taskgraph/taskgraph.h"

struct orr_cluster_config {
    const struct net_graph *network; /* every NPU reaches every other; with rings */
    struct net_route_options routes;
    struct net_flow_model flows;
};

struct orr_cluster_job {
    const char *name; /* for messages; NULL: there is only one */
    const struct orr_taskgraph *graph;
    const uint32_t *server; /* [graph->servers] NPUs of the network; NULL: 0, 1, ... */
    struct orr_all_reduce all_reduce;
    sim_time start_ps;
    uint32_t stream;     /* of random paths: with the same one flows go the same ways */
    uint32_t iterations; /* >= 1; one begins when nothing of the one before is left */
};

/* What a job was like. The array is the cluster's. */
struct orr_cluster_result {
    const sim_time *iteration_ps;  /* [iterations] */
    sim_time end_ps;               /* of the last iteration, from the start of the cluster */
    sim_time compute_most_ps;      /* an iteration, of the server that computes longest */
    uint64_t all_reduces, rounds;  /* of all iterations; rounds are those with a barrier */
    uint64_t rings_instead, flows; /* all-reduces that the chosen way does not fit; flows */
};

struct orr_cluster;

/* A cluster without jobs; what the config points to must outlive it. Errors: memory, a network that
 * falls apart. */
enum orr_status orr_cluster_create(struct orr_cluster **out,
                                   const struct orr_cluster_config *config, struct orr_diag *diag);

/* Adds a job before the run; the first is number 0. What it points to must outlive the cluster.
 * Errors: a server that is not there, or that this or another job has. O(servers + tasks). */
enum orr_status orr_cluster_add(struct orr_cluster *cluster, const struct orr_cluster_job *job,
                                struct orr_diag *diag);

/* Runs all jobs until nothing is left to do, once. Errors: memory, time beyond 106 days, tasks that
 * never finish (ORR_ERR_DEADLOCK), of which the first are named. */
enum orr_status orr_cluster_run(struct orr_cluster *cluster, struct orr_diag *diag);

struct orr_cluster_result orr_cluster_result(const struct orr_cluster *cluster, uint32_t job);
const struct net_flows *orr_cluster_flows(const struct orr_cluster *cluster);
uint64_t orr_cluster_events(const struct orr_cluster *cluster);
void orr_cluster_destroy(struct orr_cluster *cluster);

#endif
