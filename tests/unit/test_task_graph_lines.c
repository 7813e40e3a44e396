/* Lines of an NPU: which of the tasks that become ready in the same instant goes first. NPUs at a
 * switch with links of 1 GB/s and 1 us, flows without packets. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sim/cluster/taskgraph_job.h"

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
    const uint32_t late = add(&at, TG_COMPUTE, 0, 1), early = add(&at, TG_COMPUTE, 0, 20);
    orr_tg_builder_wait(at.builder, late, add(&at, TG_DELAY, 0, 5));
    orr_tg_builder_wait(at.builder, early, add(&at, TG_DELAY, 0, 3));
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ready_in_one_instant_go_by_number),
        cmocka_unit_test(test_first_come_go_as_they_hear_of_it),
        cmocka_unit_test(test_ready_before_go_first_whatever_their_number),
        cmocka_unit_test(test_tasks_of_no_time_free_their_lane_in_the_instant),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
