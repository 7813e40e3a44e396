/* A network graph as a Graphviz graph that orr_net_graph_read_dot reads back. */
#ifndef ORR_REPORT_TOPOLOGY_GRAPH_DOT_H
#define ORR_REPORT_TOPOLOGY_GRAPH_DOT_H

#include <graphviz/cgraph.h>

#include "report/pictures/pictures.h"

struct net_graph;

/* Nodes in their order with `kind`; edges with bandwidth, latency, count and their looks. The graph
 * is undirected if every link has an identical one back, else a digraph. `plain`: without
 * bandwidths and latencies, which are not known. NULL: no memory. O(nodes + links log links). */
Agraph_t *orr_graph_dot(const struct net_graph *graph, bool plain);

#endif
