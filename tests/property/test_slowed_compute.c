/* Computations that take longer while their NPU forwards what is for others, or while a collective
 * of its own runs, by hand. An NPU computes for 100 us; NPU 2 is between two hops of a channel. */
#include "network/channel.h"
#include "network/graph.h"
#include "network/graph_build.h"
#include "tests/property/property_support.h"

#define US (1000 * ORR_PS_PER_NS)

static struct net_graph graph;
static const struct net_hop *hops;
static struct net_channel channel;

/* 0 - 2 - 1, with a channel from 0 over 2 to 1. */
static void open_job(struct prop_job *job)
{
    struct net_graph_builder builder;
    struct net_hop *hop;
    prop_open(job, 1);
    orr_net_graph_begin(&builder, job->arena, 3, 0);
    for (uint32_t end = 0; end < 2; end++) {
        const struct net_link link = {
            .from = end, .to = 2, .count = 2, .bytes_per_s = 1e9, .latency_ps = 0};
        orr_net_graph_both(&builder, &link);
    }
    assert_int_equal(orr_net_graph_end(&builder, &graph, NULL), ORR_OK);
    hop = prop_array(job, 2, sizeof *hop);
    hop[0].link = orr_net_graph_find(&graph, 0, 2);
    hop[1].link = orr_net_graph_find(&graph, 2, 1);
    hops = hop;
    channel = (struct net_channel){.from = 0, .to = 1, .hops = 2, .hop = hops};
    job->dim[0] = (struct net_dim){.block = NET_RING, .npus = 3, .bandwidth_bytes_per_s = 1e9};
    prop_set_dims(job, 1);
    job->net.backend = "flow";
    job->net.graph = &graph;
    job->net.ports = 2;
    job->net.channel = &channel;
    job->net.channels = 1;
    job->forwarding_slowdown = 1.5;
    prop_start_programs(job);
}

static void compute(struct prop_job *job, sim_time time)
{
    prop_add_to_all(job, (struct prop_node){.kind = ORR_NODE_COMP,
                                            .group = PROP_NO_GROUP,
                                            .amount = (uint64_t)time});
}

static void forwards(struct prop_job *job, const struct prop_forward *forward, unsigned count)
{
    job->forward = forward;
    job->forwards = count;
}

/* What each NPU took; the parts of the critical path that is NPU 2's are its computation. */
static void expect(struct prop_job *job, sim_time others, sim_time slowed)
{
    struct prop_result result;
    prop_run(job, &(struct prop_options){.causes = true}, &result);
    assert_int_equal(result.status, ORR_OK);
    assert_int_equal(result.times[0].compute_ps, others);
    assert_int_equal(result.times[1].compute_ps, others);
    assert_int_equal(result.times[2].compute_ps, slowed);
    assert_int_equal(result.times[2].finish_ps, slowed);
    assert_int_equal(result.wall_ps, slowed);
    assert_int_equal(result.path_ps[ORR_PART_COMPUTE], slowed);
}

/* 30 us at two thirds of the speed cost 10 us, however many messages make them up. */
static void test_forwarding_slows_while_messages_are_there(void **state)
{
    (void)state;
    const struct prop_forward one[] = {{10 * US, 2, 1}, {40 * US, 2, -1}};
    const struct prop_forward two[] = {
        {10 * US, 2, 1}, {20 * US, 2, 1}, {30 * US, 2, -1}, {40 * US, 2, -1}};
    const struct prop_forward row[] = {
        {10 * US, 2, 1}, {25 * US, 2, -1}, {25 * US, 2, 1}, {40 * US, 2, -1}};
    const struct prop_forward apart[] = {
        {0, 2, 1}, {15 * US, 2, -1}, {90 * US, 2, 1}, {110 * US, 2, -1}};
    struct prop_job job;
    open_job(&job);
    compute(&job, 100 * US);
    forwards(&job, one, 2);
    expect(&job, 100 * US, 110 * US);
    forwards(&job, two, 4);
    expect(&job, 100 * US, 110 * US);
    forwards(&job, row, 4);
    expect(&job, 100 * US, 110 * US);
    /* At 15 us 10 are done, at 90 us 85, at 110 us 98.333; the rest goes at full speed. */
    forwards(&job, apart, 4);
    expect(&job, 100 * US, 111666667);
    prop_close(&job);
}

/* Over two nodes it is the same, and 1.3 rounds up at the end: 100 + 30 x 0.3 / 1.3. */
static void test_what_is_left_is_rounded_at_the_end(void **state)
{
    (void)state;
    const struct prop_forward one[] = {{10 * US, 2, 1}, {40 * US, 2, -1}};
    struct prop_job job;
    open_job(&job);
    job.forwarding_slowdown = 1.3;
    compute(&job, 100 * US);
    forwards(&job, one, 2);
    expect(&job, 100 * US, 106923077);
    prop_close(&job);
    open_job(&job);
    compute(&job, 20 * US);
    compute(&job, 80 * US);
    forwards(&job, one, 2);
    expect(&job, 100 * US, 110 * US);
    prop_close(&job);
}

/* NPUs that no channel leads over are not slowed, whoever says that they forward. */
static void test_only_those_between_two_hops_are_slowed(void **state)
{
    (void)state;
    const struct prop_forward other[] = {{10 * US, 1, 1}, {40 * US, 1, -1}};
    struct prop_job job;
    open_job(&job);
    compute(&job, 100 * US);
    forwards(&job, other, 2);
    expect(&job, 100 * US, 100 * US);
    prop_close(&job);
}

/* ---- beside collectives ---- */

static void all_reduce(struct prop_job *job, uint64_t bytes)
{
    prop_add_to_all(job, (struct prop_node){.kind = ORR_NODE_COLL,
                                            .comm = ORR_COMM_ALL_REDUCE,
                                            .group = PROP_NO_GROUP,
                                            .amount = bytes});
}

static sim_time alone(struct prop_job *job)
{
    struct prop_result result;
    prop_run(job, &(struct prop_options){0}, &result);
    assert_int_equal(result.status, ORR_OK);
    return result.wall_ps;
}

/* From the first message of others on until its own all-reduce is over, at T: (T - 10 us) / 3; or
 * for 3 us of a message only. */
static void test_forwarding_may_last_until_the_collective_ends(void **state)
{
    (void)state;
    const struct prop_forward one[] = {{10 * US, 2, 1}, {13 * US, 2, -1}};
    struct prop_job job;
    open_job(&job);
    all_reduce(&job, 30000);
    const sim_time over = alone(&job);
    assert_true(over > 20 * US && over < 90 * US);
    compute(&job, 100 * US);
    forwards(&job, one, 2);
    expect(&job, 100 * US, 101 * US);
    job.forwarding_lasts = true;
    expect(&job, 100 * US, 100 * US + (over - 10 * US + 2) / 3);
    prop_close(&job);
}

/* All-reduce of 12 KB by a ring of 4 with 1 GB/s: 6 x 3 us. Twice as long for 18 us costs 9 us, on
 * all, folded or not. */
static void test_own_collectives_slow(void **state)
{
    (void)state;
    for (int fold = 0; fold < 2; fold++) {
        struct prop_job job;
        struct prop_result result;
        prop_open(&job, 1);
        job.dim[0] = (struct net_dim){
            .block = NET_RING, .npus = 4, .bandwidth_bytes_per_s = 1e9, .per_npu = true};
        prop_set_dims(&job, 1);
        job.communication_slowdown = 2;
        prop_start_programs(&job);
        all_reduce(&job, 12000);
        assert_int_equal(alone(&job), 18 * US);
        compute(&job, 100 * US);
        prop_run(&job, &(struct prop_options){.fold = fold != 0}, &result);
        assert_int_equal(result.wall_ps, 109 * US);
        assert_int_equal(result.times[3].compute_ps, 109 * US);
        assert_int_equal(result.classes, fold != 0 ? 1 : 4);
        prop_close(&job);
    }
}

/* The same all-reduce holds 21 of 132 SMs: 18 us of computing make 18 x 111 / 132 us of progress,
 * the rest goes with all SMs. Of 10 ms beside 6 ms: 10.95 (arXiv 2507.03114: 18.9 % slower beside).
 */
static void test_held_sms_slow(void **state)
{
    (void)state;
    struct prop_job job;
    struct prop_result result;
    prop_open(&job, 1);
    job.dim[0] = (struct net_dim){
        .block = NET_RING, .npus = 4, .bandwidth_bytes_per_s = 1e9, .per_npu = true};
    prop_set_dims(&job, 1);
    job.sms = 132;
    job.collective_sms = 21;
    prop_start_programs(&job);
    all_reduce(&job, 12000);
    assert_int_equal(alone(&job), 18 * US);
    compute(&job, 100 * US);
    prop_run(&job, &(struct prop_options){0}, &result);
    assert_int_equal(result.wall_ps, 102863637); /* 100 + 18 (1 - 111 / 132) us, rounded up */
    job.collective_sms = 0;
    assert_int_equal(alone(&job), 100 * US);
    prop_close(&job);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_forwarding_slows_while_messages_are_there),
        cmocka_unit_test(test_what_is_left_is_rounded_at_the_end),
        cmocka_unit_test(test_only_those_between_two_hops_are_slowed),
        cmocka_unit_test(test_forwarding_may_last_until_the_collective_ends),
        cmocka_unit_test(test_own_collectives_slow),
        cmocka_unit_test(test_held_sms_slow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
