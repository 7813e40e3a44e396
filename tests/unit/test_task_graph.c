/* Task graphs: the builder, what it refuses, orders, and the plain graph of copies. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/arena.h"
#include "workload/taskgraph/tg_builder.h"
#include "workload/taskgraph/tg_graph.h"
#include "workload/taskgraph/tg_traces.h"
#include "workload/trace/trace.h"

struct fixture {
    struct orr_arena *arena;
    struct tg_builder *builder;
    struct tg_graph graph;
    struct orr_diag diag;
};

static void begin(struct fixture *fixture, uint32_t npus, uint32_t copies)
{
    fixture->arena = orr_arena_create();
    fixture->builder = orr_tg_builder_create(npus, copies);
    orr_diag_init(&fixture->diag);
}

static enum orr_status finish(struct fixture *fixture)
{
    return orr_tg_builder_finish(fixture->builder, fixture->arena, &fixture->graph, &fixture->diag);
}

static void end(struct fixture *fixture)
{
    orr_tg_builder_destroy(fixture->builder);
    orr_arena_destroy(fixture->arena);
}

static uint32_t compute(struct fixture *fixture, uint32_t npu, const char *name)
{
    const struct tg_task task = {.duration_ps = 1000,
                                 .from = npu,
                                 .to = npu,
                                 .role = TG_COMPUTE,
                                 .pass = TG_FORWARD,
                                 .name = orr_tg_builder_name(fixture->builder, name)};
    return orr_tg_builder_add(fixture->builder, &task);
}

static uint32_t transfer(struct fixture *fixture, uint32_t from, uint32_t to)
{
    const struct tg_task task = {.bytes = 100, .from = from, .to = to, .role = TG_TRANSFER};
    return orr_tg_builder_add(fixture->builder, &task);
}

static void assert_nexts(const struct tg_graph *graph, uint32_t task, const char *expected)
{
    char text[100] = "";
    uint32_t count;
    const uint32_t *next = orr_tg_next(graph, task, &count);
    for (uint32_t i = 0; i < count; i++) {
        (void)snprintf(text + strlen(text), sizeof text - strlen(text), "%u ", (unsigned)next[i]);
    }
    assert_string_equal(text, expected);
}

static void assert_refused(struct fixture *fixture, const char *message)
{
    assert_int_equal(finish(fixture), ORR_ERR_INPUT);
    assert_string_equal(fixture->diag.message, message);
    end(fixture);
}

/* ---- building ---- */

static void test_builder_keeps_the_order_of_waits_and_the_last_of_repeated_ones(void **state)
{
    (void)state;
    struct fixture at;
    begin(&at, 2, 1);
    for (uint32_t i = 0; i < 5; i++) {
        assert_int_equal(compute(&at, i % 2, i == 4 ? "b" : "a"), i);
    }
    orr_tg_builder_wait(at.builder, 3, 0);
    orr_tg_builder_wait(at.builder, 2, 1);
    orr_tg_builder_wait(at.builder, 1, 0);
    orr_tg_builder_wait(at.builder, 4, 0);
    orr_tg_builder_wait(at.builder, 3, 0); /* again: behind 4 now */
    assert_int_equal(finish(&at), ORR_OK);
    assert_int_equal(at.graph.tasks, 5);
    assert_int_equal(at.graph.nexts, 4);
    assert_nexts(&at.graph, 0, "1 4 3 ");
    assert_nexts(&at.graph, 1, "2 ");
    assert_nexts(&at.graph, 2, "");
    assert_nexts(&at.graph, 4, "");
    assert_int_equal(at.graph.names, 3); /* "", a, b */
    assert_string_equal(at.graph.name[at.graph.task[3].name], "a");
    end(&at);
}

static void test_builder_keeps_members_in_their_order(void **state)
{
    (void)state;
    static const uint32_t members[] = {2, 0, 3};
    struct fixture at;
    begin(&at, 4, 1);
    const struct tg_task reduce = {.bytes = 64, .duration_ps = 5, .pass = TG_UPDATE};
    (void)orr_tg_builder_all_reduce(at.builder, &reduce, members, 3);
    (void)orr_tg_builder_all_reduce(at.builder, &reduce, members, 2);
    assert_int_equal(finish(&at), ORR_OK);
    assert_int_equal(at.graph.members, 5);
    assert_int_equal(at.graph.task[1].role, TG_ALL_REDUCE);
    assert_int_equal(at.graph.task[1].from, 3);
    assert_int_equal(at.graph.task[1].to, 2);
    assert_memory_equal(at.graph.member, members, sizeof members);
    end(&at);
}

static void test_builder_without_memory_says_so(void **state)
{
    (void)state;
    struct fixture at;
    begin(&at, 1, 1);
    (void)compute(&at, 0, "a");
    orr_arena_fail_after(at.arena, 0);
    assert_int_equal(finish(&at), ORR_ERR_MEMORY);
    end(&at);
}

/* ---- what is refused ---- */

static void test_check_names_a_cycle_task_by_task(void **state)
{
    (void)state;
    struct fixture at;
    begin(&at, 1, 1);
    (void)compute(&at, 0, "start");
    (void)compute(&at, 0, "a");
    (void)compute(&at, 0, "b");
    (void)compute(&at, 0, "behind");
    orr_tg_builder_wait(at.builder, 1, 0);
    orr_tg_builder_wait(at.builder, 2, 1);
    orr_tg_builder_wait(at.builder, 1, 2);
    orr_tg_builder_wait(at.builder, 3, 2);
    assert_refused(&at, "tasks[1] (compute, forward, a): expected tasks without a cycle, got one "
                        "of 2: tasks[2] (compute, forward, b) -> tasks[1] (compute, forward, a) "
                        "-> tasks[2] (compute, forward, b)");
}

static void test_check_refuses_a_task_that_waits_for_itself(void **state)
{
    (void)state;
    struct fixture at;
    begin(&at, 1, 1);
    orr_tg_builder_wait(at.builder, 0, compute(&at, 0, ""));
    assert_refused(&at, "tasks[0] (compute, forward): expected tasks without a cycle, got one of "
                        "1: tasks[0] (compute, forward) -> tasks[0] (compute, forward)");
}

static void test_check_refuses_npus_that_are_not_there(void **state)
{
    (void)state;
    struct fixture at;
    begin(&at, 8, 2); /* two groups of four */
    (void)transfer(&at, 3, 4);
    assert_refused(&at, "tasks[0] (transfer): expected NPUs below 4, got 4");
}

static void test_check_refuses_members(void **state)
{
    (void)state;
    static const uint32_t members[] = {0, 1, 0, 7};
    const struct tg_task reduce = {.bytes = 64};
    struct fixture at;
    begin(&at, 4, 1);
    (void)orr_tg_builder_all_reduce(at.builder, &reduce, members, 3);
    assert_refused(&at, "tasks[0] (all-reduce): members[2]: expected each NPU once, got 0 again");
    begin(&at, 4, 1);
    (void)orr_tg_builder_all_reduce(at.builder, &reduce, members + 3, 1);
    assert_refused(&at, "tasks[0] (all-reduce): members[0]: expected an NPU below 4, got 7");
    begin(&at, 4, 1);
    (void)orr_tg_builder_all_reduce(at.builder, &reduce, members, 0);
    assert_refused(&at, "tasks[0] (all-reduce): expected at least one member, within the 0 of the "
                        "graph, got 0 from 0 on");
}

static void test_check_refuses_what_does_not_fit_together(void **state)
{
    (void)state;
    struct fixture at;
    begin(&at, 1, 1);
    assert_refused(&at, "expected a graph with tasks, got none");
    begin(&at, 6, 4);
    (void)compute(&at, 0, "");
    assert_refused(&at, "expected 1 to 65536 NPUs, and copies that divide them, got 6 and 4");
    begin(&at, 1, 1);
    (void)compute(&at, 0, "");
    orr_tg_builder_wait(at.builder, 0, 3);
    assert_refused(&at, "expected dependencies between the 1 tasks, got one of 0 on 3");
    begin(&at, 2, 1);
    const struct tg_task slow = {.role = TG_TRANSFER, .to = 1, .duration_ps = 3};
    (void)orr_tg_builder_add(at.builder, &slow);
    assert_refused(&at, "tasks[0] (transfer): expected no duration for a transfer, whose time "
                        "depends on the network, got 3 ps");
}

/* ---- orders ---- */

static void test_order_is_by_number_as_far_as_dependencies_allow(void **state)
{
    (void)state;
    static const uint32_t expected[] = {1, 3, 0, 2, 4};
    struct fixture at;
    uint32_t order[5];
    begin(&at, 1, 1);
    for (uint32_t i = 0; i < 5; i++) {
        (void)compute(&at, 0, "");
    }
    orr_tg_builder_wait(at.builder, 0, 3);
    orr_tg_builder_wait(at.builder, 2, 0);
    assert_int_equal(finish(&at), ORR_OK);
    assert_int_equal(orr_tg_order(&at.graph, order, &at.diag), ORR_OK);
    assert_memory_equal(order, expected, sizeof expected);
    end(&at);
}

static void test_order_of_its_own_must_be_one(void **state)
{
    (void)state;
    static const uint32_t good[] = {2, 0, 1}, twice[] = {2, 2, 1}, before[] = {0, 1, 2};
    for (int i = 0; i < 3; i++) {
        struct fixture at;
        begin(&at, 1, 1);
        (void)compute(&at, 0, "");
        (void)compute(&at, 0, "");
        (void)compute(&at, 0, "");
        orr_tg_builder_wait(at.builder, 0, 2);
        orr_tg_builder_order(at.builder, i == 0 ? good : i == 1 ? twice : before);
        if (i == 0) {
            uint32_t order[3];
            assert_int_equal(finish(&at), ORR_OK);
            assert_int_equal(orr_tg_order(&at.graph, order, &at.diag), ORR_OK);
            assert_memory_equal(order, good, sizeof good);
            end(&at);
        } else {
            assert_refused(&at, i == 1 ? "order[1]: expected each of the 3 tasks once, got 2"
                                       : "tasks[0] (compute, forward): expected a position in the "
                                         "order after tasks[2], got one before");
        }
    }
}

/* ---- copies ---- */

/* Two groups of two NPUs: a transfer from 0 to 1, then an all-reduce of each group among {1, 0} and
 * one across among {1}; a task behind both. Plain: transfers are 0 and 1, the groups' all-reduces 2
 * and 3, the one across 4, the last tasks 5 and 6. */
static void make_copies(struct fixture *at)
{
    static const uint32_t members[] = {1, 0};
    const struct tg_task inside = {.bytes = 8}, across = {.bytes = 16, .across = 1};
    begin(at, 4, 2);
    const uint32_t first = transfer(at, 0, 1);
    const uint32_t a = orr_tg_builder_all_reduce(at->builder, &inside, members, 2);
    const uint32_t b = orr_tg_builder_all_reduce(at->builder, &across, members, 1);
    const uint32_t last = compute(at, 1, "last");
    orr_tg_builder_wait(at->builder, a, first);
    orr_tg_builder_wait(at->builder, b, first);
    orr_tg_builder_wait(at->builder, last, a);
    orr_tg_builder_wait(at->builder, last, b);
    assert_int_equal(finish(at), ORR_OK);
}

static void test_expand_makes_the_plain_graph(void **state)
{
    (void)state;
    static const uint32_t members[] = {1, 0, 3, 2, 1, 3};
    struct fixture at;
    struct tg_graph plain;
    make_copies(&at);
    assert_int_equal(orr_tg_expand(at.arena, &at.graph, &plain, &at.diag), ORR_OK);
    assert_int_equal(orr_tg_check(&plain, &at.diag), ORR_OK);
    assert_int_equal(plain.copies, 1);
    assert_int_equal(plain.npus, 4);
    assert_int_equal(plain.tasks, 7);
    assert_int_equal(plain.members, 6);
    assert_memory_equal(plain.member, members, sizeof members);
    assert_nexts(&plain, 0, "2 4 ");
    assert_nexts(&plain, 1, "3 4 ");
    assert_nexts(&plain, 2, "5 ");
    assert_nexts(&plain, 3, "6 ");
    assert_nexts(&plain, 4, "5 6 ");
    assert_int_equal(plain.task[1].from, 2);
    assert_int_equal(plain.task[1].to, 3);
    assert_int_equal(plain.task[4].across, 0);
    assert_int_equal(plain.task[4].to, 2);
    assert_int_equal(plain.task[6].from, 3);
    assert_string_equal(plain.name[plain.task[6].name], "last");
    end(&at);
}

static void test_expand_without_memory_says_so(void **state)
{
    (void)state;
    struct fixture at;
    struct tg_graph plain;
    make_copies(&at);
    orr_arena_fail_after(at.arena, 0);
    assert_int_equal(orr_tg_expand(at.arena, &at.graph, &plain, &at.diag), ORR_ERR_MEMORY);
    end(&at);
}

/* ---- traces ---- */

static void make_traces(struct fixture *at, struct tg_traces *traces)
{
    assert_int_equal(finish(at), ORR_OK);
    assert_int_equal(orr_tg_traces_make(traces, &at->graph, at->arena, NULL, &at->diag), ORR_OK);
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

/* Of three NPUs, 1 and 0 reduce; a task of each waits for it. NPU 0 and 1: delay, collective, and
 * the task behind it; NPU 2 is told by NPU 1, the first member. */
static void test_traces_of_what_waits_for_an_all_reduce(void **state)
{
    (void)state;
    static const uint32_t members[] = {1, 0};
    const struct tg_task reduce = {.bytes = 64, .duration_ps = 7};
    struct fixture at;
    struct tg_traces traces;
    begin(&at, 3, 1);
    const uint32_t first = orr_tg_builder_all_reduce(at.builder, &reduce, members, 2);
    for (uint32_t npu = 0; npu < 3; npu++) {
        orr_tg_builder_wait(at.builder, compute(&at, npu, "behind"), first);
    }
    make_traces(&at, &traces);
    const struct orr_trace *zero = traces.trace[0], *one = traces.trace[1], *two = traces.trace[2];
    assert_int_equal(traces.signals, 1);
    assert_int_equal(traces.groups, 1);
    assert_int_equal(traces.group[0].ranks[0], 1);
    assert_int_equal(zero->nodes, 3);
    assert_int_equal(zero->node[0].duration_ps, 7);
    assert_int_equal(zero->node[1].kind, ORR_NODE_COLL);
    assert_true(depends(zero, 1, 0) && depends(zero, 2, 1));
    assert_int_equal(one->nodes, 4); /* and the signal, for NPU 2 */
    assert_int_equal(one->node[3].kind, ORR_NODE_SEND);
    assert_true(depends(one, 2, 1) && depends(one, 3, 1));
    assert_int_equal(two->nodes, 2);
    assert_true(depends(two, 1, 0));
    end(&at);
}

/* The second all-reduce is fed by the first one on NPU 1, of which both have a member; a third one
 * without a common member is told. */
static void test_traces_of_all_reduces_behind_each_other(void **state)
{
    (void)state;
    static const uint32_t members[] = {0, 1, 2, 3};
    const struct tg_task reduce = {.bytes = 64};
    struct fixture at;
    struct tg_traces traces;
    begin(&at, 4, 1);
    const uint32_t a = orr_tg_builder_all_reduce(at.builder, &reduce, members, 2);
    const uint32_t b = orr_tg_builder_all_reduce(at.builder, &reduce, members + 1, 2);
    const uint32_t c = orr_tg_builder_all_reduce(at.builder, &reduce, members + 2, 2);
    orr_tg_builder_wait(at.builder, b, a);
    orr_tg_builder_wait(at.builder, c, a);
    make_traces(&at, &traces);
    const struct orr_trace *one = traces.trace[1], *two = traces.trace[2];
    assert_int_equal(one->nodes, 4);
    assert_true(depends(one, 2, 1) && depends(one, 3, 2));
    assert_int_equal(traces.signals, 1); /* from 0 to 2 */
    assert_int_equal(two->nodes, 5);
    assert_int_equal(two->parents[0], 0); /* its part of b is fed by nobody */
    assert_int_equal(two->node[2].kind, ORR_NODE_RECV);
    assert_true(depends(two, 3, 2) && depends(two, 4, 3));
    end(&at);
}

/* An all-reduce of one NPU is nothing, but for what waits for it: a delay of no time. */
static void test_traces_of_an_all_reduce_of_one(void **state)
{
    (void)state;
    static const uint32_t members[] = {0};
    const struct tg_task reduce = {.bytes = 64, .duration_ps = 7};
    struct fixture at;
    struct tg_traces traces;
    begin(&at, 1, 1);
    const uint32_t before = compute(&at, 0, "before");
    const uint32_t one = orr_tg_builder_all_reduce(at.builder, &reduce, members, 1);
    const uint32_t end_of_all = orr_tg_builder_all_reduce(at.builder, &reduce, members, 1);
    const uint32_t behind = compute(&at, 0, "behind");
    orr_tg_builder_wait(at.builder, one, before);
    orr_tg_builder_wait(at.builder, end_of_all, before);
    orr_tg_builder_wait(at.builder, behind, one);
    make_traces(&at, &traces);
    assert_int_equal(traces.trace[0]->nodes, 3);
    assert_int_equal(traces.counts[0].dropped, 1);
    assert_int_equal(traces.trace[0]->node[1].duration_ps, 0);
    assert_true(depends(traces.trace[0], 1, 0) && depends(traces.trace[0], 2, 1));
    end(&at);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_builder_keeps_the_order_of_waits_and_the_last_of_repeated_ones),
        cmocka_unit_test(test_builder_keeps_members_in_their_order),
        cmocka_unit_test(test_builder_without_memory_says_so),
        cmocka_unit_test(test_check_names_a_cycle_task_by_task),
        cmocka_unit_test(test_check_refuses_a_task_that_waits_for_itself),
        cmocka_unit_test(test_check_refuses_npus_that_are_not_there),
        cmocka_unit_test(test_check_refuses_members),
        cmocka_unit_test(test_check_refuses_what_does_not_fit_together),
        cmocka_unit_test(test_order_is_by_number_as_far_as_dependencies_allow),
        cmocka_unit_test(test_order_of_its_own_must_be_one),
        cmocka_unit_test(test_expand_makes_the_plain_graph),
        cmocka_unit_test(test_expand_without_memory_says_so),
        cmocka_unit_test(test_traces_of_what_waits_for_an_all_reduce),
        cmocka_unit_test(test_traces_of_all_reduces_behind_each_other),
        cmocka_unit_test(test_traces_of_an_all_reduce_of_one),
    };
    return cmocka_run_group_tests_name("task_graph", tests, NULL, NULL);
}
