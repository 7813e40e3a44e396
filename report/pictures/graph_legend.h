/* What is said below the picture of a graph: what it is, and how fast its links are. */
#ifndef ORR_REPORT_TOPOLOGY_GRAPH_LEGEND_H
#define ORR_REPORT_TOPOLOGY_GRAPH_LEGEND_H

#include "report/pictures/topo_canvas.h"

enum { ORR_MAX_KINDS = 8 };

/* Links that are alike; the last kind of many has all others. */
struct orr_link_kinds {
    struct orr_link_kind {
        struct net_link like; /* its bandwidth, latency and count */
        uint64_t links;       /* each way by itself */
        bool several;         /* they are not all like that one */
    } kind[ORR_MAX_KINDS];
    unsigned kinds;
    bool two_way; /* every link has one back that is like it */
};

/* Of all links of the graph; O(links log links). */
struct orr_link_kinds orr_link_kinds(const struct net_graph *graph);

/* The colour of a link of it. */
const char *orr_link_color(const struct orr_link_kinds *kinds, const struct net_link *link);

/* Puts it below what is on the canvas. `note`: what is left out, "" nothing. */
void orr_graph_legend(struct orr_canvas *canvas, const struct orr_graph_view *view,
                      const struct orr_link_kinds *kinds, const char *note);

#endif
