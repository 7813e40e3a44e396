/* Bisections and distances of graphs against counts by hand, and exhaustive searches. */
#include "graph_fixture.h"
#include "network/graph.h"
#include "network/graph_metrics.h"
#include "network/route_options.h"
#include "network/routing/router.h"
#include "tests/unit/graph_fixture.h"

/* The bisection in links of 100 Gb/s, times `parts`. */
static double bisection(struct fixture *f)
{
    struct net_bisection bisection;
    assert_int_equal(orr_net_graph_bisection(&f->graph, f->arena, &bisection, &f->diag), ORR_OK);
    assert_true(bisection.cuts >= 1);
    return bisection.bytes_per_s / kind.bytes_per_s;
}

static void near(double value, double expected)
{
    if (!(value > expected - 1e-6) || !(value < expected + 1e-6)) {
        fail_msg("%.9g is not %.9g", value, expected);
    }
}

/* Torus 8x8: each of 8 rings of the dimension is cut twice: 16. Torus 4x4x4: 16 rings, 32. A
 * ring: 2. Hypercube: one dimension, n / 2. Full mesh: n^2 / 4, of 7: 3 x 4. A star: the fewer
 * NPUs' links. DGX-1: 0, 1, 2, 3 against the rest: 0-4 twice, 1-5 twice, 2-6, 3-7: 6 (each GPU has
 * 6 links, of which 4 or 5 are among its four). Circulant 1, 2 of 16: 2 (1 + 2) = 6 between
 * neighbours. */
static void test_bisections_of_direct_graphs(void **state)
{
    static const struct {
        const char *text;
        uint32_t npus;
        double links;
    } graphs[] = {
        {"torus:8x8", 64, 16},    {"torus:4x4x4", 64, 32}, {"torus:10", 10, 2},
        {"torus:16x4", 64, 8},    {"torus:4x16", 64, 8},   {"hypercube", 64, 32},
        {"hypercube", 2, 1},      {"full-mesh", 8, 16},    {"full-mesh", 7, 12},
        {"ideal-switch", 8, 4},   {"dgx1", 8, 6},          {"ideal-switch", 9, 4},
        {"circulant:1,2", 16, 6}, {"torus:3", 3, 2},       {"Ring(4)_FC(4)", 16, 8},
    };
    struct fixture *f = *state;
    for (size_t i = 0; i < sizeof graphs / sizeof *graphs; i++) {
        assert_int_equal(build(f, graphs[i].text, graphs[i].npus), ORR_OK);
        near(bisection(f), graphs[i].links);
    }
}

/* A full fat-tree passes on what half of its hosts send, oversubscribed that much less; so does one
 * of several pods that are not all full: 20 hosts of k = 6, 10 links. Ring(4)_Switch(4): the rings
 * are cut, 4 of them twice. Servers of 4 below a fat-tree of 4 hosts: 2 links of servers. The
 * switch of a dimension is free to stand on either side: Switch(2)_Switch(8) of 16: halves of the
 * first 8 and the last cut 8 lines of 2: 8; along the switch of 8, 2 lines of 8, 4 links each: 8.
 * Clusters of 4 with half the bandwidth up: 2 of 4 clusters, 2 x 4 / 2. */
static void test_bisections_with_switches(void **state)
{
    static const struct {
        const char *text;
        uint32_t npus;
        double links;
    } graphs[] = {
        {"fat-tree:4", 16, 8},      {"fat-tree:4,2", 16, 4},  {"fat-tree:8,4", 128, 16},
        {"fat-tree", 20, 10},       {"Ring(4)_SW(4)", 16, 8}, {"fat-tree/4@300GB/s", 16, 2},
        {"SW(2)_SW(8)", 16, 8},     {"clusters:4,2", 16, 4},  {"torus:4x4/3@1Tb/s", 48, 8},
        {"circulant:1,2/4", 64, 6},
    };
    struct fixture *f = *state;
    for (size_t i = 0; i < sizeof graphs / sizeof *graphs; i++) {
        assert_int_equal(build(f, graphs[i].text, graphs[i].npus), ORR_OK);
        near(bisection(f), graphs[i].links);
    }
}

/* The least cut of all halves. */
static double exhaustive(const struct net_graph *graph)
{
    double best = 1e300;
    for (uint32_t half = 0; half < UINT32_C(1) << graph->npus; half++) {
        double sum = 0;
        if ((uint32_t)__builtin_popcount(half) != graph->npus / 2) {
            continue;
        }
        for (uint32_t i = 0; i < graph->links; i++) {
            const struct net_link *link = &graph->link[i];
            sum += (half >> link->from & 1) != 0 && (half >> link->to & 1) == 0
                       ? net_link_capacity(link)
                       : 0;
        }
        best = sum < best ? sum : best;
    }
    return best / kind.bytes_per_s;
}

/* Expanders and circulants of 12 and 14 NPUs: the swaps find the least of all cuts. */
static void test_bisection_of_small_graphs_is_the_least(void **state)
{
    static const char *const texts[] = {"expander:3",    "expander:4",    "expander:5",
                                        "circulant:1,5", "circulant:2,3", "circulant:1,3,4"};
    struct fixture *f = *state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        for (uint32_t npus = 12; npus <= 14; npus += 2) {
            assert_int_equal(build(f, texts[i], npus), ORR_OK);
            near(bisection(f), exhaustive(&f->graph));
        }
    }
}

/* ---- distances ---- */

/* The same figures from the paths of every pair. */
static void test_figures_are_those_of_all_paths(void **state)
{
    static const struct {
        const char *text;
        uint32_t npus;
    } graphs[] = {{"fat-tree", 20},   {"fat-tree/3", 30},  {"torus:3x4", 12}, {"dragonfly:2", 30},
                  {"dgx1", 8},        {"ideal-switch", 5}, {"clusters:3", 7}, {"expander:3", 30},
                  {"SW(3)_R(5)", 15}, {"ideal-switch", 1}};
    struct fixture *f = *state;
    for (size_t i = 0; i < sizeof graphs / sizeof *graphs; i++) {
        const uint32_t npus = graphs[i].npus;
        const struct net_route_options options = {.routing = &orr_routing_shortest};
        struct net_graph_metrics figures;
        uint32_t max = 0, all = 0;
        assert_int_equal(build(f, graphs[i].text, npus), ORR_OK);
        route_by(f, &options);
        for (uint32_t pair = 0; pair < npus * npus; pair++) {
            const uint32_t hops = path_of(f, pair / npus, pair % npus, 0).hops;
            all += hops;
            max = hops > max ? hops : max;
        }
        assert_int_equal(orr_net_graph_metrics(&f->graph, f->arena, &figures, &f->diag), ORR_OK);
        assert_int_equal(figures.diameter, max);
        assert_int_equal(figures.searched, figures.searchable);
        near(figures.hops_mean, npus > 1 ? all / (npus * (npus - 1.0)) : 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_bisections_of_direct_graphs),
        TEST(test_bisections_with_switches),
        TEST(test_bisection_of_small_graphs_is_the_least),
        TEST(test_figures_are_those_of_all_paths),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
