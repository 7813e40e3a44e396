/* Graphviz graphs as pictures. */
#ifndef ORR_REPORT_TOPOLOGY_PICTURE_H
#define ORR_REPORT_TOPOLOGY_PICTURE_H

#include <graphviz/cgraph.h>
#include <stdbool.h>
#include <stdio.h>

#include "report/pictures/topo_canvas.h"

/* Lays the graph out with an engine of Graphviz and draws it in a format of orr_picture_format, or
 * writes it as it is ("dot"). Within the lock of libraries. False when that fails. */
bool orr_picture_write(FILE *out, Agraph_t *graph, const char *engine, const char *format);

/* Lays the graph out likewise and tells where its nodes are, in points, in their order. */
bool orr_picture_positions(Agraph_t *graph, const char *engine, struct orr_point *at);

#endif
