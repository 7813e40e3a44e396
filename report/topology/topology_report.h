/* Networks as tables, JSON and pictures: stacked topologies, and graphs. */
#ifndef ORR_REPORT_TOPOLOGY_TOPOLOGY_REPORT_H
#define ORR_REPORT_TOPOLOGY_TOPOLOGY_REPORT_H

#include <stdio.h>

#include "network/cost/cost.h"
#include "network/graph_metrics.h"
#include "report/pictures/pictures.h"

struct orr_diag;

/* Print tables of the dimensions, the network and the rank, or the same as JSON. Return 0, or 1 if
 * it cannot be written. */
int orr_topo_show(FILE *out, const struct orr_topo *topo);
int orr_topo_show_json(FILE *out, const struct orr_topo *topo);

#define ORR_OPTICAL_NAMES                                                                          \
    "none, patch-panel, ocs, 2d-mems, silicon-photonics, tunable-lasers or rotornet"

/* Computed metrics of a graph. */
struct orr_graph_known {
    struct net_graph_metrics metrics;
    struct net_bisection bisection; /* cuts 0: not computed */
    struct net_cost cost;
    bool has_cost;
    bool is_uniform; /* all links have one bandwidth */
};
enum orr_status orr_graph_compute_metrics(const struct orr_graph_view *view,
                                          struct orr_graph_known *known, struct orr_diag *diag);

/* Computes the metrics of a graph; prints them as a table or JSON. Errors: the graph is
 * disconnected; memory; the stream. (topo_graph_show.c) */
enum orr_status orr_graph_show(FILE *out, const struct orr_graph_view *view, bool json,
                               struct orr_diag *diag);

/* The distribution of hop counts as CSV: for each number of hops the (ordered) pairs of NPUs, their
 * share, and the cumulative share. For struct orr_output; the context is a struct
 * net_graph_metrics. Returns 0, or 1 with errno set. (topo_graph_show.c) */
int orr_graph_hops_write(FILE *out, const void *context);

#endif
