/* Rounds that the network sends at once: the same as message by message, to the picosecond and in
 * every count, and with fewer events. */
#include "core/rng.h"
#include "network/flows/flows.h"
#include "network/graph.h"
#include "network/route_options.h"
#include "network/routing/router.h"
#include "system/sys_policy.h"
#include "tests/unit/whole_fixture.h"
#include "whole_fixture.h"

static struct whole_outcome run_both_ways(struct whole_job *job)
{
    job->one_by_one = true;
    const struct whole_outcome alone = mono_run(job);
    job->one_by_one = false;
    const struct whole_outcome at_once = mono_run(job);
    assert_int_equal(at_once.end_ps, alone.end_ps);
    assert_int_equal(at_once.hash, alone.hash);
    assert_int_equal(at_once.counted, alone.counted);
    assert_int_equal(at_once.bytes, alone.bytes);
    assert_true(at_once.messages == alone.messages);
    assert_memory_equal(at_once.done_ps, alone.done_ps, sizeof alone.done_ps);
    assert_memory_equal(&at_once.counts, &alone.counts, sizeof alone.counts);
    assert_true(at_once.events <= alone.events);
    return at_once;
}

/* 8 MB among 4, each linked to the next both ways: 6 rounds around each of two rings, 6 (1 ms + 1
 * us). A round is 5 events: its flows join, shares are worked out, ticks before and with their
 * ends, and the arrival; the messages of one alone would be 4 + 4 of them. One flow of it stands
 * for all: a share. */
static void test_rounds_around_rings_are_few_events_each(void **state)
{
    struct orr_arena *arena = orr_arena_create();
    struct net_graph network;
    (void)state;
    (void)whole_network(arena, "circulant:1", 4, &network);
    struct whole_job job = job_on(&network, "ring", 4, 8000000);
    const struct whole_outcome out = run_both_ways(&job);
    assert_int_equal(out.end_ps, INT64_C(6006) * ORR_PS_PER_US);
    assert_true(out.events <= 12 * 5 + 8);
    assert_true(out.shares <= 12);
    assert_true(out.messages == 48);
    orr_arena_destroy(arena);
}

/* The same, and half a millisecond later 0 and 1 send each other 0.5 MB, which share their links
 * with what is left of the first round there, 0.5 MB: both end at 1.5 ms, and are there 1 us later.
 * Five rounds more: 1.501 + 5 (1 + 0.001) = 6.506 ms. */
static void test_rounds_that_others_interrupt_go_on_flow_by_flow(void **state)
{
    struct orr_arena *arena = orr_arena_create();
    struct net_graph network;
    (void)state;
    (void)whole_network(arena, "circulant:1", 4, &network);
    struct whole_job job = job_on(&network, "ring", 4, 8000000);
    job.operation[job.operations++] = (struct whole_operation){
        .members = 2, .bytes = 500000, .start_ps = 500 * ORR_PS_PER_US, .choice = "ring_stream"};
    const struct whole_outcome out = run_both_ways(&job);
    assert_int_equal(out.done_ps[0], INT64_C(6506) * ORR_PS_PER_US);
    assert_int_equal(out.done_ps[1], INT64_C(1501) * ORR_PS_PER_US);
    assert_true(out.shares <= 3 * 8 + 10);
    orr_arena_destroy(arena);
}

/* Ends of an instant go by the paths that were used first. On a switch 0 -> 1 was used first, then
 * 4
 * -> 5, then 1 -> 2 and the others of the ring of 0 to 3. Its last round and the message of 4 and 5
 * end at once, 6 (1 ms + 2 us) = 6.010 ms + 2 us after 1 ms: 4 and 5 are done first. */
static void test_rounds_end_where_the_last_of_their_flows_would(void **state)
{
    static const uint32_t others[] = {4, 5};
    struct orr_arena *arena = orr_arena_create();
    struct net_graph network;
    (void)state;
    (void)whole_network(arena, "ideal-switch", 6, &network);
    struct whole_job job = job_on(&network, "ring_stream", 2, 1000);
    job.operations = 3;
    job.operation[1] = (struct whole_operation){
        .rank = others, .members = 2, .bytes = 6010000, .start_ps = 1000 * ORR_PS_PER_US};
    job.operation[2] = (struct whole_operation){
        .members = 4, .bytes = 4000000, .start_ps = 1000 * ORR_PS_PER_US, .choice = "ring"};
    const struct whole_outcome out = run_both_ways(&job);
    assert_int_equal(out.done_ps[1], INT64_C(7012) * ORR_PS_PER_US);
    assert_int_equal(out.done_ps[2], INT64_C(7012) * ORR_PS_PER_US);
    orr_arena_destroy(arena);
}

/* Servers of 4 at the leaves of a fat-tree are one switch apart or three, so that latencies differ,
 * and of the ways between pods a key picks one: those rounds go message by message. */
static void test_rounds_over_ways_of_several_lengths_are_equal(void **state)
{
    struct orr_arena *arena = orr_arena_create();
    struct net_graph network;
    (void)state;
    static const struct net_routing *const routings[] = {&orr_routing_shortest, &orr_routing_ecmp,
                                                         &orr_routing_k_shortest};
    for (size_t i = 0; i < sizeof routings / sizeof *routings; i++) {
        (void)whole_network(arena, "fat-tree", 16, &network);
        struct whole_job job = job_on(&network, "ring", 16, 16000000);
        job.routing = routings[i];
        (void)run_both_ways(&job);
        job.flows = orr_net_flow_packets(true);
        (void)run_both_ways(&job);
    }
    orr_arena_destroy(arena);
}

/* ---- random jobs ---- */

static const char *const fabrics[] = {"circulant:1",  "circulant:1,5", "torus:4x4", "fat-tree",
                                      "ideal-switch", "hypercube",     "full-mesh"};
static const char *const choices[] = {"ring",
                                      "ring_stream",
                                      "bidirectional_ring_stream",
                                      "hierarchical:2",
                                      "hierarchical:4,inside=sharded_parameter_server",
                                      "hierarchical:2,across=ring_stream",
                                      "pipelined_ring",
                                      "hierarchical:4,inner=2GB/s"};
enum {
    NPUS = 16,
    FABRICS = sizeof fabrics / sizeof *fabrics,
    CHOICES = sizeof choices / sizeof *choices
};

static void take_members(struct orr_rng *rng, uint32_t *rank, struct whole_operation *operation)
{
    for (uint32_t i = 0; i < NPUS; i++) {
        const uint32_t at = (uint32_t)orr_rng_below(rng, i + 1);
        rank[i] = rank[at];
        rank[at] = i;
    }
    operation->rank = orr_rng_below(rng, 2) != 0 ? rank : NULL;
    operation->members = 2 + (uint32_t)orr_rng_below(rng, NPUS - 1);
    operation->bytes = orr_rng_below(rng, 3) != 0 ? orr_rng_below(rng, 40000000) : 4096;
    operation->choice = choices[orr_rng_below(rng, 3) == 0 ? orr_rng_below(rng, CHOICES) : 0];
    operation->start_ps = (sim_time)orr_rng_below(rng, 4) * (1000 * ORR_PS_PER_US);
    operation->late_ps = (sim_time)orr_rng_below(rng, 2) * ORR_PS_PER_US;
}

static void run_random(uint64_t seed)
{
    struct orr_arena *arena = orr_arena_create();
    struct net_graph network;
    struct orr_rng rng;
    uint32_t rank[WHOLE_OPERATIONS][NPUS];
    struct whole_job job = {.network = &network, .policy = &orr_sys_policy_task_graph};
    orr_rng_init(&rng, seed, 0);
    job.routing = whole_network(arena, fabrics[orr_rng_below(&rng, FABRICS)], NPUS, &network);
    job.rings_routed = orr_rng_below(&rng, 3) == 0;
    if (orr_rng_below(&rng, 2) != 0) {
        job.flows = orr_net_flow_packets(orr_rng_below(&rng, 2) != 0);
    }
    job.operations = 1 + (uint32_t)orr_rng_below(&rng, 8);
    for (uint32_t i = 0; i < job.operations; i++) {
        take_members(&rng, rank[i], &job.operation[i]);
    }
    (void)run_both_ways(&job);
    orr_arena_destroy(arena);
}

static void test_rounds_of_random_jobs_are_equal(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 200; seed++) {
        run_random(seed);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rounds_around_rings_are_few_events_each),
        cmocka_unit_test(test_rounds_that_others_interrupt_go_on_flow_by_flow),
        cmocka_unit_test(test_rounds_end_where_the_last_of_their_flows_would),
        cmocka_unit_test(test_rounds_over_ways_of_several_lengths_are_equal),
        cmocka_unit_test(test_rounds_of_random_jobs_are_equal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
