/* Network of a FlexFlow task graph's file. */
#ifndef ORR_ET_CONVERTER_FLEXFLOW_FLEXFLOW_NETWORK_H
#define ORR_ET_CONVERTER_FLEXFLOW_FLEXFLOW_NETWORK_H

#include "et_converter/flexflow/flexflow_graph.h"
#include "network/graph_source.h"

struct net_graph;
struct orr_arena;
struct orr_diag;

/* Builds the network in the arena: links, paths and rings. The bandwidth of a link is that of
 * `kind`, or the file's if that is 0. Errors: as orr_flexflow_topology_check; no links; no
 * bandwidth. */
enum orr_status orr_flexflow_network(struct orr_arena *arena, const struct flexflow_graph *from,
                                     struct net_link_kind kind, struct net_graph *out,
                                     struct orr_diag *diag);

#endif
