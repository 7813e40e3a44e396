/* Lines of an NPU: which of the tasks that become ready in the same instant goes first. NPUs at a
 * switch with links of 1 GB/s and 1 us, flows without packets. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/arena.h"
#include "orrery/orrery.h"
#include "sim/cluster/taskgraph_job.h"
#include "workload/taskgraph/tg_builder.h"
#include "workload/taskgraph/tg_graph.h"

enum { PACKET_BYTES = 8936 };

struct setting {
    struct orr_arena *arena;
    struct tg_builder *builder;
    struct orr_diag diag;
};

static void set_up(struct setting *setting, uint32_t npus)
{
    setting->arena = orr_arena_create();
    setting->builder = orr_tg_builder_create(npus, 1);
    orr_diag_init(&setting->diag);
    assert_non_null(setting->arena);
    assert_non_null(setting->builder);
}

static uint32_t add(struct setting *setting, enum tg_role role, uint32_t npu, uint64_t us)
{
    const struct tg_task task = {
        .role = (uint8_t)role, .from = npu, .to = npu, .duration_ps = us * ORR_PS_PER_US};
    return orr_tg_builder_add(setting->builder, &task);
}

static int64_t run(struct setting *setting)
{
    struct orr_taskgraph_job job;
    struct tg_graph graph;
    const struct orrery_inputs no_platform = {.platform = NULL};
    assert_int_equal(
        orr_tg_builder_finish(setting->builder, setting->arena, &graph, &setting->diag), ORR_OK);
    const struct orr_taskgraph_values values = {
        .graph = &graph,
        .fabric = "ideal-switch",
        .kind = {.bytes_per_s = 1e9, .latency_ps = ORR_PS_PER_US},
        .shares = ORR_SHARES_MAXMIN};
    struct orrery *handle = orrery_new();
    assert_int_equal(orr_taskgraph_load(&job, &values, setting->arena, &setting->diag), ORR_OK);
    assert_int_equal(orr_taskgraph_prepare(&job, &no_platform, handle), ORRERY_OK);
    assert_int_equal(orrery_run(handle), ORRERY_OK);
    const int64_t wall_ps = orrery_wall_ps(handle);
    orrery_free(handle);
    orr_tg_builder_destroy(setting->builder);
    orr_arena_destroy(setting->arena);
    return wall_ps;
}

/* Two delays of 10 us; behind the second of them task 2 (5 us), behind the first one task 3 (7 us),
 * both on the accelerator of NPU 0; behind task 2 a delay of 100 us. */
static void add_two_lines(struct setting *setting)
{
    const uint32_t first = add(setting, TG_DELAY, 0, 10), second = add(setting, TG_DELAY, 0, 10);
    const uint32_t short_task = add(setting, TG_COMPUTE, 0, 5);
    const uint32_t long_task = add(setting, TG_COMPUTE, 0, 7);
    orr_tg_builder_wait(setting->builder, short_task, second);
    orr_tg_builder_wait(setting->builder, long_task, first);
    orr_tg_builder_wait(setting->builder, add(setting, TG_DELAY, 0, 100), short_task);
}

/* 10 + 5 + 100 us: the smaller number goes first, though the other one heard of it first. */
static void test_ready_in_one_instant_go_by_number(void **state)
{
    (void)state;
    struct setting at;
    set_up(&at, 2);
    add_two_lines(&at);
    assert_int_equal(run(&at), 115 * ORR_PS_PER_US);
}

/* 10 + 7 + 5 + 100 us. */
static void test_first_come_go_as_they_hear_of_it(void **state)
{
    (void)state;
    struct setting at;
    set_up(&at, 2);
    add_two_lines(&at);
    orr_tg_builder_first_come(at.builder);
    assert_int_equal(run(&at), 122 * ORR_PS_PER_US);
}

/* Task 0 has the NPU until 10 us; task 2 is ready at 3 us and task 1 at 5, so that they run until
 * 30 and 31. */
static void test_ready_before_go_first_whatever_their_number(void **state)
{
    (void)state;
    struct setting at;
    set_up(&at, 1);
    (void)add(&at, TG_COMPUTE, 0, 10);
    const uint32_t late = add(&at, TG_COMPUTE, 0, 1), unexpected = add(&at, TG_COMPUTE, 0, 20);
    orr_tg_builder_wait(at.builder, late, add(&at, TG_DELAY, 0, 5));
    orr_tg_builder_wait(at.builder, unexpected, add(&at, TG_DELAY, 0, 3));
    orr_tg_builder_wait(at.builder, add(&at, TG_DELAY, 0, 50), late);
    assert_int_equal(run(&at), (10 + 20 + 1 + 50) * ORR_PS_PER_US);
}

/* Tasks of no time: each frees its lane within the instant, and who becomes ready by it stands
 * behind those that are in line. Tasks 0 (0 us), 1 (4 us) and, behind 0, 2 (2 us): 0, 1, 2. */
static void test_tasks_of_no_time_free_their_lane_in_the_instant(void **state)
{
    (void)state;
    struct setting at;
    set_up(&at, 1);
    const uint32_t none = add(&at, TG_COMPUTE, 0, 0);
    const uint32_t four = add(&at, TG_COMPUTE, 0, 4), two = add(&at, TG_COMPUTE, 0, 2);
    orr_tg_builder_wait(at.builder, two, none);
    orr_tg_builder_wait(at.builder, add(&at, TG_DELAY, 0, 30), four);
    assert_int_equal(run(&at), (4 + 30) * ORR_PS_PER_US);
}

static uint32_t add_transfer(struct setting *setting, uint32_t from, uint32_t to)
{
    const struct tg_task task = {
        .role = TG_TRANSFER, .from = from, .to = to, .bytes = 100 * PACKET_BYTES};
    return orr_tg_builder_add(setting->builder, &task);
}

/* Two transfers to NPU 2 end in one instant. Behind that from NPU 0 a task of 2 ms becomes ready,
 * behind that from NPU 1 one of 3 ms, both on NPU 2, and behind the first one a delay of 100 ms. */
static void add_equal_ends(struct setting *setting, uint32_t from_0, uint32_t from_1)
{
    const uint32_t first = add(setting, TG_COMPUTE, 2, 2000),
                   other = add(setting, TG_COMPUTE, 2, 3000);
    orr_tg_builder_first_come(setting->builder);
    orr_tg_builder_wait(setting->builder, first, from_0);
    orr_tg_builder_wait(setting->builder, other, from_1);
    orr_tg_builder_wait(setting->builder, add(setting, TG_DELAY, 2, 100000), first);
}

/* A handshake and the latencies, each over two links, 200 packets through the link to NPU 2, and a
 * packet more behind them. */
enum { WAY_PS = 2 * (ORR_PS_PER_US + 1000) + 2 * ORR_PS_PER_US };
static const int64_t arrive_ps = WAY_PS + 201 * (int64_t)PACKET_BYTES * 1000;

/* Flows that end in one instant do so in the order in which their paths were first used, which is
 * that of the transfers here. The order is nothing that times know of, and decides which task goes
 * first: swapped, the job takes 3 ms more. */
static void test_equal_ends_of_flows_go_by_first_use_and_swapped_give_the_other_time(void **state)
{
    (void)state;
    struct setting at;
    set_up(&at, 3);
    const uint32_t from_0 = add_transfer(&at, 0, 2), from_1 = add_transfer(&at, 1, 2);
    add_equal_ends(&at, from_0, from_1);
    assert_int_equal(run(&at), arrive_ps + 102000 * (int64_t)ORR_PS_PER_US);
    set_up(&at, 3);
    const uint32_t swapped_1 = add_transfer(&at, 1, 2), swapped_0 = add_transfer(&at, 0, 2);
    add_equal_ends(&at, swapped_0, swapped_1);
    assert_int_equal(run(&at), arrive_ps + 105000 * (int64_t)ORR_PS_PER_US);
}

/* The path from NPU 1 is older, by a transfer that nothing waits for but a delay of 10 ms, and
 * those from 0 and from 1 begin together behind that: the one from 1 ends first. */
static void test_equal_ends_of_flows_go_by_the_age_of_their_paths(void **state)
{
    (void)state;
    struct setting at;
    set_up(&at, 3);
    const uint32_t wait = add(&at, TG_DELAY, 0, 10000), unexpected = add_transfer(&at, 1, 2);
    const uint32_t from_0 = add_transfer(&at, 0, 2), from_1 = add_transfer(&at, 1, 2);
    orr_tg_builder_wait(at.builder, wait, unexpected);
    orr_tg_builder_wait(at.builder, from_0, wait);
    orr_tg_builder_wait(at.builder, from_1, wait);
    add_equal_ends(&at, from_0, from_1);
    /* The first one has the link alone: 100 packets less. */
    const int64_t early_ps = arrive_ps - 100 * (int64_t)PACKET_BYTES * 1000;
    assert_int_equal(run(&at), early_ps + arrive_ps + 115000 * (int64_t)ORR_PS_PER_US);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ready_in_one_instant_go_by_number),
        cmocka_unit_test(test_first_come_go_as_they_hear_of_it),
        cmocka_unit_test(test_ready_before_go_first_whatever_their_number),
        cmocka_unit_test(test_tasks_of_no_time_free_their_lane_in_the_instant),
        cmocka_unit_test(test_equal_ends_of_flows_go_by_first_use_and_swapped_give_the_other_time),
        cmocka_unit_test(test_equal_ends_of_flows_go_by_the_age_of_their_paths),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
