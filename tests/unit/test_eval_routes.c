/* What the evaluator knows of routes: links of rings, shares of a table, one-way rings, by hand. */
#include "graph_fixture.h"

#include <math.h>

#include "network/fabric_build.h"
#include "network/flows/flows.h"
#include "network/graph.h"
#include "network/graph_build.h"
#include "network/route_options.h"
#include "network/routing/router.h"
#include "planner/evaluator/evaluator.h"
#include "tests/unit/graph_fixture.h"

#define US ((sim_time)ORR_PS_PER_US)

enum { PACKET = 8936, LINKS = 8, NEXT = 4 };

static const struct net_flow_model packets = {.packet_bytes = PACKET, .start_bytes = 1};
static const uint32_t first_ones[] = {0, 1, 2, 3};

/* Four NPUs in a circle of links of 8.936 GB/s and 1 us. */
static void open_circle(struct fixture *f, const char *fabric)
{
    const struct net_fabric built = {
        .text = fabric, .npus = 4, .kind = {.bytes_per_s = 8.936e9, .latency_ps = US}};
    assert_int_equal(orr_net_build_fabric(&built, f->arena, &f->graph, &f->routing, &f->diag),
                     ORR_OK);
}

/* A table of paths over the nodes given, each with its chance. */
static void take_paths(struct fixture *f, const uint32_t (*nodes)[NEXT], const double *chance,
                       uint32_t paths)
{
    struct net_path *path = orr_arena_array(f->arena, paths, sizeof *path);
    uint32_t *link = orr_arena_array(f->arena, (size_t)paths * NEXT, sizeof *link), links = 0;
    assert_true(path != NULL && link != NULL);
    for (uint32_t p = 0; p < paths; p++) {
        uint32_t n = 1;
        path[p] = (struct net_path){.from = nodes[p][0], .chance = chance[p], .first_link = links};
        for (; n < NEXT && nodes[p][n] != nodes[p][n - 1]; n++) {
            link[links++] = orr_net_graph_find(&f->graph, nodes[p][n - 1], nodes[p][n]);
        }
        path[p].to = nodes[p][n - 1];
        path[p].hops = n - 1;
    }
    orr_net_graph_set_paths(&f->graph, path, paths, link);
}

static struct evaluator *evaluator_of(struct fixture *f, struct net_route_options routes,
                                      const struct eval_setup *of)
{
    struct eval_setup setup = *of;
    struct evaluator *evaluator = NULL;
    setup.graph = &f->graph;
    setup.routes = routes;
    setup.devices = 4;
    setup.model = packets;
    if (orr_evaluator_create(&evaluator, &setup, &f->diag) != ORR_OK) {
        fail_msg("%s", f->diag.message);
    }
    return evaluator;
}

static void put(struct evaluator *evaluator, uint32_t op, uint32_t device)
{
    const struct eval_parts part = {.parts = 1, .device = &device};
    assert_true(orr_eval_set_parts(evaluator, op, &part));
}

/* The time in us, and bytes over every link. */
static double asked(struct fixture *f, struct evaluator *evaluator, uint64_t *link_bytes)
{
    sim_time time_ps = 0;
    assert_int_equal(orr_evaluate(evaluator, &time_ps, &f->diag), ORR_OK);
    assert_int_equal(orr_eval_report(evaluator, link_bytes, NULL, &f->diag), ORR_OK);
    orr_evaluator_destroy(evaluator);
    return (double)time_ps / (double)US;
}

static uint64_t bytes_on(const struct fixture *f, const uint64_t *link_bytes, uint32_t from,
                         uint32_t to)
{
    return link_bytes[orr_net_graph_find(&f->graph, from, to)];
}

static const uint32_t long_way[][NEXT] = {{0, 3, 2, 1}};
static const double certain[] = {1};

/* 8 packets among four around two rings, one in each of 6 rounds: on every link, the one from 0 to
 * 1 too where rings keep theirs (a handshake of 1 us and a byte, 1 us, 1 us of latency); else the
 * table leads over 3 and 2. */
static void test_rings_of_a_table_keep_their_links(void **state)
{
    struct fixture *f = *state;
    const struct eval_reduce all = {.bytes = 8 * PACKET, .members = 4, .member = first_ones};
    const struct eval_parts parts = {.parts = 4, .device = first_ones};
    open_circle(f, "circulant:1");
    take_paths(f, long_way, certain, 1);
    for (int routed = 0; routed < 2; routed++) {
        uint64_t link_bytes[LINKS];
        struct evaluator *evaluator = evaluator_of(
            f, (struct net_route_options){.routing = &orr_routing_table, .rings_routed = routed},
            &(struct eval_setup){.ops = 1});
        assert_true(orr_eval_set_parts(evaluator, 0, &parts));
        assert_true(orr_eval_set_reduces(evaluator, 0, &all, 1));
        const double us = asked(f, evaluator, link_bytes);
        assert_int_equal(bytes_on(f, link_bytes, 0, 1), routed ? 0 : 6 * PACKET);
        assert_int_equal(bytes_on(f, link_bytes, 3, 2), (routed ? 12 : 6) * PACKET);
        assert_int_equal(bytes_on(f, link_bytes, 1, 0), 6 * PACKET);
        assert_true(routed ? us > 6 * 7 : fabs(us - 6 * 3) < 1e-2);
    }
}

/* What is sent goes by the table, also from neighbour to neighbour; back over the link. */
static void test_transfers_of_a_table_go_by_it(void **state)
{
    static const struct eval_edge edge[] = {{0, 1}};
    struct fixture *f = *state;
    uint64_t link_bytes[LINKS];
    open_circle(f, "circulant:1");
    take_paths(f, long_way, certain, 1);
    struct evaluator *evaluator =
        evaluator_of(f, (struct net_route_options){.routing = &orr_routing_table},
                     &(struct eval_setup){.ops = 2, .edges = 1, .edge = edge});
    put(evaluator, 0, 0);
    put(evaluator, 1, 1);
    assert_true(orr_eval_set_edge(evaluator, 0, &(struct eval_transfer){0, 1, PACKET}, 1));
    (void)asked(f, evaluator, link_bytes);
    assert_int_equal(bytes_on(f, link_bytes, 0, 1), 0);
    assert_int_equal(bytes_on(f, link_bytes, 3, 2), PACKET);
    assert_int_equal(bytes_on(f, link_bytes, 1, 0), PACKET);
}

/* From 0 to 2 over 1 and 3 with chances 1 and 3: of four edges one goes over 1. */
static void test_paths_of_a_pair_are_taken_by_their_chances(void **state)
{
    static const uint32_t both[][NEXT] = {{0, 1, 2, 2}, {0, 3, 2, 2}};
    static const double chance[] = {1, 3};
    static const struct eval_edge edge[] = {{0, 1}, {0, 2}, {0, 3}, {0, 4}};
    struct fixture *f = *state;
    uint64_t link_bytes[LINKS];
    open_circle(f, "circulant:1");
    take_paths(f, both, chance, 2);
    struct evaluator *evaluator = evaluator_of(
        f, (struct net_route_options){.routing = &orr_routing_table},
        &(struct eval_setup){.ops = 5, .edges = 4, .edge = edge, .forward_only = true});
    put(evaluator, 0, 0);
    for (uint32_t e = 0; e < 4; e++) {
        put(evaluator, e + 1, 2);
        assert_true(orr_eval_set_edge(evaluator, e, &(struct eval_transfer){0, 2, PACKET}, 1));
    }
    (void)asked(f, evaluator, link_bytes);
    assert_int_equal(bytes_on(f, link_bytes, 0, 1), PACKET);
    assert_int_equal(bytes_on(f, link_bytes, 0, 3), 3 * PACKET);
    assert_int_equal(bytes_on(f, link_bytes, 3, 2), 3 * PACKET);
}

/* 8 packets around the one ring that jumps one way have: 6 rounds of 2 packets. */
static void test_one_way_circulants_have_one_ring(void **state)
{
    struct fixture *f = *state;
    uint64_t link_bytes[LINKS];
    const struct eval_reduce all = {.bytes = 8 * PACKET, .members = 4, .member = first_ones};
    const struct eval_parts parts = {.parts = 4, .device = first_ones};
    open_circle(f, "circulant:+1");
    struct evaluator *evaluator = evaluator_of(f, (struct net_route_options){.routing = f->routing},
                                               &(struct eval_setup){.ops = 1});
    assert_true(orr_eval_set_parts(evaluator, 0, &parts));
    assert_true(orr_eval_set_reduces(evaluator, 0, &all, 1));
    const double us = asked(f, evaluator, link_bytes);
    assert_true(fabs(us - 6 * (1 + 2 + 1)) < 1e-2);
    for (uint32_t l = 0; l < 4; l++) {
        assert_int_equal(link_bytes[l], 12 * PACKET);
    }
}

static bool is_near(double got, double expected)
{
    return fabs(got - expected) <= 1e-9 * expected;
}

/* 1000 bytes from 0 over 1 to 2 and from there over 3 back, and 80,000 around both rings of four:
 * 6 rounds of 10,000 bytes, or 2 packets, of each ring on all of the 8 links, 480,000 bytes in all.
 * NPUs send 4 x 1000 and 480,000 bytes of 2000 and 480,000. Links of 1 packet a us carry 12 us of
 * the rings, and four of them one of the transfers. */
static void test_traffic_by_hand(void **state)
{
    static const uint32_t ways[][NEXT] = {{0, 1, 2, 2}, {2, 3, 0, 0}};
    static const double chance[] = {1, 1};
    static const struct eval_edge edge[] = {{0, 1}};
    struct fixture *f = *state;
    struct eval_traffic traffic;
    struct eval_link_bytes link[8];
    uint32_t carry = 0;
    sim_time time_ps = 0;
    const struct eval_reduce all = {.bytes = 80000, .members = 4, .member = first_ones};
    const struct eval_parts parts = {.parts = 4, .device = first_ones};
    open_circle(f, "circulant:1");
    take_paths(f, ways, chance, 2);
    struct evaluator *evaluator =
        evaluator_of(f, (struct net_route_options){.routing = &orr_routing_table},
                     &(struct eval_setup){.ops = 3, .edges = 1, .edge = edge});
    put(evaluator, 0, 0);
    put(evaluator, 1, 2);
    assert_true(orr_eval_set_parts(evaluator, 2, &parts));
    assert_true(orr_eval_set_edge(evaluator, 0, &(struct eval_transfer){0, 2, 1000}, 1));
    assert_true(orr_eval_set_reduces(evaluator, 2, &all, 1));
    assert_int_equal(orr_evaluate(evaluator, &time_ps, &f->diag), ORR_OK);
    assert_int_equal(orr_eval_traffic(evaluator, &traffic, link, &f->diag), ORR_OK);
    assert_true(is_near(traffic.transfer_bytes, 2000));
    assert_true(is_near(traffic.reduce_bytes, 480000));
    assert_true(is_near(traffic.hops_mean, 2));
    assert_true(is_near(traffic.tax, 484000.0 / 482000));
    assert_true(is_near(traffic.all.min, 12e-6));
    assert_true(is_near(traffic.all.mean, 12.5e-6));
    assert_true(is_near(traffic.all.max, 13e-6));
    assert_true(is_near(traffic.transfers.max, 1e-6));
    assert_true(is_near(traffic.transfers.mean, 0.5e-6));
    assert_true(traffic.transfers.min == 0);
    for (uint32_t l = 0; l < 8; l++) {
        assert_int_equal(link[l].reduces, 12 * 8936);
        assert_true(link[l].transfers == 0 || link[l].transfers == 8936);
        carry += link[l].transfers > 0 ? 1 : 0;
    }
    assert_int_equal(carry, 4);
    orr_evaluator_destroy(evaluator);
}

/* The four links one way around, from each to the next, are records of two parallel ones. */
static void double_forward(struct fixture *f)
{
    struct net_link *link = orr_arena_array(f->arena, f->graph.links, sizeof *link);
    assert_non_null(link);
    memcpy(link, f->graph.link, f->graph.links * sizeof *link);
    for (uint32_t i = 0; i < 4; i++) {
        link[orr_net_graph_find(&f->graph, i, (i + 1) % 4)].count = 2;
    }
    f->graph.link = link;
}

/* In us, of so many packets a flow in each of 6 rounds around the rings given. */
static double reduced(struct fixture *f, const struct net_ring *ring, uint32_t rings,
                      uint64_t flow_packets)
{
    uint64_t link_bytes[LINKS];
    const struct eval_reduce all = {
        .bytes = 4 * rings * flow_packets * PACKET, .members = 4, .member = first_ones};
    const struct eval_parts parts = {.parts = 4, .device = first_ones};
    f->graph.ring = ring;
    f->graph.rings = rings;
    struct evaluator *evaluator =
        evaluator_of(f, (struct net_route_options){.routing = &orr_routing_ecmp_pairs},
                     &(struct eval_setup){.ops = 1});
    assert_true(orr_eval_set_parts(evaluator, 0, &parts));
    assert_true(orr_eval_set_reduces(evaluator, 0, &all, 1));
    return asked(f, evaluator, link_bytes);
}

/* Two rings forward share records of two links, so that each has the bandwidth of one, as the one
 * back has: 6 rounds of 100 packets in 100 us, a handshake of 1 us and a byte and 1 us of latency.
 * Three forward have two thirds each: 150 us. */
static void test_rings_over_parallel_links_have_one_each(void **state)
{
    static const struct net_ring ring[] = {
        {.npus = 4, .jump = -1},
        {.npus = 4, .jump = 1},
        {.npus = 4, .jump = 1},
        {.npus = 4, .jump = 1},
    };
    struct fixture *f = *state;
    open_circle(f, "circulant:1");
    double_forward(f);
    assert_true(fabs(reduced(f, ring, 3, 100) - 6 * 102) < 1e-2);
    assert_true(fabs(reduced(f, ring + 1, 2, 100) - 6 * 102) < 1e-2);
    assert_true(fabs(reduced(f, ring, 4, 100) - 6 * 152) < 1e-2);
}

/* A ring alone on records of two links has both and takes half as long; the one back, whichever
 * comes first, is waited for. */
static void test_the_slowest_of_rings_is_waited_for(void **state)
{
    static const struct net_ring ring[] = {
        {.npus = 4, .jump = 1}, {.npus = 4, .jump = -1}, {.npus = 4, .jump = 1}};
    struct fixture *f = *state;
    open_circle(f, "circulant:1");
    double_forward(f);
    assert_true(fabs(reduced(f, ring, 1, 100) - 6 * 52) < 1e-2);
    assert_true(fabs(reduced(f, ring, 2, 100) - 6 * 102) < 1e-2);
    assert_true(fabs(reduced(f, ring + 1, 2, 100) - 6 * 102) < 1e-2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_rings_of_a_table_keep_their_links),
        TEST(test_transfers_of_a_table_go_by_it),
        TEST(test_paths_of_a_pair_are_taken_by_their_chances),
        TEST(test_one_way_circulants_have_one_ring),
        TEST(test_traffic_by_hand),
        TEST(test_rings_over_parallel_links_have_one_each),
        TEST(test_the_slowest_of_rings_is_waited_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
