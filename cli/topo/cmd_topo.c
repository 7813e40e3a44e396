/* orrery topo: metrics and pictures of networks. */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/named_input.h"
#include "cli/options.h"
#include "cli/platform_options.h"
#include "cli/terminal.h"
#include "cli/topo/topo.h"
#include "cli/topo/topo_views.h"
#include "core/diag.h"
#include "core/strings.h"
#include "core/units.h"
#include "network/coordinates.h"
#include "network/fabric_build.h"
#include "network/net_config_read.h"
#include "report/topology/topology_report.h"
#include "sim/load/platform_network.h"

enum { OPT_JSON = 256, OPT_RANK, OPT_SET, OPT_NETWORK };
enum { MAX_VIEWS = 16 };

static const struct option options[] = {
    ORR_PLATFORM_OPTIONS,
    {"set", required_argument, NULL, OPT_SET},
    {"network-configuration", required_argument, NULL, OPT_NETWORK},
    {"rank", required_argument, NULL, OPT_RANK},
    {"json", no_argument, NULL, OPT_JSON},
    {"output", required_argument, NULL, 'o'},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0}};

/* Views of wings. */
#define ORR_TOPO_VIEW(name) extern const struct orr_topo_view name;
#include "cli/topo/topo_view_list.h"
#undef ORR_TOPO_VIEW

static const struct orr_topo_view *const more_views[] = {
#define ORR_TOPO_VIEW(name) &name,
#include "cli/topo/topo_view_list.h"
#undef ORR_TOPO_VIEW
    NULL};

static const char help_usage[] =
    "usage: orrery topo show PLATFORM.yml|NOTATION [options]\n"
    "       orrery topo draw PLATFORM.yml|NOTATION -o FILE [options]\n"
    "       orrery topo show|check NETWORK --npus N [options]\n"
    "       orrery topo draw NETWORK --npus N -o FILE [options]\n"
    "       orrery topo show|check|draw GRAPH.yml|GRAPH.dot [options]\n"
    "       orrery topo trees|rings NETWORK [options]\n";

static const char help_views[] =
    "\n"
    "  show    dimensions, links, bandwidths, hops, the bisection and cost of a network\n"
    "  draw    a picture: all NPUs and links, or of large networks each dimension's block\n"
    "  check   whether a graph is connected, and its metrics\n"
    "  trees   embedding of edge-disjoint trees: see below\n"
    "  rings   embedding of edge-disjoint rings: see below\n";

static const char help[] =
    "\n"
    "NETWORK is fat-tree, torus:4x4, circulant:1,5/16, ...: see --fabric of orrery run.\n"
    "\n" ORR_PLATFORM_HELP
    "NOTATION is the same as --topology NOTATION; here --bandwidth is optional.\n"
    "\n"
    "Graphs (NETWORK, GRAPH.yml, GRAPH.dot):\n"
    "  --npus N                           of a NETWORK\n"
    "  --bandwidth, --latency             of links without their own\n"
    "  --seed N                           of a random graph (1)\n"
    "  --hops FILE|-                      show, check: hops between NPUs, as CSV; - is standard\n"
    "                                     output, instead of the metrics\n"
    "\n"
    "Cost of a graph's hardware (keys of network.cost):\n"
    "  --optical NAME                     optical device of direct links (none): patch-panel,\n"
    "                                     ocs, 2d-mems, silicon-photonics, tunable-lasers,\n"
    "                                     rotornet\n"
    "  --optical-ports N                  ports of each panel or optical switch\n"
    "  --loss-budget DB                   maximum loss of a circuit\n"
    "  --cards paired|single              whether ports of 100 Gb/s share cards (paired)\n"
    "  --ideal NAME                       full-tree, parallel-trees or one-switch (full-tree)\n"
    "  --degree N                         number of parallel trees\n"
    "  --fibres true|false                whether fibres count (true)\n"
    "  --discount PART=FRACTION           discount on nic, transceiver, switch_port, panel_port,\n"
    "                                     ocs_port, one_by_two_switch or fibre; may be repeated\n"
    "  --watts PART=WATTS                 power of nic, transceiver or switch_port; may be\n"
    "                                     repeated\n"
    "\n"
    "Files:\n"
    "  --set PATH=VALUE                   set a value of the platform file or GRAPH.yml\n"
    "  --network-configuration FILE       a network file of the ASTRA-sim simulator instead\n"
    "\n"
    "Output:\n"
    "  --rank N                           show: also coordinates and neighbors of an NPU\n"
    "  --json                             show: as JSON\n"
    "  -o, --output FILE                  draw: FILE.svg, .pdf, .png or .dot; the .dot of a\n"
    "                                     graph can be read again\n"
    "\n";

enum { MAX_SETS = 64 };

struct arguments {
    struct orr_platform_options network;
    char shipped[ORR_INPUT_PATH_BYTES]; /* storage of the path of a platform that ships */
    const char *view, *file, *astra, *output, *rank;
    const char *set[MAX_SETS];
    unsigned sets;
    bool json;
};

/* ---- arguments ---- */

static int apply(struct arguments *arguments, int option, const char *value)
{
    switch (option) {
    case OPT_SET:
        if (arguments->sets == MAX_SETS) {
            return orr_usage_error("topo", "too many --set options", NULL);
        }
        arguments->set[arguments->sets++] = value;
        return 0;
    case OPT_NETWORK:
        arguments->astra = value;
        return 0;
    case OPT_RANK:
        arguments->rank = value;
        return 0;
    case OPT_JSON:
        arguments->json = true;
        return 0;
    case 'o':
        arguments->output = value;
        return 0;
    default:
        (void)orr_platform_apply(&arguments->network, option, value);
        return 0;
    }
}

/* 0 to go on, < 0 for help. */
static int parse_options(struct arguments *arguments, int argc, char **argv)
{
    opterr = 0;
    optind = 0;
    for (int option; (option = getopt_long(argc, argv, ":ho:", options, NULL)) != -1;) {
        if (option == 'h') {
            return -1;
        }
        const bool refused = option == ':' || option == '?';
        const int status = refused ? orr_reject_option("topo", options, option, argv[optind - 1])
                                   : apply(arguments, option, optarg);
        if (status != 0) {
            return status;
        }
    }
    return 0;
}

/* Whether a text that is not a file is a plain name, as of a platform, and not a topology notation
 * or fabric. */
static bool is_bare_name(const char *text)
{
    static const char *const blocks[] = {"Ring", "FC", "FullyConnected", "Switch", "Mesh"};
    char word[64];
    if (strchr(text, '(') != NULL || orr_net_suggest_fabric(text) != NULL) {
        return false;
    }
    (void)snprintf(word, sizeof word, "%.*s", (int)strcspn(text, "0123456789"), text);
    return orr_nearest_name(word, blocks, sizeof blocks / sizeof *blocks) == NULL;
}

static int choose_network(struct arguments *arguments, const char *text)
{
    struct orr_platform_options *network = &arguments->network;
    text = orr_topo_network(text, arguments->shipped);
    const bool notation = text != NULL && orr_is_notation(text);
    int status = 0;
    if (notation && is_bare_name(text)) {
        (void)orr_input_file("platforms", text, arguments->shipped, &status);
        return status;
    }
    const int sources = (text != NULL ? 1 : 0) + (arguments->astra != NULL ? 1 : 0) +
                        (network->topology != NULL ? 1 : 0);
    if (sources != 1) {
        return orr_usage_error("topo",
                               sources == 0 ? "a platform file or a notation is missing"
                                            : "expected one of a platform file or notation, "
                                              "--topology and --network-configuration",
                               NULL);
    }
    network->topology = notation ? text : network->topology;
    arguments->file = notation ? NULL : text;
    if (network->topology == NULL &&
        (network->bandwidth != NULL || network->latency != NULL || network->bandwidth_is != NULL)) {
        return orr_usage_error(
            "topo", "--bandwidth, --latency and --bandwidth-is go with a notation", NULL);
    }
    return arguments->file == NULL && arguments->sets != 0
               ? orr_usage_error("topo", "--set goes with a platform file", NULL)
               : 0;
}

/* Lists the names of all views; returns how many. */
static size_t list_views(const char *names[MAX_VIEWS])
{
    static const char *const own[] = {"show", "draw", "check", "trees", "rings"};
    size_t count = sizeof own / sizeof *own;
    memcpy(names, own, sizeof own);
    for (size_t i = 0; more_views[i] != NULL && count < MAX_VIEWS; i++) {
        names[count++] = more_views[i]->name;
    }
    return count;
}

static int check_view(struct arguments *arguments, const char *view)
{
    const bool draw = strcmp(view, "draw") == 0;
    if (!draw && strcmp(view, "show") != 0) {
        const char *names[MAX_VIEWS];
        if (strcmp(view, "check") == 0) {
            return orr_usage_error("topo",
                                   "check goes with a graph: a file of one, or a NETWORK such "
                                   "as fat-tree with --npus N",
                                   NULL);
        }
        return orr_reject_action("topo", view, names, list_views(names));
    }
    arguments->view = view;
    if (draw && (arguments->json || arguments->rank != NULL)) {
        return orr_usage_error("topo", "--json and --rank go with show", NULL);
    }
    if (draw != (arguments->output != NULL)) {
        return orr_usage_error(
            "topo", draw ? "draw needs a file to write: -o FILE.svg" : "--output goes with draw",
            NULL);
    }
    return 0;
}

static int parse_arguments(struct arguments *arguments, int argc, char **argv)
{
    int status = parse_options(arguments, argc, argv);
    if (status == 0 && optind == argc) {
        const char *names[MAX_VIEWS];
        status = orr_missing_action("topo", names, list_views(names));
    }
    if (status == 0) {
        status = check_view(arguments, argv[optind]);
    }
    if (status == 0 && argc - optind > 2) {
        status = orr_usage_error("topo", "unexpected argument ", argv[optind + 2]);
    }
    return status == 0 ? choose_network(arguments, argv[optind + 1]) : status;
}

/* ---- the network ---- */

/* Rejects a graph, whose dimensions only describe the groups of collectives. */
static enum orr_status reject_graph(const struct net_config *config, struct orr_diag *diag)
{
    return config->graph == NULL
               ? ORR_OK
               : orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                               "orrery topo: expected a network of dimensions, got one with "
                               "network.graph, which must be in the file itself or one that it "
                               "includes, and the file's name end in .yml or .yaml");
}

static enum orr_status read_platform(const struct arguments *arguments, struct orr_topo *topo,
                                     struct orr_diag *diag)
{
    const struct orr_platform_source source = {
        .path = arguments->file, .set = arguments->set, .sets = arguments->sets};
    const enum orr_status status =
        orr_platform_network_read(topo->arena, &source, &topo->config, diag);
    return status == ORR_OK ? reject_graph(&topo->config, diag) : status;
}

static enum orr_status read_network(const struct arguments *arguments, struct orr_topo *topo,
                                    struct orr_diag *diag)
{
    if (arguments->astra != NULL) {
        return orr_net_config_read_astra(topo->arena, arguments->astra, &topo->config, diag);
    }
    if (arguments->file != NULL) {
        return read_platform(arguments, topo, diag);
    }
    const enum orr_status status =
        orr_platform_config(&arguments->network, topo->arena, &topo->config, diag);
    if (status != ORR_OK) {
        (void)fputs("orrery topo: ", stderr);
    }
    return status;
}

static int parse_rank(const char *text, struct orr_topo *topo)
{
    int64_t rank = 0;
    const uint32_t npus = orr_net_npus(&topo->config);
    if (text == NULL) {
        return 0;
    }
    if (!orr_parse_integer(text, &rank) || rank < 0 || rank >= npus) {
        orr_print_message("orrery topo: --rank: expected a rank from 0 to %u, got \"%s\"\n",
                          npus - 1, text);
        return ORR_EXIT_USAGE;
    }
    topo->has_rank = true;
    topo->rank = (uint32_t)rank;
    return 0;
}

static enum orr_status draw_dims(FILE *out, const void *context, const char *format,
                                 struct orr_diag *diag)
{
    return orr_topo_draw(out, context, format, diag);
}

static int draw(const struct orr_topo *topo, const char *path)
{
    const struct orr_drawing drawing = {.draw = draw_dims, .context = topo, .path = path};
    return orr_topo_has_format(path) ? orr_topo_write(&drawing) : ORR_EXIT_USAGE;
}

static int view(const struct arguments *arguments, struct orr_topo *topo)
{
    struct orr_diag diag;
    orr_diag_init(&diag);
    diag.warn = orr_print_warning;
    if (read_network(arguments, topo, &diag) != ORR_OK) {
        return orr_print_diag(&diag);
    }
    const int status = parse_rank(arguments->rank, topo);
    if (status != 0) {
        return status;
    }
    if (strcmp(arguments->view, "draw") == 0) {
        return draw(topo, arguments->output);
    }
    return arguments->json ? orr_topo_show_json(stdout, topo) : orr_topo_show(stdout, topo);
}

static void print_help(void)
{
    (void)fputs(help_usage, stdout);
    for (size_t i = 0; more_views[i] != NULL; i++) {
        (void)fputs(more_views[i]->usage, stdout);
    }
    (void)fputs(help_views, stdout);
    for (size_t i = 0; more_views[i] != NULL; i++) {
        (void)fputs(more_views[i]->summary, stdout);
    }
    (void)fputs(help, stdout);
    (void)fputs(orr_topo_embedding_help, stdout);
    for (size_t i = 0; more_views[i] != NULL; i++) {
        (void)fputc('\n', stdout);
        (void)fputs(more_views[i]->help, stdout);
    }
    (void)fputs("\nExit status: 0 done, 1 internal error, 2 bad usage or input.\n", stdout);
}

static int run_command(int argc, char **argv)
{
    if (orr_topo_is_embedding_command(argc, argv)) {
        return orr_topo_embedding(argc, argv);
    }
    for (size_t i = 0; argc > 1 && more_views[i] != NULL; i++) {
        if (strcmp(argv[1], more_views[i]->name) == 0) {
            return more_views[i]->run(argc, argv);
        }
    }
    if (orr_topo_is_graph_command(argc, argv)) {
        return orr_topo_graph(argc, argv);
    }
    struct arguments arguments = {.sets = 0};
    int status = parse_arguments(&arguments, argc, argv);
    if (status != 0) {
        if (status < 0) {
            print_help();
        }
        return status < 0 ? 0 : status;
    }
    struct orr_topo topo = {.arena = orr_arena_create()};
    if (topo.arena == NULL) {
        orr_print_message("orrery topo: out of memory\n");
        return 1;
    }
    status = view(&arguments, &topo);
    orr_arena_destroy(topo.arena);
    return status;
}

const struct orr_command orr_command_topo = {"topo", "show or draw a network", run_command};
