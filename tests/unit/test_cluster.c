/* Several jobs on one network: alone, side by side, in each other's way; iterations and start
 * times; jobs that cannot be, or cannot finish. */
#include "taskgraph_fixture.h"

/* A ring between two servers of 2 MB, alone at 1 GB/s: 2 rounds of 1 MB, each with the latency of
 * its links, 1 us. */
struct setting {
    struct orr_arena *arena;
    struct net_graph network;
    struct fixture_reduce reduce;
    struct orr_cluster *cluster;
    struct orr_diag diag;
};

static void set_up(struct setting *setting)
{
    *setting = (struct setting){.arena = orr_arena_create()};
    orr_diag_init(&setting->diag);
    (void)fixture_reduce(&setting->reduce, 2, 2000000);
}

static void create(struct setting *setting)
{
    const struct orr_cluster_config config = {.network = &setting->network};
    assert_int_equal(orr_cluster_create(&setting->cluster, &config, &setting->diag), ORR_OK);
}

/* Four servers at one switch. */
static void on_switch(struct setting *setting)
{
    set_up(setting);
    fixture_network(setting->arena, "ideal-switch", 4, &setting->network);
    create(setting);
}

/* Four servers, two to an edge switch with uplinks of half the speed, of which only the first is
 * taken (by the shortest ways over the lowest nodes): 0.5 GB/s for two servers. */
static void on_oversubscribed_tree(struct setting *setting)
{
    set_up(setting);
    fixture_network(setting->arena, "fat-tree:4,2", 4, &setting->network);
    create(setting);
}

static enum orr_status add(struct setting *setting, const char *name, const uint32_t *server,
                           sim_time start_us, uint32_t iterations)
{
    const struct orr_cluster_job job = {.name = name,
                                        .graph = &setting->reduce.graph,
                                        .server = server,
                                        .start_ps = start_us * ORR_PS_PER_US,
                                        .iterations = iterations};
    return orr_cluster_add(setting->cluster, &job, &setting->diag);
}

static void run(struct setting *setting)
{
    assert_int_equal(orr_cluster_run(setting->cluster, &setting->diag), ORR_OK);
}

static void expect(const struct setting *setting, uint32_t job, uint32_t iteration, int64_t us)
{
    const struct orr_cluster_result result = orr_cluster_result(setting->cluster, job);
    assert_int_equal(result.iteration_ps[iteration], us * ORR_PS_PER_US);
}

static void tear_down(struct setting *setting)
{
    orr_cluster_destroy(setting->cluster);
    orr_arena_destroy(setting->arena);
}

static const uint32_t left[2] = {0, 1}, right[2] = {2, 3}, even[2] = {0, 2}, odd[2] = {1, 3};

/* Two rounds of 1 ms + 2 us, for each of them. */
static void test_run_on_an_ideal_switch_jobs_do_not_disturb_each_other(void **state)
{
    struct setting setting;
    (void)state;
    on_switch(&setting);
    assert_int_equal(add(&setting, "a", even, 0, 1), ORR_OK);
    assert_int_equal(add(&setting, "b", odd, 0, 1), ORR_OK);
    run(&setting);
    expect(&setting, 0, 0, 2004);
    expect(&setting, 1, 0, 2004);
    tear_down(&setting);
}

/* Each below an edge switch of its own: as on the ideal switch. Across them: 1 MB at 0.5 GB/s over
 * four links takes 2 ms + 4 us alone, and 4 ms + 4 us beside the other job. */
static void test_run_on_an_oversubscribed_tree_the_placement_decides(void **state)
{
    struct setting setting;
    (void)state;
    on_oversubscribed_tree(&setting);
    assert_int_equal(add(&setting, "a", left, 0, 1), ORR_OK);
    assert_int_equal(add(&setting, "b", right, 0, 1), ORR_OK);
    run(&setting);
    expect(&setting, 0, 0, 2004);
    expect(&setting, 1, 0, 2004);
    tear_down(&setting);

    on_oversubscribed_tree(&setting);
    assert_int_equal(add(&setting, "alone", even, 0, 1), ORR_OK);
    run(&setting);
    expect(&setting, 0, 0, 4008);
    tear_down(&setting);

    on_oversubscribed_tree(&setting);
    assert_int_equal(add(&setting, "a", even, 0, 1), ORR_OK);
    assert_int_equal(add(&setting, "b", odd, 0, 1), ORR_OK);
    run(&setting);
    expect(&setting, 0, 0, 8008);
    expect(&setting, 1, 0, 8008);
    tear_down(&setting);
}

/* The second iteration of a has the uplinks to itself. */
static void test_run_when_a_job_ends_the_others_go_faster(void **state)
{
    struct setting setting;
    (void)state;
    on_oversubscribed_tree(&setting);
    assert_int_equal(add(&setting, "a", even, 0, 2), ORR_OK);
    assert_int_equal(add(&setting, "b", odd, 0, 1), ORR_OK);
    run(&setting);
    expect(&setting, 0, 0, 8008);
    expect(&setting, 0, 1, 4008);
    expect(&setting, 1, 0, 8008);
    const struct orr_cluster_result result = orr_cluster_result(setting.cluster, 0);
    assert_int_equal(result.end_ps, INT64_C(12016) * ORR_PS_PER_US);
    assert_int_equal(result.all_reduces, 2);
    assert_int_equal(result.rounds, 4);
    assert_int_equal(result.flows, 8);
    tear_down(&setting);
}

/* a has sent its last byte at 2 + 0.004 + 2 = 4.004 ms: b, which starts then, meets nothing. */
static void test_run_starts_jobs_when_they_should(void **state)
{
    struct setting setting;
    (void)state;
    on_oversubscribed_tree(&setting);
    assert_int_equal(add(&setting, "a", even, 0, 1), ORR_OK);
    assert_int_equal(add(&setting, "b", odd, 4004, 1), ORR_OK);
    run(&setting);
    expect(&setting, 0, 0, 4008);
    expect(&setting, 1, 0, 4008);
    assert_int_equal(orr_cluster_result(setting.cluster, 1).end_ps, INT64_C(8012) * ORR_PS_PER_US);
    tear_down(&setting);
}

static void test_add_refuses_servers_that_are_taken_or_not_there(void **state)
{
    static const uint32_t twice[2] = {3, 3}, beyond[2] = {3, 4};
    struct setting setting;
    (void)state;
    on_switch(&setting);
    assert_int_equal(add(&setting, "a", left, 0, 1), ORR_OK);
    assert_int_equal(add(&setting, "b", even, 0, 1), ORR_ERR_INPUT);
    assert_string_equal(setting.diag.message, "b: server 0 belongs to a");
    tear_down(&setting);
    on_switch(&setting);
    assert_int_equal(add(&setting, "b", twice, 0, 1), ORR_ERR_INPUT);
    assert_string_equal(setting.diag.message, "b: server 3 is given twice");
    tear_down(&setting);
    on_switch(&setting);
    assert_int_equal(add(&setting, "b", beyond, 0, 1), ORR_ERR_INPUT);
    assert_string_equal(setting.diag.message,
                        "b: server 4 is not in the network, which has 4 NPUs");
    tear_down(&setting);
}

static void test_create_refuses_a_network_that_falls_apart(void **state)
{
    struct setting setting;
    struct net_graph_builder builder;
    const struct net_link link = {.from = 0, .to = 1, .count = 1, .bytes_per_s = 1e9};
    (void)state;
    set_up(&setting);
    orr_net_graph_begin(&builder, setting.arena, 3, 0);
    orr_net_graph_both(&builder, &link);
    assert_int_equal(orr_net_graph_end(&builder, &setting.network, &setting.diag), ORR_OK);
    const struct orr_cluster_config config = {.network = &setting.network};
    assert_int_equal(orr_cluster_create(&setting.cluster, &config, &setting.diag), ORR_ERR_INPUT);
    assert_null(setting.cluster);
    assert_non_null(strstr(setting.diag.message, "none joins NPU 0 to NPU 2"));
    tear_down(&setting);
}

/* Task 0 runs; 1 and 2 wait for each other, 3 for both of them. */
static void test_run_of_a_circle_names_the_tasks_that_are_stuck(void **state)
{
    static const struct orr_task tasks[4] = {
        {.kind = ORR_TASK_COMPUTE, .from = 0, .first_next = 0, .nexts = 1, .runtime_ps = 5},
        {.kind = ORR_TASK_TRANSFER, .from = 0, .to = 1, .first_next = 1, .nexts = 2, .bytes = 10},
        {.kind = ORR_TASK_COMPUTE, .from = 1, .first_next = 3, .nexts = 2, .runtime_ps = 5},
        {.kind = ORR_TASK_REDUCE, .first_next = 5, .nexts = 2, .bytes = 10}};
    static const uint32_t next[7] = {1, 2, 3, 1, 3, 0, 1};
    const struct orr_taskgraph graph = {.servers = 2, .tasks = 4, .task = tasks, .next = next};
    const struct orr_cluster_job job = {.name = "vgg", .graph = &graph, .iterations = 1};
    struct setting setting;
    (void)state;
    on_switch(&setting);
    assert_int_equal(orr_cluster_add(setting.cluster, &job, &setting.diag), ORR_OK);
    assert_int_equal(orr_cluster_run(setting.cluster, &setting.diag), ORR_ERR_DEADLOCK);
    assert_string_equal(
        setting.diag.message,
        "vgg: the task graph cannot finish: 3 of 4 tasks are stuck\n"
        "  tasks[1] (transfer 0 -> 1) waits for tasks[2] (computation on server 1)\n"
        "  tasks[2] (computation on server 1) waits for tasks[1] (transfer 0 -> 1)\n"
        "  tasks[3] (all-reduce of 2 servers) waits for tasks[1] (transfer 0 -> 1), tasks[2] "
        "(computation on server 1)");
    tear_down(&setting);
}

/* Flows that would end beyond the last instant are an overflow of time, not a job that cannot
 * finish; the program under way is freed. */
static void test_run_beyond_the_last_instant_is_an_overflow(void **state)
{
    struct setting setting;
    (void)state;
    on_switch(&setting);
    const struct orr_cluster_job job = {.graph = &setting.reduce.graph,
                                        .all_reduce = fixture_choice("tree:4"),
                                        .start_ps = ORR_TIME_MAX - 1000,
                                        .iterations = 1};
    assert_int_equal(orr_cluster_add(setting.cluster, &job, &setting.diag), ORR_OK);
    assert_int_equal(orr_cluster_run(setting.cluster, &setting.diag), ORR_ERR_INPUT);
    assert_non_null(strstr(setting.diag.message, "simulated time overflow"));
    tear_down(&setting);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_run_on_an_ideal_switch_jobs_do_not_disturb_each_other),
        cmocka_unit_test(test_run_on_an_oversubscribed_tree_the_placement_decides),
        cmocka_unit_test(test_run_when_a_job_ends_the_others_go_faster),
        cmocka_unit_test(test_run_starts_jobs_when_they_should),
        cmocka_unit_test(test_add_refuses_servers_that_are_taken_or_not_there),
        cmocka_unit_test(test_create_refuses_a_network_that_falls_apart),
        cmocka_unit_test(test_run_of_a_circle_names_the_tasks_that_are_stuck),
        cmocka_unit_test(test_run_beyond_the_last_instant_is_an_overflow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
