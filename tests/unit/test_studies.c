/* Many runs from a program: a sweep kept in files and gone on with, what changes would save, a
 * bench of a collective, all of one small job that is worked out by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/arena.h"
#include "orrery/orrery.h"
#include "study/bench/collective_bench.h"
#include "study/ranking/sweep_rank.h"
#include "study/sweep/sweep.h"
#include "study/sweep/sweep_complete.h"
#include "study/sweep/sweep_ranks.h"
#include "study/sweep/sweep_store.h"
#include "study/whatif.h"
#include "system/collectives/program.h"

enum { SIZE = 8000, US = 1000000 };

/* One chunk of an all-reduce of 8000 bytes on Ring(2)_Ring(4) takes 8 us / B1 + 6 us / B2 + 8 us of
 * latency, with bandwidths B1, B2 in GB/s: 28 us at 1 and 0.5. */
static const char platform[] =
    "network:\n"
    "  topology: Ring(2)_Ring(4)\n"
    "  dims: [{bandwidth: 1 GB/s, latency: 1 us}, {bandwidth: 0.5 GB/s, latency: 1 us}]\n"
    "system: {chunks: 1, algorithms: {default: by_block}}\n"
    "workload: {generate: all_reduce, bytes: 8000 B}\n";

/* Cost: 3 B1 + 4 B2. The last point cannot be loaded. */
static const char sweep_text[] =
    "sweep:\n"
    "  platform: small.yml\n"
    "  axes:\n"
    "    network.dims[0].bandwidth: [1 GB/s, 2 GB/s]\n"
    "    network.dims[1].bandwidth: [0.5 GB/s, 1 GB/s, -1 GB/s]\n"
    "  cost: 3 * dims[0].bandwidth / 1 GB/s + 4 * network.dims[1].bandwidth / 1 GB/s\n";

struct folder {
    char path[64], home[512];
};

static void put(const char *name, const char *text)
{
    FILE *file = fopen(name, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static int enter(void **state)
{
    struct folder *folder = calloc(1, sizeof *folder);
    *state = folder;
    if (folder == NULL) {
        return -1;
    }
    (void)snprintf(folder->path, sizeof folder->path, "/tmp/orr_studies_XXXXXX");
    if (getcwd(folder->home, sizeof folder->home) == NULL || mkdtemp(folder->path) == NULL ||
        chdir(folder->path) != 0) {
        return -1;
    }
    put("small.yml", platform);
    put("study.yml", sweep_text);
    return 0;
}

static int leave(void **state)
{
    static const char *const files[] = {"small.yml",       "study.yml",     "study.jsonl",
                                        "study.jsonl.tmp", "study.csv.tmp", "study.csv",
                                        "study.state",     "other.csv"};
    struct folder *folder = *state;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        (void)unlink(files[i]);
    }
    const int status = chdir(folder->home) + rmdir(folder->path);
    free(folder);
    return status;
}

/* ---- a sweep ---- */

struct study {
    struct orr_arena *arena;
    struct orr_sweep sweep;
    struct orr_sweep_store store;
    struct orr_diag diag;
    unsigned heard, failed;
};

static void hear(void *context, const struct orr_sweep_store *store,
                 const struct orr_sweep_result *result)
{
    struct study *study = context;
    study->heard++;
    study->failed += result->ok ? 0 : 1;
    assert_int_equal(store->done, study->heard);
}

static void read_study(struct study *study)
{
    *study = (struct study){.arena = orr_arena_create(), .store = {.lock = -1}};
    orr_diag_init(&study->diag);
    assert_int_equal(orr_sweep_read(study->arena, "study.yml", &study->sweep, &study->diag),
                     ORR_OK);
}

static enum orr_status complete(struct study *study)
{
    const struct orr_sweep_ranks ranks = orr_sweep_ranks_single();
    const struct orr_sweep_listener listener = {hear, study};
    return orr_sweep_complete(&study->store, &ranks, 2, &listener, &study->diag);
}

static void end_study(struct study *study)
{
    orr_sweep_store_close(&study->store);
    orr_arena_destroy(study->arena);
}

static void test_sweep_runs_and_ranks_points(void **state)
{
    static const int64_t wall_us[] = {28, 22, 0, 24, 18, 0};
    struct study study;
    struct orr_sweep_entry entry[6];
    (void)state;
    read_study(&study);
    assert_int_equal(study.sweep.points, 6);
    assert_int_equal(orr_sweep_check(&study.sweep, &study.diag), ORR_OK);
    assert_int_equal(orr_sweep_store_open(&study.store, &study.sweep, false, false, &study.diag),
                     ORR_OK);
    assert_int_equal(complete(&study), ORR_OK);
    assert_int_equal(orr_sweep_store_finish(&study.store, &study.diag), ORR_OK);
    assert_int_equal(study.heard, 6);
    assert_int_equal(study.failed, 2);
    assert_int_equal(study.store.failed, 2);
    for (size_t i = 0; i < 6; i++) {
        assert_int_equal(study.store.row[i].wall_ps, wall_us[i] * US);
    }
    /* Costs 5, 7, 8, 10: by both 140, 154, 192, 180. Point 3 is slower and dearer than point 1. */
    assert_int_equal(orr_sweep_rank(&study.store, ORR_SWEEP_BY_BOTH, entry), 4);
    assert_int_equal(entry[0].point, 0);
    assert_int_equal(entry[1].point, 1);
    assert_int_equal(entry[2].point, 4);
    assert_int_equal(entry[3].point, 3);
    assert_int_equal(orr_sweep_rank(&study.store, ORR_SWEEP_BY_TIME, entry), 4);
    assert_int_equal(orr_sweep_keep_frontier(&study.store, entry, 4), 3);
    assert_int_equal(entry[2].point, 0);
    end_study(&study);
}

static void test_sweep_done_runs_nothing(void **state)
{
    struct study study;
    (void)state;
    read_study(&study);
    assert_int_equal(orr_sweep_store_open(&study.store, &study.sweep, false, false, &study.diag),
                     ORR_OK);
    assert_int_equal(study.store.done, 6);
    assert_int_equal(complete(&study), ORR_OK);
    assert_int_equal(study.heard, 0);
    end_study(&study);
}

/* Opens results that are refused. */
static void refuses(enum orr_status status, enum orr_sweep_trouble trouble, const char *output,
                    const char *message)
{
    struct study study;
    read_study(&study);
    study.sweep.output = output;
    assert_int_equal(orr_sweep_store_open(&study.store, &study.sweep, false, false, &study.diag),
                     status);
    assert_int_equal(study.store.trouble, trouble);
    assert_string_equal(study.diag.message, message);
    end_study(&study);
}

static void test_sweep_tells_why_results_are_refused(void **state)
{
    (void)state;
    put("other.csv", "mine\n");
    refuses(ORR_ERR_INPUT, ORR_SWEEP_UNKNOWN, "other",
            "other.csv exists and is not known to be of this sweep");
    refuses(ORR_ERR_IO, ORR_SWEEP_NO_TROUBLE, "no/where",
            "cannot be written: No such file or directory");
    put("study.jsonl", "{}\n");
    refuses(ORR_ERR_INPUT, ORR_SWEEP_DAMAGED, "study",
            "study.jsonl:1: not a line that orrery sweep wrote");
    put("small.yml", "workload: {generate: all_reduce, bytes: 16 B}\n");
    refuses(ORR_ERR_INPUT, ORR_SWEEP_CHANGED, "study",
            "small.yml has changed since the results in study.jsonl were begun");
    put("small.yml", platform);
}

/* ---- what if ---- */

static void test_whatif_ranks_changes(void **state)
{
    static const char *const given[] = {"network.dims[1].bandwidth=2 GB/s"};
    const struct orrery_inputs inputs = {.platform = "small.yml"};
    struct orr_whatif *whatif = calloc(1, sizeof *whatif);
    struct orr_diag diag;
    (void)state;
    assert_non_null(whatif);
    orr_diag_init(&diag);
    whatif->own = &inputs;
    whatif->given = given;
    whatif->givens = 1;
    whatif->factor = 2;
    assert_int_equal(orr_whatif_run(whatif, &diag), ORR_OK);
    assert_int_equal(whatif->change[0].wall_ps, 28 * US);
    /* 8 + 12 + 8 us: B2 = 2 leaves 8 + 3 + 8, no latency 8 + 12, twice B2 8 + 6 + 8. */
    assert_string_equal(whatif->change[1].name, given[0]);
    assert_int_equal(whatif->change[1].wall_ps, 19 * US);
    assert_string_equal(whatif->change[2].name, "no latency");
    assert_int_equal(whatif->change[2].wall_ps, 20 * US);
    assert_string_equal(whatif->change[3].name, "2x bandwidth of dimension 2");
    assert_int_equal(whatif->change[3].wall_ps, 22 * US);
    assert_true(whatif->change[whatif->changes - 1].bound);
    orr_whatif_fini(whatif);
    free(whatif);
}

static void test_whatif_change_that_fails_is_the_place(void **state)
{
    static const char *const given[] = {"network.dims[7].bandwidth=1GB/s"};
    const struct orrery_inputs inputs = {.platform = "small.yml"};
    struct orr_whatif *whatif = calloc(1, sizeof *whatif);
    struct orr_diag diag;
    (void)state;
    assert_non_null(whatif);
    orr_diag_init(&diag);
    whatif->own = &inputs;
    whatif->given = given;
    whatif->givens = 1;
    whatif->factor = 2;
    assert_int_equal(orr_whatif_run(whatif, &diag), ORR_ERR_INPUT);
    assert_string_equal(diag.place.file, "--change network.dims[7].bandwidth=1GB/s");
    assert_null(whatif->failed);
    orr_whatif_fini(whatif);
    free(whatif);
}

/* ---- a bench ---- */

static void test_bench_of_a_collective_by_hand(void **state)
{
    const struct orrery_inputs inputs = {.platform = "small.yml"};
    struct orr_collective_bench bench = {
        .platform = &inputs, .collective = COLL_ALL_REDUCE, .min = SIZE, .max = SIZE, .step = 2};
    struct orr_diag diag;
    (void)state;
    orr_diag_init(&diag);
    assert_int_equal(orr_collective_bench_inspect(&bench, &diag), ORR_OK);
    assert_int_equal(bench.npus, 8);
    bench.max = SIZE - 1;
    assert_int_equal(orr_collective_bench_range(&bench), ORR_BENCH_RANGE_EMPTY);
    bench.min = 7;
    assert_int_equal(orr_collective_bench_range(&bench), ORR_BENCH_RANGE_TOO_SMALL);
    bench.min = bench.max = SIZE;
    assert_int_equal(orr_collective_bench_range(&bench), ORR_BENCH_RANGE_FITS);
    assert_int_equal(orr_collective_bench_run(&bench, &diag), ORR_OK);
    /* The first is picked, the second by block: 28 us. Bus bandwidth: 2 * 7/8 of the size. */
    assert_string_equal(bench.variant[1].algorithm, "by_block");
    assert_int_equal(orr_collective_bench_wall_ps(&bench, 0, 1), 28 * US);
    assert_true(orr_collective_bench_wall_ps(&bench, 0, orr_collective_bench_best(&bench, 0)) <=
                28 * US);
    const double algorithm = orr_collective_bench_algorithm_bandwidth(&bench, 0, 1);
    const double bus = orr_collective_bench_bus_bandwidth(&bench, 0, 1);
    assert_int_equal((int64_t)(algorithm + 0.5), 285714286);
    assert_int_equal((int64_t)(bus + 0.5), 500000000);
    orr_collective_bench_fini(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sweep_runs_and_ranks_points),
        cmocka_unit_test(test_sweep_done_runs_nothing),
        cmocka_unit_test(test_sweep_tells_why_results_are_refused),
        cmocka_unit_test(test_whatif_ranks_changes),
        cmocka_unit_test(test_whatif_change_that_fails_is_the_place),
        cmocka_unit_test(test_bench_of_a_collective_by_hand),
    };
    return cmocka_run_group_tests(tests, enter, leave);
}
