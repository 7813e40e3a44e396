/* Messages that pass other NPUs on the analytical backend, worked out by hand: alone they take
 * hops x latency + bytes / the narrowest bandwidth; together no link carries more than its
 * bandwidth. All bandwidths are 1 GB/s, so that 1000 bytes take a microsecond. */
#include "tests/unit/network_fixture.h"

#include "tests/backend_keys.h"

#define US INT64_C(1000000)

static struct fixture net;

static void open_dims(unsigned dims, const struct net_dim *dim)
{
    memset(&net, 0, sizeof net);
    net.config.dims = dims;
    for (unsigned d = 0; d < dims; d++) {
        net.dim[d] = dim[d];
    }
    fixture_open(&net, "analytical", ORR_ORDER_LABEL);
}

static void open_ring(uint32_t npus, sim_time latency_ps, bool per_npu)
{
    open_dims(1, &(struct net_dim){.block = NET_RING,
                                   .npus = npus,
                                   .bandwidth_bytes_per_s = 1e9,
                                   .latency_ps = latency_ps,
                                   .per_npu = per_npu});
}

static unsigned message(sim_time time, uint32_t src, uint32_t dst, uint64_t bytes)
{
    return fixture_send(
        &net, time,
        (struct net_msg){.src = orr_rank(src), .dst = orr_rank(dst), .bytes = bytes, .label = src});
}

static void expect(unsigned index, sim_time sent, sim_time delivered)
{
    assert_int_equal(net.sent[index], sent);
    assert_int_equal(fixture_time(&net, index), delivered);
}

/* 3 hops of 2 us and 5 us on the wire; it has left after 5 us. */
static void test_ring_lone_message_is_cut_through(void **state)
{
    (void)state;
    open_ring(8, 2 * US, false);
    const unsigned one = message(0, 6, 1, 5000); /* 6, 7, 0, 1 */
    const unsigned back = message(0, 5, 2, 5000);
    fixture_run(&net);
    expect(one, 5 * US, 11 * US);
    expect(back, 5 * US, 11 * US);
    fixture_close(&net);
}

/* 0 to 2 and 1 to 2 share the link from 1 to 2. The head of the first is there after 1 us; the
 * second has it until 4 us, so the first's tail is through at 4 + 4 and there at 9 us. */
static void test_ring_two_messages_share_the_link_that_both_take(void **state)
{
    (void)state;
    open_ring(6, US, false);
    const unsigned far = message(0, 0, 2, 4000);
    const unsigned near = message(0, 1, 2, 4000);
    fixture_run(&net);
    expect(near, 4 * US, 5 * US);
    expect(far, 4 * US, 9 * US);
    fixture_close(&net);
}

/* 0 to 3, 1 to 4, 2 to 5: three messages over the link from 2 to 3, so the last is through after
 * three services. */
static void test_ring_three_messages_over_a_link_take_three_services(void **state)
{
    (void)state;
    open_ring(8, 0, false);
    sim_time last = 0;
    for (uint32_t i = 0; i < 3; i++) {
        (void)message(0, i, i + 3, 1000);
    }
    fixture_run(&net);
    for (unsigned i = 0; i < 3; i++) {
        last = fixture_time(&net, i) > last ? fixture_time(&net, i) : last;
    }
    assert_true(last >= 3 * US);
    fixture_close(&net);
}

/* Counted per NPU both ways share a port: what passes 1 keeps 1 from sending. */
static void test_npu_ring_what_passes_shares_the_only_port(void **state)
{
    (void)state;
    open_ring(6, US, true);
    const unsigned passes = message(0, 0, 2, 4000);
    const unsigned other = message(2 * US, 1, 0, 4000);
    fixture_run(&net);
    expect(passes, 4 * US, 6 * US);
    expect(other, 9 * US, 10 * US); /* the port is 0's from 1 to 5 us */
    fixture_close(&net);
}

/* Two dimensions, one after the other: 2 x 1 us through the switch, then 1 us; 4000 bytes take 4
 * us at 1 GB/s and 1 us at 4 GB/s: 3 + 4 us, whichever is the narrow one. */
static void test_two_dims_lone_message_takes_both(void **state)
{
    (void)state;
    for (unsigned narrow = 0; narrow < 2; narrow++) {
        struct net_dim dim[2] = {
            {.block = NET_SWITCH, .npus = 4, .bandwidth_bytes_per_s = 4e9, .latency_ps = US},
            {.block = NET_FULLY_CONNECTED,
             .npus = 3,
             .bandwidth_bytes_per_s = 4e9,
             .latency_ps = US}};
        dim[narrow].bandwidth_bytes_per_s = 1e9;
        open_dims(2, dim);
        const unsigned one = message(0, 1, 11, 4000); /* (1, 0) to (3, 2) */
        fixture_run(&net);
        expect(one, narrow == 0 ? 4 * US : US, 7 * US);
        fixture_close(&net);
    }
}

/* It takes the port of the corner in the second dimension: (0, 0) to (1, 1) goes by (1, 0), which
 * sends to (1, 1) itself. */
static void test_two_dims_message_shares_the_port_of_the_corner(void **state)
{
    (void)state;
    const struct net_dim dim[2] = {{.block = NET_SWITCH, .npus = 2, .bandwidth_bytes_per_s = 1e9},
                                   {.block = NET_SWITCH, .npus = 2, .bandwidth_bytes_per_s = 1e9}};
    open_dims(2, dim);
    const unsigned corner = message(0, 0, 3, 1000);
    const unsigned own = message(0, 1, 3, 1000);
    fixture_run(&net);
    assert_int_equal(fixture_time(&net, corner) + fixture_time(&net, own), 3 * US);
    fixture_close(&net);
}

/* Without latency, which is accounted for elsewhere. */
static void test_ring_at_once_takes_its_links_without_latency(void **state)
{
    (void)state;
    open_ring(8, 2 * US, false);
    const unsigned one = fixture_send(
        &net, 0,
        (struct net_msg){.src = orr_rank(0), .dst = orr_rank(3), .bytes = 5000, .at_once = true});
    fixture_run(&net);
    expect(one, 5 * US, 5 * US);
    fixture_close(&net);
}

/* All to all among 8 in one instant, 1000 bytes each: over each link 1 + 2 + 3 messages go, and the
 * one of 4 hops from either side of it by the given direction: forward 10, backward 6. */
static void test_ring_all_to_all_takes_the_load_of_its_links(void **state)
{
    (void)state;
    open_ring(8, 0, false);
    for (uint32_t src = 0; src < 8; src++) {
        for (uint32_t step = 1; step < 8; step++) {
            (void)fixture_send(&net, 0,
                               (struct net_msg){.src = orr_rank(src),
                                                .dst = orr_rank((src + step) % 8),
                                                .bytes = 1000,
                                                .label = step});
        }
    }
    fixture_run(&net);
    sim_time last = 0;
    for (unsigned i = 0; i < net.deliveries; i++) {
        last = net.log[i].time > last ? net.log[i].time : last;
    }
    assert_int_equal(net.deliveries, 56);
    assert_true(last >= 10 * US && last <= 12 * US);
    fixture_close(&net);
}

/* ---- where messages enter ---- */

static void open_switch(uint32_t npus, sim_time latency_ps)
{
    open_dims(1, &(struct net_dim){.block = NET_SWITCH,
                                   .npus = npus,
                                   .bandwidth_bytes_per_s = 1e9,
                                   .latency_ps = latency_ps});
}

/* Seven NPUs send 1000 bytes to the eighth at once: the tails are there after 1 + 2 us, and its
 * link carries one a microsecond. */
static void test_switch_gather_comes_one_after_the_other(void **state)
{
    (void)state;
    open_switch(8, US);
    for (uint32_t src = 1; src < 8; src++) {
        (void)message(0, src, 0, 1000);
    }
    fixture_run(&net);
    for (unsigned i = 0; i < 7; i++) {
        expect(i, US, (3 + i) * US);
    }
    fixture_close(&net);
}

/* A message that comes in the midst of a long one takes its microsecond from it, and no more: the
 * long one's head is there at 0 and its tail at 10 us. */
static void test_switch_long_message_waits_for_what_overtakes_it(void **state)
{
    (void)state;
    open_switch(4, 0);
    const unsigned longer = message(0, 1, 0, 10000);
    const unsigned shorter = message(4 * US, 2, 0, 1000);
    const unsigned later = message(11 * US, 3, 0, 1000);
    fixture_run(&net);
    expect(shorter, 5 * US, 5 * US);
    expect(longer, 10 * US, 11 * US);
    expect(later, 12 * US, 12 * US);
    fixture_close(&net);
}

/* What comes when the NPU has been taken in full goes by nobody: 0 bytes wait too. */
static void test_switch_empty_message_waits_for_what_is_taken_in(void **state)
{
    (void)state;
    open_switch(4, 0);
    (void)message(0, 1, 0, 4000);
    const unsigned second = message(0, 2, 0, 4000);
    const unsigned empty = message(5 * US, 3, 0, 0);
    fixture_run(&net);
    expect(second, 4 * US, 8 * US);
    expect(empty, 5 * US, 8 * US);
    fixture_close(&net);
}

/* A ring counted per NPU: what comes from both sides shares what an NPU receives. */
static void test_npu_ring_both_sides_share_what_enters(void **state)
{
    (void)state;
    open_ring(4, 0, true);
    (void)message(0, 1, 0, 1000);
    (void)message(0, 3, 0, 1000);
    fixture_run(&net);
    assert_int_equal(fixture_time(&net, 0) + fixture_time(&net, 1), 3 * US);
    fixture_close(&net);
}

/* All go through the corner (0, 0), which receives 1 GB/s of the first dimension: three messages to
 * (0, 1), which is ten times as fast to reach from there. */
static void test_two_dims_corner_receives_one_after_the_other(void **state)
{
    (void)state;
    const struct net_dim dim[2] = {{.block = NET_SWITCH, .npus = 4, .bandwidth_bytes_per_s = 1e9},
                                   {.block = NET_SWITCH, .npus = 4, .bandwidth_bytes_per_s = 10e9}};
    open_dims(2, dim);
    sim_time last = 0;
    for (uint32_t src = 1; src < 4; src++) {
        (void)message(0, src, 4, 1000);
    }
    fixture_run(&net);
    for (unsigned i = 0; i < 3; i++) {
        last = fixture_time(&net, i) > last ? fixture_time(&net, i) : last;
    }
    assert_int_equal(last, 3 * US);
    fixture_close(&net);
}

/* As the paper's model has it, on request: only senders' ports are shared. */
static void test_contention_of_senders_lets_messages_pass(void **state)
{
    (void)state;
    memset(&net, 0, sizeof net);
    net.config.dims = 1;
    struct orr_arena *arena = orr_arena_create();
    net.config.own = backend_keys(arena, "contention: senders");
    net.dim[0] = (struct net_dim){.block = NET_RING, .npus = 6, .bandwidth_bytes_per_s = 1e9};
    fixture_open(&net, "analytical", ORR_ORDER_LABEL);
    const unsigned far = message(0, 0, 2, 4000);
    const unsigned near = message(0, 1, 2, 4000);
    fixture_run(&net);
    expect(near, 4 * US, 4 * US);
    expect(far, 4 * US, 4 * US);
    fixture_close(&net);
    orr_arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ring_lone_message_is_cut_through),
        cmocka_unit_test(test_ring_two_messages_share_the_link_that_both_take),
        cmocka_unit_test(test_ring_three_messages_over_a_link_take_three_services),
        cmocka_unit_test(test_npu_ring_what_passes_shares_the_only_port),
        cmocka_unit_test(test_two_dims_lone_message_takes_both),
        cmocka_unit_test(test_two_dims_message_shares_the_port_of_the_corner),
        cmocka_unit_test(test_ring_at_once_takes_its_links_without_latency),
        cmocka_unit_test(test_ring_all_to_all_takes_the_load_of_its_links),
        cmocka_unit_test(test_switch_gather_comes_one_after_the_other),
        cmocka_unit_test(test_switch_long_message_waits_for_what_overtakes_it),
        cmocka_unit_test(test_switch_empty_message_waits_for_what_is_taken_in),
        cmocka_unit_test(test_npu_ring_both_sides_share_what_enters),
        cmocka_unit_test(test_two_dims_corner_receives_one_after_the_other),
        cmocka_unit_test(test_contention_of_senders_lets_messages_pass),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
