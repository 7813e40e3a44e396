/* The algorithm forest on trees found on graphs: proved by the checker of collectives. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "network/bounds/spanning_forest.h"
#include "network/fabric_build.h"
#include "network/route_options.h"
#include "random_graph.h"
#include "system/collectives/checker.h"
#include "system/collectives/forest.h"

static void add_part(const struct net_graph *graph, bool reduces, uint32_t root,
                     struct orr_arena *arena, struct coll_forest_part *out)
{
    const struct net_forest_request request = {graph, reduces, root};
    struct net_forest found;
    assert_int_equal(orr_net_forest(&request, arena, &found, NULL), ORR_OK);
    const struct coll_forest_trees trees = {.n = found.npus,
                                            .roots = found.roots,
                                            .root = found.root,
                                            .units = found.units,
                                            .parent = found.parent,
                                            .reduces = reduces};
    assert_true(orr_coll_forest_part(&trees, arena, out));
}

static void check(const struct coll_forest *forest, enum coll_kind kind, struct orr_arena *arena)
{
    const struct coll_algorithm *algorithm = orr_coll_algorithm_find("forest");
    const uint32_t variants = orr_coll_forest_variants(forest);
    for (uint32_t variant = 0; variant < variants && variant < 6; variant++) {
        for (uint64_t seed = 0; seed < 3; seed++) {
            struct orr_diag diag;
            const struct coll_args args = {.kind = kind,
                                           .n = forest->n,
                                           .root = forest->root,
                                           .variant = variant,
                                           .bytes = 1000003,
                                           .forest = forest};
            orr_diag_init(&diag);
            if (orr_coll_check(algorithm, &args, seed, arena, &diag) != ORR_OK) {
                fail_msg("%s, variant %u: %s", orr_coll_kind_name(kind), variant, diag.message);
            }
        }
    }
}

static void check_graph(const struct net_graph *graph, struct orr_arena *arena)
{
    struct coll_forest forest = {.n = graph->npus};
    add_part(graph, false, NET_FOREST_ALL, arena, &forest.gather);
    check(&forest, COLL_ALL_GATHER, arena);
    add_part(graph, true, NET_FOREST_ALL, arena, &forest.reduce);
    check(&forest, COLL_REDUCE_SCATTER, arena);
    check(&forest, COLL_ALL_REDUCE, arena);
    forest = (struct coll_forest){.n = graph->npus, .root = graph->npus / 2};
    add_part(graph, false, forest.root, arena, &forest.gather);
    check(&forest, COLL_BROADCAST, arena);
}

static void test_forests_of_random_graphs_pass_the_checker(void **state)
{
    (void)state;
    uint32_t checked = 0;
    struct orr_arena *arena = orr_arena_create();
    for (uint64_t seed = 0; checked < 60; seed++) {
        const struct random_graph shape = {
            .nodes = 8, .duplex = seed % 3 != 0, .no_switches = seed % 3 == 0};
        const struct net_graph graph = random_graph(&shape, seed, arena);
        struct net_cut cut;
        assert_int_equal(orr_net_gather_cut(&graph, false, arena, &cut, NULL), ORR_OK);
        if (cut.bytes_per_s > 0) {
            check_graph(&graph, arena);
            checked++;
        }
        orr_arena_reset(arena);
    }
    orr_arena_destroy(arena);
}

static void test_forests_of_fabrics_pass_the_checker(void **state)
{
    static const struct {
        const char *text;
        uint32_t npus;
    } fabrics[] = {{"torus:4x4", 16}, {"hypercube", 16},  {"dgx1", 8},
                   {"mesh:3x4", 12},  {"fat-tree:4", 16}, {"circulant:+1", 5}};
    (void)state;
    struct orr_arena *arena = orr_arena_create();
    for (size_t i = 0; i < sizeof fabrics / sizeof *fabrics; i++) {
        const struct net_fabric fabric = {.text = fabrics[i].text,
                                          .npus = fabrics[i].npus,
                                          .kind = {.bytes_per_s = 1e10},
                                          .seed = 1};
        const struct net_routing *routing;
        struct net_graph graph;
        assert_int_equal(orr_net_build_fabric(&fabric, arena, &graph, &routing, NULL), ORR_OK);
        check_graph(&graph, arena);
        orr_arena_reset(arena);
    }
    orr_arena_destroy(arena);
}

/* Towards and from the roots of 0 > 1 > 2 and 2 > 1 > 0, with 1 in the middle of its own: NPU 1
 * passes a block on after one receive, NPU 0 sends its own at once. */
static void test_messages_wait_for_their_block_alone(void **state)
{
    static const uint32_t parent[3][3] = {
        {UINT32_MAX, 0, 1}, {1, UINT32_MAX, 1}, {1, 2, UINT32_MAX}};
    (void)state;
    struct orr_arena *arena = orr_arena_create();
    const struct coll_forest_trees trees = {
        .n = 3, .roots = 3, .units = 1, .parent = &parent[0][0]};
    struct coll_forest forest = {.n = 3};
    struct coll_send send;
    assert_true(orr_coll_forest_part(&trees, arena, &forest.gather));
    const struct coll_algorithm *algorithm = orr_coll_algorithm_find("forest");
    struct coll_args args = {
        .kind = COLL_ALL_GATHER, .n = 3, .rank = 1, .bytes = 10, .forest = &forest};
    assert_int_equal(algorithm->sends(&args), 4); /* its own to both, 0's to 2, 2's to 0 */
    assert_int_equal(algorithm->recvs(&args), 2);
    algorithm->send(&args, 2, &send);
    assert_int_equal(send.peer, 2);
    assert_int_equal(send.need, 1);
    assert_int_equal(send.bytes, 10);
    args.rank = 0;
    algorithm->send(&args, 0, &send);
    assert_int_equal(send.peer, 1);
    assert_int_equal(send.need, 0);
    orr_arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_forests_of_random_graphs_pass_the_checker),
        cmocka_unit_test(test_forests_of_fabrics_pass_the_checker),
        cmocka_unit_test(test_messages_wait_for_their_block_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
