/* Loading the traces of a job: one file per rank, gzip, shared files, one file for all, none. */
#include "tests/unit/et_bytes.h"

static int setup(void **state)
{
    *state = orr_arena_create();
    return *state != NULL ? 0 : -1;
}

static int teardown(void **state)
{
    orr_arena_destroy(*state);
    return system("rm -f s.*");
}

static void write_trace(const char *path, uint64_t bytes, bool gzip)
{
    const struct orr_et_writer_options options = {.gzip = gzip};
    struct orr_et_writer *writer = NULL;
    const struct orr_node_spec spec = {.kind = ORR_NODE_COLL, .name = "x", .comm_bytes = bytes};
    assert_int_equal(orr_et_writer_create(&writer, path, &options, NULL), ORR_OK);
    assert_int_equal(orr_et_writer_add(writer, &spec, NULL), ORR_OK);
    assert_int_equal(orr_et_writer_finish(writer, NULL), ORR_OK);
    orr_et_writer_destroy(writer);
}

static void expect_set_error(void **state, const char *prefix, uint32_t npus,
                             enum orr_status status, const char *expected)
{
    const struct orr_trace *by_rank[16];
    struct orr_diag diag;
    char text[5000];
    orr_diag_init(&diag);
    assert_int_equal(orr_et_load_set(*state, prefix, npus, by_rank, &diag), status);
    (void)orr_diag_render(&diag, text, sizeof text);
    assert_string_equal(text, expected);
}

static void test_load_equal_files_share_a_trace(void **state)
{
    const struct orr_trace *by_rank[4];
    write_trace("s.0.et", 1, false);
    write_trace("s.1.et", 2, false);
    write_trace("s.2.et", 1, false);
    write_trace("s.3.et.gz", 2, true);
    assert_int_equal(orr_et_load_set(*state, "s", 4, by_rank, NULL), ORR_OK);
    assert_int_equal(by_rank[0]->node[0].amount, 1);
    assert_int_equal(by_rank[1]->node[0].amount, 2);
    assert_ptr_equal(by_rank[2], by_rank[0]);
    assert_ptr_not_equal(by_rank[3], by_rank[1]); /* other bytes on disk */
    assert_int_equal(by_rank[3]->node[0].amount, 2);
    assert_string_equal(by_rank[0]->path, "s.0.et");
    assert_string_equal(by_rank[3]->path, "s.3.et.gz");
}

static void test_load_one_file_is_for_all(void **state)
{
    const struct orr_trace *by_rank[3];
    write_trace("s.single", 5, false);
    assert_int_equal(orr_et_load_set(*state, "s.single", 3, by_rank, NULL), ORR_OK);
    assert_int_equal(by_rank[0]->node[0].amount, 5);
    assert_ptr_equal(by_rank[1], by_rank[0]);
    assert_ptr_equal(by_rank[2], by_rank[0]);
}

static void test_load_missing_rank_names_those_found(void **state)
{
    for (unsigned rank = 0; rank < 8; rank++) {
        char path[32];
        (void)snprintf(path, sizeof path, "s.%u.et%s", rank, rank == 6 ? ".gz" : "");
        if (rank != 5) {
            write_trace(path, 1, rank == 6);
        }
    }
    expect_set_error(
        state, "s", 8, ORR_ERR_INPUT,
        "rank 5: no file s.5.et or s.5.et.gz; found ranks 0-4,6-7; expected one for each of the 8 "
        "NPUs of the platform");
    assert_int_equal(remove("s.7.et"), 0);
    expect_set_error(
        state, "s", 8, ORR_ERR_INPUT,
        "rank 5: no file s.5.et or s.5.et.gz; found ranks 0-4,6; expected one for each of the 8 "
        "NPUs of the platform");
}

static void test_load_nothing_there_says_so(void **state)
{
    expect_set_error(state, "s", 2, ORR_ERR_INPUT,
                     "rank 0: no file s.0.et or s.0.et.gz, nor of any other rank, nor a file s for "
                     "all; expected one for each of the 2 NPUs of the platform");
}

static void test_load_bad_file_names_it(void **state)
{
    write_trace("s.0.et", 1, false);
    write_bytes_to("s.1.et", "\x05", 1);
    expect_set_error(state, "s", 2, ORR_ERR_INPUT,
                     "s.1.et: record 0, byte offset 0: truncated: the record should have 5 bytes, "
                     "but only 0 follow");
}

static void test_load_more_ranks_than_npus_warns(void **state)
{
    const struct orr_trace *by_rank[1];
    char warning[1024] = "";
    struct orr_diag diag;
    orr_diag_init(&diag);
    diag.warn = keep_warning;
    diag.warn_user = warning;
    write_trace("s.0.et", 1, false);
    write_trace("s.1.et", 1, false);
    assert_int_equal(orr_et_load_set(*state, "s", 1, by_rank, &diag), ORR_OK);
    assert_string_equal(warning, "warning: s.1.et exists, but the platform has only 1 NPUs: the "
                                 "traces of the ranks from 1 on are not used");
}

/* Many ranks with the same bytes cost one trace: the arena stays small. */
static void test_load_thousand_equal_files_costs_one(void **state)
{
    static const struct orr_trace *by_rank[1000];
    for (unsigned rank = 0; rank < 1000; rank++) {
        char path[32];
        (void)snprintf(path, sizeof path, "s.%u.et", rank);
        write_trace(path, 3, false);
    }
    assert_int_equal(orr_et_load_set(*state, "s", 1000, by_rank, NULL), ORR_OK);
    assert_ptr_equal(by_rank[999], by_rank[0]);
    assert_true(orr_arena_bytes(*state) < 64 * 1024);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_load_equal_files_share_a_trace),
        TEST(test_load_one_file_is_for_all),
        TEST(test_load_missing_rank_names_those_found),
        TEST(test_load_nothing_there_says_so),
        TEST(test_load_bad_file_names_it),
        TEST(test_load_more_ranks_than_npus_warns),
        TEST(test_load_thousand_equal_files_costs_one),
    };
    return cmocka_run_group_tests(tests, enter_scratch, leave_scratch);
}
