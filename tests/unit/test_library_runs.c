/* Collectives of a library as they run: alone they take what the model says, at once they share the
 * ports that both need and no others; hosts launch what is generated, not what is replayed; and an
 * algorithm that is named runs as ever. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "core/time.h"
#include "orrery/orrery.h"
#include "orrery/parts.h"

enum { NPUS = 16 };
#define GIB (UINT64_C(1) << 30)

static const char platform_text[] =
    "network: {topology: Switch(8)_Switch(2), bandwidth_is: npu, dims: [{bandwidth: 300 GB/s, "
    "latency: 1 us}, {bandwidth: 25 GB/s, latency: 2 us}]}\n"
    "system: {library: {name: nccl, gpu: a100}}\n"
    "compute: {peak: 1 TFLOP/s}\nmemory: {local: {bandwidth: 1 TB/s}}\n";

/* Groups of nodes, of GPUs with the same place, and twice of all. */
static const char groups_text[] =
    "workload: {groups: {tp0: [0, 1, 2, 3, 4, 5, 6, 7], tp1: [8, 9, 10, 11, 12, 13, 14, 15], dp0: "
    "[0, 8], dp1: [1, 9], dp2: [2, 10], dp3: [3, 11], dp4: [4, 12], dp5: [5, 13], dp6: [6, 14], "
    "dp7: [7, 15], one: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15], two: [0, 1, 2, 3, "
    "4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]}}\n";

/* `group`: NULL: all; tp, dp: that of the NPU. */
struct node {
    const char *collective, *group;
    uint64_t bytes;
};

static void add(struct orrery_workload *workload, uint32_t rank, uint64_t id,
                const struct node *node)
{
    char group[16];
    const bool tp = node->group != NULL && strcmp(node->group, "tp") == 0;
    const bool dp = node->group != NULL && strcmp(node->group, "dp") == 0;
    (void)snprintf(group, sizeof group, "%s%u", tp ? "tp" : "dp", tp ? rank / 8 : rank % 8);
    const struct orrery_trace_node each = {ORRERY_SIZED(orrery_trace_node),
                                           .id = id,
                                           .kind = ORRERY_NODE_COLLECTIVE,
                                           .name = "node",
                                           .collective = node->collective,
                                           .group = tp || dp ? group : node->group,
                                           .bytes = node->bytes};
    assert_int_equal(orrery_workload_add(workload, rank, &each), ORRERY_OK);
}

static struct orrery *loaded(const struct node *node, uint32_t nodes, const char *set)
{
    struct orrery_platform *platform = orrery_platform_new();
    struct orrery_workload *workload = orrery_workload_new();
    assert_int_equal(orrery_platform_parse(platform, platform_text), ORRERY_OK);
    if (orrery_workload_parse(workload, groups_text) != ORRERY_OK) {
        fail_msg("%s", orrery_workload_error(workload));
    }
    for (uint32_t i = 0; i < nodes * NPUS; i++) {
        add(workload, i % NPUS, i / NPUS + 1, &node[i / NPUS]);
    }
    struct orrery *job = orrery_new();
    const struct orrery_parts parts = {ORRERY_SIZED(orrery_parts), .platform = platform,
                                       .workload = workload, .set = &set,
                                       .set_count = set != NULL ? 1 : 0};
    if (orrery_load_parts(job, &parts) != ORRERY_OK) {
        fail_msg("%s", orrery_error(job));
    }
    orrery_platform_free(platform);
    orrery_workload_free(workload);
    return job;
}

static int64_t wall_of(struct orrery *job)
{
    if (orrery_run(job) != ORRERY_OK) {
        fail_msg("%s", orrery_error(job));
    }
    const int64_t wall_ps = orrery_wall_ps(job);
    orrery_free(job);
    return wall_ps;
}

static int64_t runs(const struct node *node, uint32_t nodes)
{
    return wall_of(loaded(node, nodes, NULL));
}

static void about(int64_t found_ps, int64_t expected_ps)
{
    if (found_ps < expected_ps - 64 || found_ps > expected_ps + 64) {
        fail_msg("%lld ps, expected %lld ps", (long long)found_ps, (long long)expected_ps);
    }
}

/* Flat rings over 16 GPUs of two nodes, by 8 x 22.5 GB/s; 30 steps, 2 of them between nodes. */
static const int64_t all_steps_ps = 6600000 + 28 * 3400000 + 2 * 14000000;
static int64_t all_bytes_ps(void)
{
    return orr_time_of_seconds((double)GIB * 1.875 / 180e9);
}

static void test_alone_it_takes_what_the_model_says(void **state)
{
    (void)state;
    const struct node all = {"all_reduce", NULL, GIB}, small = {"all_reduce", "dp", 64};
    assert_int_equal(runs(&all, 1), all_steps_ps + all_bytes_ps());
    /* Two GPUs of two nodes: a ring of LL, 2 steps of 2.7 us, 64 bytes by half of 17.5 GB/s. */
    about(runs(&small, 1), 6600000 + 2 * 2700000 + 64 * 1000 * 10 / 175 * 2);
}

/* What each needs of the ports between nodes adds up; steps go on side by side. */
static void test_at_once_they_share_ports(void **state)
{
    (void)state;
    const struct node both[] = {{"all_reduce", "one", GIB}, {"all_reduce", "two", GIB}};
    about(runs(both, 2), all_steps_ps + 2 * all_bytes_ps());
}

/* NVLinks for one, NICs for the other: neither waits. 1 GiB in nodes: 14 steps, 235 GB/s. */
static void test_other_ports_are_not_shared(void **state)
{
    (void)state;
    const struct node inner = {"all_reduce", "tp", GIB}, outer = {"all_gather", "dp", GIB / 16};
    const struct node both[] = {inner, outer};
    const int64_t inner_ps =
        6600000 + 14 * 3400000 + orr_time_of_seconds((double)GIB * 1.75 / 235e9);
    const int64_t outer_ps =
        6600000 + 14000000 + orr_time_of_seconds((double)GIB / 16 * 2 * 0.5 / 17.5e9);
    about(runs(&inner, 1), inner_ps);
    about(runs(&outer, 1), outer_ps);
    assert_true(outer_ps < inner_ps);
    about(runs(both, 2), inner_ps);
}

static void test_hosts_launch_what_is_generated(void **state)
{
    (void)state;
    const char *const sets[] = {"workload={generate: all_reduce, bytes: 1 GiB}"};
    struct orrery_platform *platform = orrery_platform_new();
    assert_int_equal(orrery_platform_parse(platform, platform_text), ORRERY_OK);
    struct orrery *job = orrery_new();
    const struct orrery_parts parts = {ORRERY_SIZED(orrery_parts), .platform = platform,
                                       .set = sets, .set_count = 1};
    assert_int_equal(orrery_load_parts(job, &parts), ORRERY_OK);
    orrery_platform_free(platform);
    assert_int_equal(wall_of(job), all_steps_ps + all_bytes_ps() + 8000000);
}

static void chooses(const struct node *node, const char *set, const char *algorithms,
                    const char *library)
{
    struct orrery *job = loaded(node, 1, set);
    struct orrery_choice choice;
    size_t rows;
    assert_int_equal(orrery_choices(job, &rows), ORRERY_OK);
    assert_int_equal(rows, 1);
    assert_int_equal(orrery_choice(job, 0, &choice), ORRERY_OK);
    assert_string_equal(choice.algorithms, algorithms);
    if (library == NULL) {
        assert_null(choice.library);
    } else {
        assert_string_equal(choice.library, library);
    }
    orrery_free(job);
}

static void test_names_of_what_runs(void **state)
{
    (void)state;
    const struct node all = {"all_reduce", NULL, GIB}, small = {"all_reduce", NULL, 1024};
    const struct node root = {"broadcast", NULL, GIB};
    chooses(&all, NULL, "nccl ring Simple", "nccl");
    chooses(&small, NULL, "nccl tree LL", "nccl");
    chooses(&root, NULL, "nccl chain Simple", "nccl");
    chooses(&all, "system.algorithms.all_reduce=ring", "ring", NULL);
    chooses(&root, "system.algorithms.all_reduce=ring", "nccl chain Simple", "nccl");
}

static void test_an_algorithm_that_is_named_runs_as_ever(void **state)
{
    (void)state;
    const struct node all = {"all_reduce", NULL, GIB};
    const int64_t named = wall_of(loaded(&all, 1, "system.algorithms.all_reduce=ring"));
    const int64_t without =
        wall_of(loaded(&all, 1, "system={algorithms: {all_reduce: ring}, library: {name: none}}"));
    assert_int_equal(named, without);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_alone_it_takes_what_the_model_says),
        cmocka_unit_test(test_at_once_they_share_ports),
        cmocka_unit_test(test_other_ports_are_not_shared),
        cmocka_unit_test(test_hosts_launch_what_is_generated),
        cmocka_unit_test(test_names_of_what_runs),
        cmocka_unit_test(test_an_algorithm_that_is_named_runs_as_ever),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
