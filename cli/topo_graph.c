/* orrery topo show and check for graphs: by name with --npus, or from a file. */
#include <inttypes.h>
#include <jansson.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/options.h"
#include "cli/topo.h"

enum { OPT_NPUS = 256, OPT_BANDWIDTH, OPT_SEED, OPT_JSON };

static const struct option options[] = {{"npus", required_argument, NULL, OPT_NPUS},
                                        {"bandwidth", required_argument, NULL, OPT_BANDWIDTH},
                                        {"seed", required_argument, NULL, OPT_SEED},
                                        {"json", no_argument, NULL, OPT_JSON},
                                        {NULL, 0, NULL, 0}};

struct arguments {
    const char *network, *bandwidth;
    int64_t npus, seed; /* npus 0: a file */
    bool json;
};

bool orr_wants_graph(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "check") == 0 || strcmp(argv[i], "--npus") == 0 ||
            strncmp(argv[i], "--npus=", strlen("--npus=")) == 0) {
            return true;
        }
    }
    return false;
}

static int take_whole(const char *option, int64_t least, int64_t *out)
{
    int64_t value = 0;
    if (!orr_parse_integer(optarg, &value) || value < least || value > NET_MAX_NODES) {
        orr_say("orrery topo: --%s: expected a whole number from %" PRId64 " to %d, got \"%s\"\n",
                option, least, NET_MAX_NODES, optarg);
        return ORR_EXIT_USAGE;
    }
    *out = value;
    return 0;
}

static int apply(struct arguments *arguments, int option)
{
    switch (option) {
    case OPT_NPUS:
        return take_whole("npus", 1, &arguments->npus);
    case OPT_SEED:
        return take_whole("seed", 0, &arguments->seed);
    case OPT_BANDWIDTH:
        arguments->bandwidth = optarg;
        return 0;
    default:
        arguments->json = true;
        return 0;
    }
}

static int parse(struct arguments *arguments, int argc, char **argv)
{
    opterr = 0;
    optind = 0;
    for (int option; (option = getopt_long(argc, argv, ":", options, NULL)) != -1;) {
        const int status = option == '?' || option == ':'
                               ? orr_option_refused("topo", options, option, argv[optind - 1])
                               : apply(arguments, option);
        if (status != 0) {
            return status;
        }
    }
    if (argc - optind != 2 ||
        (strcmp(argv[optind], "show") != 0 && strcmp(argv[optind], "check") != 0)) {
        return orr_usage_error("topo", "expected show or check, and a graph", NULL);
    }
    arguments->network = argv[optind + 1];
    return 0;
}

static enum orr_status load(const struct arguments *arguments, struct orr_arena *arena,
                            struct net_graph *graph, struct orr_diag *diag)
{
    enum net_routing routing = NET_ROUTE_SHORTEST;
    struct net_link_kind kind = {.bytes_per_s = 1};
    if (arguments->bandwidth != NULL &&
        !orr_parse_bandwidth(arguments->bandwidth, &kind.bytes_per_s)) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                             "orrery topo: --bandwidth: expected a positive bandwidth such as "
                             "\"100 Gb/s\", got \"%s\"",
                             arguments->bandwidth);
    }
    if (arguments->npus != 0) {
        const struct net_fabric fabric = {.text = arguments->network,
                                          .npus = (uint32_t)arguments->npus,
                                          .kind = kind,
                                          .seed = (uint64_t)arguments->seed};
        return net_build_fabric(&fabric, arena, graph, &routing, diag);
    }
    return orr_read_graph(arena, arguments->network, kind, graph, diag);
}

static int print_json(const struct net_graph *graph, const struct net_graph_figures *figures)
{
    json_t *root = json_pack(
        "{s:I, s:I, s:I, s:I, s:I, s:f, s:f, s:I, s:f}", "npus", (json_int_t)graph->npus,
        "switches", (json_int_t)(graph->nodes - graph->npus), "links", (json_int_t)figures->links,
        "least_degree", (json_int_t)figures->least_degree, "most_degree",
        (json_int_t)figures->most_degree, "npu_bandwidth_bytes_per_s", figures->npu_bytes_per_s,
        "network_bandwidth_bytes_per_s", figures->network_bytes_per_s, "diameter_hops",
        (json_int_t)figures->diameter, "mean_hops", figures->hops_mean);
    const int failed =
        root == NULL || json_dumpf(root, stdout, JSON_INDENT(2)) != 0 || fputc('\n', stdout) == EOF;
    json_decref(root);
    return failed ? 1 : 0;
}

static int print(const struct arguments *arguments, const struct net_graph *graph,
                 const struct net_graph_figures *figures)
{
    char text[ORR_FORMAT_BYTES];
    if (arguments->json) {
        return print_json(graph, figures);
    }
    printf("%s: %" PRIu32 " NPUs, %" PRIu32 " switches\n\n", arguments->network, graph->npus,
           graph->nodes - graph->npus);
    printf("%-21s %" PRIu64 ", each way counted\n", "links", figures->links);
    printf("%-21s %" PRIu32 " to %" PRIu32 "\n", "degree of an NPU", figures->least_degree,
           figures->most_degree);
    if (arguments->bandwidth != NULL || arguments->npus == 0) {
        printf("%-21s %s one way, on average\n", "bandwidth of an NPU",
               orr_format_bandwidth(figures->npu_bytes_per_s, text, sizeof text));
    }
    printf("%-21s %" PRIu32 " hops\n", "diameter", figures->diameter);
    printf("%-21s %.3f hops\n", "mean path", figures->hops_mean);
    return fflush(stdout) == 0 ? 0 : 1;
}

int orr_topo_graph(int argc, char **argv)
{
    struct arguments arguments = {.seed = 1};
    struct net_graph graph;
    struct net_graph_figures figures;
    struct orr_diag diag;
    const int usage = parse(&arguments, argc, argv);
    if (usage != 0) {
        return usage;
    }
    orr_diag_init(&diag);
    diag.warn = orr_print_warning;
    struct orr_arena *arena = orr_arena_create();
    if (arena == NULL) {
        orr_say("orrery topo: out of memory\n");
        return 1;
    }
    enum orr_status status = load(&arguments, arena, &graph, &diag);
    if (status == ORR_OK) {
        status = net_graph_figures(&graph, arena, &figures, &diag);
    }
    const int result =
        status == ORR_OK ? print(&arguments, &graph, &figures) : orr_print_diag(&diag);
    orr_arena_destroy(arena);
    return result;
}
