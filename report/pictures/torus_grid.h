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

/* A grid of nodes of that width and height, in points. */
struct orr_grid orr_grid(const uint32_t size[3], double width, double height);

/* Position of a node; coordinates (0, 0, 0) are at (0, 0), and numbers run along the first
 * dimension. */
struct orr_point orr_grid_at(const struct orr_grid *grid, uint32_t index);

/* By how much a link is bent: not at all between neighbors, around the other nodes of its row if it
 * closes a ring. */
struct orr_point orr_grid_aside(const struct orr_grid *grid, uint32_t from, uint32_t to);

/* True, with the sizes, if a graph without switches is exactly a torus of two or three dimensions.
 * O(links for each factorization of the number of nodes). */
bool orr_grid_find(const struct net_graph *graph, uint32_t size[3]);

#endif
