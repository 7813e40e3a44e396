/* Graphviz graphs into files. */
#ifndef ORR_CLI_TOPO_PICTURE_H
#define ORR_CLI_TOPO_PICTURE_H

#include <graphviz/cgraph.h>
#include <stdbool.h>

/* Whether the name ends in .svg, .pdf, .png or .dot; says on stderr when not. */
bool orr_picture_has_format(const char *path);

/* Lays the graph out with an engine of Graphviz and draws it into the file, or writes it there as
 * it is (.dot). An exit status. */
int orr_picture_write(Agraph_t *graph, const char *engine, const char *path);

#endif
