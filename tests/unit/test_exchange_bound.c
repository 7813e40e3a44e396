/* Bounds of all-to-alls: equal to the linear program of all flows, and to formulas of path lengths.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "network/bounds/exchange_bound.h"
#include "network/fabric_build.h"
#include "network/graph_metrics.h"
#include "network/lp/lp.h"
#include "network/route_options.h"
#include "random_graph.h"

#define GB 1000000000.0

static void near(double value, double expected)
{
    if (!(fabs(value - expected) <= 1e-8 * fabs(expected))) {
        fail_msg("expected %.12g, got %.12g", expected, value);
    }
}

/* Seconds for one byte a pair, by a program with a flow of every source on every link: minimize T;
 * what enters a node less what leaves it is 1 for NPUs, 0 for switches; no link has more than T
 * times its bandwidth. */
static double solve_all_flows(const struct net_graph *graph, struct orr_arena *arena)
{
    const uint32_t flows = graph->npus * graph->links;
    const uint32_t rows = graph->npus * graph->nodes + graph->links;
    struct lp_range *row = orr_arena_array(arena, rows, sizeof *row);
    struct lp_column *column = orr_arena_array(arena, flows + 1, sizeof *column);
    struct lp_entry *entry = orr_arena_array(arena, 3 * flows + graph->links, sizeof *entry);
    double *value = orr_arena_array(arena, flows + 1, sizeof *value);
    uint32_t entries = 0;
    for (uint32_t r = 0; r < rows; r++) {
        const uint32_t s = r / graph->nodes, v = r % graph->nodes;
        const double need = v < graph->npus ? 1 : 0;
        row[r] = r >= graph->npus * graph->nodes ? (struct lp_range){-LP_NO_BOUND, 0}
                 : v == s                        ? (struct lp_range){-LP_NO_BOUND, LP_NO_BOUND}
                                                 : (struct lp_range){need, need};
    }
    for (uint32_t f = 0; f < flows; f++) {
        const uint32_t s = f / graph->links, i = f % graph->links;
        const struct net_link *link = &graph->link[i];
        column[f] = (struct lp_column){.range = {0, LP_NO_BOUND}};
        entry[entries++] = (struct lp_entry){s * graph->nodes + link->to, f, 1};
        entry[entries++] = (struct lp_entry){s * graph->nodes + link->from, f, -1};
        entry[entries++] = (struct lp_entry){graph->npus * graph->nodes + i, f, 1};
    }
    column[flows] = (struct lp_column){.range = {0, LP_NO_BOUND}, .objective = -1};
    for (uint32_t i = 0; i < graph->links; i++) {
        entry[entries++] = (struct lp_entry){graph->npus * graph->nodes + i, flows,
                                             -net_link_capacity(&graph->link[i]) / GB};
    }
    const struct lp_program program = {.rows = rows,
                                       .columns = flows + 1,
                                       .entries = entries,
                                       .row = row,
                                       .column = column,
                                       .entry = entry};
    const struct lp_limits none = {0};
    struct lp_result result;
    struct lp *lp;
    assert_int_equal(orr_lp_open(&lp, &program, NULL), ORR_OK);
    assert_int_equal(orr_lp_solve(lp, &none, &result, value, NULL), ORR_OK);
    assert_int_equal(result.end, LP_OPTIMAL);
    orr_lp_close(lp);
    return -result.objective / GB;
}

/* The bound, which must be optimal, in seconds for one byte a pair; its cut takes no longer. */
static double bound_of(const struct net_graph *graph, struct orr_arena *arena)
{
    struct net_exchange bound;
    assert_int_equal(orr_net_exchange_bound(graph, arena, &bound, NULL), ORR_OK);
    assert_true(bound.is_optimal);
    const double least = bound.least / bound.unit_bytes_per_s;
    const double by_cut =
        (double)bound.cut.npus * (graph->npus - bound.cut.npus) / bound.cut.bytes_per_s;
    assert_true(by_cut > 0 && by_cut <= least * (1 + 1e-9));
    near(bound.most / bound.unit_bytes_per_s, least);
    return least;
}

static void test_bounds_of_random_graphs_equal_the_program_of_all_flows(void **state)
{
    (void)state;
    uint32_t connected = 0;
    struct orr_arena *arena = orr_arena_create();
    for (uint64_t seed = 0; seed < 400; seed++) {
        const struct random_graph shape = {
            .nodes = 8, .duplex = seed % 2 == 1, .no_switches = seed % 3 == 2};
        const struct net_graph graph = random_graph(&shape, seed, arena);
        if (orr_net_graph_check_connected(&graph, arena, NULL) == ORR_OK) {
            near(bound_of(&graph, arena), solve_all_flows(&graph, arena));
            connected++;
        }
        orr_arena_reset(arena);
    }
    assert_true(connected > 240);
    orr_arena_destroy(arena);
}

static struct net_graph fabric_of(const char *text, uint32_t npus, struct orr_arena *arena)
{
    const struct net_fabric fabric = {
        .text = text, .npus = npus, .kind = {.bytes_per_s = 10 * GB}, .seed = 1};
    const struct net_routing *routing;
    struct net_graph graph;
    assert_int_equal(orr_net_build_fabric(&fabric, arena, &graph, &routing, NULL), ORR_OK);
    return graph;
}

static void check_fabric(const char *text, uint32_t npus, double seconds)
{
    struct orr_arena *arena = orr_arena_create();
    const struct net_graph graph = fabric_of(text, npus, arena);
    near(bound_of(&graph, arena), seconds);
    orr_arena_destroy(arena);
}

static void test_bounds_of_fabrics_equal_numbers_by_hand(void **state)
{
    (void)state;
    /* Where all links are alike: (sum of the distances of an NPU) / (links of an NPU). */
    check_fabric("torus:4x4", 16, 32 / (4 * 10 * GB));           /* 4 x (0 + 1 + 1 + 2) x 2 */
    check_fabric("torus:4x4x4", 64, 3 * 16 * 4 / (6 * 10 * GB)); /* a digit: 4 on average 1 */
    check_fabric("hypercube", 64, 64 * 3 / (6 * 10 * GB));
    check_fabric("circulant:1", 8, 16 / (2 * 10 * GB));
    check_fabric("circulant:+1", 6, 15 / (10 * GB));
    check_fabric("full-mesh", 9, 1 / (10 * GB));
    /* A torus of 8 x 4: half of the NPUs to the other half over 2 x 4 links. */
    check_fabric("torus:8x4", 32, 16 * 16 / (2 * 4 * 10 * GB));
    check_fabric("mesh:4x4", 16, 8 * 8 / (4 * 10 * GB));
    /* At full bandwidth the NPU's own link; else the uplinks of a switch. */
    check_fabric("ideal-switch", 8, 7 / (10 * GB));
    check_fabric("fat-tree:8", 128, 127 / (10 * GB));
    check_fabric("clusters:8,4", 32, 8 * 24 / (2 * 10 * GB));
    check_fabric("fat-tree/8@300GB/s", 64, 8 * 56 / (10 * GB));
    check_fabric("dragonfly:4", 64, 32 * 32 / (10 * GB));
    check_fabric("dragonfly:2", 64, 32 * 32 / (16 * 10 * GB)); /* half of the groups, 16 links */
    check_fabric("dragonfly:2", 72, 71 / (10 * GB));
}

/* No bound is above what some routing takes, of the example of each fabric with all its NPUs. */
static void test_bounds_of_fabrics_are_below_their_routings(void **state)
{
    const char *text;
    uint32_t npus;
    (void)state;
    for (size_t i = 0; (text = orr_net_fabric_example(i, &npus)) != NULL; i++) {
        struct orr_arena *arena = orr_arena_create();
        const struct net_graph graph = fabric_of(text, npus, arena);
        struct net_exchange exchange;
        assert_int_equal(orr_net_exchange_bound(&graph, arena, &exchange, NULL), ORR_OK);
        assert_true(exchange.least > 0);
        assert_true(exchange.least <= exchange.most * (1 + 1e-9));
        orr_arena_destroy(arena);
    }
}

/* Generalised Kautz graph (Imase and Itoh 1983): i leads to -(i d + a) mod n, a = 1 to d. */
static struct net_graph generalised_kautz(uint32_t n, uint32_t d, struct orr_arena *arena)
{
    struct net_graph_builder builder;
    struct net_graph graph;
    orr_net_graph_begin(&builder, arena, n, 0);
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t a = 1; a <= d; a++) {
            const uint32_t to = (n - (i * d + a) % n) % n;
            if (to != i) {
                orr_net_graph_link(
                    &builder,
                    &(struct net_link){.from = i, .to = to, .count = 1, .bytes_per_s = 10 * GB});
            }
        }
    }
    assert_int_equal(orr_net_graph_end(&builder, &graph, NULL), ORR_OK);
    return graph;
}

/* No graph of n NPUs with d links each is below the distances of a tree of degree d: d at 1, d^2 at
 * 2, ... (arXiv 2309.13541). */
static double tree_distances(uint32_t n, uint32_t d)
{
    double sum = 0, level = 1;
    uint32_t hops = 1;
    for (double left = n - 1.0; left > 0; left -= level, hops++) {
        level = fmin(level * d, left);
        sum += hops * level;
    }
    return sum;
}

static void
test_generalised_kautz_graphs_equal_the_program_and_are_near_the_tree_bound(void **state)
{
    static const struct {
        uint32_t n, d;
    } cases[] = {{6, 2}, {9, 2}, {12, 3}, {15, 2}, {16, 3}, {20, 4}};
    (void)state;
    struct orr_arena *arena = orr_arena_create();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct net_graph graph = generalised_kautz(cases[i].n, cases[i].d, arena);
        const double bound = bound_of(&graph, arena);
        const double tree = tree_distances(cases[i].n, cases[i].d) / (cases[i].d * 10 * GB);
        near(bound, solve_all_flows(&graph, arena));
        assert_true(bound >= tree * (1 - 1e-9) && bound <= 1.4 * tree);
        orr_arena_reset(arena);
    }
    orr_arena_destroy(arena);
}

/* Too large for the program: flows within 3 % of what lengths prove. */
static void test_large_graph_without_symmetry_has_an_interval(void **state)
{
    (void)state;
    struct orr_arena *arena = orr_arena_create();
    const struct net_graph graph = fabric_of("expander:4", 96, arena);
    struct net_exchange bound;
    assert_int_equal(orr_net_exchange_bound(&graph, arena, &bound, NULL), ORR_OK);
    assert_false(bound.is_optimal);
    assert_int_equal(bound.divisor, 0);
    assert_true(bound.least < bound.most && bound.most < 1.03 * bound.least);
    orr_arena_destroy(arena);
}

static void test_time_of_an_exchange_is_rounded_up(void **state)
{
    (void)state;
    struct orr_arena *arena = orr_arena_create();
    struct net_graph graph = fabric_of("fat-tree:8", 128, arena);
    struct net_exchange bound;
    assert_int_equal(orr_net_exchange_bound(&graph, arena, &bound, NULL), ORR_OK);
    /* 127 x 256 KiB over 10 GB/s. */
    assert_int_equal(orr_net_exchange_time(&bound, 128, 32 << 20), INT64_C(3329228800));
    assert_int_equal(orr_net_exchange_time(&bound, 128, 1), 100); /* 99.2 ps */
    graph = fabric_of("ideal-switch", 1, arena);
    assert_int_equal(orr_net_exchange_bound(&graph, arena, &bound, NULL), ORR_OK);
    assert_int_equal(orr_net_exchange_time(&bound, 1, 32 << 20), 0);
    orr_arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bounds_of_random_graphs_equal_the_program_of_all_flows),
        cmocka_unit_test(test_bounds_of_fabrics_equal_numbers_by_hand),
        cmocka_unit_test(test_bounds_of_fabrics_are_below_their_routings),
        cmocka_unit_test(
            test_generalised_kautz_graphs_equal_the_program_and_are_near_the_tree_bound),
        cmocka_unit_test(test_large_graph_without_symmetry_has_an_interval),
        cmocka_unit_test(test_time_of_an_exchange_is_rounded_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
