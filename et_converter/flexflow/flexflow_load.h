/* FlexFlow's task graphs as they are run (workload/taskgraph/taskgraph.h), with the network that
 * they bring.
 */
#ifndef ORR_ET_CONVERTER_FLEXFLOW_FLEXFLOW_LOAD_H
#define ORR_ET_CONVERTER_FLEXFLOW_FLEXFLOW_LOAD_H

#include "et_converter/flexflow/flexflow_graph.h"
#include "workload/workload.h"

struct flexflow_job {
    struct flexflow_graph graph;    /* as read */
    struct orr_taskgraph taskgraph; /* servers are NPUs */
};

/* Reads a task graph (FlatBuffers or DOT, also compressed) into the arena. Errors: as for
 * conversion (flexflow_plan.h). O(bytes + (tasks + dependencies) log tasks). */
enum orr_status orr_flexflow_load(struct orr_arena *arena, const char *path,
                                  struct flexflow_job *job, struct orr_diag *diag);

/* The network of the graph: its links with the speed that is given, or its own where that is 0, its
 * paths and its rings. Errors: as orr_flexflow_topology_check; no links; no speed. */
enum orr_status orr_flexflow_network(struct orr_arena *arena, const struct flexflow_graph *from,
                                     struct net_link_kind kind, struct net_graph *out,
                                     struct orr_diag *diag);

#endif
