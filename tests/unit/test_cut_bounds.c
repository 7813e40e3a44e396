/* Bounds by cuts: equal to all cuts tried one by one, and to numbers by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "network/bounds/cut_bounds.h"
#include "network/fabric_build.h"
#include "network/route_options.h"
#include "random_graph.h"

#define GB 1000000000.0

/* Bandwidth that leaves the side; reversed: that enters it. */
static double leaving(const struct net_graph *graph, uint32_t side, bool reversed)
{
    double sum = 0;
    for (uint32_t i = 0; i < graph->links; i++) {
        const struct net_link *link = &graph->link[i];
        const uint32_t from = reversed ? link->to : link->from;
        const uint32_t to = reversed ? link->from : link->to;
        sum += (side >> from & 1) != 0 && (side >> to & 1) == 0 ? net_link_capacity(link) : 0;
    }
    return sum;
}

static uint32_t npus_in(const struct net_graph *graph, uint32_t side)
{
    uint32_t npus = 0;
    for (uint32_t n = 0; n < graph->npus; n++) {
        npus += side >> n & 1;
    }
    return npus;
}

static sim_time time_of(uint32_t parts, double bytes_per_s)
{
    return orr_net_cut_time(&(struct net_cut_load){
        .bytes = 1 << 20, .parts = parts, .divisor = 1, .bytes_per_s = bytes_per_s});
}

/* The slowest of all cuts, one by one; -1: NPUs that everything else must reach. */
static sim_time try_all_cuts(const struct net_graph *graph, bool reversed, int64_t root)
{
    sim_time worst = 0;
    for (uint32_t side = 0; side < 1u << graph->nodes; side++) {
        const uint32_t npus = npus_in(graph, side);
        if (npus == 0 || npus == graph->npus || (root >= 0 && (side >> root & 1) == 0)) {
            continue;
        }
        const sim_time took = time_of(root >= 0 ? 1 : npus, leaving(graph, side, reversed));
        worst = took > worst ? took : worst;
    }
    return worst;
}

/* The cut is what it says to be: its NPUs, and the links that leave it. */
static void check_cut(const struct net_graph *graph, const struct net_cut *cut, bool reversed)
{
    uint32_t side = 0;
    for (uint32_t n = 0; n < graph->nodes; n++) {
        side |= cut->side[n] ? 1u << n : 0;
    }
    assert_int_equal(npus_in(graph, side), cut->npus);
    assert_true(cut->npus > 0 && cut->npus < graph->npus);
    const double sum = leaving(graph, side, reversed);
    assert_true(sum >= cut->bytes_per_s && sum <= cut->bytes_per_s);
}

static void test_cuts_of_500_random_graphs_equal_brute_force(void **state)
{
    (void)state;
    uint32_t connected = 0;
    struct orr_arena *arena = orr_arena_create();
    for (uint64_t seed = 0; seed < 500; seed++) {
        const struct random_graph shape = {
            .nodes = 8, .duplex = seed % 2 == 1, .no_switches = seed % 3 == 2};
        const struct net_graph graph = random_graph(&shape, seed, arena);
        struct net_cut cut;
        for (int reversed = 0; reversed < 2; reversed++) {
            assert_int_equal(orr_net_gather_cut(&graph, reversed != 0, arena, &cut, NULL), ORR_OK);
            check_cut(&graph, &cut, reversed != 0);
            assert_int_equal(time_of(cut.npus, cut.bytes_per_s),
                             try_all_cuts(&graph, reversed != 0, -1));
        }
        connected += cut.bytes_per_s > 0;
        for (uint32_t root = 0; root < graph.npus; root++) {
            assert_int_equal(orr_net_broadcast_cut(&graph, root, arena, &cut, NULL), ORR_OK);
            check_cut(&graph, &cut, false);
            assert_true(cut.side[root]);
            assert_int_equal(time_of(1, cut.bytes_per_s), try_all_cuts(&graph, false, root));
        }
        orr_arena_reset(arena);
    }
    assert_true(connected > 300); /* the rest has a cut without links */
    orr_arena_destroy(arena);
}

/* NPUs of the worst cut and bandwidth over which they send, for all-gathers. */
static void check_fabric(const char *text, uint32_t npus, uint32_t in_cut, double bytes_per_s)
{
    struct orr_arena *arena = orr_arena_create();
    const struct net_fabric fabric = {
        .text = text, .npus = npus, .kind = {.bytes_per_s = 10 * GB}, .seed = 1};
    const struct net_routing *routing;
    struct net_graph graph;
    struct net_cut cut, back;
    assert_int_equal(orr_net_build_fabric(&fabric, arena, &graph, &routing, NULL), ORR_OK);
    assert_int_equal(orr_net_gather_cut(&graph, false, arena, &cut, NULL), ORR_OK);
    assert_int_equal(orr_net_gather_cut(&graph, true, arena, &back, NULL), ORR_OK);
    assert_int_equal(time_of(cut.npus, cut.bytes_per_s), time_of(in_cut, bytes_per_s));
    assert_int_equal(time_of(back.npus, back.bytes_per_s), time_of(in_cut, bytes_per_s));
    orr_arena_destroy(arena);
}

static void test_cuts_of_fabrics_equal_numbers_by_hand(void **state)
{
    (void)state;
    /* All but one NPU send their parts over the links of that one. */
    check_fabric("torus:4x4", 16, 15, 4 * 10 * GB);
    check_fabric("hypercube", 32, 31, 5 * 10 * GB);
    check_fabric("circulant:1,5", 16, 15, 4 * 10 * GB);
    check_fabric("full-mesh", 8, 7, 7 * 10 * GB);
    check_fabric("ideal-switch", 8, 7, 10 * GB);
    check_fabric("dgx1", 8, 7, 6 * 10 * GB);
    check_fabric("fat-tree", 16, 15, 10 * GB);
    check_fabric("circulant:+1", 6, 5, 10 * GB);
    /* Switches of 8 with 2 uplinks: 24 over 20 GB/s is less than 31 over one NPU's 10. */
    check_fabric("clusters:8,4", 32, 31, 10 * GB);
    /* Servers of 8 with 300 GB/s each inside, one uplink a server at a fat-tree: 56 over 10 GB/s.
     */
    check_fabric("fat-tree/8@300GB/s", 64, 56, 10 * GB);
    /* A mesh of 4 x 4: a corner has 2 links. */
    check_fabric("mesh:4x4", 16, 15, 2 * 10 * GB);
}

static void test_cut_time_rounds_up_and_does_not_overflow(void **state)
{
    (void)state;
    struct net_cut_load load = {.bytes = 10, .parts = 1, .divisor = 3, .bytes_per_s = 1e12};
    assert_int_equal(orr_net_cut_time(&load), 4); /* 3.33 bytes at 1 byte/ps */
    load = (struct net_cut_load){
        .bytes = UINT64_MAX, .parts = 1 << 20, .divisor = 1, .bytes_per_s = 1};
    assert_int_equal(orr_net_cut_time(&load), ORR_TIME_MAX);
    load = (struct net_cut_load){.bytes = 1, .parts = 1, .divisor = 1, .bytes_per_s = 0};
    assert_int_equal(orr_net_cut_time(&load), ORR_TIME_MAX);
    load = (struct net_cut_load){.bytes = 3, .parts = 1, .divisor = 1, .bytes_per_s = 0.5};
    assert_int_equal(orr_net_cut_time(&load), 6 * ORR_PS_PER_S);
    /* 15 x 64 MiB over 50 GB/s: 20.1326592 ms to the picosecond. */
    load =
        (struct net_cut_load){.bytes = 64 << 20, .parts = 15, .divisor = 1, .bytes_per_s = 50 * GB};
    assert_int_equal(orr_net_cut_time(&load), 20132659200);
}

static void test_switches_are_balanced_by_what_they_send_and_receive(void **state)
{
    (void)state;
    struct orr_arena *arena = orr_arena_create();
    struct net_graph_builder builder;
    struct net_graph graph;
    for (uint32_t back = 1; back <= 2; back++) {
        orr_net_graph_begin(&builder, arena, 2, 1);
        const struct net_link up = {.from = 0, .to = 2, .count = 2, .bytes_per_s = GB};
        const struct net_link down = {.from = 2, .to = 1, .count = back, .bytes_per_s = GB};
        orr_net_graph_link(&builder, &up);
        orr_net_graph_link(&builder, &down);
        assert_int_equal(orr_net_graph_end(&builder, &graph, NULL), ORR_OK);
        assert_int_equal(orr_net_switches_are_balanced(&graph, arena), back == 2);
    }
    orr_arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cuts_of_500_random_graphs_equal_brute_force),
        cmocka_unit_test(test_cuts_of_fabrics_equal_numbers_by_hand),
        cmocka_unit_test(test_cut_time_rounds_up_and_does_not_overflow),
        cmocka_unit_test(test_switches_are_balanced_by_what_they_send_and_receive),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
