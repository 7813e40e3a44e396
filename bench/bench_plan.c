/* TopoOpt's alternating optimization alone, for bench/plan.sh: the plan of a model, and simulated
 * times of the plan, of the naive method and of data parallelism.
 *
 *   bench_plan MODEL.yml PROFILE.json|- SERVERS GBIT_PER_S DEGREE [KEY=VALUE...]
 *
 * Keys: budget, rounds, topologies, seed, chains, threads, memory (GB of a server), copies,
 * one_way, run (1: best, 2: all three), log, batch (samples of an iteration). Prints the predicted
 * times of the best pair, the naive one and data parallelism in s, then the simulated ones (0: not
 * run), the missing bytes of the best and of data parallelism, evaluations, CPU seconds of the plan
 * and of the runs. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/conf/conf.h"
#include "core/conf/conf_read.h"
#include "network/flows/flows.h"
#include "network/net_config_graph.h"
#include "network/permutations/permutations.h"
#include "orrery/orrery.h"
#include "sim/cluster/taskgraph_job.h"
#include "sim/orrery_private.h"
#include "topoopt/search/topoopt.h"
#include "workload/engine/engine.h"
#include "workload/model/model_read.h"
#include "workload/model/op_graph.h"
#include "workload/model/part_time.h"
#include "workload/model/profile.h"
#include "workload/strategy/lower.h"
#include "workload/strategy/strategy.h"
#include "workload/taskgraph/tg_graph.h"

static struct orr_arena *arena;
static struct orr_diag diag;

static void check(bool ok, const char *what)
{
    if (!ok) {
        (void)fprintf(stderr, "bench_plan: %s: %s\n", what, diag.message);
        exit(1);
    }
}

struct planned {
    struct model_graph model;
    struct model_profile profile;
    struct model_speed speed;
    struct topoopt_problem problem;
    struct topoopt_options options;
    struct topoopt_result result;
    uint64_t run, log, batch;
};

static void read_model(struct planned *planned, const char *path, const char *profile)
{
    const struct orr_conf *root = NULL, *section = NULL;
    check(orr_conf_load(arena, path, &root, &diag) == ORR_OK, path);
    check(orr_conf_read(root, orr_model_file_table.owner, orr_model_file_table.keys,
                        orr_model_file_table.count, &section, &diag) == ORR_OK,
          path);
    check(orr_model_read(arena, section, &planned->model, &diag) == ORR_OK, path);
    if (strcmp(profile, "-") != 0) {
        check(orr_model_profile_load(arena, profile, &planned->profile, &diag) == ORR_OK, profile);
        planned->speed.profile = &planned->profile;
        planned->model.batch = planned->profile.batch;
    }
    /* Splits without measurements. */
    planned->speed.roofline.peak_flops = 5e13;
    planned->speed.roofline.memory_bytes_per_s = 1e12;
}

static void set_number(struct planned *planned, const char *key, uint64_t value)
{
    const struct {
        const char *key;
        uint64_t *wide;
        uint32_t *narrow;
    } keys[] = {{"budget", &planned->options.search.budget, NULL},
                {"seed", &planned->options.search.seed, NULL},
                {"chains", NULL, &planned->options.search.chains},
                {"threads", NULL, &planned->options.search.threads},
                {"rounds", NULL, &planned->options.rounds},
                {"topologies", NULL, &planned->options.topologies},
                {"copies", NULL, &planned->problem.copies},
                {"batch", &planned->model.batch, NULL},
                {"run", &planned->run, NULL},
                {"log", &planned->log, NULL}};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        if (strcmp(key, keys[i].key) == 0 && keys[i].wide != NULL) {
            *keys[i].wide = value;
        } else if (strcmp(key, keys[i].key) == 0) {
            *keys[i].narrow = (uint32_t)value;
        }
    }
    if (strcmp(key, "memory") == 0) {
        planned->problem.memory_bytes = value * 1000000000;
    }
    if (strcmp(key, "one_way") == 0 && value != 0) {
        planned->problem.topology.links = NET_ONE_WAY;
    }
}

static void prepare(struct planned *planned, int argc, char **argv)
{
    const double bytes_per_s = strtod(argv[4], NULL) * 1e9 / 8;
    planned->problem = (struct topoopt_problem){
        .model = &planned->model,
        .speed = &planned->speed,
        .devices = (uint32_t)strtoul(argv[3], NULL, 10),
        .copies = 1,
        .server = {.gpus = 4, .inside_bytes_per_s = 25e9},
        .flows = orr_net_flow_packets(false),
        .topology = {.degree = (uint32_t)strtoul(argv[5], NULL, 10),
                     .kind = {.bytes_per_s = bytes_per_s, .latency_ps = ORR_PS_PER_US}}};
    planned->options = orr_topoopt_default_options();
    planned->options.search.threads = 1;
    for (int i = 6; i < argc; i++) {
        char key[32] = "";
        const char *value = strchr(argv[i], '=');
        check(value != NULL && (size_t)(value - argv[i]) < sizeof key, argv[i]);
        memcpy(key, argv[i], (size_t)(value - argv[i]));
        set_number(planned, key, strtoull(value + 1, NULL, 10));
    }
    if (planned->model.batch == 0) {
        planned->model.batch = orr_model_batch(&planned->model, planned->problem.devices);
    }
}

/* ---- runs ---- */

static void lower(const struct planned *planned, const struct topoopt_pair *pair,
                  struct tg_graph *graph)
{
    struct strategy_times times;
    check(orr_strategy_times(arena, &planned->model, &pair->strategy, &planned->speed, &times,
                             &diag) == ORR_OK,
          "times");
    check(orr_strategy_lower(arena, &planned->model, &pair->strategy, &times, graph, &diag) ==
              ORR_OK,
          "task graph");
}

static double simulate(const struct planned *planned, const struct topoopt_pair *pair)
{
    struct tg_graph graph;
    struct orr_taskgraph_job job;
    const struct orrery_inputs platform = {.platform = NULL};
    lower(planned, pair, &graph);
    const struct orr_taskgraph_values values = {.graph = &graph,
                                                .fabric = "ideal-switch",
                                                .all_reduce = "ring",
                                                .shares = ORR_SHARES_MAXMIN,
                                                .kind = planned->problem.topology.kind};
    check(orr_taskgraph_load(&job, &values, arena, &diag) == ORR_OK, "load");
    job.network = pair->graph;
    job.routes = pair->routes;
    job.config = orr_net_config_of_flows(&job.routes, &job.flows);
    check(orr_net_config_set_graph(arena, &job.config, &job.network, NULL, &diag) == ORR_OK,
          "network");
    struct orrery *handle = orrery_new();
    const bool ran = handle != NULL &&
                     orr_taskgraph_prepare(&job, &platform, handle) == ORRERY_OK &&
                     orrery_run(handle) == ORRERY_OK;
    check(ran, handle != NULL ? orrery_error(handle) : "memory");
    const double seconds = (double)orr_engine_wall(handle->layers.engine) * 1e-12;
    orrery_free(handle);
    return seconds;
}

/* ---- what is printed ---- */

static double seconds_of(const struct topoopt_pair *pair)
{
    return (double)pair->predicted_ps * 1e-12;
}

static void print_log(const struct topoopt_result *result)
{
    for (uint32_t i = 0; i < result->attempts; i++) {
        const struct topoopt_attempt *attempt = &result->attempt[i];
        (void)fprintf(stderr,
                      "round %" PRIu32 " %s: d_A %" PRIu32 " select %d discount %d%s: %.6f s "
                      "(%.1f GB missing, %" PRIu64 " evaluations): %s%s%s\n",
                      attempt->round, orr_topoopt_origin_name(attempt->origin),
                      attempt->options.ring_degree, (int)attempt->options.select,
                      (int)attempt->options.discount, attempt->matched ? " matched" : "",
                      (double)attempt->after_ps * 1e-12, (double)attempt->missing_bytes * 1e-9,
                      attempt->evaluations, orr_topoopt_outcome_name(attempt->outcome),
                      attempt->why != NULL ? ": " : "", attempt->why != NULL ? attempt->why : "");
    }
}

static void print_strategy(const struct planned *planned, const struct topoopt_pair *pair)
{
    const struct strategy *strategy = &pair->strategy;
    for (uint32_t op = 0; op < planned->model.ops; op++) {
        const uint32_t *degree = orr_strategy_degrees(strategy, op);
        const uint32_t *device = orr_strategy_devices(strategy, op);
        (void)fprintf(stderr, "  %-24s", planned->model.op[op].name);
        for (uint32_t d = 0; d < planned->model.op[op].dims; d++) {
            (void)fprintf(stderr, " %" PRIu32, degree[d]);
        }
        (void)fprintf(stderr, " on %" PRIu32, device[0]);
        if (strategy->op[op].parts > 1) {
            (void)fprintf(stderr, ", %" PRIu32 " ..%" PRIu32, device[1],
                          device[strategy->op[op].parts - 1]);
        }
        (void)fprintf(stderr, "\n");
    }
}

static double cpu_since(clock_t begin)
{
    return (double)(clock() - begin) / CLOCKS_PER_SEC;
}

int main(int argc, char **argv)
{
    static struct planned planned;
    if (argc < 6) {
        (void)fputs("usage: bench_plan MODEL.yml PROFILE.json|- SERVERS GBIT_PER_S DEGREE "
                    "[KEY=VALUE...]\n",
                    stderr);
        return 2;
    }
    arena = orr_arena_create();
    orr_diag_init(&diag);
    read_model(&planned, argv[1], argv[2]);
    prepare(&planned, argc, argv);
    clock_t begin = clock();
    check(orr_topoopt_plan(arena, &planned.problem, &planned.options, &planned.result, &diag) ==
              ORR_OK,
          "plan");
    const double cpu = cpu_since(begin);
    begin = clock();
    const struct topoopt_result *result = &planned.result;
    const struct topoopt_pair *pair[] = {&result->best, &result->naive, &result->data_parallel};
    for (int i = 0; i < 3; i++) {
        printf("%.6f ", seconds_of(pair[i]));
    }
    for (int i = 0; i < 3; i++) {
        const bool wanted = planned.run > 1 || (planned.run == 1 && i == 0);
        printf("%.6f ", wanted ? simulate(&planned, pair[i]) : 0);
    }
    printf("%" PRIu64 " %" PRIu64 " %" PRIu64 " %.2f %.2f\n", result->best.missing_bytes,
           result->data_parallel.missing_bytes, result->evaluations, cpu, cpu_since(begin));
    if (planned.log != 0) {
        print_log(result);
        print_strategy(&planned, &result->best);
    }
    orr_arena_destroy(arena);
    return 0;
}
