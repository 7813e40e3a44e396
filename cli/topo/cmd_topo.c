/* orrery topo: metrics and pictures of networks. */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/named_input.h"
#include "cli/options.h"
#include "cli/platform_options.h"
#include "cli/terminal.h"
#include "cli/topo/topo.h"
#include "cli/write_output.h"
#include "core/diag.h"
#include "core/strings.h"
#include "core/units.h"
#include "network/coordinates.h"
#include "network/fabric_build.h"
#include "network/graph.h"
#include "network/net_config_read.h"
#include "report/topology/topology_report.h"
#include "sim/load/platform_network.h"

#define ARGUMENTS struct orr_topo_arguments

/* ---- arguments ---- */

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

static int choose_network(struct orr_topo_arguments *arguments)
{
    struct orr_platform_options *network = &arguments->platform;
    const char *text = orr_topo_network(arguments->network, arguments->shipped);
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
    return arguments->file == NULL && arguments->set.count != 0
               ? orr_usage_error("topo", "--set goes with a platform file", NULL)
               : 0;
}

/* Rejects options of graphs, and missing files. */
static int check_view(const ARGUMENTS *arguments)
{
    const char *of_graphs = arguments->hops != NULL     ? "--hops"
                            : arguments->seed >= 0      ? "--seed"
                            : arguments->cost.count > 0 ? "options of cost"
                                                        : NULL;
    if (of_graphs != NULL) {
        return orr_usage_error("topo", "expected a graph in addition to ", of_graphs);
    }
    return strcmp(arguments->view, "draw") == 0 && arguments->output == NULL
               ? orr_usage_error("topo", "draw needs a file to write: -o FILE.svg", NULL)
               : 0;
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

static enum orr_status read_platform(const struct orr_topo_arguments *arguments,
                                     struct orr_topo *topo, struct orr_diag *diag)
{
    const struct orr_platform_source source = {
        .path = arguments->file, .set = arguments->set.text, .sets = arguments->set.count};
    const enum orr_status status =
        orr_platform_network_read(topo->arena, &source, &topo->config, diag);
    return status == ORR_OK ? reject_graph(&topo->config, diag) : status;
}

static enum orr_status read_network(const struct orr_topo_arguments *arguments,
                                    struct orr_topo *topo, struct orr_diag *diag)
{
    if (arguments->astra != NULL) {
        return orr_net_config_read_astra(topo->arena, arguments->astra, &topo->config, diag);
    }
    if (arguments->file != NULL) {
        return read_platform(arguments, topo, diag);
    }
    const enum orr_status status =
        orr_platform_config(&arguments->platform, topo->arena, &topo->config, diag);
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

static int write_json(FILE *out, const void *topo)
{
    return orr_topo_show_json(out, topo);
}

static int write_text(FILE *out, const void *topo)
{
    return orr_topo_show(out, topo);
}

static int view(const struct orr_topo_arguments *arguments, struct orr_topo *topo)
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
    return orr_write_json_or_text(arguments->json, write_json, topo, write_text, topo);
}

static int run_view(const struct orr_call *call, int argc, char **argv)
{
    ARGUMENTS arguments = {.view = call->command->name, .seed = -1};
    struct orr_topo topo = {.has_rank = false};
    int status = orr_parse_options(call, &argc, argv, &arguments);
    status = status == 0 ? orr_cost_options_check(&arguments.cost) : status;
    if (status == 0 && orr_topo_is_graph(&arguments)) {
        return orr_topo_graph(&arguments);
    }
    status = status == 0 ? check_view(&arguments) : status;
    status = status == 0 ? choose_network(&arguments) : status;
    if (status != 0) {
        return status;
    }
    topo.arena = orr_arena_create();
    if (topo.arena == NULL) {
        orr_print_message("orrery topo: out of memory\n");
        return 1;
    }
    status = view(&arguments, &topo);
    orr_arena_destroy(topo.arena);
    return status;
}

/* ---- tables ---- */

#define NETWORK_ROW                                                                                \
    {                                                                                              \
        NULL, "NETWORK", ORR_PLATFORM | ORR_POSITIONAL | ORR_OPTIONAL,                             \
            "a platform file or the name of one that ships, a notation such as 'Ring(4)_FC(2)' "   \
            "(the same "                                                                           \
            "as --topology; --bandwidth is optional), a graph (GRAPH.yml, GRAPH.dot), or with "    \
            "--npus a "                                                                            \
            "fabric: fat-tree, torus:4x4, circulant:1,5/16, ... (--fabric of orrery run)",         \
            ORR_TEXT(ARGUMENTS, network)                                                           \
    }
#define HOPS_ROW                                                                                   \
    {                                                                                              \
        "hops", "FILE|-", ORR_OUTPUT, "CSV: hops between NPUs of a graph",                         \
            ORR_TEXT(ARGUMENTS, hops)                                                              \
    }

static const struct orr_option file_rows[] = {
    ORR_HEAD("Files:"),
    ORR_ROW_SET(ARGUMENTS, set, " of the platform file or GRAPH.yml"),
    {"network-configuration", "FILE", ORR_INPUT,
     "a network file of the ASTRA-sim simulator instead", ORR_TEXT(ARGUMENTS, astra)},
    ORR_ROWS_END};

static const struct orr_option graph_rows[] = {
    ORR_HEAD("Graphs (--bandwidth and --latency are of links without their own):"),
    {"npus", "N", ORR_VALUE, "NPUs of a fabric", ORR_NUMBER(ARGUMENTS, npus, 1, NET_MAX_NODES)},
    {"seed", "N", ORR_VALUE, "of a random graph (1)",
     ORR_NUMBER(ARGUMENTS, seed, 0, NET_MAX_NODES)},
    ORR_ROWS(orr_cost_rows, ARGUMENTS, cost, 0),
    ORR_ROWS_END};

static const struct orr_option show_rows[] = {
    NETWORK_ROW,
    ORR_ROWS(orr_platform_rows, ARGUMENTS, platform, 0),
    ORR_TABLE(graph_rows),
    ORR_TABLE(file_rows),
    ORR_HEAD("Output:"),
    {"rank", "N", ORR_VALUE, "also coordinates and neighbors of an NPU", ORR_TEXT(ARGUMENTS, rank)},
    HOPS_ROW,
    ORR_ROW_JSON(ARGUMENTS, json, "the metrics", ORR_DASH),
    ORR_ROWS_END};

static const struct orr_option check_rows[] = {
    NETWORK_ROW,
    ORR_TABLE(graph_rows),
    {"bandwidth", "BW", ORR_VALUE, "of links without their own",
     ORR_TEXT(ARGUMENTS, platform.bandwidth)},
    {"latency", "TIME", ORR_VALUE, "likewise", ORR_TEXT(ARGUMENTS, platform.latency)},
    ORR_HEAD("Files:"),
    ORR_ROW_SET(ARGUMENTS, set, " of GRAPH.yml"),
    ORR_HEAD("Output:"),
    HOPS_ROW,
    ORR_ROW_JSON(ARGUMENTS, json, "the metrics", ORR_DASH),
    ORR_ROWS_END};

static const struct orr_option draw_rows[] = {
    NETWORK_ROW,
    {"output", "FILE", ORR_OUTPUT | ORR_NEEDED,
     "FILE.svg, .pdf, .png or .dot; the .dot of a graph can be read again",
     ORR_TEXT(ARGUMENTS, output)},
    ORR_ROWS(orr_platform_rows, ARGUMENTS, platform, 0),
    ORR_TABLE(graph_rows),
    ORR_TABLE(file_rows),
    ORR_ROWS_END};

/* Views of wings. */
#define ORR_TOPO_VIEW(view) extern const struct orr_command view;
#include "cli/topo/topo_view_list.h"
#undef ORR_TOPO_VIEW

#define ACTION(title, table, text)                                                                 \
    &(const struct orr_command)                                                                    \
    {                                                                                              \
        .name = (title), .parent = "topo", .summary = (text), .rows = (table), .run = run_view     \
    }

const struct orr_command orr_command_topo = {
    .name = "topo",
    .summary = "show or draw a network",
    .actions = (const struct orr_command *const[]){
        ACTION("show", show_rows,
               "dimensions, links, bandwidths, hops, the bisection and cost of a network"),
        ACTION("draw", draw_rows,
               "a picture: all NPUs and links, or of large networks each dimension's block"),
        ACTION("check", check_rows, "whether a graph is connected, and its metrics"),
        &orr_topo_trees, &orr_topo_rings, &orr_topo_bound,
#define ORR_TOPO_VIEW(view) &view,
#include "cli/topo/topo_view_list.h"
#undef ORR_TOPO_VIEW
        NULL}};
