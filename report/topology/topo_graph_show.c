/* Metrics of graphs and their bisection, as tables and as JSON; for their cost see topo_cost.c. */
#include <inttypes.h>
#include <jansson.h>

#include "core/diag.h"
#include "core/strings.h"
#include "core/units.h"
#include "network/allocation.h"
#include "report/json_text.h"
#include "report/table_text.h"
#include "report/topology/topo_cost.h"
#include "report/topology/topo_rings.h"
#include "report/topology/topology_report.h"

struct graph_output {
    const struct orr_graph_view *view;
    struct orr_graph_known known;
    FILE *out;
};

enum orr_status orr_graph_compute_metrics(const struct orr_graph_view *view,
                                          struct orr_graph_known *known, struct orr_diag *diag)
{
    *known = (struct orr_graph_known){.has_cost = false};
    enum orr_status status =
        orr_net_graph_metrics(&view->graph, view->arena, &known->metrics, diag);
    if (status != ORR_OK || view->brief) {
        return status;
    }
    known->is_uniform = !(known->metrics.min_bytes_per_s < known->metrics.max_bytes_per_s);
    if (view->graph.npus > 1) {
        status = orr_net_graph_bisection(&view->graph, view->arena, &known->bisection, diag);
    }
    known->has_cost = view->has_bandwidths;
    return status == ORR_OK && known->has_cost
               ? orr_net_graph_cost(&view->graph, &view->rules, &known->cost, diag)
               : status;
}

/* ---- tables ---- */

static void print_bisection(const struct graph_output *graph_output)
{
    const struct net_bisection *bisection = &graph_output->known.bisection;
    char text[ORR_FORMAT_BYTES];
    const double links = bisection->bytes_per_s / graph_output->known.metrics.max_bytes_per_s;
    orr_print(graph_output->out, "%-21s ", "bisection bandwidth");
    if (bisection->cuts == 0) {
        orr_print(graph_output->out, "-\n");
        return;
    }
    if (graph_output->view->has_bandwidths) {
        orr_print(graph_output->out, "at most %s one way",
                  orr_format_bandwidth(bisection->bytes_per_s, text, sizeof text));
        if (graph_output->known.is_uniform) {
            orr_print(graph_output->out, ", %.6g link%s", links, links == 1 ? "" : "s");
        }
    } else {
        orr_print(graph_output->out, "at most %.6g %s one way",
                  graph_output->known.is_uniform ? links : bisection->bytes_per_s,
                  graph_output->known.is_uniform ? links == 1 ? "link" : "links"
                                                 : "times a link's bandwidth");
    }
    orr_print(graph_output->out, " (the minimum of %" PRIu32 " cuts)\n", bisection->cuts);
}

/* Prints what changes the graph during a run. */
static void print_capacity_changes(FILE *out, const struct net_graph *graph)
{
    if (graph->circuits != NULL) {
        orr_print(out, "%-21s %" PRIu32 " from and to each NPU at a time; below, %s\n", "circuits",
                  graph->circuits->ports,
                  orr_net_awaits_demands(graph)
                      ? "the switch that a job is rehearsed on, before they are set for it"
                      : "all that they can be");
    }
    if (graph->reroutes) {
        orr_print(out, "%-21s %" PRIu32 "; messages are rerouted around links without bandwidth\n",
                  "changes", graph->changes);
    }
}

static int print(const struct graph_output *graph_output)
{
    const struct orr_graph_view *view = graph_output->view;
    const struct net_graph *graph = &view->graph;
    const struct net_graph_metrics *metrics = &graph_output->known.metrics;
    const bool all = metrics->searched == metrics->searchable;
    char text[ORR_FORMAT_BYTES];
    orr_print(graph_output->out, "%s: %" PRIu32 " NPU%s, %" PRIu32 " switch%s\n\n", view->name,
              graph->npus, orr_plural(graph->npus), graph->nodes - graph->npus,
              graph->nodes - graph->npus == 1 ? "" : "es");
    if (view->design != NULL) {
        orr_print(graph_output->out, "%-21s %s\n", "design", view->design);
    }
    print_capacity_changes(graph_output->out, graph);
    orr_print(graph_output->out, "%-21s %" PRIu64 ", each way counted\n", "links", metrics->links);
    orr_print(graph_output->out, "%-21s %" PRIu32 " to %" PRIu32 "\n", "degree of an NPU",
              metrics->min_degree, metrics->max_degree);
    if (view->has_bandwidths) {
        orr_print(graph_output->out, "%-21s %s one way, on average\n", "bandwidth of an NPU",
                  orr_format_bandwidth(metrics->npu_bytes_per_s, text, sizeof text));
    }
    orr_print(graph_output->out, "%-21s %s%" PRIu32 " hop%s\n", "diameter", all ? "" : "at least ",
              metrics->diameter, orr_plural(metrics->diameter));
    orr_print(graph_output->out, "%-21s %.3f hops", "mean path", metrics->hops_mean);
    if (!all) {
        orr_print(graph_output->out, " (to NPUs at %" PRIu32 " of %" PRIu32 " nodes)",
                  metrics->searched, metrics->searchable);
    }
    orr_print(graph_output->out, "\n");
    orr_graph_print_rings(graph_output->out, graph);
    if (!view->brief) {
        print_bisection(graph_output);
        orr_graph_print_cost(graph_output->out, graph_output->view, &graph_output->known);
    }
    return fflush(graph_output->out) == 0 ? 0 : 1;
}

/* ---- JSON; what is not known is null ---- */

static json_t *known(bool is, double value)
{
    return is ? json_real(value) : json_null();
}

static json_t *bisection_json(const struct graph_output *graph_output)
{
    const struct net_bisection *bisection = &graph_output->known.bisection;
    return json_pack(
        "{s:o, s:o, s:I}", "at_most_bytes_per_s",
        known(graph_output->view->has_bandwidths, bisection->bytes_per_s), "at_most_links",
        known(graph_output->known.is_uniform,
              bisection->bytes_per_s / (graph_output->known.metrics.max_bytes_per_s > 0
                                            ? graph_output->known.metrics.max_bytes_per_s
                                            : 1)),
        "cuts", (json_int_t)bisection->cuts);
}

static int print_json(const struct graph_output *graph_output)
{
    const struct net_graph *graph = &graph_output->view->graph;
    const struct net_graph_metrics *metrics = &graph_output->known.metrics;
    const bool known_bandwidths = graph_output->view->has_bandwidths;
    json_t *root = json_pack(
        "{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:o, s:o, s:I, s:b, s:f}", "npus",
        (json_int_t)graph->npus, "switches", (json_int_t)(graph->nodes - graph->npus), "links",
        (json_int_t)metrics->links, "min_degree", (json_int_t)metrics->min_degree, "max_degree",
        (json_int_t)metrics->max_degree, /* and by deprecated names: */
        "least_degree", (json_int_t)metrics->min_degree, "most_degree",
        (json_int_t)metrics->max_degree, "npu_bandwidth_bytes_per_s",
        known(known_bandwidths, metrics->npu_bytes_per_s), "network_bandwidth_bytes_per_s",
        known(known_bandwidths, metrics->network_bytes_per_s), "diameter_hops",
        (json_int_t)metrics->diameter, "diameter_is_exact",
        metrics->searched == metrics->searchable, "mean_hops", metrics->hops_mean);
    int failed = root == NULL;
    if (!failed && graph_output->view->design != NULL) {
        failed |= json_object_set_new(root, "design", json_string(graph_output->view->design)) != 0;
    }
    json_t *rings = orr_graph_rings_json(graph);
    failed |= rings != NULL && json_object_set_new(root, "rings", rings) != 0;
    if (!graph_output->view->brief && !failed) {
        failed |= json_object_set_new(
            root, "bisection",
            graph_output->known.bisection.cuts > 0 ? bisection_json(graph_output) : json_null());
        failed |=
            json_object_set_new(root, "cost",
                                graph_output->known.has_cost
                                    ? orr_graph_cost_json(graph_output->view, &graph_output->known)
                                    : json_null());
    }
    failed = failed != 0 || orr_json_write(root, graph_output->out, JSON_INDENT(2)) != 0 ||
             fputc('\n', graph_output->out) == EOF || fflush(graph_output->out) != 0;
    json_decref(root);
    return failed ? 1 : 0;
}

enum orr_status orr_graph_show(FILE *out, const struct orr_graph_view *view, bool json,
                               struct orr_diag *diag)
{
    struct graph_output graph_output = {.view = view, .out = out};
    const enum orr_status status = orr_graph_compute_metrics(view, &graph_output.known, diag);
    if (status != ORR_OK) {
        return status;
    }
    return (json ? print_json(&graph_output) : print(&graph_output)) == 0
               ? ORR_OK
               : orr_diag_fail(diag, ORR_ERR_IO, NULL, "the metrics cannot be written");
}

int orr_graph_hops_write(FILE *out, const void *context)
{
    const struct net_graph_metrics *metrics = context;
    double all = 0, within = 0;
    for (uint32_t hops = 0; hops <= metrics->diameter; hops++) {
        all += metrics->pairs[hops];
    }
    (void)fputs("hops,pairs,share,share_within\n", out);
    for (uint32_t hops = 1; hops <= metrics->diameter; hops++) {
        within += metrics->pairs[hops];
        (void)fprintf(out, "%" PRIu32 ",%.0f,%.6f,%.6f\n", hops, metrics->pairs[hops],
                      metrics->pairs[hops] / all, within / all);
    }
    return ferror(out) ? 1 : 0;
}
