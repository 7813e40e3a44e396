/* What a message costs beside its bytes (network.message_overhead), by hand: it holds every port
 * and every link for so long, on all backends. Links have 1 GB/s and 500 ns, messages 1000 bytes,
 * and the overhead is 200 ns: a link is taken for 1200 ns. */
#include "tests/property/property_support.h"
#include "tests/unit/algorithms_fixture.h"
#include "tests/unit/network_fixture.h"

#define NS ORR_PS_PER_NS

static struct fixture fixture; /* large; each test opens and closes it */

static const char *const backends[] = {"analytical", "congestion", "flow"};
enum { BACKENDS = sizeof backends / sizeof *backends };

static struct fixture *open_net(const char *backend, enum net_block block, uint32_t npus)
{
    memset(&fixture, 0, sizeof fixture);
    fixture.dim[0] = (struct net_dim){
        .block = block, .npus = npus, .bandwidth_bytes_per_s = 1e9, .latency_ps = 500 * NS};
    fixture.config.dims = 1;
    fixture.config.message_overhead_ps = 200 * NS;
    fixture_open(&fixture, backend, ORR_ORDER_LABEL);
    return &fixture;
}

static struct net_msg msg_of(uint32_t src, uint32_t dst, uint64_t label)
{
    return (struct net_msg){
        .src = orr_rank(src), .dst = orr_rank(dst), .bytes = 1000, .label = label};
}

static void test_a_lone_message_takes_so_much_longer(void **state)
{
    (void)state;
    for (unsigned b = 0; b < BACKENDS; b++) {
        struct fixture *net = open_net(backends[b], NET_FULLY_CONNECTED, 4);
        const unsigned only = fixture_send(net, 0, msg_of(0, 1, 1));
        fixture_run(net);
        assert_int_equal(net->sent[only], 1200 * NS);
        assert_int_equal(fixture_time(net, only), 1700 * NS);
        fixture_close(net);
    }
}

static void test_an_empty_message_holds_its_link_too(void **state)
{
    (void)state;
    for (unsigned b = 0; b < BACKENDS; b++) {
        struct fixture *net = open_net(backends[b], NET_FULLY_CONNECTED, 4);
        struct net_msg msg = msg_of(0, 1, 1);
        msg.bytes = 0;
        const unsigned only = fixture_send(net, 0, msg);
        fixture_run(net);
        assert_int_equal(fixture_time(net, only), 700 * NS);
        fixture_close(net);
    }
}

/* Three together take 3600 ns, one behind the other or side by side, and count their bytes only. As
 * flows, of which the first has most of the link, each ends at a whole ps behind it. */
static void test_those_that_share_a_link_lose_nothing(void **state)
{
    (void)state;
    for (unsigned b = 0; b < BACKENDS; b++) {
        struct fixture *net = open_net(backends[b], NET_FULLY_CONNECTED, 4);
        struct net_dim_stats stats;
        unsigned last = 0;
        for (unsigned i = 0; i < 3; i++) {
            last = fixture_send(net, 0, msg_of(0, 1, i));
        }
        fixture_run(net);
        net->net->ops->stats(net->net, &stats);
        assert_in_range(fixture_time(net, last), 4100 * NS, 4100 * NS + 2);
        assert_true(stats.bytes == 3000);
        assert_true(stats.busy_ps == 3600 * NS);
        fixture_close(net);
    }
}

/* Over two links of a ring: one after the other under congestion, at once elsewhere. */
static void test_a_way_of_two_links(void **state)
{
    (void)state;
    const sim_time expected[BACKENDS] = {2200 * NS, 3400 * NS, 2200 * NS};
    for (unsigned b = 0; b < BACKENDS; b++) {
        struct fixture *net = open_net(backends[b], NET_RING, 5);
        const unsigned only = fixture_send(net, 0, msg_of(0, 2, 1));
        fixture_run(net);
        assert_int_equal(fixture_time(net, only), expected[b]);
        fixture_close(net);
    }
}

/* Up and down a switch, where three enter the same NPU: its link down takes them one by one. Under
 * congestion the first is there after 2 x 1700 ns, the others 1200 ns apart; as flows they share
 * what they enter by, and end together after 3600 ns; the analytical ingress port takes in 1200 ns
 * each from the heads on, which come after two latencies. */
static void test_what_enters_an_npu_by_a_switch(void **state)
{
    (void)state;
    const sim_time expected[BACKENDS] = {4600 * NS, 5800 * NS, 4600 * NS};
    for (unsigned b = 0; b < BACKENDS; b++) {
        struct fixture *net = open_net(backends[b], NET_SWITCH, 4);
        unsigned last = 0;
        for (unsigned i = 0; i < 3; i++) {
            last = fixture_send(net, 0, msg_of(i, 3, i));
        }
        fixture_run(net);
        assert_int_equal(fixture_time(net, last), expected[b]);
        fixture_close(net);
    }
}

/* ---- collectives ---- */

/* All-reduce of 4 MB on Ring(4) by one ring: 6 messages of 1 MB in a row, each of 1 ms, the
 * overhead of 3 us and the latency of 1 us: 6.024 ms, on every backend, folded or not. */
static void test_ring_all_reduce_by_hand(void **state)
{
    (void)state;
    for (unsigned b = 0; b < BACKENDS; b++) {
        for (int fold = 0; fold < 2; fold++) {
            struct prop_job job;
            struct prop_result result;
            prop_open(&job, 1);
            job.dim[0] = (struct net_dim){.block = NET_RING,
                                          .npus = 4,
                                          .bandwidth_bytes_per_s = 1e9,
                                          .latency_ps = 1000 * NS};
            prop_set_dims(&job, 1);
            job.net.backend = backends[b];
            job.net.message_overhead_ps = 3000 * NS;
            job.algorithm[COLL_ALL_REDUCE][0] = (struct sys_algorithm){.algorithm = &orr_coll_ring};
            job.sys.algorithms[COLL_ALL_REDUCE] =
                (struct sys_algorithm_list){.items = job.algorithm[COLL_ALL_REDUCE], .count = 1};
            prop_start_programs(&job);
            prop_add_to_all(&job, (struct prop_node){.kind = ORR_NODE_COLL,
                                                     .comm = ORR_COMM_ALL_REDUCE,
                                                     .group = PROP_NO_GROUP,
                                                     .amount = 4000000});
            prop_run(&job, &(struct prop_options){.fold = fold != 0}, &result);
            assert_int_equal(result.wall_ps, INT64_C(6024000) * NS);
            assert_int_equal(result.classes, fold != 0 ? 1 : 4);
            prop_close(&job);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_lone_message_takes_so_much_longer),
        cmocka_unit_test(test_an_empty_message_holds_its_link_too),
        cmocka_unit_test(test_those_that_share_a_link_lose_nothing),
        cmocka_unit_test(test_a_way_of_two_links),
        cmocka_unit_test(test_what_enters_an_npu_by_a_switch),
        cmocka_unit_test(test_ring_all_reduce_by_hand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
