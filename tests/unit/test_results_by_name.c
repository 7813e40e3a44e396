/* Results by name: every one that is listed can be asked for, and is what the calls of its own and
 * JSON tell; what there is not is refused with a message. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "orrery/parts.h"
#include "orrery/report.h"
#include "orrery/study.h"

/* One chunk of an all-reduce of 8000 bytes on a ring of 4 at 1 GB/s and 1 us: 6 steps of 2000
 * bytes, 6 (2 + 1) = 18 us. Each NPU sends 6 messages. */
static const char text[] = "network: {topology: Ring(4), bandwidth: 1 GB/s, latency: 1 us}\n"
                           "system: {chunks: 1, algorithms: {default: by_block}}\n"
                           "workload: {generate: all_reduce, bytes: 8000 B}\n";
#define WALL_PS INT64_C(18000000)
enum { NPUS = 4 };

static struct orrery *job_of(const char *platform_text, unsigned record, bool run)
{
    struct orrery_platform *platform = orrery_platform_new();
    const struct orrery_parts parts = {ORRERY_SIZED(orrery_parts), .platform = platform};
    struct orrery *job = orrery_new();
    assert_int_equal(orrery_platform_parse(platform, platform_text), ORRERY_OK);
    orrery_record(job, record);
    if (orrery_load_parts(job, &parts) != ORRERY_OK || (run && orrery_run(job) != ORRERY_OK)) {
        fail_msg("%s", orrery_error(job));
    }
    orrery_platform_free(platform);
    return job;
}

static struct orrery *run_job(void)
{
    return job_of(text, ORRERY_RECORD_NODES | ORRERY_RECORD_PATH | ORRERY_RECORD_TRAFFIC, true);
}

static struct orrery_value value_of(struct orrery *job, const char *name, size_t row)
{
    struct orrery_value value;
    if (orrery_result(job, name, row, &value) != ORRERY_OK) {
        fail_msg("%s: %s", name, orrery_error(job));
    }
    return value;
}

static void test_values_are_those_by_hand(void **state)
{
    (void)state;
    struct orrery *job = run_job();
    assert_int_equal(value_of(job, "wall_ps", 0).integer, WALL_PS);
    assert_int_equal(value_of(job, "job.wall_ps", 0).integer, WALL_PS);
    assert_true(value_of(job, "job.wall_s", 0).real == 18e-6);
    assert_int_equal(value_of(job, "npus", 0).integer, NPUS);
    assert_int_equal(value_of(job, "npus.exposed_communication_ps", 3).integer, WALL_PS);
    assert_int_equal(value_of(job, "npus.rank", 2).integer, 2);
    assert_string_equal(value_of(job, "npus.ranks", 2).text, "2");
    assert_string_equal(value_of(job, "dims.block", 0).text, "ring");
    assert_int_equal(value_of(job, "dims.messages", 0).integer, NPUS * 6);
    assert_int_equal(value_of(job, "collectives.bytes", 0).integer, 8000);
    assert_string_equal(value_of(job, "collectives.kind", 0).text, "all_reduce");
    assert_int_equal(value_of(job, "critical_path.steps.duration_ps", 0).integer, WALL_PS);
    assert_int_equal(value_of(job, "tokens_per_s", 0).kind, ORRERY_VALUE_NONE);
    assert_null(value_of(job, "wall_ps", 0).text);
    assert_true(value_of(job, "wall_ps", 0).real == 18e6);
    orrery_free(job);
}

/* Parts of the path add up to the job's time. */
static void test_rows_are_counted(void **state)
{
    (void)state;
    struct orrery *job = run_job();
    size_t rows;
    orrery_wide sum = 0;
    assert_int_equal(orrery_result_rows(job, "npus", &rows), ORRERY_OK);
    assert_int_equal(rows, NPUS);
    assert_int_equal(orrery_result_rows(job, "job", &rows), ORRERY_OK);
    assert_int_equal(rows, 1);
    assert_int_equal(orrery_result_rows(job, "operators", &rows), ORRERY_OK);
    assert_int_equal(rows, 0);
    assert_int_equal(orrery_result_rows(job, "critical_path.parts", &rows), ORRERY_OK);
    for (size_t row = 0; row < rows; row++) {
        sum += value_of(job, "critical_path.parts.ps", row).integer;
    }
    assert_int_equal(sum, WALL_PS);
    orrery_free(job);
}

static bool is_of_job(const char *place)
{
    static const char *const places[] = {
        "job", "npus", "dims", "collectives", "critical_path.parts", "critical_path.steps"};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        if (strcmp(place, places[i]) == 0) {
            return true;
        }
    }
    return false;
}

static void test_all_that_is_listed_can_be_asked_for(void **state)
{
    (void)state;
    struct orrery *job = run_job();
    struct orrery_result_info info;
    unsigned asked = 0, listed = 0;
    for (size_t i = 0; orrery_result_info(i, &info); i++) {
        char name[128];
        (void)snprintf(name, sizeof name, "%s.%s", info.place, info.name);
        assert_true(info.meaning[0] != '\0' && info.unit != NULL);
        listed++;
        if (is_of_job(info.place)) {
            (void)value_of(job, name, 0);
            asked++;
        }
    }
    assert_true(asked > 50 && listed > asked + 30);
    orrery_free(job);
}

static void check_refused(struct orrery *job, const char *name, size_t row, const char *message)
{
    struct orrery_value value;
    assert_int_equal(orrery_result(job, name, row, &value), ORRERY_ERROR_INPUT);
    assert_int_equal(value.kind, ORRERY_VALUE_NONE);
    assert_string_equal(orrery_error(job), message);
}

static void test_what_there_is_not_is_refused(void **state)
{
    (void)state;
    struct orrery *job = run_job();
    size_t rows = 7;
    check_refused(job, "npus.idel_ps", 0,
                  "npus has no result \"idel_ps\"; did you mean \"idle_ps\"?");
    check_refused(job, "something", 0, "job has no result \"something\"");
    check_refused(job, "classes", 0, "job has no result \"classes\"");
    check_refused(job, "cores.idle_ps", 0,
                  "\"cores\" is no place of results of a job: job, npus, gpu, dims, collectives, "
                  "operators, critical_path.parts, critical_path.steps, uncertainty.slopes, "
                  "uncertainty, links");
    check_refused(job, "npus.idle_ps", NPUS, "npus: expected a row below 4, got 4");
    check_refused(job, "operators.count", 0, "operators: there are no rows");
    assert_int_equal(orrery_result_rows(job, "points", &rows), ORRERY_ERROR_INPUT);
    assert_int_equal(rows, 0);
    orrery_free(job);
}

static void test_before_the_run_and_without_records_is_refused(void **state)
{
    (void)state;
    struct orrery *job = orrery_new();
    check_refused(job, "wall_ps", 0, "the job has not run yet");
    orrery_free(job);
    job = job_of(text, 0, false);
    check_refused(job, "wall_ps", 0, "the job has not run yet");
    orrery_free(job);
    job = job_of(text, 0, true);
    check_refused(job, "collectives.bytes", 0,
                  "what was done needs ORRERY_RECORD_NODES before loading");
    check_refused(job, "critical_path.parts.ps", 0,
                  "the critical path needs ORRERY_RECORD_PATH before loading");
    assert_int_equal(value_of(job, "wall_ps", 0).integer, WALL_PS);
    orrery_free(job);
}

/* ---- what the command writes ---- */

static void check_written(struct orrery *job,
                          enum orrery_status (*write)(struct orrery *job, FILE *out),
                          const char *part)
{
    char *written = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&written, &bytes);
    if (write(job, out) != ORRERY_OK) {
        fail_msg("%s", orrery_error(job));
    }
    assert_int_equal(fclose(out), 0);
    assert_non_null(strstr(written, part));
    free(written);
    assert_int_equal(write(job, NULL), ORRERY_ERROR_INPUT);
    assert_string_equal(orrery_error(job), "a file to write to is needed");
}

static enum orrery_status write_table(struct orrery *job, FILE *out)
{
    return orrery_write_table(job, out, false);
}

static enum orrery_status write_matrix(struct orrery *job, FILE *out)
{
    return orrery_write_traffic(job, out, false);
}

static enum orrery_status write_picture(struct orrery *job, FILE *out)
{
    return orrery_write_traffic(job, out, true);
}

/* The table tells what was done without orrery_summarize; 6 messages of 2000 bytes to a neighbour.
 */
static void test_all_that_a_run_prints_is_written(void **state)
{
    (void)state;
    struct orrery *job = run_job();
    check_written(job, write_table, "\ncollectives                NPUs          bytes");
    check_written(job, write_table, "\nwhy the job takes 18.000 us");
    check_written(job, orrery_write_finishes,
                  "sys[0] finished, 18000 cycles, exposed communication 18000 cycles.\n");
    check_written(job, orrery_write_memory, "rank,memory,time_ps,bytes,peak,node\n");
    check_written(job, orrery_write_memory_peaks, "");
    check_written(job, write_matrix, "from\\to,0,1,2,3\n0,0,12000,0,0\n");
    check_written(job, write_picture, "<svg ");
    check_written(job, orrery_write_config, "network.topology");
    check_written(job, orrery_write_config, "all_reduce of 7.81 KiB on 4 NPUs: ring\n");
    check_written(job, orrery_write_fold, "4 NPUs in ");
    orrery_free(job);
}

static void test_links_are_those_of_a_graph(void **state)
{
    (void)state;
    struct orrery *job = run_job();
    assert_int_equal(orrery_write_links(job, stderr), ORRERY_ERROR_INPUT);
    assert_non_null(strstr(orrery_error(job), "links need network.graph"));
    orrery_free(job);
    job =
        job_of("network: {backend: flow, graph: {npus: 4, fabric: 'torus:2x2', bandwidth: 1 GB/s, "
               "latency: 1 us}}\nworkload: {generate: all_reduce, bytes: 8000 B}\n",
               0, true);
    check_written(job, orrery_write_links,
                  "from,to,links,bandwidth_bytes_per_s,latency_ps,bytes,utilization\n0,1,");
    assert_string_equal(value_of(job, "links.from", 0).text, "0");
    assert_int_equal(value_of(job, "links.latency_ps", 0).integer, 1000000);
    assert_int_equal(orrery_write_traffic(job, stderr, true), ORRERY_ERROR_INPUT);
    assert_string_equal(orrery_error(job), "traffic needs ORRERY_RECORD_TRAFFIC before loading");
    orrery_free(job);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values_are_those_by_hand),
        cmocka_unit_test(test_rows_are_counted),
        cmocka_unit_test(test_all_that_is_listed_can_be_asked_for),
        cmocka_unit_test(test_what_there_is_not_is_refused),
        cmocka_unit_test(test_before_the_run_and_without_records_is_refused),
        cmocka_unit_test(test_all_that_a_run_prints_is_written),
        cmocka_unit_test(test_links_are_those_of_a_graph)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
