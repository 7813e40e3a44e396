/* orrery run --taskgraph: its options. */
#include "cli/run/run_taskgraph.h"

#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/named_input.h"
#include "cli/options.h"
#include "cli/write_output.h"
#include "report/report.h"
#include "sim/sim.h"

enum option_id {
    OPT_TASKGRAPH = 256,
    OPT_FABRIC,
    OPT_LINK_BANDWIDTH,
    OPT_LINK_LATENCY,
    OPT_FLOW_MODEL,
    OPT_FLOW_SETUP,
    OPT_FORWARDING,
    OPT_ALL_REDUCE,
    OPT_ROUTING,
    OPT_SEED,
    OPT_JSON,
    OPT_LINK_STATS,
    OPT_TRAFFIC_MATRIX
};

static const struct option options[] = {
    {"taskgraph", required_argument, NULL, OPT_TASKGRAPH},
    {"fabric", required_argument, NULL, OPT_FABRIC},
    {"link-bandwidth", required_argument, NULL, OPT_LINK_BANDWIDTH},
    {"link-latency", required_argument, NULL, OPT_LINK_LATENCY},
    {"flow-model", required_argument, NULL, OPT_FLOW_MODEL},
    {"flow-setup", required_argument, NULL, OPT_FLOW_SETUP},
    {"forwarding", required_argument, NULL, OPT_FORWARDING},
    {"all-reduce", required_argument, NULL, OPT_ALL_REDUCE},
    {"routing", required_argument, NULL, OPT_ROUTING},
    {"seed", required_argument, NULL, OPT_SEED},
    {"json", required_argument, NULL, OPT_JSON},
    {"link-stats", required_argument, NULL, OPT_LINK_STATS},
    {"traffic-matrix", required_argument, NULL, OPT_TRAFFIC_MATRIX},
    {NULL, 0, NULL, 0}};

enum { OPTIONS = sizeof options / sizeof *options - 1 };

struct arguments {
    const char *value[OPTIONS];       /* by option */
    const char *platform;             /* whose network is used */
    char found[ORR_INPUT_PATH_BYTES]; /* its path, where it ships */
    sim_time setup_ps, forwarding_ps; /* of flows */
};

static const char *value_of(const struct arguments *arguments, enum option_id option)
{
    return arguments->value[option - OPT_TASKGRAPH];
}

static int parse(struct arguments *arguments, int argc, char **argv)
{
    int option = 0;
    opterr = 0;
    optind = 0;
    while ((option = getopt_long(argc, argv, ":", options, NULL)) != -1) {
        if (option == '?' || option == ':') {
            return orr_option_refused("run", options, option, argv[optind - 1]);
        }
        arguments->value[option - OPT_TASKGRAPH] = optarg;
    }
    if (optind == argc) {
        return 0;
    }
    if (value_of(arguments, OPT_FABRIC) != NULL) {
        return orr_usage_error("run", "expected one of --fabric and a platform, got also ",
                               argv[optind]);
    }
    arguments->platform = argv[optind];
    return optind + 1 < argc ? orr_usage_error("run", "--taskgraph goes without a workload, got ",
                                               argv[optind + 1])
                             : 0;
}

static int refuse(const char *option, const char *expected, const char *value)
{
    orr_say("orrery run: --%s: expected %s, got \"%s\"\n", option, expected, value);
    return ORR_EXIT_USAGE;
}

/* ---- running ---- */

/* The network, and what is asked of all-reduces. */
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
        .has_seed = seed != NULL,
        .bandwidth_key = "--link-bandwidth, such as --link-bandwidth 100Gb/s,",
        .routing_key = "orrery run: --routing"};
    if (bandwidth != NULL && !orr_parse_bandwidth(bandwidth, &values->kind.bytes_per_s)) {
        return refuse("link-bandwidth", "a positive bandwidth such as \"100 Gb/s\"", bandwidth);
    }
    if (latency != NULL && !orr_parse_time(latency, &values->kind.latency_ps)) {
        return refuse("link-latency", "a time such as \"1 us\"", latency);
    }
    if (seed != NULL && (!orr_parse_integer(seed, &number) || number < 0)) {
        return refuse("seed", "a whole number from 0 on", seed);
    }
    values->seed = (uint64_t)number;
    int status = 0;
    if (arguments->platform != NULL) {
        values->fabric =
            orr_input_file("platforms", arguments->platform, arguments->found, &status);
    }
    return status;
}

/* How flows are. */
static int read_flows(struct arguments *arguments, struct orr_taskgraph_values *values)
{
    const char *model = value_of(arguments, OPT_FLOW_MODEL);
    const bool windows = model != NULL && strcmp(model, "windows") == 0;
    if (model != NULL && !windows && strcmp(model, "maxmin") != 0) {
        return refuse("flow-model", "maxmin or windows", model);
    }
    if (model != NULL) {
        values->shares = windows ? ORR_SHARES_WINDOWS : ORR_SHARES_MAXMIN;
    }
    const char *setup = value_of(arguments, OPT_FLOW_SETUP);
    const char *forwarding = value_of(arguments, OPT_FORWARDING);
    if (setup != NULL && !orr_parse_time(setup, &arguments->setup_ps)) {
        return refuse("flow-setup", "a time such as \"10 us\"", setup);
    }
    if (forwarding != NULL && !orr_parse_time(forwarding, &arguments->forwarding_ps)) {
        return refuse("forwarding", "a time such as \"1 us\"", forwarding);
    }
    values->setup_ps = setup != NULL ? &arguments->setup_ps : NULL;
    values->forwarding_ps = forwarding != NULL ? &arguments->forwarding_ps : NULL;
    return 0;
}

static int report(const struct arguments *arguments, const struct orr_taskgraph_job *job)
{
    const struct orr_network_use use = orr_taskgraph_use(job);
    const struct orr_output outputs[] = {
        {value_of(arguments, OPT_JSON), orr_taskgraph_json},
        {value_of(arguments, OPT_LINK_STATS), orr_link_stats_write},
        orr_traffic_output(value_of(arguments, OPT_TRAFFIC_MATRIX))};
    bool quiet = false;
    int status = 0;
    for (size_t i = 0; i < sizeof outputs / sizeof *outputs && status == 0; i++) {
        status = orr_write_output(&outputs[i], i == 0 ? (const void *)job : &use, &quiet);
    }
    if (status != 0) {
        return status;
    }
    if (!quiet) {
        orr_taskgraph_table(stdout, job);
    }
    return fflush(stdout) == 0 ? 0 : 1;
}

static int run(struct arguments *arguments, struct orr_taskgraph_job *job, struct orr_arena *arena)
{
    struct orr_taskgraph_values values;
    struct orr_diag diag;
    orr_diag_init(&diag);
    diag.warn = orr_print_warning;
    int result = read_values(arguments, &values);
    if (result != 0) {
        return result;
    }
    if (orr_taskgraph_load(job, &values, arena, &diag) != ORR_OK) {
        return orr_print_diag(&diag);
    }
    result = read_flows(arguments, &values);
    if (result != 0) {
        return result;
    }
    const char *matrix = value_of(arguments, OPT_TRAFFIC_MATRIX);
    if (orr_traffic_check(matrix, job->job.taskgraph.servers, &diag) != ORR_OK) {
        return orr_print_option_diag("run", "traffic-matrix", &diag);
    }
    return orr_taskgraph_run_loaded(job, &values, &diag) == ORR_OK ? report(arguments, job)
                                                                   : orr_print_diag(&diag);
}

int orr_run_taskgraph(int argc, char **argv)
{
    struct arguments arguments = {.platform = NULL};
    struct orr_taskgraph_job job = {.file = NULL};
    int status = parse(&arguments, argc, argv);
    if (status != 0) {
        return status;
    }
    struct orr_arena *arena = orr_arena_create();
    if (arena == NULL) {
        orr_say("orrery run: out of memory\n");
        return 1;
    }
    status = run(&arguments, &job, arena);
    orr_taskgraph_destroy(job.run);
    orr_arena_destroy(arena);
    return status;
}
