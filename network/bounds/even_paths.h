/* Shortest paths by real lengths of arcs (Dijkstra), and the load of one unit to every NPU that
 * splits evenly, by capacity, over all of them. */
#ifndef ORR_NETWORK_BOUNDS_EVEN_PATHS_H
#define ORR_NETWORK_BOUNDS_EVEN_PATHS_H

#include <math.h>

#include "network/bounds/capacity_graph.h"

#define EVEN_UNREACHED INFINITY

struct even_paths {
    const struct cap_graph *graph;
    const uint32_t *first_out; /* [nodes + 1]: arcs that leave a node */
    const uint32_t *first_in;  /* [nodes + 1] into in_arc: arcs that enter it */
    const uint32_t *in_arc;
    double *distance; /* [nodes] of the last source */
    uint32_t *order;  /* [nodes] nodes as they were settled: `settled` of them */
    uint32_t settled;
    uint32_t *place; /* [nodes] in the order */
    double *amount;  /* [nodes] scratch */
    struct even_entry {
        double distance;
        uint32_t node;
    } * heap; /* [arcs + 1] */
};

/* Prepares; the graph's arcs are sorted by `from`. Error: memory. O(nodes + arcs). */
enum orr_status orr_even_paths_make(struct even_paths *out, const struct cap_graph *graph,
                                    struct orr_arena *arena);

/* Distances from a node over arcs with length[arcs] >= 0; the sum of those of all other NPUs,
 * EVEN_UNREACHED if one cannot be reached. O(arcs log arcs). */
double orr_even_paths_search(struct even_paths *paths, uint32_t source, const double *length);

/* Adds to load[arcs] what one unit from the last source to every other NPU puts on each arc. Paths
 * within 1e-12 of the shortest count as shortest. O(nodes + arcs). */
void orr_even_paths_add_load(struct even_paths *paths, const double *length, double *load);

#endif
