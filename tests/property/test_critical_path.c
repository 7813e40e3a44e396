/* The critical path of small jobs, worked out by hand: its parts and its steps. Bandwidth is 1 GB/s
 * everywhere, so that 1000 bytes take 1 us, and a hop takes 500 ns. */
#include <string.h>

#include "tests/property/property_support.h"

#define US INT64_C(1000000)

enum { MAX_STEPS = 8 };

struct expected {
    sim_time part[ORR_PART_BANDWIDTH(PROP_DIMS)];
    struct orr_mark step[MAX_STEPS]; /* of which `previous` is not looked at */
    unsigned steps;
};

static void open_job(struct prop_job *job, enum net_block block, uint32_t npus, const char *backend)
{
    prop_open(job, 1);
    job->dim[0] = (struct net_dim){
        .block = block, .npus = npus, .bandwidth_bytes_per_s = 1e9, .latency_ps = US / 2};
    prop_set_dims(job, 1);
    job->net.backend = backend;
    job->local = (struct mem_local){.bandwidth_bytes_per_s = 1e9, .latency_ps = US / 10};
    prop_start_programs(job);
}

static uint32_t compute(struct prop_job *job, uint32_t rank, sim_time duration)
{
    return prop_add(job, rank,
                    (struct prop_node){.kind = ORR_NODE_COMP,
                                       .amount = (uint64_t)duration,
                                       .group = PROP_NO_GROUP});
}

static void check(struct prop_job *job, const struct expected *expected)
{
    struct prop_result result;
    prop_run(job, &(struct prop_options){.causes = true}, &result);
    assert_int_equal(result.status, ORR_OK);
    assert_true(result.has_path);
    sim_time sum = 0;
    for (unsigned p = 0; p < ORR_PART_BANDWIDTH(job->net.dims); p++) {
        if (result.path_ps[p] != expected->part[p]) {
            fail_msg("part %u: %lld ps, expected %lld", p, (long long)result.path_ps[p],
                     (long long)expected->part[p]);
        }
        sum += expected->part[p];
    }
    assert_int_equal(result.wall_ps, sum);
    assert_int_equal(result.path_steps, expected->steps);
    for (unsigned s = 0; s < expected->steps; s++) {
        assert_int_equal(result.path_step[s].entity, expected->step[s].entity);
        assert_int_equal(result.path_step[s].item, expected->step[s].item);
        assert_int_equal(result.path_step[s].time, expected->step[s].time);
    }
    prop_close(job);
}

/* Compute, a message, compute: the receive was there first and is not on the path. */
static void check_message(const char *backend)
{
    struct prop_job job;
    open_job(&job, NET_RING, 2, backend);
    const uint32_t before = compute(&job, 0, 5 * US);
    (void)prop_add(&job, 0,
                   (struct prop_node){.kind = ORR_NODE_SEND,
                                      .peer = 1,
                                      .amount = 1000,
                                      .group = PROP_NO_GROUP,
                                      .deps = 1,
                                      .dep = {before}});
    const uint32_t receive =
        prop_add(&job, 1,
                 (struct prop_node){
                     .kind = ORR_NODE_RECV, .peer = 0, .amount = 1000, .group = PROP_NO_GROUP});
    (void)prop_add(&job, 1,
                   (struct prop_node){.kind = ORR_NODE_COMP,
                                      .amount = 3 * US,
                                      .group = PROP_NO_GROUP,
                                      .deps = 1,
                                      .dep = {receive}});
    struct expected expected = {.steps = 3,
                                .step = {{.entity = 0, .item = 0, .time = 0},
                                         {.entity = 0, .item = 1, .time = 5 * US},
                                         {.entity = 1, .item = 1, .time = 5 * US + US + US / 2}}};
    expected.part[ORR_PART_COMPUTE] = 8 * US;
    expected.part[ORR_PART_BANDWIDTH(0)] = US;
    expected.part[ORR_PART_LATENCY(0)] = US / 2;
    check(&job, &expected);
}

static void test_path_through_a_message_follows_the_sender(void **state)
{
    (void)state;
    check_message("analytical");
    check_message("congestion");
}

/* Ranks 0 to 2 are ready after 1 us, rank 3 after 3 us. The ring's block of rank 3 passes six hops
 * of 1 us + 500 ns each, to rank 1, and that is the last: 3 + 9 = 12 us. The member in the middle
 * is the second to start, rank 1. */
static void test_path_of_a_straggler_is_the_wait_of_the_member_in_the_middle(void **state)
{
    (void)state;
    struct prop_job job;
    open_job(&job, NET_RING, 4, "analytical");
    for (uint32_t rank = 0; rank < 4; rank++) {
        const uint32_t before = compute(&job, rank, rank == 3 ? 3 * US : US);
        (void)prop_add(&job, rank,
                       (struct prop_node){.kind = ORR_NODE_COLL,
                                          .comm = ORR_COMM_ALL_REDUCE,
                                          .amount = 4000,
                                          .group = PROP_NO_GROUP,
                                          .mask = 1,
                                          .deps = 1,
                                          .dep = {before}});
    }
    struct expected expected = {.steps = 3,
                                .step = {{.entity = 1, .item = 0, .time = 0},
                                         {.entity = 1, .item = 1, .time = US},
                                         {.entity = 3, .item = 1, .time = 3 * US}}};
    expected.part[ORR_PART_COMPUTE] = US;
    expected.part[ORR_PART_STRAGGLER] = 2 * US;
    expected.part[ORR_PART_BANDWIDTH(0)] = 6 * US;
    expected.part[ORR_PART_LATENCY(0)] = 3 * US;
    check(&job, &expected);
}

/* Two messages share the port of a switch: 3 us and 1 us, then two hops. One waits for the other,
 * that to NPU 2 (of two sends of one instant the one to the nearest NPU backwards is first); its
 * node is what the path begins with. */
static void test_path_of_a_busy_port_is_bandwidth(void **state)
{
    (void)state;
    struct prop_job job;
    open_job(&job, NET_SWITCH, 3, "analytical");
    for (uint32_t peer = 1; peer < 3; peer++) {
        const uint64_t bytes = peer == 1 ? 3000 : 1000;
        (void)prop_add(
            &job, 0,
            (struct prop_node){
                .kind = ORR_NODE_SEND, .peer = peer, .amount = bytes, .group = PROP_NO_GROUP});
        (void)prop_add(
            &job, peer,
            (struct prop_node){
                .kind = ORR_NODE_RECV, .peer = 0, .amount = bytes, .group = PROP_NO_GROUP});
    }
    struct expected expected = {.steps = 1, .step = {{.entity = 0, .item = 1, .time = 0}}};
    expected.part[ORR_PART_BANDWIDTH(0)] = 4 * US;
    expected.part[ORR_PART_LATENCY(0)] = US;
    check(&job, &expected);
}

/* From one NPU to another after it has computed. */
static void send_after(struct prop_job *job, uint32_t from, uint32_t to, sim_time duration,
                       uint64_t bytes)
{
    const uint32_t before = compute(job, from, duration);
    (void)prop_add(job, from,
                   (struct prop_node){.kind = ORR_NODE_SEND,
                                      .peer = to,
                                      .amount = bytes,
                                      .group = PROP_NO_GROUP,
                                      .deps = 1,
                                      .dep = {before}});
    (void)prop_add(
        job, to,
        (struct prop_node){
            .kind = ORR_NODE_RECV, .peer = from, .amount = bytes, .group = PROP_NO_GROUP});
}

/* Two NPUs send 3 us to a third by a switch, after 1 us and 2 us, and the second waits for the
 * first. Congestion: that takes the link from the switch from 4.5 to 7.5 us; the second is there at
 * 11 us. Analytical: the first comes in from 2 to 5 us, 1 us of two hops behind it; the second is
 * in at 8 us. So the path has what the first computed and not the second. */
static void test_path_of_who_waits_on_the_way_is_that_of_who_was_there(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        struct prop_job job;
        open_job(&job, NET_SWITCH, 3, i == 0 ? "congestion" : "analytical");
        send_after(&job, 0, 2, US, 3000);
        send_after(&job, 1, 2, 2 * US, 3000);
        struct expected expected = {
            .steps = 2,
            .step = {{.entity = 0, .item = 0, .time = 0}, {.entity = 0, .item = 1, .time = US}}};
        expected.part[ORR_PART_COMPUTE] = US;
        expected.part[ORR_PART_BANDWIDTH(0)] = i == 0 ? 9 * US : 6 * US;
        expected.part[ORR_PART_LATENCY(0)] = US;
        check(&job, &expected);
    }
}

/* The head of 6 us is there at 3 us, its tail at 9 us; meanwhile 1 us came in from 5 to 6 us, and
 * before that nothing: it is in at 3 + 6 + 1 = 10 us, whenever the other came. */
static void test_path_of_who_has_time_before_others_is_its_own(void **state)
{
    (void)state;
    struct prop_job job;
    open_job(&job, NET_SWITCH, 3, "analytical");
    send_after(&job, 0, 2, 2 * US, 6000);
    send_after(&job, 1, 2, 4 * US, 1000);
    struct expected expected = {
        .steps = 2,
        .step = {{.entity = 0, .item = 0, .time = 0}, {.entity = 0, .item = 1, .time = 2 * US}}};
    expected.part[ORR_PART_COMPUTE] = 2 * US;
    expected.part[ORR_PART_BANDWIDTH(0)] = 7 * US;
    expected.part[ORR_PART_LATENCY(0)] = US;
    check(&job, &expected);
}

/* From NPU 0 over NPU 1 to NPU 3, 10 us in the first dimension and 1 us in the second. Its head is
 * at NPU 1 after 0.6 + 0.5 us, and waits there until 4 us for a message of that NPU; but its tail
 * comes at 11.1 us, long after that, and is there 0.5 us later. */
static void test_path_of_a_slow_tail_is_not_what_its_head_waited_for(void **state)
{
    (void)state;
    struct prop_job job;
    open_job(&job, NET_RING, 2, "analytical");
    job.dim[1] = job.dim[0];
    job.dim[1].bandwidth_bytes_per_s = 1e10;
    prop_set_dims(&job, 2);
    prop_start_programs(&job);
    send_after(&job, 0, 3, US * 6 / 10, 10000);
    send_after(&job, 1, 3, US, 30000);
    struct expected expected = {.steps = 2,
                                .step = {{.entity = 0, .item = 0, .time = 0},
                                         {.entity = 0, .item = 1, .time = US * 6 / 10}}};
    expected.part[ORR_PART_COMPUTE] = US * 6 / 10;
    expected.part[ORR_PART_BANDWIDTH(0)] = 10 * US;
    expected.part[ORR_PART_LATENCY(0)] = US / 2;
    expected.part[ORR_PART_LATENCY(1)] = US / 2;
    check(&job, &expected);
}

/* 100 ns and 2000 bytes, beside a shorter compute node. */
static void test_path_through_local_memory(void **state)
{
    (void)state;
    struct prop_job job;
    open_job(&job, NET_RING, 2, "analytical");
    (void)compute(&job, 0, US);
    (void)prop_add(
        &job, 0,
        (struct prop_node){
            .kind = ORR_NODE_MEM_LOAD, .local = true, .amount = 2000, .group = PROP_NO_GROUP});
    struct expected expected = {.steps = 1, .step = {{.entity = 0, .item = 1, .time = 0}}};
    expected.part[ORR_PART_LOCAL_MEMORY] = 2 * US + US / 10;
    check(&job, &expected);
}

static void test_path_of_an_empty_job_is_nothing(void **state)
{
    (void)state;
    struct prop_job job;
    open_job(&job, NET_RING, 2, "analytical");
    check(&job, &(struct expected){0});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_path_through_a_message_follows_the_sender),
        cmocka_unit_test(test_path_of_a_straggler_is_the_wait_of_the_member_in_the_middle),
        cmocka_unit_test(test_path_of_a_busy_port_is_bandwidth),
        cmocka_unit_test(test_path_of_who_waits_on_the_way_is_that_of_who_was_there),
        cmocka_unit_test(test_path_of_who_has_time_before_others_is_its_own),
        cmocka_unit_test(test_path_of_a_slow_tail_is_not_what_its_head_waited_for),
        cmocka_unit_test(test_path_through_local_memory),
        cmocka_unit_test(test_path_of_an_empty_job_is_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
