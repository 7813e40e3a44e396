/* Networks as pictures: stacked topologies, and graphs. */
#ifndef ORR_REPORT_PICTURES_PICTURES_H
#define ORR_REPORT_PICTURES_PICTURES_H

#include <stdio.h>

#include "network/network.h"

struct orr_topo {
    struct net_config config; /* bandwidths may be 0: not known */
    struct orr_arena *arena;
    bool has_rank;
    uint32_t rank; /* whose coordinates and neighbours are asked for */
};

enum { ORR_NOTATION_BYTES = NET_MAX_DIMS * 24 };

/* A graph that is looked at. */
struct orr_graph_view {
    const char *name;
    struct net_graph graph;
    struct orr_arena *arena;
    bool has_bandwidths;         /* else all are relative to that of a link */
    struct net_cost_rules rules; /* of its cost */
    bool brief;                  /* without bisection and cost */
    const char *bandwidth_name;  /* what messages call the bandwidth that is not known */
    const char *design;          /* what the platform's design stands for; NULL: it has none */
};

/* The format of a picture by the end of its file's name: "svg", "pdf", "png" or "dot"; NULL: it is
 * none of them. (graphviz_picture.c) */
const char *orr_picture_format(const char *path);

/* Draw the network in such a format; a graph as DOT is the graph itself, which reads back. `note`
 * tells what of a large graph is left out, "" nothing. Errors: memory; names and bandwidths that
 * DOT cannot hold. ORR_ERR_IO has no message: the picture could not be written.
 * (topo_draw.c, topo_graph_draw.c) */
enum { ORR_NOTE_BYTES = 160 };
enum orr_status orr_topo_draw(FILE *out, const struct orr_topo *topo, const char *format,
                              struct orr_diag *diag);
enum orr_status orr_graph_check_drawn(const struct orr_graph_view *view, const char *format,
                                      struct orr_diag *diag);
enum orr_status orr_graph_draw(FILE *out, const struct orr_graph_view *view, const char *format,
                               char note[ORR_NOTE_BYTES], struct orr_diag *diag);

/* The network of a job (orr_job_network) as SVG text, for pages that hold it: the same picture. Of
 * a graph `name` stands below it. Errors as above; memory of its own. (network_svg.c) */
enum orr_status orr_network_svg(FILE *out, const struct net_config *network, const char *name,
                                struct orr_diag *diag);

/* What of a large graph is drawn: NPUs that hang on one switch as one node, then the nodes nearest
 * to the first, at most `most`; names of its own, in the view's arena. (topo_graph_condense.c) */
enum orr_status orr_graph_condense(const struct orr_graph_view *view, uint32_t max,
                                   struct net_graph *out, char note[ORR_NOTE_BYTES]);

/* Whether two bandwidths are equal, to the last bit. */
bool orr_same_speed(double a, double b);

/* "100 Gb/s" and "1 us", exactly that number when read again (graph_dot.c). `text` holds
 * ORR_FORMAT_BYTES. */
const char *orr_exact_bandwidth(double bytes_per_s, char *text);
const char *orr_exact_time(sim_time ps, char *text);

#endif
