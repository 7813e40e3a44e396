/* Graphviz graphs as pictures, through libgvc. */
#ifndef ORR_REPORT_TOPOLOGY_PICTURE_H
#define ORR_REPORT_TOPOLOGY_PICTURE_H

#include <graphviz/cgraph.h>
#include <stdbool.h>
#include <stdio.h>

#include "report/pictures/topo_canvas.h"

/* Lays the graph out with an engine of Graphviz and draws it in a format of orr_picture_format, or
 * writes it unchanged ("dot"). To be called within the lock of libraries. False on failure. */
bool orr_picture_write(FILE *out, Agraph_t *graph, const char *engine, const char *format);

/* Lays the graph out likewise and sets the positions of its nodes, in points, in their order. To be
 * called within the lock of libraries. False on failure. */
bool orr_picture_positions(Agraph_t *graph, const char *engine, struct orr_point *at);

#endif
