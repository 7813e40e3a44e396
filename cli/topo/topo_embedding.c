/* orrery topo trees and rings: embedding of edge-disjoint trees or rings in a network. */
#include <errno.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/options.h"
#include "cli/terminal.h"
#include "cli/topo/topo.h"
#include "cli/write_output.h"
#include "core/units.h"
#include "network/graph.h"
#include "orrery/orrery.h"
#include "orrery/topology.h"
#include "report/pictures/pictures.h"
#include "report/table_text.h"

enum {
    OPT_NPUS = 256,
    OPT_BANDWIDTH,
    OPT_LATENCY,
    OPT_SEED,
    OPT_SET,
    OPT_TREES,
    OPT_SHAPE,
    OPT_DETOURS,
    OPT_DETOUR,
    OPT_RANKS,
    OPT_DETOUR_ALWAYS,
    OPT_STRICT,
    OPT_JSON
};
enum { MAX_SETS = 64, MAX_DETOURS = 64 };

static const struct option options[] = {{"npus", required_argument, NULL, OPT_NPUS},
                                        {"bandwidth", required_argument, NULL, OPT_BANDWIDTH},
                                        {"latency", required_argument, NULL, OPT_LATENCY},
                                        {"seed", required_argument, NULL, OPT_SEED},
                                        {"set", required_argument, NULL, OPT_SET},
                                        {"trees", required_argument, NULL, OPT_TREES},
                                        {"shape", required_argument, NULL, OPT_SHAPE},
                                        {"detours", required_argument, NULL, OPT_DETOURS},
                                        {"detour", required_argument, NULL, OPT_DETOUR},
                                        {"ranks", required_argument, NULL, OPT_RANKS},
                                        {"detour-always", no_argument, NULL, OPT_DETOUR_ALWAYS},
                                        {"strict", no_argument, NULL, OPT_STRICT},
                                        {"json", no_argument, NULL, OPT_JSON},
                                        {"output", required_argument, NULL, 'o'},
                                        {"help", no_argument, NULL, 'h'},
                                        {NULL, 0, NULL, 0}};

static const char usage[] =
    "usage: orrery topo trees NETWORK [options]\n"
    "       orrery topo rings NETWORK [options]\n"
    "\n"
    "Embeds edge-disjoint trees or rings in a network, and reports shared links if there is no\n"
    "such embedding.\n"
    "\n"
    "NETWORK is a platform file or the name of one that ships, GRAPH.yml or GRAPH.dot, a notation\n"
    "such as 'Ring(4)_FC(2)', or with --npus a fabric such as dgx1 or torus:8x8.\n"
    "\n";

const char orr_topo_embedding_help[] =
    "Trees (topo trees):\n"
    "  --trees N|PARENTS|jump=P number of trees to search for (that of the platform, or\n"
    "                           2); or the parents of the ranks in each:\n"
    "                           '- 2 4 2 0 6 4 6; 3 - 3 5 7 1 7 5', with - for the root;\n"
    "                           or jump=P: the two of double_binary_tree,jump=P\n"
    "  --shape SHAPE            of trees that are searched for: double-binary; free, any number\n"
    "                           of children; or any (default): free if a double binary tree\n"
    "                           needs detours or has conflicts\n"
    "  --detours on|N|off       between NPUs without a link: over one other NPU (on, default),\n"
    "                           over at most N, or only through switches (off)\n"
    "  --detour FROM-OVER-TO    the detour between two NPUs, such as 2-0-4; may be repeated\n"
    "  --detour-always          detours also where there is a link that other edges need\n"
    "  --strict                 a shared link is an error\n"
    "\n"
    "Trees and rings:\n"
    "  --ranks LIST             the member NPUs, such as 0,1,2,3 (all)\n"
    "  --npus N                 NPUs of a fabric\n"
    "  --bandwidth, --latency   of links without their own\n"
    "  --seed N                 seed of searches beyond 8 NPUs, and of a random graph (1)\n"
    "  --set PATH=VALUE         set a value of the platform file or GRAPH.yml\n"
    "  --json                   as JSON\n"
    "  -o, --output FILE        FILE.svg, .pdf, .png or .dot: a picture; .json; else text\n";

struct arguments {
    struct orrery_topology_input input;
    struct orrery_topology_embedding embedding;
    const char *output;
    bool json;
    const char *set[MAX_SETS], *detour[MAX_DETOURS];
};

bool orr_topo_is_embedding_command(int argc, char **argv)
{
    return argc > 1 && (strcmp(argv[1], "trees") == 0 || strcmp(argv[1], "rings") == 0);
}

/* ---- arguments ---- */

static int parse_integer(const char *option, int64_t max, int64_t *out)
{
    if (!orr_parse_integer(optarg, out) || *out < 1 || *out > max) {
        orr_print_message("orrery topo: --%s: expected a whole number from 1 on, got \"%s\"\n",
                          option, optarg);
        return ORR_EXIT_USAGE;
    }
    return 0;
}

static int parse_number(struct arguments *arguments, int option)
{
    int64_t value = 0;
    const bool npus = option == OPT_NPUS;
    const int status =
        parse_integer(npus ? "npus" : "seed", npus ? NET_MAX_NODES : INT64_MAX, &value);
    if (npus) {
        arguments->input.npus = (uint32_t)value;
    } else {
        arguments->input.seed = (uint64_t)value;
        arguments->embedding.seed = (uint64_t)value;
    }
    return status;
}

static int add(const char **list, size_t *count, size_t max)
{
    if (*count == max) {
        return orr_usage_error("topo", "too many options of a kind", NULL);
    }
    list[(*count)++] = optarg;
    return 0;
}

/* The member of a text option; NULL: not a text option. */
static const char **text_of(struct arguments *arguments, int option)
{
    switch (option) {
    case OPT_BANDWIDTH:
        return &arguments->input.bandwidth;
    case OPT_LATENCY:
        return &arguments->input.latency;
    case OPT_TREES:
        return &arguments->embedding.trees;
    case OPT_SHAPE:
        return &arguments->embedding.shape;
    case OPT_DETOURS:
        return &arguments->embedding.detours;
    case OPT_RANKS:
        return &arguments->embedding.ranks;
    case 'o':
        return &arguments->output;
    default:
        return NULL;
    }
}

static int apply(struct arguments *arguments, int option)
{
    const char **text = text_of(arguments, option);
    if (text != NULL) {
        *text = optarg;
        return 0;
    }
    switch (option) {
    case OPT_NPUS:
    case OPT_SEED:
        return parse_number(arguments, option);
    case OPT_SET:
        return add(arguments->set, &arguments->input.set_count, MAX_SETS);
    case OPT_DETOUR:
        return add(arguments->detour, &arguments->embedding.detour_count, MAX_DETOURS);
    case OPT_DETOUR_ALWAYS:
        arguments->embedding.around = true;
        return 0;
    case OPT_STRICT:
        arguments->embedding.strict = true;
        return 0;
    default:
        arguments->json = true;
        return 0;
    }
}

static int check(const struct arguments *arguments)
{
    const struct orrery_topology_embedding *embedding = &arguments->embedding;
    if (embedding->rings &&
        (embedding->trees != NULL || embedding->shape != NULL || embedding->detours != NULL ||
         embedding->detour_count > 0 || embedding->around || embedding->strict)) {
        return orr_usage_error(
            "topo",
            "--trees, --shape, --detours, --detour, --detour-always and --strict go "
            "with trees",
            NULL);
    }
    return 0;
}

/* 0 to go on, < 0 for help. */
static int parse(struct arguments *arguments, int argc, char **argv)
{
    opterr = 0;
    optind = 0;
    for (int option; (option = getopt_long(argc, argv, ":ho:", options, NULL)) != -1;) {
        if (option == 'h') {
            return -1;
        }
        const int status = option == '?' || option == ':'
                               ? orr_reject_option("topo", options, option, argv[optind - 1])
                               : apply(arguments, option);
        if (status != 0) {
            return status;
        }
    }
    if (argc - optind != 2) {
        return orr_usage_error("topo", "expected a network", NULL);
    }
    arguments->embedding.rings = strcmp(argv[optind], "rings") == 0;
    arguments->input.network = argv[optind + 1];
    return check(arguments);
}

/* ---- the output ---- */

static const char *format_of(const struct arguments *arguments)
{
    const char *name = arguments->output;
    const char *picture = name != NULL ? orr_picture_format(name) : NULL;
    const size_t length = name != NULL ? strlen(name) : 0;
    const bool json = length > 5 && strcmp(name + length - 5, ".json") == 0;
    return picture != NULL ? picture : json || arguments->json ? "json" : "text";
}

/* Copies a temporary file. */
static int copy(FILE *out, const void *context)
{
    FILE *from = *(FILE *const *)context;
    char bytes[4096];
    rewind(from);
    for (size_t count; (count = fread(bytes, 1, sizeof bytes, from)) > 0;) {
        if (fwrite(bytes, 1, count, out) != count) {
            return 1;
        }
    }
    return ferror(from) ? 1 : 0;
}

static int embed(const struct arguments *arguments, struct orrery_topology *topology, FILE *made)
{
    bool standard = false;
    const struct orr_output output = {.path = arguments->output, .write = copy};
    enum orrery_status status = orrery_topology_read(topology, &arguments->input);
    if (status == ORRERY_OK) {
        status = orrery_topology_embed(topology, &arguments->embedding, made, format_of(arguments));
    }
    if (status != ORRERY_OK) {
        return orr_print_api_error(status, orrery_topology_error(topology));
    }
    return arguments->output != NULL ? orr_write_output(&output, &made, &standard)
                                     : copy(stdout, &made);
}

static int run(struct arguments *arguments)
{
    struct orrery_topology *topology = orrery_topology_new();
    FILE *made = tmpfile();
    int status = 1;
    if (made == NULL) {
        orr_print_message("orrery topo: cannot create a temporary file: %s\n", strerror(errno));
    } else {
        orrery_topology_on_warning(topology, orr_print_warning, NULL);
        status = embed(arguments, topology, made);
        (void)fclose(made);
    }
    orrery_topology_free(topology);
    return status;
}

int orr_topo_embedding(int argc, char **argv)
{
    struct arguments arguments = {.input = {ORRERY_SIZED(orrery_topology_input)},
                                  .embedding = {ORRERY_SIZED(orrery_topology_embedding)}};
    arguments.input.set = arguments.set;
    arguments.embedding.detour = arguments.detour;
    const int status = parse(&arguments, argc, argv);
    if (status < 0) {
        (void)fputs(usage, stdout);
        (void)fputs(orr_topo_embedding_help, stdout);
        (void)fputs("\nExit status: 0 done, 1 internal error, 2 bad usage or input.\n", stdout);
        return 0;
    }
    return status == 0 ? run(&arguments) : status;
}
