/* A task graph on a network: what is run, and what came of it. */
#ifndef ORR_SIM_CLUSTER_TASKGRAPH_JOB_H
#define ORR_SIM_CLUSTER_TASKGRAPH_JOB_H

#include <stdbool.h>

#include "et_converter/et_converter.h"

struct orr_taskgraph_job {
    const char *file, *fabric;
    const char *routing; /* NULL: as suits the fabric */
    bool has_seed;
    struct flexflow_job job;
    struct net_graph network;
    struct orr_taskgraph_config config;
    struct orr_taskgraph_run *run;
    struct orr_taskgraph_result result;
};

#endif
