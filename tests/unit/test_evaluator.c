/* The evaluator of strategies, by hand: what computes, sends and reduces alone, and what shares. */
#include "graph_fixture.h"

#include <math.h>
#include <stdlib.h>

#include "network/fabric_build.h"
#include "network/flows/flows.h"
#include "network/graph.h"
#include "network/route_options.h"
#include "planner/evaluator/evaluator.h"
#include "tests/unit/graph_fixture.h"

#define US ((sim_time)ORR_PS_PER_US)
#define MS (1000 * US)

static const struct net_flow_model packets = {.packet_bytes = 8936, .start_bytes = 1};

/* Links of 8.936 GB/s, on which a packet takes 1 us, and of no latency or 1 us. */
static struct evaluator *evaluator_of(struct fixture *f, const char *fabric, uint32_t npus,
                                      sim_time latency_ps, const struct eval_setup *of)
{
    const struct net_fabric built = {
        .text = fabric, .npus = npus, .kind = {.bytes_per_s = 8.936e9, .latency_ps = latency_ps}};
    struct eval_setup setup = *of;
    struct evaluator *evaluator = NULL;
    assert_int_equal(orr_net_build_fabric(&built, f->arena, &f->graph, &f->routing, &f->diag),
                     ORR_OK);
    setup.graph = &f->graph;
    setup.routes = (struct net_route_options){.routing = f->routing, .seed = 1};
    setup.devices = npus;
    if (orr_evaluator_create(&evaluator, &setup, &f->diag) != ORR_OK) {
        fail_msg("%s", f->diag.message);
    }
    return evaluator;
}

static const uint32_t first_ones[] = {0, 1, 2, 3, 4, 5, 6, 7};

/* The operator on the first devices. */
static void put(struct evaluator *evaluator, uint32_t op, uint32_t parts, sim_time forward_ps,
                sim_time backward_ps)
{
    const struct eval_parts spread = {
        .parts = parts, .device = first_ones, .forward_ps = forward_ps, .backward_ps = backward_ps};
    assert_true(orr_eval_set_parts(evaluator, op, &spread));
}

/* Every part gives to the same part of the next operator. */
static void stay(struct evaluator *evaluator, uint32_t edge, uint32_t parts)
{
    struct eval_transfer local[8];
    for (uint32_t i = 0; i < parts; i++) {
        local[i] = (struct eval_transfer){i, i, 0};
    }
    assert_true(orr_eval_set_edge(evaluator, edge, local, parts));
}

static void reduce(struct evaluator *evaluator, uint32_t op, uint32_t members, uint64_t bytes,
                   sim_time inner_ps)
{
    const struct eval_reduce all = {
        .bytes = bytes, .inner_ps = inner_ps, .members = members, .member = first_ones};
    assert_true(orr_eval_set_reduces(evaluator, op, &all, 1));
}

static void takes(struct fixture *f, struct evaluator *evaluator, double us, double within)
{
    sim_time time_ps = 0;
    if (orr_evaluate(evaluator, &time_ps, &f->diag) != ORR_OK) {
        fail_msg("%s", f->diag.message);
    }
    if (fabs((double)time_ps / US - us) > within) {
        fail_msg("%.6f us, expected %.6f", (double)time_ps / US, us);
    }
    orr_evaluator_destroy(evaluator);
}

static const struct eval_edge chain[] = {{0, 1}, {1, 2}, {2, 3}};

/* Two operators on a device: 1 + 2 ms forward, 4 + 3 ms backward. */
static void test_a_chain_takes_the_sum_of_its_times(void **state)
{
    struct evaluator *evaluator = evaluator_of(
        *state, "ideal-switch", 2, 0, &(struct eval_setup){.ops = 2, .edges = 1, .edge = chain});
    put(evaluator, 0, 2, 1 * MS, 3 * MS);
    put(evaluator, 1, 2, 2 * MS, 4 * MS);
    stay(evaluator, 0, 2);
    takes(*state, evaluator, 10000, 1e-6);
}

/* Four parts of 1 + 2 ms on two devices: each has two of them. */
static void test_a_device_does_its_parts_one_after_the_other(void **state)
{
    struct evaluator *evaluator =
        evaluator_of(*state, "ideal-switch", 2, 0, &(struct eval_setup){.ops = 1});
    const struct eval_parts four = {.parts = 4,
                                    .device = (const uint32_t[]){0, 1, 0, 1},
                                    .forward_ps = 1 * MS,
                                    .backward_ps = 2 * MS};
    assert_true(orr_eval_set_parts(evaluator, 0, &four));
    takes(*state, evaluator, 6000, 1e-6);
}

/* Device 0 gives 3 packets to device 1 over a switch, and gets as many back: twice a handshake of
 * 2 (1 us + 1 byte), 3 us, and a tail of 2 us and a packet; computing takes 4 x 10 us. */
static void test_a_transfer_takes_its_handshake_its_bytes_and_its_tail(void **state)
{
    struct evaluator *evaluator =
        evaluator_of(*state, "ideal-switch", 2, US,
                     &(struct eval_setup){.ops = 2, .edges = 1, .edge = chain, .model = packets});
    const struct eval_parts other = {
        .parts = 1, .device = (const uint32_t[]){1}, .forward_ps = 10 * US, .backward_ps = 10 * US};
    put(evaluator, 0, 1, 10 * US, 10 * US);
    assert_true(orr_eval_set_parts(evaluator, 1, &other));
    assert_true(orr_eval_set_edge(evaluator, 0, &(struct eval_transfer){0, 1, 20000}, 1));
    takes(*state, evaluator, 40 + 2 * (2 + 2 / 8936.0 + 3 + 3), 1e-5);
}

/* Four on a circulant of jump 1 have two rings. 8 packets are one a flow: 6 rounds of a handshake
 * of 1 us and a byte, 1 us for the packet, 1 us of latency. The servers' inside takes 5 us before.
 */
static void test_an_all_reduce_alone_takes_its_rounds(void **state)
{
    struct evaluator *evaluator = evaluator_of(*state, "circulant:1", 4, US,
                                               &(struct eval_setup){.ops = 1, .model = packets});
    put(evaluator, 0, 4, 0, 0);
    reduce(evaluator, 0, 4, 8 * 8936, 5 * US);
    takes(*state, evaluator, 5 + 6 * (3 + 1 / 8936.0), 1e-5);
}

/* As one stream each sends 12 packets to the next over a switch: a handshake of 2 us and 2 bytes,
 * 12 us, a tail of 2 us and a packet. Two rings of a circulant have half of it each. Two streams at
 * once share the links, 2 x 12 us, but for half of a packet: each counts as away from the links for
 * its tail at any time, not only at its end. */
static void test_a_stream_is_one_message(void **state)
{
    const struct eval_setup streams = {.ops = 2, .stream = true, .model = packets};
    struct evaluator *evaluator = evaluator_of(*state, "ideal-switch", 4, US, &streams);
    put(evaluator, 0, 4, 0, 0);
    reduce(evaluator, 0, 4, UINT64_C(8) * 8936, 5 * US);
    takes(*state, evaluator, 5 + 2 * (1 + 1 / 8936.0) + 12 + 3, 1e-5);
    evaluator = evaluator_of(*state, "circulant:1", 4, US, &streams);
    put(evaluator, 0, 4, 0, 0);
    reduce(evaluator, 0, 4, UINT64_C(8) * 8936, 0);
    takes(*state, evaluator, 1 + 1 / 8936.0 + 6 + 1, 1e-5);
    evaluator = evaluator_of(*state, "ideal-switch", 4, 0, &streams);
    put(evaluator, 0, 4, 0, 0);
    put(evaluator, 1, 4, 0, 0);
    reduce(evaluator, 0, 4, UINT64_C(8) * 8936, 0);
    reduce(evaluator, 1, 4, UINT64_C(8) * 8936, 0);
    takes(*state, evaluator, 2 / 8936.0 + 24 + 1, 0.5);
}

/* Rings of the graph that are not apart: both go forward over the same links, so that each of 6
 * rounds is a handshake, a tail of 1 us and two packets. */
static void test_rings_side_by_side_share_links(void **state)
{
    struct fixture *f = *state;
    const struct net_ring twice[] = {{.npus = 4, .jump = 1}, {.npus = 4, .jump = 1}};
    struct evaluator *evaluator =
        evaluator_of(f, "circulant:1", 4, US, &(struct eval_setup){.ops = 1, .model = packets});
    f->graph.ring = twice;
    f->graph.rings = 2;
    put(evaluator, 0, 4, 0, 0);
    reduce(evaluator, 0, 4, UINT64_C(8) * 8936, 0);
    takes(f, evaluator, 6 * (2 + 1.0 / 8936 + 2), 1e-3);
}

static uint32_t link_between(const struct net_graph *graph, uint32_t from, uint32_t to)
{
    uint32_t link = 0;
    while (graph->link[link].from != from || graph->link[link].to != to) {
        link++;
    }
    return link;
}

/* A ring of which each step goes the long way: a handshake of 3 us and 3 bytes, a tail of 5 us
 * (three latencies and two packets), and two packets on links that three steps have: so few bytes,
 * 35744 x 6 / 16, take one round. */
static void test_steps_of_several_hops_take_their_latencies(void **state)
{
    struct fixture *f = *state;
    const struct net_ring ring = {.npus = 4, .member = first_ones, .way = 1};
    struct net_route_links way[4];
    uint32_t link[4][3];
    struct evaluator *evaluator =
        evaluator_of(f, "circulant:1", 4, US, &(struct eval_setup){.ops = 1, .model = packets});
    for (uint32_t i = 0; i < 4; i++) {
        for (uint32_t h = 0; h < 3; h++) {
            link[i][h] = link_between(&f->graph, (i + 4 - h) % 4, (i + 3 - h) % 4);
        }
        way[i] = (struct net_route_links){.link = link[i], .hops = 3};
    }
    f->graph.ring = &ring;
    f->graph.rings = 1;
    f->graph.way = way;
    f->graph.ways = 4;
    put(evaluator, 0, 4, 0, 0);
    reduce(evaluator, 0, 4, UINT64_C(4) * 8936, 0);
    takes(f, evaluator, 8 + 3.0 / 8936 + 3 * 2, 1e-3);
}

/* S <= 18000 (k - 1) takes one round, of 2 S (k - 1) / k^2 on two rings: 54000 x 6 / 16 / 2 =
 * 10125 bytes, 2 packets. */
static void test_a_small_all_reduce_takes_one_round(void **state)
{
    struct evaluator *evaluator = evaluator_of(*state, "circulant:1", 4, US,
                                               &(struct eval_setup){.ops = 1, .model = packets});
    put(evaluator, 0, 4, 0, 0);
    reduce(evaluator, 0, 4, 54000, 0);
    takes(*state, evaluator, 4 + 1 / 8936.0, 1e-5);
}

/* Of 600 packets that three of each of two groups hold, over a switch: two others are sent 200
 * each, two rounds around the two of equal places take 100 each, and two others are sent 200 again.
 * Each of the four has a handshake of 2 (1 us + 1 byte), and a tail of 2 us and a packet. The
 * servers' inside takes 5 us before the rings. */
static void test_weights_held_by_several_of_a_group_are_scattered_and_gathered(void **state)
{
    struct evaluator *evaluator = evaluator_of(*state, "ideal-switch", 6, US,
                                               &(struct eval_setup){.ops = 1, .model = packets});
    const struct eval_reduce all = {
        .bytes = 600 * 8936, .inner_ps = 5 * US, .members = 6, .member = first_ones, .holders = 3};
    put(evaluator, 0, 6, 0, 0);
    assert_true(orr_eval_set_reduces(evaluator, 0, &all, 1));
    takes(*state, evaluator, 5 + 400 + 2 * 100 + 400 + 4 * (5 + 2 / 8936.0), 1e-5);
}

/* Two equal ones at once, without latencies: each has half of every link. 6 rounds of 2 x 100 us.
 */
static void test_two_all_reduces_share_links(void **state)
{
    struct evaluator *evaluator =
        evaluator_of(*state, "circulant:1", 4, 0, &(struct eval_setup){.ops = 2, .model = {0}});
    put(evaluator, 0, 4, 0, 0);
    put(evaluator, 1, 4, 0, 0);
    reduce(evaluator, 0, 4, 800 * 8936, 0);
    reduce(evaluator, 1, 4, 800 * 8936, 0);
    takes(*state, evaluator, 1200, 1e-3);
}

/* One ring of 1 MB a flow and round beside one of which a round is a packet, both behind latencies
 * of 2 us: the small one's 6 rounds take 2 us and little more than their share of a link each. */
static void test_a_small_all_reduce_is_not_held_up_by_a_large_one(void **state)
{
    struct evaluator *evaluator = evaluator_of(*state, "circulant:1", 4, US,
                                               &(struct eval_setup){.ops = 1, .model = packets});
    put(evaluator, 0, 4, 0, 0);
    const struct eval_reduce both[] = {
        {.bytes = 8 * 8936, .members = 4, .member = first_ones},
        {.bytes = 8000 * 8936ull, .members = 4, .member = first_ones}};
    assert_true(orr_eval_set_reduces(evaluator, 0, both, 2));
    /* Alone the large one takes 6 x (2 + 1000), and 6 packets more go over each link. */
    takes(*state, evaluator, 6 * (2 + 1000) + 6, 6);
}

/* A transfer of 600 us beside an all-reduce of 6 x 100 us, without latencies: both have half of the
 * link 0 -> 1 until the transfer is over, after 1200 us, when the all-reduce is, too: the other
 * links wait for this one. */
static void test_a_transfer_and_an_all_reduce_share_a_link(void **state)
{
    static const struct eval_edge edge[] = {{1, 2}};
    struct evaluator *evaluator =
        evaluator_of(*state, "circulant:1", 4, 0,
                     &(struct eval_setup){.ops = 3, .edges = 1, .edge = edge, .model = {0}});
    const struct eval_parts on_one = {.parts = 1, .device = (const uint32_t[]){1}};
    put(evaluator, 0, 4, 0, 0);
    reduce(evaluator, 0, 4, 800 * 8936, 0);
    put(evaluator, 1, 1, 0, 0);
    assert_true(orr_eval_set_parts(evaluator, 2, &on_one));
    assert_true(orr_eval_set_edge(evaluator, 0, &(struct eval_transfer){0, 1, 600 * 8936}, 1));
    /* Backward the transfer comes from 1 to 0, alone. */
    takes(*state, evaluator, 1200 + 600, 1e-2);
}

/* 40 all-reduces of a packet a round (1 us) with latencies of 2 us: 3 at a time would fill the
 * links, so these carry one packet after the other: 40 x 6 us. */
static void test_many_all_reduces_fill_links_in_spite_of_latencies(void **state)
{
    struct eval_reduce all[40];
    struct evaluator *evaluator = evaluator_of(*state, "circulant:1", 4, US,
                                               &(struct eval_setup){.ops = 1, .model = packets});
    put(evaluator, 0, 4, 0, 0);
    for (size_t i = 0; i < 40; i++) {
        all[i] = (struct eval_reduce){.bytes = 8 * 8936, .members = 4, .member = first_ones};
    }
    assert_true(orr_eval_set_reduces(evaluator, 0, all, 40));
    takes(*state, evaluator, 240, 0.06 * 240);
}

/* What limits: the device that computes 10 ms, or the ring's links. 6 rounds of a packet a flow are
 * 6 x 8936 bytes on every link. */
static void test_the_report_names_what_limits(void **state)
{
    struct fixture *f = *state;
    struct evaluator *evaluator =
        evaluator_of(f, "circulant:1", 4, US, &(struct eval_setup){.ops = 1, .model = packets});
    struct eval_critical critical;
    uint64_t bytes[8];
    sim_time time_ps;
    put(evaluator, 0, 4, 4 * MS, 6 * MS);
    reduce(evaluator, 0, 4, 8 * 8936, 0);
    assert_int_equal(orr_evaluate(evaluator, &time_ps, &f->diag), ORR_OK);
    assert_int_equal(orr_eval_report(evaluator, bytes, &critical, &f->diag), ORR_OK);
    assert_int_equal(critical.resource, EVAL_DEVICE);
    assert_int_equal(critical.busy_ps, 10 * MS);
    for (uint32_t l = 0; l < f->graph.links; l++) {
        assert_int_equal(bytes[l], 6 * 8936);
    }
    reduce(evaluator, 0, 4, 800000 * 8936ull, 0);
    assert_int_equal(orr_eval_report(evaluator, bytes, &critical, &f->diag), ORR_OK);
    assert_int_equal(critical.resource, EVAL_LINK);
    assert_int_equal(critical.busy_ps, 600 * MS);
    orr_evaluator_destroy(evaluator);
}

static void test_a_job_that_is_larger_than_the_network_is_refused(void **state)
{
    struct fixture *f = *state;
    struct evaluator *evaluator = NULL;
    assert_int_equal(build(f, "ideal-switch", 4), ORR_OK);
    const struct eval_setup setup = {.graph = &f->graph, .devices = 5, .ops = 1};
    assert_int_equal(orr_evaluator_create(&evaluator, &setup, &f->diag), ORR_ERR_INPUT);
    assert_string_equal(f->diag.message, "the evaluator: expected at most 4 devices, got 5");
}

/* A part that waits for what nobody sends. */
static void test_what_waits_for_ever_is_told(void **state)
{
    static const struct eval_edge round[] = {{0, 1}, {1, 0}};
    struct fixture *f = *state;
    struct evaluator *evaluator = evaluator_of(
        f, "ideal-switch", 2, 0, &(struct eval_setup){.ops = 2, .edges = 2, .edge = round});
    sim_time time_ps;
    put(evaluator, 0, 1, MS, MS);
    put(evaluator, 1, 1, MS, MS);
    stay(evaluator, 0, 1);
    stay(evaluator, 1, 1);
    assert_int_equal(orr_evaluate(evaluator, &time_ps, &f->diag), ORR_ERR_INPUT);
    assert_string_equal(
        f->diag.message,
        "a strategy cannot be evaluated: 4 parts wait for inputs that never arrive");
    orr_evaluator_destroy(evaluator);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_a_chain_takes_the_sum_of_its_times),
        TEST(test_a_device_does_its_parts_one_after_the_other),
        TEST(test_a_transfer_takes_its_handshake_its_bytes_and_its_tail),
        TEST(test_an_all_reduce_alone_takes_its_rounds),
        TEST(test_a_stream_is_one_message),
        TEST(test_rings_side_by_side_share_links),
        TEST(test_steps_of_several_hops_take_their_latencies),
        TEST(test_a_small_all_reduce_takes_one_round),
        TEST(test_weights_held_by_several_of_a_group_are_scattered_and_gathered),
        TEST(test_two_all_reduces_share_links),
        TEST(test_a_small_all_reduce_is_not_held_up_by_a_large_one),
        TEST(test_a_transfer_and_an_all_reduce_share_a_link),
        TEST(test_many_all_reduces_fill_links_in_spite_of_latencies),
        TEST(test_the_report_names_what_limits),
        TEST(test_a_job_that_is_larger_than_the_network_is_refused),
        TEST(test_what_waits_for_ever_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
