/* Reading traces: framing, every kind of number, every attribute, gzip, JSON. */
#include "core/time.h"
#include "tests/unit/et_bytes.h"
#include "workload/trace/trace.h"

#include <zlib.h>

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

static const struct orr_trace *read_node(void **state, const struct bytes *node)
{
    const struct bytes file = file_of(node);
    const struct orr_trace *trace = read_bytes(*state, &file);
    assert_int_equal(trace->nodes, 1);
    return trace;
}

/* ---- framing ---- */

static void test_read_metadata_only_is_empty_trace(void **state)
{
    const struct bytes file = begin_file();
    const struct orr_trace *trace = read_bytes(*state, &file);
    assert_int_equal(trace->nodes, 0);
    assert_string_equal(trace->version, "1");
    assert_string_equal(trace->path, "t.et");
}

static void test_read_empty_metadata_is_empty_trace(void **state)
{
    const struct bytes file = {1, {0}};
    const struct orr_trace *trace = read_bytes(*state, &file);
    assert_int_equal(trace->nodes, 0);
    assert_string_equal(trace->version, "");
}

static void test_read_empty_record_is_node_zero(void **state)
{
    const struct bytes node = {0};
    const struct orr_trace *trace = read_node(state, &node);
    assert_int_equal(trace->node[0].id, 0);
    assert_int_equal(trace->node[0].kind, ORR_NODE_INVALID);
    assert_string_equal(trace->node[0].name, "");
}

static void test_read_unordered_nodes_sorts_by_id(void **state)
{
    struct bytes file = begin_file(), late = node_bytes(9, "late", 4);
    const struct bytes unexpected = node_bytes(2, "early", 4);
    put_number(&late, NODE_DATA_DEPS, 2);
    put_number(&late, NODE_CTRL_DEPS, 2);
    put_number(&late, NODE_DURATION, 17);
    put_record(&file, &late);
    put_record(&file, &unexpected);
    const struct orr_trace *trace = read_bytes(*state, &file);
    assert_int_equal(trace->nodes, 2);
    assert_int_equal(trace->node[0].id, 2);
    assert_string_equal(trace->node[1].name, "late");
    assert_int_equal(trace->node[1].duration_ps, 17 * ORR_PS_PER_US);
    assert_int_equal(trace->edges, 1);
    assert_int_equal(trace->children[0], 1);
}

/* Lists of numbers may be packed or one field each. */
static void test_read_packed_dependencies_are_parents(void **state)
{
    struct bytes file = begin_file(), a = node_bytes(1, "a", 4), b = node_bytes(2, "b", 4),
                 c = node_bytes(300, "c", 4);
    put_part(&c, NODE_DATA_DEPS, "\x01\x02", 2);
    put_record(&file, &a);
    put_record(&file, &b);
    put_record(&file, &c);
    const struct orr_trace *trace = read_bytes(*state, &file);
    assert_int_equal(trace->parents[2], 2);
}

static void test_read_unknown_fields_are_ignored(void **state)
{
    struct bytes node = node_bytes(1, "a", 4);
    put_text(&node, 99, "new");
    put_number(&node, 100, 5);
    put_attr_text(&node, "op_schema", "aten::x");
    put_attr_text(&node, "comm_size", "not of a compute node");
    const struct orr_trace *trace = read_node(state, &node);
    assert_int_equal(trace->node[0].id, 1);
}

static void test_read_same_bytes_same_hash(void **state)
{
    struct bytes file = begin_file();
    const uint64_t first = read_bytes(*state, &file)->content_hash;
    assert_true(read_bytes(*state, &file)->content_hash == first);
    file.data[3] = '2';
    assert_true(read_bytes(*state, &file)->content_hash != first);
}

/* A record larger than the stream's buffer. */
static void test_read_large_record_grows_buffer(void **state)
{
    static unsigned char data[400 * 1024];
    static const unsigned char head[] = {0x03, 0x0A, 0x01, '1'};
    const size_t name_bytes = sizeof data - 64;
    struct bytes start = {0}, length = {0};
    put_varint(&start, NODE_NAME << 3 | 2);
    put_varint(&start, name_bytes);
    put_varint(&length, start.count + name_bytes);
    memcpy(data, head, sizeof head);
    memcpy(data + sizeof head, length.data, length.count);
    memcpy(data + sizeof head + length.count, start.data, start.count);
    memset(data + sizeof head + length.count + start.count, 'n', name_bytes);
    const struct orr_et_bytes bytes = {.name = "t.et",
                                       .data = data,
                                       .count =
                                           sizeof head + length.count + start.count + name_bytes};
    const struct orr_trace *trace = NULL;
    assert_int_equal(orr_et_read_memory(*state, &bytes, &trace, NULL), ORR_OK);
    assert_int_equal(strlen(trace->node[0].name), name_bytes);
}

/* ---- numbers ---- */

static void expect_amount(void **state, const struct bytes *value, uint64_t expected)
{
    struct bytes node = node_bytes(1, "a", 4);
    put_attr(&node, "num_ops", value);
    const struct orr_trace *trace = read_node(state, &node);
    assert_true(trace->node[0].amount == expected);
    assert_int_equal(trace->node[0].flags, ORR_NODE_HAS_NUM_OPS);
}

static void test_read_every_varint_kind_is_a_number(void **state)
{
    static const unsigned arms[] = {ATTR_INT32, ATTR_INT64, ATTR_UINT32, ATTR_UINT64};
    for (size_t i = 0; i < sizeof arms / sizeof *arms; i++) {
        struct bytes value = {0};
        put_number(&value, arms[i], 1234567);
        expect_amount(state, &value, 1234567);
    }
    for (unsigned arm = ATTR_SINT32; arm <= ATTR_SINT64; arm += 2) {
        struct bytes value = {0};
        put_number(&value, arm, 2 * 1234567); /* zigzag */
        expect_amount(state, &value, 1234567);
    }
}

static void test_read_every_fixed_kind_is_a_number(void **state)
{
    const uint32_t narrow = 1234567;
    const uint64_t wide = UINT64_C(1) << 60;
    for (unsigned arm = ATTR_FIXED32; arm <= ATTR_SFIXED32; arm += 4) {
        struct bytes value = {0};
        put_fixed(&value, arm, &narrow, sizeof narrow);
        expect_amount(state, &value, narrow);
    }
    for (unsigned arm = ATTR_FIXED64; arm <= ATTR_SFIXED64; arm += 4) {
        struct bytes value = {0};
        put_fixed(&value, arm, &wide, sizeof wide);
        expect_amount(state, &value, wide);
    }
}

static void test_read_whole_reals_are_numbers(void **state)
{
    const double wide = 1e12;
    const float narrow = 4096.0F;
    struct bytes value = {0}, value2 = {0}, value3 = {0};
    put_fixed(&value, ATTR_DOUBLE, &wide, sizeof wide);
    expect_amount(state, &value, UINT64_C(1000000000000));
    put_fixed(&value2, ATTR_FLOAT, &narrow, sizeof narrow);
    expect_amount(state, &value2, 4096);
    put_number(&value3, ATTR_BOOL, 1);
    expect_amount(state, &value3, 1);
}

static void test_read_text_with_number_is_a_number(void **state)
{
    struct bytes value = {0}, value2 = {0};
    put_text(&value, ATTR_STRING, "9223372036854775807");
    expect_amount(state, &value, INT64_MAX);
    put_text(&value2, ATTR_STRING, "1e6");
    expect_amount(state, &value2, 1000000);
}

/* ---- attributes ---- */

static void test_read_collective_takes_attributes(void **state)
{
    struct bytes node = node_bytes(1, "a", 7), dims = {0};
    put_attr_number(&node, "comm_type", ATTR_INT64, ORR_COMM_ALL_GATHER);
    put_attr_number(&node, "comm_size", ATTR_INT64, 1 << 20);
    put_attr_number(&node, "comm_priority", ATTR_INT32, 3);
    put_attr_number(&node, "comm_root", ATTR_INT32, 4);
    put_attr_number(&node, "comm_tag", ATTR_INT32, 5);
    put_attr_text(&node, "pg_name", "12");
    put_part(&dims, ATTR_BOOL_LIST, "\x0A\x03\x01\x00\x01", 5);
    put_attr(&node, "involved_dim", &dims);
    const struct orr_trace *trace = read_node(state, &node);
    const struct orr_node_extra *extra = orr_trace_extra(trace, trace->node);
    assert_int_equal(trace->node[0].comm, ORR_COMM_ALL_GATHER);
    assert_int_equal(trace->node[0].amount, 1 << 20);
    assert_string_equal(trace->groups[trace->node[0].group - 1], "12");
    assert_int_equal(extra->priority, 3);
    assert_int_equal(extra->root, 4);
    assert_int_equal(extra->tag, 5);
    assert_true(extra->has_involved_dim);
    assert_int_equal(extra->involved_dims, 3);
    assert_int_equal(extra->involved_mask, 5);
}

static struct bytes barrier(void)
{
    struct bytes node = node_bytes(1, "a", 7);
    put_attr_text(&node, "comm_type", "BARRIER");
    return node;
}

static void test_read_barrier_needs_no_size(void **state)
{
    const struct bytes node = barrier();
    const struct orr_trace *trace = read_node(state, &node);
    assert_int_equal(trace->node[0].comm, ORR_COMM_BARRIER);
    assert_int_equal(trace->node[0].amount, 0);
    assert_int_equal(trace->node[0].group, 0);
    assert_int_equal(trace->extra_count, 0);
}

static void test_read_group_as_number_is_its_text(void **state)
{
    struct bytes node = barrier(), old = barrier(), both = barrier(), empty = barrier();
    put_attr_number(&node, "pg_name", ATTR_INT32, 7);
    assert_string_equal(read_node(state, &node)->groups[0], "7");
    put_attr_number(&old, "comm_group", ATTR_INT32, 8);
    assert_string_equal(read_node(state, &old)->groups[0], "8");
    put_attr_text(&both, "pg_name", "new");
    put_attr_number(&both, "comm_group", ATTR_INT32, 8);
    assert_string_equal(read_node(state, &both)->groups[0], "new");
    put_attr_text(&empty, "pg_name", "");
    assert_int_equal(read_node(state, &empty)->group_count, 0);
}

static void test_read_send_takes_peer_and_tag(void **state)
{
    struct bytes node = node_bytes(1, "a", 5);
    put_attr_number(&node, "comm_size", ATTR_UINT64, 100);
    put_attr_number(&node, "comm_src", ATTR_UINT64, 1);
    put_attr_number(&node, "comm_dst", ATTR_UINT64, INT32_MAX);
    put_attr_number(&node, "comm_tag", ATTR_UINT64, UINT32_MAX);
    const struct orr_trace *trace = read_node(state, &node);
    assert_int_equal(trace->node[0].amount, 100);
    assert_int_equal(trace->node[0].of.p2p.peer, INT32_MAX);
    assert_true(trace->node[0].of.p2p.tag == UINT32_MAX);
    assert_int_equal(trace->node[0].flags, ORR_NODE_HAS_SRC | ORR_NODE_HAS_DST);
}

static void test_read_recv_takes_source(void **state)
{
    struct bytes node = node_bytes(1, "a", 6);
    put_attr_number(&node, "comm_size", ATTR_INT64, 100);
    put_attr_number(&node, "comm_src", ATTR_INT32, 3);
    const struct orr_trace *trace = read_node(state, &node);
    assert_int_equal(trace->node[0].of.p2p.peer, 3);
    assert_int_equal(trace->node[0].of.p2p.tag, 0);
    assert_int_equal(trace->node[0].flags, ORR_NODE_HAS_SRC);
}

static void test_read_memory_takes_size_and_location(void **state)
{
    struct bytes node = node_bytes(1, "a", 3), plain = node_bytes(1, "a", 2);
    put_attr_number(&node, "tensor_size", ATTR_UINT64, 64);
    put_attr_number(&node, "tensor_loc", ATTR_UINT32, 1);
    const struct orr_trace *trace = read_node(state, &node);
    assert_int_equal(trace->node[0].of.tensor_bytes, 64);
    assert_int_equal(trace->node[0].flags, ORR_NODE_LOCAL_MEMORY | ORR_NODE_HAS_TENSOR_SIZE);
    assert_int_equal(read_node(state, &plain)->node[0].flags, 0);
}

static void test_read_cpu_flag_in_any_form(void **state)
{
    static const char *const yes[] = {"true", "True", "1"};
    for (size_t i = 0; i < 3; i++) {
        struct bytes node = node_bytes(1, "a", 4);
        put_attr_text(&node, "is_cpu_op", yes[i]);
        assert_int_equal(read_node(state, &node)->node[0].flags,
                         ORR_NODE_IS_CPU | ORR_NODE_HAS_CPU_FLAG);
    }
    struct bytes node = node_bytes(1, "a", 4);
    put_attr_number(&node, "is_cpu_op", ATTR_INT32, 0);
    assert_int_equal(read_node(state, &node)->node[0].flags, ORR_NODE_HAS_CPU_FLAG);
}

/* The operator that launches a collective is CPU work; the collective is another node. */
static void test_read_cpu_collective_without_size_is_compute(void **state)
{
    struct bytes node = node_bytes(1, "c10d::allreduce_", 7);
    put_attr_number(&node, "is_cpu_op", ATTR_BOOL, 1);
    put_number(&node, NODE_DURATION, 9);
    const struct orr_trace *trace = read_node(state, &node);
    assert_int_equal(trace->node[0].kind, ORR_NODE_COMP);
    assert_int_equal(trace->node[0].duration_ps, 9 * ORR_PS_PER_US);
    assert_int_equal(trace->node[0].flags, ORR_NODE_IS_CPU | ORR_NODE_HAS_CPU_FLAG);
}

static void test_read_inputs_values_kept_of_metadata_only(void **state)
{
    for (unsigned type = 1; type <= 4; type += 3) {
        struct bytes node = node_bytes(1, "a", type), info = {0};
        put_text(&info, 1, "['groups']");
        put_part(&node, NODE_INPUTS, info.data, info.count);
        const struct orr_trace *trace = read_node(state, &node);
        const struct orr_node_extra *extra = orr_trace_extra(trace, trace->node);
        assert_true((extra != NULL) == (type == ORR_NODE_METADATA));
        if (extra != NULL) {
            assert_string_equal(extra->inputs_values, "['groups']");
        }
    }
}

static void test_read_tensor_names_are_kept(void **state)
{
    struct bytes node = node_bytes(1, "a", 4), list = {0}, texts = {0};
    put_text(&texts, 1, "w");
    put_text(&texts, 1, "x");
    put_part(&list, ATTR_STRING_LIST, texts.data, texts.count);
    put_attr(&node, "inputs", &list);
    put_attr_text(&node, "outputs", "y");
    const struct orr_trace *trace = read_node(state, &node);
    const struct orr_node_extra *extra = orr_trace_extra(trace, trace->node);
    assert_int_equal(extra->input_count, 2);
    assert_string_equal(extra->inputs[0], "w");
    assert_string_equal(extra->inputs[1], "x");
    assert_int_equal(extra->output_count, 1);
    assert_string_equal(extra->outputs[0], "y");
}

/* ---- gzip ---- */

static size_t append_member(unsigned char *out, size_t used, size_t room, const void *data,
                            size_t count)
{
    z_stream z = {0};
    assert_int_equal(deflateInit2(&z, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    z.next_in = (z_const Bytef *)(uintptr_t)data;
    z.avail_in = (unsigned)count;
    z.next_out = out + used;
    z.avail_out = (unsigned)(room - used);
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    used = room - z.avail_out;
    assert_int_equal(deflateEnd(&z), Z_OK);
    return used;
}

static void test_read_gzip_of_two_members_is_one_file(void **state)
{
    unsigned char zipped[1024];
    const struct bytes node = node_bytes(7, "a", 4), file = file_of(&node);
    size_t count = append_member(zipped, 0, sizeof zipped, file.data, 5);
    count = append_member(zipped, count, sizeof zipped, file.data + 5, file.count - 5);
    write_bytes_to("members.et.gz", zipped, count);
    const struct orr_trace *trace = NULL;
    assert_int_equal(orr_et_read_file(*state, "members.et.gz", &trace, NULL), ORR_OK);
    assert_int_equal(trace->nodes, 1);
    assert_int_equal(trace->node[0].id, 7);
}

/* ---- JSON ---- */

static const struct orr_trace *read_text(void **state, const char *text)
{
    struct bytes file = {0};
    put_raw(&file, text, strlen(text));
    return read_bytes(*state, &file);
}

static void test_read_protobuf_json_takes_messages(void **state)
{
    const struct orr_trace *trace = read_text(
        state, "{\n  \"version\": \"0.0.4\"\n}{\"name\": \"first\", \"type\": \"COMP_NODE\","
               "\"attr\": [{\"name\": \"is_cpu_op\", \"boolVal\": false},"
               "{\"name\": \"num_ops\", \"int64Val\": \"1000\"}]}\n"
               "{\"id\": \"5\", \"name\": \"second\", \"type\": \"COMM_COLL_NODE\","
               "\"dataDeps\": [\"0\"], \"durationMicros\": \"12\", \"attr\": ["
               "{\"name\": \"comm_type\", \"int64Val\": \"7\"},"
               "{\"name\": \"comm_size\", \"docString\": \"\", \"uint64Val\": \"4096\"},"
               "{\"name\": \"involved_dim\", \"boolList\": {\"values\": [true, false]}},"
               "{\"name\": \"inputs\", \"stringList\": {\"values\": [\"w\"]}},"
               "{\"name\": \"pg_name\", \"stringVal\": \"3\"}]}\n");
    assert_int_equal(trace->nodes, 2);
    assert_string_equal(trace->version, "0.0.4");
    assert_int_equal(trace->node[0].id, 0);
    assert_int_equal(trace->node[0].amount, 1000);
    assert_int_equal(trace->node[1].id, 5);
    assert_int_equal(trace->node[1].comm, ORR_COMM_REDUCE_SCATTER);
    assert_int_equal(trace->node[1].amount, 4096);
    assert_int_equal(trace->node[1].duration_ps, 12 * ORR_PS_PER_US);
    assert_int_equal(trace->parents[1], 1);
    assert_string_equal(trace->groups[0], "3");
    const struct orr_node_extra *extra = orr_trace_extra(trace, &trace->node[1]);
    assert_int_equal(extra->involved_dims, 2);
    assert_int_equal(extra->involved_mask, 1);
    assert_string_equal(extra->inputs[0], "w");
}

static void test_read_json_et_takes_members(void **state)
{
    const struct orr_trace *trace = read_text(
        state, "{\"workload_name\": \"w\", \"ngpus\": 8, \"workload_graph\": ["
               "{\"Id\": 2, \"Name\": \"op\", \"NodeType\": 4, \"ctrlDeps\": [], \"data_deps\": [],"
               " \"runtime\": 28, \"is_cpu_op\": true},"
               "{\"Id\": 3, \"Name\": \"snd\", \"NodeType\": 5, \"ctrlDeps\": [2], \"data_deps\":"
               " [2], \"runtime\": 0, \"is_cpu_op\": false, \"comm_size\": 64, \"comm_dst\": 1,"
               " \"comm_tag\": 9}]}");
    assert_int_equal(trace->nodes, 2);
    assert_int_equal(trace->node[0].duration_ps, 28 * ORR_PS_PER_US);
    assert_true((trace->node[0].flags & ORR_NODE_IS_CPU) != 0);
    assert_int_equal(trace->node[1].of.p2p.peer, 1);
    assert_int_equal(trace->node[1].of.p2p.tag, 9);
    assert_int_equal(trace->node[1].amount, 64);
    assert_int_equal(trace->edges, 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_read_metadata_only_is_empty_trace),
        TEST(test_read_empty_metadata_is_empty_trace),
        TEST(test_read_empty_record_is_node_zero),
        TEST(test_read_unordered_nodes_sorts_by_id),
        TEST(test_read_packed_dependencies_are_parents),
        TEST(test_read_unknown_fields_are_ignored),
        TEST(test_read_same_bytes_same_hash),
        TEST(test_read_large_record_grows_buffer),
        TEST(test_read_every_varint_kind_is_a_number),
        TEST(test_read_every_fixed_kind_is_a_number),
        TEST(test_read_whole_reals_are_numbers),
        TEST(test_read_text_with_number_is_a_number),
        TEST(test_read_collective_takes_attributes),
        TEST(test_read_barrier_needs_no_size),
        TEST(test_read_group_as_number_is_its_text),
        TEST(test_read_send_takes_peer_and_tag),
        TEST(test_read_recv_takes_source),
        TEST(test_read_memory_takes_size_and_location),
        TEST(test_read_cpu_flag_in_any_form),
        TEST(test_read_cpu_collective_without_size_is_compute),
        TEST(test_read_inputs_values_kept_of_metadata_only),
        TEST(test_read_tensor_names_are_kept),
        TEST(test_read_gzip_of_two_members_is_one_file),
        TEST(test_read_protobuf_json_takes_messages),
        TEST(test_read_json_et_takes_members),
    };
    return cmocka_run_group_tests(tests, enter_scratch, leave_scratch);
}
