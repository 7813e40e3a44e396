/* The cost of a graph's hardware, as a table and as JSON. */
#ifndef ORR_REPORT_TOPOLOGY_TOPO_COST_H
#define ORR_REPORT_TOPOLOGY_TOPO_COST_H

#include <jansson.h>
#include <stdio.h>

#include "report/topology/topology_report.h"

/* Prints a line for each part with a number above 0; "-" if it has no price. */
void orr_graph_print_cost(FILE *out, const struct orr_graph_view *view,
                          const struct orr_graph_known *known);

/* All parts, null for those without a price, and the rules that differ from the defaults. Owned by
 * the caller; NULL: no memory. */
json_t *orr_graph_cost_json(const struct orr_graph_view *view, const struct orr_graph_known *known);

#endif
