/* Logs of nccl-tests as people have them: of failed checks, of runs of one device each, copied
 * without the # of comments, rows alone, cut off, of two machines. All text here was made for these
 * tests. */
#include "tests/unit/measured_fixture.h"

#define DEVICE(hash, rank, pid, host, gpu)                                                         \
    hash "  Rank " rank " Group  0 Pid " pid " on " host " device 0 [0x1b] " gpu "\n"
#define H100 "NVIDIA H100 80GB HBM3"
#define FOUR(hash)                                                                                 \
    DEVICE(hash, "0", "10", "nodeA", H100)                                                         \
    DEVICE(hash, "1", "11", "nodeA", H100)                                                         \
    DEVICE(hash, "2", "20", "nodeB", H100)                                                         \
    DEVICE(hash, "3", "21", "nodeB", H100)
#define SETTINGS(hash)                                                                             \
    hash " nThread 1 nGpus 1 minBytes 1048576 maxBytes 2097152 step: 2(factor) warmup iters: 5\n"
#define OLD(hash) hash " size count type redop time algbw busbw error time algbw busbw error\n"
#define NEW(hash, wrong)                                                                           \
    hash " size count type redop root time algbw busbw " wrong " time algbw busbw " wrong "\n"

/* All-reduces of 4 NPUs: busbw = 1.5 algbw. */
#define OLD_ROW(type, error)                                                                       \
    " 1048576 262144 " type " sum 60.50 17.33 26.00 0e+00 61.71 16.99 25.49 " error "\n"
#define NEW_1M " 1048576 262144 float sum -1 60.50 17.33 26.00 0 61.71 16.99 25.49 0\n"
#define NEW_2M " 2097152 524288 float sum -1 80.25 26.13 39.20 0 81.86 25.62 38.43 0\n"
#define END(hash) hash " Out of bounds values : 0 OK\n" hash " Avg bus bandwidth    : 32.28\n"

static void test_failed_checks_are_refused(void **state)
{
    static const struct {
        const char *type, *error;
        bool wrong;
    } rows[] = {{"float", "1e+00", true},   {"float", "8e+00*", true}, {"float", "1e-07*", true},
                {"float", "nan", true},     {"float", "-nan", true},   {"float", "inf", true},
                {"float", "2e-05", true},   {"float", "1e-05", false}, {"float", "0e+00", false},
                {"float", "N/A", false},    {"half", "1e-02", false},  {"half", "2e-02", true},
                {"double", "1e-12", false}, {"double", "1e-10", true}, {"int32", "0e+00", false},
                {"int32", "1e+00", true}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[4096], row[256], said[256];
        (void)snprintf(row, sizeof row, OLD_ROW("%s", "%s"), rows[i].type, rows[i].error);
        (void)snprintf(text, sizeof text, "%s%s%s", FOUR("#") OLD("#"), row, END("#"));
        if (!rows[i].wrong) {
            assert_int_equal(measured_of(*state, "all_reduce.txt", text)->rows, 1);
            continue;
        }
        const char *at = strrchr(row, ' ');
        (void)snprintf(said, sizeof said,
                       "all_reduce.txt:6:%d: error is %s: the collective gave wrong data, so its "
                       "times are not used; measure again, or take the row out",
                       (int)(at - row) + 2, rows[i].error);
        measured_refused(*state, "all_reduce.txt", text, said);
    }
}

static void test_failed_sums_are_refused(void **state)
{
    measured_refused(*state, "all_reduce.txt",
                     FOUR("#") OLD("#")
                         OLD_ROW("float", "1e-07") "# Out of bounds values : 4 FAILED\n",
                     "all_reduce.txt:7:3: Out of bounds values : 4 FAILED: the collective gave "
                     "wrong data, so the times of this run are not used; measure again, or take "
                     "the run out");
    measured_refused(*state, "all_reduce.txt",
                     FOUR("#") OLD("#")
                         OLD_ROW("float", "1e+00") "# Out of bounds values : 4 FAILED\n",
                     "all_reduce.txt:6:69: error is 1e+00 (Out of bounds values : 4 FAILED): the "
                     "collective gave wrong data, so its times are not used; measure again, or "
                     "take the row out");
    measured_refused(*state, "all_reduce.txt",
                     FOUR("") NEW("", "wrong") NEW_1M " Out of bounds values : 1 FAILED\n",
                     "all_reduce.txt:7:2: Out of bounds values : 1 FAILED: the collective gave "
                     "wrong data, so the times of this run are not used; measure again, or take "
                     "the run out");
}

/* nccl-tests without MPI under mpirun: runs of one device each. */
#define ALONE(pid) DEVICE("#", "0", pid, "nodeA", H100)
#define ROW_ALONE " 1048576 262144 float sum -1 6.00 174.76 0.00 0 0.20 5242.88 0.00 0\n"

static void test_runs_of_one_device_are_named(void **state)
{
    static const char by_line[] = SETTINGS("#") SETTINGS("#") SETTINGS("#") ALONE("10") ALONE("11")
        ALONE("12") NEW("#", "#wrong") NEW("#", "#wrong") NEW("#", "#wrong")
            ROW_ALONE ROW_ALONE ROW_ALONE END("#") END("#") END("#");
    static const char by_run[] = SETTINGS("#") ALONE("10") NEW("#", "#wrong") ROW_ALONE END("#")
        SETTINGS("#") ALONE("11") NEW("#", "#wrong") ROW_ALONE END("#");
    static const char none_listed[] = SETTINGS("#") NEW("#", "#wrong") ROW_ALONE END("#");
    measured_refused(*state, "all_reduce.txt", by_line,
                     "all_reduce.txt:3:3: these are 3 runs of one device each, where a collective "
                     "needs at least 2: were nccl-tests built without MPI?");
    measured_refused(*state, "all_reduce.txt", by_run,
                     "all_reduce.txt:1:3: the run is of one device, where a collective needs at "
                     "least 2: were nccl-tests built without MPI?");
    measured_refused(*state, "all_reduce.txt", none_listed,
                     "all_reduce.txt:1:3: the run is of one device, where a collective needs at "
                     "least 2: were nccl-tests built without MPI?");
    measured_refused(*state, "all_reduce.txt",
                     SETTINGS("#") SETTINGS("#") FOUR("#") FOUR("#") NEW("#", "#wrong")
                         NEW_1M NEW_1M,
                     "all_reduce.txt:2:3: the lines of several runs are mixed: rank 0 is listed "
                     "twice; keep the output of each run in a file");
}

static void test_copies_without_hashes_are_read(void **state)
{
    static const char *const texts[] = {
        SETTINGS("") "\n Using devices\n" FOUR("") NEW("", "#wrong") NEW_1M NEW_2M END(""),
        SETTINGS("") "\n Using devices\n" FOUR("") NEW("", "wrong") NEW_1M NEW_2M END(""),
        SETTINGS(">") "> Using devices\n" FOUR(">") NEW(">", "#wrong") "> " NEW_1M
                                                                       "> " NEW_2M END(">"),
        FOUR("") NEW_1M NEW_2M,
        FOUR("#") NEW_1M NEW_2M,
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct measured_fixture *fixture = *state;
        const struct orr_measured *measured = measured_of(fixture, "all_reduce.txt", texts[i]);
        assert_int_equal(measured->rows, 2);
        assert_int_equal(measured->row[1].npus, 4);
        assert_int_equal(measured->row[1].npus_per_node, 2);
        assert_int_equal(measured->row[1].bytes, 2097152);
        assert_true(measured->row[1].time_us == 80.25);
        assert_int_equal(fixture->warnings, 0);
    }
}

static void test_rows_alone_are_read(void **state)
{
    struct measured_fixture *fixture = *state;
    static const char *const texts[] = {
        NEW_1M NEW_2M,
        "1048576 262144 float sum 60.50 17.33 26.00 1e-07 61.71 16.99 25.49 2e-07\n"
        "2097152 524288 float sum 80.25 26.13 39.20 1e-07 81.86 25.62 38.43 2e-07\n",
        "1048576 262144 float sum -1 60.50 17.33 26.00 0\n"
        "2097152 524288 float sum -1 80.25 26.13 39.20 N/A\n",
        "1048576 262144 float sum -1 60.50 17.33 26.00 0 61.71 16.99 25.49 0 2026-11-28 10:00:00\n"
        "2097152 524288 float sum -1 80.25 26.13 39.20 0 81.86 25.62 38.43 0 2026-11-28 10:00:01\n",
        "| 1048576 | 262144 | float | sum | -1 | 60.50 | 17.33 | 26.00 | 0 |\n"
        "|2097152|524288|float|sum|-1|80.25|26.13|39.20|N/A|\n",
        "| size | count | type | redop | root | time (us) | algbw (GB/s) | busbw (GB/s) | \\#wrong "
        "|\n"
        "|---:|---:|---|---|---:|---:|---:|---:|---:|\n"
        "| 1048576 | 262144 | float | sum | -1 | 60.50 | 17.33 | 26.00 | 0 |\n"
        "| 2097152 | 524288 | float | sum | -1 | 80.25 | 26.13 | 39.20 | 0 |\n",
        "1048576,262144,float,sum,-1,60.50,17.33,26.00,0,61.71,16.99,25.49,0\n"
        "2097152, 524288, float, sum, -1, 80.25, 26.13, 39.20, 0, 81.86, 25.62, 38.43, 0\n",
        "size,count,type,redop,root,time,algbw,busbw,#wrong\n"
        "1048576,262144,float,sum,-1,60.50,17.33,26.00,0\n"
        "2097152,524288,float,sum,-1,80.25,26.13,39.20,0\n",
    };
    fixture->inputs =
        (struct orr_measured_inputs){.collective = "all_reduce", .npus = 4, .npus_per_node = 2};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        const struct orr_measured *measured = measured_of(fixture, "paste.txt", texts[i]);
        assert_int_equal(measured->rows, 2);
        assert_int_equal(measured->row[0].npus_per_node, 2);
        assert_true(measured->row[1].time_us == 80.25);
        assert_int_equal(measured->file[0].form, ORR_MEASURED_TEXT);
    }
    measured_refused(fixture, "paste.txt",
                     "1048576 262144 float sum 60.50 17.33 26.00 1e+00 61.71 16.99 25.49 1e-07\n",
                     "paste.txt:1:44: error is 1e+00: the collective gave wrong data, so its times "
                     "are not used; measure again, or take the row out");
    fixture->inputs = (struct orr_measured_inputs){0};
}

static void test_rows_alone_of_an_all_gather_are_read(void **state)
{
    /* Its redop is none, or blank; 4 parts of 65536 floats. */
    static const char *const rows[] = {
        "1048576 65536 float none -1 60.50 17.33 13.00 0 61.71 16.99 12.74 0\n",
        "1048576 65536 float 60.50 17.33 13.00 1e-07 61.71 16.99 12.74 0e+00\n"};
    struct measured_fixture *fixture = *state;
    fixture->inputs =
        (struct orr_measured_inputs){.collective = "all_gather", .npus = 4, .npus_per_node = 4};
    for (size_t i = 0; i < 2; i++) {
        measured_row_is(measured_of(fixture, "paste.txt", rows[i]), 0,
                        "all_gather 4 4 1048576 60.5 @1:1");
    }
    fixture->inputs = (struct orr_measured_inputs){0};
}

static void test_cut_logs_say_so(void **state)
{
    struct measured_fixture *fixture = *state;
    static const char whole[] = SETTINGS("#") FOUR("#") NEW("#", "#wrong") NEW_1M NEW_2M;
    static const char ended[] = SETTINGS("#") FOUR("#") NEW("#", "#wrong") NEW_1M END("#");
    static const char cut[] = SETTINGS("#") FOUR("#") NEW("#", "#wrong") NEW_1M;
    static const char steps[] =
        "# nThread 1 nGpus 1 minBytes 1048576 maxBytes 4194304 step: 1048576(bytes)\n" FOUR("#")
            NEW("#", "#wrong") NEW_1M NEW_2M;
    (void)measured_of(fixture, "all_reduce.txt", whole);
    assert_int_equal(fixture->warnings, 0);
    (void)measured_of(fixture, "all_reduce.txt", ended);
    assert_int_equal(fixture->warnings, 0);
    (void)measured_of(fixture, "all_reduce.txt", cut);
    assert_string_equal(fixture->warning,
                        "all_reduce.txt:7:2: warning: the log is cut off, or an excerpt: its last "
                        "row is of 1048576 bytes, of up to 2097152 that the run measures");
    (void)measured_of(fixture, "all_reduce.txt", steps);
    assert_int_equal(fixture->warnings, 1);
    measured_refused(fixture, "all_reduce.txt", SETTINGS("#") FOUR("#") NEW("#", "#wrong"),
                     "all_reduce.txt: there is no row: the log ends before the first");
}

static void test_two_machines_are_refused(void **state)
{
    static const char other[] = FOUR("#") NEW("#", "#wrong") NEW_1M END("#")
        DEVICE("#", "0", "10", "nodeC", "NVIDIA A100-SXM4-80GB")
            DEVICE("#", "1", "11", "nodeC", "NVIDIA A100-SXM4-80GB") NEW("#", "#wrong") NEW_1M;
    measured_refused(*state, "all_reduce.txt", other,
                     "all_reduce.txt:9:52: the log is of two machines: a device here is NVIDIA "
                     "A100-SXM4-80GB, and in line 1 NVIDIA H100 80GB HBM3; give each machine's "
                     "log to a run of its own");
    /* In two files. */
    struct measured_fixture *fixture = *state;
    static const char log[] = FOUR("#") NEW("#", "#wrong") NEW_1M END("#");
    static const char a100[] = DEVICE("#", "0", "10", "nodeC", "NVIDIA A100-SXM4-80GB")
        DEVICE("#", "1", "11", "nodeC", "NVIDIA A100-SXM4-80GB") NEW("#", "#wrong") NEW_1M;
    const struct orr_measured_source two[] = {{"all_reduce.a.txt", log, sizeof log - 1},
                                              {"all_reduce.b.txt", a100, sizeof a100 - 1}};
    char said[ORR_DIAG_MESSAGE_BYTES];
    assert_int_equal(measured_try(fixture, two, 2), ORR_ERR_INPUT);
    (void)orr_diag_render(&fixture->diag, said, sizeof said);
    assert_string_equal(said,
                        "all_reduce.b.txt:1:52: the logs are of two machines: a device here is "
                        "NVIDIA A100-SXM4-80GB, and in all_reduce.a.txt:1 NVIDIA H100 80GB HBM3; "
                        "give each machine's log to a run of its own");
}

/* The platform's GPU is a word of the devices' name. */
static void test_devices_are_held_against_the_platform(void **state)
{
    struct measured_fixture *fixture = *state;
    const struct orr_measured_machine machine = {.name = "machine.yml", .npus = 16, .node_npus = 8};
    static const char *const same[] = {"H100", "h100"}, *const other[] = {"A100", "00", "h200"};
    const struct orr_measured *measured =
        measured_of(fixture, "all_reduce.txt", FOUR("#") NEW("#", "#wrong") NEW_1M END("#"));
    orr_measured_check_gpu(measured, &machine, NULL, &fixture->diag);
    for (size_t i = 0; i < 2; i++) {
        orr_measured_check_gpu(measured, &machine, same[i], &fixture->diag);
    }
    assert_int_equal(fixture->warnings, 0);
    for (int i = 0; i < 3; i++) {
        orr_measured_check_gpu(measured, &machine, other[i], &fixture->diag);
        assert_int_equal(fixture->warnings, i + 1);
    }
    assert_string_equal(fixture->warning,
                        "all_reduce.txt:1:1: warning: the devices of the log are NVIDIA H100 80GB "
                        "HBM3, and those of machine.yml are h200: times of one are held against "
                        "the other");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_failed_checks_are_refused, measured_setup,
                                        measured_teardown),
        cmocka_unit_test_setup_teardown(test_failed_sums_are_refused, measured_setup,
                                        measured_teardown),
        cmocka_unit_test_setup_teardown(test_runs_of_one_device_are_named, measured_setup,
                                        measured_teardown),
        cmocka_unit_test_setup_teardown(test_copies_without_hashes_are_read, measured_setup,
                                        measured_teardown),
        cmocka_unit_test_setup_teardown(test_rows_alone_are_read, measured_setup,
                                        measured_teardown),
        cmocka_unit_test_setup_teardown(test_rows_alone_of_an_all_gather_are_read, measured_setup,
                                        measured_teardown),
        cmocka_unit_test_setup_teardown(test_cut_logs_say_so, measured_setup, measured_teardown),
        cmocka_unit_test_setup_teardown(test_two_machines_are_refused, measured_setup,
                                        measured_teardown),
        cmocka_unit_test_setup_teardown(test_devices_are_held_against_the_platform, measured_setup,
                                        measured_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
