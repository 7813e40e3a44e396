/* Flows while capacities change, and what their start costs, against calculations by hand. */
#include "core/conf/conf.h"
#include "core/evq.h"
#include "flow_fixture.h"
#include "network/flows/flows.h"
#include "network/graph.h"
#include "network/net.h"
#include "network/net_config_read.h"
#include "tests/unit/flow_fixture.h"

static enum orr_status read_text(struct fixture *f, const char *text)
{
    const struct orr_conf *root = parse_text(f, text);
    assert_int_equal(orr_conf_set(f->arena, root, "graph.bandwidth=10 GB/s", &root, NULL), ORR_OK);
    assert_int_equal(orr_conf_set(f->arena, root, "graph.latency=1 us", &root, NULL), ORR_OK);
    return orr_net_config_read(f->arena, root, &f->config, &f->diag);
}

/* A network, links of 10 GB/s and 1 us, and its flows. */
static void open_flows(struct fixture *f, const char *text, struct net_flow_model model)
{
    assert_int_equal(read_text(f, text), ORR_OK);
    f->model = model;
    f->config.flow_model = &f->model;
    create_net(f);
}

static const struct net_flow_model fluid = {.packet_bytes = 0};

#define PAIR "graph: {npus: 2, links: [{from: 0, to: 1}]}\n"
#define STAR                                                                                       \
    "graph: {npus: 4, switches: 1, links: [{from: 0, to: 4}, {from: 1, to: 4}, {from: 2, to: 4}, " \
    "{from: 3, to: 4}]}\n"

/* 1 MB: 500 KB in 50 us at 10 GB/s, then 100 us at 5; and 1 us of latency. */
static void test_a_flow_whose_link_is_halved(void **state)
{
    struct fixture *f = *state;
    open_flows(f, PAIR "changes: [{at: 50 us, link: 0-1, bandwidth: 5 GB/s}]\n", fluid);
    start(f, 0, 1, 1000000, 0);
    run(f);
    assert_int_equal(f->end[0], 151 * US);
    assert_int_equal(f->net->ops->stuck(f->net).flows, 0);
}

/* 0 to 2 and 1 to 2, 1 MB, and 0 to 3, 1.25 MB, each at 5 GB/s. After 100 us each has sent 500 KB,
 * and the link to 2 has 5 GB/s: the first two go on with 2.5, 200 us more; the third gets what the
 * first leaves, 7.5 GB/s, for 750 KB: 100 us. */
static void test_three_flows_when_one_link_is_halved(void **state)
{
    struct fixture *f = *state;
    open_flows(f, STAR "changes: [{at: 100 us, link: 4-2, bandwidth: 40 Gb/s, one_way: true}]\n",
               fluid);
    start(f, 0, 2, 1000000, 0);
    start(f, 1, 2, 1000000, 1);
    start(f, 0, 3, 1250000, 2);
    run(f);
    assert_int_equal(f->end[0], 302 * US);
    assert_int_equal(f->end[1], 302 * US);
    assert_int_equal(f->end[2], 202 * US);
}

/* 200 KB until 20 us, nothing until 70 us, 800 KB in 80 us. */
static void test_a_flow_goes_on_after_an_outage(void **state)
{
    struct fixture *f = *state;
    open_flows(f,
               PAIR "changes:\n- {at: 70 us, link: 0-1, bandwidth: 10 GB/s}\n"
                    "- {at: 20 us, link: 0-1, bandwidth: 0}\n",
               fluid);
    start(f, 0, 1, 1000000, 0);
    run(f);
    assert_int_equal(f->end[0], 151 * US);
}

/* Joins after the handshake, 1 us and a byte (100 ps); 100 packets of 8936 bytes at 100 ps a byte
 * take 89.36 us, and the outage 50 us; then 1 us. */
static void test_a_flow_with_a_window_goes_on_after_an_outage(void **state)
{
    struct fixture *f = *state;
    open_flows(f,
               PAIR "changes:\n- {at: 10 us, link: 0-1, bandwidth: 0 Gb/s}\n"
                    "- {at: 60 us, link: 0-1, bandwidth: 10 GB/s}\n",
               orr_net_flow_packets(true));
    start(f, 0, 1, 893600, 0);
    run(f);
    assert_int_equal(f->end[0], 1 * US + 100 + 89360 * ORR_PS_PER_NS + 50 * US + 1 * US);
}

/* Two windows of 100 packets share a link evenly, 5 GB/s each; from 50.0002 us on, 2.5 GB/s. Joined
 * after 2 us and 200 ps, they have sent 240 KB each until 50.0002 us; of 893600 bytes 653600 are
 * left, 261.44 us. Two links of 1 us and a packet of 893.6 ns on one of the full speed. */
static void test_two_flows_with_windows_when_their_link_is_halved(void **state)
{
    struct fixture *f = *state;
    open_flows(f, STAR "changes: [{at: 50.0002 us, link: 4-2, bandwidth: 5 GB/s, one_way: true}]\n",
               orr_net_flow_packets(true));
    start(f, 0, 2, 893600, 0);
    start(f, 1, 2, 893600, 1);
    run(f);
    const sim_time hand = 50 * US + 200 + 261440 * ORR_PS_PER_NS + 2 * US + 893600;
    assert_in_range(f->end[0], hand - 1, hand + 1);
    assert_in_range(f->end[1], hand - 1, hand + 1);
}

/* Two ways from 0 to 1 begin with the link 0-2, of 5 GB/s, which holds the flow back: 893,600 bytes
 * take 178.72 us. When 2-3 dies it goes on over 2-4 without a loss. The way of a byte, three links
 * of 1 us and 200, 100, 100 ps, comes before, and behind it the latencies and a packet's 893.6 ns
 * on two links. */
static void test_a_flow_with_a_window_moves_to_a_path_over_its_bottleneck(void **state)
{
    struct fixture *f = *state;
    open_flows(f,
               "graph: {npus: 2, switches: 3, links: [{from: 0, to: 2, bandwidth: 5 GB/s}, "
               "{from: 2, to: 3}, {from: 3, to: 1}, {from: 2, to: 4}, {from: 4, to: 1}]}\n"
               "reroute: true\n"
               "changes: [{at: 50 us, link: 2-3, bandwidth: 0 GB/s}]\n",
               orr_net_flow_packets(true));
    start(f, 0, 1, 893600, 0);
    run(f);
    assert_int_equal(f->end[0], 3 * US + 400 + 178720 * ORR_PS_PER_NS + 3 * US + 2 * 893600);
}

/* Without bytes it waits as others do, and goes around as soon as there is a way: over two links of
 * 1 us from 10 us on. */
static void test_a_flow_without_bytes_moves_too(void **state)
{
    struct fixture *f = *state;
    open_flows(
        f,
        "graph: {npus: 3, links: [{from: 0, to: 1}, {from: 0, to: 2}, {from: 2, to: 1}]}\n"
        "reroute: true\n"
        "changes: [{at: 0 us, link: 0-1, bandwidth: 0 GB/s},"
        " {at: 0 us, link: 0-2, bandwidth: 0 GB/s},"
        " {at: 10 us, link: 0-2, bandwidth: 10 GB/s}, {at: 1 s, link: 0-1, bandwidth: 1 GB/s}]\n",
        fluid);
    start(f, 0, 1, 0, 0);
    run(f);
    assert_int_equal(f->end[0], 12 * US);
}

/* 0 to 1 stands still on its first link, 2 to 3 ends; links are by (from, to), so that of 0 is the
 * first. */
static void test_a_flow_that_stands_still_is_told(void **state)
{
    struct fixture *f = *state;
    open_flows(f, STAR "changes: [{at: 1 us, link: 4-0, bandwidth: 0 GB/s}]\n", fluid);
    start(f, 2, 3, 1000000, 5);
    start(f, 0, 1, 1000000, 7);
    run(f);
    const struct net_flows_stuck stuck = f->net->ops->stuck(f->net);
    assert_int_equal(f->end[5], 102 * US);
    assert_int_equal(f->end[7], NOT_ENDED);
    assert_int_equal(stuck.flows, 1);
    assert_int_equal(stuck.cookie, 7);
    assert_int_equal(stuck.link, orr_net_graph_find(f->config.graph, 0, 4));
}

/* Changes without flows do not make a run longer. */
static void test_changes_wait_for_flows(void **state)
{
    struct fixture *f = *state;
    open_flows(f,
               PAIR "changes: [{at: 10 us, link: 0-1, bandwidth: 5 GB/s}, "
                    "{at: 100 s, link: 0-1, bandwidth: 1 GB/s}]\n",
               fluid);
    run(f);
    assert_int_equal(orr_evq_now(f->queue), 0);
}

/* A line of three: 1 us of preparation, two links of 1 us, 3 us in the NPU between, 1000 bytes at
 * 10 GB/s, 0.1 us. With a handshake of a byte its way comes in addition: 2 us, 3 us, 0.2 ns. */
static void test_start_and_forwarding_take_time(void **state)
{
    struct fixture *f = *state;
    const struct net_flow_model model = {.start_ps = US, .forward_ps = 3 * US};
    const struct net_flow_model shake = {.start_ps = US, .forward_ps = 3 * US, .start_bytes = 1};
    const char *line = "graph: {npus: 3, links: [{from: 0, to: 1}, {from: 1, to: 2}]}\n";
    open_flows(f, line, model);
    start(f, 0, 2, 1000, 0);
    run(f);
    assert_int_equal(f->end[0], 6100 * ORR_PS_PER_NS);
    orr_net_destroy(f->net);
    orr_evq_destroy(f->queue);
    f->queue = orr_evq_create(ORR_ORDER_INSERTION, 4);
    open_flows(f, line, shake);
    start(f, 0, 2, 1000, 1);
    run(f);
    assert_int_equal(f->end[1], 11100 * ORR_PS_PER_NS + 200);
}

static void test_bad_changes_are_refused_with_their_place(void **state)
{
    static const struct {
        const char *text, *message;
    } bad[] = {
        {PAIR "changes: [{at: 1 us, link: 0-1, bandwidth: fast}]\n",
         "changes[0]: expected a bandwidth such as \"50 GB/s\", or 0, got \"fast\""},
        {PAIR "changes: [{at: 1 us, link: 0-1, bandwidth: -1 GB/s}]\n",
         "changes[0]: expected a bandwidth such as \"50 GB/s\", or 0, got \"-1 GB/s\""},
        {PAIR "changes: [{at: 1 us, link: 0, bandwidth: 0}]\n",
         "changes[0]: expected an existing link, as FROM-TO, got \"0\""},
        {STAR "changes: [{at: 1 us, link: 0-1, bandwidth: 0}]\n",
         "changes[0]: expected an existing link, as FROM-TO, got \"0-1\""},
        {PAIR "changes: [{at: 1 us, link: 0-2, bandwidth: 0}]\n",
         "changes[0]: expected a node, 0 to 1, or a link as FROM-TO, got \"0-2\""},
    };
    struct fixture *f = *state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        orr_diag_init(&f->diag);
        assert_int_equal(read_text(f, bad[i].text), ORR_ERR_INPUT);
        assert_string_equal(f->diag.message, bad[i].message);
        assert_string_equal(f->diag.place.file, "net.yml");
        assert_int_equal(f->diag.place.line, 2);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_fixture, close_fixture)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_a_flow_whose_link_is_halved),
        TEST(test_three_flows_when_one_link_is_halved),
        TEST(test_a_flow_goes_on_after_an_outage),
        TEST(test_a_flow_with_a_window_goes_on_after_an_outage),
        TEST(test_two_flows_with_windows_when_their_link_is_halved),
        TEST(test_a_flow_with_a_window_moves_to_a_path_over_its_bottleneck),
        TEST(test_a_flow_without_bytes_moves_too),
        TEST(test_a_flow_that_stands_still_is_told),
        TEST(test_changes_wait_for_flows),
        TEST(test_start_and_forwarding_take_time),
        TEST(test_bad_changes_are_refused_with_their_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
