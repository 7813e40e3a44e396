/* Measured tables from what nccl-tests and rccl-tests print; all text here was made for these
 * tests. */
#include "tests/unit/measured_fixture.h"

/* Devices on nodeA and nodeB. */
#define DEVICE(rank, pid, host, device)                                                            \
    "#  Rank " rank " Group  0 Pid " pid " on " host " device " device                             \
    " [0000:1b:00] NVIDIA H100 80GB HBM3\n"
#define TWO_NODES_OF_TWO                                                                           \
    DEVICE(" 0", "10", "nodeA", " 0")                                                              \
    DEVICE(" 1", "11", "nodeA", " 1")                                                              \
    DEVICE(" 2", "20", "nodeB", " 0")                                                              \
    DEVICE(" 3", "21", "nodeB", " 1")

#define SETTINGS "# nThread 1 nGpus 1 minBytes 1048576 maxBytes 2097152 step: 2(factor)\n"
#define COLUMNS                                                                                    \
    "#                                                              out-of-place\n"                \
    "#       size         count      type   redop    root     time   algbw   busbw  #wrong     "   \
    "time   algbw   busbw  #wrong\n"                                                               \
    "#        (B)    (elements)                               (us)  (GB/s)  (GB/s)\n"

/* All-reduce of 4 NPUs: busbw = 1.5 algbw. */
#define ROW_1M                                                                                     \
    "     1048576        262144     float     sum      -1    60.50   17.33   26.00       0    "    \
    "61.71   16.99   25.49       0\n"
#define ROW_2M                                                                                     \
    "     2097152        524288     float     sum      -1    80.25   26.13   39.20       0    "    \
    "81.86   25.62   38.43       0\n"

static void test_new_form_rows(void **state)
{
    struct measured_fixture *fixture = *state;
    const struct orr_measured *measured =
        measured_of(fixture, "log.txt",
                    "# nccl-tests version 2.19.6 nccl-headers=23000 nccl-library=23000\n"
                    "# Collective test starting: all_reduce_perf\n" SETTINGS
                    "#\n# Using devices\n" TWO_NODES_OF_TWO "#\n" COLUMNS ROW_1M ROW_2M
                    "# Out of bounds values : 0 OK\n# Avg bus bandwidth    : 32.28\n#\n"
                    "# Collective test concluded: all_reduce_perf\n");
    assert_int_equal(measured->rows, 2);
    measured_row_is(measured, 0, "all_reduce 4 2 1048576 60.5 @14:6");
    measured_row_is(measured, 1, "all_reduce 4 2 2097152 80.25 @15:6");
    assert_int_equal(measured->file[0].form, ORR_MEASURED_TEXT);
    assert_int_equal(measured->notes, 0);
    assert_int_equal(fixture->warnings, 0);
}

static void test_old_form_rows(void **state)
{
    /* No root, `error`, no groups; the collective is in the file's name. */
    static const char text[] =
        "# nThread 1 nGpus 4 minBytes 1024 maxBytes 2048 step: 2(factor) warmup iters: 5\n"
        "#\n# Using devices\n"
        "#   Rank  0 Pid   4242 on     nodeA device  0 [0x1b] Tesla V100-SXM2-16GB\n"
        "#   Rank  1 Pid   4242 on     nodeA device  1 [0x1c] Tesla V100-SXM2-16GB\n"
        "#   Rank  2 on     nodeA device  2 [0x1d] Tesla V100-SXM2-16GB\n"
        "#   Rank  3 on     nodeA device  3 [0x1e] Tesla V100-SXM2-16GB\n"
        "#\n"
        "#       size         count    type   redop     time   algbw   busbw  error     time   "
        "algbw   busbw  error\n"
        "#        (B)    (elements)                     (us)  (GB/s)  (GB/s)            (us)  "
        "(GB/s)  (GB/s)       \n"
        "     1048576         65536   float             60.5   17.33   13.00  4e-07     61.7   "
        "16.99   12.74  0e+00\n"
        "     2097152        131072   float    none     1.2e+05   17.33   13.00  4e-07     61.7   "
        "16.99   12.74    N/A\n";
    const struct orr_measured *measured =
        measured_of(*state, "results/nccl_AllGather-4gpus.log", text);
    assert_int_equal(measured->rows, 2);
    measured_row_is(measured, 0, "all_gather 4 4 1048576 60.5 @11:6");
    measured_row_is(measured, 1, "all_gather 4 4 2097152 120000 @12:6");
    measured_refused(*state, "log.txt", text,
                     "log.txt:1:3: the measured collective is not known: expected \"# "
                     "Collective test starting: all_reduce_perf\", or one of its names in that of "
                     "the file, as in all_reduce.txt; or set it (--collective)");
    struct measured_fixture *fixture = *state;
    fixture->inputs.collective = "reduce_scatter"; /* comes before the file's name */
    measured = measured_of(fixture, "all_gather.txt", text);
    measured_row_is(measured, 0, "reduce_scatter 4 4 1048576 60.5 @11:6");
}

static void test_names_of_files(void **state)
{
    static const struct {
        const char *path, *kind; /* NULL: not told */
    } names[] = {
        {"all_reduce_perf", "all_reduce"},
        {"x/all_gather/allreduce.8.txt", "all_reduce"},
        {"nccl_allreduce_v2.log", "all_reduce"},
        {"reduce.txt", "reduce"},
        {"my-reduce-3.txt", "reduce"},
        {"reduced.txt", NULL},
        {"broadcast_4", "broadcast"},
        {"all_reduce-and-all_gather.txt", NULL},
        {"all_reduce-allreduce.txt", "all_reduce"},
        {"log.txt", NULL},
        {"", NULL},
    };
    struct measured_fixture *fixture = *state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char text[1024];
        const bool reduces = names[i].kind != NULL && strcmp(names[i].kind, "all_reduce") != 0;
        (void)snprintf(text, sizeof text, "%s%s%s", TWO_NODES_OF_TWO, COLUMNS,
                       reduces ? "1024 256 float sum 0 60.5 17.33 17.33 0 60.5 17.33 17.33 0\n"
                               : ROW_1M);
        const struct orr_measured_source source = {names[i].path, text, strlen(text)};
        const enum orr_status status = measured_try(fixture, &source, 1);
        assert_int_equal(status, names[i].kind != NULL ? ORR_OK : ORR_ERR_INPUT);
        if (names[i].kind != NULL) {
            assert_string_equal(orr_coll_kind_name(fixture->measured.row[0].kind), names[i].kind);
        } else {
            assert_non_null(strstr(fixture->diag.message, "measured collective"));
        }
    }
}

static void test_prefixes_and_logs_passed_over(void **state)
{
    struct measured_fixture *fixture = *state;
    const struct orr_measured *measured = measured_of(
        fixture, "log.txt",
        "nodeA:10:10 [0] NCCL INFO Bootstrap : Using eth0:10.0.0.1<0>\n"
        "[1,0]<stdout>:# Collective test starting: all_reduce_perf_mpi\n"
        "[1,0]<stdout>:# nThread 1 nGpus 1 minBytes 1 maxBytes 2 step: 2(factor)\n"
        "[1,0]<stdout>:# Using devices\n"
        "[1,0]<stdout>:#  Rank  0 Group  0 Pid 10 on nodeA device  0 [0000:1b:00] H100\n"
        "[1,1]<stdout>:nodeB:20:20 [0] NCCL INFO cudaDriverVersion 12080 12 int\n"
        "[1,0]<stdout>:#  Rank  1 Group  0 Pid 20 on nodeB device  0 [0000:1b:00] H100\n"
        "[1,0]<stdout>:#       size         count      type   redop    root     time   algbw   "
        "busbw  #wrong     time   algbw   busbw  #wrong\n"
        "[1,0]<stdout>:nodeA:10:10 [0] NCCL INFO Launch mode Parallel\n"
        "[1,0]<stdout>:     1048576        262144     float     sum      -1    60.50   17.33   "
        "17.33       0    61.71   16.99   16.99       0\r\n"
        "[1,0]<stdout>:123456789012     123456789012      int8     sum      -1    60.50   17.33   "
        "17.33     N/A    61.71   16.99   16.99     N/A\n"
        "0: # Collective test starting: reduce_perf\n"
        "0: # nThread 1 nGpus 1 minBytes 1 maxBytes 2 step: 2(factor)\n"
        " 0: #  Rank  0 Group  0 Pid 10 on nodeA device  0 [0000:1b:00] H100\n"
        " 0: #  Rank  1 Group  0 Pid 11 on nodeA device  1 [0000:1c:00] H100\n"
        "0: # size count type redop root time algbw busbw #wrong time algbw busbw #wrong\n"
        " 0:      1048576        262144     float     sum       0    60.50   17.33   17.33      0 "
        "   61.71   16.99   16.99      0\n");
    assert_int_equal(measured->rows, 3);
    measured_row_is(measured, 0, "all_reduce 2 1 1048576 60.5 @10:20");
    measured_row_is(measured, 1, "all_reduce 2 1 123456789012 60.5 @11:1");
    measured_row_is(measured, 2, "reduce 2 2 1048576 60.5 @17:10");
    assert_int_equal(fixture->warnings, 0);
}

static void test_options_of_nccl_tests(void **state)
{
    struct measured_fixture *fixture = *state;
    /* -I: four more columns behind each half, newest with #bitdiff; -S: a date and a time. */
    const struct orr_measured *measured = measured_of(
        fixture, "all_reduce.txt",
        TWO_NODES_OF_TWO
        "# size count type redop root time algbw busbw #wrong #bitdiff i_min i_max i_p99 i_cv% "
        "time algbw busbw #wrong #bitdiff i_min i_max i_p99 i_cv% timestamp\n"
        "# (B) (elements) (us) (GB/s) (GB/s) (us) (us) (us) (%) %Y-%m-%d %H:%M:%S\n"
        "1048576 262144 float sum -1 60.50 17.33 26.00 0 0 59 62 61.9 1.2 61.71 16.99 25.49 0 0 60 "
        "63 62.9 1.1 2026-01-02 03:04:05\n");
    measured_row_is(measured, 0, "all_reduce 4 2 1048576 60.5 @7:1");
    assert_int_equal(measured->notes, 0);
    /* -C: the CPU's time. */
    measured = measured_of(fixture, "all_reduce.txt",
                           TWO_NODES_OF_TWO "# size count type redop root cputime algbw busbw "
                                            "#wrong cputime algbw busbw #wrong\n" ROW_1M ROW_2M);
    measured_row_is(measured, 1, "all_reduce 4 2 2097152 80.25 @7:6");
    assert_int_equal(measured->notes, 1);
    assert_string_equal(measured->note[0].text,
                        "with CPU times (-C), which may end before the collective does");
    assert_int_equal(measured->note[0].count, 2);
    assert_int_equal(measured->note[0].line, 6);
}

static void test_blank_half_takes_other(void **state)
{
    struct measured_fixture *fixture = *state;
    const struct orr_measured *measured = measured_of(
        fixture, "all_reduce.txt",
        TWO_NODES_OF_TWO COLUMNS
        "     1048576        262144     float     sum      -1                          "
        "          61.71   16.99   25.49       0\n"
        "     2097152        524288     float     sum      -1    80.25   26.13   39.20  "
        "     0\n"
        "     4194304       1048576     float     sum      -1                          "
        "         161.71   25.94   38.91       0");
    assert_int_equal(measured->rows, 3);
    measured_row_is(measured, 0, "all_reduce 4 2 1048576 61.71 @8:6");
    measured_row_is(measured, 1, "all_reduce 4 2 2097152 80.25 @9:6");
    measured_row_is(measured, 2, "all_reduce 4 2 4194304 161.71 @10:6");
    assert_int_equal(fixture->warnings, 0);
}

static void test_rows_of_no_bytes_noted(void **state)
{
    struct measured_fixture *fixture = *state;
    const struct orr_measured *measured = measured_of(
        fixture, "all_reduce.txt",
        TWO_NODES_OF_TWO COLUMNS "0 0 float sum -1 SKIP 0.00 0.00 N/A SKIP 0.00 0.00 N/A\n"
                                 "0 0 float sum -1 0.14 0.00 0.00 0 0.15 0.00 0.00 0\n" ROW_1M);
    assert_int_equal(measured->rows, 1);
    assert_int_equal(measured->notes, 1);
    assert_string_equal(measured->note[0].text, "of 0 bytes left out");
    assert_int_equal(measured->note[0].count, 2);
}

static void test_cut_rows_warned(void **state)
{
    struct measured_fixture *fixture = *state;
    static const char *const last[] = {
        "     2097152        524288     float     sum      -1    80.25   26.13   39.20       0",
        "2097152 524288 float sum -1 80.25 26.13 39.20 0 81.86 25.6",
        "     2097152        524288     float     sum      -1    80.",
        "     2097152        524288     float"};
    for (size_t i = 0; i < sizeof last / sizeof *last; i++) {
        char text[2048];
        (void)snprintf(text, sizeof text, "%s%s", TWO_NODES_OF_TWO COLUMNS ROW_1M, last[i]);
        const struct orr_measured *measured = measured_of(fixture, "all_reduce.txt", text);
        assert_int_equal(measured->rows, 1);
        assert_int_equal(fixture->warnings, 1);
        assert_string_equal(fixture->warning,
                            i == 1 ? "all_reduce.txt:9:1: warning: the file is cut off: its last "
                                     "row is not whole, and left out"
                                   : "all_reduce.txt:9:6: warning: the file is cut off: its last "
                                     "row is not whole, and left out");
    }
    const struct orr_measured *measured = measured_of(
        fixture, "all_reduce.txt",
        TWO_NODES_OF_TWO COLUMNS "1048576 262144 float sum -1 nodeA:10:10 NCCL INFO text\n" ROW_2M);
    assert_int_equal(measured->rows, 1);
    assert_string_equal(fixture->warning,
                        "all_reduce.txt:8:1: warning: the row is not whole, and left out");
}

static void test_bad_rows_have_place(void **state)
{
    static const struct {
        const char *row, *message;
    } bad[] = {
        {"1048576 262144 float sum -1 60.5 17.33 26.00 3 61.71 16.99 25.49 0\n",
         "all_reduce.txt:8:46: #wrong is 3: the collective gave wrong data, so its times are not "
         "used; measure again, or take the row out"},
        {"1048576 262144 float sum -1 60.5 17.33 26.00 0 61.71 16.99 25.49 1.2e+05\n",
         "all_reduce.txt:8:66: #wrong is 1.2e+05: the collective gave wrong data, so its times are "
         "not used; measure again, or take the row out"},
        {"1048576 262144 float sum -1 -60.5 17.33 26.00 0 61.71 16.99 25.49 0\n",
         "all_reduce.txt:8:29: time: expected microseconds above 0, got \"-60.5\""},
        {"1048576 262144 float sum -1 nan 17.33 26.00 0 61.71 16.99 25.49 0\n",
         "all_reduce.txt:8:29: time: expected microseconds above 0, got \"nan\""},
        {"1048576 262144 float sum -1 60.5 17.3x 26.00 0 61.71 16.99 25.49 0\n",
         "all_reduce.txt:8:34: algbw: expected GB/s, got \"17.3x\""},
        {"1048576 262144 float sum -1 60.5 17.33 inf 0 61.71 16.99 25.49 0\n",
         "all_reduce.txt:8:40: busbw: expected GB/s, got \"inf\""},
        {"", "all_reduce.txt: there is no row: the log ends before the first"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char text[2048];
        (void)snprintf(text, sizeof text, "%s%s", TWO_NODES_OF_TWO COLUMNS, bad[i].row);
        measured_refused(*state, "all_reduce.txt", text, bad[i].message);
    }
    measured_refused(*state, "all_reduce.txt",
                     SETTINGS "     1048576        262144     float     sum\n",
                     "all_reduce.txt:2:6: expected the line with the names of the columns (# size "
                     "count type ...) before the first row");
    static const char *const headers[] = {
        "# size count time algbw busbw\n", "# size count type algbw busbw timestamp\n",
        "# size count type algbw busbw time\n", "# size count type time algbw busbw time algbw\n"};
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++) {
        measured_refused(*state, "all_reduce.txt", headers[i],
                         "all_reduce.txt:1:3: expected the columns size, count, type, ..., and "
                         "once or twice time, algbw, busbw, ...");
    }
}

static void test_several_runs_in_a_file(void **state)
{
    struct measured_fixture *fixture = *state;
    const struct orr_measured *measured = measured_of(
        fixture, "log.txt",
        "# Collective test starting: sendrecv_perf\n" SETTINGS TWO_NODES_OF_TWO COLUMNS ROW_1M
        "# Collective test concluded: sendrecv_perf\n"
        "# Collective test starting: ./build/broadcast_perf\n" SETTINGS
        "# Using devices\n" DEVICE(" 0", "10", "nodeA", " 0") DEVICE(" 1", "11", "nodeA", " 1")
            COLUMNS "1048576 262144 float none 0 40.00 26.21 26.21 0 40.80 25.70 25.70 0\n"
                    "# Collective test starting: all_reduce_perf\n" SETTINGS
                    "# Using devices\n" TWO_NODES_OF_TWO COLUMNS ROW_2M);
    assert_int_equal(measured->rows, 2);
    measured_row_is(measured, 0, "broadcast 2 2 1048576 40 @20:1");
    measured_row_is(measured, 1, "all_reduce 4 2 2097152 80.25 @31:6");
    assert_int_equal(measured->notes, 1);
    assert_string_equal(measured->note[0].text,
                        "of sendrecv_perf left out: it is no collective that Orrery has");
    /* Older files begin a run with its settings, or with its devices. */
    measured = measured_of(
        fixture, "all_reduce.txt",
        SETTINGS TWO_NODES_OF_TWO COLUMNS ROW_1M SETTINGS DEVICE(" 0", "10", "nodeA", " 0")
            DEVICE(" 1", "11", "nodeA", " 1") COLUMNS
        "1048576 262144 float sum -1 40.00 26.21 26.21 0 40.80 25.70 25.70 0\n" TWO_NODES_OF_TWO
            COLUMNS ROW_2M);
    assert_int_equal(measured->rows, 3);
    assert_int_equal(measured->row[0].npus, 4);
    assert_int_equal(measured->row[1].npus, 2);
    assert_int_equal(measured->row[2].npus, 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_new_form_rows, measured_setup, measured_teardown),
        cmocka_unit_test_setup_teardown(test_old_form_rows, measured_setup, measured_teardown),
        cmocka_unit_test_setup_teardown(test_names_of_files, measured_setup, measured_teardown),
        cmocka_unit_test_setup_teardown(test_prefixes_and_logs_passed_over, measured_setup,
                                        measured_teardown),
        cmocka_unit_test_setup_teardown(test_options_of_nccl_tests, measured_setup,
                                        measured_teardown),
        cmocka_unit_test_setup_teardown(test_blank_half_takes_other, measured_setup,
                                        measured_teardown),
        cmocka_unit_test_setup_teardown(test_rows_of_no_bytes_noted, measured_setup,
                                        measured_teardown),
        cmocka_unit_test_setup_teardown(test_cut_rows_warned, measured_setup, measured_teardown),
        cmocka_unit_test_setup_teardown(test_bad_rows_have_place, measured_setup,
                                        measured_teardown),
        cmocka_unit_test_setup_teardown(test_several_runs_in_a_file, measured_setup,
                                        measured_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
