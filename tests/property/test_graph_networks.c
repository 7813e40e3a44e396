/* Networks that are graphs, on random topologies and traffic: a stacked topology as a graph carries
 * messages as its blocks do; packets of a message take the time that is worked out by hand;
 * backends agree on a message alone. */
#include "tests/unit/network_fixture.h"

#include "core/evq.h"
#include "core/fold.h"
#include "core/rng.h"
#include "network/coordinates.h"
#include "network/fabric_build.h"
#include "network/graph.h"
#include "network/graph_build.h"
#include "network/net_config.h"
#include "network/net_dims.h"
#include "network/net_message.h"
#include "network/route_options.h"
#include "network/routing/router.h"
#include "tests/backend_keys.h"

enum { ROUNDS = 150, TRAFFIC = 120, ONLY = 200 };

static struct fixture blocks, graph; /* large; each test opens and closes them */

/* A ring of two has two links each way as blocks, of which a message takes one, and a link of both
 * together as a graph. */
static void random_dims(struct orr_rng *rng, struct fixture *net)
{
    memset(net, 0, sizeof *net);
    net->config.dims = 1 + (unsigned)orr_rng_below(rng, 3);
    for (unsigned d = 0; d < net->config.dims; d++) {
        struct net_dim *dim = &net->dim[d];
        *dim =
            (struct net_dim){.block = (enum net_block)orr_rng_below(rng, NET_BLOCKS),
                             .npus = 1 + (uint32_t)orr_rng_below(rng, 6),
                             .bandwidth_bytes_per_s = (double)(1 + orr_rng_below(rng, 400)) * 1e9,
                             .latency_ps = (sim_time)orr_rng_below(rng, 2000000),
                             .per_npu = orr_rng_below(rng, 2) != 0};
        dim->per_npu = dim->per_npu || (dim->block == NET_RING && dim->npus == 2);
    }
}

static void random_messages(struct orr_rng *rng, struct fixture *net, sim_time *times)
{
    const uint32_t npus =
        orr_net_npus(&(struct net_config){.dims = net->config.dims, .dim = net->dim});
    for (unsigned i = 0; i < TRAFFIC; i++) {
        net->msg[i] = (struct net_msg){.src = orr_rank((uint32_t)orr_rng_below(rng, npus)),
                                       .dst = orr_rank((uint32_t)orr_rng_below(rng, npus)),
                                       .bytes = orr_rng_below(rng, 1000000),
                                       .label = i};
        times[i] = (sim_time)orr_rng_below(rng, 50) * 1000000;
    }
}

static void run_all(struct fixture *net, const char *backend, const sim_time *times)
{
    fixture_open(net, backend, ORR_ORDER_LABEL);
    for (unsigned i = 0; i < TRAFFIC; i++) {
        fixture_post(net, times[i], i);
    }
    fixture_run(net);
    assert_int_equal(net->deliveries, TRAFFIC);
}

static void as_graph(struct orr_arena *arena, struct net_graph *out)
{
    const struct net_config config = {.dims = blocks.config.dims, .dim = blocks.dim};
    assert_int_equal(orr_net_build_blocks(arena, &config, out, NULL), ORR_OK);
    graph = blocks;
    graph.config.graph = out;
    graph.config.routes = (struct net_route_options){.routing = &orr_routing_dimension_order};
}

/* Bytes over links of the graph are bytes times hops. */
static void check_link_bytes(const struct net_graph *network)
{
    uint64_t crossed = 0, expected = 0;
    for (uint32_t i = 0; i < network->links; i++) {
        crossed += graph.net->ops->links->bytes(graph.net, i);
    }
    for (unsigned i = 0; i < TRAFFIC; i++) {
        uint32_t src = graph.msg[i].src.rank, dst = graph.msg[i].dst.rank;
        const struct net_config config = {.dims = blocks.config.dims, .dim = blocks.dim};
        uint32_t stride = 1;
        for (unsigned d = 0; d < config.dims; d++) {
            const uint32_t n = config.dim[d].npus, from = src / stride % n, to = dst / stride % n;
            const uint32_t forward = (to + n - from) % n;
            const uint32_t ring = forward < n - forward ? forward : n - forward;
            const uint32_t line = from < to ? to - from : from - to;
            const uint32_t hops = config.dim[d].block == NET_RING     ? ring
                                  : config.dim[d].block == NET_MESH   ? line
                                  : config.dim[d].block == NET_SWITCH ? 2
                                                                      : 1;
            expected += from == to ? 0 : graph.msg[i].bytes * hops;
            stride *= n;
        }
    }
    assert_int_equal(crossed, expected);
}

static void compare_backend(const char *backend, const char *packet)
{
    struct orr_rng rng;
    sim_time times[TRAFFIC];
    orr_rng_init(&rng, 11, packet == NULL ? 0 : 100000);
    for (int round = 0; round < ROUNDS; round++) {
        struct net_graph network;
        struct orr_arena *arena = orr_arena_create();
        random_dims(&rng, &blocks);
        blocks.config.own = packet == NULL ? NULL : backend_keys(arena, packet);
        random_messages(&rng, &blocks, times);
        as_graph(arena, &network);
        run_all(&blocks, backend, times);
        run_all(&graph, backend, times);
        for (unsigned i = 0; i < TRAFFIC; i++) {
            assert_int_equal(fixture_time(&graph, i), fixture_time(&blocks, i));
            assert_int_equal(graph.sent[i], blocks.sent[i]);
        }
        check_link_bytes(&network);
        fixture_close(&blocks);
        fixture_close(&graph);
        orr_arena_destroy(arena);
    }
}

static void test_congestion_blocks_as_a_graph_are_the_same(void **state)
{
    (void)state;
    compare_backend("congestion", NULL);
}

static void test_congestion_packets_blocks_as_a_graph_are_the_same(void **state)
{
    (void)state;
    compare_backend("congestion", "packet: 100000 B");
}

static void test_flow_blocks_as_a_graph_are_the_same(void **state)
{
    (void)state;
    compare_backend("flow", NULL);
}

/* ---- packets ---- */

/* One message of B bytes in packets of p over links of 1 B/ns and 500 ns: on the last link all B
 * follow each other, once the first packet has passed the links before it: B + hops x 500 ns +
 * (hops - 1) x min(B, p). */
static void test_packets_follow_each_other(void **state)
{
    (void)state;
    static const uint64_t bytes[] = {1, 999, 1000, 1001, 5500, 64000};
    for (size_t i = 0; i < sizeof bytes / sizeof *bytes; i++) {
        memset(&blocks, 0, sizeof blocks);
        blocks.dim[0] = (struct net_dim){.block = NET_RING,
                                         .npus = 9,
                                         .bandwidth_bytes_per_s = 1e9,
                                         .latency_ps = 500 * ORR_PS_PER_NS};
        blocks.config.dims = 1;
        struct orr_arena *arena = orr_arena_create();
        blocks.config.own = backend_keys(arena, "packet: 1000 B");
        fixture_open(&blocks, "congestion", ORR_ORDER_LABEL);
        const unsigned sent = fixture_send(
            &blocks, 0,
            (struct net_msg){.src = orr_rank(0), .dst = orr_rank(4), .bytes = bytes[i]});
        const sim_time first = bytes[i] < 1000 ? (sim_time)bytes[i] : 1000;
        fixture_run(&blocks);
        assert_int_equal(fixture_time(&blocks, sent),
                         ((sim_time)bytes[i] + 4 * 500 + 3 * first) * ORR_PS_PER_NS);
        assert_int_equal(blocks.sent[sent], (sim_time)bytes[i] * ORR_PS_PER_NS);
        fixture_close(&blocks);
        orr_arena_destroy(arena);
    }
}

/* Two NPUs send 3 packets each through the link 2 -> 3 of a ring, 0 over two hops before it (its
 * packets are there at 3000, 4000 and 5000) and 2 at 3500: 0's first packet has the link until
 * 4000, then come 2's three, which asked at 3500, until 7000, then the other two of 0 until 9000.
 */
static void test_packets_of_two_messages_share_a_link(void **state)
{
    (void)state;
    memset(&blocks, 0, sizeof blocks);
    blocks.dim[0] = (struct net_dim){.block = NET_RING,
                                     .npus = 8,
                                     .bandwidth_bytes_per_s = 1e9,
                                     .latency_ps = 500 * ORR_PS_PER_NS};
    blocks.config.dims = 1;
    struct orr_arena *arena = orr_arena_create();
    blocks.config.own = backend_keys(arena, "packet: 1000 B");
    fixture_open(&blocks, "congestion", ORR_ORDER_LABEL);
    const struct net_msg far = {.src = orr_rank(0), .dst = orr_rank(3), .bytes = 3000, .label = 1};
    const struct net_msg near = {.src = orr_rank(2), .dst = orr_rank(3), .bytes = 3000, .label = 2};
    const unsigned first = fixture_send(&blocks, 0, far);
    const unsigned second = fixture_send(&blocks, 3500 * ORR_PS_PER_NS, near);
    fixture_run(&blocks);
    assert_int_equal(fixture_time(&blocks, second), 7500 * ORR_PS_PER_NS);
    assert_int_equal(fixture_time(&blocks, first), 9500 * ORR_PS_PER_NS);
    fixture_close(&blocks);
    orr_arena_destroy(arena);
}

/* ---- a message alone ---- */

static sim_time alone(const char *backend, const struct net_msg *msg)
{
    fixture_open(&graph, backend, ORR_ORDER_LABEL);
    const unsigned index = fixture_send(&graph, 777, *msg);
    fixture_run(&graph);
    const sim_time time = fixture_time(&graph, index) - 777;
    fixture_close(&graph);
    return time;
}

/* In whole packets over links of one bandwidth the definitions agree: bytes / bandwidth, latencies,
 * and a packet more for each further link. */
static void test_whole_packets_congestion_and_flow_agree(void **state)
{
    (void)state;
    static const char *const fabrics[] = {"fat-tree",     "circulant:1,5", "torus:4x4", "full-mesh",
                                          "ideal-switch", "expander:3",    "clusters:4"};
    struct orr_rng rng;
    orr_rng_init(&rng, 5, 0);
    for (unsigned i = 0; i < ONLY; i++) {
        struct orr_arena *arena = orr_arena_create();
        struct net_graph network;
        const struct net_fabric fabric = {.text = fabrics[i % (sizeof fabrics / sizeof *fabrics)],
                                          .npus = 16,
                                          .kind = {.bytes_per_s = 12.5e9, .latency_ps = 1000000},
                                          .seed = i};
        memset(&graph, 0, sizeof graph);
        assert_int_equal(
            orr_net_build_fabric(&fabric, arena, &network, &graph.config.routes.routing, NULL),
            ORR_OK);
        graph.dim[0] = (struct net_dim){.block = NET_RING, .npus = 16};
        graph.config.dims = 1;
        graph.config.graph = &network;
        graph.config.own = backend_keys(arena, "packet: 8192 B");
        const struct net_msg msg = {.src = orr_rank((uint32_t)orr_rng_below(&rng, 16)),
                                    .dst = orr_rank((uint32_t)orr_rng_below(&rng, 16)),
                                    .bytes = 8192 * (1 + orr_rng_below(&rng, 1000))};
        assert_int_equal(alone("congestion", &msg), alone("flow", &msg));
        orr_arena_destroy(arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_congestion_blocks_as_a_graph_are_the_same),
        cmocka_unit_test(test_congestion_packets_blocks_as_a_graph_are_the_same),
        cmocka_unit_test(test_flow_blocks_as_a_graph_are_the_same),
        cmocka_unit_test(test_packets_follow_each_other),
        cmocka_unit_test(test_packets_of_two_messages_share_a_link),
        cmocka_unit_test(test_whole_packets_congestion_and_flow_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
