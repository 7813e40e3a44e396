/* The congestion backend against calculations by hand. Unless said otherwise links have 1 GB/s and
 * 500 ns, and messages 1000 bytes: busy for 1000 ns, at the other end after 1500 ns. */
#include "tests/unit/network_fixture.h"

#define NS ORR_PS_PER_NS

static struct fixture fixture; /* large; each test opens and closes it */

static struct net_dim dim_of(enum net_block block, uint32_t npus)
{
    return (struct net_dim){.block = block,
                            .npus = npus,
                            .bandwidth_bytes_per_s = 1e9,
                            .latency_ps = 500 * NS,
                            .given_bytes_per_ns = 1,
                            .given_latency_ns = 500};
}

static struct fixture *open_dims(unsigned dims, const struct net_dim *dim)
{
    memset(&fixture, 0, sizeof fixture);
    memcpy(fixture.dim, dim, dims * sizeof *dim);
    fixture.config.dims = dims;
    fixture_open(&fixture, "congestion", ORR_ORDER_LABEL);
    return &fixture;
}

static struct fixture *open_one(enum net_block block, uint32_t npus)
{
    const struct net_dim dim = dim_of(block, npus);
    return open_dims(1, &dim);
}

static struct fixture *open_astra(struct net_dim dim)
{
    memset(&fixture, 0, sizeof fixture);
    fixture.dim[0] = dim;
    fixture.config.dims = 1;
    fixture.config.whole_ns = true;
    fixture_open(&fixture, "congestion", ORR_ORDER_INSERTION);
    return &fixture;
}

static struct net_msg msg_of(uint32_t src, uint32_t dst, uint64_t label)
{
    return (struct net_msg){
        .src = orr_rank(src), .dst = orr_rank(dst), .bytes = 1000, .label = label};
}

/* ---- our own timing ---- */

static void test_one_link_two_messages_queue_in_label_order(void **state)
{
    (void)state;
    struct fixture *net = open_one(NET_FULLY_CONNECTED, 4);
    const unsigned second = fixture_send(net, 0, msg_of(0, 1, 2));
    const unsigned first = fixture_send(net, 0, msg_of(0, 1, 1));
    const unsigned other = fixture_send(net, 0, msg_of(0, 2, 3));
    fixture_run(net);
    assert_int_equal(fixture_time(net, first), 1500 * NS);
    assert_int_equal(fixture_time(net, second), 2500 * NS);
    assert_int_equal(fixture_time(net, other), 1500 * NS);
    assert_int_equal(net->sent[first], 1000 * NS);
    assert_int_equal(net->sent[second], 2000 * NS);
    fixture_close(net);
}

/* FIFO: what comes later waits, whatever its label. */
static void test_busy_link_later_message_waits_its_turn(void **state)
{
    (void)state;
    struct fixture *net = open_one(NET_FULLY_CONNECTED, 2);
    const unsigned a = fixture_send(net, 0, msg_of(0, 1, 3));
    const unsigned b = fixture_send(net, 100 * NS, msg_of(0, 1, 2));
    const unsigned c = fixture_send(net, 200 * NS, msg_of(0, 1, 1));
    const unsigned idle = fixture_send(net, 9000 * NS, msg_of(0, 1, 4));
    fixture_run(net);
    assert_int_equal(fixture_time(net, a), 1500 * NS);
    assert_int_equal(fixture_time(net, b), 2500 * NS);
    assert_int_equal(fixture_time(net, c), 3500 * NS);
    assert_int_equal(fixture_time(net, idle), 10500 * NS);
    fixture_close(net);
}

/* Three hops of 1500 ns each; the source's link is free after the first 1000. */
static void test_ring_three_hops_store_and_forward(void **state)
{
    (void)state;
    struct fixture *net = open_one(NET_RING, 8);
    const unsigned up = fixture_send(net, 0, msg_of(0, 3, 1));
    const unsigned down = fixture_send(net, 0, msg_of(0, 5, 1));
    fixture_run(net);
    assert_int_equal(fixture_time(net, up), 4500 * NS);
    assert_int_equal(fixture_time(net, down), 4500 * NS);
    assert_int_equal(net->sent[up], 1000 * NS);
    assert_int_equal(net->net->ops->latency(net->net, 0, 3), 1500 * NS);
    fixture_close(net);
}

/* Halfway round: both go up unless told otherwise, the second 1000 ns behind the first. */
static void test_ring_equal_ways_goes_forward_unless_backwards(void **state)
{
    (void)state;
    struct fixture *net = open_one(NET_RING, 8);
    struct net_msg against = msg_of(0, 4, 3);
    against.backwards = true;
    const unsigned first = fixture_send(net, 0, msg_of(0, 4, 1));
    const unsigned second = fixture_send(net, 0, msg_of(0, 4, 2));
    const unsigned third = fixture_send(net, 0, against);
    fixture_run(net);
    assert_int_equal(fixture_time(net, first), 6000 * NS);
    assert_int_equal(fixture_time(net, second), 7000 * NS);
    assert_int_equal(fixture_time(net, third), 6000 * NS);
    fixture_close(net);
}

/* A passes NPU 1 at 1500, while B holds the link 1 -> 2 from 1000 to 2000: A arrives at 3500. */
static void test_ring_passing_message_waits_for_the_local_one(void **state)
{
    (void)state;
    struct fixture *net = open_one(NET_RING, 8);
    const unsigned a = fixture_send(net, 0, msg_of(0, 2, 1));
    const unsigned b = fixture_send(net, 1000 * NS, msg_of(1, 2, 2));
    fixture_run(net);
    assert_int_equal(fixture_time(net, a), 3500 * NS);
    assert_int_equal(fixture_time(net, b), 2500 * NS);
    fixture_close(net);
}

/* Both ask for the link 1 -> 2 at 1500 with the same label: the one that has come further goes,
 * although the other's shift is smaller. */
static void test_equal_requests_more_hops_done_goes_first(void **state)
{
    (void)state;
    for (int swapped = 0; swapped < 2; swapped++) {
        struct fixture *net = open_one(NET_RING, 8);
        const struct net_msg passing = msg_of(0, 3, 7), local = msg_of(1, 2, 7);
        const unsigned x = fixture_send(net, swapped ? 1500 * NS : 0, swapped ? local : passing);
        const unsigned y = fixture_send(net, swapped ? 0 : 1500 * NS, swapped ? passing : local);
        fixture_run(net);
        assert_int_equal(fixture_time(net, swapped ? y : x), 4500 * NS);
        assert_int_equal(fixture_time(net, swapped ? x : y), (2500 + 1500) * NS);
        fixture_close(net);
    }
}

/* Equal labels of different instants are no equals: 1 -> 3 came first and stays before 1 -> 2. */
static void test_equal_labels_earlier_request_stays_first(void **state)
{
    (void)state;
    struct fixture *net = open_one(NET_RING, 8);
    fixture_send(net, 0, msg_of(1, 2, 9));
    const unsigned a = fixture_send(net, 100 * NS, msg_of(1, 3, 7));
    const unsigned b = fixture_send(net, 200 * NS, msg_of(1, 2, 7));
    fixture_run(net);
    assert_int_equal(fixture_time(net, a), (1000 + 1500 + 1500) * NS);
    assert_int_equal(fixture_time(net, b), (2000 + 1500) * NS);
    fixture_close(net);
}

static void test_switch_two_hops_each_with_serialization(void **state)
{
    (void)state;
    struct fixture *net = open_one(NET_SWITCH, 4);
    const unsigned only = fixture_send(net, 0, msg_of(3, 0, 1));
    fixture_run(net);
    assert_int_equal(fixture_time(net, only), 3000 * NS);
    fixture_close(net);
}

/* All reach the switch at 1500; the way down to 2 takes one at a time. With equal labels the order
 * is by shift: 1 -> 2 (1), 0 -> 2 (2), 3 -> 2 (3); who was posted first does not matter. */
static void test_switch_incast_queues_at_the_way_down(void **state)
{
    (void)state;
    static const uint32_t orders[2][3] = {{0, 1, 3}, {3, 1, 0}};
    for (int order = 0; order < 2; order++) {
        struct fixture *net = open_one(NET_SWITCH, 4);
        for (int i = 0; i < 3; i++) {
            fixture_send(net, 0, msg_of(orders[order][i], 2, 5));
        }
        fixture_run(net);
        static const uint32_t sources[3] = {1, 0, 3};
        for (int i = 0; i < 3; i++) {
            assert_int_equal(net->log[i].time, (3000 + 1000 * i) * NS);
            assert_int_equal(net->msg[net->log[i].cookie].src.rank, sources[i]);
        }
        fixture_close(net);
    }
}

/* Ring(4)_Switch(2), the switch with 2 GB/s and 100 ns: from (0,0) to (3,1) one hop down the ring
 * (1500), then two hops of 500 + 100. */
static void test_two_dimensions_go_in_order(void **state)
{
    (void)state;
    struct net_dim dims[] = {dim_of(NET_RING, 4), dim_of(NET_SWITCH, 2)};
    dims[1].bandwidth_bytes_per_s = 2e9;
    dims[1].latency_ps = 100 * NS;
    struct fixture *net = open_dims(2, dims);
    const unsigned only = fixture_send(net, 0, msg_of(0, 7, 1));
    fixture_run(net);
    assert_int_equal(fixture_time(net, only), 2700 * NS);
    assert_int_equal(net->net->ops->latency(net->net, 0, 7), 700 * NS);
    assert_int_equal(net->net->ops->latency(net->net, 7, 0), 700 * NS);
    struct net_dim_stats stats[2];
    net->net->ops->stats(net->net, stats);
    assert_int_equal(stats[0].messages, 1);
    assert_int_equal(stats[0].bytes, 1000);
    assert_int_equal(stats[0].busy_ps, 1000 * NS);
    assert_int_equal(stats[0].servers, 16);
    assert_int_equal(stats[1].messages, 1);
    assert_int_equal(stats[1].bytes, 1000);
    assert_int_equal(stats[1].busy_ps, 1000 * NS); /* 500 up, 500 down */
    assert_int_equal(stats[1].servers, 16);
    fixture_close(net);
}

static void test_stats_ring_counts_a_message_once_and_each_link_busy(void **state)
{
    (void)state;
    struct fixture *net = open_one(NET_RING, 8);
    fixture_send(net, 0, msg_of(0, 3, 1));
    fixture_send(net, 0, msg_of(5, 4, 1));
    fixture_run(net);
    struct net_dim_stats stats;
    net->net->ops->stats(net->net, &stats);
    assert_int_equal(stats.messages, 2);
    assert_int_equal(stats.bytes, 2000);
    assert_int_equal(stats.busy_ps, 4000 * NS);
    assert_int_equal(stats.servers, 16);
    fixture_close(net);
}

static void test_no_bytes_take_only_the_latency(void **state)
{
    (void)state;
    struct fixture *net = open_one(NET_SWITCH, 4);
    struct net_msg empty = msg_of(0, 1, 1);
    empty.bytes = 0;
    const unsigned a = fixture_send(net, 10 * NS, empty);
    empty.label = 2;
    const unsigned b = fixture_send(net, 10 * NS, empty);
    fixture_run(net);
    assert_int_equal(fixture_time(net, a), 1010 * NS);
    assert_int_equal(fixture_time(net, b), 1010 * NS);
    assert_int_equal(net->departures, 2);
    fixture_close(net);
}

static void test_to_itself_arrives_at_the_same_instant(void **state)
{
    (void)state;
    struct fixture *net = open_one(NET_RING, 4);
    const unsigned only = fixture_send(net, 77 * NS, msg_of(2, 2, 1));
    fixture_run(net);
    assert_int_equal(fixture_time(net, only), 77 * NS);
    assert_int_equal(net->net->ops->latency(net->net, 2, 2), 0);
    fixture_close(net);
}

static void test_ring_of_two_has_a_link_each_way(void **state)
{
    (void)state;
    struct fixture *net = open_one(NET_RING, 2);
    struct net_msg against = msg_of(0, 1, 2);
    against.backwards = true;
    const unsigned a = fixture_send(net, 0, msg_of(0, 1, 1));
    const unsigned b = fixture_send(net, 0, against);
    const unsigned back = fixture_send(net, 0, msg_of(1, 0, 1));
    fixture_run(net);
    assert_int_equal(fixture_time(net, a), 1500 * NS);
    assert_int_equal(fixture_time(net, b), 1500 * NS);
    assert_int_equal(fixture_time(net, back), 1500 * NS);
    fixture_close(net);
}

/* 1 GB/s an NPU: a ring's link has half, each of 4 direct links a quarter, a switch's all. */
static void test_bandwidth_per_npu_is_shared_by_its_links(void **state)
{
    (void)state;
    static const struct {
        enum net_block block;
        uint32_t npus;
        sim_time ns;
    } cases[] = {{NET_RING, 4, 2000 + 500},
                 {NET_RING, 2, 1000 + 500},
                 {NET_FULLY_CONNECTED, 5, 4000 + 500},
                 {NET_SWITCH, 4, 2 * (1000 + 500)}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct net_dim dim = dim_of(cases[i].block, cases[i].npus);
        dim.per_npu = true;
        struct fixture *net = open_dims(1, &dim);
        const unsigned only = fixture_send(net, 0, msg_of(0, 1, 1));
        fixture_run(net);
        assert_int_equal(fixture_time(net, only), cases[i].ns * NS);
        fixture_close(net);
    }
}

/* Counted per NPU, a ring of 2 has a single link, so that both ways together have 1 GB/s. */
static void test_bandwidth_per_npu_ring_of_two_shares_one_link(void **state)
{
    (void)state;
    struct net_dim dim = dim_of(NET_RING, 2);
    dim.per_npu = true;
    struct fixture *net = open_dims(1, &dim);
    struct net_msg against = msg_of(0, 1, 2);
    against.backwards = true;
    fixture_send(net, 0, msg_of(0, 1, 1));
    const unsigned second = fixture_send(net, 0, against);
    fixture_run(net);
    assert_int_equal(fixture_time(net, second), 2500 * NS);
    fixture_close(net);
}

static void test_create_too_many_links_is_an_input_error(void **state)
{
    (void)state;
    const struct net_dim dim = dim_of(NET_FULLY_CONNECTED, 1u << 20);
    const struct net_config config = {.backend = "congestion", .dims = 1, .dim = &dim};
    struct orr_arena *arena = orr_arena_create();
    struct orr_diag diag;
    orr_diag_init(&diag);
    struct net *net;
    assert_int_equal(orr_net_create(&net, &config, NULL, arena, &diag), ORR_ERR_INPUT);
    assert_string_equal(diag.message,
                        "network: the congestion backend holds at most 268435456 links, and this "
                        "network has 1.1e+12; use the analytical backend");
    orr_arena_destroy(arena);
}

/* ---- the reference's timing ---- */

/* 50 GiB/s are 53.6870912 B/ns: 1 MiB takes 19531.25 ns, 8 KiB 152.6 ns (652 with the latency). */
static struct net_dim astra_dim(enum net_block block, uint32_t npus)
{
    struct net_dim dim = dim_of(block, npus);
    dim.given_bytes_per_ns = 53.6870912;
    return dim;
}

static struct net_msg mebibyte(uint32_t src, uint32_t dst)
{
    return (struct net_msg){.src = orr_rank(src), .dst = orr_rank(dst), .bytes = 1 << 20};
}

static void test_reference_direct_link_is_truncated_to_whole_ns(void **state)
{
    (void)state;
    struct fixture *net = open_astra(astra_dim(NET_FULLY_CONNECTED, 8));
    struct net_msg request = mebibyte(2, 3);
    request.bytes = 8192;
    const unsigned a = fixture_send(net, 0, mebibyte(0, 1));
    const unsigned b = fixture_send(net, 0, mebibyte(0, 1));
    const unsigned c = fixture_send(net, 0, request);
    fixture_run(net);
    assert_int_equal(fixture_time(net, a), 20031 * NS);
    assert_int_equal(fixture_time(net, b), (19531 + 20031) * NS);
    assert_int_equal(fixture_time(net, c), 652 * NS);
    assert_int_equal(net->departures, 0);
    fixture_close(net);
}

static void test_reference_ring_repeats_the_hop(void **state)
{
    (void)state;
    struct fixture *net = open_astra(astra_dim(NET_RING, 8));
    const unsigned a = fixture_send(net, 0, mebibyte(0, 2));
    const unsigned b = fixture_send(net, 0, mebibyte(1, 6)); /* three hops down */
    fixture_run(net);
    assert_int_equal(fixture_time(net, a), 2 * 20031 * NS);
    assert_int_equal(fixture_time(net, b), 3 * 20031 * NS);
    fixture_close(net);
}

/* 400 GiB/s, 936.25 ns, 128 KiB: 305.17 + 936.25 = 1241.4 ns a hop. */
static void test_reference_switch_has_two_hops(void **state)
{
    (void)state;
    struct net_dim dim = astra_dim(NET_SWITCH, 8);
    dim.given_bytes_per_ns = 429.4967296;
    dim.given_latency_ns = 936.25;
    struct fixture *net = open_astra(dim);
    struct net_msg msg = mebibyte(0, 5);
    msg.bytes = 131072;
    const unsigned only = fixture_send(net, 0, msg);
    fixture_run(net);
    assert_int_equal(fixture_time(net, only), 2 * 1241 * NS);
    fixture_close(net);
}

static void test_reference_link_serves_in_order_of_insertion(void **state)
{
    (void)state;
    struct fixture *net = open_astra(dim_of(NET_FULLY_CONNECTED, 4));
    const unsigned first = fixture_send(net, 0, msg_of(0, 1, 9));
    const unsigned second = fixture_send(net, 0, msg_of(0, 1, 8));
    fixture_run(net);
    assert_int_equal(fixture_time(net, first), 1500 * NS);
    assert_int_equal(fixture_time(net, second), 2500 * NS);
    fixture_close(net);
}

/* Sends message 2 (2 -> 3) when message 0 is delivered. */
static void send_third(struct fixture *net, uint64_t cookie)
{
    if (cookie == 0) {
        net->msg[2] = msg_of(2, 3, 0);
        net->msg[2].cookie = 2;
        net->net->ops->send(net->net, &net->msg[2]);
    }
}

/* Without latency the arrival of message 0 and the release of its link fall on 1000 ns, and the
 * arrival was posted first: what its delivery sends is posted before message 1 starts, so that at
 * 2000 ns message 2 comes before message 1. */
static void test_reference_arrival_comes_before_the_release_of_the_link(void **state)
{
    (void)state;
    struct net_dim dim = dim_of(NET_FULLY_CONNECTED, 4);
    dim.given_latency_ns = 0;
    struct fixture *net = open_astra(dim);
    net->then = send_third;
    fixture_send(net, 0, msg_of(0, 1, 0));
    fixture_send(net, 0, msg_of(0, 1, 0));
    fixture_run(net);
    static const uint64_t order[] = {0, 2, 1};
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(net->log[i].cookie, order[i]);
        assert_int_equal(net->log[i].time, (i == 0 ? 1000 : 2000) * NS);
    }
    fixture_close(net);
}

static void test_huge_message_is_reported_as_overflow(void **state)
{
    (void)state;
    struct fixture *net = open_one(NET_RING, 4);
    struct net_msg huge = msg_of(0, 1, 1);
    huge.bytes = UINT64_MAX;
    fixture_send(net, 0, huge);
    struct orr_diag diag;
    orr_diag_init(&diag);
    assert_int_equal(orr_evq_run(net->queue, &diag), ORR_ERR_INPUT);
    assert_non_null(strstr(diag.message, "simulated time overflow"));
    fixture_close(net);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_link_two_messages_queue_in_label_order),
        cmocka_unit_test(test_busy_link_later_message_waits_its_turn),
        cmocka_unit_test(test_ring_three_hops_store_and_forward),
        cmocka_unit_test(test_ring_equal_ways_goes_forward_unless_backwards),
        cmocka_unit_test(test_ring_passing_message_waits_for_the_local_one),
        cmocka_unit_test(test_equal_requests_more_hops_done_goes_first),
        cmocka_unit_test(test_equal_labels_earlier_request_stays_first),
        cmocka_unit_test(test_switch_two_hops_each_with_serialization),
        cmocka_unit_test(test_switch_incast_queues_at_the_way_down),
        cmocka_unit_test(test_two_dimensions_go_in_order),
        cmocka_unit_test(test_stats_ring_counts_a_message_once_and_each_link_busy),
        cmocka_unit_test(test_no_bytes_take_only_the_latency),
        cmocka_unit_test(test_to_itself_arrives_at_the_same_instant),
        cmocka_unit_test(test_ring_of_two_has_a_link_each_way),
        cmocka_unit_test(test_bandwidth_per_npu_is_shared_by_its_links),
        cmocka_unit_test(test_bandwidth_per_npu_ring_of_two_shares_one_link),
        cmocka_unit_test(test_create_too_many_links_is_an_input_error),
        cmocka_unit_test(test_reference_direct_link_is_truncated_to_whole_ns),
        cmocka_unit_test(test_reference_ring_repeats_the_hop),
        cmocka_unit_test(test_reference_switch_has_two_hops),
        cmocka_unit_test(test_reference_link_serves_in_order_of_insertion),
        cmocka_unit_test(test_reference_arrival_comes_before_the_release_of_the_link),
        cmocka_unit_test(test_huge_message_is_reported_as_overflow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
