/* A search alone: the strategy that it finds for a model on a fabric, and tries per second.
 * For bench/search.sh.
 *
 *   bench_search MODEL.yml PROFILE.json DEVICES FABRIC GBIT_PER_S BUDGET [CHAINS SEED MEMORY_GB
 *                ALPHA SCALE RESTARTS THREADS]
 *
 * SCALE: 0 per thousandth of the time, 1 per ms. Prints: data parallelism and the best in ms, the
 * share of tries that were evaluated and accepted, CPU seconds, tries and evaluations per CPU
 * second, bytes missing. Then, with V in the environment, the strategy. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "core/conf/conf.h"
#include "core/conf/conf_read.h"
#include "network/fabric_build.h"
#include "network/flows/flows.h"
#include "network/graph.h"
#include "network/route_options.h"
#include "network/routing/router.h"
#include "planner/search/search.h"
#include "workload/model/model_read.h"
#include "workload/model/op_graph.h"
#include "workload/model/part_time.h"
#include "workload/model/profile.h"
#include "workload/strategy/strategy_file.h"

static struct orr_arena *arena;
static struct orr_diag diag;

static void check(bool ok, const char *what)
{
    if (!ok) {
        (void)fprintf(stderr, "bench_search: %s: %s\n", what, diag.message);
        exit(1);
    }
}

static void read_model(const char *path, const char *profile, struct model_graph *model,
                       struct model_speed *speed)
{
    const struct orr_conf *root = NULL, *section = NULL;
    struct model_profile *measured = orr_arena_alloc(arena, sizeof *measured);
    check(orr_conf_load(arena, path, &root, &diag) == ORR_OK, path);
    check(orr_conf_read(root, orr_model_file_table.owner, orr_model_file_table.keys,
                        orr_model_file_table.count, &section, &diag) == ORR_OK,
          path);
    check(orr_model_read(arena, section, model, &diag) == ORR_OK, path);
    check(orr_model_profile_load(arena, profile, measured, &diag) == ORR_OK, profile);
    speed->profile = measured;
    model->batch = measured->batch;
}

/* CPU time; searches usually run on one thread. */
static double seconds(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

static double number(int argc, char **argv, int index, double default_value)
{
    return argc > index ? strtod(argv[index], NULL) : default_value;
}

static void print_result(const struct search_result *result, double took)
{
    printf("%12.4f %12.4f %6.3f %6.3f %8.2f %8.0f %8.0f %" PRIu64 "\n",
           (double)result->first_ps / 1e9, (double)result->time_ps / 1e9,
           (double)result->evaluations / (double)(result->tries + 1),
           (double)result->accepted / (double)(result->tries + 1), took,
           (double)result->tries / took, (double)result->evaluations / took, result->missing_bytes);
}

int main(int argc, char **argv)
{
    struct model_graph model;
    struct model_speed speed = {.profile = NULL};
    struct net_graph graph;
    const struct net_routing *routing;
    if (argc < 7) {
        (void)fputs("usage: bench_search MODEL.yml PROFILE.json DEVICES FABRIC GBIT_PER_S BUDGET\n",
                    stderr);
        return 2;
    }
    arena = orr_arena_create();
    orr_diag_init(&diag);
    read_model(argv[1], argv[2], &model, &speed);
    /* Splits without measurements. */
    speed.roofline.peak_flops = getenv("ONLY_MEASURED") != NULL ? 0 : 5e13;
    speed.roofline.memory_bytes_per_s = 1e12;
    const uint32_t devices = (uint32_t)strtoul(argv[3], NULL, 10);
    const struct net_fabric fabric = {
        .text = argv[4],
        .npus = devices,
        .kind = {.bytes_per_s = strtod(argv[5], NULL) * 1e9 / 8, .latency_ps = ORR_PS_PER_US}};
    check(orr_net_build_fabric(&fabric, arena, &graph, &routing, &diag) == ORR_OK, argv[4]);
    routing = routing == &orr_routing_ecmp ? &orr_routing_ecmp_pairs : routing;
    const struct search_problem problem = {.model = &model,
                                           .speed = &speed,
                                           .devices = devices,
                                           .copies = 1,
                                           .server = {.gpus = 4, .inside_bytes_per_s = 25e9},
                                           .memory_bytes =
                                               (uint64_t)(number(argc, argv, 9, 0) * 1e9),
                                           .network = {.graph = &graph,
                                                       .routes = {.routing = routing, .seed = 1},
                                                       .model = orr_net_flow_packets(false)}};
    struct search_options options = orr_search_default_options();
    options.budget = strtoull(argv[6], NULL, 10);
    options.chains = (uint32_t)number(argc, argv, 7, options.chains);
    options.seed = (uint64_t)number(argc, argv, 8, 1);
    options.alpha = number(argc, argv, 10, options.alpha);
    options.scale = number(argc, argv, 11, 0) > 0 ? SEARCH_PER_MS : SEARCH_PER_MILLE;
    options.restarts = (uint32_t)number(argc, argv, 12, 0);
    options.threads = (unsigned)number(argc, argv, 13, 1);
    struct search_result result;
    const double begin = seconds();
    check(orr_search(arena, &problem, &options, NULL, 0, &result, &diag) == ORR_OK, "search");
    print_result(&result, seconds() - begin);
    if (getenv("V") != NULL) {
        (void)orr_strategy_write(stdout, &model, &result.best);
    }
    orr_arena_destroy(arena);
    return 0;
}
