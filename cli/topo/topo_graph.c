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

enum { OPT_NPUS = 256, OPT_BANDWIDTH, OPT_LATENCY, OPT_SEED, OPT_SET, OPT_JSON, OPT_HOPS };
enum { MAX_SETS = 64, POSITIONAL = 1 };

static const struct option options[] = {{"npus", required_argument, NULL, OPT_NPUS},
                                        {"bandwidth", required_argument, NULL, OPT_BANDWIDTH},
                                        {"latency", required_argument, NULL, OPT_LATENCY},
                                        {"seed", required_argument, NULL, OPT_SEED},
                                        ORR_COST_OPTIONS,
                                        {"set", required_argument, NULL, OPT_SET},
                                        {"json", no_argument, NULL, OPT_JSON},
                                        {"hops", required_argument, NULL, OPT_HOPS},
                                        {"output", required_argument, NULL, 'o'},
                                        {NULL, 0, NULL, 0}};

struct arguments {
    const char *verb, *network, *output, *hops;
    struct net_link_kind kind; /* bandwidth 0: not given */
    int64_t npus, seed;        /* npus 0: a file */
    struct orr_cost_options cost;
    bool json;
    const char *set[MAX_SETS];
    size_t sets;
    char shipped[ORR_INPUT_PATH_BYTES]; /* storage of the path of a platform that ships */
};

/* ---- detection of graphs ---- */

static bool is_one_of(const char *text, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(text, names[i]) == 0) {
            return true;
        }
    }
    return false;
}

/* Parses the options of graphs and platforms, to separate their values from verb and network. */
bool orr_topo_is_graph_command(int argc, char **argv)
{
    static const struct option all[] = {ORR_PLATFORM_OPTIONS,
                                        {"npus", required_argument, NULL, OPT_NPUS},
                                        {"seed", required_argument, NULL, OPT_SEED},
                                        ORR_COST_OPTIONS,
                                        {"set", required_argument, NULL, OPT_SET},
                                        {"network-configuration", required_argument, NULL, OPT_SET},
                                        {"rank", required_argument, NULL, OPT_SET},
                                        {"hops", required_argument, NULL, OPT_SET},
                                        {"output", required_argument, NULL, 'o'},
                                        {"json", no_argument, NULL, OPT_JSON},
                                        {"help", no_argument, NULL, 'h'},
                                        {NULL, 0, NULL, 0}};
    char shipped[ORR_INPUT_PATH_BYTES];
    bool is_graph = false;
    unsigned position = 0;
    opterr = 0;
    optind = 0;
    for (int option; (option = getopt_long(argc, argv, "-:ho:", all, NULL)) != -1;) {
        if (option == 'h') {
            return false;
        }
        if (option == POSITIONAL) {
            is_graph = is_graph || (position == 0 && strcmp(optarg, "check") == 0) ||
                       orr_file_has_graph(orr_topo_network(optarg, shipped));
            position++;
        }
        is_graph = is_graph || option == OPT_NPUS;
    }
    return is_graph;
}

/* ---- arguments ---- */

static int parse_integer(const char *option, int64_t min, int64_t *out)
{
    int64_t value = 0;
    if (!orr_parse_integer(optarg, &value) || value < min || value > NET_MAX_NODES) {
        orr_print_message("orrery topo: --%s: expected a whole number from %" PRId64
                          " to %d, got \"%s\"\n",
                          option, min, NET_MAX_NODES, optarg);
        return ORR_EXIT_USAGE;
    }
    *out = value;
    return 0;
}

static int apply(struct arguments *arguments, int option)
{
    switch (option) {
    case OPT_NPUS:
        return parse_integer("npus", 1, &arguments->npus);
    case OPT_SEED:
        return parse_integer("seed", 0, &arguments->seed);
    case OPT_BANDWIDTH:
        return orr_parse_bandwidth(optarg, &arguments->kind.bytes_per_s)
                   ? 0
                   : orr_reject_quantity("topo", "bandwidth", ORR_QUANTITY_BANDWIDTH, optarg);
    case OPT_LATENCY:
        return orr_parse_time(optarg, &arguments->kind.latency_ps)
                   ? 0
                   : orr_reject_quantity("topo", "latency", ORR_QUANTITY_TIME, optarg);
    case OPT_SET:
        if (arguments->sets == MAX_SETS) {
            return orr_usage_error("topo", "too many --set options", NULL);
        }
        arguments->set[arguments->sets++] = optarg;
        return 0;
    case OPT_HOPS:
        arguments->hops = optarg;
        return 0;
    case 'o':
        arguments->output = optarg;
        return 0;
    case OPT_JSON:
        arguments->json = true;
        return 0;
    default:
        return orr_cost_option(&arguments->cost, option, optarg);
    }
}

static int check_view(const struct arguments *arguments)
{
    static const char *const verbs[] = {"show", "draw", "check"};
    const bool draw = strcmp(arguments->verb, "draw") == 0;
    if (!is_one_of(arguments->verb, verbs, 3)) {
        return orr_usage_error("topo", "expected show, draw or check, got ", arguments->verb);
    }
    if (arguments->sets != 0 &&
        (arguments->npus != 0 || orr_net_graph_is_dot(arguments->network))) {
        return orr_usage_error("topo", "--set goes with a platform file", NULL);
    }
    if (draw && (arguments->json || arguments->hops != NULL)) {
        return orr_usage_error("topo", "--json and --hops go with show and check", NULL);
    }
    if (draw != (arguments->output != NULL)) {
        return orr_usage_error(
            "topo", draw ? "draw needs a file to write: -o FILE.svg" : "--output goes with draw",
            NULL);
    }
    return 0;
}

static int parse(struct arguments *arguments, int argc, char **argv)
{
    opterr = 0;
    optind = 0;
    for (int option; (option = getopt_long(argc, argv, ":o:", options, NULL)) != -1;) {
        const int status = option == '?' || option == ':'
                               ? orr_reject_option("topo", options, option, argv[optind - 1])
                               : apply(arguments, option);
        if (status != 0) {
            return status;
        }
    }
    if (argc - optind != 2) {
        return orr_usage_error("topo", "expected show, draw or check, and a graph", NULL);
    }
    arguments->verb = argv[optind];
    arguments->network = arguments->npus == 0
                             ? orr_topo_network(argv[optind + 1], arguments->shipped)
                             : argv[optind + 1];
    return check_view(arguments);
}

/* ---- the graph ---- */

/* Loads a file with the assignments of options; its cost rules apply. */
static enum orr_status load_file(const struct arguments *arguments, struct orr_graph_view *view,
                                 struct orr_diag *diag)
{
    struct net_config config;
    char library[ORR_INPUT_PATH_BYTES];
    const bool dot = orr_net_graph_is_dot(arguments->network);
    const char *set[MAX_SETS + ORR_MAX_COST_OPTIONS];
    size_t sets = 0;
    for (; sets < arguments->sets; sets++) {
        set[sets] = arguments->set[sets];
    }
    for (size_t i = 0; i < arguments->cost.count && !dot; i++) {
        set[sets++] = arguments->cost.set[i];
    }
    orr_inputs_library(library);
    const struct net_graph_input source = {.path = arguments->network,
                                           .library = library,
                                           .set = set,
                                           .sets = sets,
                                           .kind = arguments->kind,
                                           .kind_requested = arguments->kind.bytes_per_s > 0 ||
                                                             arguments->kind.latency_ps > 0};
    const enum orr_status status = orr_platform_graph_load(view->arena, &source, &config, diag);
    if (status == ORR_OK) {
        view->graph = *config.graph;
        view->design = config.design;
        view->rules = config.cost != NULL ? *config.cost : view->rules;
    }
    return status;
}

/* Loads the graph. A fabric needs no bandwidth; all its links then have bandwidth 1. */
static enum orr_status load(const struct arguments *arguments, struct orr_graph_view *view,
                            struct orr_diag *diag)
{
    const struct net_routing *routing;
    struct net_link_kind kind = arguments->kind;
    view->has_bandwidths = kind.bytes_per_s > 0 || arguments->npus == 0;
    const bool file = arguments->npus == 0 && !orr_net_graph_is_dot(arguments->network);
    const enum orr_status status =
        file ? ORR_OK : orr_cost_option_rules(&arguments->cost, view->arena, &view->rules, diag);
    if (status != ORR_OK || arguments->npus == 0) {
        return status != ORR_OK ? status : load_file(arguments, view, diag);
    }
    kind.bytes_per_s = view->has_bandwidths ? kind.bytes_per_s : 1;
    if (!view->has_bandwidths && strchr(arguments->network, '@') != NULL) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                             "orrery topo: %s: expected --bandwidth in addition to that of a level",
                             arguments->network);
    }
    const struct net_fabric fabric = {.text = arguments->network,
                                      .npus = (uint32_t)arguments->npus,
                                      .kind = kind,
                                      .seed = (uint64_t)arguments->seed};
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
static int write_hops(const struct arguments *arguments, const struct orr_graph_view *view,
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

static int print_view(const struct arguments *arguments, struct orr_graph_view *view)
{
    struct orr_diag diag;
    bool quiet = false;
    orr_diag_init(&diag);
    diag.warn = orr_print_warning;
    if (load(arguments, view, &diag) != ORR_OK) {
        return orr_print_diag(&diag);
    }
    if (arguments->output != NULL) {
        return draw(view, arguments->output);
    }
    const int status = arguments->hops != NULL ? write_hops(arguments, view, &quiet) : 0;
    if (status != 0 || quiet) {
        return status;
    }
    (void)orr_graph_show(stdout, view, arguments->json, &diag);
    return orr_print_diag(&diag);
}

int orr_topo_graph(int argc, char **argv)
{
    struct arguments arguments = {.seed = 1};
    const int usage = parse(&arguments, argc, argv);
    if (usage != 0) {
        return usage;
    }
    struct orr_graph_view view = {.name = arguments.network,
                                  .arena = orr_arena_create(),
                                  .bandwidth_name = "--bandwidth",
                                  .brief = strcmp(arguments.verb, "check") == 0};
    if (view.arena == NULL) {
        orr_print_message("orrery topo: out of memory\n");
        return 1;
    }
    const int result = print_view(&arguments, &view);
    orr_arena_destroy(view.arena);
    return result;
}
