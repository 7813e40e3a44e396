/* The rings that a graph's file gives for groups of NPUs; those for groups of a size are not told.
 */
#ifndef ORR_REPORT_TOPOLOGY_TOPO_RINGS_H
#define ORR_REPORT_TOPOLOGY_TOPO_RINGS_H

#include <jansson.h>
#include <stdio.h>

#include "network/network.h"

/* A line for each, in a table of figures; nothing where there are none. */
void orr_graph_print_rings(FILE *out, const struct net_graph *graph);

/* A list of mappings `members` and, where steps are given, `steps`: the nodes of each, with both
 * ends. NULL: there are none, or no memory. */
json_t *orr_graph_rings_json(const struct net_graph *graph);

#endif
