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

enum option_id {
    OPT_TASKGRAPH = 256,
    OPT_FABRIC,
    OPT_LINK_BANDWIDTH,
    OPT_LINK_LATENCY,
    OPT_FLOW_MODEL,
    OPT_FLOW_SETUP,
    OPT_FORWARDING,
    OPT_FORWARDING_LIMIT,
    OPT_ALL_REDUCE,
    OPT_ROUTING,
    OPT_RINGS,
    OPT_SEED,
    OPT_SET,
    OPT_PLATFORM,
    OPT_FOLD,
    OPT_EXPLAIN_FOLD
};

const struct option orr_run_taskgraph_options[] = {
    {"taskgraph", required_argument, NULL, OPT_TASKGRAPH},
    {"fabric", required_argument, NULL, OPT_FABRIC},
    {"link-bandwidth", required_argument, NULL, OPT_LINK_BANDWIDTH},
    {"link-latency", required_argument, NULL, OPT_LINK_LATENCY},
    {"flow-model", required_argument, NULL, OPT_FLOW_MODEL},
    {"flow-setup", required_argument, NULL, OPT_FLOW_SETUP},
    {"forwarding", required_argument, NULL, OPT_FORWARDING},
    {"forwarding-limit", required_argument, NULL, OPT_FORWARDING_LIMIT},
    {"all-reduce", required_argument, NULL, OPT_ALL_REDUCE},
    {"routing", required_argument, NULL, OPT_ROUTING},
    {"rings", required_argument, NULL, OPT_RINGS},
    {"seed", required_argument, NULL, OPT_SEED},
    {"set", required_argument, NULL, OPT_SET},
    {"platform", required_argument, NULL, OPT_PLATFORM},
    {"fold", required_argument, NULL, OPT_FOLD},
    {"explain-fold", no_argument, NULL, OPT_EXPLAIN_FOLD},
    ORR_RUN_OUTPUT_OPTIONS,
    {NULL, 0, NULL, 0}};

enum { OPTIONS = OPT_SEED - OPT_TASKGRAPH + 1, MAX_SETS = 256 };

struct arguments {
    const char *value[OPTIONS];       /* by option */
    const char *platform;             /* platform whose network is used */
    const char *fabric_file;          /* its path */
    char found[ORR_INPUT_PATH_BYTES]; /* storage of the path of one that ships */
    char library[ORR_INPUT_PATH_BYTES];
    sim_time setup_ps, forwarding_ps; /* of flows */
    double forwarding_limit_bytes_per_s;
    const char *set[MAX_SETS];
    size_t sets;
    bool fold, explain_fold;
    struct orr_run_outputs outputs;
};

static const char *value_of(const struct arguments *arguments, enum option_id option)
{
    return arguments->value[option - OPT_TASKGRAPH];
}

static int apply_option(struct arguments *arguments, int option, const char *value)
{
    if (option >= ORR_OPT_JSON) {
        return orr_run_output_apply(&arguments->outputs, option, value);
    }
    if (option == OPT_FOLD) {
        static const char *const folds[2] = {"off", "auto"};
        return orr_parse_word("run", "fold", value, folds, &arguments->fold);
    }
    if (option == OPT_PLATFORM) {
        arguments->platform = value;
        return 0;
    }
    if (option == OPT_EXPLAIN_FOLD) {
        arguments->explain_fold = true;
        return 0;
    }
    if (option != OPT_SET) {
        arguments->value[option - OPT_TASKGRAPH] = value;
        return 0;
    }
    if (arguments->sets == MAX_SETS) {
        return orr_usage_error("run", "too many --set options", NULL);
    }
    arguments->set[arguments->sets++] = value;
    return 0;
}

static int parse(struct arguments *arguments, int argc, char **argv)
{
    int option = 0;
    opterr = 0;
    optind = 0;
    while ((option = getopt_long(argc, argv, ":", orr_run_taskgraph_options, NULL)) != -1) {
        if (option == '?' || option == ':') {
            return orr_reject_option("run", orr_run_taskgraph_options, option, argv[optind - 1]);
        }
        const int status = apply_option(arguments, option, optarg);
        if (status != 0) {
            return status;
        }
    }
    if (optind < argc && arguments->platform != NULL) {
        return orr_usage_error("run", "expected one platform, got also ", argv[optind]);
    }
    arguments->platform = optind < argc ? argv[optind] : arguments->platform;
    if (arguments->platform != NULL && value_of(arguments, OPT_FABRIC) != NULL) {
        return orr_usage_error("run", "expected one of --fabric and a platform, got also ",
                               arguments->platform);
    }
    return optind + 1 < argc ? orr_usage_error("run", "--taskgraph goes without a workload, got ",
                                               argv[optind + 1])
                             : 0;
}

static int reject(const char *option, const char *expected, const char *value)
{
    orr_print_message("orrery run: --%s: expected %s, got \"%s\"\n", option, expected, value);
    return ORR_EXIT_USAGE;
}

/* ---- running ---- */

/* Reads the options of the network and of all-reduces. */
static int read_values(struct arguments *arguments, struct orr_taskgraph_values *values)
{
    const char *bandwidth = value_of(arguments, OPT_LINK_BANDWIDTH);
    const char *latency = value_of(arguments, OPT_LINK_LATENCY);
    const char *seed = value_of(arguments, OPT_SEED);
    int64_t number = 1;
    *values = (struct orr_taskgraph_values){
        .file = value_of(arguments, OPT_TASKGRAPH),
        .fabric = value_of(arguments, OPT_FABRIC),
        .routing = value_of(arguments, OPT_ROUTING),
        .all_reduce = value_of(arguments, OPT_ALL_REDUCE),
        .kind = {.latency_ps = ORR_PS_PER_US},
        .kind_requested = bandwidth != NULL || latency != NULL,
        .has_seed = seed != NULL,
        .set = arguments->set,
        .sets = arguments->sets,
        .bandwidth_key = "--link-bandwidth, such as --link-bandwidth 100Gb/s,",
        .routing_key = "orrery run: --routing",
        .rings = value_of(arguments, OPT_RINGS),
        .rings_key = "orrery run: --rings"};
    if (bandwidth != NULL && !orr_parse_bandwidth(bandwidth, &values->kind.bytes_per_s)) {
        return orr_reject_quantity("run", "link-bandwidth", ORR_QUANTITY_BANDWIDTH, bandwidth);
    }
    if (latency != NULL && !orr_parse_time(latency, &values->kind.latency_ps)) {
        return orr_reject_quantity("run", "link-latency", ORR_QUANTITY_TIME, latency);
    }
    if (seed != NULL && (!orr_parse_integer(seed, &number) || number < 0)) {
        return reject("seed", "a whole number from 0 on", seed);
    }
    values->seed = (uint64_t)number;
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
    const char *model = value_of(arguments, OPT_FLOW_MODEL);
    const bool windows = model != NULL && strcmp(model, "windows") == 0;
    if (model != NULL && !windows && strcmp(model, "maxmin") != 0) {
        return reject("flow-model", "maxmin or windows", model);
    }
    if (model != NULL) {
        values->shares = windows ? ORR_SHARES_WINDOWS : ORR_SHARES_MAXMIN;
    }
    const char *setup = value_of(arguments, OPT_FLOW_SETUP);
    const char *forwarding = value_of(arguments, OPT_FORWARDING);
    if (setup != NULL && !orr_parse_time(setup, &arguments->setup_ps)) {
        return orr_reject_quantity("run", "flow-setup", ORR_QUANTITY_TIME, setup);
    }
    if (forwarding != NULL && !orr_parse_time(forwarding, &arguments->forwarding_ps)) {
        return orr_reject_quantity("run", "forwarding", ORR_QUANTITY_TIME, forwarding);
    }
    const char *limit = value_of(arguments, OPT_FORWARDING_LIMIT);
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
        .set = arguments->set,
        .set_count = arguments->sets,
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

int orr_run_taskgraph(int argc, char **argv)
{
    struct arguments arguments = {.platform = NULL, .fold = true};
    (void)orr_command_line("orrery", argc, argv, arguments.outputs.command);
    int status = parse(&arguments, argc, argv);
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
