/* Attributes that other tools name as Orrery once named its own, and attributes without a value:
 * passed over, counted, and without effect; what Orrery wrote is read as before. */
#include <stdio.h>

#include "tests/unit/trace_fixture.h"
#include "workload/trace/et/et.h"

static const struct orr_trace *read_text(void *arena, const char *text)
{
    const struct orr_et_bytes bytes = {.name = "t.et", .data = text, .count = strlen(text)};
    const struct orr_trace *trace = NULL;
    struct orr_diag diag;
    orr_diag_init(&diag);
    if (orr_et_read_memory(arena, &bytes, &trace, &diag) != ORR_OK) {
        fail_msg("%s: %s", text, diag.message);
    }
    return trace;
}

/* Two nodes, of which the second waits for the first and has the attributes. */
static const struct orr_trace *read_node(void *arena, const char *metadata, const char *type,
                                         const char *attrs)
{
    char text[2048];
    (void)snprintf(text, sizeof text,
                   "{%s}{\"id\": 1, \"name\": \"a\", \"type\": \"COMP_NODE\"}"
                   "{\"id\": 2, \"name\": \"b\", \"type\": \"%s\", \"dataDeps\": [\"1\"], "
                   "\"durationMicros\": \"7\", \"attr\": [%s]}",
                   metadata, type, attrs);
    return read_text(arena, text);
}

static void assert_plain(const struct orr_trace *trace, const char *what, uint64_t foreign)
{
    const struct orr_node *node = &trace->node[1];
    if (trace->foreign.count != foreign || node->duration_ps != 7 * ORR_PS_PER_US ||
        node->op != ORR_OP_DEFAULT || node->comm != 0 || trace->prefix != NULL) {
        fail_msg("%s: %u passed over, %llu ps, kind %u, flags %u", what,
                 (unsigned)trace->foreign.count, (unsigned long long)node->duration_ps,
                 (unsigned)node->op, (unsigned)node->comm);
    }
}

#define VALUE(name, arm, value) "{\"name\": \"" name "\", \"" arm "\": " value "}"

static void test_read_foreign_values_are_passed_over(void **state)
{
    static const char *const comp[] = {
        VALUE("op_type", "stringVal", "\"E\""),
        VALUE("op_type", "int32Val", "3"),
        VALUE("op_kind", "stringVal", "\"MatMul\""),
        VALUE("op_kind", "int64Val", "\"2\""),
        VALUE("op_unaligned", "stringVal", "\"half\""),
        VALUE("op_unaligned", "int32Val", "1"),
        VALUE("op_unaligned", "boolVal", "false"),
        VALUE("delay", "doubleVal", "2.5"),
        VALUE("delay", "int64Val", "\"1\""),
        VALUE("delay", "stringVal", "\"true\""),
        VALUE("duration_ps", "stringVal", "\"20 us\""),
        VALUE("duration_ps", "doubleVal", "0.5"),
        VALUE("duration_ps", "int64Val", "\"-1\""),
        VALUE("duration_ps", "uint64Val", "\"7000000\""),
        VALUE("duration_ps", "uint64Val", "\"20000000001\""),
        VALUE("next", "stringVal", "\"3\""),
        VALUE("next", "int64Val", "\"3\""),
        VALUE("next", "stringList", "{\"values\": [\"c\"]}"),
        VALUE("next", "uint64List", "{\"values\": [\"3\"]}"),
        VALUE("next", "uint64List", "{\"values\": [\"1\"]}"),
        VALUE("prefix_of", "stringVal", "\"a\""),
        VALUE("prefix_of", "uint64List", "{\"values\": [\"1\"]}"),
        VALUE("prefix_bytes", "uint64List", "{\"values\": [\"1\", \"2\"]}"),
        VALUE("inputs", "boolVal", "true"),
        VALUE("outputs", "int64List", "{\"values\": [3]}"),
    };
    for (size_t i = 0; i < sizeof comp / sizeof *comp; i++) {
        assert_plain(read_node(*state, "\"version\": \"0.0.4\"", "COMP_NODE", comp[i]), comp[i], 1);
    }
    static const char memory[] = VALUE("tensor_access", "stringVal", "\"random\"");
    assert_plain(read_node(*state, "", "MEM_LOAD_NODE", memory), memory, 1);
}

static void test_read_foreign_values_of_communication_are_passed_over(void **state)
{
    static const char send[] = VALUE("comm_dst", "int32Val", "1") "," VALUE(
        "comm_size", "int64Val", "8") "," VALUE("signal", "int32Val", "1");
    static const char root[] =
        VALUE("comm_type", "int64Val", "5") "," VALUE("comm_size", "int64Val", "8") "," VALUE(
            "root", "int32Val", "-1") "," VALUE("comm_root", "stringVal", "\"none\"");
    assert_int_equal(read_node(*state, "", "COMM_SEND_NODE", send)->foreign.count, 1);
    assert_int_equal(read_node(*state, "", "COMM_COLL_NODE", root)->foreign.count, 2);
}

/* Both lists, as Orrery wrote them, but the collective is none. */
static void test_read_foreign_prefixes_are_passed_over(void **state)
{
    static const char attrs[] = VALUE("prefix_of", "uint64List", "{\"values\": [\"1\"]}") "," VALUE(
        "prefix_bytes", "uint64List", "{\"values\": [\"100\"]}");
    assert_int_equal(read_node(*state, "", "COMP_NODE", attrs)->foreign.count, 1);
}

static void test_read_file_of_another_tool_has_no_attributes_of_ours(void **state)
{
    static const char stage[] =
        "\"version\": \"0.0.4\", \"attr\": [{\"name\": \"schema\", \"stringVal\": "
        "\"symbolic_tensor_network\"}]";
    static const char attrs[] = VALUE("op_type", "stringVal", "\"fp8\"") "," VALUE(
        "op_kind", "stringVal", "\"gemm\"") "," VALUE("delay", "boolVal",
                                                      "true") "," VALUE("duration_ps", "uint64Val",
                                                                        "\"7000001\"");
    assert_plain(read_node(*state, stage, "COMP_NODE", attrs), "STAGE", 4);
    const struct orr_trace *et = read_text(
        *state, "{\"workload_graph\": [{\"Id\": 1, \"Name\": \"a\", \"NodeType\": 4, \"next\": 5,"
                "\"delay\": true}]}");
    assert_int_equal(et->foreign.count, 2);
    assert_int_equal(et->node[0].comm, 0);
}

/* In the order in which they were written. */
#define OURS_OF_BEFORE                                                                             \
    VALUE("duration_ps", "uint64Val", "\"7000001\"")                                               \
    "," VALUE("num_ops", "int64Val", "\"8\"") "," VALUE(                                           \
        "op_kind", "stringVal",                                                                    \
        "\"gemm\"") "," VALUE("op_unaligned", "boolVal",                                           \
                              "true") "," VALUE("op_type", "stringVal",                            \
                                                "\"fp8\"") "," VALUE("delay", "boolVal", "true")

static void test_read_our_names_of_before_are_read(void **state)
{
    const struct orr_trace *trace =
        read_node(*state, "\"version\": \"0.0.4\"", "COMP_NODE",
                  OURS_OF_BEFORE "," VALUE("next", "uint64List", "{\"values\": []}"));
    assert_int_equal(trace->foreign.count, 0);
    assert_int_equal(trace->old.count, 6);
    assert_string_equal(trace->old.name, "duration_ps");
    assert_int_equal(trace->node[1].duration_ps, 7000001);
    assert_int_equal(trace->node[1].op, ORR_OP_GEMM);
    assert_int_equal(trace->node[1].comm, ORR_COMP_DELAY | ORR_COMP_UNALIGNED | ORR_COMP_FP8);
}

/* Values that Orrery has too, in a file that it did not write: in another order, beside an
 * attribute that it does not write, or with such a node behind. */
static void test_read_values_of_ours_in_foreign_files_are_passed_over(void **state)
{
    static const char *const foreign[] = {
        VALUE("tensor_size", "uint64Val", "\"1000\"") "," VALUE("op_kind", "stringVal", "\"gemm\""),
        VALUE("num_ops", "int64Val", "\"8\"") "," VALUE(
            "op_type", "stringVal", "\"fp8\"") "," VALUE("fused", "boolVal", "true"),
        VALUE("op_unaligned", "boolVal", "true") "," VALUE("is_cpu_op", "boolVal", "false"),
        VALUE("delay", "boolVal", "true") "," VALUE("num_ops", "int64Val", "\"8\""),
    };
    for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++) {
        const struct orr_trace *trace =
            read_node(*state, "\"version\": \"0.0.4\"", "COMP_NODE", foreign[i]);
        assert_plain(trace, foreign[i], 1);
        assert_int_equal(trace->old.count, 0);
    }
    const struct orr_trace *trace = read_text(
        *state,
        "{\"version\": \"0.0.4\"}"
        "{\"id\": 1, \"name\": \"a\", \"type\": \"COMP_NODE\", \"attr\": [" OURS_OF_BEFORE "]}"
        "{\"id\": 2, \"name\": \"b\", \"type\": \"COMP_NODE\", \"durationMicros\": \"7\", "
        "\"attr\": [" VALUE("op_type", "stringVal", "\"E\"") "]}");
    assert_plain(trace, "STAGE behind", 6);
    assert_int_equal(trace->node[0].op, ORR_OP_DEFAULT);
}

static void test_read_our_rules_are_no_other_tools(void **state)
{
    static const char rules[] = "\"attr\": [{\"name\": \"rules\", \"stringVal\": \"task_graph\"}]";
    const struct orr_trace *trace =
        read_node(*state, rules, "COMP_NODE", VALUE("delay", "boolVal", "true"));
    assert_int_equal(trace->foreign.count, 0);
    assert_int_equal(trace->node[1].comm, ORR_COMP_DELAY);
}

static void test_read_attributes_without_value_are_absent(void **state)
{
    static const char *const empty[] = {
        "{\"name\": \"inputs\"}",
        "{\"name\": \"outputs\"}",
        "{\"name\": \"num_ops\"}",
        "{\"name\": \"is_cpu_op\"}",
        "{\"name\": \"op_kind\"}",
        "{\"name\": \"orrery_next\"}",
        VALUE("outputs", "stringList", "{}"),
        VALUE("outputs", "stringList", "{\"values\": []}"),
        VALUE("outputs", "int64List", "{}"),
        VALUE("inputs", "doubleList", "{\"values\": []}"),
        VALUE("next", "uint64List", "{}"),
        VALUE("prefix_of", "uint64List", "{\"values\": []}"),
    };
    for (size_t i = 0; i < sizeof empty / sizeof *empty; i++) {
        assert_plain(read_node(*state, "", "COMP_NODE", empty[i]), empty[i], 0);
    }
}

static void test_read_sizes_as_text_of_a_float_are_sizes(void **state)
{
    static const char attrs[] = VALUE("tensor_size", "stringVal", "\"134217728.0\"") "," VALUE(
        "num_ops", "stringVal", "\"1.34217728e+08\"");
    const struct orr_trace *trace = read_node(*state, "", "COMP_NODE", attrs);
    assert_int_equal(trace->node[1].of.tensor_bytes, 134217728);
    assert_int_equal(trace->node[1].amount, 134217728);
}

static void count_warning(void *user, const char *text)
{
    char *last = user;
    (void)snprintf(last, 256, "%s", text);
}

static void test_load_warns_once_for_all_ranks(void **state)
{
    char warned[256] = "";
    for (unsigned rank = 0; rank < 3; rank++) {
        char name[32];
        (void)snprintf(name, sizeof name, "f.%u.et", rank);
        FILE *file = fopen(name, "w");
        assert_non_null(file);
        (void)fprintf(file,
                      "{\"version\": \"0.0.4\"}{\"id\": %u, \"name\": \"a\", \"type\": "
                      "\"COMP_NODE\", \"attr\": [" VALUE("op_type", "stringVal", "\"E\"") "]}",
                      rank);
        (void)fclose(file);
    }
    struct orr_diag diag;
    orr_diag_init(&diag);
    diag.warn = count_warning;
    diag.warn_user = warned;
    const struct orr_trace *traces[3];
    assert_int_equal(orr_et_load_set(*state, "f", 3, traces, &diag), ORR_OK);
    assert_string_equal(warned, "f.0.et: warning: 3 attributes of another tool passed over "
                                "(\"op_type\", ...): names of Orrery's own begin with \"orrery_\"");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_read_foreign_values_are_passed_over, setup, teardown),
        cmocka_unit_test_setup_teardown(test_read_foreign_values_of_communication_are_passed_over,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(test_read_foreign_prefixes_are_passed_over, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_read_file_of_another_tool_has_no_attributes_of_ours,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(test_read_our_names_of_before_are_read, setup, teardown),
        cmocka_unit_test_setup_teardown(test_read_values_of_ours_in_foreign_files_are_passed_over,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(test_read_our_rules_are_no_other_tools, setup, teardown),
        cmocka_unit_test_setup_teardown(test_read_attributes_without_value_are_absent, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_read_sizes_as_text_of_a_float_are_sizes, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_load_warns_once_for_all_ranks, setup, teardown),
    };
    return cmocka_run_group_tests(tests, enter_scratch, leave_scratch);
}
