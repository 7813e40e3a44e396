/* Measured tables from the JSON of nccl-tests, and packed files; all text here was made for these
 * tests. */
#include "tests/unit/measured_fixture.h"

#include <unistd.h>
#include <zlib.h>

#define BEGIN(args)                                                                                \
    "{\"version\":2,\"start_time\":\"2026-01-02 03:04:05\",\"args\":[" args                        \
    "],\"env\":[\"A=\\/b\"],\"nccl_version\":23000,"
#define DEVICE(rank, pid, host)                                                                    \
    "{\"rank\":" rank ",\"group\":0,\"pid\":" pid ",\"hostname\":\"" host                          \
    "\",\"device\":0,\"device_hex\":\"0000:1b:00\",\"device_info\":\"H100\"}"
#define CONFIG(threads, gpus, devices)                                                             \
    "\"config\":{\"nthreads\":" threads ",\"ngpus\":" gpus                                         \
    ",\"validation\":1,\"blocking_collectives\":\"false\",\"devices\":[" devices "]},"
#define HALF(time, alg, bus, wrong)                                                                \
    "{\"time\":" time ",\"alg_bw\":" alg ",\"bus_bw\":" bus ",\"nwrong\":" wrong "}"
#define RESULT(size, count, out, in)                                                               \
    "{\"size\":" size ",\"count\":" count                                                          \
    ",\"type\":\"float\",\"redop\":\"sum\",\"root\":\"    -1\",\"out_of_place\":" out              \
    ",\"in_place\":" in ",\"actual_iterations\":20,\"experiment_name\":\"x\"}"

/* All-reduce of 4 NPUs: busbw = 1.5 algbw. */
#define GOOD HALF("60.500000", "17.331835", "25.997752", "0.000000")
#define OTHER HALF("61.000000", "17.189770", "25.784656", "null")
#define FOUR                                                                                       \
    CONFIG("1", "1",                                                                               \
           DEVICE("0", "10", "a") "," DEVICE("1", "11", "a") "," DEVICE(                           \
               "2", "20", "b") "," DEVICE("3", "21", "b"))
#define END ",\"out_of_bounds\":{\"count\":0,\"okay\":\"true\"},\"errors\":[]}"

static void test_whole_file_rows(void **state)
{
    struct measured_fixture *fixture = *state;
    const struct orr_measured *measured =
        measured_of(fixture, "t.json",
                    BEGIN("\".\\/build\\/all_reduce_perf\",\"-b\",\"8\"") FOUR
                    "\"results\":[\n" RESULT("1048576", "262144", GOOD, OTHER) ",\n " RESULT(
                        "2097152", "524288", "null",
                        HALF("80.25", "26.132735", "39.199103",
                             "0.000000")) ",\n" RESULT("0", "0", GOOD, GOOD) "]" END);
    assert_int_equal(measured->rows, 2);
    measured_row_is(measured, 0, "all_reduce 4 2 1048576 60.5 @2:1");
    measured_row_is(measured, 1, "all_reduce 4 2 2097152 80.25 @3:2");
    assert_int_equal(measured->file[0].form, ORR_MEASURED_JSON);
    assert_int_equal(measured->notes, 1);
    assert_string_equal(measured->note[0].text, "of 0 bytes left out");
    assert_int_equal(fixture->warnings, 0);
}

static void test_devices_are_of_processes(void **state)
{
    struct measured_fixture *fixture = *state;
    /* Two processes with 2 threads of 2 devices each, of which the first alone is listed. */
    static const char text[] = BEGIN("\"all_gather_perf\"")
        CONFIG("2", "2", DEVICE("0", "1", "a") "," DEVICE("4", "2", "b")) "\"results\":[" RESULT(
            "1048576", "32768", HALF("60.5", "17.331835", "15.165356", "0"), "null") "]" END;
    const struct orr_measured *measured = measured_of(fixture, "t.json", text);
    measured_row_is(measured, 0, "all_gather 8 4 1048576 60.5 @1:420");
    /* All of them listed. */
    measured = measured_of(
        fixture, "t.json",
        BEGIN("\"all_reduce_perf\"") CONFIG(
            "1", "2",
            DEVICE("0", "1", "a") "," DEVICE(
                "1", "1", "a")) "\"results\":[" RESULT("1048576", "262144",
                                                       HALF("60.5", "17.331835", "17.331835", "0"),
                                                       "null") "]" END);
    assert_int_equal(measured->row[0].npus, 2);
    assert_int_equal(measured->row[0].npus_per_node, 2);
}

static void test_collective_told_or_given(void **state)
{
    struct measured_fixture *fixture = *state;
    static const char text[] =
        BEGIN("\"a.out\"") FOUR "\"results\":[" RESULT("1048576", "262144", GOOD, OTHER) "]" END;
    measured_row_is(measured_of(fixture, "all_reduce.json", text), 0,
                    "all_reduce 4 2 1048576 60.5 @1:618");
    measured_refused(fixture, "t.json", text,
                     "t.json:1:112: the measured collective is not known: expected \"# "
                     "Collective test starting: all_reduce_perf\", or one of its names in that of "
                     "the file, as in all_reduce.txt; or set it (--collective)");
    fixture->inputs.collective = "all_reduce";
    assert_int_equal(measured_of(fixture, "t.json", text)->rows, 1);
}

static void test_cpu_times_noted(void **state)
{
    const struct orr_measured *measured = measured_of(
        *state, "t.json",
        BEGIN("\"all_reduce_perf\"") FOUR
        "\"results\":[" RESULT("1048576", "262144",
                               "{\"cpu_time\":60.5,\"alg_bw\":17.331835,\"bus_bw\":25.997752,"
                               "\"nwrong\":null}",
                               "null") "]" END);
    measured_row_is(measured, 0, "all_reduce 4 2 1048576 60.5 @1:628");
    assert_int_equal(measured->notes, 1);
    assert_string_equal(measured->note[0].text,
                        "with CPU times (-C), which may end before the collective does");
}

static void test_aborted_run_keeps_whole_results(void **state)
{
    struct measured_fixture *fixture = *state;
    const struct orr_measured *measured =
        measured_of(fixture, "t.json",
                    BEGIN("\"all_reduce_perf\"") FOUR "\"results\":[\n" RESULT(
                        "1048576", "262144", GOOD, OTHER) ",\n{\"size\":2097152,\"count\":");
    assert_int_equal(measured->rows, 1);
    assert_int_equal(fixture->warnings, 1);
    assert_string_equal(fixture->warning, "t.json:3:25: warning: the file is cut off: was the run "
                                          "aborted? Its 1 whole result is taken");
    /* Behind the last result. */
    measured = measured_of(fixture, "t.json",
                           BEGIN("\"all_reduce_perf\"") FOUR
                           "\"results\":[\n" RESULT("1048576", "262144", GOOD, OTHER) ",\n" RESULT(
                               "2097152", "524288", GOOD, OTHER));
    assert_int_equal(measured->rows, 2);
    assert_int_equal(fixture->warnings, 1);
    measured_refused(fixture, "t.json",
                     BEGIN("\"all_reduce_perf\"") FOUR "\n\"results\":[{\"size\"",
                     "t.json:2:19: the file ends before its first whole result: was the run "
                     "aborted?");
    measured_refused(fixture, "t.json", BEGIN("\"all_reduce_perf\"") "\"config\":{",
                     "t.json:1:123: the file ends before its first whole result: was the run "
                     "aborted?");
}

#define WITH(result) BEGIN("\"all_reduce_perf\"") FOUR "\n\"results\":[" result "]" END

static void test_bad_files_have_place(void **state)
{
    static const struct {
        const char *text, *message;
    } bad[] = {
        {"{}", "t.json: expected the JSON of nccl-tests (-J), with config and results"},
        {"{\"a\": 1, \"results\": 3}",
         "t.json: expected the JSON of nccl-tests (-J), with config and results"},
        {"{\"a\" 1}", "t.json:1:6: expected a colon behind a member's name"},
        {"{\"results\": [1]}", "t.json:1:14: results[0]: expected config before it"},
        {"{\"config\": {\"nthreads\": 1}}",
         "t.json:1:12: config: expected nthreads, ngpus and devices"},
        {"{\"config\": {\"nthreads\": 1, \"ngpus\": 1, \"devices\": [{\"rank\": 0}]}}",
         "t.json:1:12: config.devices[0]: expected a rank and a hostname"},
        {"{\"config\": {\"nthreads\": 1, \"ngpus\": 1, \"devices\": []}, \"results\": []}",
         "t.json: there is no row"},
        {WITH("7"), "t.json:2:12: results[0]: expected an object with size and count"},
        {WITH(RESULT("1.5", "1", GOOD, GOOD)),
         "t.json:2:12: results[0]: expected an object with size and count"},
        {WITH(RESULT("1048576", "262144", GOOD, GOOD) "," RESULT("8", "2", "null", "null")),
         "t.json:2:310: results[1]: expected out_of_place or in_place"},
        {WITH(RESULT("8", "2", HALF("0", "1", "1", "0"), "null")),
         "t.json:2:12: results[0].out_of_place.time: expected microseconds above 0"},
        {WITH(RESULT("8", "2", HALF("\"nan\"", "1", "1", "0"), "null")),
         "t.json:2:12: results[0].out_of_place.time: expected microseconds above 0"},
        {WITH(RESULT("8", "2", "null", HALF("5", "1", "null", "0"))),
         "t.json:2:12: results[0].in_place: expected alg_bw and bus_bw in GB/s"},
        {WITH(RESULT("8", "2", GOOD, HALF("5", "1", "1", "7.000000"))),
         "t.json:2:12: #wrong is 7.000000: the collective gave wrong data, so its times are not "
         "used; measure again, or take the row out"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        measured_refused(*state, "t.json", bad[i].text, bad[i].message);
    }
}

/* ---- memory ---- */

/* Whatever allocation is the one that fails: an error, and no other harm. */
static void test_memory_out_refused(void **state)
{
    struct measured_fixture *fixture = *state;
    static const char *const text[] = {
        WITH(RESULT("1048576", "262144", GOOD, OTHER)),
        "collective,npus,npus_per_node,bytes,time_us,a\nreduce,8,8,1024,5,x\nsendrecv,8,8,8,1,\n",
        "# Collective test starting: all_reduce_perf\n"
        "# Rank 0 Group 0 Pid 1 on a device 0\n# Rank 8 Group 0 Pid 2 on b device 0\n...\n"
        "# size count type redop root time algbw busbw #wrong\n"
        "1073741824 268435456 float sum -1 5808.0 184.87 346.64 0\n"};
    fixture->inputs.npus_per_node = 8;
    for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
        const struct orr_measured_source source = {"t", text[i], strlen(text[i])};
        enum orr_status status = ORR_ERR_MEMORY;
        int64_t allocations = 0;
        for (; status == ORR_ERR_MEMORY; allocations++) {
            orr_arena_fail_after(fixture->arena, allocations);
            status = measured_try(fixture, &source, 1);
        }
        orr_arena_fail_after(fixture->arena, -1);
        assert_int_equal(status, ORR_OK);
        assert_in_range(allocations, 6, 60);
    }
}

/* ---- packed files ---- */

static void test_gzip_file_read(void **state)
{
    struct measured_fixture *fixture = *state;
    char path[] = "/tmp/orrery-measured-XXXXXX";
    const int handle = mkstemp(path);
    assert_true(handle >= 0);
    gzFile file = gzdopen(handle, "wb");
    static const char text[] = CSV_HEAD "reduce,8,8,1024,5\n";
    assert_int_equal(gzwrite(file, text, sizeof text - 1), sizeof text - 1);
    assert_int_equal(gzclose(file), Z_OK);
    const struct orr_measured_source source = {path, NULL, 0};
    assert_int_equal(measured_try(fixture, &source, 1), ORR_OK);
    measured_row_is(&fixture->measured, 0, "reduce 8 8 1024 5 @2:1");
    assert_int_equal(unlink(path), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_whole_file_rows, measured_setup, measured_teardown),
        cmocka_unit_test_setup_teardown(test_devices_are_of_processes, measured_setup,
                                        measured_teardown),
        cmocka_unit_test_setup_teardown(test_collective_told_or_given, measured_setup,
                                        measured_teardown),
        cmocka_unit_test_setup_teardown(test_cpu_times_noted, measured_setup, measured_teardown),
        cmocka_unit_test_setup_teardown(test_aborted_run_keeps_whole_results, measured_setup,
                                        measured_teardown),
        cmocka_unit_test_setup_teardown(test_bad_files_have_place, measured_setup,
                                        measured_teardown),
        cmocka_unit_test_setup_teardown(test_memory_out_refused, measured_setup, measured_teardown),
        cmocka_unit_test_setup_teardown(test_gzip_file_read, measured_setup, measured_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
