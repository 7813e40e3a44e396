/* Writing traces: the bytes themselves, and that what is read is what was written. */
#include "tests/unit/et_bytes.h"
#include "workload/trace/trace.h"
#include "workload/trace/trace_builder.h"
#include "workload/trace/trace_query.h"

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

static struct orr_et_writer *memory_writer(bool gzip)
{
    const struct orr_et_writer_options options = {.gzip = gzip, .version = "1"};
    struct orr_et_writer *writer = NULL;
    assert_int_equal(orr_et_writer_create_memory(&writer, &options, NULL), ORR_OK);
    return writer;
}

static const struct orr_trace *finish_and_read(void **state, struct orr_et_writer *writer)
{
    struct orr_et_bytes bytes = {.name = "t.et"};
    const struct orr_trace *trace = NULL;
    assert_int_equal(orr_et_writer_finish(writer, NULL), ORR_OK);
    bytes.data = orr_et_writer_bytes(writer, &bytes.count);
    assert_int_equal(orr_et_read_memory(*state, &bytes, &trace, NULL), ORR_OK);
    orr_et_writer_destroy(writer);
    return trace;
}

/* The bytes of ASTRA-sim's own generator for a collective: is_cpu_op (bool) false, comm_type and
 * comm_size int64. */
static void test_add_collective_writes_reference_bytes(void **state)
{
    (void)state;
    struct bytes node = {0}, expected = begin_file(), no = {0}, type = {0}, size = {0};
    put_number(&node, NODE_ID, 2);
    put_text(&node, NODE_NAME, "ar");
    put_number(&node, NODE_TYPE, 7);
    put_number(&no, ATTR_BOOL, 0);
    put_attr(&node, "is_cpu_op", &no);
    put_number(&type, ATTR_INT64, 7);
    put_attr(&node, "comm_type", &type);
    put_number(&size, ATTR_INT64, 1 << 20);
    put_attr(&node, "comm_size", &size);
    put_record(&expected, &node);
    struct orr_et_writer *writer = memory_writer(false);
    const struct orr_node_spec spec = {.id = 2,
                                       .kind = ORR_NODE_COLL,
                                       .comm = ORR_COMM_REDUCE_SCATTER,
                                       .flags = ORR_NODE_HAS_CPU_FLAG,
                                       .name = "ar",
                                       .comm_bytes = 1 << 20};
    assert_int_equal(orr_et_writer_add(writer, &spec, NULL), ORR_OK);
    assert_int_equal(orr_et_writer_finish(writer, NULL), ORR_OK);
    size_t count;
    const void *bytes = orr_et_writer_bytes(writer, &count);
    assert_int_equal(count, expected.count);
    assert_memory_equal(bytes, expected.data, count);
    orr_et_writer_destroy(writer);
}

static void test_create_default_version_is_written(void **state)
{
    struct orr_et_writer *writer = NULL;
    assert_int_equal(orr_et_writer_create_memory(&writer, NULL, NULL), ORR_OK);
    assert_string_equal(finish_and_read(state, writer)->version, "0.0.4");
}

static void test_create_empty_version_writes_empty_record(void **state)
{
    const struct orr_et_writer_options options = {.version = ""};
    struct orr_et_writer *writer = NULL;
    assert_int_equal(orr_et_writer_create_memory(&writer, &options, NULL), ORR_OK);
    assert_string_equal(finish_and_read(state, writer)->version, "");
}

static void expect_same_spec(const struct orr_node_spec *a, const struct orr_node_spec *b)
{
    assert_true(a->id == b->id);
    assert_int_equal(a->kind, b->kind);
    assert_int_equal(a->comm, b->comm);
    assert_int_equal(a->flags, b->flags);
    assert_string_equal(a->name, b->name);
    assert_true(a->duration_ps == b->duration_ps);
    assert_true(a->num_ops == b->num_ops);
    assert_int_equal(a->op, b->op);
    assert_int_equal(a->delay, b->delay);
    assert_int_equal(a->unaligned, b->unaligned);
    assert_int_equal(a->product, b->product);
    assert_true(a->tensor_bytes == b->tensor_bytes);
    assert_true(a->comm_bytes == b->comm_bytes);
    assert_int_equal(a->src, b->src);
    assert_int_equal(a->dst, b->dst);
    assert_true(a->tag == b->tag);
    assert_true(a->priority == b->priority);
    assert_int_equal(a->root, b->root);
    assert_int_equal(a->has_involved_dim, b->has_involved_dim);
    assert_int_equal(a->involved_dims, b->involved_dims);
    assert_true(a->involved_mask == b->involved_mask);
    assert_int_equal(a->input_count, b->input_count);
    assert_int_equal(a->output_count, b->output_count);
    assert_true((a->group == NULL) == (b->group == NULL));
    assert_true((a->inputs_values == NULL) == (b->inputs_values == NULL));
}

static void expect_same_trace(const struct orr_trace *a, const struct orr_trace *b)
{
    assert_int_equal(a->nodes, b->nodes);
    assert_int_equal(a->edges, b->edges);
    assert_memory_equal(a->children, b->children, a->edges * sizeof *a->children);
    assert_memory_equal(a->parents, b->parents, a->nodes * sizeof *a->parents);
    for (uint32_t i = 0; i < a->nodes; i++) {
        const struct orr_node_spec left = orr_trace_spec(a, i), right = orr_trace_spec(b, i);
        expect_same_spec(&left, &right);
    }
}

/* One node of each kind with every attribute it may have. */
static const struct orr_trace *full_trace(void **state)
{
    static const uint64_t none[] = {1, 2, 3};
    static const char *const tensors[] = {"w", "", "x"};
    struct orr_trace_builder *builder = orr_trace_builder_create(*state);
    for (unsigned kind = 0; kind < ORR_NODE_KINDS; kind++) {
        const struct orr_node_spec spec = {.id = kind == 7 ? UINT64_MAX : kind,
                                           .kind = (enum orr_node_kind)kind,
                                           .comm = kind == 7 ? ORR_COMM_BARRIER : 0,
                                           .flags = 0x7F & ~(unsigned)ORR_NODE_HAS_DST &
                                                    ~(unsigned)ORR_NODE_HAS_SRC,
                                           .name = kind == 3 ? "" : "name",
                                           .duration_ps = INT64_MAX - kind,
                                           .num_ops = INT64_MAX,
                                           .op = ORR_OP_GEMM,
                                           .unaligned = true,
                                           .product = ORR_PRODUCT_FP8,
                                           .tensor_bytes = INT64_MAX,
                                           .comm_bytes = INT64_MAX,
                                           .src = INT32_MAX,
                                           .dst = INT32_MAX,
                                           .tag = UINT32_MAX,
                                           .priority = UINT32_MAX,
                                           .root = 8,
                                           .group = "g",
                                           .has_involved_dim = true,
                                           .involved_dims = 32,
                                           .involved_mask = 0xF000000F,
                                           .inputs_values = "values",
                                           .inputs = tensors,
                                           .outputs = tensors,
                                           .input_count = 3,
                                           .output_count = 1,
                                           .data_deps = {none, kind > 3 ? 3 : 0}};
        assert_int_equal(orr_trace_builder_add(builder, &spec, NULL), ORR_OK);
    }
    const struct orr_trace *trace = NULL;
    assert_int_equal(orr_trace_builder_finish(builder, &trace, NULL), ORR_OK);
    orr_trace_builder_destroy(builder);
    return trace;
}

static void test_add_trace_read_back_is_the_same(void **state)
{
    const struct orr_trace *trace = full_trace(state);
    for (int gzip = 0; gzip < 2; gzip++) {
        struct orr_et_writer *writer = memory_writer(gzip != 0);
        assert_int_equal(orr_et_writer_add_trace(writer, trace, NULL), ORR_OK);
        const struct orr_trace *again = finish_and_read(state, writer);
        expect_same_trace(trace, again);
        assert_string_equal(again->groups[0], "g");
        assert_int_equal(again->node[4].comm, ORR_COMP_UNALIGNED | ORR_COMP_FP8);
        assert_string_equal(orr_trace_extra(again, &again->node[1])->inputs_values, "values");
        assert_string_equal(orr_trace_extra(again, &again->node[2])->inputs[2], "x");
        assert_string_equal(orr_trace_extra(again, &again->node[2])->outputs[0], "w");
    }
}

static void test_create_file_reads_back(void **state)
{
    const struct orr_trace *trace = full_trace(state), *again = NULL;
    for (int gzip = 0; gzip < 2; gzip++) {
        const struct orr_et_writer_options options = {.gzip = gzip != 0};
        struct orr_et_writer *writer = NULL;
        assert_int_equal(orr_et_writer_create(&writer, "w.et", &options, NULL), ORR_OK);
        assert_int_equal(orr_et_writer_add_trace(writer, trace, NULL), ORR_OK);
        assert_int_equal(orr_et_writer_finish(writer, NULL), ORR_OK);
        orr_et_writer_destroy(writer);
        assert_int_equal(orr_et_read_file(*state, "w.et", &again, NULL), ORR_OK);
        expect_same_trace(trace, again);
    }
}

/* Enough nodes to fill zlib's and our buffers several times. */
static void test_add_many_nodes_gzip_reads_back(void **state)
{
    struct orr_et_writer *writer = memory_writer(true);
    for (uint64_t i = 0; i < 20000; i++) {
        char name[32];
        const uint64_t before = i - 1;
        (void)snprintf(name, sizeof name, "%llu", (unsigned long long)(i * 2654435761U));
        const struct orr_node_spec spec = {.id = i,
                                           .kind = ORR_NODE_COMP,
                                           .name = name,
                                           .num_ops = i * i,
                                           .data_deps = {&before, i > 0 ? 1 : 0}};
        assert_int_equal(orr_et_writer_add(writer, &spec, NULL), ORR_OK);
    }
    const struct orr_trace *trace = finish_and_read(state, writer);
    assert_int_equal(trace->nodes, 20000);
    assert_int_equal(trace->edges, 19999);
    assert_int_equal(trace->node[19999].amount, 19999 * 19999);
}

static void test_create_in_missing_folder_fails(void **state)
{
    (void)state;
    struct orr_diag diag;
    struct orr_et_writer *writer = NULL;
    char text[5000];
    orr_diag_init(&diag);
    assert_int_equal(orr_et_writer_create(&writer, "no/such/w.et", NULL, &diag), ORR_ERR_IO);
    (void)orr_diag_render(&diag, text, sizeof text);
    assert_string_equal(text, "no/such/w.et: cannot create: No such file or directory");
    assert_null(writer);
}

static void test_finish_on_full_disk_fails(void **state)
{
    (void)state;
    struct orr_diag diag;
    struct orr_et_writer *writer = NULL;
    char text[5000];
    orr_diag_init(&diag);
    if (orr_et_writer_create(&writer, "/dev/full", NULL, NULL) != ORR_OK) {
        print_message("skipped: /dev/full cannot be opened\n");
        skip();
    }
    assert_int_equal(orr_et_writer_finish(writer, &diag), ORR_ERR_IO);
    (void)orr_diag_render(&diag, text, sizeof text);
    assert_string_equal(text, "/dev/full: cannot write: No space left on device");
    orr_et_writer_destroy(writer);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_add_collective_writes_reference_bytes),
        TEST(test_create_default_version_is_written),
        TEST(test_create_empty_version_writes_empty_record),
        TEST(test_add_trace_read_back_is_the_same),
        TEST(test_create_file_reads_back),
        TEST(test_add_many_nodes_gzip_reads_back),
        TEST(test_create_in_missing_folder_fails),
        TEST(test_finish_on_full_disk_fails),
    };
    return cmocka_run_group_tests(tests, enter_scratch, leave_scratch);
}
