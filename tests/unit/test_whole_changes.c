/* Rounds of all-reduces while their links change, die or are joined by others: what happens in the
 * middle of a round counts from there on. Links of 1 GB/s and 1 us, flows without packets. */
#include "core/rng.h"
#include "network/flows/flows.h"
#include "network/graph.h"
#include "network/route_options.h"
#include "network/routing/router.h"
#include "tests/unit/whole_fixture.h"
#include "whole_fixture.h"

enum { NPUS = 16, MAX_CHANGES = 8 };

/* Message by message and in rounds that are sent at once. */
static struct whole_outcome run_both_ways(struct whole_job *job)
{
    job->one_by_one = true;
    const struct whole_outcome alone = mono_run(job);
    job->one_by_one = false;
    const struct whole_outcome at_once = mono_run(job);
    assert_int_equal(at_once.end_ps, alone.end_ps);
    assert_int_equal(at_once.hash, alone.hash);
    assert_int_equal(at_once.counted, alone.counted);
    return at_once;
}

/* 8 MB among 4 around two rings: 6 rounds of 1 ms and 1 us, of which the third is from 2.002 ms to
 * 3.002 at its senders. 0-1 changes in the middle of it. */
static sim_time end_with(const struct net_change *change, uint32_t changes)
{
    struct orr_arena *arena = orr_arena_create();
    struct net_graph network;
    struct net_change on_link[2];
    (void)whole_network(arena, "circulant:1", 4, &network);
    for (uint32_t i = 0; i < changes; i++) {
        on_link[i] = change[i];
        on_link[i].link = orr_net_graph_find(&network, 0, 1);
    }
    network.change = on_link;
    network.changes = changes;
    struct whole_job job = job_on(&network, "ring", 4, 8000000);
    const sim_time end_ps = run_both_ways(&job).end_ps;
    orr_arena_destroy(arena);
    return end_ps;
}

/* Nothing goes over it for 0.2 ms, and all wait for that round: 6.006 ms + 0.2. */
static void test_a_link_that_is_down_in_a_round_holds_all_up(void **state)
{
    (void)state;
    const struct net_change down[2] = {
        {.time_ps = 2502 * ORR_PS_PER_US, .working = 0},
        {.time_ps = 2702 * ORR_PS_PER_US, .working = 1, .bytes_per_s = 1e9}};
    assert_int_equal(end_with(down, 0), INT64_C(6006) * ORR_PS_PER_US);
    assert_int_equal(end_with(down, 2), INT64_C(6206) * ORR_PS_PER_US);
}

/* The half of a megabyte that is left takes 1 ms, and each further round 2: 2.002 + 1.501 + 3 x
 * 2.001. */
static void test_a_link_that_is_halved_in_a_round(void **state)
{
    (void)state;
    const struct net_change halved = {
        .time_ps = 2502 * ORR_PS_PER_US, .working = 1, .bytes_per_s = 0.5e9};
    assert_int_equal(end_with(&halved, 1), INT64_C(9506) * ORR_PS_PER_US);
}

/* 2 MB among 0 and 2, and half a ms later among 1 and 3, by way of the lower neighbours, so that
 * 0-1 and 1-0 are shared: a round sends 1 MB each way. The first group has sent half of that alone,
 * the rest takes 1 ms. The other group then has 2 us of these links alone, while the first one's
 * bytes come in, and sends the other 498 KB in 996 us. Alone again for 2 us, the first group has
 * sent 500 KB of its second round at 2.500 ms, when the other's begins: the first ends at 3.5 +
 * 0.002, the other, which has 500 KB left then, at 4.002. */
static void test_a_round_is_joined_in_its_middle(void **state)
{
    (void)state;
    struct orr_arena *arena = orr_arena_create();
    struct net_graph network;
    const uint32_t even[2] = {0, 2}, odd[2] = {1, 3};
    (void)whole_network(arena, "circulant:1", 4, &network);
    struct whole_job job = job_on(&network, "ring", 2, 2000000);
    job.operation[0].rank = even;
    job.operation[1] = job.operation[0];
    job.operation[1].rank = odd;
    job.operation[1].start_ps = 500 * ORR_PS_PER_US;
    job.operations = 2;
    const struct whole_outcome out = run_both_ways(&job);
    assert_int_equal(out.done_ps[0], INT64_C(3502) * ORR_PS_PER_US);
    assert_int_equal(out.done_ps[1], INT64_C(4002) * ORR_PS_PER_US);
    orr_arena_destroy(arena);
}

/* An all-reduce of no bytes is a round of messages without any: a latency. */
static void test_a_round_without_bytes_takes_its_latency(void **state)
{
    (void)state;
    struct orr_arena *arena = orr_arena_create();
    struct net_graph network;
    (void)whole_network(arena, "circulant:1", 4, &network);
    struct whole_job job = job_on(&network, "ring", 4, 0);
    assert_int_equal(run_both_ways(&job).end_ps, ORR_PS_PER_US);
    orr_arena_destroy(arena);
}

/* On a fat-tree each message has a way by its label and the seed: rounds follow it, whatever it
 * does to their time. */
static void test_a_seed_moves_the_ways_of_rounds(void **state)
{
    (void)state;
    struct orr_arena *arena = orr_arena_create();
    struct net_graph network;
    sim_time min = INT64_MAX, max = 0;
    (void)whole_network(arena, "fat-tree", NPUS, &network);
    struct whole_job job = job_on(&network, "ring", NPUS, 16000000);
    const uint32_t apart[NPUS] = {0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15};
    job.routing = &orr_routing_ecmp;
    job.operation[0].rank = apart;
    for (job.seed = 1; job.seed <= 12; job.seed++) {
        const sim_time end_ps = run_both_ways(&job).end_ps;
        min = end_ps < min ? end_ps : min;
        max = end_ps > max ? end_ps : max;
    }
    assert_true(min < max);
    orr_arena_destroy(arena);
}

/* ---- random ones ---- */

/* Links of other capacities from a time on, or dead and back after a while; by time. */
static uint32_t take_changes(struct orr_rng *rng, const struct net_graph *network,
                             struct net_change *change)
{
    uint32_t changes = 0;
    sim_time now = 0;
    for (uint64_t n = 1 + orr_rng_below(rng, MAX_CHANGES / 2); n > 0; n--) {
        const uint32_t link = (uint32_t)orr_rng_below(rng, network->links);
        const double speed = 1e8 * (double)(1 + orr_rng_below(rng, 20));
        now += (sim_time)orr_rng_below(rng, 20) * 250 * ORR_PS_PER_US;
        if (orr_rng_below(rng, 2) != 0) {
            change[changes++] = (struct net_change){.time_ps = now, .link = link};
            now += (sim_time)orr_rng_below(rng, 1000 * ORR_PS_PER_US);
        }
        change[changes++] =
            (struct net_change){.time_ps = now, .link = link, .working = 1, .bytes_per_s = speed};
    }
    return changes;
}

static void run_random(uint64_t seed)
{
    static const char *const fabrics[] = {"circulant:1,5", "torus:4x4", "fat-tree", "ideal-switch"};
    static const char *const choices[] = {"ring", "hierarchical:4", "ring_stream", "direct"};
    struct orr_arena *arena = orr_arena_create();
    struct net_graph network;
    struct net_change change[2 * MAX_CHANGES];
    struct orr_rng rng;
    orr_rng_init(&rng, seed, 0);
    const char *fabric = fabrics[orr_rng_below(&rng, 4)];
    const struct net_routing *const routing = whole_network(arena, fabric, NPUS, &network);
    network.change = change;
    network.changes = take_changes(&rng, &network, change);
    network.reroutes = orr_rng_below(&rng, 2) != 0;
    struct whole_job job = job_on(&network, choices[orr_rng_below(&rng, 4)], NPUS, 16000000);
    job.routing = routing;
    job.seed = seed;
    if (orr_rng_below(&rng, 3) == 0) {
        job.flows = orr_net_flow_packets(orr_rng_below(&rng, 2) != 0);
    }
    job.operations = 1 + (uint32_t)orr_rng_below(&rng, 3);
    for (uint32_t i = 1; i < job.operations; i++) {
        job.operation[i] = job.operation[0];
        job.operation[i].start_ps = (sim_time)orr_rng_below(&rng, 5000) * ORR_PS_PER_US;
        job.operation[i].members = 2 + (uint32_t)orr_rng_below(&rng, NPUS - 1);
    }
    (void)run_both_ways(&job);
    orr_arena_destroy(arena);
}

static void test_random_changes_in_rounds_are_equal(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        run_random(seed);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_link_that_is_down_in_a_round_holds_all_up),
        cmocka_unit_test(test_a_link_that_is_halved_in_a_round),
        cmocka_unit_test(test_a_round_is_joined_in_its_middle),
        cmocka_unit_test(test_a_round_without_bytes_takes_its_latency),
        cmocka_unit_test(test_a_seed_moves_the_ways_of_rounds),
        cmocka_unit_test(test_random_changes_in_rounds_are_equal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
