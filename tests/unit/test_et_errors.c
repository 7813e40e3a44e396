/* Wrong traces and what is said about them, to the letter. Offsets: the metadata record takes 4
 * bytes (length 3, tag, length 1, "1"), so the first node is record 1 at byte 4. */
#include "tests/unit/et_bytes.h"

#include <stdlib.h>
#include <sys/resource.h>
#include <zlib.h>

static void test_read_missing_file_fails(void **state)
{
    (void)state;
    struct orr_diag diag;
    const struct orr_trace *trace = NULL;
    char text[5000];
    struct orr_arena *arena = orr_arena_create();
    orr_diag_init(&diag);
    assert_int_equal(orr_et_read_file(arena, "no.et", &trace, &diag), ORR_ERR_IO);
    (void)orr_diag_render(&diag, text, sizeof text);
    assert_string_equal(text, "no.et: cannot open: No such file or directory");
    orr_arena_destroy(arena);
}

static void test_read_empty_file_fails(void **state)
{
    (void)state;
    expect_error_of("", 0,
                    "the file is empty; an execution trace begins with a GlobalMetadata record");
}

static void test_read_truncated_length_fails(void **state)
{
    (void)state;
    struct bytes file = begin_file();
    put_byte(&file, 0x80);
    expect_error(&file, "record 1, byte offset 4: truncated: the file ends inside the length of a "
                        "record");
}

static void test_read_endless_length_fails(void **state)
{
    (void)state;
    struct bytes file = begin_file();
    for (int i = 0; i < 10; i++) {
        put_byte(&file, 0xFF);
    }
    expect_error(&file,
                 "record 1, byte offset 4: the length of a record is not a varint of at most "
                 "5 bytes; is this an execution trace?");
}

static void test_read_truncated_record_fails(void **state)
{
    (void)state;
    struct bytes file = begin_file();
    put_varint(&file, 100);
    put_raw(&file, "abc", 3);
    expect_error(&file, "record 1, byte offset 4: truncated: the record should have 100 bytes, but "
                        "only 3 follow");
}

static void test_read_oversized_record_fails(void **state)
{
    (void)state;
    struct bytes file = begin_file();
    put_varint(&file, 256 * 1024 * 1024 + 1);
    expect_error(&file, "record 1, byte offset 4: a record of 268435457 bytes; records may have at "
                        "most 268435456 bytes (256 MiB)");
}

static void test_read_undecodable_node_fails(void **state)
{
    (void)state;
    struct bytes file = begin_file(), node = {0};
    put_raw(&node, "\x12\x20hi", 4); /* a name of 32 bytes in a record of 4 */
    put_record(&file, &node);
    expect_error(&file, "record 1, byte offset 4: the record's 4 bytes are not a Node message of "
                        "the Chakra schema");
}

static void test_read_undecodable_metadata_fails(void **state)
{
    (void)state;
    const struct bytes node = node_bytes(1, "no metadata before me", 4);
    struct bytes file = {0};
    put_record(&file, &node);
    expect_error(&file, "record 0, byte offset 0: the record's 27 bytes are not a GlobalMetadata "
                        "message of the Chakra schema");
}

static void test_read_unknown_type_fails(void **state)
{
    (void)state;
    const struct bytes node = node_bytes(5, "x", 9), file = file_of(&node);
    expect_error(&file, "record 1, byte offset 4: node 5 (x): unknown node type 9; expected 0 "
                        "(INVALID_NODE) to 7 (COMM_COLL_NODE)");
}

static void test_read_unknown_comm_type_fails(void **state)
{
    (void)state;
    struct bytes node = node_bytes(5, "x", 7);
    put_attr_number(&node, "comm_type", ATTR_INT64, 12);
    const struct bytes file = file_of(&node);
    expect_error(&file, "record 1, byte offset 4: node 5 (x): attribute \"comm_type\": expected a "
                        "collective from 0 (ALL_REDUCE) to 9 (BARRIER), got 12");
}

static void test_read_coll_without_comm_type_fails(void **state)
{
    (void)state;
    struct bytes node = node_bytes(5, "x", 7);
    put_attr_number(&node, "comm_size", ATTR_INT64, 12);
    const struct bytes file = file_of(&node);
    expect_error(&file, "record 1, byte offset 4: node 5 (x): a COMM_COLL_NODE needs the attribute "
                        "\"comm_type\"");
}

static void test_read_coll_without_comm_size_fails(void **state)
{
    (void)state;
    struct bytes node = node_bytes(5, "x", 7);
    put_attr_number(&node, "comm_type", ATTR_INT64, 0);
    const struct bytes file = file_of(&node);
    expect_error(&file, "record 1, byte offset 4: node 5 (x): a COMM_COLL_NODE needs the attribute "
                        "\"comm_size\"");
}

static void test_read_p2p_without_peer_or_size_fails(void **state)
{
    (void)state;
    static const char *const peers[] = {"comm_dst", "comm_src"};
    static const char *const kinds[] = {"COMM_SEND_NODE", "COMM_RECV_NODE"};
    for (unsigned i = 0; i < 2; i++) {
        for (unsigned with_peer = 0; with_peer < 2; with_peer++) {
            struct bytes node = node_bytes(5, "x", 5 + i);
            put_attr_number(&node, with_peer ? peers[i] : "comm_size", ATTR_INT64, 1);
            const struct bytes file = file_of(&node);
            char expected[256];
            (void)snprintf(expected, sizeof expected,
                           "record 1, byte offset 4: node 5 (x): a %s needs the attribute \"%s\"",
                           kinds[i], with_peer ? "comm_size" : peers[i]);
            expect_error(&file, expected);
        }
    }
}

static void expect_attr_error(const struct bytes *node, const char *expected)
{
    char text[512];
    const struct bytes file = file_of(node);
    (void)snprintf(text, sizeof text, "record 1, byte offset 4: node 5 (x): attribute %s",
                   expected);
    expect_error(&file, text);
}

static void test_read_negative_size_fails(void **state)
{
    (void)state;
    struct bytes node = node_bytes(5, "x", 7);
    put_attr_number(&node, "comm_size", ATTR_INT64, (uint64_t)-5);
    expect_attr_error(&node, "\"comm_size\": expected a whole number from 0 to 9223372036854775807,"
                             " got -5");
}

static void test_read_fraction_fails(void **state)
{
    (void)state;
    struct bytes node = node_bytes(5, "x", 4);
    put_attr_double(&node, "num_ops", 1.5);
    expect_attr_error(&node,
                      "\"num_ops\": expected a whole number from 0 to 9223372036854775807, got "
                      "1.5");
}

static void test_read_huge_real_fails(void **state)
{
    (void)state;
    struct bytes node = node_bytes(5, "x", 4);
    put_attr_double(&node, "num_ops", 1e30);
    expect_attr_error(&node,
                      "\"num_ops\": expected a whole number from 0 to 9223372036854775807, got "
                      "1e+30");
}

static void test_read_text_that_is_no_number_fails(void **state)
{
    (void)state;
    struct bytes node = node_bytes(5, "x", 4);
    put_attr_text(&node, "tensor_size", "big\n");
    expect_attr_error(&node, "\"tensor_size\": expected a whole number from 0 to "
                             "9223372036854775807, got \"big?\"");
}

static void test_read_unknown_tensor_access_fails(void **state)
{
    (void)state;
    struct bytes node = node_bytes(5, "x", 2);
    put_attr_text(&node, "orrery_tensor_access", "half");
    expect_attr_error(&node,
                      "\"orrery_tensor_access\": expected sharded or gathered, got \"half\"");
}

static void test_read_wrong_details_of_an_operation_fail(void **state)
{
    (void)state;
    struct bytes type = node_bytes(5, "x", 4), unaligned = node_bytes(5, "x", 4);
    put_attr_text(&type, "orrery_op_type", "fp6");
    expect_attr_error(&type, "\"orrery_op_type\": expected element, fp8 or fp4, got \"fp6\"");
    put_attr_text(&unaligned, "orrery_op_unaligned", "half");
    expect_attr_error(&unaligned, "\"orrery_op_unaligned\": expected a boolean, got \"half\"");
}

static void test_read_peer_above_int32_fails(void **state)
{
    (void)state;
    struct bytes node = node_bytes(5, "x", 5);
    put_attr_number(&node, "comm_dst", ATTR_UINT64, UINT64_C(1) << 31);
    expect_attr_error(&node, "\"comm_dst\": expected a whole number from 0 to 2147483647, got "
                             "2147483648");
}

static void test_read_list_for_number_fails(void **state)
{
    (void)state;
    struct bytes node = node_bytes(5, "x", 4), value = {0};
    put_part(&value, ATTR_BOOL_LIST, "\x0A\x02\x01\x00", 4); /* packed: true, false */
    put_attr(&node, "num_ops", &value);
    expect_attr_error(&node, "\"num_ops\": expected a whole number from 0 to 9223372036854775807, "
                             "got a list of 2 booleans");
}

static void test_read_cpu_flag_of_two_fails(void **state)
{
    (void)state;
    struct bytes node = node_bytes(5, "x", 4);
    put_attr_number(&node, "is_cpu_op", ATTR_INT32, 2);
    expect_attr_error(&node, "\"is_cpu_op\": expected true or false, got 2");
}

static void test_read_bytes_for_group_fails(void **state)
{
    (void)state;
    struct bytes node = node_bytes(5, "x", 7), value = {0};
    put_text(&value, ATTR_BYTES, "a");
    put_attr(&node, "pg_name", &value);
    expect_attr_error(&node, "\"pg_name\": expected the name of a communicator group, got a value "
                             "of another type");
}

static void test_read_text_for_dims_fails(void **state)
{
    (void)state;
    struct bytes node = node_bytes(5, "x", 7);
    put_attr_text(&node, "involved_dim", "all");
    expect_attr_error(&node, "\"involved_dim\": expected a list of at most 32 booleans, got "
                             "\"all\"");
}

static void test_read_tensor_location_of_three_fails(void **state)
{
    (void)state;
    struct bytes node = node_bytes(5, "x", 2);
    put_attr_number(&node, "tensor_loc", ATTR_INT32, 3);
    expect_attr_error(&node, "\"tensor_loc\": expected 0 (invalid), 1 (local) or 2 (remote), got "
                             "3");
}

static void test_read_long_name_is_cut(void **state)
{
    (void)state;
    const struct bytes node =
        node_bytes(5, "0123456789012345678901234567890123456789012345678901234567890123456789", 9);
    const struct bytes file = file_of(&node);
    expect_error(&file, "record 1, byte offset 4: node 5 "
                        "(012345678901234567890123456789012345678901234567890123456...): unknown "
                        "node type 9; expected 0 (INVALID_NODE) to 7 (COMM_COLL_NODE)");
}

/* Each node record of node_bytes takes 8 bytes: length, id 2, name 3, type 2. */
static void test_read_duplicate_id_names_both_records(void **state)
{
    (void)state;
    struct bytes file = begin_file();
    const struct bytes a = node_bytes(7, "a", 4), b = node_bytes(8, "b", 4),
                       c = node_bytes(7, "c", 4);
    put_record(&file, &a);
    put_record(&file, &b);
    put_record(&file, &c);
    expect_error(&file, "record 3, byte offset 20: duplicate node id: record 1 is node 7 (a) and "
                        "record 3 is node 7 (c)");
}

static void test_read_missing_parent_names_it(void **state)
{
    (void)state;
    struct bytes node = node_bytes(7, "a", 4);
    put_number(&node, NODE_DATA_DEPS, 99);
    const struct bytes file = file_of(&node);
    expect_error(&file, "record 1, byte offset 4: node 7 (a): depends on the data of node 99, but "
                        "no node of the trace has this id");
}

static void test_read_cycle_names_nodes(void **state)
{
    (void)state;
    struct bytes file = begin_file(), fwd = node_bytes(3, "fwd", 4), bwd = node_bytes(5, "bwd", 4);
    put_number(&fwd, NODE_DATA_DEPS, 5);
    put_number(&bwd, NODE_CTRL_DEPS, 3);
    put_record(&file, &bwd);
    put_record(&file, &fwd);
    expect_error(&file, "record 2, byte offset 16: cycle of dependencies: 3 (fwd) -> 5 (bwd) -> 3 "
                        "(fwd)");
}

/* ---- gzip ---- */

static size_t compress_file(const struct bytes *file, unsigned char *out, size_t room)
{
    z_stream z = {0};
    assert_int_equal(deflateInit2(&z, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    z.next_in = (z_const Bytef *)(uintptr_t)file->data;
    z.avail_in = (unsigned)file->count;
    z.next_out = out;
    z.avail_out = (unsigned)room;
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    const size_t count = room - z.avail_out;
    assert_int_equal(deflateEnd(&z), Z_OK);
    return count;
}

static void test_read_truncated_gzip_fails(void **state)
{
    (void)state;
    unsigned char zipped[512];
    const struct bytes node = node_bytes(7, "a", 4), file = file_of(&node);
    const size_t count = compress_file(&file, zipped, sizeof zipped);
    expect_error_of(zipped, count - 4,
                    "record 2, byte offset 12: damaged gzip data: the file ends too early");
}

static void test_read_gzip_with_wrong_checksum_fails(void **state)
{
    (void)state;
    unsigned char zipped[512];
    const struct bytes node = node_bytes(7, "a", 4), file = file_of(&node);
    const size_t count = compress_file(&file, zipped, sizeof zipped);
    zipped[count - 6] ^= 1;
    expect_error_of(zipped, count,
                    "record 2, byte offset 12: damaged gzip data: incorrect data check");
}

static void test_read_gzip_with_garbage_behind_fails(void **state)
{
    (void)state;
    unsigned char zipped[512];
    const struct bytes node = node_bytes(7, "a", 4), file = file_of(&node);
    const size_t count = compress_file(&file, zipped, sizeof zipped);
    memcpy(zipped + count, "garbage", 7);
    expect_error_of(zipped, count + 7,
                    "record 2, byte offset 12: damaged gzip data: incorrect header check");
}

static void test_read_gzip_header_only_fails(void **state)
{
    (void)state;
    expect_error_of("\x1F\x8B", 2,
                    "record 0, byte offset 0: damaged gzip data: the file ends too early");
}

static void test_read_empty_gzip_fails(void **state)
{
    (void)state;
    unsigned char zipped[64];
    const struct bytes nothing = {0};
    const size_t count = compress_file(&nothing, zipped, sizeof zipped);
    expect_error_of(zipped, count,
                    "the file is empty; an execution trace begins with a GlobalMetadata record");
}

/* An empty header, and ten million times node 0: 9.7 kB when compressed, 1.1 GB as staged nodes. */
static void test_read_compressed_zeros_fails_at_the_second_node(void **state)
{
    enum { COUNT = 10000000, ROOM = 16384, MAX_KIB = 20 * 1024 };
    (void)state;
    struct rusage before, after;
    unsigned char zipped[ROOM], *source = calloc(COUNT, 1);
    assert_non_null(source);
    z_stream z = {.next_in = source, .avail_in = COUNT, .next_out = zipped, .avail_out = ROOM};
    assert_int_equal(deflateInit2(&z, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    const size_t count = ROOM - z.avail_out;
    assert_int_equal(deflateEnd(&z), Z_OK);
    free(source);
    assert_int_equal(getrusage(RUSAGE_SELF, &before), 0);
    expect_error_of(zipped, count,
                    "record 2, byte offset 2: duplicate node id: record 1 is node 0 and record 2 "
                    "is node 0");
    assert_int_equal(getrusage(RUSAGE_SELF, &after), 0);
    assert_true(after.ru_maxrss - before.ru_maxrss < MAX_KIB);
}

/* ---- JSON ---- */

static void expect_json_error(const char *text, const char *expected)
{
    struct bytes file = {0};
    char rendered[5000];
    struct orr_arena *arena = orr_arena_create();
    const struct orr_trace *trace = NULL;
    struct orr_diag diag;
    put_raw(&file, text, strlen(text));
    const struct orr_et_bytes bytes = {.name = "t.json", .data = file.data, .count = file.count};
    orr_diag_init(&diag);
    assert_int_equal(orr_et_read_memory(arena, &bytes, &trace, &diag), ORR_ERR_INPUT);
    (void)orr_diag_render(&diag, rendered, sizeof rendered);
    assert_string_equal(rendered, expected);
    orr_arena_destroy(arena);
}

static void test_read_bad_json_tells_line(void **state)
{
    (void)state;
    expect_json_error("{\"version\": \"1\"}\n{\"id\": 3, oops}",
                      "t.json:2:15: not valid JSON: string or '}' expected near 'oops'");
}

static void test_read_json_node_errors_name_it(void **state)
{
    (void)state;
    expect_json_error("{\"version\": \"1\"}{\"id\": \"3x\"}",
                      "t.json: record 1, byte offset 16: node 3: \"id\": expected a whole number "
                      ">= 0");
    expect_json_error("{\"version\": \"1\"}{\"id\": 3, \"type\": \"NODE\"}",
                      "t.json: record 1, byte offset 16: node 3: type: expected a name such as "
                      "\"COMP_NODE\" or a number from 0 to 7");
    expect_json_error("{\"version\": \"1\"}{\"id\": 3, \"dataDeps\": 4}",
                      "t.json: record 1, byte offset 16: node 3: dependencies: expected a list of "
                      "node ids");
    expect_json_error("{\"version\": \"1\"} 7",
                      "t.json:1:19: not valid JSON: '[' or '{' expected near '7'");
    expect_json_error("{\"workload_graph\": [7]}",
                      "t.json: record 0, byte offset 0: node 0: expected a JSON object");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_read_missing_file_fails),
        cmocka_unit_test(test_read_empty_file_fails),
        cmocka_unit_test(test_read_truncated_length_fails),
        cmocka_unit_test(test_read_endless_length_fails),
        cmocka_unit_test(test_read_truncated_record_fails),
        cmocka_unit_test(test_read_oversized_record_fails),
        cmocka_unit_test(test_read_undecodable_node_fails),
        cmocka_unit_test(test_read_undecodable_metadata_fails),
        cmocka_unit_test(test_read_unknown_type_fails),
        cmocka_unit_test(test_read_unknown_comm_type_fails),
        cmocka_unit_test(test_read_coll_without_comm_type_fails),
        cmocka_unit_test(test_read_coll_without_comm_size_fails),
        cmocka_unit_test(test_read_p2p_without_peer_or_size_fails),
        cmocka_unit_test(test_read_negative_size_fails),
        cmocka_unit_test(test_read_fraction_fails),
        cmocka_unit_test(test_read_huge_real_fails),
        cmocka_unit_test(test_read_text_that_is_no_number_fails),
        cmocka_unit_test(test_read_unknown_tensor_access_fails),
        cmocka_unit_test(test_read_wrong_details_of_an_operation_fail),
        cmocka_unit_test(test_read_peer_above_int32_fails),
        cmocka_unit_test(test_read_list_for_number_fails),
        cmocka_unit_test(test_read_cpu_flag_of_two_fails),
        cmocka_unit_test(test_read_bytes_for_group_fails),
        cmocka_unit_test(test_read_text_for_dims_fails),
        cmocka_unit_test(test_read_tensor_location_of_three_fails),
        cmocka_unit_test(test_read_long_name_is_cut),
        cmocka_unit_test(test_read_duplicate_id_names_both_records),
        cmocka_unit_test(test_read_missing_parent_names_it),
        cmocka_unit_test(test_read_cycle_names_nodes),
        cmocka_unit_test(test_read_truncated_gzip_fails),
        cmocka_unit_test(test_read_gzip_with_wrong_checksum_fails),
        cmocka_unit_test(test_read_gzip_with_garbage_behind_fails),
        cmocka_unit_test(test_read_gzip_header_only_fails),
        cmocka_unit_test(test_read_empty_gzip_fails),
        cmocka_unit_test(test_read_compressed_zeros_fails_at_the_second_node),
        cmocka_unit_test(test_read_bad_json_tells_line),
        cmocka_unit_test(test_read_json_node_errors_name_it),
    };
    return cmocka_run_group_tests(tests, enter_scratch, leave_scratch);
}
