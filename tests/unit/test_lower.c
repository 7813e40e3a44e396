/* Strategies as task graphs: tasks, what waits for what, bytes and times, by hand. */
#include "tests/unit/strategy_fixture.h"
#include "workload/strategy/lower.h"

enum { ROLES = TG_ROLES };

/* Forward times are 10, 20, ... ps by operator, backward ten times as long. */
static struct tg_graph lowered(struct toy *toy)
{
    static uint64_t forward_ps[TOY_OPS], backward_ps[TOY_OPS];
    const struct strategy_times times = {forward_ps, backward_ps};
    const struct strategy strategy = orr_strategy_drafted(&toy->draft);
    struct tg_graph graph;
    for (uint32_t op = 0; op < TOY_OPS; op++) {
        forward_ps[op] = 10 * (op + 1);
        backward_ps[op] = 100 * (op + 1);
    }
    assert_int_equal(orr_strategy_check(&toy->graph, &strategy, &toy->diag), ORR_OK);
    assert_int_equal(
        orr_strategy_lower(toy->arena, &toy->graph, &strategy, &times, &graph, &toy->diag), ORR_OK);
    return graph;
}

/* "12 13" */
static const char *next_of(struct toy *toy, const struct tg_graph *graph, uint32_t task)
{
    uint32_t count;
    const uint32_t *next = orr_tg_next(graph, task, &count);
    const char *text = "";
    for (uint32_t i = 0; i < count; i++) {
        text = orr_arena_printf(toy->arena, "%s%s%u", text, i > 0 ? " " : "", next[i]);
    }
    return text;
}

static void assert_task(const struct tg_graph *graph, uint32_t task, enum tg_role role,
                        enum tg_pass pass, uint64_t amount)
{
    assert_true(task < graph->tasks);
    assert_int_equal(graph->task[task].role, role);
    assert_int_equal(graph->task[task].pass, pass);
    assert_int_equal(role == TG_COMPUTE ? graph->task[task].duration_ps : graph->task[task].bytes,
                     amount);
}

static void test_data_parallel_two_devices_tasks_by_hand(void **state)
{
    struct toy toy;
    (void)state;
    toy_init(&toy, 16);
    const uint32_t a = toy_op(&toy, "a", 256, 1000, NULL);
    const uint32_t b = toy_after(&toy, "b", 256, 0, a);
    toy_draft(&toy, 2, 1);
    toy_split(&toy, a, SAMPLE, 2, 0);
    toy_split(&toy, b, SAMPLE, 2, 0);
    const struct tg_graph graph = lowered(&toy);
    /* forward a 0 1, b 2 3; backward b 4 5, a 6 7; all-reduce 8 */
    assert_int_equal(graph.tasks, 9);
    assert_int_equal(graph.npus, 2);
    assert_task(&graph, 1, TG_COMPUTE, TG_FORWARD, 10);
    assert_task(&graph, 5, TG_COMPUTE, TG_BACKWARD, 200);
    assert_int_equal(graph.task[5].from, 1);
    assert_string_equal(graph.name[graph.task[5].name], "b");
    assert_task(&graph, 8, TG_ALL_REDUCE, TG_UPDATE, 1000);
    assert_int_equal(graph.task[8].to, 2);
    assert_string_equal(next_of(&toy, &graph, 0), "2 6");
    assert_string_equal(next_of(&toy, &graph, 2), "4");
    assert_string_equal(next_of(&toy, &graph, 4), "6");
    assert_string_equal(next_of(&toy, &graph, 7), "8");
    toy_fini(&toy);
}

static void test_transfers_go_there_and_back(void **state)
{
    struct toy toy;
    (void)state;
    toy_init(&toy, 16);
    const uint32_t a = toy_op(&toy, "a", 256, 1000, NULL);
    const uint32_t b = toy_after(&toy, "b", 256, 0, a);
    toy_draft(&toy, 4, 1);
    toy_split(&toy, a, SAMPLE, 1, 3);
    toy_split(&toy, b, SAMPLE, 2, 2);
    const struct tg_graph graph = lowered(&toy);
    /* forward a 0 on 3; transfer 1 of half of 4096 bytes to 2, none to 3; b 2 3; b back 4 5;
     * transfer 6 from 2 to 3; a back 7. One device has the weights: no all-reduce. */
    assert_int_equal(graph.tasks, 8);
    assert_task(&graph, 1, TG_TRANSFER, TG_FORWARD, 2048);
    assert_int_equal(graph.task[1].from, 3);
    assert_int_equal(graph.task[1].to, 2);
    assert_task(&graph, 6, TG_TRANSFER, TG_BACKWARD, 2048);
    assert_int_equal(graph.task[6].from, 2);
    assert_int_equal(graph.task[6].to, 3);
    assert_string_equal(next_of(&toy, &graph, 0), "1 3 7");
    assert_string_equal(next_of(&toy, &graph, 1), "2");
    assert_string_equal(next_of(&toy, &graph, 4), "6");
    assert_string_equal(next_of(&toy, &graph, 5), "7");
    assert_string_equal(next_of(&toy, &graph, 6), "7");
    toy_fini(&toy);
}

static void test_carried_tensor_one_transfer_takes_back_the_sum(void **state)
{
    struct toy toy;
    (void)state;
    toy_init(&toy, 16);
    const uint32_t a = toy_op(&toy, "a", 256, 0, NULL);
    const uint32_t b = toy_after(&toy, "b", 256, 0, a);
    const uint32_t c = toy_after(&toy, "c", 256, 0, a);
    toy_draft(&toy, 2, 1);
    toy_split(&toy, b, SAMPLE, 1, 1);
    toy_split(&toy, c, SAMPLE, 1, 1);
    const struct tg_graph graph = lowered(&toy);
    /* a 0, transfer 1, b 2, c 3; back c 4, b 5, transfer 6, a 7 */
    assert_int_equal(graph.tasks, 8);
    assert_string_equal(next_of(&toy, &graph, 1), "2 3");
    assert_string_equal(next_of(&toy, &graph, 4), "6");
    assert_string_equal(next_of(&toy, &graph, 5), "6");
    assert_string_equal(next_of(&toy, &graph, 6), "7");
    toy_fini(&toy);
}

static void test_shared_weights_reduced_once_after_the_last_use(void **state)
{
    struct toy toy;
    (void)state;
    toy_init(&toy, 16);
    const uint32_t a = toy_op(&toy, "a", 256, 1000, NULL);
    const uint32_t b = toy_after(&toy, "b", 256, 1000, a);
    toy.op[b].owner = a;
    toy_draft(&toy, 2, 1);
    toy_split(&toy, a, SAMPLE, 2, 0);
    toy_split(&toy, b, SAMPLE, 2, 0);
    const struct tg_graph graph = lowered(&toy);
    assert_int_equal(graph.tasks, 9); /* one all-reduce, 8, behind 4 5 (b) and 6 7 (a) */
    assert_string_equal(next_of(&toy, &graph, 4), "6 8");
    assert_string_equal(next_of(&toy, &graph, 6), "8");
    toy_fini(&toy);
}

static void test_groups_reduce_across_and_copied_weights_are_scattered(void **state)
{
    struct toy toy;
    uint32_t count[ROLES] = {0};
    (void)state;
    toy_init(&toy, 16);
    const uint32_t a = toy_op(&toy, "a", 256, 1000, NULL);
    const uint32_t b = toy_after(&toy, "b", 256, 999, a);
    toy_draft(&toy, 8, 2);
    toy_split(&toy, a, OUTPUT, 4, 0); /* 4 shards of 250 bytes, each across the 2 groups */
    toy_split(&toy, b, ALIKE, 3, 1);  /* copied by 3 devices: 333 bytes from each to each, twice */
    const struct tg_graph graph = lowered(&toy);
    assert_int_equal(graph.copies, 2);
    assert_int_equal(graph.npus, 8);
    for (uint32_t i = 0; i < graph.tasks; i++) {
        const struct tg_task *task = &graph.task[i];
        const bool update = task->pass == TG_UPDATE;
        count[task->role] += update;
        if (update && task->role == TG_TRANSFER) {
            assert_int_equal(task->bytes, 333);
        }
        if (task->role == TG_ALL_REDUCE) {
            assert_int_equal(task->to, 1);
            assert_int_equal(task->across, 1);
            assert_true(task->bytes == 250 || task->bytes == 333);
        }
    }
    assert_int_equal(count[TG_ALL_REDUCE], 4 + 3);
    assert_int_equal(count[TG_TRANSFER], 2 * 6);
    toy_fini(&toy);
}

static void test_servers_take_their_inner_time_first(void **state)
{
    struct toy toy;
    (void)state;
    toy_init(&toy, 16);
    const uint32_t a = toy_op(&toy, "a", 256, 16777216, NULL);
    toy_draft(&toy, 2, 1);
    toy_split(&toy, a, SAMPLE, 2, 0);
    toy.draft.strategy.server =
        (struct strategy_server){.gpus = 4, .inside_bytes_per_s = 25e9, .optimizer_bytes = 0};
    const struct tg_graph graph = lowered(&toy);
    /* 2 x 16777216 / 4 / 25 GB/s = 335.54432 us, as the published DLRM's dense layers have it */
    assert_int_equal(graph.task[4].duration_ps, 335544320);
    toy_fini(&toy);
}

/* Gradients at the end: a task without time behind all backward parts of each device, and its
 * all-reduces behind that. */
static void test_gradients_at_end_wait_for_all_parts_of_their_devices(void **state)
{
    struct toy toy;
    (void)state;
    toy_init(&toy, 16);
    const uint32_t a = toy_op(&toy, "a", 256, 1000, NULL);
    const uint32_t b = toy_after(&toy, "b", 256, 2000, a);
    toy_draft(&toy, 3, 1);
    toy_split(&toy, a, SAMPLE, 2, 0);
    toy_split(&toy, b, SAMPLE, 2, 0);
    toy.draft.strategy.server.reduce_at_end = true;
    const struct tg_graph graph = lowered(&toy);
    /* forward a 0 1, b 2 3; backward b 4 5, a 6 7; ends of devices 8 9 10; all-reduces b 11, a 12
     */
    assert_int_equal(graph.tasks, 13);
    for (uint32_t device = 0; device < 3; device++) {
        assert_task(&graph, 8 + device, TG_DELAY, TG_BARRIER, 0);
        assert_int_equal(graph.task[8 + device].from, device);
        assert_int_equal(graph.task[8 + device].duration_ps, 0);
    }
    assert_task(&graph, 11, TG_ALL_REDUCE, TG_UPDATE, 2000);
    assert_task(&graph, 12, TG_ALL_REDUCE, TG_UPDATE, 1000);
    assert_string_equal(next_of(&toy, &graph, 4), "6 8");
    assert_string_equal(next_of(&toy, &graph, 5), "7 9");
    assert_string_equal(next_of(&toy, &graph, 6), "8");
    assert_string_equal(next_of(&toy, &graph, 7), "9");
    assert_string_equal(next_of(&toy, &graph, 8), "11 12");
    assert_string_equal(next_of(&toy, &graph, 9), "11 12");
    assert_string_equal(next_of(&toy, &graph, 10), "");
    toy_fini(&toy);
}

/* Copies of weights in a group: what a device scatters, and its share around the ring, wait for the
 * device's end; what it gathers for the ring. */
static void test_gradients_at_end_with_copied_weights_in_groups(void **state)
{
    struct toy toy;
    (void)state;
    toy_init(&toy, 16);
    const uint32_t a = toy_op(&toy, "a", 256, 1000, NULL);
    toy_draft(&toy, 4, 2);
    toy_split(&toy, a, ALIKE, 2, 0);
    toy.draft.strategy.server.reduce_at_end = true;
    const struct tg_graph graph = lowered(&toy);
    /* a 0 1; back 2 3; ends 4 5; scatter 6 (0 to 1), 7; rings 8, 9; gather 10, 11 */
    assert_int_equal(graph.tasks, 12);
    assert_string_equal(next_of(&toy, &graph, 2), "4");
    assert_string_equal(next_of(&toy, &graph, 3), "5");
    assert_string_equal(next_of(&toy, &graph, 4), "6 8");
    assert_string_equal(next_of(&toy, &graph, 5), "7 9");
    assert_string_equal(next_of(&toy, &graph, 6), "9");
    assert_string_equal(next_of(&toy, &graph, 7), "8");
    assert_string_equal(next_of(&toy, &graph, 8), "10");
    assert_string_equal(next_of(&toy, &graph, 9), "11");
    assert_task(&graph, 8, TG_ALL_REDUCE, TG_UPDATE, 500);
    toy_fini(&toy);
}

/* Of a model that lists its gradients nothing goes back, and a gradient is complete where the
 * operators with the weights end. */
static void test_listed_gradients_nothing_goes_back(void **state)
{
    struct toy toy;
    (void)state;
    toy_init(&toy, 16);
    const uint32_t a = toy_op(&toy, "a", 256, 1000, NULL);
    const uint32_t b = toy_after(&toy, "b", 256, 1000, a);
    toy.op[b].owner = a;
    toy.graph.lists_gradients = true;
    toy_draft(&toy, 2, 1);
    toy_split(&toy, a, SAMPLE, 2, 0);
    toy_split(&toy, b, SAMPLE, 1, 1);
    const struct tg_graph graph = lowered(&toy);
    /* a 0 1; transfer 2 of half of 4096 bytes; b 3; all-reduce 4 */
    assert_int_equal(graph.tasks, 5);
    assert_task(&graph, 2, TG_TRANSFER, TG_FORWARD, 2048);
    assert_task(&graph, 3, TG_COMPUTE, TG_FORWARD, 20);
    assert_task(&graph, 4, TG_ALL_REDUCE, TG_UPDATE, 1000);
    assert_string_equal(next_of(&toy, &graph, 0), "2 4");
    assert_string_equal(next_of(&toy, &graph, 1), "3 4");
    assert_string_equal(next_of(&toy, &graph, 2), "3");
    assert_string_equal(next_of(&toy, &graph, 3), "4");
    /* at the end: 4 5 behind all of each device, then the all-reduce 6 */
    toy.draft.strategy.server.reduce_at_end = true;
    const struct tg_graph at_end = lowered(&toy);
    assert_int_equal(at_end.tasks, 7);
    assert_string_equal(next_of(&toy, &at_end, 0), "2 4");
    assert_string_equal(next_of(&toy, &at_end, 1), "3 5");
    assert_string_equal(next_of(&toy, &at_end, 3), "5");
    assert_string_equal(next_of(&toy, &at_end, 4), "6");
    assert_string_equal(next_of(&toy, &at_end, 5), "6");
    toy_fini(&toy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_data_parallel_two_devices_tasks_by_hand),
        cmocka_unit_test(test_transfers_go_there_and_back),
        cmocka_unit_test(test_carried_tensor_one_transfer_takes_back_the_sum),
        cmocka_unit_test(test_shared_weights_reduced_once_after_the_last_use),
        cmocka_unit_test(test_groups_reduce_across_and_copied_weights_are_scattered),
        cmocka_unit_test(test_servers_take_their_inner_time_first),
        cmocka_unit_test(test_gradients_at_end_wait_for_all_parts_of_their_devices),
        cmocka_unit_test(test_gradients_at_end_with_copied_weights_in_groups),
        cmocka_unit_test(test_listed_gradients_nothing_goes_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
