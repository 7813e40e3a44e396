/* The legend below the picture of a graph: its size, and how fast its links are. */
#ifndef ORR_REPORT_TOPOLOGY_GRAPH_LEGEND_H
#define ORR_REPORT_TOPOLOGY_GRAPH_LEGEND_H

#include "report/pictures/topo_canvas.h"

enum { ORR_MAX_KINDS = 8 };

/* Links with equal bandwidth, latency and count; the last of many kinds has all others. */
struct orr_link_kinds {
    struct orr_link_kind {
        struct net_link like; /* its bandwidth, latency and count */
        uint64_t links;       /* each direction counted */
        bool several;         /* not all are identical to that one */
    } kind[ORR_MAX_KINDS];
    unsigned kinds;
    bool two_way; /* every link has an identical one back */
};

/* Groups all links of the graph by kind. O(links log links). */
struct orr_link_kinds orr_link_kinds(const struct net_graph *graph);

/* The color of a link. */
const char *orr_link_color(const struct orr_link_kinds *kinds, const struct net_link *link);

/* Draws the legend below the canvas's content. `note`: what is left out of the picture, "" if
 * nothing is. */
void orr_graph_legend(struct orr_canvas *canvas, const struct orr_graph_view *view,
                      const struct orr_link_kinds *kinds, const char *note);

#endif
