/* Tori as grids: the first dimension goes to the right, the second down, the third into the page.
 */
#ifndef ORR_REPORT_TOPOLOGY_GRID_H
#define ORR_REPORT_TOPOLOGY_GRID_H

#include "report/pictures/topo_canvas.h"

struct orr_grid {
    uint32_t size[3]; /* 1: there is no such dimension */
    double across, down;
    struct orr_point deeper; /* from a node to the one behind it */
};

/* Of nodes of that width and height, in points. */
struct orr_grid orr_grid(const uint32_t size[3], double width, double height);

/* Where a node is, the one with coordinates 0 at (0, 0); numbers go along the first dimension. */
struct orr_point orr_grid_at(const struct orr_grid *grid, uint32_t index);

/* How a link leaves the straight line: not at all between neighbours, around the others of its row
 * where it closes a ring. */
struct orr_point orr_grid_aside(const struct orr_grid *grid, uint32_t from, uint32_t to);

/* Whether the nodes of a graph without switches are linked as a torus of two or three dimensions
 * is, and nothing else; and its sizes. O(links for each way to write the nodes as a product). */
bool orr_grid_find(const struct net_graph *graph, uint32_t size[3]);

#endif
