/* Networks as pictures: stacked topologies, and graphs. */
#ifndef ORR_REPORT_PICTURES_PICTURES_H
#define ORR_REPORT_PICTURES_PICTURES_H

#include <stdio.h>

#include "network/cost/cost.h"
#include "network/graph.h"
#include "network/net_config.h"
#include "network/net_dims.h"

struct orr_arena;
struct orr_diag;

struct orr_topo {
    struct net_config config; /* bandwidths may be 0: not known */
    struct orr_arena *arena;
    bool has_rank;
    uint32_t rank; /* whose coordinates and neighbors are shown */
};

enum { ORR_NOTATION_BYTES = NET_MAX_DIMS * 24 };

/* A graph to show or draw. */
struct orr_graph_view {
    const char *name;
    struct net_graph graph;
    struct orr_arena *arena;
    bool has_bandwidths;         /* else all are multiples of a link's bandwidth */
    struct net_cost_rules rules; /* for its cost */
    bool brief;                  /* without bisection and cost */
    const char *bandwidth_name;  /* name of the missing bandwidth in messages */
    const char *design;          /* the expanded design of the platform; NULL: none */
};

/* The format of a picture by the extension of its file: "svg", "pdf", "png" or "dot"; NULL: none of
 * them. (graphviz_picture.c) */
const char *orr_picture_format(const char *path);

/* Draw the network in such a format; a graph as DOT is the graph itself, which can be read back.
 * `note` says what of a large graph is left out, "" if nothing is. Errors: memory; names and
 * bandwidths that DOT cannot hold. ORR_ERR_IO has no message: the picture could not be written.
 * (topo_draw.c, topo_graph_draw.c) */
enum { ORR_NOTE_BYTES = 160 };
enum orr_status orr_topo_draw(FILE *out, const struct orr_topo *topo, const char *format,
                              struct orr_diag *diag);
enum orr_status orr_graph_check_drawn(const struct orr_graph_view *view, const char *format,
                                      struct orr_diag *diag);
enum orr_status orr_graph_draw(FILE *out, const struct orr_graph_view *view, const char *format,
                               char note[ORR_NOTE_BYTES], struct orr_diag *diag);

/* The network of a job (orr_job_network) as SVG text, for pages that embed it: the same picture.
 * `name` stands below a graph. Errors as above; uses memory of its own. (network_svg.c) */
enum orr_status orr_network_svg(FILE *out, const struct net_config *network, const char *name,
                                struct orr_diag *diag);

/* Condenses a large graph: NPUs attached to one switch become one node; of all nodes the `max`
 * nearest to the first are kept. Their names are in the view's arena. (topo_graph_condense.c) */
enum orr_status orr_graph_condense(const struct orr_graph_view *view, uint32_t max,
                                   struct net_graph *out, char note[ORR_NOTE_BYTES]);

/* True if two bandwidths are equal, to the last bit. */
bool orr_same_speed(double a, double b);

/* Formats "100 Gb/s" and "1 us" so that reading returns exactly the same number (graph_dot.c).
 * `text` holds ORR_FORMAT_BYTES. */
const char *orr_exact_bandwidth(double bytes_per_s, char *text);
const char *orr_exact_time(sim_time ps, char *text);

#endif
