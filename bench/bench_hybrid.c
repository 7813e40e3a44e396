/* Strategies of the kind that searches visit, predicted and simulated: random strategies of a model
 * (samples and parameters split together, consecutive, strided or random subsets of devices, chains
 * of operators, tables whole or in parts) on random networks (circulants, rings of members, rings
 * of steps over several hops, tables of routes, switches, fat-trees). For bench/evaluator.sh.
 *
 *   bench_hybrid MODEL PROFILE.json SERVERS FIRST LAST STEPS DIR
 *
 * For each seed from FIRST to LAST prints: model, network, Gb/s, seed, predicted and simulated ps.
 * STEPS > 0: that many moves follow, and those that the evaluator finds no worse are kept, which
 * finds strategies that it is too optimistic about. DIR: files of the last seed. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/rng.h"
#include "network/flows/flows.h"
#include "orrery/orrery.h"
#include "planner/evaluator/eval_job.h"
#include "planner/evaluator/eval_strategy.h"
#include "planner/evaluator/evaluator.h"
#include "sim/load/strategy_job.h"
#include "sim/load/task_graph.h"
#include "sim/orrery_private.h"
#include "workload/model/op_graph.h"
#include "workload/model/part_time.h"
#include "workload/roofline/roofline.h"
#include "workload/strategy/strategy.h"
#include "workload/strategy/strategy_file.h"

enum { MAX_SERVERS = 64, PLACEMENTS = 3, TRIES = 50 };

static const char *const networks[] = {
    "circulant:1,5", "circulant:1,3,5,7", "ideal-switch", "fat-tree", "members", "steps", "table"};
enum { FABRICS = 4, MEMBERS = 4, STEPPED = 5, ROUTED = 6, NETWORKS = 7 };

/* Devices of an operator's parts. */
struct placement {
    uint32_t count, device[MAX_SERVERS];
};

struct world {
    const char *model, *profile, *dir;
    uint32_t servers, network, gbits;
    struct orr_rng rng;
    struct placement placement[PLACEMENTS]; /* typical number of operators and rings */
    struct orrery *job;
    struct orr_arena *arena;
    struct strategy_draft draft;
    struct strategy strategy;
    struct model_graph *graph;
    struct model_speed speed;
    struct eval_strategy *evaluated;
};

static struct orr_diag diag;

static void check(bool ok, const char *what)
{
    if (!ok) {
        (void)fprintf(stderr, "bench_hybrid: %s: %s\n", what, diag.message);
        exit(1);
    }
}

static uint32_t below(struct world *world, uint32_t limit)
{
    return (uint32_t)orr_rng_below(&world->rng, limit);
}

static struct placement draw_placement(struct world *world)
{
    static const uint32_t sizes[] = {1, 2, 3, 4, 6, 8, 16, 32};
    const uint32_t n = world->servers, how = below(world, 3), first = below(world, n);
    struct placement out = {.count = n};
    uint32_t all[MAX_SERVERS];
    if (below(world, 3) != 0) {
        do {
            out.count = sizes[below(world, 8)];
        } while (out.count > n);
    }
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t j = below(world, i + 1);
        all[i] = all[j];
        all[j] = i;
    }
    for (uint32_t i = 0; i < out.count; i++) {
        out.device[i] = how == 0   ? (first + i) % n
                        : how == 1 ? (first + i * (n / out.count)) % n
                                   : all[i];
    }
    return out;
}

/* ---- networks ---- */

/* Draws one of the shortest paths; stores its nodes and returns their number. */
static uint32_t draw_path(struct world *world, const bool *linked, uint32_t from, uint32_t to,
                          uint32_t *node)
{
    const uint32_t n = world->servers;
    uint32_t distance[MAX_SERVERS], queue[MAX_SERVERS], queued = 1, count = 1;
    memset(distance, 0xff, sizeof distance);
    distance[to] = 0;
    queue[0] = to;
    for (uint32_t q = 0; q < queued; q++) {
        for (uint32_t i = 0; i < n; i++) {
            if (linked[queue[q] * n + i] && distance[i] == UINT32_MAX) {
                distance[i] = distance[queue[q]] + 1;
                queue[queued++] = i;
            }
        }
    }
    for (node[0] = from; node[count - 1] != to; count++) {
        uint32_t next, at = node[count - 1];
        do {
            next = below(world, n);
        } while (!linked[at * n + next] || distance[next] + 1 != distance[at]);
        node[count] = next;
    }
    return count;
}

static void add_duplex_link(struct world *world, bool *linked, uint32_t a, uint32_t b)
{
    linked[a * world->servers + b] = linked[b * world->servers + a] = true;
}

static void write_path(FILE *file, const uint32_t *node, uint32_t count, const char *between)
{
    for (uint32_t i = 0; i < count; i++) {
        (void)fprintf(file, "%s%" PRIu32, i == 0 ? "" : between, node[i]);
    }
}

static void write_routes(struct world *world, FILE *file, const bool *linked)
{
    const uint32_t n = world->servers;
    (void)fputs("    routes:\n", file);
    for (uint32_t pair = 0; pair < n * n; pair++) {
        for (int i = 0; i < 2 && !linked[pair] && pair / n != pair % n; i++) {
            uint32_t node[MAX_SERVERS];
            const uint32_t count = draw_path(world, linked, pair / n, pair % n, node);
            (void)fprintf(file,
                          "      - {from: %" PRIu32 ", to: %" PRIu32 ", chance: 0.5, nodes: [",
                          pair / n, pair % n);
            write_path(file, node, count, ", ");
            (void)fputs("]}\n", file);
        }
    }
}

/* Both directions, in the order of the placement. */
static void write_ring(struct world *world, FILE *file, const bool *linked,
                       const struct placement *of)
{
    for (uint32_t back = 0; back < 2; back++) {
        (void)fprintf(file, "      - {%s: [", world->network == STEPPED ? "steps" : "members");
        for (uint32_t i = 0; i < of->count; i++) {
            const uint32_t k = of->count, at = back ? k - 1 - i : i;
            uint32_t node[MAX_SERVERS];
            (void)fputs(i == 0 ? "" : ", ", file);
            const uint32_t count =
                draw_path(world, linked, of->device[at],
                          of->device[back ? (at + k - 1) % k : (at + 1) % k], node);
            write_path(file, node, world->network == STEPPED ? count : 1, " ");
        }
        (void)fputs("]}\n", file);
    }
}

static bool has_same_members(const struct placement *a, const struct placement *b)
{
    uint64_t in[2] = {0, 0};
    for (uint32_t i = 0; i < a->count; i++) {
        in[0] |= UINT64_C(1) << a->device[i];
    }
    for (uint32_t i = 0; i < b->count; i++) {
        in[1] |= UINT64_C(1) << b->device[i];
    }
    return in[0] == in[1];
}

static bool gets_ring(const struct world *world, uint32_t index)
{
    const struct placement *of = &world->placement[index];
    bool gets = world->network != ROUTED && of->count > 2 && of->count < world->servers;
    for (uint32_t i = 0; i < index; i++) {
        gets = gets && !has_same_members(of, &world->placement[i]);
    }
    return gets;
}

static void write_links(struct world *world, FILE *file)
{
    const uint32_t n = world->servers;
    bool linked[MAX_SERVERS * MAX_SERVERS] = {false};
    for (uint32_t i = 0; i < n; i++) {
        add_duplex_link(world, linked, i, (i + 1) % n);
        add_duplex_link(world, linked, i, (i + (world->network == MEMBERS ? 1 : 5)) % n);
    }
    for (uint32_t p = 0; p < PLACEMENTS; p++) {
        const struct placement *of = &world->placement[p];
        for (uint32_t i = 0; i < of->count && world->network == MEMBERS && gets_ring(world, p);
             i++) {
            add_duplex_link(world, linked, of->device[i], of->device[(i + 1) % of->count]);
        }
    }
    (void)fprintf(file,
                  "network:\n  graph:\n    npus: %" PRIu32 "\n    bandwidth: %" PRIu32
                  " Gb/s\n    latency: 1 us\n    links:\n",
                  n, world->gbits);
    for (uint32_t pair = 0; pair < n * n; pair++) {
        if (linked[pair] && pair / n < pair % n) {
            (void)fprintf(file, "      - {from: %" PRIu32 ", to: %" PRIu32 "}\n", pair / n,
                          pair % n);
        }
    }
    if (world->network == ROUTED) {
        write_routes(world, file, linked);
    }
    (void)fprintf(file, "    rings:\n      - {npus: %" PRIu32 ", jumps: [1, -1]}\n", n);
    for (uint32_t p = 0; p < PLACEMENTS; p++) {
        if (gets_ring(world, p)) {
            write_ring(world, file, linked, &world->placement[p]);
        }
    }
    (void)fputs(world->network == ROUTED ? "  routing: table\n" : "", file);
}

static void write_platform(struct world *world, const char *path)
{
    FILE *file = fopen(path, "w");
    check(file != NULL, path);
    if (world->network < FABRICS) {
        (void)fprintf(file,
                      "network:\n  graph: {npus: %" PRIu32 ", fabric: \"%s%s\", bandwidth: %" PRIu32
                      " Gb/s, latency: 1 us}\n",
                      world->servers, networks[world->network],
                      world->network != 3    ? ""
                      : world->servers <= 16 ? ":4"
                                             : ":8",
                      world->gbits);
    } else {
        write_links(world, file);
    }
    (void)fputs("  backend: flow\ncompute: {peak: 50 TFLOP/s}\n"
                "memory: {local: {bandwidth: 1000 GB/s}, ignore_capacity: true}\n",
                file);
    check(fclose(file) == 0, path);
}

static void write_workload(const struct world *world, const char *path, const char *strategy)
{
    FILE *file = fopen(path, "w");
    check(file != NULL, path);
    (void)fprintf(file, "workload:\n  model: %s\n  profile: %s\n", world->model, world->profile);
    if (strategy != NULL) {
        (void)fprintf(file, "  strategy: %s\n", strategy);
    }
    check(fclose(file) == 0, path);
}

/* ---- strategies ---- */

/* Samples and one more dimension together, into `parts`. */
static void draw_degrees(struct world *world, const struct model_op *op, uint32_t parts,
                         uint32_t *degree)
{
    const uint32_t other = below(world, op->dims);
    uint32_t samples = parts;
    for (uint32_t d = 0; d < op->dims; d++) {
        degree[d] = 1;
    }
    if (other != 0 && below(world, 3) != 0) {
        do {
            samples = 1 + below(world, parts);
        } while (parts % samples != 0);
        samples = op->dim[other].size >= parts / samples ? samples : parts;
        degree[other] = parts / samples;
    }
    degree[0] = samples;
}

static void move_op(struct world *world, uint32_t op, const struct placement *to)
{
    uint32_t degree[MODEL_MAX_DIMS];
    draw_degrees(world, &world->graph->op[op], to->count, degree);
    if (world->graph->op[op].table && degree[0] > 1) {
        degree[0] = 1; /* no copies of tables: whole */
        for (uint32_t d = 1; d < world->graph->op[op].dims; d++) {
            degree[d] = 1;
        }
    }
    check(orr_strategy_set(&world->draft, op, degree, to->device), "memory");
    world->strategy = orr_strategy_drafted(&world->draft);
}

/* Draws one operator or several consecutive ones: the first, and their number. */
static uint32_t draw_move(struct world *world, uint32_t *first)
{
    const struct placement to =
        below(world, 4) != 0 ? world->placement[below(world, PLACEMENTS)] : draw_placement(world);
    const uint32_t ops = world->graph->ops, chain = below(world, 3) == 0 ? 2 + below(world, 8) : 1;
    *first = below(world, ops);
    const uint32_t count = chain < ops - *first ? chain : ops - *first;
    for (uint32_t i = 0; i < count; i++) {
        move_op(world, *first + i, &to);
    }
    return count;
}

static void set_time(struct world *world, uint32_t op)
{
    struct model_times times;
    check(orr_model_part_time(world->graph, op, orr_strategy_degrees(&world->strategy, op),
                              &world->speed, orr_model_batch(world->graph, world->servers), &times,
                              &diag) == ORR_OK,
          "times");
    orr_eval_strategy_set_time(world->evaluated, op, times.forward_ps, times.backward_ps);
}

static sim_time evaluate(struct world *world)
{
    sim_time time_ps;
    check(orr_evaluate(orr_eval_strategy_evaluator(world->evaluated), &time_ps, &diag) == ORR_OK,
          "evaluate");
    return time_ps;
}

static void set_moved_times(struct world *world, uint32_t first, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        set_time(world, first + i);
    }
    for (uint32_t i = 0; i < count; i++) {
        check(orr_eval_strategy_update_op(world->evaluated, first + i), "memory");
    }
}

struct kept {
    uint32_t degree[MODEL_MAX_DIMS], device[MAX_SERVERS];
};

/* Moves that are no worse stay. */
static sim_time climb(struct world *world, uint32_t steps)
{
    sim_time best = evaluate(world);
    for (uint32_t step = 0; step < steps; step++) {
        const uint32_t op = below(world, world->graph->ops);
        const struct placement to = below(world, 4) != 0
                                        ? world->placement[below(world, PLACEMENTS)]
                                        : draw_placement(world);
        struct kept kept;
        memcpy(kept.degree, orr_strategy_degrees(&world->strategy, op),
               world->graph->op[op].dims * sizeof(uint32_t));
        memcpy(kept.device, orr_strategy_devices(&world->strategy, op),
               world->strategy.op[op].parts * sizeof(uint32_t));
        move_op(world, op, &to);
        set_moved_times(world, op, 1);
        const sim_time time_ps = evaluate(world);
        if (time_ps > best) {
            check(orr_strategy_set(&world->draft, op, kept.degree, kept.device), "memory");
            world->strategy = orr_strategy_drafted(&world->draft);
            set_moved_times(world, op, 1);
        } else {
            best = time_ps;
        }
    }
    return evaluate(world);
}

/* ---- runs ---- */

static struct orrery *load(const char *platform, const char *workload, bool pairs)
{
    const char *set[] = {"network.shares=maxmin", "network.routing=ecmp-pairs"};
    const struct orrery_inputs inputs = {
        .platform = platform, .workload = workload, .set = set, .set_count = pairs ? 2 : 1};
    struct orrery *job = orrery_new();
    if (job == NULL || orrery_load(job, &inputs) != ORRERY_OK) {
        (void)fprintf(stderr, "bench_hybrid: %s\n", orrery_error(job));
        exit(1);
    }
    if (!pairs && orr_eval_job_can_pair(job)) {
        orrery_free(job);
        return load(platform, workload, true);
    }
    return job;
}

static void begin(struct world *world)
{
    struct orr_strategy_job *from = world->job->tasks.graph->strategy;
    world->arena = orr_arena_create();
    world->graph = &from->model;
    world->speed = from->speed;
    world->speed.roofline = (struct wl_roofline){.peak_flops = 5e13, .memory_bytes_per_s = 1e12};
    check(orr_strategy_draft_init(&world->draft, world->arena, world->graph, world->servers, 1) &&
              orr_strategy_data_parallel(&world->draft),
          "memory");
    world->strategy = orr_strategy_drafted(&world->draft);
    for (uint32_t moves = 1 + below(world, 8); moves > 0; moves--) {
        uint32_t first;
        (void)draw_move(world, &first);
    }
    const struct eval_strategy_setup setup = {.model = world->graph,
                                              .strategy = &world->strategy,
                                              .network = {.graph = world->job->network.graph,
                                                          .routes = world->job->network.routes,
                                                          .model = orr_net_flow_packets(false)}};
    check(orr_eval_strategy_create(&world->evaluated, &setup, &diag) == ORR_OK, "evaluator");
    for (uint32_t op = 0; op < world->graph->ops; op++) {
        set_time(world, op);
    }
    check(orr_eval_strategy_update_all(world->evaluated), "memory");
}

static int64_t simulate(const struct world *world, const char *platform, const char *workload,
                        const char *strategy)
{
    FILE *file = fopen(strategy, "w");
    check(file != NULL && orr_strategy_write(file, world->graph, &world->strategy) == 0 &&
              fclose(file) == 0,
          strategy);
    write_workload(world, workload, strategy);
    struct orrery *job = load(platform, workload, false);
    if (orrery_run(job) != ORRERY_OK) {
        (void)fprintf(stderr, "bench_hybrid: %s\n", orrery_error(job));
        exit(1);
    }
    const int64_t wall_ps = orrery_wall_ps(job);
    orrery_free(job);
    return wall_ps;
}

static void compare(struct world *world, uint64_t seed, uint32_t steps)
{
    char platform[4096], workload[4096], strategy[4096];
    (void)snprintf(platform, sizeof platform, "%s/platform.yml", world->dir);
    (void)snprintf(workload, sizeof workload, "%s/workload.yml", world->dir);
    (void)snprintf(strategy, sizeof strategy, "%s/strategy.yml", world->dir);
    orr_rng_init(&world->rng, seed, 7);
    world->network = below(world, NETWORKS);
    world->gbits = below(world, 2) == 0 ? 10 : 100;
    for (uint32_t p = 0; p < PLACEMENTS; p++) {
        world->placement[p] = draw_placement(world);
    }
    write_platform(world, platform);
    write_workload(world, workload, NULL);
    world->job = load(platform, workload, false);
    begin(world);
    const sim_time predicted = climb(world, steps);
    const int64_t simulated = simulate(world, platform, workload, strategy);
    printf("%s %s %" PRIu32 " %" PRIu64 " %" PRId64 " %" PRId64 "\n", world->model,
           networks[world->network], world->gbits, seed, (int64_t)predicted, simulated);
    orr_eval_strategy_destroy(world->evaluated);
    orr_arena_destroy(world->arena);
    orrery_free(world->job);
}

int main(int argc, char **argv)
{
    static struct world world;
    if (argc != 8) {
        (void)fputs("usage: bench_hybrid MODEL PROFILE.json SERVERS FIRST LAST STEPS DIR\n",
                    stderr);
        return 2;
    }
    world.model = argv[1];
    world.profile = argv[2];
    world.servers = (uint32_t)strtoul(argv[3], NULL, 10);
    world.dir = argv[7];
    check(world.servers > 6 && world.servers <= MAX_SERVERS, "servers");
    for (uint64_t seed = strtoull(argv[4], NULL, 10); seed <= strtoull(argv[5], NULL, 10); seed++) {
        compare(&world, seed, (uint32_t)strtoul(argv[6], NULL, 10));
    }
    return 0;
}
