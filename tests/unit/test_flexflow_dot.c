/* Task graphs as DOT: both forms of labels, where tasks without devices go, and what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "core/arena.h"
#include "et_converter/flexflow/flexflow_dot.h"
#include "et_converter/flexflow/flexflow_fbuf.h"
#include "et_converter/flexflow/flexflow_graph.h"
#include "et_converter/flexflow/flexflow_label.h"
#include "et_converter/flexflow/flexflow_plan.h"
#include "workload/taskgraph/tg_graph.h"
#include "workload/taskgraph/tg_pairs.h"

static enum orr_status read_text(struct orr_arena *arena, const char *text,
                                 struct flexflow_graph *out, struct orr_diag *diag)
{
    const struct flexflow_bytes bytes = {.name = "g.dot", .data = text, .count = strlen(text)};
    orr_diag_init(diag);
    return orr_flexflow_read(arena, &bytes, out, diag);
}

static void expect_error(const char *text, const char *expected)
{
    struct orr_arena *arena = orr_arena_create();
    struct flexflow_graph graph;
    struct orr_diag diag;
    char rendered[ORR_DIAG_MESSAGE_BYTES];
    assert_int_equal(read_text(arena, text, &graph, &diag), ORR_ERR_INPUT);
    (void)orr_diag_render(&diag, rendered, sizeof rendered);
    assert_string_equal(rendered, expected);
    orr_arena_destroy(arena);
}

/* Two forward tasks at once need two NPUs; the transfer stays beside its task; backward goes to NPU
 * 1, because node1, which began before node2, wishes it there first, and it is free at 2.5 ms. */
static void test_upstream_labels_give_times_and_places(void **state)
{
    (void)state;
    struct orr_arena *arena = orr_arena_create();
    struct flexflow_graph graph;
    struct orr_diag diag;
    const char *text = "digraph taskgraph {\n"
                       "  node0 [label=\"{ conv1 | Forward | { 0 | 1.5 } }\",shape=record];\n"
                       "  node1 [label=\"{ conv1 | Forward | { 0 | 2.5 } }\",shape=record];\n"
                       "  node2 [label=\"{ Comm | { 1.5 | 2 } }\",shape=record];\n"
                       "  node3 [label=\"{ a\\|b | Backward | { 2.5 | 4 } }\",shape=record];\n"
                       "  node0 -> node2; node2 -> node3; node1 -> node3; node0 -> node2;\n"
                       "}\n";
    assert_int_equal(read_text(arena, text, &graph, &diag), ORR_OK);
    assert_int_equal(graph.tasks, 4);
    assert_int_equal(graph.servers, 2);
    assert_int_equal(graph.next_count, 4); /* one of them is given twice */
    assert_int_equal(graph.task[3].type, FLEXFLOW_BACKWARD);
    assert_string_equal(graph.task[3].name, "a|b");
    assert_true(graph.task[3].runtime_ms == 1.5);
    static const uint64_t devices[] = {0, 2, 1, 2}; /* 2 x NPU, + 1 for what is no computation */
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(graph.task[i].device, devices[i]);
    }
    orr_arena_destroy(arena);
}

static const char *const astra =
    "digraph g {\n"
    "  a [label=\"{ npu_id=0 | fwd | F | COMP_NODE | runtime=0.001 }\"];\n"
    "  b [label=\"npu_id=0 | x | C | COMM_SEND_RECV_NODE | src=0 | dst=1 | size=1000\"];\n"
    "  c [label=\"npu_id=1 | x | C | COMM_SEND_RECV_NODE | src=0 | dst=1 | size=1000\"];\n"
    "  d [label=\"npu_id=1 | y | C | COMM_SEND_RECV_NODE | src=1 | dst=0 | size=8\"];\n"
    "  a -> b; c -> d;\n"
    "}\n";

/* b and c are the ends of one transfer although no edge says so; d has no other end. */
static void test_astra_labels_give_npus_and_mates(void **state)
{
    (void)state;
    struct orr_arena *arena = orr_arena_create();
    struct flexflow_graph graph;
    struct flexflow_plan plan;
    struct orr_diag diag;
    assert_int_equal(read_text(arena, astra, &graph, &diag), ORR_OK);
    assert_int_equal(graph.servers, 2);
    assert_true(graph.task[0].runtime_ms == 1.0);
    assert_int_equal(graph.task[1].bytes, 1000);
    assert_int_equal(orr_flexflow_plan_make(&plan, &graph, arena, &diag), ORR_OK);
    uint32_t mate[4];
    assert_int_equal(orr_tg_pair_ends(&plan.tasks, mate, &diag), ORR_OK);
    assert_int_equal(plan.tasks.task[1].role, TG_SEND);
    assert_int_equal(mate[1], 2);
    assert_int_equal(plan.tasks.task[2].role, TG_RECEIVE);
    assert_int_equal(mate[2], 1);
    assert_int_equal(mate[3], TG_NONE);
    assert_int_equal(plan.tasks.task[3].from, 1);
    assert_int_equal(plan.tasks.task[3].to, 0);
    orr_arena_destroy(arena);
}

static void test_ends_of_different_bytes_fail(void **state)
{
    (void)state;
    struct orr_arena *arena = orr_arena_create();
    struct flexflow_graph graph;
    struct flexflow_plan plan;
    struct orr_diag diag;
    assert_int_equal(read_text(arena, astra, &graph, &diag), ORR_OK);
    graph.task[2].bytes = 999;
    assert_int_equal(orr_flexflow_plan_make(&plan, &graph, arena, &diag), ORR_ERR_INPUT);
    assert_string_equal(diag.message, "c: expected the 1000 bytes that b sends, got 999");
    orr_arena_destroy(arena);
}

static void test_unknown_type_fails(void **state)
{
    (void)state;
    expect_error("digraph {\n\n  n7 [label=\"{ x | Sideways | { 0 | 1 } }\"];\n}\n",
                 "g.dot:3:1: n7: expected Forward, Backward, Comm, Update or Barrier, got "
                 "\"Sideways\"");
}

static void test_other_label_fails(void **state)
{
    (void)state;
    expect_error("digraph {\n  n7 [label=\"hello\"];\n}\n",
                 "g.dot:2:1: n7: expected a label \"{ [NAME |] TYPE | { START | END } }\" or "
                 "\"npu_id=NPU | NAME | TEXT | COMP_NODE | runtime=SECONDS\", got \"hello\"");
}

static void test_no_label_fails(void **state)
{
    (void)state;
    expect_error("digraph { n7 -> n8 }", "g.dot: n7: expected a label, got \"\"");
}

static void test_end_before_start_fails(void **state)
{
    (void)state;
    expect_error("digraph {\n n [label=\"{ Update | { 2 | 1 } }\"];}",
                 "g.dot:2:1: n: expected an end in ms that is not before the start, got \"1\"");
}

static void test_unknown_kind_of_node_fails(void **state)
{
    (void)state;
    expect_error(
        "digraph {\n n [label=\"npu_id=0|a|b|MEM_NODE|size=1\"];}",
        "g.dot:2:1: n: expected a label \"npu_id=NPU | NAME | TEXT | COMP_NODE | "
        "runtime=SECONDS\" or \"npu_id=NPU | NAME | TEXT | COMM_SEND_RECV_NODE | src=NPU | "
        "dst=NPU | size=BYTES\", got \"npu_id=0|a|b|MEM_NODE|size=1\"");
}

static void test_bad_npu_fails(void **state)
{
    (void)state;
    expect_error("digraph {\n n [label=\"npu_id=-1|a|b|COMP_NODE|runtime=1\"];}",
                 "g.dot:2:1: n: expected npu_id= and an NPU from 0 to 65535, got \"npu_id=-1\"");
}

static void test_transfer_of_others_fails(void **state)
{
    (void)state;
    expect_error("digraph {\n n [label=\"npu_id=2|a|b|COMM_SEND_RECV_NODE|src=0|dst=1|size=4\"];}",
                 "g.dot:2:1: n: expected npu_id to be that of src or of dst, got \"npu_id=2\"");
}

static void test_mixed_labels_fail(void **state)
{
    (void)state;
    expect_error("digraph {\n a [label=\"npu_id=0|a|b|COMP_NODE|runtime=1\"];\n"
                 " b [label=\"{ Update | { 2 | 3 } }\"];}",
                 "g.dot:3:1: b: expected a label with npu_id, as other nodes have it, got "
                 "\"{ Update | { 2 | 3 } }\"");
}

static void test_undirected_graph_fails(void **state)
{
    (void)state;
    expect_error("graph { a -- b }",
                 "g.dot: expected a digraph, got a graph whose edges have no direction");
}

static void test_zero_byte_fails(void **state)
{
    (void)state;
    const struct flexflow_bytes bytes = {.name = "g.dot", .data = "digraph\0{}", .count = 10};
    struct orr_arena *arena = orr_arena_create();
    struct flexflow_graph graph;
    struct orr_diag diag;
    orr_diag_init(&diag);
    assert_int_equal(orr_flexflow_read(arena, &bytes, &graph, &diag), ORR_ERR_INPUT);
    assert_string_equal(diag.message, "expected text, got a zero byte at byte offset 7");
    orr_arena_destroy(arena);
}

static void test_label_fields_and_depths(void **state)
{
    (void)state;
    struct orr_arena *arena = orr_arena_create();
    struct label_fields fields;
    const char *problem;
    assert_true(orr_label_split(&fields, "{ a b |\\{x| { 1|2 } }", arena, &problem));
    assert_int_equal(fields.count, 4);
    assert_string_equal(fields.field[0], "a b");
    assert_string_equal(fields.field[1], "{x");
    assert_string_equal(fields.field[3], "2");
    assert_int_equal(fields.depth[0], 1);
    assert_int_equal(fields.depth[3], 2);
    assert_false(orr_label_split(&fields, "{ a | { b }", arena, &problem));
    assert_false(orr_label_split(&fields, "a } b", arena, &problem));
    assert_false(orr_label_split(&fields, "{ a } b", arena, &problem));
    assert_false(
        orr_label_split(&fields, "0|1|2|3|4|5|6|7|8|9|10|11|12|13|14|15|16", arena, &problem));
    orr_arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_upstream_labels_give_times_and_places),
        cmocka_unit_test(test_astra_labels_give_npus_and_mates),
        cmocka_unit_test(test_ends_of_different_bytes_fail),
        cmocka_unit_test(test_unknown_type_fails),
        cmocka_unit_test(test_other_label_fails),
        cmocka_unit_test(test_no_label_fails),
        cmocka_unit_test(test_end_before_start_fails),
        cmocka_unit_test(test_unknown_kind_of_node_fails),
        cmocka_unit_test(test_bad_npu_fails),
        cmocka_unit_test(test_transfer_of_others_fails),
        cmocka_unit_test(test_mixed_labels_fail),
        cmocka_unit_test(test_undirected_graph_fails),
        cmocka_unit_test(test_zero_byte_fails),
        cmocka_unit_test(test_label_fields_and_depths),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
