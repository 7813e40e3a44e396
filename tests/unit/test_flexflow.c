/* Task graphs to traces: roles, dependencies on the right NPU, order, and what is refused. The
 * graph is that of flexflow_bytes.h. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "core/arena.h"
#include "et_converter/flexflow/flexflow_dot.h"
#include "et_converter/flexflow/flexflow_fbuf.h"
#include "et_converter/flexflow/flexflow_graph.h"
#include "et_converter/flexflow/flexflow_plan.h"
#include "et_converter/flexflow/flexflow_topology.h"
#include "tests/unit/flexflow_bytes.h"
#include "workload/taskgraph/tg_traces.h"
#include "workload/trace/trace.h"

struct made {
    struct orr_arena *arena;
    struct flexflow_graph graph;
    struct flexflow_plan plan;
    struct tg_traces traces;
    unsigned told;    /* tasks told by signals */
    const char *last; /* the last of them */
    struct orr_diag diag;
};

/* As the converter's notes have it. */
static void found(void *context, enum tg_finding finding, uint32_t task, uint32_t from, uint32_t to)
{
    struct made *made = context;
    char name[TG_NODE_NAME_BYTES];
    if (finding == TG_SIGNAL_ADDED) {
        made->told++;
        made->last = orr_arena_printf(made->arena, "%s, from NPU %" PRIu32 " to NPU %" PRIu32,
                                      orr_tg_node_name(&made->plan.tasks, task, name), from, to);
    }
}

static enum orr_status make(struct made *made, const struct ff_graph *from)
{
    const struct flexflow_bytes bytes = {
        .name = "g.fbuf", .data = from->buffer.data, .count = from->buffer.count};
    const struct tg_listener listener = {.found = found, .context = made};
    made->told = 0;
    made->arena = orr_arena_create();
    orr_diag_init(&made->diag);
    enum orr_status status = orr_flexflow_read(made->arena, &bytes, &made->graph, &made->diag);
    if (status == ORR_OK) {
        status = orr_flexflow_topology_check(&made->graph, &made->diag);
    }
    if (status == ORR_OK) {
        status = orr_flexflow_plan_make(&made->plan, &made->graph, made->arena, &made->diag);
    }
    if (status == ORR_OK) {
        status = orr_tg_traces_make(&made->traces, &made->plan.tasks, made->arena, &listener,
                                    &made->diag);
    }
    return status;
}

static void expect_error(const struct ff_graph *graph, const char *expected)
{
    struct made made;
    char text[ORR_DIAG_MESSAGE_BYTES];
    assert_int_equal(make(&made, graph), ORR_ERR_INPUT);
    (void)orr_diag_render(&made.diag, text, sizeof text);
    assert_string_equal(text, expected);
    orr_arena_destroy(made.arena);
}

static bool depends(const struct orr_trace *trace, uint32_t child, uint32_t parent)
{
    for (uint32_t e = trace->node[parent].first_child; e < orr_trace_child_end(trace, parent);
         e++) {
        if (trace->children[e] == child) {
            return true;
        }
    }
    return false;
}

/* Ends by recorded times: task 0 at 1.5 ms; task 1 (9 ms) at 10.5; task 2 at 10.75; task 3 at
 * 11.25; task 4 at 3.5. In order of their start: 0, then 1 and 4 at 1.5, 2, 3, and 5 at 11.25. So
 * NPU 0 has forward_0, the sending, backward_4, the delay and the all-reduce; NPU 1 the receiving,
 * forward_2, backward_3, the delay and the all-reduce. */
static void test_traces_of_the_small_graph_are_right(void **state)
{
    (void)state;
    static struct made made;
    static struct ff_graph graph;
    ff_make(&graph);
    assert_int_equal(make(&made, &graph), ORR_OK);
    const struct orr_trace *zero = made.traces.trace[0], *one = made.traces.trace[1];
    static const uint8_t kinds[2][5] = {
        {ORR_NODE_COMP, ORR_NODE_SEND, ORR_NODE_COMP, ORR_NODE_COMP, ORR_NODE_COLL},
        {ORR_NODE_RECV, ORR_NODE_COMP, ORR_NODE_COMP, ORR_NODE_COMP, ORR_NODE_COLL}};
    static const uint64_t durations_ps[2][5] = {{1500000000, 0, 2000000000, 125000000, 0},
                                                {0, 250000000, 500000000, 125000000, 0}};
    assert_int_equal(zero->nodes, 5);
    assert_int_equal(one->nodes, 5);
    for (uint32_t i = 0; i < 5; i++) {
        assert_int_equal(zero->node[i].kind, kinds[0][i]);
        assert_int_equal(one->node[i].kind, kinds[1][i]);
        assert_int_equal(zero->node[i].duration_ps, durations_ps[0][i]);
        assert_int_equal(one->node[i].duration_ps, durations_ps[1][i]);
    }
    assert_int_equal(zero->node[1].amount, 1000);
    assert_int_equal(zero->node[1].of.p2p.peer, 1);
    assert_int_equal(one->node[0].of.p2p.tag, zero->node[1].of.p2p.tag);
    assert_int_equal(zero->node[4].amount, 4096);
    assert_string_equal(zero->node[2].name, "backward_4");
    assert_true((zero->node[3].flags & ORR_NODE_IS_CPU) != 0);
    assert_true((zero->node[2].flags & ORR_NODE_IS_CPU) == 0);
    /* 0 -> send, 0 -> backward, backward -> delay -> all-reduce; receive -> 2 -> 3 -> delay -> it
     */
    assert_int_equal(zero->edges, 4);
    assert_true(depends(zero, 1, 0) && depends(zero, 2, 0) && depends(zero, 3, 2) &&
                depends(zero, 4, 3));
    assert_int_equal(one->edges, 4);
    assert_true(depends(one, 1, 0) && depends(one, 2, 1) && depends(one, 3, 2) &&
                depends(one, 4, 3));
    assert_int_equal(made.plan.edges, 6);
    assert_int_equal(made.traces.signals, 0);
    assert_int_equal(made.told, 0);
    /* The all-reduce counts on NPU 0. */
    assert_int_equal(made.traces.counts[0].tasks, 4);
    assert_int_equal(made.traces.counts[1].tasks, 2);
    orr_arena_destroy(made.arena);
}

/* The backward task of NPU 0 also waits for that of NPU 1: a message of 0 bytes. */
static void test_dependency_between_npus_becomes_a_message(void **state)
{
    (void)state;
    static struct made made;
    static struct ff_graph graph;
    ff_make(&graph);
    const size_t next = ff_vector(&graph.buffer, ff_at(graph.task[3], 5), 2, 8);
    ff_put(&graph.buffer, next + 4, 15, 8);
    ff_put(&graph.buffer, next + 12, 14, 8);
    assert_int_equal(make(&made, &graph), ORR_OK);
    assert_int_equal(made.traces.signals, 1);
    const struct orr_trace *zero = made.traces.trace[0], *one = made.traces.trace[1];
    assert_int_equal(zero->nodes, 6);
    assert_int_equal(one->nodes, 6);
    assert_int_equal(one->node[3].kind, ORR_NODE_SEND);
    assert_int_equal(one->node[3].amount, 0);
    assert_string_equal(one->node[3].name, "backward_3_done");
    assert_int_equal(zero->node[2].kind, ORR_NODE_RECV);
    assert_true(depends(one, 3, 2) && depends(zero, 3, 2) && depends(zero, 3, 0));
    assert_int_equal(made.told, 1);
    assert_string_equal(made.last, "backward_3, from NPU 1 to NPU 0");
    orr_arena_destroy(made.arena);
}

/* Of an all-reduce of NPU 1 alone nothing is left but its count. */
static void test_all_reduce_of_one_server_is_dropped(void **state)
{
    (void)state;
    static struct made made;
    static struct ff_graph graph;
    ff_make(&graph);
    const size_t servers = ff_vector(&graph.buffer, ff_at(graph.task[5], 5), 2, 8);
    ff_put(&graph.buffer, servers + 4, 1, 8);
    ff_put(&graph.buffer, servers + 12, 1, 8); /* given twice */
    assert_int_equal(make(&made, &graph), ORR_OK);
    assert_int_equal(made.traces.trace[1]->nodes, 3);
    assert_int_equal(made.traces.counts[1].dropped, 1);
    assert_int_equal(made.plan.repeated_servers, 1);
    orr_arena_destroy(made.arena);
}

/* An all-reduce of NPU 0 and a third server that nothing runs on: the backward task of NPU 1 is
 * told to its first server, and the third one takes part at once. */
static void test_all_reduce_fed_from_elsewhere_waits_for_a_message(void **state)
{
    (void)state;
    static struct made made;
    static struct ff_graph graph;
    ff_make(&graph);
    ff_put(&graph.buffer, ff_at(graph.root, 1), 3, 4);          /* 3 servers, 1 switch */
    ff_put(&graph.buffer, ff_at(graph.device[3], 3), 1 * 4, 8); /* 1 -> 0 among 4 nodes */
    const size_t servers = ff_vector(&graph.buffer, ff_at(graph.task[5], 5), 2, 8);
    ff_put(&graph.buffer, servers + 4, 0, 8);
    ff_put(&graph.buffer, servers + 12, 2, 8);
    assert_int_equal(make(&made, &graph), ORR_OK);
    const struct orr_trace *zero = made.traces.trace[0], *two = made.traces.trace[2];
    assert_int_equal(made.traces.signals, 1);
    assert_int_equal(zero->node[3].kind, ORR_NODE_RECV);
    assert_true(depends(zero, 4, 3) && depends(zero, 4, 2) && depends(zero, 5, 4));
    assert_int_equal(two->nodes, 2);
    assert_int_equal(two->parents[0], 0);
    assert_int_equal(two->node[1].kind, ORR_NODE_COLL);
    orr_arena_destroy(made.arena);
}

static void test_transfer_inside_a_server_takes_no_time(void **state)
{
    (void)state;
    static struct made made;
    static struct ff_graph graph;
    ff_make(&graph);
    ff_put(&graph.buffer, ff_at(graph.device[2], 3), 4, 8); /* 1 -> 1 among 3 nodes */
    assert_int_equal(make(&made, &graph), ORR_OK);
    /* forward_0 tells NPU 1, then the transfer stands for itself. */
    const struct orr_node *stays = &made.traces.trace[1]->node[1];
    assert_int_equal(stays->kind, ORR_NODE_COMP);
    assert_true(stays->comm == 1 && stays->duration_ps == 0); /* a delay of no time */
    assert_int_equal(made.traces.signals, 1);
    orr_arena_destroy(made.arena);
}

static void test_cycle_is_named_node_by_node(void **state)
{
    (void)state;
    static struct ff_graph graph;
    char expected[400];
    ff_make(&graph);
    const size_t next = ff_vector(&graph.buffer, ff_at(graph.task[3], 5), 1, 8);
    ff_put(&graph.buffer, next + 4, 11, 8); /* 13 -> 11 -> 12 -> 13 */
    (void)snprintf(expected, sizeof expected,
                   "g.fbuf: byte offset %zu: tasks[1] (NOMINAL_COMM 11): expected tasks without a "
                   "cycle, got one of 3: tasks[2] (FORWARD 12) -> tasks[3] (BACKWARD 13) -> "
                   "tasks[1] (NOMINAL_COMM 11) -> tasks[2] (FORWARD 12)",
                   graph.task[1]);
    expect_error(&graph, expected);
}

static void test_unknown_successor_fails(void **state)
{
    (void)state;
    static struct ff_graph graph;
    char expected[200];
    ff_make(&graph);
    const size_t next = ff_vector(&graph.buffer, ff_at(graph.task[2], 5), 1, 8);
    ff_put(&graph.buffer, next + 4, 99, 8);
    (void)snprintf(expected, sizeof expected,
                   "g.fbuf: byte offset %zu: tasks[2] (FORWARD 12): nexttasks[0]: expected the id "
                   "of a task, got 99",
                   graph.task[2]);
    expect_error(&graph, expected);
}

static void test_unknown_device_fails(void **state)
{
    (void)state;
    static struct ff_graph graph;
    char expected[200];
    ff_make(&graph);
    ff_put(&graph.buffer, ff_at(graph.task[0], 2), 102, 8);
    (void)snprintf(expected, sizeof expected,
                   "g.fbuf: byte offset %zu: tasks[0] (FORWARD 10): expected the id of a device, "
                   "got 102",
                   graph.task[0]);
    expect_error(&graph, expected);
}

static void test_two_tasks_of_one_id_fail(void **state)
{
    (void)state;
    static struct ff_graph graph;
    char expected[200];
    ff_make(&graph);
    ff_put(&graph.buffer, ff_at(graph.task[4], 1), 12, 8);
    (void)snprintf(expected, sizeof expected,
                   "g.fbuf: byte offset %zu: tasks[4] (BACKWARD 12): expected a unique id, "
                   "got that of tasks[2]",
                   graph.task[4]);
    expect_error(&graph, expected);
}

static void test_all_reduce_of_unknown_server_fails(void **state)
{
    (void)state;
    static struct ff_graph graph;
    char expected[240];
    ff_make(&graph);
    const size_t servers = ff_vector(&graph.buffer, ff_at(graph.task[5], 5), 1, 8);
    ff_put(&graph.buffer, servers + 4, 2, 8);
    (void)snprintf(expected, sizeof expected,
                   "g.fbuf: byte offset %zu: tasks[5] (ALLREDUCE 15): nexttasks[0]: expected a "
                   "server of the all-reduce, below nnode 2, got 2",
                   graph.task[5]);
    expect_error(&graph, expected);
}

static void test_transfer_to_a_switch_fails(void **state)
{
    (void)state;
    static struct ff_graph graph;
    char expected[240];
    ff_make(&graph);
    ff_put(&graph.buffer, ff_at(graph.device[2], 3), 2, 8); /* 0 -> 2, the switch */
    (void)snprintf(expected, sizeof expected,
                   "g.fbuf: byte offset %zu: tasks[1] (NOMINAL_COMM 11): expected a transfer "
                   "between two of the 2 servers, got the device property 2, which is from node 0 "
                   "to node 2",
                   graph.task[1]);
    expect_error(&graph, expected);
}

static void test_two_accelerators_in_a_server_fail(void **state)
{
    (void)state;
    static struct ff_graph graph;
    char expected[200];
    ff_make(&graph);
    ff_put(&graph.buffer, ff_at(graph.device[1], 2), 0, 8);
    (void)snprintf(expected, sizeof expected,
                   "g.fbuf: byte offset %zu: devices[1]: expected one COMP_GPU per server, got a "
                   "second one of server 0; the first is devices[0]",
                   graph.device[1]);
    expect_error(&graph, expected);
}

static void test_computation_on_a_link_fails(void **state)
{
    (void)state;
    static struct ff_graph graph;
    char expected[200];
    ff_make(&graph);
    ff_put(&graph.buffer, ff_at(graph.task[2], 2), 110, 8);
    (void)snprintf(expected, sizeof expected,
                   "g.fbuf: byte offset %zu: tasks[2] (FORWARD 12): expected a device of type "
                   "COMP_GPU or COMP_CPU, got NW_NOMINAL",
                   graph.task[2]);
    expect_error(&graph, expected);
}

static void test_link_to_unknown_node_fails(void **state)
{
    (void)state;
    static struct ff_graph graph;
    ff_make(&graph);
    ff_put(&graph.buffer, ff_at(graph.connection[1], 1), 3, 4);
    expect_error(&graph,
                 "g.fbuf: conn[1]: expected one of the 2 servers and 1 switches, got node 3");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_traces_of_the_small_graph_are_right),
        cmocka_unit_test(test_dependency_between_npus_becomes_a_message),
        cmocka_unit_test(test_all_reduce_of_one_server_is_dropped),
        cmocka_unit_test(test_all_reduce_fed_from_elsewhere_waits_for_a_message),
        cmocka_unit_test(test_transfer_inside_a_server_takes_no_time),
        cmocka_unit_test(test_cycle_is_named_node_by_node),
        cmocka_unit_test(test_unknown_successor_fails),
        cmocka_unit_test(test_unknown_device_fails),
        cmocka_unit_test(test_two_tasks_of_one_id_fail),
        cmocka_unit_test(test_all_reduce_of_unknown_server_fails),
        cmocka_unit_test(test_transfer_to_a_switch_fails),
        cmocka_unit_test(test_two_accelerators_in_a_server_fail),
        cmocka_unit_test(test_computation_on_a_link_fails),
        cmocka_unit_test(test_link_to_unknown_node_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
