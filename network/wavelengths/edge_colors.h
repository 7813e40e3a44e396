/* Edge coloring of a multigraph: the optical switch of each circuit (ocs_circuits.c), the panels of
 * a topology (planner/finder/port_map.h).
 *
 * With as many colors as the maximum degree a coloring always exists in bipartite graphs (König),
 * but rarely in others: an odd number of nodes of full degree has none, its existence is
 * NP-complete, and a multigraph can need half as many colors again (Shannon). The algorithm takes
 * for each edge, in turn: a color that is free at both ends; a color freed by swapping a Kempe
 * chain, which always works in bipartite graphs; the color of another edge, which is recolored
 * later, while `patience` lasts. */
#ifndef ORR_NETWORK_WAVELENGTHS_EDGE_COLORS_H
#define ORR_NETWORK_WAVELENGTHS_EDGE_COLORS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/status.h"

struct orr_arena;
struct orr_diag;

#define EDGE_NO_COLOR UINT32_MAX

struct edge_colors {
    uint32_t nodes, colors;
    uint32_t edges;
    const struct edge_ends {
        uint32_t a, b; /* different */
    } * edge;
    uint64_t patience; /* limit of steps along chains; 0: no edge loses its color */
};

/* Sets color[edges], and *found if all edges have a color; else the colors are invalid.
 * Deterministic; the first edges get low colors. Errors: memory. O(edges x (nodes + colors^2)) in
 * bipartite graphs; in others plus the patience. */
enum orr_status orr_edge_colors(struct orr_arena *scratch, const struct edge_colors *graph,
                                uint32_t *color, bool *found, struct orr_diag *diag);

#endif
