/* Layout: positions of the nodes of a graph in its picture. */
#ifndef ORR_REPORT_TOPOLOGY_GRAPH_LAYOUT_H
#define ORR_REPORT_TOPOLOGY_GRAPH_LAYOUT_H

#include "report/pictures/torus_grid.h"

enum { ORR_MAX_ROWS = 16 };

struct orr_row {
    const char *name; /* "edge switches" */
    double at;
};

struct orr_layout {
    struct orr_point *at; /* [nodes], in the arena */
    double radius;        /* of a circle of NPUs; 0: none */
    bool is_grid;
    struct orr_grid grid;
    uint32_t rows; /* 0: no rows */
    struct orr_row row[ORR_MAX_ROWS];
    double left; /* of the leftmost node of all rows */
};

/* By how much the link of two NPUs of a large circle bends to its middle: links of short jumps
 * would lie on each other along the rim. */
struct orr_point orr_circle_aside(const struct orr_layout *layout, uint32_t npus, uint32_t from,
                                  uint32_t to);

/* Computes the layout.
 *
 * | graph | layout |
 * | --- | --- |
 * | torus | grid |
 * | circulant; few NPUs; NPUs of a single switch | circle |
 * | NPUs attached to the nodes of a circulant | a circle around the circle of the nodes |
 * | tree of switches, without links within a level | rows, NPUs at the bottom |
 * | all others | by forces, from `dot`, within the lock of libraries |
 *
 * Nodes are of one size, in points. Without `dot` a graph that needs forces has all nodes at (0,
 * 0). Errors: ORR_ERR_MEMORY; ORR_ERR_IO: Graphviz failed. */
enum orr_status orr_graph_compute_layout(const struct net_graph *graph, Agraph_t *dot,
                                         struct orr_point node, struct orr_arena *arena,
                                         struct orr_layout *layout);

#endif
