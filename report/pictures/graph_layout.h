/* Where the nodes of a graph stand in its picture. */
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
    bool is_grid;
    struct orr_grid grid;
    uint32_t rows; /* 0: they have none */
    struct orr_row row[ORR_MAX_ROWS];
    double left; /* of the rows' leftmost node */
};

/* Tori are grids, circulants and few NPUs circles, NPUs on nodes that are a circulant a circle
 * around theirs, trees of switches rows from the NPUs up, NPUs of a single switch a circle around
 * it; all others by forces, which `dot` is the graph for, within the lock of libraries: also
 * switches linked within a level, which rows do not show. Nodes are of one size, in points. Without
 * `dot` what needs forces has no places: all are (0, 0). ORR_ERR_MEMORY; ORR_ERR_IO: Graphviz
 * failed. */
enum orr_status orr_graph_compute_layout(const struct net_graph *graph, Agraph_t *dot,
                                         struct orr_point node, struct orr_arena *arena,
                                         struct orr_layout *layout);

#endif
