/* orrery topo bound: how fast a collective can be on a network. */
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/options.h"
#include "cli/terminal.h"
#include "cli/topo/topo.h"
#include "cli/write_output.h"
#include "core/units.h"
#include "network/graph.h"
#include "orrery/orrery.h"
#include "orrery/topology.h"

struct arguments {
    struct orrery_topology_input input;
    struct orrery_topology_bound bound;
    const char *json;
    struct orr_texts set;
};

/* A size; a number alone is in bytes. */
static int set_bytes(void *context, const char *text)
{
    struct arguments *arguments = context;
    int64_t number = 0;
    if (orr_parse_integer(text, &number) && number > 0) {
        arguments->bound.bytes = (uint64_t)number;
        return 0;
    }
    return orr_parse_bytes(text, &arguments->bound.bytes)
               ? 0
               : orr_reject_quantity("topo", "bytes", ORR_QUANTITY_BYTES, text);
}

static const struct orr_option bound_rows[] = {
    {NULL, "NETWORK", ORR_PLATFORM | ORR_POSITIONAL,
     "a platform file or the name of one that ships, GRAPH.yml or GRAPH.dot, a notation such as "
     "'Ring(4)_FC(2)', or with --npus a fabric such as dgx1 or torus:8x8",
     ORR_TEXT(struct arguments, input.network)},
    {"collective", "NAME", ORR_VALUE | ORR_NEEDED,
     "all_gather, reduce_scatter, all_reduce, broadcast or all_to_all",
     ORR_TEXT(struct arguments, bound.collective)},
    {"bytes", "BYTES", ORR_VALUE | ORR_NEEDED,
     "as workload.bytes: one NPU's part of an all-gather, the buffer of an all-reduce or "
     "broadcast, an NPU's input of a reduce-scatter, all that an NPU sends of an all-to-all; a "
     "number alone is in bytes",
     ORR_CALL(set_bytes)},
    {"root", "N", ORR_VALUE, "of a broadcast (0)",
     ORR_NUMBER(struct arguments, bound.root, 0, NET_MAX_NODES)},
    {"npus", "N", ORR_VALUE, "NPUs of a fabric",
     ORR_NUMBER(struct arguments, input.npus, 1, NET_MAX_NODES)},
    {"bandwidth", "BW", ORR_VALUE, "of links without their own",
     ORR_TEXT(struct arguments, input.bandwidth)},
    {"latency", "TIME", ORR_VALUE, "likewise; not counted in the bound",
     ORR_TEXT(struct arguments, input.latency)},
    {"seed", "N", ORR_VALUE, "of a random graph (1)",
     ORR_NUMBER(struct arguments, input.seed, 1, NET_MAX_NODES)},
    ORR_ROW_SET(struct arguments, set, " of the platform file or GRAPH.yml"),
    ORR_ROW_JSON(struct arguments, json, "the bound", ORR_DASH),
    ORR_ROWS_END};

static enum orrery_status make(struct orrery_topology *topology, const void *context, FILE *out,
                               const char *format)
{
    return orrery_topology_write_bound(topology, context, out, format);
}

static int write_outputs(const struct arguments *arguments, struct orrery_topology *topology)
{
    const struct orr_topo_making making = {
        .topology = topology, .make = make, .context = &arguments->bound};
    const bool standard = arguments->json != NULL && strcmp(arguments->json, "-") == 0;
    const int status =
        arguments->json != NULL ? orr_topo_make_file(&making, arguments->json, "json") : 0;
    return status == 0 && !standard ? orr_topo_make_file(&making, "-", "text") : status;
}

static int run_action(const struct orr_call *call, int argc, char **argv)
{
    struct arguments arguments = {.input = {ORRERY_SIZED(orrery_topology_input)},
                                  .bound = {ORRERY_SIZED(orrery_topology_bound)}};
    int result = orr_parse_options(call, &argc, argv, &arguments);
    if (result != 0) {
        return result;
    }
    if (arguments.bound.collective == NULL || arguments.bound.bytes == 0) {
        return orr_usage_error("topo", "bound needs ",
                               arguments.bound.collective == NULL ? "--collective NAME"
                                                                  : "--bytes BYTES");
    }
    arguments.input.set = arguments.set.text;
    arguments.input.set_count = arguments.set.count;
    arguments.bound.npus = arguments.input.npus;
    if (access(arguments.input.network, F_OK) == 0) {
        arguments.input.npus = 0; /* --npus is what the file should have */
    }
    struct orrery_topology *topology = orrery_topology_new();
    orrery_topology_on_warning(topology, orr_print_warning, NULL);
    const enum orrery_status status = orrery_topology_read(topology, &arguments.input);
    result = status == ORRERY_OK ? write_outputs(&arguments, topology)
                                 : orr_print_api_error(status, orrery_topology_error(topology));
    orrery_topology_free(topology);
    return result;
}

const struct orr_command orr_topo_bound = {
    .name = "bound",
    .parent = "topo",
    .summary = "how fast a collective can be on a network",
    .about = "Computes how long a collective of all NPUs takes at least on a network, whatever the "
             "algorithm and the routes: the bound of its bottleneck cut, and the optimum. Links "
             "are fluid, NPUs forward, latency does not count.",
    .rows = bound_rows,
    .missing = "expected a network",
    .run = run_action};
