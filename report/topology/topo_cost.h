/* The cost of a graph's hardware, as a table and as JSON. */
#ifndef ORR_REPORT_TOPOLOGY_TOPO_COST_H
#define ORR_REPORT_TOPOLOGY_TOPO_COST_H

#include <jansson.h>
#include <stdio.h>

#include "report/topology/topology_report.h"

/* A line for each part that there is; "-" for what has no price. */
void orr_graph_print_cost(FILE *out, const struct orr_graph_view *view,
                          const struct orr_graph_known *known);

/* All parts, null for what has no price, and the rules that are not as usual. The caller's; NULL:
 * memory is out. */
json_t *orr_graph_cost_json(const struct orr_graph_view *view, const struct orr_graph_known *known);

#endif
