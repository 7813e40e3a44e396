/* The evaluator alone: its prediction for a model under a strategy, and evaluations per second. For
 * bench/evaluator.sh, which simulates the task graph that this program writes.
 *
 *   bench_evaluator MODEL.yml PROFILE.json DEVICES FABRIC GBIT_PER_S SEED [TASKGRAPH.json]
 *
 * SEED 0: data parallelism, tables round robin. Else some operators are moved at random: split by
 * samples or by parameters, on random devices. Prints: predicted ps; per second: evaluations that
 * set all times and transfers first; evaluations that recompute everything from times set before;
 * evaluations after a move of one operator. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/conf/conf.h"
#include "core/conf/conf_read.h"
#include "core/rng.h"
#include "network/fabric_build.h"
#include "network/flows/flows.h"
#include "network/graph.h"
#include "network/route_options.h"
#include "network/routing/router.h"
#include "planner/evaluator/eval_strategy.h"
#include "planner/evaluator/evaluator.h"
#include "workload/model/model_read.h"
#include "workload/model/op_graph.h"
#include "workload/model/part_time.h"
#include "workload/model/profile.h"
#include "workload/strategy/lower.h"
#include "workload/strategy/strategy.h"
#include "workload/taskgraph/tg_file.h"
#include "workload/taskgraph/tg_graph.h"

static struct orr_arena *arena;
static struct orr_diag diag;

static void check(bool ok, const char *what)
{
    if (!ok) {
        (void)fprintf(stderr, "bench_evaluator: %s: %s\n", what, diag.message);
        exit(1);
    }
}

static double cpu_seconds(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

struct plan {
    struct model_graph model;
    struct model_profile profile;
    struct model_speed speed;
    struct strategy_draft draft;
    struct strategy strategy;
    struct net_graph graph;
    struct eval_strategy *evaluated;
};

static void read_model(struct plan *plan, const char *path, const char *profile)
{
    const struct orr_conf *root = NULL, *section = NULL;
    check(orr_conf_load(arena, path, &root, &diag) == ORR_OK, path);
    check(orr_conf_read(root, orr_model_file_table.owner, orr_model_file_table.keys,
                        orr_model_file_table.count, &section, &diag) == ORR_OK,
          path);
    check(orr_model_read(arena, section, &plan->model, &diag) == ORR_OK, path);
    check(orr_model_profile_load(arena, profile, &plan->profile, &diag) == ORR_OK, profile);
    plan->speed.profile = &plan->profile;
    plan->model.batch = plan->profile.batch;
    /* Splits without measurements. */
    plan->speed.roofline.peak_flops = 5e13;
    plan->speed.roofline.memory_bytes_per_s = 1e12;
}

static struct model_times time_of(struct plan *plan, uint32_t op)
{
    struct model_times times;
    check(orr_model_part_time(&plan->model, op, orr_strategy_degrees(&plan->strategy, op),
                              &plan->speed, plan->model.batch, &times, &diag) == ORR_OK,
          "times");
    return times;
}

/* An operator goes elsewhere, split by its samples or its output. */
static void move(struct plan *plan, uint32_t op, struct orr_rng *rng)
{
    const uint32_t devices = plan->strategy.devices;
    const struct model_op *moved = &plan->model.op[op];
    const uint32_t output = orr_model_dim_named(moved, "output");
    uint32_t degree[MODEL_MAX_DIMS], parts = devices, device[1024];
    for (uint32_t d = 0; d < moved->dims; d++) {
        degree[d] = 1;
    }
    for (uint64_t half = orr_rng_below(rng, 5); half > 0 && parts % 2 == 0; half--) {
        parts /= 2;
    }
    parts = moved->table ? 1 : parts;
    const bool by_output =
        output != UINT32_MAX && moved->dim[output].size >= parts && orr_rng_below(rng, 3) == 0;
    degree[by_output ? output : 0] = parts;
    const uint32_t first = (uint32_t)orr_rng_below(rng, devices);
    const uint32_t step = orr_rng_below(rng, 2) == 0 ? devices / parts : 1;
    for (uint32_t i = 0; i < parts; i++) {
        device[i] = (first + i * step) % devices;
    }
    check(orr_strategy_set(&plan->draft, op, degree, device), "memory");
    plan->strategy = orr_strategy_drafted(&plan->draft);
}

static void set_time(struct plan *plan, uint32_t op)
{
    const struct model_times times = time_of(plan, op);
    orr_eval_strategy_set_time(plan->evaluated, op, times.forward_ps, times.backward_ps);
}

static sim_time set_all_times(struct plan *plan)
{
    sim_time time_ps = 0;
    for (uint32_t op = 0; op < plan->model.ops; op++) {
        set_time(plan, op);
    }
    check(orr_eval_strategy_update_all(plan->evaluated), "memory");
    check(orr_evaluate(orr_eval_strategy_evaluator(plan->evaluated), &time_ps, &diag) == ORR_OK,
          "evaluate");
    return time_ps;
}

static void prepare(struct plan *plan, char **argv, uint64_t seed)
{
    const uint32_t devices = (uint32_t)strtoul(argv[3], NULL, 10);
    const struct net_fabric fabric = {
        .text = argv[4],
        .npus = devices,
        .kind = {.bytes_per_s = strtod(argv[5], NULL) * 1e9 / 8, .latency_ps = ORR_PS_PER_US}};
    struct orr_rng rng;
    const struct net_routing *routing;
    orr_rng_init(&rng, seed, 0);
    check(orr_strategy_draft_init(&plan->draft, arena, &plan->model, devices, 1), "memory");
    check(orr_strategy_data_parallel(&plan->draft), "memory");
    plan->strategy = orr_strategy_drafted(&plan->draft);
    for (uint64_t moves = seed == 0 ? 0 : 1 + orr_rng_below(&rng, 12); moves > 0; moves--) {
        move(plan, (uint32_t)orr_rng_below(&rng, plan->model.ops), &rng);
    }
    plan->strategy.server = (struct strategy_server){.gpus = 4, .inside_bytes_per_s = 25e9};
    check(orr_net_build_fabric(&fabric, arena, &plan->graph, &routing, &diag) == ORR_OK, argv[4]);
    routing = routing == &orr_routing_ecmp ? &orr_routing_ecmp_pairs : routing;
    const struct eval_strategy_setup setup = {.model = &plan->model,
                                              .strategy = &plan->strategy,
                                              .network = {.graph = &plan->graph,
                                                          .routes = {.routing = routing, .seed = 1},
                                                          .model = orr_net_flow_packets(false)}};
    check(orr_eval_strategy_create(&plan->evaluated, &setup, &diag) == ORR_OK, "evaluator");
}

static void write_task_graph(struct plan *plan, const char *path)
{
    uint64_t *forward_ps = orr_arena_array(arena, plan->model.ops, sizeof *forward_ps);
    uint64_t *backward_ps = orr_arena_array(arena, plan->model.ops, sizeof *backward_ps);
    struct tg_graph graph;
    for (uint32_t op = 0; op < plan->model.ops; op++) {
        const struct model_times times = time_of(plan, op);
        forward_ps[op] = (uint64_t)times.forward_ps;
        backward_ps[op] = (uint64_t)times.backward_ps;
    }
    check(orr_strategy_lower(arena, &plan->model, &plan->strategy,
                             &(struct strategy_times){forward_ps, backward_ps}, &graph,
                             &diag) == ORR_OK,
          "task graph");
    check(orr_tg_write_file(&graph, TG_BINARY, path, &diag) == ORR_OK, path);
}

/* Times a second, for about as long. */
#define RATE(seconds, what)                                                                        \
    do {                                                                                           \
        const double begin = cpu_seconds();                                                        \
        uint64_t times = 0;                                                                        \
        do {                                                                                       \
            what;                                                                                  \
            times++;                                                                               \
        } while (cpu_seconds() - begin < (seconds));                                               \
        printf(" %.0f", (double)times / (cpu_seconds() - begin));                                  \
    } while (0)

static void evaluate(struct plan *plan)
{
    sim_time time_ps;
    check(orr_evaluate(orr_eval_strategy_evaluator(plan->evaluated), &time_ps, &diag) == ORR_OK,
          "evaluate");
}

/* An operator there and back again. */
static void move_and_evaluate(struct plan *plan, struct orr_rng *rng)
{
    const uint32_t op = (uint32_t)orr_rng_below(rng, plan->model.ops);
    set_time(plan, op);
    check(orr_eval_strategy_update_op(plan->evaluated, op), "memory");
    evaluate(plan);
}

int main(int argc, char **argv)
{
    static struct plan plan;
    struct orr_rng rng;
    if (argc < 7) {
        (void)fputs("usage: bench_evaluator MODEL.yml PROFILE.json DEVICES FABRIC GBIT_PER_S SEED "
                    "[TASKGRAPH]\n",
                    stderr);
        return 2;
    }
    arena = orr_arena_create();
    orr_diag_init(&diag);
    orr_rng_init(&rng, 1, 0);
    read_model(&plan, argv[1], argv[2]);
    prepare(&plan, argv, strtoull(argv[6], NULL, 10));
    printf("%" PRId64, (int64_t)set_all_times(&plan));
    if (argc > 7) {
        write_task_graph(&plan, argv[7]);
    } else {
        RATE(0.5, (void)set_all_times(&plan));
        RATE(0.5, (orr_eval_forget(orr_eval_strategy_evaluator(plan.evaluated)), evaluate(&plan)));
        RATE(0.5, move_and_evaluate(&plan, &rng));
    }
    printf("\n");
    orr_eval_strategy_destroy(plan.evaluated);
    orr_arena_destroy(arena);
    return 0;
}
