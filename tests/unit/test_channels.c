/* Channels that messages name, against calculations by hand. Unless said otherwise links have 1
 * GB/s each and 500 ns, messages 1000 bytes, and the overhead is 200 ns: a lane is taken for 1200
 * ns, and the message is at its other end after 1700 ns. */
#include "core/rng.h"
#include "network/channel.h"
#include "network/graph.h"
#include "network/graph_build.h"
#include "network/net_backend.h"
#include "network/route_options.h"
#include "network/routing/router.h"
#include "tests/unit/network_fixture.h"

#define NS ORR_PS_PER_NS

enum { MAX_TOLD = 64, ROUNDS = 200, TRAFFIC = 60 };

static struct fixture fixture; /* large; each test opens and closes it */

/* What the network says of NPUs that forward. */
static struct told {
    sim_time time;
    uint32_t npu;
    int change;
} told[FIXTURE_MESSAGES * 4];
static unsigned tells;

static void on_forwards(void *context, struct orr_slot npu, int change)
{
    const struct fixture *net = context;
    told[tells++] = (struct told){orr_evq_now(net->queue), npu.slot, change};
}

static const char *const backends[] = {"congestion", "flow"};
#define FOR_BACKENDS(b) for (const char *const *b = backends; b < backends + 2; b++)

/* A graph: links both ways between NPUs, `count` side by side. */
struct pair {
    uint32_t a, b, count;
};

static void make_graph(struct orr_arena *arena, uint32_t npus, const struct pair *pair,
                       unsigned pairs, struct net_graph *graph)
{
    struct net_graph_builder builder;
    orr_net_graph_begin(&builder, arena, npus, 0);
    for (unsigned i = 0; i < pairs; i++) {
        const struct net_link link = {.from = pair[i].a,
                                      .to = pair[i].b,
                                      .count = pair[i].count,
                                      .bytes_per_s = 1e9,
                                      .latency_ps = 500 * NS};
        orr_net_graph_both(&builder, &link);
    }
    assert_int_equal(orr_net_graph_end(&builder, graph, NULL), ORR_OK);
}

static struct net_graph graph;
static struct orr_arena *arena;
static struct net_channel channel[32];
static struct net_hop hops[32][4];
static uint32_t channels;

static void open_graph(uint32_t npus, const struct pair *pair, unsigned pairs)
{
    arena = orr_arena_create();
    make_graph(arena, npus, pair, pairs, &graph);
    channels = 0;
}

/* A channel over these nodes, always on the same lane; returns what messages call it. */
static uint32_t add_channel(const uint32_t *node, uint32_t nodes, uint32_t lane)
{
    struct net_channel *way = &channel[channels];
    *way = (struct net_channel){
        .from = node[0], .to = node[nodes - 1], .hops = nodes - 1, .hop = hops[channels]};
    for (uint32_t h = 0; h + 1 < nodes; h++) {
        hops[channels][h] = (struct net_hop){
            .link = orr_net_graph_find(&graph, node[h], node[h + 1]), .lane = lane};
    }
    return ++channels;
}

static struct fixture *open_net(const char *backend)
{
    memset(&fixture, 0, sizeof fixture);
    tells = 0;
    fixture.dim[0] = (struct net_dim){.block = NET_RING, .npus = graph.npus};
    fixture.config.dims = 1;
    fixture.config.graph = &graph;
    fixture.config.routes = (struct net_route_options){.routing = &orr_routing_shortest};
    fixture.config.channel = channel;
    fixture.config.channels = channels;
    fixture.config.message_overhead_ps = 200 * NS;
    fixture_open(&fixture, backend, ORR_ORDER_LABEL);
    fixture.net->listener.forwards = on_forwards;
    return &fixture;
}

static struct net_msg msg_of(uint32_t src, uint32_t dst, uint64_t label, uint32_t by)
{
    return (struct net_msg){
        .src = orr_rank(src), .dst = orr_rank(dst), .bytes = 1000, .label = label, .channel = by};
}

static void expect_told(unsigned index, sim_time time, uint32_t npu, int change)
{
    assert_true(index < tells);
    assert_int_equal(told[index].time, time);
    assert_int_equal(told[index].npu, npu);
    assert_int_equal(told[index].change, change);
}

/* ---- by hand ---- */

static void test_a_lane_carries_one_message_after_the_other(void **state)
{
    (void)state;
    FOR_BACKENDS(backend)
    {
        open_graph(2, &(struct pair){0, 1, 2}, 1);
        const uint32_t first = add_channel((uint32_t[]){0, 1}, 2, 0);
        const uint32_t second = add_channel((uint32_t[]){0, 1}, 2, 1);
        struct fixture *net = open_net(*backend);
        const unsigned late = fixture_send(net, 0, msg_of(0, 1, 2, first));
        const unsigned soon = fixture_send(net, 0, msg_of(0, 1, 1, first));
        const unsigned beside = fixture_send(net, 0, msg_of(0, 1, 3, second));
        fixture_run(net);
        assert_int_equal(fixture_time(net, soon), 1700 * NS);
        assert_int_equal(net->sent[soon], 1200 * NS);
        assert_int_equal(fixture_time(net, late), 2900 * NS);
        assert_int_equal(net->sent[late], 2400 * NS);
        assert_int_equal(fixture_time(net, beside), 1700 * NS);
        assert_int_equal(net->net->ops->links->bytes(net->net, 0), 3000);
        assert_int_equal(tells, 0);
        fixture_close(net);
        orr_arena_destroy(arena);
    }
}

/* A smaller order goes first among those that wait. */
static void test_those_that_wait_go_by_order(void **state)
{
    (void)state;
    FOR_BACKENDS(backend)
    {
        open_graph(2, &(struct pair){0, 1, 1}, 1);
        const uint32_t by = add_channel((uint32_t[]){0, 1}, 2, 0);
        struct fixture *net = open_net(*backend);
        struct net_msg msg = msg_of(0, 1, 1, by);
        msg.order = 7;
        const unsigned on_it = fixture_send(net, 0, msg);
        msg.label = 2;
        const unsigned last = fixture_send(net, 100 * NS, msg);
        msg.label = 3;
        msg.order = 6;
        const unsigned ahead = fixture_send(net, 200 * NS, msg);
        fixture_run(net);
        assert_int_equal(fixture_time(net, on_it), 1700 * NS);
        assert_int_equal(fixture_time(net, ahead), 2900 * NS);
        assert_int_equal(fixture_time(net, last), 4100 * NS);
        fixture_close(net);
        orr_arena_destroy(arena);
    }
}

/* From 0 over 2 to 1, hop by hop as a whole: two messages are 1200 ns apart. NPU 2 forwards the
 * first one from 1700 to 2900 ns, and the second one from then on. */
static void test_a_detour_is_store_and_forward_and_told(void **state)
{
    (void)state;
    const struct pair pair[] = {{0, 2, 1}, {2, 1, 1}};
    FOR_BACKENDS(backend)
    {
        open_graph(3, pair, 2);
        const uint32_t by = add_channel((uint32_t[]){0, 2, 1}, 3, 0);
        struct fixture *net = open_net(*backend);
        const unsigned first = fixture_send(net, 0, msg_of(0, 1, 1, by));
        const unsigned second = fixture_send(net, 0, msg_of(0, 1, 2, by));
        fixture_run(net);
        assert_int_equal(fixture_time(net, first), 3400 * NS);
        assert_int_equal(fixture_time(net, second), 4600 * NS);
        assert_int_equal(net->sent[second], 2400 * NS);
        assert_int_equal(tells, 4);
        expect_told(0, 1700 * NS, 2, 1);
        assert_int_equal(told[1].time, 2900 * NS);
        assert_int_equal(told[1].change + told[2].change, 0);
        assert_int_equal(told[2].time, 2900 * NS);
        expect_told(3, 4100 * NS, 2, -1);
        fixture_close(net);
        orr_arena_destroy(arena);
    }
}

/* ---- beside ordinary messages ---- */

/* Two links side by side, one of which is a channel's: what is left is one. */
static void test_a_lane_is_taken_from_what_others_have(void **state)
{
    (void)state;
    FOR_BACKENDS(backend)
    {
        open_graph(2, &(struct pair){0, 1, 2}, 1);
        const uint32_t by = add_channel((uint32_t[]){0, 1}, 2, 1);
        struct fixture *net = open_net(*backend);
        const unsigned named = fixture_send(net, 0, msg_of(0, 1, 1, by));
        const unsigned other = fixture_send(net, 0, msg_of(0, 1, 2, 0));
        const unsigned back = fixture_send(net, 0, msg_of(1, 0, 3, 0));
        fixture_run(net);
        assert_int_equal(fixture_time(net, named), 1700 * NS);
        assert_int_equal(fixture_time(net, other), 1700 * NS);
        assert_int_equal(fixture_time(net, back), 1200 * NS); /* over two: 200 + 500 + 500 */
        fixture_close(net);
        orr_arena_destroy(arena);
    }
}

/* Where channels name all there is, the others stand in the line of the first lane, on links in
 * the middle of their way too: three links, one after the other, take 3 x 1700 ns; as a flow the
 * first and the last have it whole as well. */
static void test_without_a_link_left_all_stand_in_one_line(void **state)
{
    (void)state;
    const struct pair pair[] = {{0, 1, 1}, {1, 2, 1}, {2, 3, 1}};
    FOR_BACKENDS(backend)
    {
        open_graph(4, pair, 3);
        const uint32_t by = add_channel((uint32_t[]){1, 2}, 2, 0);
        struct fixture *net = open_net(*backend);
        const unsigned named = fixture_send(net, 1000 * NS, msg_of(1, 2, 1, by));
        const unsigned other = fixture_send(net, 0, msg_of(0, 3, 2, 0));
        const unsigned near = fixture_send(net, 1500 * NS, msg_of(1, 2, 5, 0));
        fixture_run(net);
        assert_int_equal(fixture_time(net, named), 2700 * NS); /* 1000 to 2200 on the link */
        assert_int_equal(fixture_time(net, near), 3900 * NS);  /* 2200 to 3400 */
        assert_int_equal(fixture_time(net, other), 6800 * NS); /* 3400 to 4600, 5100 + 1700 */
        assert_int_equal(net->sent[other], 1200 * NS);
        assert_int_equal(net->sent[near], 3400 * NS);
        assert_int_equal(net->net->ops->links->bytes(net->net, orr_net_graph_find(&graph, 1, 2)),
                         3000);
        struct net_dim_stats stats;
        net->net->ops->stats(net->net, &stats);
        assert_true(stats.messages == 3 && stats.bytes == 3000 && stats.busy_ps == 6000 * NS);
        fixture_close(net);
        orr_arena_destroy(arena);
    }
}

/* ---- both backends ---- */

static void random_channels(struct orr_rng *rng)
{
    for (unsigned i = 0; i < 24; i++) {
        uint32_t node[4] = {(uint32_t)orr_rng_below(rng, 6)};
        const uint32_t nodes = 2 + (uint32_t)orr_rng_below(rng, 3);
        for (uint32_t h = 1; h < nodes; h++) {
            do {
                node[h] = (uint32_t)orr_rng_below(rng, 6);
            } while (node[h] == node[h - 1] || (h == nodes - 1 && node[h] == node[0]));
        }
        if (nodes == 2 || node[0] != node[nodes - 1]) {
            (void)add_channel(node, nodes, (uint32_t)orr_rng_below(rng, 2));
        }
    }
}

static void run_random(const char *backend, uint64_t seed, bool reversed)
{
    struct orr_rng rng;
    struct net_msg msg[TRAFFIC];
    sim_time time[TRAFFIC];
    orr_rng_init(&rng, seed, 1);
    struct fixture *net = open_net(backend);
    for (unsigned i = 0; i < TRAFFIC; i++) {
        const uint32_t by = (uint32_t)orr_rng_below(&rng, channels);
        msg[i] = msg_of(channel[by].from, channel[by].to, i, by + 1);
        msg[i].bytes = orr_rng_below(&rng, 5) * 500;
        msg[i].order = orr_rng_below(&rng, 3);
        time[i] = (sim_time)orr_rng_below(&rng, 10) * 500 * NS;
    }
    memcpy(net->msg, msg, sizeof msg);
    net->messages = TRAFFIC;
    for (unsigned i = 0; i < TRAFFIC; i++) {
        const unsigned at = reversed ? TRAFFIC - 1 - i : i;
        fixture_post(net, time[at], at);
    }
    fixture_run(net);
    assert_int_equal(net->deliveries, TRAFFIC);
}

static void test_random_traffic_is_the_same_on_both(void **state)
{
    (void)state;
    for (unsigned round = 0; round < ROUNDS; round++) {
        struct pair pair[15];
        struct orr_rng rng;
        sim_time arrived[TRAFFIC], sent[TRAFFIC];
        unsigned pairs = 0;
        orr_rng_init(&rng, round, 0);
        for (uint32_t a = 0; a < 6; a++) {
            for (uint32_t b = a + 1; b < 6; b++) {
                pair[pairs++] = (struct pair){a, b, 2};
            }
        }
        open_graph(6, pair, pairs);
        random_channels(&rng);
        for (unsigned run = 0; run < 4; run++) {
            run_random(backends[run / 2], round, run % 2 != 0);
            int forwarding = 0;
            for (unsigned i = 0; i < tells; i++) {
                forwarding += told[i].change;
            }
            assert_int_equal(forwarding, 0);
            for (unsigned i = 0; i < TRAFFIC; i++) {
                if (run != 0) {
                    assert_int_equal(fixture_time(&fixture, i), arrived[i]);
                    assert_int_equal(fixture.sent[i], sent[i]);
                }
                arrived[i] = fixture_time(&fixture, i);
                sent[i] = fixture.sent[i];
            }
            fixture_close(&fixture);
        }
        orr_arena_destroy(arena);
    }
}

/* ---- what is refused ---- */

static void refused(const char *backend, const char *message)
{
    struct net *net = NULL;
    struct orr_diag diag;
    orr_diag_init(&diag);
    const struct net_dim dim = {.block = NET_RING, .npus = graph.npus};
    const struct net_config config = {.backend = backend,
                                      .dims = 1,
                                      .dim = &dim,
                                      .graph = &graph,
                                      .channel = channel,
                                      .channels = channels};
    struct orr_evq *queue = orr_evq_create(ORR_ORDER_LABEL, graph.npus);
    assert_int_equal(orr_net_create(&net, &config, queue, arena, &diag), ORR_ERR_INPUT);
    assert_string_equal(diag.message, message);
    orr_evq_destroy(queue);
}

static void test_channels_that_are_none_are_refused(void **state)
{
    (void)state;
    const struct pair pair[] = {{0, 2, 2}, {2, 1, 1}};
    open_graph(3, pair, 2);
    (void)add_channel((uint32_t[]){0, 2, 1}, 3, 0);
    hops[0][1].lane = 1;
    refused("flow",
            "network: channel 0 from 0 to 1 takes link number 2 from 2 to 1, where there is "
            "1");
    hops[0][1] = (struct net_hop){.link = 99};
    refused("flow", "network: channel 0 from 0 to 1 takes link 99, but the graph has 4 links");
    hops[0][1] = (struct net_hop){.link = orr_net_graph_find(&graph, 0, 2)};
    refused("congestion", "network: channel 0 from 0 to 1 is at 2 after 1 hop, but its next "
                          "link is from 0 to 2");
    channel[0].hops = 1;
    refused("congestion", "network: channel 0 from 0 to 1 leads to 2");
    channel[0].to = 7;
    refused("congestion", "network: channel 0 does not go from one NPU to another");
    channel[0].to = 2;
    refused("analytical", "network.backend: messages that name channels need a backend that models "
                          "links, unlike analytical; expected congestion or flow");
    orr_arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_lane_carries_one_message_after_the_other),
        cmocka_unit_test(test_those_that_wait_go_by_order),
        cmocka_unit_test(test_a_detour_is_store_and_forward_and_told),
        cmocka_unit_test(test_a_lane_is_taken_from_what_others_have),
        cmocka_unit_test(test_without_a_link_left_all_stand_in_one_line),
        cmocka_unit_test(test_random_traffic_is_the_same_on_both),
        cmocka_unit_test(test_channels_that_are_none_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
