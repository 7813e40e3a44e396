/* Forests reach the bound of cuts: spanning trees whose links carry no more units than they have.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "network/bounds/spanning_forest.h"
#include "network/fabric_build.h"
#include "network/route_options.h"
#include "random_graph.h"

#define GB 1000000000.0

static uint32_t root_of(const struct net_forest *forest, uint32_t tree)
{
    return forest->roots == 1 ? forest->root : tree / forest->units;
}

/* Every NPU leads to the root, over paths of links; counts units on links. */
static void check_tree(const struct net_forest_request *request, const struct net_forest *forest,
                       uint32_t tree, uint32_t *used)
{
    const struct net_graph *graph = request->graph;
    const size_t first = (size_t)tree * forest->npus;
    for (uint32_t v = 0; v < forest->npus; v++) {
        uint32_t steps = 0;
        for (uint32_t at = v; at != root_of(forest, tree); at = forest->parent[first + at]) {
            assert_true(at < forest->npus && steps++ < forest->npus);
        }
        if (v == root_of(forest, tree)) {
            assert_int_equal(forest->parent[first + v], NET_NO_PARENT);
            continue;
        }
        const struct net_forest_path path = forest->path[first + v];
        uint32_t node = request->reversed ? v : forest->parent[first + v];
        for (uint32_t h = 0; h < path.hops; h++) {
            const struct net_link *link = &graph->link[forest->hop[path.first + h]];
            assert_int_equal(link->from, node);
            assert_true(link->to >= graph->npus || h + 1 == path.hops);
            node = link->to;
            used[forest->hop[path.first + h]]++;
        }
        assert_int_equal(node, request->reversed ? forest->parent[first + v] : v);
    }
}

/* All trees, and the time they take: equal to the bound. */
static void check_forest(const struct net_graph *graph, bool reversed, uint32_t root,
                         struct orr_arena *arena)
{
    const struct net_forest_request request = {graph, reversed, root};
    struct net_forest forest;
    struct net_cut cut;
    struct orr_diag diag;
    orr_diag_init(&diag);
    if (orr_net_forest(&request, arena, &forest, &diag) != ORR_OK) {
        fail_msg("%s", diag.message);
    }
    uint32_t *used = orr_arena_array(arena, graph->links, sizeof *used);
    for (uint32_t t = 0; t < forest.roots * forest.units; t++) {
        check_tree(&request, &forest, t, used);
    }
    for (uint32_t i = 0; i < graph->links; i++) {
        const double units = net_link_capacity(&graph->link[i]) / forest.unit_bytes_per_s;
        assert_true(used[i] <= units * forest.links_share + 1e-6);
    }
    if (root == NET_FOREST_ALL) {
        assert_int_equal(orr_net_gather_cut(graph, reversed, arena, &cut, NULL), ORR_OK);
    } else {
        assert_int_equal(orr_net_broadcast_cut(graph, root, arena, &cut, NULL), ORR_OK);
    }
    /* A root's unit takes links_share / units of what it has, over a unit of capacity. */
    const struct net_cut_load by_trees = {.bytes = 1 << 20,
                                          .parts = forest.links_share,
                                          .divisor = forest.units,
                                          .bytes_per_s = forest.unit_bytes_per_s};
    const struct net_cut_load by_cut = {.bytes = 1 << 20,
                                        .parts = root == NET_FOREST_ALL ? cut.npus : 1,
                                        .divisor = 1,
                                        .bytes_per_s = cut.bytes_per_s};
    assert_int_equal(orr_net_cut_time(&by_trees), orr_net_cut_time(&by_cut));
}

static void test_forests_of_random_graphs_reach_the_bound(void **state)
{
    (void)state;
    uint32_t checked = 0;
    struct orr_arena *arena = orr_arena_create();
    for (uint64_t seed = 0; checked < 200; seed++) {
        const struct random_graph shape = {
            .nodes = 8, .duplex = seed % 3 != 0, .no_switches = seed % 3 == 0};
        const struct net_graph graph = random_graph(&shape, seed, arena);
        struct net_cut cut;
        assert_int_equal(orr_net_gather_cut(&graph, false, arena, &cut, NULL), ORR_OK);
        if (cut.bytes_per_s > 0) {
            check_forest(&graph, false, NET_FOREST_ALL, arena);
            check_forest(&graph, true, NET_FOREST_ALL, arena);
            check_forest(&graph, false, graph.npus - 1, arena);
            checked++;
        }
        orr_arena_reset(arena);
    }
    orr_arena_destroy(arena);
}

static void check_fabric(const char *text, uint32_t npus)
{
    struct orr_arena *arena = orr_arena_create();
    const struct net_fabric fabric = {
        .text = text, .npus = npus, .kind = {.bytes_per_s = 10 * GB}, .seed = 1};
    const struct net_routing *routing;
    struct net_graph graph;
    assert_int_equal(orr_net_build_fabric(&fabric, arena, &graph, &routing, NULL), ORR_OK);
    check_forest(&graph, false, NET_FOREST_ALL, arena);
    check_forest(&graph, false, 1, arena);
    orr_arena_destroy(arena);
}

static void test_forests_of_fabrics_reach_the_bound(void **state)
{
    static const struct {
        const char *text;
        uint32_t npus;
    } fabrics[] = {{"torus:4x4", 16},   {"torus:4x3x2", 24},  {"hypercube", 16},
                   {"dgx1", 8},         {"mesh:3x4", 12},     {"circulant:1,5", 16},
                   {"expander:3", 12},  {"full-mesh", 7},     {"ideal-switch", 8},
                   {"fat-tree:4", 16},  {"clusters:4,4", 16}, {"fat-tree/8@300GB/s", 16},
                   {"dragonfly:2", 12}, {"circulant:+1", 5}};
    (void)state;
    for (size_t i = 0; i < sizeof fabrics / sizeof *fabrics; i++) {
        check_fabric(fabrics[i].text, fabrics[i].npus);
    }
}

/* Two DGX A100: 8 GPUs at an NVSwitch with 300 GB/s each, and an InfiniBand port of 25 GB/s a GPU.
 * 15 parts over a GPU's 325 GB/s take longer than 8 over a server's 200. */
static void test_forest_of_two_dgx_a100_reaches_the_bound(void **state)
{
    (void)state;
    struct orr_arena *arena = orr_arena_create();
    struct net_graph_builder builder;
    struct net_graph graph;
    struct net_cut cut;
    orr_net_graph_begin(&builder, arena, 16, 3);
    for (uint32_t v = 0; v < 16; v++) {
        const struct net_link inside = {v, 16 + v / 8, 1, 300 * GB, 0};
        const struct net_link outside = {v, 18, 1, 25 * GB, 0};
        orr_net_graph_both(&builder, &inside);
        orr_net_graph_both(&builder, &outside);
    }
    assert_int_equal(orr_net_graph_end(&builder, &graph, NULL), ORR_OK);
    assert_int_equal(orr_net_gather_cut(&graph, false, arena, &cut, NULL), ORR_OK);
    const double parts_per_gb_s = cut.npus / (cut.bytes_per_s / GB);
    assert_true(parts_per_gb_s > 15.0 / 325 - 1e-12 && parts_per_gb_s < 15.0 / 325 + 1e-12);
    check_forest(&graph, false, NET_FOREST_ALL, arena);
    check_forest(&graph, true, NET_FOREST_ALL, arena);
    check_forest(&graph, false, 3, arena);
    orr_arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_forests_of_random_graphs_reach_the_bound),
        cmocka_unit_test(test_forests_of_fabrics_reach_the_bound),
        cmocka_unit_test(test_forest_of_two_dgx_a100_reaches_the_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
