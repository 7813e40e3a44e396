/* The network that a task graph brings. */
#ifndef ORR_ET_CONVERTER_FLEXFLOW_FLEXFLOW_NETWORK_H
#define ORR_ET_CONVERTER_FLEXFLOW_FLEXFLOW_NETWORK_H

#include "et_converter/flexflow/flexflow_graph.h"
#include "workload/workload.h"

/* The network of the graph: its links with the speed that is given, or its own where that is 0, its
 * paths and its rings. Errors: as orr_flexflow_topology_check; no links; no speed. */
enum orr_status orr_flexflow_network(struct orr_arena *arena, const struct flexflow_graph *from,
                                     struct net_link_kind kind, struct net_graph *out,
                                     struct orr_diag *diag);

#endif
