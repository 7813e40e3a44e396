/* Colours for the edges of a multigraph, so that no two at a node have the same one: which switch
 * each circuit goes through (ocs_circuits.c), the panels of a topology (planner/finder/port_map.h).
 *
 * With as many colours as the greatest degree there always is a way if the nodes are of two kinds
 * and edges join one to the other (König), seldom in other graphs (an odd number of nodes of full
 * degree has none; whether there is one at all is NP-complete, and a multigraph may need half as
 * many colours again: Shannon). So: edges take a colour that is free at both ends; else colours are
 * changed along a chain of two (Kempe), which always helps in the first case; else an edge in the
 * way gives up its colour for a while, as long as `patience` lasts. */
#ifndef ORR_NETWORK_WAVELENGTHS_EDGE_COLORS_H
#define ORR_NETWORK_WAVELENGTHS_EDGE_COLORS_H

#include "core/core.h"

#define EDGE_NO_COLOR UINT32_MAX

struct edge_colors {
    uint32_t nodes, colors;
    uint32_t edges;
    const struct edge_ends {
        uint32_t a, b; /* different */
    } * edge;
    uint64_t patience; /* steps along chains before it is given up; 0: nothing gives way */
};

/* color[edges] gets the colour of each edge, and *found whether all have one; if not, no colour
 * means anything. Deterministic; edges that come first get low colours. Errors: memory.
 * O(edges x (nodes + colors^2)) for two kinds of nodes; else the patience as well. */
enum orr_status orr_edge_colors(struct orr_arena *scratch, const struct edge_colors *graph,
                                uint32_t *color, bool *found, struct orr_diag *diag);

#endif
