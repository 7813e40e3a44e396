/* On how many NPUs and nodes runs of nccl-tests were, where devices' lines are cut or missing. */
#include "tests/unit/measured_fixture.h"

#define COLUMNS "# size count type redop root time algbw busbw #wrong time algbw busbw #wrong\n"

/* busbw / algbw of 16, 128 and 1024 NPUs: 1.875, 1.984375, 1.998. */
#define OF_16 "1073741824 268435456 float sum -1 5808.0 184.87 346.64 0 5924.2 181.25 339.84 0\n"
#define OF_16_SMALL "1024 256 float sum -1 20.00 0.05 0.10 0 20.40 0.05 0.09 0\n"
#define OF_128 "1073741824 268435456 float sum -1 5808.0 184.87 366.86 0 5924.2 181.25 359.66 0\n"
#define OF_1024 "1073741824 268435456 float sum -1 6000.0 178.96 357.56 0 6120.0 175.45 350.55 0\n"

/* Two processes of 8 devices on two nodes, whose reports are cut. */
#define CUT_DEVICES                                                                                \
    "# nThread 1 nGpus 8 minBytes 8 maxBytes 8 step: 2(factor)\n# Using devices\n"                 \
    "#  Rank  0 Group  0 Pid 10 on nodeA device  0 [0000:1b:00] NVIDIA H100 80GB HBM3\n"           \
    "#  Rank  1 Group  0 Pid 10 on nodeA device  1 [0000:1c...\n"                                  \
    "#  Rank  8 Group  0 Pid 20 on nodeB device  0 [0000:1b:00] NVIDIA H100 80GB HBM3\n"           \
    "#  Rank  9 Group  0 Pid 20 on no...\n"

static void test_cut_devices_solved_from_rows(void **state)
{
    const struct orr_measured *measured =
        measured_of(*state, "all_reduce.txt", CUT_DEVICES COLUMNS OF_16_SMALL OF_16);
    assert_int_equal(measured->rows, 2);
    measured_row_is(measured, 0, "all_reduce 16 8 1024 20 @8:1");
    measured_row_is(measured, 1, "all_reduce 16 8 1073741824 5808 @9:1");
    /* Of each rank's part: size = 16 parts of count elements of 2 bytes. */
    measured = measured_of(*state, "all_gather.txt",
                           CUT_DEVICES COLUMNS
                           "1024 32 half none -1 20.00 0.05 0.05 0 20.40 0.05 0.05 0\n");
    measured_row_is(measured, 0, "all_gather 16 8 1024 20 @8:1");
    /* A broadcast's rows tell nothing: 2 processes of 8 devices. */
    measured = measured_of(*state, "broadcast.txt",
                           CUT_DEVICES COLUMNS
                           "1024 256 float none 0 20.00 0.05 0.05 0 20.40 0.05 0.05 0\n");
    measured_row_is(measured, 0, "broadcast 16 8 1024 20 @8:1");
}

/* Lines that somebody took out: ranks 0, 7, 8 and 15, as far as they are listed. */
#define RANK(rank, pid, host)                                                                      \
    "#  Rank " rank " Group 0 Pid " pid " on " host " device 0 [0000] H100\n"

static void test_lines_taken_out_solved_from_rows(void **state)
{
    struct measured_fixture *fixture = *state;
    static const char blocks[] = RANK("0", "1", "a") RANK("7", "8", "a") RANK("8", "9", "b")
        RANK("15", "16", "b") COLUMNS OF_16;
    measured_row_is(measured_of(fixture, "all_reduce.txt", blocks), 0,
                    "all_reduce 16 8 1073741824 5808 @6:1");
    /* In turns: even ranks on one node. */
    static const char turns[] = RANK("0", "1", "a") RANK("2", "2", "a") RANK("7", "9", "b")
        RANK("15", "16", "b") COLUMNS OF_16;
    measured_row_is(measured_of(fixture, "all_reduce.txt", turns), 0,
                    "all_reduce 16 8 1073741824 5808 @6:1");
    /* The second node may be missing altogether. */
    static const char one[] = RANK("0", "1", "a") RANK("7", "8", "a") "...\n" COLUMNS OF_16;
    measured_refused(
        fixture, "all_reduce.txt", one,
        "all_reduce.txt:1:4: the number of nodes of the 16 NPUs does not follow from the "
        "devices' lines: set the NPUs of a node (--npus-per-node)");
    fixture->inputs.npus_per_node = 8;
    measured_row_is(measured_of(fixture, "all_reduce.txt", one), 0,
                    "all_reduce 16 8 1073741824 5808 @5:1");
    fixture->inputs.npus_per_node = 5;
    measured_refused(fixture, "all_reduce.txt", one,
                     "all_reduce.txt:1:4: 16 NPUs are no whole number of nodes of 5 NPUs");
    /* Ranks that are neither in blocks nor in turns. */
    fixture->inputs.npus_per_node = 0;
    measured_refused(
        fixture, "all_reduce.txt",
        RANK("0", "1", "a") RANK("1", "1", "b") RANK("2", "1", "b") RANK("15", "16", "b")
            COLUMNS OF_16,
        "all_reduce.txt:1:4: the number of nodes of the 16 NPUs does not follow from the "
        "devices' lines: set the NPUs of a node (--npus-per-node)");
}

static void test_no_devices_solved_or_given(void **state)
{
    struct measured_fixture *fixture = *state;
    measured_refused(
        fixture, "all_reduce.txt", COLUMNS OF_16,
        "all_reduce.txt:1:3: the number of nodes of the 16 NPUs does not follow from the "
        "devices' lines: set the NPUs of a node (--npus-per-node)");
    fixture->inputs.npus_per_node = 8;
    measured_row_is(measured_of(fixture, "all_reduce.txt", COLUMNS OF_16), 0,
                    "all_reduce 16 8 1073741824 5808 @2:1");
    measured_row_is(measured_of(fixture, "all_reduce.txt", COLUMNS OF_128), 0,
                    "all_reduce 128 8 1073741824 5808 @2:1");
    measured_refused(fixture, "all_reduce.txt", COLUMNS OF_1024,
                     "all_reduce.txt:1:3: no devices are listed, and the bandwidths may be those "
                     "of 955 to 1037 NPUs: set the number of NPUs (--npus)");
    measured_refused(fixture, "all_reduce.txt", COLUMNS OF_16_SMALL,
                     "all_reduce.txt:1:3: no devices are listed, and the bandwidths may be those "
                     "of 8 or more NPUs: set the number of NPUs (--npus)");
    fixture->inputs.npus = 1024;
    measured_row_is(measured_of(fixture, "all_reduce.txt", COLUMNS OF_1024), 0,
                    "all_reduce 1024 8 1073741824 6000 @2:1");
    measured_refused(fixture, "all_reduce.txt", COLUMNS OF_128,
                     "all_reduce.txt:1:3: 1024 NPUs are given, but the rows and the devices' lines "
                     "allow 128 to 129");
}

static void test_devices_against_rows_refused(void **state)
{
    struct measured_fixture *fixture = *state;
    static const char eight[] = RANK("0", "1", "a") RANK("1", "2", "a") RANK("2", "3", "a")
        RANK("3", "4", "a") COLUMNS OF_16;
    measured_refused(fixture, "all_reduce.txt", eight,
                     "all_reduce.txt:1:4: 4 devices are listed, but the bandwidths are those of 16 "
                     "NPUs: are lines missing? Set the number of NPUs (--npus)");
    fixture->inputs.npus = 16;
    fixture->inputs.npus_per_node = 4;
    measured_row_is(measured_of(fixture, "all_reduce.txt", eight), 0,
                    "all_reduce 16 4 1073741824 5808 @6:1");
    fixture->inputs = (struct orr_measured_inputs){0};
    /* An all-gather's bandwidths are closer. */
    measured_refused(fixture, "all_gather.txt", eight,
                     "all_gather.txt:6:1: busbw is 1.875 times algbw, which all_gather has on no "
                     "number of NPUs that the rows before allow: is it another collective, or of "
                     "another run?");
    measured_refused(fixture, "broadcast.txt", eight,
                     "broadcast.txt:6:1: busbw is 1.875 times algbw, which broadcast has on no "
                     "number of NPUs that the rows before allow: is it another collective, or of "
                     "another run?");
    measured_refused(fixture, "all_reduce.txt", COLUMNS OF_16 OF_128,
                     "all_reduce.txt:3:1: busbw is 1.984 times algbw, which all_reduce has on no "
                     "number of NPUs that the rows before allow: is it another collective, or of "
                     "another run?");
}

static void test_hosts_must_be_alike(void **state)
{
    measured_refused(*state, "all_reduce.txt",
                     RANK("0", "1", "a") RANK("1", "2", "a") RANK("2", "3", "b") COLUMNS
                     "1024 256 float sum -1 20.00 0.05 0.07 0 20.40 0.05 0.07 0\n",
                     "all_reduce.txt:1:4: hosts have 1 to 2 devices: expected as many on each");
    measured_refused(*state, "all_reduce.txt",
                     RANK("0", "1", "a") COLUMNS
                     "1024 256 float sum -1 20.00 0.05 0.00 0 20.40 0.05 0.00 0\n",
                     "all_reduce.txt:1:4: the run is of one device, where a collective needs at "
                     "least 2: were nccl-tests built without MPI?");
}

/* NCCL_TESTS_SPLIT: each group ran the collective by itself. */
static void test_groups_count_their_own(void **state)
{
    static const char text[] = "# Rank 0 Group 0 Pid 1 on a device 0 [0000] H100\n"
                               "# Rank 1 Group 1 Pid 2 on a device 1 [0000] H100\n"
                               "# Rank 2 Group 0 Pid 3 on b device 0 [0000] H100\n"
                               "# Rank 3 Group 1 Pid 4 on b device 1 [0000] H100\n" COLUMNS
                               "1048576 262144 float sum -1 60.50 17.33 17.33 0 61.71 16.99 16.99 "
                               "0\n";
    measured_row_is(measured_of(*state, "all_reduce.txt", text), 0,
                    "all_reduce 2 1 1048576 60.5 @6:1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_cut_devices_solved_from_rows, measured_setup,
                                        measured_teardown),
        cmocka_unit_test_setup_teardown(test_lines_taken_out_solved_from_rows, measured_setup,
                                        measured_teardown),
        cmocka_unit_test_setup_teardown(test_no_devices_solved_or_given, measured_setup,
                                        measured_teardown),
        cmocka_unit_test_setup_teardown(test_devices_against_rows_refused, measured_setup,
                                        measured_teardown),
        cmocka_unit_test_setup_teardown(test_hosts_must_be_alike, measured_setup,
                                        measured_teardown),
        cmocka_unit_test_setup_teardown(test_groups_count_their_own, measured_setup,
                                        measured_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
