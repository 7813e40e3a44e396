/* Time and result of SiP-ML's partition and placement, for several k.
 *
 *   bench_sipml MODEL.yml DEVICES BATCH DEGREE [K...]
 *
 * Operators take 25 us and the roofline of 15 TFLOP/s and 900 GB/s, parts a p-th of that, at least
 * 1 us, and 1 us more. Prints a line for each k: milliseconds (minimum of several runs), parts,
 * dependencies, repairs, rounds, devices used, whether the group is compact, the makespan in us and
 * the megabytes of the dimensions. With V in the environment then the strategy. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "core/conf/conf.h"
#include "core/conf/conf_read.h"
#include "sipml/search/sipml_place.h"
#include "workload/model/model_read.h"
#include "workload/model/op_graph.h"
#include "workload/model/part_time.h"
#include "workload/strategy/strategy_file.h"

static struct orr_arena *arena;
static struct orr_diag diag;

static void check(bool ok, const char *what)
{
    if (!ok) {
        (void)fprintf(stderr, "bench_sipml: %s: %s\n", what, diag.message);
        exit(1);
    }
}

static void read_model(const char *path, uint64_t batch, struct model_graph *model)
{
    const struct orr_conf *root = NULL, *section = NULL;
    check(orr_conf_load(arena, path, &root, &diag) == ORR_OK, path);
    check(orr_conf_read(root, orr_model_file_table.owner, orr_model_file_table.keys,
                        orr_model_file_table.count, &section, &diag) == ORR_OK,
          path);
    check(orr_model_read(arena, section, model, &diag) == ORR_OK, path);
    model->batch = batch;
    model->batch_per_device = 0;
}

static double milliseconds(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static void measure(const struct sipml_problem *problem)
{
    struct orr_arena *scratch = orr_arena_create();
    struct sipml_placement placed;
    double min = 1e9;
    for (int i = 0; i < 7; i++) {
        orr_arena_reset(scratch);
        const double begin = milliseconds();
        check(orr_sipml_place(scratch, problem, &placed, &diag) == ORR_OK, "place");
        const double took = milliseconds() - begin;
        min = took < min ? took : min;
    }
    printf("%6" PRIu32 " %9.3f %8" PRIu32 " %11" PRIu64 " %6" PRIu32 " %6" PRIu32 " %6" PRIu32
           " %2d %2d %10.1f %10.1f\n",
           problem->devices / problem->copies, min, placed.parts, placed.edges, placed.repairs,
           placed.rounds, placed.devices_used, placed.compact, placed.fell_back,
           (double)placed.makespan_ps / 1e6, (double)placed.split_bytes / 1e6);
    if (getenv("V") != NULL) {
        (void)orr_strategy_write(stdout, problem->model, &placed.strategy);
    }
    orr_arena_destroy(scratch);
}

int main(int argc, char **argv)
{
    struct model_graph model;
    if (argc < 5) {
        (void)fputs("usage: bench_sipml MODEL.yml DEVICES BATCH DEGREE [K...]\n", stderr);
        return 2;
    }
    arena = orr_arena_create();
    orr_diag_init(&diag);
    read_model(argv[1], strtoull(argv[3], NULL, 10), &model);
    const struct model_speed speed = {
        .roofline = {.peak_flops = 15e12, .memory_bytes_per_s = 900e9},
        .fixed_ps = 25 * (sim_time)ORR_PS_PER_US,
        .minimum_ps = ORR_PS_PER_US,
        .launch_ps = ORR_PS_PER_US,
        .linear = true};
    struct sipml_problem problem = {.model = &model,
                                    .speed = &speed,
                                    .devices = (uint32_t)strtoul(argv[2], NULL, 10),
                                    .server = {.gpus = 1},
                                    .rules = orr_sipml_default_rules()};
    problem.rules.degree = (uint32_t)strtoul(argv[4], NULL, 10);
    for (int i = 5; i < argc; i++) {
        problem.copies = problem.devices / (uint32_t)strtoul(argv[i], NULL, 10);
        measure(&problem);
    }
    orr_arena_destroy(arena);
    return 0;
}
