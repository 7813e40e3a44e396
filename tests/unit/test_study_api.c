/* Studies for programs (include/orrery/study.h), of one small job that is worked out by hand: their
 * results by name, and what is wrong with what they are given. That they write what the commands
 * write is in test_study_library.sh. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "orrery/report.h"
#include "orrery/study.h"

/* One chunk of an all-reduce of 8000 bytes on Ring(2)_Ring(4) takes 8 us / B1 + 6 us / B2 + 8 us of
 * latency, with bandwidths B1, B2 in GB/s: 28 us at 1 and 0.5. */
static const char platform_text[] =
    "network:\n"
    "  topology: Ring(2)_Ring(4)\n"
    "  dims: [{bandwidth: 1 GB/s, latency: 1 us}, {bandwidth: 0.5 GB/s, latency: 1 us}]\n"
    "system: {chunks: 1, algorithms: {default: by_block}}\n";
static const char workload_text[] = "workload: {generate: all_reduce, bytes: 8000 B}\n";

/* Cost: 3 B1 + 4 B2. Points 2 and 5 cannot be loaded. */
static const char sweep_text[] =
    "sweep:\n"
    "  set:\n"
    "    network: {topology: Ring(2)_Ring(4), latency: 1 us, dims: [{}, {}]}\n"
    "    system: {chunks: 1, algorithms: {default: by_block}}\n"
    "    workload: {generate: all_reduce, bytes: 8000 B}\n"
    "  axes:\n"
    "    network.dims[0].bandwidth: [1 GB/s, 2 GB/s]\n"
    "    network.dims[1].bandwidth: [0.5 GB/s, 1 GB/s, -1 GB/s]\n"
    "  cost: 3 * dims[0].bandwidth / 1 GB/s + 4 * network.dims[1].bandwidth / 1 GB/s\n";
#define US INT64_C(1000000)
enum { POINTS = 6 };

struct fixture {
    struct orrery_platform *platform;
    struct orrery_workload *workload;
    struct orrery_parts parts;
    struct orrery_study *study;
};

static int begin(void **state)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    *state = fixture;
    if (fixture == NULL) {
        return -1;
    }
    fixture->platform = orrery_platform_new();
    fixture->workload = orrery_workload_new();
    fixture->study = orrery_study_new();
    fixture->parts = (struct orrery_parts){
        ORRERY_SIZED(orrery_parts), .platform = fixture->platform, .workload = fixture->workload};
    return orrery_platform_parse(fixture->platform, platform_text) != ORRERY_OK ||
           orrery_workload_parse(fixture->workload, workload_text) != ORRERY_OK;
}

static int end(void **state)
{
    struct fixture *fixture = *state;
    orrery_study_free(fixture->study);
    orrery_platform_free(fixture->platform);
    orrery_workload_free(fixture->workload);
    free(fixture);
    return 0;
}

static struct orrery_value value_of(struct orrery_study *study, const char *name, size_t row)
{
    struct orrery_value value;
    if (orrery_study_result(study, name, row, &value) != ORRERY_OK) {
        fail_msg("%s: %s", name, orrery_study_error(study));
    }
    return value;
}

static size_t rows_of(struct orrery_study *study, const char *place)
{
    size_t rows = 0;
    if (orrery_study_rows(study, place, &rows) != ORRERY_OK) {
        fail_msg("%s: %s", place, orrery_study_error(study));
    }
    return rows;
}

static void check_ok(struct orrery_study *study, enum orrery_status status)
{
    if (status != ORRERY_OK) {
        fail_msg("%s", orrery_study_error(study));
    }
}

static void check_said(const struct orrery_study *study, enum orrery_status status,
                       const char *message)
{
    assert_int_equal(status, ORRERY_ERROR_INPUT);
    assert_string_equal(orrery_study_error(study), message);
}

static void check_no_results(struct orrery_study *study)
{
    struct orrery_value value;
    check_said(study, orrery_study_result(study, "changes.wall_ps", 0, &value),
               "the study has no results yet");
    check_said(study, orrery_study_write(study, stderr, ORRERY_FORM_TABLE),
               "the study has no results yet");
}

/* ---- what if ---- */

/* Twice the bandwidth of dimension 2 saves 6 us of 28, no latency 8, all of it at most. */
static void test_whatif_is_ranked_by_hand(void **state)
{
    const struct fixture *fixture = *state;
    static const char *const change[] = {"network.dims[1].bandwidth=0.25 GB/s"};
    const struct orrery_whatif whatif = {ORRERY_SIZED(orrery_whatif), .parts = &fixture->parts,
                                         .change = change, .changes = 1, .threads = 2};
    struct orrery_study *study = fixture->study;
    check_ok(study, orrery_whatif(study, &whatif));
    const size_t rows = rows_of(study, "changes");
    assert_string_equal(value_of(study, "changes.what", 0).text, "baseline");
    assert_int_equal(value_of(study, "changes.wall_ps", 0).integer, 28 * US);
    assert_string_equal(value_of(study, "changes.what", 1).text, "no latency");
    assert_int_equal(value_of(study, "changes.saved_ps", 1).integer, 8 * US);
    assert_int_equal(value_of(study, "wall_ps", 1).integer, 20 * US);
    assert_true(value_of(study, "changes.speedup", 1).real == 1.4);
    assert_string_equal(value_of(study, "changes.what", rows - 1).text, "compute free");
    assert_int_equal(value_of(study, "changes.bound", rows - 1).integer, 1);
    bool found = false; /* what is given: 12 us more */
    for (size_t row = 1; row < rows; row++) {
        found = found || (strcmp(value_of(study, "changes.what", row).text, change[0]) == 0 &&
                          value_of(study, "changes.wall_ps", row).integer == 40 * US);
    }
    assert_true(found);
}

static void test_whatif_refuses_with_a_message(void **state)
{
    const struct fixture *fixture = *state;
    static const char *const change[] = {"network.dims[1].bandwidth=none"};
    struct orrery_whatif whatif = {ORRERY_SIZED(orrery_whatif), .parts = &fixture->parts};
    struct orrery_study *study = fixture->study;
    check_no_results(study);
    check_said(study, orrery_whatif(study, NULL), "a struct orrery_whatif is needed");
    whatif.size -= 8;
    assert_int_equal(orrery_whatif(study, &whatif), ORRERY_ERROR_INPUT);
    assert_non_null(strstr(orrery_study_error(study), "struct orrery_whatif has "));
    whatif.size += 24;
    assert_int_equal(orrery_whatif(study, &whatif), ORRERY_ERROR_INPUT);
    whatif = (struct orrery_whatif){ORRERY_SIZED(orrery_whatif)};
    check_said(study, orrery_whatif(study, &whatif),
               "expected one of files, astra_sim and parts, got 0");
    whatif.parts = &fixture->parts;
    whatif.factor = -1;
    check_said(study, orrery_whatif(study, &whatif), "factor: expected a number above 0, got -1");
    whatif.factor = 0;
    whatif.change = change;
    whatif.changes = 1;
    assert_int_equal(orrery_whatif(study, &whatif), ORRERY_ERROR_INPUT);
    assert_non_null(strstr(orrery_study_error(study), change[0]));
    check_no_results(study);
}

/* ---- sweeps ---- */

static void check_points(struct orrery_study *study)
{
    assert_int_equal(rows_of(study, "points"), POINTS);
    assert_int_equal(rows_of(study, "by_time"), POINTS - 2);
    assert_int_equal(rows_of(study, "pareto"), 3);
    assert_int_equal(value_of(study, "points.wall_ps", 0).integer, 28 * US);
    assert_int_equal(value_of(study, "points.wall_ps", 4).integer, 18 * US);
    assert_true(value_of(study, "points.cost", 4).real == 10);
    assert_int_equal(value_of(study, "points.npus", 4).integer, 8);
    assert_int_equal(value_of(study, "points.exposed_communication_ps", 1).integer, 22 * US);
    assert_string_equal(value_of(study, "points.status", 4).text, "ok");
    assert_int_equal(value_of(study, "points.error", 4).kind, ORRERY_VALUE_NONE);
    assert_string_equal(value_of(study, "points.status", 5).text, "failed");
    assert_non_null(strstr(value_of(study, "points.error", 5).text, "bandwidth"));
    assert_int_equal(value_of(study, "points.wall_ps", 5).kind, ORRERY_VALUE_NONE);
    assert_string_equal(value_of(study, "points.network.dims[1].bandwidth", 4).text, "1 GB/s");
    assert_int_equal(value_of(study, "by_time.point", 0).integer, 4);
    assert_int_equal(value_of(study, "by_time.wall_ps", 3).integer, 28 * US);
    assert_int_equal(value_of(study, "by_cost.point", 0).integer, 0);
    assert_int_equal(value_of(study, "by_both.point", 0).integer, 0);
    assert_int_equal(value_of(study, "pareto.point", 1).integer, 1);
}

struct heard {
    unsigned calls, failed;
    uint32_t done;
};

static void hear(void *user, const struct orrery_sweep_progress *progress)
{
    struct heard *heard = user;
    heard->calls++;
    heard->failed += progress->error != NULL ? 1 : 0;
    heard->done = progress->done;
    assert_int_equal(progress->points, POINTS);
}

static void test_sweep_in_memory_in_processes_and_threads(void **state)
{
    const struct fixture *fixture = *state;
    for (unsigned threads = 0; threads < 2; threads++) {
        struct heard heard = {0};
        const struct orrery_sweep sweep = {ORRERY_SIZED(orrery_sweep), .text = sweep_text,
                                           .threads = threads != 0,    .jobs = 3,
                                           .progress = hear,           .user = &heard};
        check_ok(fixture->study, orrery_sweep(fixture->study, &sweep));
        check_points(fixture->study);
        assert_int_equal(heard.calls, POINTS);
        assert_int_equal(heard.failed, 2);
        assert_int_equal(heard.done, POINTS);
    }
}

/* By B2 there are three groups; of 0.5 GB/s points 3 (24 us for 8) and 0 (28 us for 5) are on the
 * front, of 1 GB/s 4 (18 us for 10) and 1 (22 us for 7), and of -1 GB/s there are none. */
static void test_sweep_by_groups(void **state)
{
    static const long fronts[] = {3, 0, 4, 1};
    const struct fixture *fixture = *state;
    char text[1024];
    (void)snprintf(text, sizeof text, "%s  group_by: network.dims[1].bandwidth\n", sweep_text);
    const struct orrery_sweep sweep = {ORRERY_SIZED(orrery_sweep), .text = text, .threads = true};
    check_ok(fixture->study, orrery_sweep(fixture->study, &sweep));
    assert_int_equal(rows_of(fixture->study, "pareto"), 4);
    for (size_t row = 0; row < 4; row++) {
        assert_int_equal(value_of(fixture->study, "pareto.point", row).integer, fronts[row]);
        assert_int_equal(value_of(fixture->study, "points.pareto", (size_t)fronts[row]).integer, 1);
    }
    struct orrery_value failed;
    check_ok(fixture->study, orrery_study_result(fixture->study, "points.pareto", 2, &failed));
    assert_int_equal(failed.kind, ORRERY_VALUE_NONE);
}

static void remove_results(const char *prefix)
{
    static const char *const endings[] = {"csv", "jsonl", "state"};
    for (unsigned i = 0; i < 3; i++) {
        char name[128];
        (void)snprintf(name, sizeof name, "%s.%s", prefix, endings[i]);
        assert_int_equal(unlink(name), 0);
    }
}

/* The second time nothing runs, but for what is to be tried again. */
static void test_sweep_in_files_goes_on(void **state)
{
    const struct fixture *fixture = *state;
    static const unsigned runs[] = {POINTS, 0, 2, POINTS};
    char prefix[64];
    (void)snprintf(prefix, sizeof prefix, "/tmp/orr_study_api_%ld", (long)getpid());
    for (unsigned i = 0; i < 4; i++) {
        struct heard heard = {0};
        const struct orrery_sweep sweep = {
            ORRERY_SIZED(orrery_sweep), .text = sweep_text, .output = prefix, .retry = i == 2,
            .restart = i == 3,          .threads = i == 1,  .progress = hear, .user = &heard};
        check_ok(fixture->study, orrery_sweep(fixture->study, &sweep));
        check_points(fixture->study);
        assert_int_equal(heard.calls, runs[i]);
    }
    remove_results(prefix);
}

static void test_sweep_lists_without_running(void **state)
{
    const struct fixture *fixture = *state;
    const struct orrery_sweep sweep = {ORRERY_SIZED(orrery_sweep), .text = sweep_text,
                                       .list = true};
    struct orrery_study *study = fixture->study;
    struct orrery_value value;
    check_ok(study, orrery_sweep(study, &sweep));
    assert_int_equal(rows_of(study, "points"), POINTS);
    assert_int_equal(rows_of(study, "by_time"), 0);
    assert_string_equal(value_of(study, "points.network.dims[0].bandwidth", 3).text, "2 GB/s");
    check_said(study, orrery_study_result(study, "points.wall_ps", 0, &value),
               "the points were listed, and have not run");
    check_said(study, orrery_study_result(study, "by_time.point", 0, &value),
               "by_time: there are no rows");
    check_said(study, orrery_study_write(study, stderr, ORRERY_FORM_TABLE),
               "these results do not have this form");
}

static void check_bad_sweep(struct orrery_study *study, const char *text, const char *message)
{
    const struct orrery_sweep sweep = {ORRERY_SIZED(orrery_sweep), .text = text, .threads = true};
    assert_int_equal(orrery_sweep(study, &sweep), ORRERY_ERROR_INPUT);
    if (strstr(orrery_study_error(study), message) == NULL) {
        fail_msg("%s", orrery_study_error(study));
    }
}

static void test_sweep_refuses_with_a_message(void **state)
{
    const struct fixture *fixture = *state;
    struct orrery_study *study = fixture->study;
    struct orrery_value value;
    struct orrery_sweep sweep = {ORRERY_SIZED(orrery_sweep)};
    size_t rows;
    check_said(study, orrery_sweep(study, NULL), "a struct orrery_sweep is needed");
    check_said(study, orrery_sweep(study, &sweep), "expected one of file and text, got 0");
    sweep.file = "/nowhere/study.yml";
    assert_int_equal(orrery_sweep(study, &sweep), ORRERY_ERROR_IO);
    assert_non_null(strstr(orrery_study_error(study), "/nowhere/study.yml: cannot be opened"));
    check_bad_sweep(study, "sweep: {axes: {network.bandwith: [1 GB/s]}}", "bandwith");
    check_bad_sweep(study, "sweep: {axes: {system.chunks: [0]}}",
                    "none of the points can be loaded");
    check_bad_sweep(study, "sweep: [", "text:2:1: syntax error");
    sweep = (struct orrery_sweep){ORRERY_SIZED(orrery_sweep), .text = sweep_text};
    check_ok(study, orrery_sweep(study, &sweep));
    check_said(study, orrery_study_result(study, "points.wal_ps", 0, &value),
               "a point has no result \"wal_ps\"; did you mean \"wall_ps\"?");
    check_said(study, orrery_study_result(study, "points.wall_ps", POINTS, &value),
               "points: expected a row below 6, got 6");
    check_said(
        study, orrery_study_rows(study, "runs", &rows),
        "\"runs\" is no place of results of a sweep: points, by_time, by_cost, by_both, pareto");
}

/* ---- comparisons ---- */

static struct orrery *run(const struct fixture *fixture, const char *set)
{
    struct orrery_parts parts = fixture->parts;
    struct orrery *job = orrery_new();
    parts.set = &set;
    parts.set_count = 1;
    orrery_record(job, ORRERY_RECORD_NODES);
    assert_int_equal(orrery_load_parts(job, &parts), ORRERY_OK);
    assert_int_equal(orrery_run(job), ORRERY_OK);
    return job;
}

static char *json_of(struct orrery *job)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    assert_int_equal(orrery_write_json(job, out, false), ORRERY_OK);
    assert_int_equal(fclose(out), 0);
    return text;
}

/* 1 GB/s instead of 0.5 in dimension 2: 6 us less. */
static void test_diff_of_jobs_and_texts(void **state)
{
    const struct fixture *fixture = *state;
    struct orrery_study *study = fixture->study;
    struct orrery *a = run(fixture, "network.dims[1].bandwidth=0.5 GB/s");
    struct orrery *b = run(fixture, "network.dims[1].bandwidth=1 GB/s");
    char *text = json_of(b);
    for (unsigned i = 0; i < 2; i++) {
        const struct orrery_diff diff = {
            ORRERY_SIZED(orrery_diff), .a = {.job = a},
            .b = {.text = i == 0 ? text : NULL, .job = i == 0 ? NULL : b}};
        check_ok(study, orrery_diff(study, &diff));
        assert_int_equal(value_of(study, "diff.wall_ps_a", 0).integer, 28 * US);
        assert_int_equal(value_of(study, "diff.wall_ps_b", 0).integer, 22 * US);
        assert_int_equal(rows_of(study, "settings"), 1);
        assert_string_equal(value_of(study, "settings.key", 0).text, "network.dims[1].bandwidth");
        assert_string_equal(value_of(study, "differences.what", 0).text, "exposed communication");
        assert_int_equal(value_of(study, "differences.change", 0).integer, -6 * US);
        assert_string_equal(value_of(study, "differences.unit", 0).text, "ps");
    }
    free(text);
    orrery_free(a);
    orrery_free(b);
}

static void test_diff_refuses_with_a_message(void **state)
{
    const struct fixture *fixture = *state;
    struct orrery_study *study = fixture->study;
    struct orrery *job = orrery_new();
    struct orrery_diff diff = {ORRERY_SIZED(orrery_diff), .a = {.job = job}};
    check_said(study, orrery_diff(study, NULL), "a struct orrery_diff is needed");
    check_said(study, orrery_diff(study, &diff), "expected one of path, text and job of b, got 0");
    diff.b.text = "{}";
    check_said(study, orrery_diff(study, &diff), "the job has not run yet");
    diff.a = diff.b;
    check_said(study, orrery_diff(study, &diff),
               "a: no result of orrery run --json: it needs \"wall_ps\", a whole number");
    diff.a = (struct orrery_diff_side){.path = "/nowhere.json"};
    assert_int_equal(orrery_diff(study, &diff), ORRERY_ERROR_IO);
    assert_string_equal(orrery_study_error(study), "/nowhere.json: cannot be opened");
    orrery_free(job);
}

/* ---- benches ---- */

/* Of 8000 bytes by the blocks' algorithms, 28 us; the bus carries 2 (8 - 1) / 8 of the bytes. */
static void test_bench_is_by_hand(void **state)
{
    const struct fixture *fixture = *state;
    struct orrery_study *study = fixture->study;
    const struct orrery_parts platform = {ORRERY_SIZED(orrery_parts),
                                          .platform = fixture->platform};
    const struct orrery_bench bench = {ORRERY_SIZED(orrery_bench), .parts = &platform,
                                       .min_bytes = 8000, .max_bytes = 16000, .step = 2};
    unsigned best = 0;
    check_ok(study, orrery_bench_collective(study, &bench));
    const size_t rows = rows_of(study, "runs");
    assert_string_equal(value_of(study, "runs.algorithm", 1).text, "by block");
    assert_string_equal(value_of(study, "runs.scheduler", 1).text, "baseline");
    assert_int_equal(value_of(study, "runs.bytes", 1).integer, 8000);
    assert_int_equal(value_of(study, "runs.time_ps", 1).integer, 28 * US);
    assert_true(value_of(study, "runs.busbw_bytes_per_s", 1).real == 5e8);
    for (size_t row = 0; row < rows; row++) {
        best += value_of(study, "runs.best", row).integer != 0 ? 1 : 0;
    }
    assert_int_equal(best, 2); /* sizes */
    check_said(study, orrery_study_write(study, stderr, ORRERY_FORM_JSON),
               "these results do not have this form");
}

/* In one chunk the first one is there at the end; who does not ask is not told. */
static void test_bench_tells_the_turnaround(void **state)
{
    const struct fixture *fixture = *state;
    struct orrery_study *study = fixture->study;
    static const char *const one_chunk[] = {"system.chunks=1"};
    const struct orrery_parts platform = {ORRERY_SIZED(orrery_parts), .platform = fixture->platform,
                                          .set = one_chunk, .set_count = 1};
    struct orrery_bench bench = {ORRERY_SIZED(orrery_bench), .parts = &platform, .min_bytes = 8000,
                                 .max_bytes = 8000};
    check_ok(study, orrery_bench_collective(study, &bench));
    assert_int_equal(value_of(study, "runs.turnaround_ps", 1).kind, ORRERY_VALUE_NONE);
    bench.turnaround = true;
    check_ok(study, orrery_bench_collective(study, &bench));
    assert_int_equal(value_of(study, "runs.time_ps", 1).integer, 28 * US);
    assert_int_equal(value_of(study, "runs.turnaround_ps", 1).integer, 28 * US);
}

/* The 28 us of 8000 bytes measured as 70 us: 0.4 of the bandwidth, which even for a small size,
 * where half is, is not normal. */
static void test_measured_times_stand_beside(void **state)
{
    const struct fixture *fixture = *state;
    struct orrery_study *study = fixture->study;
    static const char text[] = "bytes,time_us\n8000,70\n7,1\n";
    const struct orrery_parts platform = {ORRERY_SIZED(orrery_parts),
                                          .platform = fixture->platform};
    const struct orrery_measured data = {"table", text, sizeof text - 1};
    struct orrery_bench_measured bench = {
        ORRERY_SIZED(orrery_bench_measured), .parts = &platform, .data = &data,     .sources = 1,
        .collective = "all_reduce",          .npus = 8,          .npus_per_node = 2};
    check_ok(study, orrery_bench_measured(study, &bench));
    assert_int_equal(rows_of(study, "measured_runs"), 1);
    assert_int_equal(rows_of(study, "measured"), 2);
    assert_true(fabs(value_of(study, "measured_runs.model_us", 0).real - 28) < 1e-9);
    assert_true(fabs(value_of(study, "measured_runs.error", 0).real + 0.6) < 1e-9);
    assert_true(fabs(value_of(study, "measured_runs.measured_busbw_bytes_per_s", 0).real - 2e8) <
                1);
    assert_true(fabs(value_of(study, "measured.gap", 0).real + 0.6) < 1e-9);
    assert_int_equal(value_of(study, "measured.normal", 0).integer, 0);
    assert_int_equal(value_of(study, "measured.skipped", 1).integer, 1);
    assert_string_equal(value_of(study, "measured.collective", 1).text, "all");
    assert_int_equal(value_of(study, "measured.npus", 1).kind, ORRERY_VALUE_NONE);
    bench.npus = 16;
    check_said(study, orrery_bench_measured(study, &bench),
               "table:3:1: 16 NPUs, 2 of each node: more nodes than the platform has; the platform "
               "has 4 nodes of 2 NPUs");
    bench.sources = 0;
    check_said(study, orrery_bench_measured(study, &bench),
               "data: expected measured times, got none");
}

static void test_bench_refuses_with_a_message(void **state)
{
    const struct fixture *fixture = *state;
    struct orrery_study *study = fixture->study;
    struct orrery_bench bench = {ORRERY_SIZED(orrery_bench)};
    check_said(study, orrery_bench_collective(study, NULL), "a struct orrery_bench is needed");
    check_said(study, orrery_bench_collective(study, &bench),
               "expected one of files and parts, got 0");
    bench.parts = &fixture->parts;
    bench.collective = "all_of_it";
    check_said(study, orrery_bench_collective(study, &bench),
               "collective: expected all_reduce, all_gather, reduce_scatter or all_to_all, got "
               "\"all_of_it\"");
    bench.collective = NULL;
    bench.step = 1;
    check_said(study, orrery_bench_collective(study, &bench), "step: expected at least 2, got 1");
    bench.step = 0;
    bench.min_bytes = 7;
    check_said(study, orrery_bench_collective(study, &bench),
               "min_bytes: expected at least a byte for each of the 8 NPUs, got 7");
    bench.min_bytes = 16;
    bench.max_bytes = 8;
    check_said(study, orrery_bench_collective(study, &bench), "max_bytes is below min_bytes");
    bench.size++;
    assert_int_equal(orrery_bench_collective(study, &bench), ORRERY_ERROR_INPUT);
    assert_non_null(strstr(orrery_study_error(study), "use ORRERY_SIZED"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_whatif_is_ranked_by_hand, begin, end),
        cmocka_unit_test_setup_teardown(test_whatif_refuses_with_a_message, begin, end),
        cmocka_unit_test_setup_teardown(test_sweep_by_groups, begin, end),
        cmocka_unit_test_setup_teardown(test_sweep_in_memory_in_processes_and_threads, begin, end),
        cmocka_unit_test_setup_teardown(test_sweep_in_files_goes_on, begin, end),
        cmocka_unit_test_setup_teardown(test_sweep_lists_without_running, begin, end),
        cmocka_unit_test_setup_teardown(test_sweep_refuses_with_a_message, begin, end),
        cmocka_unit_test_setup_teardown(test_diff_of_jobs_and_texts, begin, end),
        cmocka_unit_test_setup_teardown(test_diff_refuses_with_a_message, begin, end),
        cmocka_unit_test_setup_teardown(test_bench_is_by_hand, begin, end),
        cmocka_unit_test_setup_teardown(test_bench_tells_the_turnaround, begin, end),
        cmocka_unit_test_setup_teardown(test_measured_times_stand_beside, begin, end),
        cmocka_unit_test_setup_teardown(test_bench_refuses_with_a_message, begin, end)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
