/* Groups that fill a part of a ring: what `auto` picks for them, and the chain, which uses a line
 * both ways. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "orrery/orrery.h"
#include "orrery/parts.h"

enum { TEXT = 8192 };

/* All-reduces of `bytes` at the same time by groups of `size` consecutive NPUs each. */
struct all_reduces {
    const char *network, *system;
    uint32_t npus, size, groups;
    uint64_t bytes;
};

static void add_groups(struct orrery_workload *workload, const struct all_reduces *job)
{
    char text[TEXT] = "workload={groups: {";
    for (uint32_t r = 0; r < job->groups * job->size; r++) {
        char item[32];
        const uint32_t at = r % job->size;
        (void)snprintf(item, sizeof item, "%s%u%s", at == 0 ? "" : ", ", r,
                       at + 1 == job->size ? "], " : "");
        if (at == 0) {
            (void)snprintf(text + strlen(text), TEXT - strlen(text), "g%u: [", r / job->size);
        }
        (void)snprintf(text + strlen(text), TEXT - strlen(text), "%s", item);
    }
    text[strlen(text) - 2] = '\0'; /* the last comma */
    (void)snprintf(text + strlen(text), TEXT - strlen(text), "}}");
    assert_int_equal(orrery_workload_set(workload, text), ORRERY_OK);
}

static void add_node(struct orrery_workload *workload, const struct all_reduces *job, uint32_t rank)
{
    char name[16];
    struct orrery_trace_node node = {ORRERY_SIZED(orrery_trace_node), .id = 1, .name = "c",
                                     .kind = ORRERY_NODE_COMPUTE, .duration_ps = 1};
    (void)snprintf(name, sizeof name, "g%u", rank / job->size);
    if (rank < job->groups * job->size) {
        node.kind = ORRERY_NODE_COLLECTIVE;
        node.collective = "all_reduce";
        node.group = name;
        node.bytes = job->bytes;
    }
    assert_int_equal(orrery_workload_add(workload, rank, &node), ORRERY_OK);
}

static int64_t time_of(const struct all_reduces *job)
{
    struct orrery_platform *platform = orrery_platform_new();
    struct orrery_workload *workload = orrery_workload_new();
    struct orrery *one = orrery_new();
    assert_true(platform != NULL && workload != NULL && one != NULL);
    assert_int_equal(orrery_platform_set(platform, job->network), ORRERY_OK);
    assert_int_equal(orrery_platform_set(platform, job->system), ORRERY_OK);
    add_groups(workload, job);
    for (uint32_t r = 0; r < job->npus; r++) {
        add_node(workload, job, r);
    }
    const struct orrery_parts parts = {ORRERY_SIZED(orrery_parts), .platform = platform,
                                       .workload = workload};
    if (orrery_load_parts(one, &parts) != ORRERY_OK || orrery_run(one) != ORRERY_OK) {
        fail_msg("%s", orrery_error(one));
    }
    const int64_t time = orrery_wall_ps(one);
    orrery_free(one);
    orrery_platform_free(platform);
    orrery_workload_free(workload);
    return time;
}

/* By block and by the baseline 215.9 us; as if the half ring were closed 329.8. */
static void test_auto_two_halves_of_the_last_ring_are_judged_on_their_links(void **state)
{
    (void)state;
    const struct all_reduces job = {
        .network = "network={topology: Ring(4)_FC(8)_Ring(8), bandwidth: 1000_200_100 GiB/s, "
                   "bandwidth_is: npu}",
        .system = "system={chunks: 64}",
        .npus = 256,
        .size = 128,
        .groups = 2,
        .bytes = 104857600};
    assert_in_range(time_of(&job), 200000000, 219000000);
}

/* 64 chunks of 1 MiB, 10.48576 us each: the first takes 7 steps each way, the others follow:
 * 64 + 13 of them. */
static void test_chain_on_half_of_a_ring_takes_the_buffer_and_the_filling(void **state)
{
    (void)state;
    struct all_reduces job = {.network = "network={topology: Ring(16), bandwidth: 100 GB/s}",
                              .system = "system={chunks: 64, algorithms: {all_reduce: chain}}",
                              .npus = 16,
                              .size = 8,
                              .groups = 1,
                              .bytes = 64 << 20};
    assert_int_equal(time_of(&job), INT64_C(77) * 10485760);
    job.network = "network={topology: Ring(16), bandwidth: 100 GB/s, backend: congestion}";
    assert_int_equal(time_of(&job), INT64_C(77) * 10485760);
    /* As flows a chunk behind has 1/257 of the link. */
    job.network = "network={topology: Ring(16), bandwidth: 100 GB/s, backend: flow}";
    assert_in_range(time_of(&job), INT64_C(77) * 10485760, INT64_C(78) * 10485760);
    job.network = "network={topology: Ring(16), bandwidth: 100 GB/s}";
    job.system = "system={chunks: 64}"; /* auto */
    assert_in_range(time_of(&job), 1, INT64_C(77) * 10485760);
    job.system = "system={chunks: 64, algorithms: {all_reduce: ring}}";
    assert_in_range(time_of(&job), INT64_C(112) * 10485760, INT64_C(115) * 10485760);
}

/* A mesh of 8 is a line: the same as half of a ring of 16; ports of an NPU in both directions take
 * turns in the middle. Of two there is one link. Halves of a mesh share no link. */
static void test_chain_on_a_mesh(void **state)
{
    (void)state;
    struct all_reduces job = {.network = "network={topology: Mesh(8), bandwidth: 100 GB/s}",
                              .system = "system={chunks: 64}",
                              .npus = 8,
                              .size = 8,
                              .groups = 1,
                              .bytes = 64 << 20};
    assert_in_range(time_of(&job), 1, INT64_C(77) * 10485760);
    job.network = "network={topology: Mesh(8), bandwidth: 100 GB/s, backend: congestion}";
    assert_in_range(time_of(&job), 1, INT64_C(77) * 10485760);
    job.system = "system={chunks: 64, algorithms: {all_reduce: ring}}";
    assert_in_range(time_of(&job), INT64_C(112) * 10485760, INT64_C(116) * 10485760);
    job.system = "system={chunks: 64, algorithms: {all_reduce: chain}}";
    job.network = "network={topology: Mesh(16), bandwidth: 100 GB/s}";
    job.npus = 16;
    job.groups = 2;
    assert_int_equal(time_of(&job), INT64_C(77) * 10485760);
}

/* On every backend 7 steps one way and 7 the other, with their latencies. */
static void test_steps_on_a_mesh_are_the_same_on_all_backends(void **state)
{
    (void)state;
    static const char *const backends[] = {"analytical", "congestion", "flow"};
    for (unsigned b = 0; b < 3; b++) {
        char network[256];
        (void)snprintf(network, sizeof network,
                       "network={topology: Mesh(8), bandwidth: 100 GB/s, latency: 1 us, "
                       "backend: %s}",
                       backends[b]);
        const struct all_reduces job = {.network = network,
                                        .system =
                                            "system={chunks: 1, algorithms: {all_reduce: chain}}",
                                        .npus = 8,
                                        .size = 8,
                                        .groups = 1,
                                        .bytes = 1000000};
        /* 7 steps down and 7 up of 10 us and 1 us */
        assert_int_equal(time_of(&job), INT64_C(14) * 11000000);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_auto_two_halves_of_the_last_ring_are_judged_on_their_links),
        cmocka_unit_test(test_chain_on_half_of_a_ring_takes_the_buffer_and_the_filling),
        cmocka_unit_test(test_chain_on_a_mesh),
        cmocka_unit_test(test_steps_on_a_mesh_are_the_same_on_all_backends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
