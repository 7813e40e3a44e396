/* Figures of graphs and their bisection, as tables and as JSON; for their cost see topo_cost.c. */
#include <inttypes.h>
#include <jansson.h>

#include "report/json_text.h"
#include "report/table_text.h"
#include "report/topology/topo_cost.h"
#include "report/topology/topo_rings.h"
#include "report/topology/topology_report.h"

struct shown {
    const struct orr_graph_view *view;
    struct orr_graph_known known;
    FILE *out;
};

enum orr_status orr_graph_measure(const struct orr_graph_view *view, struct orr_graph_known *known,
                                  struct orr_diag *diag)
{
    *known = (struct orr_graph_known){.has_cost = false};
    enum orr_status status =
        orr_net_graph_metrics(&view->graph, view->arena, &known->figures, diag);
    if (status != ORR_OK || view->brief) {
        return status;
    }
    known->alike = !(known->figures.min_bytes_per_s < known->figures.max_bytes_per_s);
    if (view->graph.npus > 1) {
        status = orr_net_graph_bisection(&view->graph, view->arena, &known->bisection, diag);
    }
    known->has_cost = view->has_bandwidths;
    return status == ORR_OK && known->has_cost
               ? orr_net_graph_cost(&view->graph, &view->rules, &known->cost, diag)
               : status;
}

/* ---- tables ---- */

static void print_bisection(const struct shown *shown)
{
    const struct net_bisection *bisection = &shown->known.bisection;
    char text[ORR_FORMAT_BYTES];
    const double links = bisection->bytes_per_s / shown->known.figures.max_bytes_per_s;
    orr_print(shown->out, "%-21s ", "bisection bandwidth");
    if (bisection->cuts == 0) {
        orr_print(shown->out, "-\n");
        return;
    }
    if (shown->view->has_bandwidths) {
        orr_print(shown->out, "at most %s one way",
                  orr_format_bandwidth(bisection->bytes_per_s, text, sizeof text));
        if (shown->known.alike) {
            orr_print(shown->out, ", %.6g link%s", links, links == 1 ? "" : "s");
        }
    } else {
        orr_print(shown->out, "at most %.6g %s one way",
                  shown->known.alike ? links : bisection->bytes_per_s,
                  shown->known.alike ? links == 1 ? "link" : "links" : "times a link's bandwidth");
    }
    orr_print(shown->out, " (the least of %" PRIu32 " cuts)\n", bisection->cuts);
}

/* What a run makes of the graph. */
static void print_changing(FILE *out, const struct net_graph *graph)
{
    if (graph->circuits != NULL) {
        orr_print(out, "%-21s %" PRIu32 " from and to each NPU at a time; below, %s\n", "circuits",
                  graph->circuits->ports,
                  orr_net_awaits_demands(graph)
                      ? "the switch that a job is rehearsed on, before they are set for it"
                      : "all that they can be");
    }
    if (graph->reroutes) {
        orr_print(out, "%-21s %" PRIu32 ", and messages go around what carries nothing\n",
                  "changes", graph->changes);
    }
}

static int print(const struct shown *shown)
{
    const struct orr_graph_view *view = shown->view;
    const struct net_graph *graph = &view->graph;
    const struct net_graph_metrics *figures = &shown->known.figures;
    const bool all = figures->searched == figures->searchable;
    char text[ORR_FORMAT_BYTES];
    orr_print(shown->out, "%s: %" PRIu32 " NPU%s, %" PRIu32 " switch%s\n\n", view->name,
              graph->npus, orr_plural(graph->npus), graph->nodes - graph->npus,
              graph->nodes - graph->npus == 1 ? "" : "es");
    if (view->design != NULL) {
        orr_print(shown->out, "%-21s %s\n", "design", view->design);
    }
    print_changing(shown->out, graph);
    orr_print(shown->out, "%-21s %" PRIu64 ", each way counted\n", "links", figures->links);
    orr_print(shown->out, "%-21s %" PRIu32 " to %" PRIu32 "\n", "degree of an NPU",
              figures->min_degree, figures->max_degree);
    if (view->has_bandwidths) {
        orr_print(shown->out, "%-21s %s one way, on average\n", "bandwidth of an NPU",
                  orr_format_bandwidth(figures->npu_bytes_per_s, text, sizeof text));
    }
    orr_print(shown->out, "%-21s %s%" PRIu32 " hop%s\n", "diameter", all ? "" : "at least ",
              figures->diameter, orr_plural(figures->diameter));
    orr_print(shown->out, "%-21s %.3f hops", "mean path", figures->hops_mean);
    if (!all) {
        orr_print(shown->out, " (to NPUs at %" PRIu32 " of %" PRIu32 " nodes)", figures->searched,
                  figures->searchable);
    }
    orr_print(shown->out, "\n");
    orr_graph_print_rings(shown->out, graph);
    if (!view->brief) {
        print_bisection(shown);
        orr_graph_print_cost(shown->out, shown->view, &shown->known);
    }
    return fflush(shown->out) == 0 ? 0 : 1;
}

/* ---- JSON; what is not known is null ---- */

static json_t *known(bool is, double value)
{
    return is ? json_real(value) : json_null();
}

static json_t *bisection_json(const struct shown *shown)
{
    const struct net_bisection *bisection = &shown->known.bisection;
    return json_pack("{s:o, s:o, s:I}", "at_most_bytes_per_s",
                     known(shown->view->has_bandwidths, bisection->bytes_per_s), "at_most_links",
                     known(shown->known.alike,
                           bisection->bytes_per_s / (shown->known.figures.max_bytes_per_s > 0
                                                         ? shown->known.figures.max_bytes_per_s
                                                         : 1)),
                     "cuts", (json_int_t)bisection->cuts);
}

static int print_json(const struct shown *shown)
{
    const struct net_graph *graph = &shown->view->graph;
    const struct net_graph_metrics *figures = &shown->known.figures;
    const bool known_bandwidths = shown->view->has_bandwidths;
    json_t *root = json_pack(
        "{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:o, s:o, s:I, s:b, s:f}", "npus",
        (json_int_t)graph->npus, "switches", (json_int_t)(graph->nodes - graph->npus), "links",
        (json_int_t)figures->links, "min_degree", (json_int_t)figures->min_degree, "max_degree",
        (json_int_t)figures->max_degree, /* and by deprecated names: */
        "least_degree", (json_int_t)figures->min_degree, "most_degree",
        (json_int_t)figures->max_degree, "npu_bandwidth_bytes_per_s",
        known(known_bandwidths, figures->npu_bytes_per_s), "network_bandwidth_bytes_per_s",
        known(known_bandwidths, figures->network_bytes_per_s), "diameter_hops",
        (json_int_t)figures->diameter, "diameter_is_exact",
        figures->searched == figures->searchable, "mean_hops", figures->hops_mean);
    int failed = root == NULL;
    if (!failed && shown->view->design != NULL) {
        failed |= json_object_set_new(root, "design", json_string(shown->view->design)) != 0;
    }
    json_t *rings = orr_graph_rings_json(graph);
    failed |= rings != NULL && json_object_set_new(root, "rings", rings) != 0;
    if (!shown->view->brief && !failed) {
        failed |= json_object_set_new(root, "bisection",
                                      shown->known.bisection.cuts > 0 ? bisection_json(shown)
                                                                      : json_null());
        failed |= json_object_set_new(
            root, "cost",
            shown->known.has_cost ? orr_graph_cost_json(shown->view, &shown->known) : json_null());
    }
    failed = failed != 0 || orr_json_write(root, shown->out, JSON_INDENT(2)) != 0 ||
             fputc('\n', shown->out) == EOF || fflush(shown->out) != 0;
    json_decref(root);
    return failed ? 1 : 0;
}

enum orr_status orr_graph_show(FILE *out, const struct orr_graph_view *view, bool json,
                               struct orr_diag *diag)
{
    struct shown shown = {.view = view, .out = out};
    const enum orr_status status = orr_graph_measure(view, &shown.known, diag);
    if (status != ORR_OK) {
        return status;
    }
    return (json ? print_json(&shown) : print(&shown)) == 0
               ? ORR_OK
               : orr_diag_fail(diag, ORR_ERR_IO, NULL, "the figures cannot be written");
}

int orr_graph_hops_write(FILE *out, const void *context)
{
    const struct net_graph_metrics *figures = context;
    double all = 0, within = 0;
    for (uint32_t hops = 0; hops <= figures->diameter; hops++) {
        all += figures->pairs[hops];
    }
    (void)fputs("hops,pairs,share,share_within\n", out);
    for (uint32_t hops = 1; hops <= figures->diameter; hops++) {
        within += figures->pairs[hops];
        (void)fprintf(out, "%" PRIu32 ",%.0f,%.6f,%.6f\n", hops, figures->pairs[hops],
                      figures->pairs[hops] / all, within / all);
    }
    return ferror(out) ? 1 : 0;
}
