/* A graph as a Graphviz graph that orr_net_graph_read_dot reads back. */
#ifndef ORR_REPORT_TOPOLOGY_GRAPH_DOT_H
#define ORR_REPORT_TOPOLOGY_GRAPH_DOT_H

#include <graphviz/cgraph.h>

#include "network/network.h"
#include "report/pictures/pictures.h"

/* Nodes in their order with `kind`, edges with bandwidth, latency and count, and how they look. A
 * graph without directions where every link has an equal one back, else a digraph. `plain`: without
 * bandwidths and latencies, which are not known. NULL when memory is out. O(nodes + links log
 * links). */
Agraph_t *orr_graph_dot(const struct net_graph *graph, bool plain);

#endif
