/* The layouts 0.0.1 and 0.0.3 of Chakra, on files made field by field. */
#include "tests/unit/et_bytes.h"
#include "tests/unit/trace_text.h"

#include "et_converter/chakra/chakra_legacy.h"
#include "et_converter/file_ranks.h"

static int setup(void **state)
{
    *state = orr_arena_create();
    return *state != NULL ? 0 : -1;
}

static int teardown(void **state)
{
    orr_arena_destroy(*state);
    return 0;
}

static struct orr_et_bytes whole(const struct bytes *file)
{
    return (struct orr_et_bytes){.name = "t.et", .data = file->data, .count = file->count};
}

static void expect(void **state, const struct bytes *file, enum chakra_layout layout,
                   const char *expected)
{
    const struct orr_et_bytes bytes = whole(file);
    const struct orr_trace *trace = NULL;
    struct trace_text text;
    struct orr_diag diag;
    orr_diag_init(&diag);
    assert_int_equal(orr_chakra_layout_of(&bytes), layout);
    if (orr_chakra_legacy_read(*state, &bytes, layout, &trace, &diag) != ORR_OK) {
        print_error("unexpected: %s\n", diag.message);
    }
    assert_non_null(trace);
    assert_string_equal(text_of_trace(*state, trace, &text), expected);
}

static void expect_old_error(void **state, const struct bytes *file, const char *expected)
{
    const struct orr_et_bytes bytes = whole(file);
    const struct orr_trace *trace = NULL;
    struct orr_diag diag;
    char said[ORR_DIAG_MESSAGE_BYTES];
    orr_diag_init(&diag);
    assert_int_equal(
        orr_chakra_legacy_read(*state, &bytes, orr_chakra_layout_of(&bytes), &trace, &diag),
        ORR_ERR_INPUT);
    (void)orr_diag_render(&diag, said, sizeof said);
    assert_string_equal(said, expected);
}

/* ---- 0.0.1 ---- */

static struct bytes flat_node(uint64_t id, const char *name, unsigned type, uint64_t parent)
{
    struct bytes node = node_bytes(id, name, type);
    if (parent != UINT64_MAX) {
        put_number(&node, 4, parent);
    }
    return node;
}

static struct bytes flat_file(void)
{
    struct bytes file = {0}, node = flat_node(0, "load", 1, UINT64_MAX);
    put_number(&node, 8, 1); /* input_tensor_loc local, input_tensor_size */
    put_number(&node, 9, 64);
    put_record(&file, &node);
    node = flat_node(1, "comp", 3, 0);
    put_number(&node, 7, 250); /* cycles of 1 ns */
    put_number(&node, 12, 1000);
    put_number(&node, 6, 32);
    put_record(&file, &node);
    node = flat_node(2, "coll", 6, 1);
    put_number(&node, 13, 1); /* all-to-all */
    put_number(&node, 14, 1); /* involved_dim, one by one */
    put_number(&node, 14, 0);
    put_number(&node, 18, 4096);
    put_record(&file, &node);
    node = flat_node(3, "send", 4, 1);
    put_number(&node, 16, 0);
    put_number(&node, 17, 5);
    put_number(&node, 18, 100);
    put_number(&node, 19, 9);
    put_record(&file, &node);
    node = flat_node(4, "recv", 5, 1);
    put_number(&node, 16, 6);
    put_number(&node, 18, 100);
    put_record(&file, &node);
    node = flat_node(5, "gather", 6, 3);
    put_number(&node, 4, 4);
    put_number(&node, 13, 2);
    put_number(&node, 15, 7); /* communicator */
    put_number(&node, 18, 8);
    put_record(&file, &node);
    node = flat_node(6, "store", 2, 5);
    put_number(&node, 5, 2); /* remote */
    put_number(&node, 6, 16);
    put_record(&file, &node);
    return file;
}

static void test_chakra_0_0_1_is_read(void **state)
{
    const struct bytes file = flat_file();
    expect(state, &file, CHAKRA_0_0_1,
           "0 load load local 64 B\n"
           "1 comp comp 250 ns 1000 ops 32 B < 0\n"
           "2 coll coll ALL_TO_ALL 4096 B dims 10 < 1\n"
           "3 send send to 5 tag 9 100 B < 1\n"
           "4 recv recv from 6 tag 0 100 B < 1\n"
           "5 gather coll ALL_GATHER 8 B group 7 < 3 4\n"
           "6 store store remote 16 B < 5\n");
}

/* comm_type 0 (all-reduce) may be left out; parents and dimensions may be packed. */
static void test_chakra_0_0_1_packed_and_default_fields_are_read(void **state)
{
    struct bytes file = {0}, node = flat_node(0, "a", 3, UINT64_MAX);
    put_number(&node, 7, 1);
    put_record(&file, &node);
    node = flat_node(1, "b", 3, UINT64_MAX);
    put_number(&node, 7, 2);
    put_record(&file, &node);
    node = flat_node(2, "c", 6, UINT64_MAX);
    put_part(&node, 4, "\000\001", 2);
    put_part(&node, 14, "\000\001\001", 3);
    put_number(&node, 18, 300);
    put_record(&file, &node);
    expect(state, &file, CHAKRA_0_0_1,
           "0 a comp 1 ns\n"
           "1 b comp 2 ns\n"
           "2 c coll ALL_REDUCE 300 B dims 011 < 0 1\n");
}

/* ---- 0.0.3 ---- */

/* An attribute of type INT with field 6, or BOOL with field 4. */
static void put_old_number(struct bytes *node, const char *name, unsigned field, uint64_t value)
{
    struct bytes attr = {0};
    put_text(&attr, 1, name);
    put_number(&attr, 2, field == 4 ? 0 : 2);
    put_number(&attr, field, value);
    put_part(node, 11, attr.data, attr.count);
}

static void put_old_text(struct bytes *node, const char *name, const char *value)
{
    struct bytes attr = {0};
    put_text(&attr, 1, name);
    put_number(&attr, 2, 3);
    put_text(&attr, 7, value);
    put_part(node, 11, attr.data, attr.count);
}

static struct bytes typed_file(void)
{
    struct bytes file = {0}, node = node_bytes(1, "meta", 1), attr = {0};
    put_text(&node, 5, "['x']"); /* inputs */
    put_record(&file, &node);
    node = node_bytes(2, "comp", 4);
    put_number(&node, 4, 1);
    put_text(&node, 6, "[[2]]");
    put_old_number(&node, "runtime", 6, 7); /* us */
    put_old_number(&node, "is_cpu_op", 4, 1);
    put_old_text(&node, "op_schema", "aten::mm");
    put_record(&file, &node);
    node = node_bytes(3, "coll", 7);
    put_number(&node, 4, 2);
    put_number(&attr, 2, 4); /* BOOLS, the name behind the values */
    put_number(&attr, 8, 0);
    put_number(&attr, 8, 1);
    put_text(&attr, 1, "involved_dim");
    put_part(&node, 11, attr.data, attr.count);
    put_old_number(&node, "comm_type", 6, 3);
    put_old_number(&node, "comm_size", 6, 512);
    put_record(&file, &node);
    node = node_bytes(4, "grouped", 7);
    put_old_number(&node, "comm_type", 6, 0);
    put_old_number(&node, "comm_size", 6, 64);
    put_old_text(&node, "pg_name", "tp");
    put_record(&file, &node);
    node = node_bytes(5, "load", 2);
    put_old_number(&node, "tensor_size", 6, 99);
    put_old_number(&node, "tensor_loc", 6, 1);
    put_record(&file, &node);
    return file;
}

static void test_chakra_0_0_3_is_read(void **state)
{
    const struct bytes file = typed_file();
    expect(state, &file, CHAKRA_0_0_3,
           "1 meta other\n"
           "2 comp comp 7000 ns cpu < 1\n"
           "3 coll coll REDUCE_SCATTER 512 B dims 01 < 2\n"
           "4 grouped coll ALL_REDUCE 64 B group tp\n"
           "5 load load local 99 B\n");
}

static void test_chakra_nodes_without_further_fields_are_supposed_0_0_3(void **state)
{
    struct bytes file = {0}, node = node_bytes(3, "n", 4);
    put_record(&file, &node);
    expect(state, &file, CHAKRA_0_0_3_SUPPOSED, "3 n comp 0 ns\n");
}

static void test_chakra_current_files_are_not_old(void **state)
{
    (void)state;
    struct bytes file = begin_file(), node = node_bytes(1, "n", 4);
    put_record(&file, &node);
    struct orr_et_bytes bytes = whole(&file);
    assert_int_equal(orr_chakra_layout_of(&bytes), CHAKRA_CURRENT);
    struct bytes empty = {0}; /* metadata without a version */
    put_varint(&empty, 0);
    put_record(&empty, &node);
    bytes = whole(&empty);
    assert_int_equal(orr_chakra_layout_of(&bytes), CHAKRA_CURRENT);
    bytes = (struct orr_et_bytes){.name = "t", .data = "{\"version\": \"1\"}", .count = 16};
    assert_int_equal(orr_chakra_layout_of(&bytes), CHAKRA_CURRENT);
    bytes.count = 0;
    assert_int_equal(orr_chakra_layout_of(&bytes), CHAKRA_CURRENT);
}

/* ---- errors ---- */

static void test_chakra_bad_old_nodes_are_refused(void **state)
{
    struct bytes file = {0}, node = flat_node(0, "c", 3, UINT64_MAX);
    put_number(&node, 7, 1);
    put_record(&file, &node);
    struct bytes good = file;
    node = flat_node(1, "x", 7, UINT64_MAX);
    put_record(&file, &node);
    expect_old_error(state, &file,
                     "t.et: record 1, byte offset 11: node 1 (x): unknown node type 7; expected 0 "
                     "to 6 in layout 0.0.1");
    file = good;
    node = flat_node(1, "x", 6, UINT64_MAX);
    put_number(&node, 13, 4);
    put_number(&node, 18, 4);
    put_record(&file, &node);
    expect_old_error(state, &file,
                     "t.et: record 1, byte offset 11: node 1 (x): comm_type: expected 0 "
                     "(all-reduce), 1 (all-to-all), 2 (all-gather) or 3 (reduce-scatter), got 4");
    file = good;
    node = flat_node(1, "x", 4, UINT64_MAX);
    put_record(&file, &node);
    expect_old_error(state, &file,
                     "t.et: record 1, byte offset 11: node 1 (x): a communication node needs "
                     "\"comm_size\"");
    file = good;
    node = flat_node(1, "x", 4, UINT64_MAX);
    put_number(&node, 17, UINT64_C(1) << 40);
    put_record(&file, &node);
    expect_old_error(state, &file,
                     "t.et: record 1, byte offset 11: node 1 (x): comm_dst: expected a whole "
                     "number from 0 to 2147483647");
    file = good;
    node = flat_node(1, "x", 3, 9);
    put_record(&file, &node);
    expect_old_error(state, &file,
                     "t.et: record 1, byte offset 11: node 1 (x): depends on the data of node 9, "
                     "but no node of the trace has this id");
}

static void test_chakra_damaged_old_files_are_refused(void **state)
{
    struct bytes file = flat_file();
    file.count -= 3;
    expect_old_error(state, &file,
                     "t.et: record 6, byte offset 127: the file ends inside of a record (15 bytes "
                     "are left)");
    struct bytes odd = typed_file();
    struct bytes attr = {0}, last = node_bytes(9, "n", 4);
    put_text(&attr, 1, "runtime");
    put_number(&attr, 5, 3); /* field 5 is a float */
    put_part(&last, 11, attr.data, attr.count);
    put_record(&odd, &last);
    expect_old_error(state, &odd,
                     "t.et: record 5, byte offset 297: field 5, f: expected a 32-bit number, got a "
                     "number");
}

/* ---- ranks of files ---- */

static void test_ranks_come_from_names(void **state)
{
    (void)state;
    uint32_t rank = 99;
    assert_true(orr_convert_rank_of_name("a/b.c/trace.17.et", &rank) && rank == 17);
    assert_true(orr_convert_rank_of_name("trace.0.et.gz", &rank) && rank == 0);
    assert_true(orr_convert_rank_of_name("x.3.json", &rank) && rank == 3);
    assert_false(orr_convert_rank_of_name("trace.et", &rank));
    assert_false(orr_convert_rank_of_name("folder.3.d/trace.et", &rank));
    assert_false(orr_convert_rank_of_name("trace..et", &rank));
    assert_false(orr_convert_rank_of_name("trace.x1.et", &rank));
    assert_false(orr_convert_rank_of_name("trace.99999999999.et", &rank));
}

static void test_ranks_given_twice_are_refused_and_missing_ones_noted(void **state)
{
    const char *const files[] = {"t.0.et", "t.3.et", "u.0.et"};
    struct conv_job job = {.files = files, .file_count = 2};
    struct conv_report report;
    struct orr_diag diag;
    char said[ORR_DIAG_MESSAGE_BYTES];
    uint32_t rank[3];
    orr_diag_init(&diag);
    orr_convert_report_init(&report, *state);
    assert_int_equal(orr_convert_ranks_of_files(&job, rank, &report, &diag), ORR_OK);
    assert_true(rank[0] == 0 && rank[1] == 3);
    assert_int_equal(report.note[0].count, 2);
    assert_string_equal(report.note[0].example[1], "rank 2");
    job.file_count = 3;
    assert_int_equal(orr_convert_ranks_of_files(&job, rank, &report, &diag), ORR_ERR_INPUT);
    (void)orr_diag_render(&diag, said, sizeof said);
    assert_string_equal(said, "u.0.et: rank 0 is given twice, also by t.0.et");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_chakra_0_0_1_is_read, setup, teardown),
        cmocka_unit_test_setup_teardown(test_chakra_0_0_1_packed_and_default_fields_are_read, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_chakra_0_0_3_is_read, setup, teardown),
        cmocka_unit_test_setup_teardown(test_chakra_nodes_without_further_fields_are_supposed_0_0_3,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(test_chakra_current_files_are_not_old, setup, teardown),
        cmocka_unit_test_setup_teardown(test_chakra_bad_old_nodes_are_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(test_chakra_damaged_old_files_are_refused, setup, teardown),
        cmocka_unit_test(test_ranks_come_from_names),
        cmocka_unit_test_setup_teardown(test_ranks_given_twice_are_refused_and_missing_ones_noted,
                                        setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
