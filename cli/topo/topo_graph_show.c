/* orrery topo show and check of graphs: figures, bisection, cost. */
#include <inttypes.h>
#include <jansson.h>

#include "cli/cli.h"
#include "cli/options.h"
#include "cli/terminal.h"
#include "cli/topo/topo.h"
#include "report/report.h"

struct shown {
    const struct orr_graph_view *view;
    struct net_graph_figures figures;
    struct net_bisection bisection; /* cuts 0: none */
    struct net_cost cost;
    bool has_cost;
    bool alike; /* all links are equally fast */
};

static enum orr_status measure(struct shown *shown, struct orr_diag *diag)
{
    const struct orr_graph_view *view = shown->view;
    enum orr_status status =
        orr_net_graph_figures(&view->graph, view->arena, &shown->figures, diag);
    if (status != ORR_OK || view->brief) {
        return status;
    }
    shown->alike = !(shown->figures.least_bytes_per_s < shown->figures.most_bytes_per_s);
    if (view->graph.npus > 1) {
        status = orr_net_graph_bisection(&view->graph, view->arena, &shown->bisection, diag);
    }
    shown->has_cost = view->has_bandwidths;
    if (shown->has_cost) {
        orr_net_graph_cost(&view->graph, view->optical, &shown->cost);
    }
    return status;
}

/* ---- tables ---- */

static void print_bisection(const struct shown *shown)
{
    const struct net_bisection *bisection = &shown->bisection;
    char text[ORR_FORMAT_BYTES];
    const double links = bisection->bytes_per_s / shown->figures.most_bytes_per_s;
    orr_print(stdout, "%-21s ", "bisection bandwidth");
    if (bisection->cuts == 0) {
        orr_print(stdout, "-\n");
        return;
    }
    if (shown->view->has_bandwidths) {
        orr_print(stdout, "at most %s one way",
                  orr_format_bandwidth(bisection->bytes_per_s, text, sizeof text));
        if (shown->alike) {
            orr_print(stdout, ", %.6g link%s", links, links == 1 ? "" : "s");
        }
    } else {
        orr_print(stdout, "at most %.6g %s one way", shown->alike ? links : bisection->bytes_per_s,
                  shown->alike ? links == 1 ? "link" : "links" : "times a link's bandwidth");
    }
    orr_print(stdout, " (the least of %" PRIu32 " cuts)\n", bisection->cuts);
}

static void print_cost(const struct shown *shown)
{
    const struct net_graph *graph = &shown->view->graph;
    if (!shown->has_cost) {
        orr_print(stdout, "%-21s - (of links with a --bandwidth)\n", "cost of hardware");
        return;
    }
    orr_print(stdout, "\n%-21s %12s %14s\n", "cost of hardware", "number", "dollars");
    for (size_t i = 0; i < NET_PARTS; i++) {
        if (shown->cost.count[i] > 0) {
            orr_print(stdout, "%-21s %12" PRIu64 " %14.0f\n", orr_net_part_name(i),
                      shown->cost.count[i], shown->cost.dollars[i]);
        }
    }
    orr_print(stdout, "%-21s %12s %14.0f\n", "all", "", shown->cost.total_dollars);
    if (graph->servers > 0) {
        orr_print(stdout, "The insides of the %" PRIu32 " servers are not counted.\n",
                  graph->servers);
    }
}

static int print(const struct shown *shown)
{
    const struct orr_graph_view *view = shown->view;
    const struct net_graph *graph = &view->graph;
    const struct net_graph_figures *figures = &shown->figures;
    const bool all = figures->searched == figures->searchable;
    char text[ORR_FORMAT_BYTES];
    orr_print(stdout, "%s: %" PRIu32 " NPU%s, %" PRIu32 " switch%s\n\n", view->name, graph->npus,
              orr_plural(graph->npus), graph->nodes - graph->npus,
              graph->nodes - graph->npus == 1 ? "" : "es");
    orr_print(stdout, "%-21s %" PRIu64 ", each way counted\n", "links", figures->links);
    orr_print(stdout, "%-21s %" PRIu32 " to %" PRIu32 "\n", "degree of an NPU",
              figures->least_degree, figures->most_degree);
    if (view->has_bandwidths) {
        orr_print(stdout, "%-21s %s one way, on average\n", "bandwidth of an NPU",
                  orr_format_bandwidth(figures->npu_bytes_per_s, text, sizeof text));
    }
    orr_print(stdout, "%-21s %s%" PRIu32 " hop%s\n", "diameter", all ? "" : "at least ",
              figures->diameter, orr_plural(figures->diameter));
    orr_print(stdout, "%-21s %.3f hops", "mean path", figures->hops_mean);
    if (!all) {
        orr_print(stdout, " (to NPUs at %" PRIu32 " of %" PRIu32 " nodes)", figures->searched,
                  figures->searchable);
    }
    orr_print(stdout, "\n");
    if (!view->brief) {
        print_bisection(shown);
        print_cost(shown);
    }
    return fflush(stdout) == 0 ? 0 : 1;
}

/* ---- JSON; what is not known is null ---- */

static json_t *known(bool is, double value)
{
    return is ? json_real(value) : json_null();
}

static json_t *bisection_json(const struct shown *shown)
{
    const struct net_bisection *bisection = &shown->bisection;
    return json_pack(
        "{s:o, s:o, s:I}", "at_most_bytes_per_s",
        known(shown->view->has_bandwidths, bisection->bytes_per_s), "at_most_links",
        known(shown->alike,
              bisection->bytes_per_s /
                  (shown->figures.most_bytes_per_s > 0 ? shown->figures.most_bytes_per_s : 1)),
        "cuts", (json_int_t)bisection->cuts);
}

static json_t *cost_json(const struct shown *shown)
{
    json_t *parts = json_array();
    for (size_t i = 0; i < NET_PARTS; i++) {
        (void)json_array_append_new(
            parts, json_pack("{s:s, s:I, s:f}", "part", orr_net_part_name(i), "number",
                             (json_int_t)shown->cost.count[i], "dollars", shown->cost.dollars[i]));
    }
    return json_pack("{s:s, s:f, s:o, s:I}", "optical", orr_net_optical_name(shown->view->optical),
                     "dollars", shown->cost.total_dollars, "parts", parts, "servers",
                     (json_int_t)shown->view->graph.servers);
}

static int print_json(const struct shown *shown)
{
    const struct net_graph *graph = &shown->view->graph;
    const struct net_graph_figures *figures = &shown->figures;
    const bool known_bandwidths = shown->view->has_bandwidths;
    json_t *root = json_pack(
        "{s:I, s:I, s:I, s:I, s:I, s:o, s:o, s:I, s:b, s:f}", "npus", (json_int_t)graph->npus,
        "switches", (json_int_t)(graph->nodes - graph->npus), "links", (json_int_t)figures->links,
        "least_degree", (json_int_t)figures->least_degree, "most_degree",
        (json_int_t)figures->most_degree, "npu_bandwidth_bytes_per_s",
        known(known_bandwidths, figures->npu_bytes_per_s), "network_bandwidth_bytes_per_s",
        known(known_bandwidths, figures->network_bytes_per_s), "diameter_hops",
        (json_int_t)figures->diameter, "diameter_is_exact",
        figures->searched == figures->searchable, "mean_hops", figures->hops_mean);
    int failed = root == NULL;
    if (!shown->view->brief && !failed) {
        failed |= json_object_set_new(
            root, "bisection", shown->bisection.cuts > 0 ? bisection_json(shown) : json_null());
        failed |=
            json_object_set_new(root, "cost", shown->has_cost ? cost_json(shown) : json_null());
    }
    failed = failed != 0 || orr_json_write(root, stdout, JSON_INDENT(2)) != 0 ||
             fputc('\n', stdout) == EOF || fflush(stdout) != 0;
    json_decref(root);
    return failed ? 1 : 0;
}

int orr_graph_show(const struct orr_graph_view *view)
{
    struct shown shown = {.view = view};
    struct orr_diag diag;
    orr_diag_init(&diag);
    if (measure(&shown, &diag) != ORR_OK) {
        return orr_print_diag(&diag);
    }
    return view->json ? print_json(&shown) : print(&shown);
}
