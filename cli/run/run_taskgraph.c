/* orrery run --taskgraph: a task graph over flows. */
#include "cli/run/run_taskgraph.h"

#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/job_options.h"
#include "cli/named_input.h"
#include "cli/options.h"
#include "cli/run/run_outputs.h"
#include "cli/terminal.h"
#include "core/arena.h"
#include "core/units.h"
#include "orrery/orrery.h"
#include "report/run_report.h"
#include "report/taskgraph/taskgraph_report.h"
#include "sim/cluster/taskgraph_job.h"
#include "sim/load/find_input.h"

struct arguments {
    const char *file, *fabric, *bandwidth, *latency, *flow_model, *flow_setup, *forwarding,
        *forwarding_limit, *all_reduce, *routing, *rings; /* as given; NULL: not */
    int64_t seed;                                         /* -1: not given */
    const char *platform;                                 /* platform whose network is used */
    const char *fabric_file;                              /* its path */
    char found[ORR_INPUT_PATH_BYTES]; /* storage of the path of one that ships */
    char library[ORR_INPUT_PATH_BYTES];
    sim_time setup_ps, forwarding_ps; /* of flows */
    double forwarding_limit_bytes_per_s;
    struct orr_texts set;
    bool fold, explain_fold;
    struct orr_run_outputs outputs;
};

static const struct orr_option rows[] = {
    ORR_HEAD("Task graphs of FlexFlow, over flows (docs/how-to/task-graphs.md):"),
    {"taskgraph", "FILE", ORR_INPUT, "run this graph instead of a platform and a workload",
     ORR_TEXT(struct arguments, file)},
    {NULL,
     "PLATFORM.yml",
     ORR_PLATFORM | ORR_POSITIONAL | ORR_OPTIONAL | ORR_HIDDEN,
     NULL,
     {.kind = ORR_STORE_NONE}},
    {"fabric", "NETWORK", ORR_VALUE,
     "the network between its servers: graph (the one in the file, default), ideal-switch, "
     "full-mesh, fat-tree, circulant:1,5, ...: docs/how-to/networks.md; or FILE.yml",
     ORR_TEXT(struct arguments, fabric)},
    {"link-bandwidth", "BW", ORR_VALUE, "of each link, one way (default: that of the graph)",
     ORR_TEXT(struct arguments, bandwidth)},
    {"link-latency", "TIME", ORR_VALUE, "of each link (default 1 us)",
     ORR_TEXT(struct arguments, latency)},
    {"flow-model", "maxmin|windows", ORR_CHOICE,
     "max-min fair shares, or weighted by DCTCP windows (default: windows)",
     ORR_TEXT(struct arguments, flow_model)},
    {"flow-setup", "TIME", ORR_VALUE, "setup time of a flow at its sender (default 0)",
     ORR_TEXT(struct arguments, flow_setup)},
    {"forwarding", "TIME", ORR_VALUE, "time that each forwarding server adds (default 0)",
     ORR_TEXT(struct arguments, forwarding)},
    {"forwarding-limit", "BW", ORR_VALUE,
     "total rate at which a server forwards (default: what its links carry)",
     ORR_TEXT(struct arguments, forwarding_limit)},
    {"all-reduce", "NAME", ORR_VALUE,
     "all-reduce algorithm: ring (default), ring_stream, bidirectional_ring_stream, "
     "pipelined_ring, parameter_server, hierarchical:GROUP, tree:CHUNKS, ...: "
     "docs/how-to/task-graphs.md",
     ORR_TEXT(struct arguments, all_reduce)},
    {"routing", "NAME", ORR_VALUE,
     "shortest, ecmp, k-shortest:PATHS, dimension-order, table (default: that of the fabric)",
     ORR_TEXT(struct arguments, routing)},
    {"rings", "NAME", ORR_VALUE,
     "auto: on links of the graph (auto:R: R of them), own: one in the order of servers, "
     "totient:R: R by TotientPerms (default auto)",
     ORR_TEXT(struct arguments, rings)},
    {"seed", "N", ORR_VALUE, "seed of the choice among equal paths (default 1)",
     ORR_NUMBER(struct arguments, seed, 0, INT64_MAX)},
    ORR_ROW_SET(struct arguments, set, ""),
    {"platform", "PLATFORM.yml", ORR_PLATFORM, "platform whose network is used",
     ORR_TEXT(struct arguments, platform)},
    {"fold", "off|auto", ORR_CHOICE, "as of any run", ORR_WORD(struct arguments, fold)},
    {"explain-fold", NULL, ORR_FLAG, "as of any run", ORR_TRUE(struct arguments, explain_fold)},
    ORR_ROWS(orr_run_output_rows, struct arguments, outputs, 0),
    ORR_ROWS_END};

const struct orr_command orr_run_taskgraph_mode = {.name = "run",
                                                   .forms = ORR_TASKGRAPH_FORM,
                                                   .rows = rows,
                                                   .extra =
                                                       "--taskgraph goes without a workload, got ",
                                                   .with = "goes with --taskgraph FILE",
                                                   .without = "does not go with --taskgraph"};

static int parse(const struct orr_call *call, struct arguments *arguments, int argc, char **argv)
{
    const int status = orr_parse_options(call, &argc, argv, arguments);
    if (status != 0) {
        return status;
    }
    if (1 < argc && arguments->platform != NULL) {
        return orr_usage_error("run", "expected one platform, got also ", argv[1]);
    }
    arguments->platform = 1 < argc ? argv[1] : arguments->platform;
    if (arguments->platform != NULL && arguments->fabric != NULL) {
        return orr_usage_error("run", "expected one of --fabric and a platform, got also ",
                               arguments->platform);
    }
    return 0;
}

/* ---- running ---- */

/* Reads the options of the network and of all-reduces. */
static int read_values(struct arguments *arguments, struct orr_taskgraph_values *values)
{
    const char *bandwidth = arguments->bandwidth, *latency = arguments->latency;
    *values = (struct orr_taskgraph_values){
        .file = arguments->file,
        .fabric = arguments->fabric,
        .routing = arguments->routing,
        .all_reduce = arguments->all_reduce,
        .kind = {.latency_ps = ORR_PS_PER_US},
        .kind_requested = bandwidth != NULL || latency != NULL,
        .has_seed = arguments->seed >= 0,
        .seed = arguments->seed >= 0 ? (uint64_t)arguments->seed : 1,
        .set = arguments->set.text,
        .sets = arguments->set.count,
        .bandwidth_key = "--link-bandwidth, such as --link-bandwidth 100Gb/s,",
        .routing_key = "orrery run: --routing",
        .rings = arguments->rings,
        .rings_key = "orrery run: --rings"};
    if (bandwidth != NULL && !orr_parse_bandwidth(bandwidth, &values->kind.bytes_per_s)) {
        return orr_reject_quantity("run", "link-bandwidth", ORR_QUANTITY_BANDWIDTH, bandwidth);
    }
    if (latency != NULL && !orr_parse_time(latency, &values->kind.latency_ps)) {
        return orr_reject_quantity("run", "link-latency", ORR_QUANTITY_TIME, latency);
    }
    int status = 0;
    if (arguments->platform != NULL) {
        values->fabric =
            orr_input_file("platforms", arguments->platform, arguments->found, &status);
    }
    return status;
}

/* Reads the options of flows. */
static int read_flows(struct arguments *arguments, struct orr_taskgraph_values *values)
{
    const char *model = arguments->flow_model;
    const bool windows = model != NULL && strcmp(model, "windows") == 0;
    if (model != NULL && !windows && strcmp(model, "maxmin") != 0) {
        return orr_reject_value("run", "flow-model", "maxmin or windows", model, "");
    }
    if (model != NULL) {
        values->shares = windows ? ORR_SHARES_WINDOWS : ORR_SHARES_MAXMIN;
    }
    const char *setup = arguments->flow_setup;
    const char *forwarding = arguments->forwarding;
    if (setup != NULL && !orr_parse_time(setup, &arguments->setup_ps)) {
        return orr_reject_quantity("run", "flow-setup", ORR_QUANTITY_TIME, setup);
    }
    if (forwarding != NULL && !orr_parse_time(forwarding, &arguments->forwarding_ps)) {
        return orr_reject_quantity("run", "forwarding", ORR_QUANTITY_TIME, forwarding);
    }
    const char *limit = arguments->forwarding_limit;
    if (limit != NULL && !orr_parse_bandwidth(limit, &arguments->forwarding_limit_bytes_per_s)) {
        return orr_reject_quantity("run", "forwarding-limit", ORR_QUANTITY_BANDWIDTH, limit);
    }
    values->forwarding_limit_bytes_per_s =
        limit != NULL ? &arguments->forwarding_limit_bytes_per_s : NULL;
    values->setup_ps = setup != NULL ? &arguments->setup_ps : NULL;
    values->forwarding_ps = forwarding != NULL ? &arguments->forwarding_ps : NULL;
    return 0;
}

static int report(const struct arguments *arguments, const struct orr_taskgraph_job *job,
                  struct orrery *handle)
{
    const struct orr_taskgraph_report results = {.job = job, .run = handle};
    const struct orr_run_writers writers = {
        .json = orr_taskgraph_json, .context = &results, .use = orr_taskgraph_use(&results)};
    bool quiet = false;
    const int status = orr_run_outputs_write(&arguments->outputs, handle, &writers, &quiet);
    if (status != 0) {
        return status;
    }
    if (!quiet) {
        orr_taskgraph_table(stdout, &results);
    }
    return fflush(stdout) == 0 ? 0 : 1;
}

/* Runs the loaded job. */
static int run_loaded(struct arguments *arguments, struct orr_taskgraph_job *job,
                      struct orrery *handle)
{
    const struct orrery_inputs platform = {
        .platform = arguments->platform != NULL ? arguments->fabric_file : NULL,
        .set = arguments->set.text,
        .set_count = arguments->set.count,
        .library = arguments->library};
    struct orr_diag diag;
    orr_diag_init(&diag);
    orr_inputs_library(arguments->library);
    orrery_on_warning(handle, orr_print_warning, NULL);
    orrery_record(handle, orr_run_outputs_record(&arguments->outputs));
    orrery_fold(handle, arguments->fold);
    enum orrery_status status = orr_taskgraph_prepare(job, &platform, handle);
    if (status == ORRERY_OK && arguments->explain_fold) {
        orr_report_fold(stdout, handle);
        return fflush(stdout) == 0 ? 0 : 1;
    }
    if (status == ORRERY_OK) {
        status = orr_run_with_progress(handle, arguments->outputs.progress);
    }
    if (status == ORRERY_OK) {
        status = (enum orrery_status)orr_prepare_report(handle, &diag);
    }
    if (status != ORRERY_OK) {
        orr_print_message("%s\n", orrery_error(handle));
        return orr_exit_status(status);
    }
    return report(arguments, job, handle);
}

static int run(struct arguments *arguments, struct orr_arena *arena, struct orrery *handle)
{
    struct orr_taskgraph_values values;
    struct orr_taskgraph_job *job = orr_arena_alloc(arena, sizeof *job);
    struct orr_diag diag;
    orr_diag_init(&diag);
    diag.warn = orr_print_warning;
    int result = read_values(arguments, &values);
    if (result == 0) {
        result = read_flows(arguments, &values);
    }
    if (result != 0) {
        return result;
    }
    arguments->fabric_file = values.fabric;
    if (job == NULL || orr_taskgraph_load(job, &values, arena, &diag) != ORR_OK) {
        return job == NULL ? 1 : orr_print_diag(&diag);
    }
    result = orr_run_outputs_check_npus(&arguments->outputs, job->graph.source.graph.npus);
    return result == 0 ? run_loaded(arguments, job, handle) : result;
}

int orr_run_taskgraph(const struct orr_command *root, int argc, char **argv)
{
    struct arguments arguments = {.seed = -1, .fold = true};
    (void)orr_command_line("orrery", argc, argv, arguments.outputs.command);
    int status = parse(&(struct orr_call){&orr_run_taskgraph_mode, root}, &arguments, argc, argv);
    if (status == 0) {
        status = orr_run_outputs_check(&arguments.outputs);
    }
    if (status != 0) {
        return status;
    }
    struct orr_arena *arena = orr_arena_create();
    struct orrery *handle = orrery_new();
    if (arena == NULL || handle == NULL) {
        orr_print_message("orrery run: out of memory\n");
        status = 1;
    } else {
        status = run(&arguments, arena, handle);
    }
    orrery_free(handle);
    orr_arena_destroy(arena);
    return status;
}
