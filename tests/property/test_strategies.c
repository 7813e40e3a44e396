/* Random models under random strategies: as a task graph in memory, and as a file of it, binary and
 * JSON, with its groups said once or one by one, folded or not, they have the same results, byte by
 * byte but for the count of events. Arguments: how many cases (default 300, with
 * ORRERY_LONG 1000), the first seed. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/conf/conf.h"
#include "core/rng.h"
#include "orrery/orrery.h"
#include "report/run_report.h"
#include "workload/model/model_read.h"
#include "workload/model/op_graph.h"
#include "workload/model/part_time.h"
#include "workload/strategy/lower.h"
#include "workload/strategy/strategy.h"
#include "workload/strategy/strategy_file.h"
#include "workload/taskgraph/tg_file.h"
#include "workload/taskgraph/tg_graph.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { PATH = 128, MAX_OPS = 12 };

static unsigned cases = 300, first_seed = 1;
static char folder[] = "/tmp/orrery-strategies-XXXXXX";

/* ---- random input ---- */

static FILE *create(const char *name)
{
    FILE *file = fopen(name, "w");
    assert_non_null(file);
    return file;
}

/* Tables that meet in a concat, and dense layers behind; returns the layers. */
static uint32_t write_model(struct orr_rng *rng, uint32_t *tables)
{
    FILE *out = create("m.yml");
    const uint32_t layers = 1 + (uint32_t)orr_rng_below(rng, 4);
    *tables = (uint32_t)orr_rng_below(rng, 4);
    (void)fputs("model:\n  batch: 64\n  operators:\n    - data: {name: x, shape: [64]}\n", out);
    for (uint32_t t = 0; t < *tables; t++) {
        (void)fprintf(out, "    - embedding: {name: t%" PRIu32 ", rows: 1024, columns: 64}\n", t);
    }
    if (*tables != 0) {
        (void)fputs("    - concat: {name: c, input: [x", out);
        for (uint32_t t = 0; t < *tables; t++) {
            (void)fprintf(out, ", t%" PRIu32, t);
        }
        (void)fputs("]}\n", out);
    }
    for (uint32_t i = 0; i < layers; i++) {
        (void)fprintf(out, "    - dense: {name: d%" PRIu32 ", out: %u}\n", i,
                      64U << orr_rng_below(rng, 3));
    }
    assert_int_equal(fclose(out), 0);
    return layers;
}

static void write_op(FILE *out, struct orr_rng *rng, const char *name, uint32_t k, bool dense)
{
    static const char *const dims[] = {"sample", "output", "input"};
    const uint32_t parts = 1U << orr_rng_below(rng, 3);
    const char *dim = dims[dense ? orr_rng_below(rng, 3) : 0];
    (void)fprintf(out, "    %s: {split: {%s: %" PRIu32 "}, devices: [", name, dim, parts);
    for (uint32_t i = 0; i < parts; i++) {
        (void)fprintf(out, "%s%" PRIu64, i > 0 ? ", " : "", orr_rng_below(rng, k));
    }
    (void)fputs("]}\n", out);
}

/* Returns the devices. */
static uint32_t write_strategy(struct orr_rng *rng, uint32_t layers, uint32_t tables)
{
    FILE *out = create("s.yml");
    const uint32_t k = 1U << orr_rng_below(rng, 3), l = 1U << orr_rng_below(rng, 3);
    char name[16];
    (void)fprintf(out, "strategy:\n  groups: {model: %" PRIu32 ", data: %" PRIu32 "}\n", k, l);
    (void)fprintf(out, "  server: {gpus: %u, bandwidth: 25 GB/s}\n", 1U << orr_rng_below(rng, 3));
    (void)fprintf(out, "  gradients: %s\n  operators:\n",
                  orr_rng_below(rng, 2) == 0 ? "as_ready" : "at_end");
    (void)fputs("    d0: {devices: 0}\n", out);
    for (uint32_t i = 0; i < layers; i++) {
        (void)snprintf(name, sizeof name, "d%" PRIu32, i);
        if (i > 0 && orr_rng_below(rng, 4) != 0) {
            write_op(out, rng, name, k, true);
        }
    }
    for (uint32_t t = 0; t < tables; t++) {
        (void)snprintf(name, sizeof name, "t%" PRIu32, t);
        if (orr_rng_below(rng, 2) != 0) {
            write_op(out, rng, name, k, false);
        }
    }
    assert_int_equal(fclose(out), 0);
    return k * l;
}

static void write_platform(const char *name, const char *fabric, uint32_t npus,
                           const char *workload)
{
    FILE *out = create(name);
    (void)fprintf(out,
                  "network:\n  backend: flow\n  shares: maxmin\n"
                  "  graph: {fabric: \"%s\", npus: %" PRIu32
                  ", bandwidth: 100 Gb/s, latency: 1 us}\n"
                  "compute: {peak: 10 TFLOP/s}\n"
                  "workload: {all_reduce: ring, %s}\n",
                  fabric, npus, workload);
    assert_int_equal(fclose(out), 0);
}

/* ---- the task graph as files ---- */

static void write_graphs(void)
{
    struct orr_arena *arena = orr_arena_create();
    const struct orr_conf *root = NULL;
    struct model_graph model;
    struct strategy strategy;
    struct strategy_times times;
    struct tg_graph graph, plain;
    struct orr_diag diag;
    const struct model_speed speed = {
        .roofline = {.peak_flops = 10e12, .memory_bytes_per_s = (double)INFINITY}};
    orr_diag_init(&diag);
    assert_int_equal(orr_conf_load(arena, "m.yml", &root, &diag), ORR_OK);
    assert_int_equal(orr_model_read(arena, orr_conf_get(root, "model"), &model, &diag), ORR_OK);
    assert_int_equal(orr_conf_load(arena, "s.yml", &root, &diag), ORR_OK);
    assert_int_equal(
        orr_strategy_read(arena, orr_conf_get(root, "strategy"), &model, 0, &strategy, &diag),
        ORR_OK);
    assert_int_equal(orr_strategy_times(arena, &model, &strategy, &speed, &times, &diag), ORR_OK);
    assert_int_equal(orr_strategy_lower(arena, &model, &strategy, &times, &graph, &diag), ORR_OK);
    assert_int_equal(orr_tg_expand(arena, &graph, &plain, &diag), ORR_OK);
    assert_int_equal(orr_tg_write_file(&graph, TG_BINARY, "g.otg", &diag), ORR_OK);
    assert_int_equal(orr_tg_write_file(&graph, TG_JSON, "g.json", &diag), ORR_OK);
    assert_int_equal(orr_tg_write_file(&plain, TG_BINARY, "plain.otg", &diag), ORR_OK);
    orr_arena_destroy(arena);
}

/* ---- results ---- */

/* Without the lines that count events, and those that say where the workload came from. */
static char *without_events(char *text)
{
    char *to = text;
    for (char *from = text; *from != '\0';) {
        char *end = strchr(from, '\n');
        const size_t length = end != NULL ? (size_t)(end - from) + 1 : strlen(from);
        char line[512];
        (void)snprintf(line, sizeof line, "%.*s", (int)length, from);
        if (strstr(line, "event") == NULL && strstr(line, "\"workload.") == NULL) {
            memmove(to, from, length);
            to += length;
        }
        from += length;
    }
    *to = '\0';
    return text;
}

static char *results_of(const char *platform, bool fold)
{
    struct orrery *job = orrery_new();
    const struct orrery_inputs inputs = {.platform = platform};
    char *text = NULL;
    size_t bytes = 0;
    orrery_fold(job, fold);
    if (orrery_load(job, &inputs) != ORRERY_OK || orrery_run(job) != ORRERY_OK) {
        print_error("%s: %s\n", platform, orrery_error(job));
        fail();
    }
    FILE *out = open_memstream(&text, &bytes);
    assert_int_equal(orr_report_json(out, job, true), 0);
    (void)fclose(out);
    orrery_free(job);
    return without_events(text);
}

static void compare(const char *expected, const char *platform, bool fold, unsigned seed)
{
    char *found = results_of(platform, fold);
    if (strcmp(expected, found) != 0) {
        size_t at = 0;
        while (expected[at] == found[at]) {
            at++;
        }
        at = at > 80 ? at - 80 : 0;
        print_error("seed %u, %s, fold %d:\n%.200s\n--- instead of\n%.200s\n", seed, platform,
                    (int)fold, found + at, expected + at);
        fail();
    }
    free(found);
}

static void run_case(unsigned seed)
{
    static const char *const fabrics[] = {"ideal-switch", "circulant:1", "full-mesh"};
    struct orr_rng rng;
    uint32_t tables;
    orr_rng_init(&rng, seed, 0);
    const uint32_t layers = write_model(&rng, &tables);
    const uint32_t npus = write_strategy(&rng, layers, tables);
    const char *fabric = npus > 2 ? fabrics[orr_rng_below(&rng, 3)] : fabrics[0];
    if (npus < 2) {
        return;
    }
    write_platform("memory.yml", fabric, npus, "model: m.yml, strategy: s.yml");
    write_platform("binary.yml", fabric, npus, "taskgraph: g.otg");
    write_platform("json.yml", fabric, npus, "taskgraph: g.json");
    write_platform("plain.yml", fabric, npus, "taskgraph: plain.otg");
    write_graphs();
    char *expected = results_of("memory.yml", false);
    compare(expected, "memory.yml", true, seed);
    compare(expected, "binary.yml", true, seed);
    compare(expected, "json.yml", true, seed);
    compare(expected, "plain.yml", false, seed);
    free(expected);
}

static void test_strategies_have_one_answer_however_they_come(void **state)
{
    (void)state;
    for (unsigned i = 0; i < cases; i++) {
        run_case(first_seed + i);
    }
}

/* ---- */

static int enter_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) != NULL && chdir(folder) == 0 ? 0 : -1;
}

static int leave_folder(void **state)
{
    static const char *const names[] = {"m.yml",      "s.yml",    "memory.yml",
                                        "binary.yml", "json.yml", "plain.yml",
                                        "g.otg",      "g.json",   "plain.otg"};
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        (void)remove(names[i]);
    }
    return chdir("/") == 0 && rmdir(folder) == 0 ? 0 : -1;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_strategies_have_one_answer_however_they_come)};
    cases = getenv("ORRERY_LONG") != NULL ? 1000 : cases;
    cases = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : cases;
    first_seed = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : first_seed;
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
