/* User-defined rings of a graph's file, for groups with listed members; rings by group size are not
 * shown. */
#ifndef ORR_REPORT_TOPOLOGY_TOPO_RINGS_H
#define ORR_REPORT_TOPOLOGY_TOPO_RINGS_H

#include <jansson.h>
#include <stdio.h>

struct net_graph;

/* Prints a line for each ring, in the table of metrics; nothing if there are none. */
void orr_graph_print_rings(FILE *out, const struct net_graph *graph);

/* A list of objects with `members` and, if steps are defined, `steps`: the nodes of each, both ends
 * included. Owned by the caller; NULL: none, or no memory. */
json_t *orr_graph_rings_json(const struct net_graph *graph);

#endif
