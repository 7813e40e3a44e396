/* orrery run --cluster: options. */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/options.h"
#include "cli/run/run_jobs.h"
#include "cli/write_output.h"
#include "report/report.h"
#include "study/study.h"

enum option_id {
    OPT_CLUSTER = 256,
    OPT_JSON,
    OPT_CSV,
    OPT_LINK_STATS,
    OPT_TRAFFIC_MATRIX,
    OPT_ALONE,
    OPT_SET,
    OPT_JOBS
};

static const struct option options[] = {
    {"cluster", required_argument, NULL, OPT_CLUSTER},
    {"jobs", required_argument, NULL, OPT_JOBS}, /* its older name */
    {"json", required_argument, NULL, OPT_JSON},
    {"csv", required_argument, NULL, OPT_CSV},
    {"link-stats", required_argument, NULL, OPT_LINK_STATS},
    {"traffic-matrix", required_argument, NULL, OPT_TRAFFIC_MATRIX},
    {"alone", no_argument, NULL, OPT_ALONE},
    {"set", required_argument, NULL, OPT_SET},
    {NULL, 0, NULL, 0}};

enum { VALUES = OPT_ALONE - OPT_CLUSTER, MOST_SETS = 64 };

struct arguments {
    const char *value[VALUES]; /* by option */
    const char *set[MOST_SETS];
    size_t sets;
    bool alone;
};

static const char *value_of(const struct arguments *arguments, enum option_id option)
{
    return arguments->value[option - OPT_CLUSTER];
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
        if (option == OPT_SET && arguments->sets == MOST_SETS) {
            return orr_usage_error("run", "too many --set", NULL);
        }
        if (option == OPT_JOBS) {
            orr_say("orrery run: warning: --jobs is called --cluster now\n");
            option = OPT_CLUSTER;
        }
        if (option == OPT_ALONE) {
            arguments->alone = true;
        } else if (option == OPT_SET) {
            arguments->set[arguments->sets++] = optarg;
        } else {
            arguments->value[option - OPT_CLUSTER] = optarg;
        }
    }
    return optind < argc
               ? orr_usage_error("run", "--cluster goes without a platform, got ", argv[optind])
               : 0;
}

static int report(const struct arguments *arguments, const struct orr_jobs_told *told)
{
    const struct orr_jobs_run *run = told->run;
    const bool shared = run->jobs->network == ORR_JOBS_SHARED;
    const struct orr_network_use use =
        shared ? orr_jobs_use(run) : (struct orr_network_use){.network = NULL};
    const struct orr_output of_run[] = {{value_of(arguments, OPT_JSON), orr_jobs_json},
                                        {value_of(arguments, OPT_CSV), orr_jobs_csv}};
    const struct orr_output of_network[] = {
        {value_of(arguments, OPT_LINK_STATS), orr_link_stats_write},
        orr_traffic_output(value_of(arguments, OPT_TRAFFIC_MATRIX))};
    bool quiet = false;
    int status = 0;
    for (size_t i = 0; i < 2 && status == 0; i++) {
        status = orr_write_output(&of_run[i], told, &quiet);
    }
    for (size_t i = 0; i < 2 && status == 0; i++) {
        status = orr_write_output(&of_network[i], &use, &quiet);
    }
    if (status == 0 && !quiet) {
        status = orr_jobs_table_write(stdout, told);
    }
    return status == 0 && fflush(stdout) != 0 ? 1 : status;
}

/* Runs the jobs into *run, and each alone where that is asked for. */
static enum orr_status run_all(const struct arguments *arguments, const struct orr_jobs *jobs,
                               struct orr_jobs_run *run, struct orr_jobs_told *told,
                               struct orr_diag *diag)
{
    enum orr_status status = orr_jobs_run(jobs, run, diag);
    if (status == ORR_OK && arguments->alone) {
        sim_time *alone_ps = orr_arena_array(jobs->arena, jobs->jobs, sizeof *alone_ps);
        status = alone_ps != NULL ? orr_job_slowdown(run, alone_ps, diag)
                                  : orr_diag_no_memory(diag, "the jobs");
        told->alone_ps = alone_ps;
    }
    return status;
}

static int run_file(const struct arguments *arguments, struct orr_arena *arena)
{
    struct orr_jobs jobs;
    struct orr_jobs_run run = {.handle = NULL};
    struct orr_diag diag;
    orr_diag_init(&diag);
    diag.warn = orr_print_warning;
    enum orr_status status = orr_jobs_read(arena, value_of(arguments, OPT_CLUSTER), arguments->set,
                                           arguments->sets, &jobs, &diag);
    if (status == ORR_OK) {
        status = orr_jobs_place(&jobs, &diag);
    }
    const bool of_network = value_of(arguments, OPT_LINK_STATS) != NULL ||
                            value_of(arguments, OPT_TRAFFIC_MATRIX) != NULL;
    if (status == ORR_OK && jobs.network == ORR_JOBS_SHARDED && of_network) {
        return orr_usage_error("run", "--link-stats and --traffic-matrix are of one network; the ",
                               "jobs have one each (cluster.network: sharded)");
    }
    if (status == ORR_OK &&
        orr_traffic_check(value_of(arguments, OPT_TRAFFIC_MATRIX), jobs.servers, &diag) != ORR_OK) {
        return orr_print_option_diag("run", "traffic-matrix", &diag);
    }
    struct orr_jobs_told told = {.run = &run};
    if (status == ORR_OK) {
        status = run_all(arguments, &jobs, &run, &told, &diag);
    }
    const int result = status == ORR_OK ? report(arguments, &told) : orr_print_diag(&diag);
    orr_jobs_run_free(&run);
    return result;
}

int orr_run_jobs(int argc, char **argv)
{
    struct arguments arguments = {.sets = 0};
    int status = parse(&arguments, argc, argv);
    if (status != 0) {
        return status;
    }
    struct orr_arena *arena = orr_arena_create();
    if (arena == NULL) {
        orr_say("orrery run: out of memory\n");
        return 1;
    }
    status = run_file(&arguments, arena);
    orr_arena_destroy(arena);
    return status;
}
