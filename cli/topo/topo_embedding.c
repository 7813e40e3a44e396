/* orrery topo trees and rings: embedding of edge-disjoint trees or rings in a network. */
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

struct arguments {
    struct orrery_topology_input input;
    struct orrery_topology_embedding embedding;
    const char *output, *json;
    struct orr_texts set, detour;
};

static int set_seed(void *context, const char *text)
{
    struct arguments *arguments = context;
    int64_t value = 0;
    if (!orr_parse_integer(text, &value) || value < 1) {
        return orr_reject_value("topo", "seed", "a whole number from 1 on", text, "");
    }
    arguments->input.seed = (uint64_t)value;
    arguments->embedding.seed = (uint64_t)value;
    return 0;
}

#define NETWORK_ROW                                                                                \
    {                                                                                              \
        NULL, "NETWORK", ORR_PLATFORM | ORR_POSITIONAL,                                            \
            "a platform file or the name of one that ships, GRAPH.yml or GRAPH.dot, a notation "   \
            "such as "                                                                             \
            "'Ring(4)_FC(2)', or with --npus a fabric such as dgx1 or torus:8x8",                  \
            ORR_TEXT(struct arguments, input.network)                                              \
    }

static const struct orr_option common_rows[] = {
    {"ranks", "LIST", ORR_VALUE, "the member NPUs, such as 0,1,2,3 (all)",
     ORR_TEXT(struct arguments, embedding.ranks)},
    {"npus", "N", ORR_VALUE, "NPUs of a fabric",
     ORR_NUMBER(struct arguments, input.npus, 1, NET_MAX_NODES)},
    {"bandwidth", "BW", ORR_VALUE, "of links without their own",
     ORR_TEXT(struct arguments, input.bandwidth)},
    {"latency", "TIME", ORR_VALUE, "likewise", ORR_TEXT(struct arguments, input.latency)},
    {"seed", "N", ORR_VALUE, "seed of searches beyond 8 NPUs, and of a random graph (1)",
     ORR_CALL(set_seed)},
    ORR_ROW_SET(struct arguments, set, " of the platform file or GRAPH.yml"),
    ORR_ROW_JSON(struct arguments, json, "the embedding", ORR_DASH),
    {"output", "FILE", ORR_OUTPUT, "FILE.svg, .pdf, .png or .dot: a picture; .json; else text",
     ORR_TEXT(struct arguments, output)},
    ORR_ROWS_END};

static const struct orr_option rings_rows[] = {NETWORK_ROW, ORR_TABLE(common_rows), ORR_ROWS_END};

static const struct orr_option trees_rows[] = {
    NETWORK_ROW,
    {"trees", "N|PARENTS|jump=P", ORR_VALUE,
     "number of trees to search for (that of the platform, or 2); or the parents of the ranks in "
     "each: '- 2 4 2 0 6 4 6; 3 - 3 5 7 1 7 5', with - for the root; or jump=P: the two of "
     "double_binary_tree,jump=P",
     ORR_TEXT(struct arguments, embedding.trees)},
    {"shape", "SHAPE", ORR_VALUE,
     "of trees that are searched for: double-binary; free, any number of children; or any "
     "(default): free if a double binary tree needs detours or has conflicts",
     ORR_TEXT(struct arguments, embedding.shape)},
    {"detours", "on|N|off", ORR_VALUE,
     "between NPUs without a link: over one other NPU (on, default), over at most N, or only "
     "through switches (off)",
     ORR_TEXT(struct arguments, embedding.detours)},
    {"detour", "FROM-OVER-TO", ORR_VALUE | ORR_REPEATED,
     "the detour between two NPUs, such as 2-0-4; may be given several times",
     ORR_LIST(struct arguments, detour)},
    {"detour-always", NULL, ORR_FLAG, "detours also where there is a link that other edges need",
     ORR_TRUE(struct arguments, embedding.around)},
    {"strict", NULL, ORR_FLAG, "a shared link is an error",
     ORR_TRUE(struct arguments, embedding.strict)},
    ORR_TABLE(common_rows),
    ORR_ROWS_END};

/* ---- the output ---- */

static const char *format_of(const struct arguments *arguments)
{
    const char *name = arguments->output;
    const char *picture = name != NULL ? orr_picture_format(name) : NULL;
    const size_t length = name != NULL ? strlen(name) : 0;
    const bool json = length > 5 && strcmp(name + length - 5, ".json") == 0;
    return picture != NULL ? picture : json ? "json" : "text";
}

static enum orrery_status make(struct orrery_topology *topology, const void *context, FILE *out,
                               const char *format)
{
    return orrery_topology_embed(topology, context, out, format);
}

static int embed(const struct arguments *arguments, struct orrery_topology *topology,
                 const char *path, const char *format)
{
    const struct orr_topo_making making = {
        .topology = topology, .make = make, .context = &arguments->embedding};
    return orr_topo_make_file(&making, path, format);
}

/* Writes --json and --output; without them, or with --json FILE alone, text. */
static int write_outputs(const struct arguments *arguments, struct orrery_topology *topology)
{
    const bool standard = arguments->json != NULL && strcmp(arguments->json, "-") == 0;
    int status = 0;
    if (arguments->json != NULL) {
        status = embed(arguments, topology, arguments->json, "json");
    }
    if (arguments->output != NULL && status == 0) {
        return embed(arguments, topology, arguments->output, format_of(arguments));
    }
    return status == 0 && !standard ? embed(arguments, topology, "-", "text") : status;
}

static int run_action(const struct orr_call *call, int argc, char **argv)
{
    struct arguments arguments = {.input = {ORRERY_SIZED(orrery_topology_input)},
                                  .embedding = {ORRERY_SIZED(orrery_topology_embedding)}};
    int result = orr_parse_options(call, &argc, argv, &arguments);
    if (result != 0) {
        return result;
    }
    arguments.input.set = arguments.set.text;
    arguments.input.set_count = arguments.set.count;
    arguments.embedding.detour = arguments.detour.text;
    arguments.embedding.detour_count = arguments.detour.count;
    arguments.embedding.rings = strcmp(call->command->name, "rings") == 0;
    struct orrery_topology *topology = orrery_topology_new();
    orrery_topology_on_warning(topology, orr_print_warning, NULL);
    const enum orrery_status status = orrery_topology_read(topology, &arguments.input);
    result = status == ORRERY_OK ? write_outputs(&arguments, topology)
                                 : orr_print_api_error(status, orrery_topology_error(topology));
    orrery_topology_free(topology);
    return result;
}

const struct orr_command orr_topo_trees = {
    .name = "trees",
    .parent = "topo",
    .summary = "edge-disjoint trees embedded in a network",
    .about =
        "Embeds edge-disjoint trees in a network, and reports shared links if there is no such "
        "embedding.",
    .rows = trees_rows,
    .missing = "expected a network",
    .run = run_action};

const struct orr_command orr_topo_rings = {
    .name = "rings",
    .parent = "topo",
    .summary = "edge-disjoint rings embedded in a network",
    .about =
        "Embeds edge-disjoint rings in a network, and reports shared links if there is no such "
        "embedding.",
    .rows = rings_rows,
    .missing = "expected a network",
    .run = run_action};
