/* Jobs that cannot finish say so, with every stuck node and what it waits for; jobs whose streams
 * only block each other finish; and memory that runs out is an error like any other. */
#include <math.h>

#include "tests/property/property_support.h"

/* A switch of 100 GB/s and 500 ns a hop: a message of b bytes takes b / 100 ns, then 1 us. */
static void open_switch(struct prop_job *job, uint32_t npus)
{
    prop_open(job, 0);
    job->dim[0] = (struct net_dim){.block = NET_SWITCH,
                                   .npus = npus,
                                   .bandwidth_bytes_per_s = 1e11,
                                   .latency_ps = 500 * ORR_PS_PER_NS};
    prop_set_dims(job, 1);
    prop_start_programs(job);
}

static struct prop_node p2p(enum orr_node_kind kind, uint32_t peer, uint32_t tag, uint64_t bytes)
{
    return (struct prop_node){
        .kind = kind, .group = PROP_NO_GROUP, .peer = peer, .tag = tag, .amount = bytes};
}

static struct prop_node coll(enum orr_trace_comm comm, int group, uint64_t bytes)
{
    return (struct prop_node){.kind = ORR_NODE_COLL, .comm = comm, .group = group, .amount = bytes};
}

static struct prop_node after(struct prop_node node, uint32_t dep)
{
    node.dep[node.deps++] = dep;
    return node;
}

static struct prop_node compute(uint64_t ps)
{
    return (struct prop_node){.kind = ORR_NODE_COMP, .group = PROP_NO_GROUP, .amount = ps};
}

static void check_deadlock(struct prop_job *job, const char *report)
{
    struct prop_result result;
    prop_run(job, &(struct prop_options){0}, &result);
    assert_int_equal(result.status, ORR_ERR_DEADLOCK);
    assert_string_equal(result.message, report);
    prop_close(job);
}

static void check_finishes(struct prop_job *job, sim_time wall_ps)
{
    struct prop_result result;
    prop_run(job, &(struct prop_options){0}, &result);
    PROP_CHECK(job, &result, result.status == ORR_OK);
    assert_int_equal(result.wall_ps, wall_ps);
    prop_close(job);
}

/* ---- messages ---- */

static void test_receive_without_send_is_a_deadlock(void **state)
{
    (void)state;
    struct prop_job job;
    open_switch(&job, 2);
    (void)prop_add(&job, 0, p2p(ORR_NODE_RECV, 1, 7, 64));
    (void)prop_add(&job, 0, after(compute(1000), 0));
    check_deadlock(
        &job, "deadlock: the job cannot finish: 2 nodes on 1 of 2 NPUs left at 0 ps; stuck are\n"
              "  NPU 0: node 0 (n), receive from NPU 1, tag 7, 64 bytes: NPU 1 has not sent it");
}

static void test_receive_of_another_size_is_a_deadlock(void **state)
{
    (void)state;
    struct prop_job job;
    open_switch(&job, 2);
    (void)prop_add(&job, 0, p2p(ORR_NODE_SEND, 1, 7, 1000));
    (void)prop_add(&job, 1, p2p(ORR_NODE_RECV, 0, 7, 1001));
    check_deadlock(
        &job, "deadlock: the job cannot finish: 1 node on 1 of 2 NPUs left at 1.010 us; stuck are\n"
              "  NPU 1: node 0 (n), receive from NPU 0, tag 7, 1001 bytes: NPU 0 sent 1000 bytes "
              "with tag 7 instead: sender and receiver must give the same size");
}

static void test_receive_of_another_tag_is_a_deadlock(void **state)
{
    (void)state;
    struct prop_job job;
    open_switch(&job, 2);
    (void)prop_add(&job, 0, p2p(ORR_NODE_SEND, 1, 7, 1000));
    (void)prop_add(&job, 1, p2p(ORR_NODE_RECV, 0, 8, 1000));
    check_deadlock(&job, "deadlock: the job cannot finish: 1 node on 1 of 2 NPUs left at 1.010 us; "
                         "stuck are\n  NPU 1: node 0 (n), receive from NPU 0, tag 8, 1000 bytes: "
                         "NPU 0 sent 1000 bytes with tag 7, which matches no receive here");
}

static void test_rendezvous_send_without_receive_is_a_deadlock(void **state)
{
    (void)state;
    struct prop_job job;
    open_switch(&job, 2);
    job.sys.rendezvous = true;
    (void)prop_add(&job, 0, p2p(ORR_NODE_SEND, 1, 7, 1000));
    check_deadlock(&job, "deadlock: the job cannot finish: 1 node on 1 of 2 NPUs left at 0 ps; "
                         "stuck are\n  NPU 0: node 0 (n), send to NPU 1, tag 7, 1000 bytes: NPU 1 "
                         "has not requested it: it has not started the receive");
}

/* ---- collectives ---- */

static void test_collectives_in_another_order_are_a_deadlock(void **state)
{
    (void)state;
    struct prop_job job;
    open_switch(&job, 2);
    for (uint32_t rank = 0; rank < 2; rank++) {
        for (uint32_t i = 0; i < 2; i++) {
            (void)prop_add(
                &job, rank,
                coll(i == rank ? ORR_COMM_ALL_REDUCE : ORR_COMM_ALL_GATHER, PROP_NO_GROUP, 1000));
        }
    }
    check_deadlock(
        &job,
        "deadlock: the job cannot finish: 4 nodes on 2 of 2 NPUs left at 2.015 us; stuck are\n"
        "  NPU 1: node 0 (n), all_gather of 1000 bytes: it is collective 1 of the group \"0\" "
        "here, but on NPU 0 that one is all_reduce of 1000 bytes (n): all ranks of a group must "
        "start the same collectives in the same order\n"
        "  NPU 1: node 1 (n), all_reduce of 1000 bytes: it is collective 2 of the group \"0\" "
        "here, but on NPU 0 that one is all_gather of 1000 bytes (n): all ranks of a group must "
        "start the same collectives in the same order\n"
        "  NPU 0: node 0 (n), all_reduce of 1000 bytes: collective 1 of the group \"0\" waits for "
        "NPU 1 to start it\n"
        "  NPU 0: node 1 (n), all_gather of 1000 bytes: collective 2 of the group \"0\" waits for "
        "NPU 1 to start it");
}

static void test_collectives_of_different_sizes_are_a_deadlock(void **state)
{
    (void)state;
    struct prop_job job;
    open_switch(&job, 2);
    (void)prop_add(&job, 0, coll(ORR_COMM_ALL_REDUCE, PROP_NO_GROUP, 1000));
    (void)prop_add(&job, 1, coll(ORR_COMM_ALL_REDUCE, PROP_NO_GROUP, 2000));
    check_deadlock(
        &job,
        "deadlock: the job cannot finish: 2 nodes on 2 of 2 NPUs left at 1.005 us; stuck are\n"
        "  NPU 1: node 0 (n), all_reduce of 2000 bytes: it is collective 1 of the group \"0\" "
        "here, but on NPU 0 that one is all_reduce of 1000 bytes (n): all ranks of a group must "
        "start the same collectives in the same order\n"
        "  NPU 0: node 0 (n), all_reduce of 1000 bytes: collective 1 of the group \"0\" waits for "
        "NPU 1 to start it");
}

static void test_collective_that_a_rank_never_starts_is_a_deadlock(void **state)
{
    (void)state;
    struct prop_job job;
    open_switch(&job, 4);
    for (uint32_t rank = 0; rank < 3; rank++) {
        (void)prop_add(&job, rank, coll(ORR_COMM_BARRIER, PROP_NO_GROUP, 0));
    }
    check_deadlock(
        &job,
        "deadlock: the job cannot finish: 3 nodes on 3 of 4 NPUs left at 2.000 us; stuck are\n"
        "  NPU 0: node 0 (n), barrier of 0 bytes: collective 1 of the group \"0\" waits for NPU 3 "
        "to start it\n"
        "  NPU 1: node 0 (n), barrier of 0 bytes: collective 1 of the group \"0\" waits for NPU 3 "
        "to start it\n"
        "  NPU 2: node 0 (n), barrier of 0 bytes: collective 1 of the group \"0\" waits for NPU 3 "
        "to start it");
}

/* Only the ranks of the group can be missing. */
static void test_group_collective_names_missing_ranks_of_the_group(void **state)
{
    (void)state;
    static const uint32_t ranks[] = {3, 1};
    struct prop_job job;
    open_switch(&job, 4);
    const int name = prop_add_name(&job);
    prop_add_group(&job, name, ranks, 2);
    (void)prop_add(&job, 1, compute(5000));
    (void)prop_add(&job, 1, after(coll(ORR_COMM_ALL_REDUCE, name, 4096), 0));
    check_deadlock(
        &job, "deadlock: the job cannot finish: 1 node on 1 of 4 NPUs left at 1.025 us; stuck are\n"
              "  NPU 1: node 1 (n), all_reduce of 4096 bytes: collective 1 of the group \"g0\" "
              "waits for NPU 3 to start it");
}

/* Rank 2 waits for rank 0, rank 0 for rank 1, and rank 1 for a message that rank 2 never sends. */
static void test_circle_of_receives_names_all(void **state)
{
    (void)state;
    struct prop_job job;
    open_switch(&job, 3);
    (void)prop_add(&job, 0, p2p(ORR_NODE_RECV, 1, 1, 8));
    (void)prop_add(&job, 0, after(p2p(ORR_NODE_SEND, 2, 2, 8), 0));
    (void)prop_add(&job, 1, p2p(ORR_NODE_RECV, 2, 3, 8));
    (void)prop_add(&job, 1, after(p2p(ORR_NODE_SEND, 0, 1, 8), 0));
    (void)prop_add(&job, 2, p2p(ORR_NODE_RECV, 0, 2, 8));
    check_deadlock(
        &job, "deadlock: the job cannot finish: 5 nodes on 3 of 3 NPUs left at 0 ps; stuck are\n"
              "  NPU 0: node 0 (n), receive from NPU 1, tag 1, 8 bytes: NPU 1 has not sent it\n"
              "  NPU 1: node 0 (n), receive from NPU 2, tag 3, 8 bytes: NPU 2 has not sent it\n"
              "  NPU 2: node 0 (n), receive from NPU 0, tag 2, 8 bytes: NPU 0 has not sent it");
}

/* ---- streams that block each other are no deadlock ---- */

/* X and Y are in different groups and start in different orders. An all-reduce of 1000 bytes on two
 * ranks is 2 messages of 500 bytes, one after the other: 2 x (5 + 1000) ns = 2010 ns. X starts on
 * rank 1 when Y is over, and rank 0 has sent its first half long since: rank 1 sends both halves at
 * 2010, and rank 0 its second half when the first is there at 3015: 4020 ns. */
static void test_groups_in_another_order_finish(void **state)
{
    (void)state;
    static const uint32_t ranks[] = {0, 1};
    struct prop_job job;
    open_switch(&job, 3);
    const int a = prop_add_name(&job), b = prop_add_name(&job);
    prop_add_group(&job, a, ranks, 2);
    prop_add_group(&job, b, ranks, 2);
    (void)prop_add(&job, 0, coll(ORR_COMM_ALL_REDUCE, a, 1000));
    (void)prop_add(&job, 0, coll(ORR_COMM_ALL_REDUCE, b, 1000));
    (void)prop_add(&job, 1, coll(ORR_COMM_ALL_REDUCE, b, 1000));
    (void)prop_add(&job, 1, after(coll(ORR_COMM_ALL_REDUCE, a, 1000), 0));
    check_finishes(&job, 4020 * ORR_PS_PER_NS);
}

/* Program order says X, Y on both ranks, but X on rank 0 waits for a message that rank 1 sends
 * after Y. X's first half from rank 1 arrives at 1005 ns and nothing else can happen; Y is let
 * through: 2010 ns more, 3015. The message of 1000 bytes: 1010 ns, 4025. Rank 0 has rank 1's first
 * half and sends both of its own, the second behind the first; rank 1 has the first at 5030, and
 * its second half arrives at 6035 ns. */
static void test_stream_whose_order_is_stuck_is_relaxed(void **state)
{
    (void)state;
    struct prop_job job;
    open_switch(&job, 2);
    const uint32_t message = prop_add(&job, 0, p2p(ORR_NODE_RECV, 1, 0, 1000));
    (void)prop_add(&job, 0, after(coll(ORR_COMM_ALL_REDUCE, PROP_NO_GROUP, 1000), message));
    (void)prop_add(&job, 0, coll(ORR_COMM_ALL_REDUCE, PROP_NO_GROUP, 1000));
    (void)prop_add(&job, 1, coll(ORR_COMM_ALL_REDUCE, PROP_NO_GROUP, 1000));
    const uint32_t y = prop_add(&job, 1, coll(ORR_COMM_ALL_REDUCE, PROP_NO_GROUP, 1000));
    (void)prop_add(&job, 1, after(p2p(ORR_NODE_SEND, 0, 0, 1000), y));
    check_finishes(&job, 6035 * ORR_PS_PER_NS);
}

/* Under rendezvous a send holds its stream until it is asked for. Message 2 is ready first, but is
 * asked for after message 1 only, which is behind it in the stream. Message 1 is ready at 2000 ns
 * and its request (8192 bytes, 81.92 + 1000 ns) came before: 1010 ns, 3010. Then request 2 and
 * message 2: 3010 + 1081.92 + 1010 = 5101.92 ns. */
static void test_rendezvous_sends_in_another_order_finish(void **state)
{
    (void)state;
    struct prop_job job;
    open_switch(&job, 2);
    job.sys.rendezvous = true;
    (void)prop_add(&job, 0, compute(2000 * ORR_PS_PER_NS));
    (void)prop_add(&job, 0, after(p2p(ORR_NODE_SEND, 1, 1, 1000), 0));
    (void)prop_add(&job, 0, p2p(ORR_NODE_SEND, 1, 2, 1000));
    const uint32_t first = prop_add(&job, 1, p2p(ORR_NODE_RECV, 0, 1, 1000));
    (void)prop_add(&job, 1, after(p2p(ORR_NODE_RECV, 0, 2, 1000), first));
    check_finishes(&job, 5101920);
}

/* ---- memory ---- */

/* The n-th allocation of the simulation's arena fails, for every n until the job has enough. */
static void check_allocations(const char *backend, const struct sys_policy *policy)
{
    struct prop_job job;
    enum orr_status status = ORR_ERR_MEMORY;
    open_switch(&job, 4);
    job.net.backend = backend;
    job.sys.policy = policy;
    job.sys.reduction_bytes_per_s = INFINITY;
    job.net.whole_ns = policy->whole_ns;
    job.net.free_ports = policy->free_ports;
    job.dim[0].given_bytes_per_ns = 100;
    job.dim[0].given_latency_ns = 500;
    const int name = prop_box_groups(&job, 1);
    prop_add_to_all(&job, compute(1000));
    prop_add_to_all(&job, after(coll(ORR_COMM_ALL_REDUCE, name, 4096), 0));
    prop_add_to_all(&job, coll(ORR_COMM_ALL_TO_ALL, PROP_NO_GROUP, 4096));
    (void)prop_add(&job, 0, p2p(ORR_NODE_SEND, 3, 0, 64));
    (void)prop_add(&job, 3, p2p(ORR_NODE_RECV, 0, 0, 64));
    int64_t allocations = 0;
    for (; status == ORR_ERR_MEMORY && allocations < 10000; allocations++) {
        status = prop_run_failing(&job, allocations);
    }
    assert_int_equal(status, ORR_OK);
    assert_true(allocations > 50);
    prop_close(&job);
}

static void test_failing_allocations_are_clean_errors(void **state)
{
    (void)state;
    check_allocations("analytical", &orr_sys_policy_default);
    check_allocations("congestion", &orr_sys_policy_default);
    check_allocations("analytical", &orr_sys_policy_astra_sim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_receive_without_send_is_a_deadlock),
        cmocka_unit_test(test_receive_of_another_size_is_a_deadlock),
        cmocka_unit_test(test_receive_of_another_tag_is_a_deadlock),
        cmocka_unit_test(test_rendezvous_send_without_receive_is_a_deadlock),
        cmocka_unit_test(test_collectives_in_another_order_are_a_deadlock),
        cmocka_unit_test(test_collectives_of_different_sizes_are_a_deadlock),
        cmocka_unit_test(test_collective_that_a_rank_never_starts_is_a_deadlock),
        cmocka_unit_test(test_group_collective_names_missing_ranks_of_the_group),
        cmocka_unit_test(test_circle_of_receives_names_all),
        cmocka_unit_test(test_groups_in_another_order_finish),
        cmocka_unit_test(test_stream_whose_order_is_stuck_is_relaxed),
        cmocka_unit_test(test_rendezvous_sends_in_another_order_finish),
        cmocka_unit_test(test_failing_allocations_are_clean_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
