/* orrery topo show, check and draw for graphs: a fabric with --npus, or a file. */
#include <inttypes.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/options.h"
#include "cli/platform_options.h"
#include "cli/terminal.h"
#include "cli/topo/cost_options.h"
#include "cli/topo/topo.h"
#include "cli/write_output.h"
#include "core/arena.h"
#include "core/diag.h"
#include "core/units.h"
#include "network/fabric_build.h"
#include "network/graph.h"
#include "network/graph_metrics.h"
#include "network/graph_source.h"
#include "network/net_config.h"
#include "network/net_config_graph.h"
#include "network/route_options.h"
#include "report/table_text.h"
#include "report/topology/topology_report.h"
#include "sim/load/platform_network.h"

/* Arguments, and what they say of links. */
struct request {
    const struct orr_topo_arguments *arguments;
    const char *network;       /* file or fabric */
    struct net_link_kind kind; /* bandwidth 0: not given */
};

/* ---- arguments ---- */

bool orr_topo_is_graph(const struct orr_topo_arguments *arguments)
{
    char shipped[ORR_INPUT_PATH_BYTES];
    return arguments->npus != 0 || strcmp(arguments->view, "check") == 0 ||
           (arguments->network != NULL &&
            orr_file_has_graph(orr_topo_network(arguments->network, shipped)));
}

static int read_links(const struct orr_platform_options *options, struct net_link_kind *kind)
{
    if (options->bandwidth != NULL &&
        !orr_parse_bandwidth(options->bandwidth, &kind->bytes_per_s)) {
        return orr_reject_quantity("topo", "bandwidth", ORR_QUANTITY_BANDWIDTH, options->bandwidth);
    }
    return options->latency == NULL || orr_parse_time(options->latency, &kind->latency_ps)
               ? 0
               : orr_reject_quantity("topo", "latency", ORR_QUANTITY_TIME, options->latency);
}

static int check(const struct request *request)
{
    const struct orr_topo_arguments *arguments = request->arguments;
    const char *of_dims = arguments->platform.topology != NULL       ? "--topology"
                          : arguments->platform.bandwidth_is != NULL ? "--bandwidth-is"
                          : arguments->astra != NULL                 ? "--network-configuration"
                          : arguments->rank != NULL                  ? "--rank"
                                                                     : NULL;
    if (of_dims != NULL) {
        return orr_usage_error("topo", "expected a network of dimensions, and no graph, with ",
                               of_dims);
    }
    if (request->network == NULL) {
        return orr_usage_error("topo",
                               "expected a graph: a file of one, or a NETWORK such as "
                               "fat-tree with --npus N",
                               NULL);
    }
    if (arguments->set.count != 0 &&
        (arguments->npus != 0 || orr_net_graph_is_dot(request->network))) {
        return orr_usage_error("topo", "--set goes with a platform file", NULL);
    }
    return strcmp(arguments->view, "draw") == 0 && arguments->output == NULL
               ? orr_usage_error("topo", "draw needs a file to write: -o FILE.svg", NULL)
               : 0;
}

/* ---- the graph ---- */

/* Loads a file with the assignments of options; its cost rules apply. */
static enum orr_status load_file(const struct request *request, struct orr_graph_view *view,
                                 struct orr_diag *diag)
{
    const struct orr_topo_arguments *arguments = request->arguments;
    struct net_config config;
    char library[ORR_INPUT_PATH_BYTES];
    const bool dot = orr_net_graph_is_dot(request->network);
    const char *set[ORR_MAX_TEXTS + ORR_MAX_COST_OPTIONS];
    size_t sets = 0;
    for (; sets < arguments->set.count; sets++) {
        set[sets] = arguments->set.text[sets];
    }
    for (size_t i = 0; i < arguments->cost.count && !dot; i++) {
        set[sets++] = arguments->cost.set[i];
    }
    orr_inputs_library(library);
    const struct net_graph_input source = {.path = request->network,
                                           .library = library,
                                           .set = set,
                                           .sets = sets,
                                           .kind = request->kind,
                                           .kind_requested = request->kind.bytes_per_s > 0 ||
                                                             request->kind.latency_ps > 0};
    const enum orr_status status = orr_platform_graph_load(view->arena, &source, &config, diag);
    if (status == ORR_OK) {
        view->graph = *config.graph;
        view->design = config.design;
        view->rules = config.cost != NULL ? *config.cost : view->rules;
    }
    return status;
}

/* Loads the graph. A fabric needs no bandwidth; all its links then have bandwidth 1. */
static enum orr_status load(const struct request *request, struct orr_graph_view *view,
                            struct orr_diag *diag)
{
    const struct orr_topo_arguments *arguments = request->arguments;
    const struct net_routing *routing;
    struct net_link_kind kind = request->kind;
    view->has_bandwidths = kind.bytes_per_s > 0 || arguments->npus == 0;
    const bool file = arguments->npus == 0 && !orr_net_graph_is_dot(request->network);
    const enum orr_status status =
        file ? ORR_OK : orr_cost_option_rules(&arguments->cost, view->arena, &view->rules, diag);
    if (status != ORR_OK || arguments->npus == 0) {
        return status != ORR_OK ? status : load_file(request, view, diag);
    }
    kind.bytes_per_s = view->has_bandwidths ? kind.bytes_per_s : 1;
    if (!view->has_bandwidths && strchr(request->network, '@') != NULL) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                             "orrery topo: %s: expected --bandwidth in addition to that of a level",
                             request->network);
    }
    const struct net_fabric fabric = {.text = request->network,
                                      .npus = (uint32_t)arguments->npus,
                                      .kind = kind,
                                      .seed = arguments->seed >= 0 ? (uint64_t)arguments->seed : 1};
    return orr_net_build_fabric(&fabric, view->arena, &view->graph, &routing, diag);
}

/* ---- drawing ---- */

struct drawn {
    const struct orr_graph_view *view;
    char *note; /* [ORR_NOTE_BYTES] */
};

static enum orr_status draw_graph(FILE *out, const void *context, const char *format,
                                  struct orr_diag *diag)
{
    const struct drawn *drawn = context;
    return orr_graph_draw(out, drawn->view, format, drawn->note, diag);
}

static int draw(const struct orr_graph_view *view, const char *path)
{
    char note[ORR_NOTE_BYTES] = "";
    const struct drawn drawn = {.view = view, .note = note};
    const struct orr_drawing drawing = {.draw = draw_graph, .context = &drawn, .path = path};
    struct orr_diag diag;
    orr_diag_init(&diag);
    if (!orr_topo_has_format(path)) {
        return ORR_EXIT_USAGE;
    }
    if (orr_graph_check_drawn(view, orr_picture_format(path), &diag) != ORR_OK) {
        orr_print_message("orrery topo: %s\n", diag.message);
        return ORR_EXIT_USAGE;
    }
    const int status = orr_topo_write(&drawing);
    if (status == 0 && note[0] != '\0') {
        orr_print_message("orrery topo: %s: %s\n", path, note);
    }
    return status;
}

/* Writes the file of hop counts; sets *quiet if it is standard output. */
static int write_hops(const struct orr_topo_arguments *arguments, const struct orr_graph_view *view,
                      bool *quiet)
{
    const struct orr_output output = {arguments->hops, orr_graph_hops_write};
    struct net_graph_metrics metrics;
    struct orr_diag diag;
    orr_diag_init(&diag);
    return orr_net_graph_metrics(&view->graph, view->arena, &metrics, &diag) == ORR_OK
               ? orr_write_output(&output, &metrics, quiet)
               : orr_print_diag(&diag);
}

static int show(FILE *out, const struct orr_graph_view *view, bool json)
{
    struct orr_diag diag;
    orr_diag_init(&diag);
    (void)orr_graph_show(out, view, json, &diag);
    return orr_print_diag(&diag);
}

static int write_json(FILE *out, const void *view)
{
    return show(out, view, true);
}

static int write_text(FILE *out, const void *view)
{
    return show(out, view, false);
}

static int print_view(const struct request *request, struct orr_graph_view *view)
{
    const struct orr_topo_arguments *arguments = request->arguments;
    struct orr_diag diag;
    bool quiet = false;
    orr_diag_init(&diag);
    diag.warn = orr_print_warning;
    if (load(request, view, &diag) != ORR_OK) {
        return orr_print_diag(&diag);
    }
    if (arguments->output != NULL) {
        return draw(view, arguments->output);
    }
    const int status = arguments->hops != NULL ? write_hops(arguments, view, &quiet) : 0;
    if (status != 0) {
        return status;
    }
    return orr_write_json_or_text(arguments->json, write_json, view, quiet ? NULL : write_text,
                                  view);
}

int orr_topo_graph(struct orr_topo_arguments *arguments)
{
    struct request request = {
        .arguments = arguments,
        .network = arguments->npus == 0 ? orr_topo_network(arguments->network, arguments->shipped)
                                        : arguments->network};
    int status = check(&request);
    status = status == 0 ? read_links(&arguments->platform, &request.kind) : status;
    if (status != 0) {
        return status;
    }
    struct orr_graph_view view = {.name = request.network,
                                  .arena = orr_arena_create(),
                                  .bandwidth_name = "--bandwidth",
                                  .brief = strcmp(arguments->view, "check") == 0};
    if (view.arena == NULL) {
        orr_print_message("orrery topo: out of memory\n");
        return 1;
    }
    status = print_view(&request, &view);
    orr_arena_destroy(view.arena);
    return status;
}
