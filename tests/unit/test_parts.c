/* Platforms and workloads as objects: from text, from files and in memory, shared by simulations
 * and threads; and results for programs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "orrery/inputs.h"
#include "orrery/report.h"
#include "orrery/study.h"

/* One chunk of an all-reduce of 8000 bytes on a ring of 4 at 1 GB/s and 1 us: 6 steps of 2000
 * bytes, 6 (2 + 1) = 18 us. */
static const char ring[] = "network: {topology: Ring(4), bandwidth: 1 GB/s, latency: 1 us}\n"
                           "system: {chunks: 1, algorithms: {default: by_block}}\n";
static const char all_reduce[] = "workload: {generate: all_reduce, bytes: 8000 B}\n";
#define US INT64_C(1000000)
enum { RING_US = 18 };

static struct orrery_platform *platform_of(const char *text)
{
    struct orrery_platform *platform = orrery_platform_new();
    assert_non_null(platform);
    assert_int_equal(orrery_platform_parse(platform, text), ORRERY_OK);
    return platform;
}

static struct orrery_workload *workload_of(const char *text)
{
    struct orrery_workload *workload = orrery_workload_new();
    assert_non_null(workload);
    assert_int_equal(orrery_workload_parse(workload, text), ORRERY_OK);
    return workload;
}

static struct orrery *load(struct orrery_platform *platform, struct orrery_workload *workload,
                           enum orrery_status expected)
{
    struct orrery *job = orrery_new();
    const struct orrery_parts parts = {ORRERY_SIZED(orrery_parts), .platform = platform,
                                       .workload = workload};
    assert_int_equal(orrery_load_parts(job, &parts), expected);
    return job;
}

static int64_t time_of(struct orrery_platform *platform, struct orrery_workload *workload)
{
    struct orrery *job = load(platform, workload, ORRERY_OK);
    assert_int_equal(orrery_run(job), ORRERY_OK);
    const int64_t wall = orrery_wall_ps(job);
    orrery_free(job);
    return wall;
}

static void free_both(struct orrery_platform *platform, struct orrery_workload *workload)
{
    orrery_platform_free(platform);
    orrery_workload_free(workload);
}

/* ---- making ---- */

static void test_text_takes_the_time_by_hand(void **state)
{
    (void)state;
    struct orrery_platform *platform = platform_of(ring);
    struct orrery_workload *workload = workload_of(all_reduce);
    assert_int_equal(time_of(platform, workload), RING_US * US);
    assert_int_equal(time_of(platform, workload), RING_US * US); /* shared, again */
    free_both(platform, workload);
}

static void test_platform_may_hold_the_workload(void **state)
{
    (void)state;
    struct orrery_platform *platform = platform_of(ring);
    assert_int_equal(orrery_platform_parse(platform, all_reduce), ORRERY_OK);
    assert_int_equal(orrery_platform_set(platform, "network.bandwidth=2 GB/s"), ORRERY_OK);
    assert_int_equal(time_of(platform, NULL), 12 * US);
    orrery_platform_free(platform);
}

static void test_files_are_as_text(void **state)
{
    (void)state;
    char path[] = "/tmp/orrery-parts-XXXXXX";
    FILE *file = fdopen(mkstemp(path), "w");
    assert_non_null(file);
    (void)fputs(ring, file);
    assert_int_equal(fclose(file), 0);
    struct orrery_platform *platform = orrery_platform_new();
    struct orrery_workload *workload = workload_of(all_reduce);
    assert_int_equal(orrery_platform_read(platform, path, NULL), ORRERY_OK);
    assert_int_equal(time_of(platform, workload), RING_US * US);
    assert_int_equal(orrery_platform_read(platform, path, NULL), ORRERY_ERROR_INPUT);
    assert_non_null(strstr(orrery_platform_error(platform), "a simulation has loaded this"));
    free_both(platform, workload);
    (void)remove(path);
}

/* ---- traces in memory ---- */

static struct orrery_trace_node node(uint64_t id, enum orrery_node_kind kind, const uint64_t *after)
{
    return (struct orrery_trace_node){ORRERY_SIZED(orrery_trace_node), .id = id, .kind = kind,
                                      .after = after, .after_count = after != NULL ? 1 : 0};
}

static void add(struct orrery_workload *workload, uint32_t trace,
                const struct orrery_trace_node *added)
{
    assert_int_equal(orrery_workload_add(workload, trace, added), ORRERY_OK);
}

/* 5 us of computing, as recorded, and then the all-reduce, on all NPUs. */
static void test_one_trace_is_run_by_all(void **state)
{
    (void)state;
    struct orrery_platform *platform = platform_of(ring);
    struct orrery_workload *workload = orrery_workload_new();
    const uint64_t first = 7;
    struct orrery_trace_node compute = node(first, ORRERY_NODE_COMPUTE, NULL);
    struct orrery_trace_node reduce = node(3, ORRERY_NODE_COLLECTIVE, &first);
    compute.duration_ps = 5 * US;
    reduce.collective = "all_reduce";
    reduce.bytes = 8000;
    add(workload, 0, &reduce); /* in any order */
    add(workload, 0, &compute);
    assert_int_equal(time_of(platform, workload), (5 + RING_US) * US);
    free_both(platform, workload);
}

/* NPU 0 sends 4000 bytes to its neighbour 1: 4 + 1 us; the others have a node that takes none. */
static void test_a_trace_for_each_npu(void **state)
{
    (void)state;
    struct orrery_platform *platform = platform_of(ring);
    struct orrery_workload *workload = orrery_workload_new();
    for (uint32_t rank = 0; rank < 4; rank++) {
        struct orrery_trace_node one = node(0, ORRERY_NODE_OTHER, NULL);
        if (rank < 2) {
            one.kind = rank == 0 ? ORRERY_NODE_SEND : ORRERY_NODE_RECEIVE;
            one.peer = 1 - rank;
            one.bytes = 4000;
        }
        add(workload, rank, &one);
    }
    assert_int_equal(time_of(platform, workload), 5 * US);
    free_both(platform, workload);
}

/* Groups of the workload's section; all-reduces of 8000 bytes between two neighbours: 2 (4 + 1). */
static void test_traces_name_groups_of_the_section(void **state)
{
    (void)state;
    struct orrery_platform *platform = platform_of(ring);
    struct orrery_workload *workload = workload_of("workload: {groups: {a: [0, 1], b: [2, 3]}}\n");
    for (uint32_t rank = 0; rank < 4; rank++) {
        struct orrery_trace_node reduce = node(0, ORRERY_NODE_COLLECTIVE, NULL);
        reduce.collective = "all_reduce";
        reduce.group = rank < 2 ? "a" : "b";
        reduce.bytes = 8000;
        add(workload, rank, &reduce);
    }
    assert_int_equal(time_of(platform, workload), 10 * US);
    free_both(platform, workload);
}

/* ---- what is refused ---- */

static void refuse_load(struct orrery_platform *platform, struct orrery_workload *workload,
                        const char *says)
{
    struct orrery *job = load(platform, workload, ORRERY_ERROR_INPUT);
    if (strstr(orrery_error(job), says) == NULL) {
        fail_msg("expected \"%s\", got \"%s\"", says, orrery_error(job));
    }
    orrery_free(job);
}

static void test_cycle_is_named_each_time(void **state)
{
    (void)state;
    struct orrery_platform *platform = platform_of(ring);
    struct orrery_workload *workload = orrery_workload_new();
    const uint64_t ids[] = {1, 2};
    const struct orrery_trace_node first = node(1, ORRERY_NODE_COMPUTE, &ids[1]);
    const struct orrery_trace_node second = node(2, ORRERY_NODE_COMPUTE, &ids[0]);
    add(workload, 0, &first);
    add(workload, 0, &second);
    refuse_load(platform, workload, "trace 0: ");
    refuse_load(platform, workload, "cycle");
    free_both(platform, workload);
}

/* What is said of later calls does not make a refused workload one that loads. */
static void test_refused_workload_stays_refused(void **state)
{
    (void)state;
    struct orrery_platform *platform = platform_of(ring);
    struct orrery_workload *workload = orrery_workload_new();
    const uint64_t self = 1;
    const struct orrery_trace_node cycle = node(1, ORRERY_NODE_COMPUTE, &self);
    add(workload, 0, &cycle);
    refuse_load(platform, workload, "cycle");
    assert_int_equal(orrery_workload_set(workload, "workload.tokens=1"), ORRERY_ERROR_INPUT);
    assert_non_null(strstr(orrery_workload_error(workload), "a simulation has loaded this"));
    refuse_load(platform, workload, "cycle");
    free_both(platform, workload);
}

/* A handle that has parts, though they were refused, takes no files. */
static void test_handle_of_refused_parts_is_used(void **state)
{
    (void)state;
    struct orrery_platform *platform = platform_of(ring);
    struct orrery_workload *workload = orrery_workload_new();
    const uint64_t self = 1;
    const struct orrery_trace_node cycle = node(1, ORRERY_NODE_COMPUTE, &self);
    add(workload, 0, &cycle);
    struct orrery *job = load(platform, workload, ORRERY_ERROR_INPUT);
    const char *const set[] = {"network={topology: Ring(4), bandwidth: 1 GB/s}",
                               "workload={traces: none}"};
    const struct orrery_inputs inputs = {.set = set, .set_count = 2};
    assert_int_equal(orrery_load(job, &inputs), ORRERY_ERROR_INPUT);
    assert_string_equal(orrery_error(job), "a job is loaded already; use a new handle");
    orrery_free(job);
    free_both(platform, workload);
}

static void refuse_node(const struct orrery_trace_node *refused, const char *says)
{
    struct orrery_workload *workload = orrery_workload_new();
    assert_int_equal(orrery_workload_add(workload, 0, refused), ORRERY_ERROR_INPUT);
    if (strstr(orrery_workload_error(workload), says) == NULL) {
        fail_msg("expected \"%s\", got \"%s\"", says, orrery_workload_error(workload));
    }
    orrery_workload_free(workload);
}

static void test_bad_nodes_are_refused(void **state)
{
    (void)state;
    struct orrery_trace_node bad = node(1, ORRERY_NODE_COLLECTIVE, NULL);
    refuse_node(&bad, "node 1 (): expected a collective such as \"all_reduce\"");
    bad.collective = "allreduce";
    refuse_node(&bad, "expected a collective");
    bad = node(1, ORRERY_NODE_COMPUTE, NULL);
    bad.duration_ps = -1;
    refuse_node(&bad, "expected a duration of 0 ps or more");
    bad = node(1, ORRERY_NODE_COMPUTE, NULL);
    bad.after_count = 1;
    refuse_node(&bad, "expected `after`");
    bad = node(1, (enum orrery_node_kind)99, NULL);
    refuse_node(&bad, "expected a kind of enum orrery_node_kind");
    bad.size = 8;
    refuse_node(&bad, "struct orrery_trace_node has 8 bytes");
}

static void test_number_of_traces_must_fit(void **state)
{
    (void)state;
    struct orrery_platform *platform = platform_of(ring);
    struct orrery_workload *two = orrery_workload_new(), *hole = orrery_workload_new();
    const struct orrery_trace_node one = node(0, ORRERY_NODE_OTHER, NULL);
    add(two, 0, &one);
    add(two, 1, &one);
    add(hole, 3, &one);
    refuse_load(platform, two, "the workload has 2 traces, and the platform 4 NPUs");
    refuse_load(platform, hole, "trace 0 has no nodes, though there is a trace 3");
    orrery_workload_free(hole);
    free_both(platform, two);
}

static void test_traces_beside_a_generator_are_refused(void **state)
{
    (void)state;
    struct orrery_platform *platform = platform_of(ring);
    struct orrery_workload *workload = workload_of(all_reduce);
    const struct orrery_trace_node one = node(0, ORRERY_NODE_OTHER, NULL);
    add(workload, 0, &one);
    refuse_load(platform, workload, "workload");
    free_both(platform, workload);
}

static void test_parts_of_another_interface_are_refused(void **state)
{
    (void)state;
    struct orrery *job = orrery_new();
    const struct orrery_parts old = {.size = 8}, none = {ORRERY_SIZED(orrery_parts)};
    assert_int_equal(orrery_load_parts(job, &old), ORRERY_ERROR_INPUT);
    assert_non_null(strstr(orrery_error(job), "struct orrery_parts has 8 bytes"));
    assert_int_equal(orrery_load_parts(job, &none), ORRERY_ERROR_INPUT);
    assert_string_equal(orrery_error(job), "a platform is needed");
    orrery_free(job);
}

static void test_bad_text_has_its_place(void **state)
{
    (void)state;
    struct orrery_platform *platform = orrery_platform_new();
    assert_int_equal(orrery_platform_parse(platform, "network: [\n"), ORRERY_ERROR_INPUT);
    assert_non_null(strstr(orrery_platform_error(platform), "text:"));
    assert_int_equal(orrery_platform_parse(platform, "- 1\n"), ORRERY_ERROR_INPUT);
    assert_non_null(strstr(orrery_platform_error(platform), "text:1:1: "));
    assert_int_equal(orrery_platform_parse(platform, "network: {topology: Ring(4)}\n"), ORRERY_OK);
    struct orrery *job = load(platform, NULL, ORRERY_ERROR_INPUT);
    assert_non_null(strstr(orrery_error(job), "text:1:1"));
    orrery_free(job);
    orrery_platform_free(platform);
}

/* ---- sharing ---- */

static void test_freed_parts_live_as_long_as_their_runs(void **state)
{
    (void)state;
    struct orrery_platform *platform = platform_of(ring);
    struct orrery_workload *workload = workload_of(all_reduce);
    struct orrery *job = load(platform, workload, ORRERY_OK);
    free_both(platform, workload);
    assert_int_equal(orrery_run(job), ORRERY_OK);
    assert_int_equal(orrery_wall_ps(job), RING_US * US);
    orrery_free(job);
}

enum { RUNS = 64 };

struct shared {
    struct orrery_platform *platform;
    struct orrery_workload *workload;
    int64_t wall_ps[RUNS];
};

/* 6 steps of 2 us / (i + 1) + 1 us. */
static void run_one(void *context, unsigned index)
{
    struct shared *shared = context;
    char bandwidth[64];
    const char *set[] = {bandwidth};
    (void)snprintf(bandwidth, sizeof bandwidth, "network.bandwidth=%u GB/s", index + 1);
    const struct orrery_parts parts = {ORRERY_SIZED(orrery_parts), shared->platform,
                                       shared->workload, set, 1};
    struct orrery *job = orrery_new();
    if (orrery_load_parts(job, &parts) == ORRERY_OK && orrery_run(job) == ORRERY_OK) {
        shared->wall_ps[index] = orrery_wall_ps(job);
    }
    orrery_free(job);
}

static void test_threads_share_parts(void **state)
{
    (void)state;
    struct shared shared = {.platform = platform_of(ring), .workload = orrery_workload_new()};
    struct orrery_trace_node reduce = node(0, ORRERY_NODE_COLLECTIVE, NULL);
    reduce.collective = "all_reduce";
    reduce.bytes = 8000;
    add(shared.workload, 0, &reduce);
    orrery_parallel(4, RUNS, run_one, &shared);
    for (unsigned i = 0; i < RUNS; i++) {
        const int64_t step = (2 * US + i) / (i + 1) + US; /* up to a whole ps */
        assert_int_equal(shared.wall_ps[i], 6 * step);
    }
    free_both(shared.platform, shared.workload);
}

/* ---- results ---- */

static void test_results_before_the_run_say_so(void **state)
{
    (void)state;
    struct orrery_platform *platform = platform_of(ring);
    struct orrery_workload *workload = workload_of(all_reduce);
    struct orrery *job = load(platform, workload, ORRERY_OK);
    struct orrery_times times;
    FILE *out = tmpfile();
    assert_int_equal(orrery_npu_times(job, 0, &times), ORRERY_ERROR_INPUT);
    assert_string_equal(orrery_error(job), "times of an NPU: the job has not run yet");
    assert_int_equal(orrery_write_json(job, out, false), ORRERY_ERROR_INPUT);
    assert_string_equal(orrery_error(job), "the job has not run yet");
    assert_int_equal(orrery_run(job), ORRERY_OK);
    assert_int_equal(orrery_npu_times(job, 4, &times), ORRERY_ERROR_INPUT);
    assert_string_equal(orrery_error(job), "times of an NPU: expected an index below 4, got 4");
    assert_int_equal(orrery_write_timeline(job, out, NULL, false), ORRERY_ERROR_INPUT);
    assert_string_equal(orrery_error(job), "a timeline needs ORRERY_RECORD_NODES before loading");
    assert_int_equal(ftell(out), 0); /* nothing was written */
    (void)fclose(out);
    orrery_free(job);
    free_both(platform, workload);
}

/* A compressed timeline begins as gzip does; a stream in memory cannot have one. */
static void check_compressed_timeline(struct orrery *job)
{
    FILE *out = tmpfile();
    unsigned char head[2] = {0};
    char *text = NULL;
    size_t bytes = 0;
    assert_int_equal(orrery_write_timeline(job, out, NULL, true), ORRERY_OK);
    rewind(out);
    assert_int_equal(fread(head, 1, 2, out), 2);
    assert_int_equal(head[0], 0x1f);
    assert_int_equal(head[1], 0x8b);
    (void)fclose(out);
    out = open_memstream(&text, &bytes);
    assert_int_equal(orrery_write_timeline(job, out, NULL, true), ORRERY_ERROR_IO);
    (void)fclose(out);
    free(text);
}

static void test_results_are_written(void **state)
{
    (void)state;
    struct orrery_platform *platform = platform_of(ring);
    struct orrery_workload *workload = workload_of(all_reduce);
    const struct orrery_parts parts = {ORRERY_SIZED(orrery_parts), platform, workload, NULL, 0};
    struct orrery *job = orrery_new();
    orrery_record(job, ORRERY_RECORD_NODES);
    assert_int_equal(orrery_load_parts(job, &parts), ORRERY_OK);
    assert_int_equal(orrery_run(job), ORRERY_OK);
    FILE *out = tmpfile();
    assert_int_equal(orrery_write_table(job, out, false), ORRERY_OK);
    assert_int_equal(orrery_write_json(job, out, true), ORRERY_OK);
    assert_int_equal(orrery_write_csv(job, out), ORRERY_OK);
    assert_int_equal(orrery_write_timeline(job, out, "0-1", false), ORRERY_OK);
    assert_int_equal(orrery_write_timeline(job, out, "9", false), ORRERY_ERROR_INPUT);
    assert_non_null(strstr(orrery_error(job), "expected ranks from 0 to 3"));
    static char text[1 << 16];
    rewind(out);
    text[fread(text, 1, sizeof text - 1, out)] = '\0';
    static const char *const held[] = {"18.000 us", "\"wall_ps\": 18000000,", "rank,finish_ps,",
                                       "\"traceEvents\""};
    for (size_t i = 0; i < sizeof held / sizeof *held; i++) {
        if (strstr(text, held[i]) == NULL) {
            fail_msg("no %s in:\n%s", held[i], text);
        }
    }
    check_compressed_timeline(job);
    (void)fclose(out);
    orrery_free(job);
    free_both(platform, workload);
}

/* The files of a workload are read by the first simulation; when they are gone, others still have
 * their traces, in threads too. */
static void test_traces_of_files_are_read_once(void **state)
{
    (void)state;
    struct orrery_platform *platform = platform_of(ring);
    struct orrery_workload *workload = workload_of("workload: {traces: shared}\n");
    struct orrery_workload *other = workload_of(all_reduce);
    assert_int_equal(orrery_workload_save(other, 4, "shared", false), ORRERY_OK);
    assert_int_equal(time_of(platform, workload), RING_US * US);
    for (char rank = '0'; rank < '4'; rank++) {
        const char name[] = {'s', 'h', 'a', 'r', 'e', 'd', '.', rank, '.', 'e', 't', '\0'};
        assert_int_equal(remove(name), 0);
    }
    assert_int_equal(time_of(platform, workload), RING_US * US);
    struct orrery_workload *late = workload_of("workload: {traces: shared}\n");
    orrery_free(load(platform, late, ORRERY_ERROR_INPUT));
    orrery_workload_free(late);
    orrery_workload_free(other);
    free_both(platform, workload);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text_takes_the_time_by_hand),
        cmocka_unit_test(test_platform_may_hold_the_workload),
        cmocka_unit_test(test_files_are_as_text),
        cmocka_unit_test(test_one_trace_is_run_by_all),
        cmocka_unit_test(test_a_trace_for_each_npu),
        cmocka_unit_test(test_traces_name_groups_of_the_section),
        cmocka_unit_test(test_cycle_is_named_each_time),
        cmocka_unit_test(test_refused_workload_stays_refused),
        cmocka_unit_test(test_handle_of_refused_parts_is_used),
        cmocka_unit_test(test_bad_nodes_are_refused),
        cmocka_unit_test(test_number_of_traces_must_fit),
        cmocka_unit_test(test_traces_beside_a_generator_are_refused),
        cmocka_unit_test(test_parts_of_another_interface_are_refused),
        cmocka_unit_test(test_bad_text_has_its_place),
        cmocka_unit_test(test_freed_parts_live_as_long_as_their_runs),
        cmocka_unit_test(test_threads_share_parts),
        cmocka_unit_test(test_results_before_the_run_say_so),
        cmocka_unit_test(test_traces_of_files_are_read_once),
        cmocka_unit_test(test_results_are_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
