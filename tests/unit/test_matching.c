/* Maximum-weight matchings worked out by hand, and what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "core/arena.h"
#include "core/diag.h"
#include "planner/finder/matching.h"

enum { MAX_NODES = 16 };

struct given {
    uint32_t a, b;
    uint64_t weight;
};

struct graph {
    struct orr_arena *arena;
    struct orr_diag diag;
    uint32_t nodes;
    uint64_t weight[MAX_NODES * MAX_NODES];
    uint32_t mate[MAX_NODES];
};

static void open_graph(struct graph *graph, uint32_t nodes, const struct given *given, size_t edges)
{
    memset(graph, 0, sizeof *graph);
    graph->arena = orr_arena_create();
    orr_diag_init(&graph->diag);
    graph->nodes = nodes;
    for (size_t i = 0; i < edges; i++) {
        graph->weight[given[i].a * nodes + given[i].b] = given[i].weight;
        graph->weight[given[i].b * nodes + given[i].a] = given[i].weight;
    }
}

static void close_graph(struct graph *graph)
{
    orr_arena_destroy(graph->arena);
}

static enum orr_status match(struct graph *graph)
{
    return orr_matching_max_weight(graph->arena, graph->nodes, graph->weight, graph->mate,
                                   &graph->diag);
}

static void assert_mates(struct graph *graph, const uint32_t *expected)
{
    assert_int_equal(match(graph), ORR_OK);
    for (uint32_t i = 0; i < graph->nodes; i++) {
        assert_int_equal(graph->mate[i], expected[i]);
    }
}

/* Six servers: 9 + 9 + 4 = 22, where the greatest edge first gets 10 + 4 = 14. After halving 4.5,
 * 10, 4.5, 2, 2, 3: 10 + 2 + 3 = 15. Doubled, so that halves are whole. */
static void test_six_servers_in_two_rounds(void **state)
{
    (void)state;
    struct graph graph;
    open_graph(
        &graph, 6,
        (struct given[]){{0, 1, 18}, {1, 2, 20}, {2, 3, 18}, {3, 4, 4}, {4, 5, 8}, {0, 5, 6}}, 6);
    assert_mates(&graph, (uint32_t[]){1, 0, 3, 2, 5, 4});
    for (uint32_t i = 0; i < 6; i++) {
        graph.weight[i * 6 + graph.mate[i]] /= 2;
    }
    assert_mates(&graph, (uint32_t[]){5, 2, 1, 4, 3, 0});
    close_graph(&graph);
}

/* 2 + 2 < 5: the ends stay alone, though a perfect matching exists. */
static void test_weight_counts_more_than_pairs(void **state)
{
    (void)state;
    struct graph graph;
    open_graph(&graph, 4, (struct given[]){{0, 1, 2}, {1, 2, 5}, {2, 3, 2}}, 3);
    assert_mates(&graph, (uint32_t[]){MATCHING_NONE, 2, 1, MATCHING_NONE});
    close_graph(&graph);
}

static void test_no_weights_no_pairs(void **state)
{
    (void)state;
    struct graph graph;
    open_graph(&graph, 5, NULL, 0);
    assert_mates(&graph, (uint32_t[]){MATCHING_NONE, MATCHING_NONE, MATCHING_NONE, MATCHING_NONE,
                                      MATCHING_NONE});
    close_graph(&graph);
    open_graph(&graph, 0, NULL, 0);
    assert_int_equal(match(&graph), ORR_OK);
    close_graph(&graph);
}

/* The triangle is closed before its tail is seen: 8 + 7 = 15, where 10 of the triangle are its
 * most. */
static void test_triangle_with_a_tail(void **state)
{
    (void)state;
    struct graph graph;
    open_graph(&graph, 4, (struct given[]){{0, 1, 8}, {0, 2, 9}, {1, 2, 10}, {2, 3, 7}}, 4);
    assert_mates(&graph, (uint32_t[]){1, 0, 3, 2});
    close_graph(&graph);
}

/* 1, 2, 3 close within 1 .. 5, and both are turned: 9 + 8 + 6 = 23, more than 10 + 10. */
static void test_nested_blossoms_are_turned(void **state)
{
    (void)state;
    struct graph graph;
    open_graph(&graph, 7,
               (struct given[]){
                   {1, 2, 9}, {1, 3, 9}, {2, 3, 10}, {2, 4, 8}, {3, 5, 8}, {4, 5, 10}, {5, 6, 6}},
               7);
    assert_mates(&graph, (uint32_t[]){MATCHING_NONE, 3, 4, 1, 2, 6, 5});
    close_graph(&graph);
}

/* The greatest weights that are taken: no sum wraps. */
static void test_greatest_weights(void **state)
{
    (void)state;
    struct graph graph;
    const uint64_t max = MATCHING_MAX_WEIGHT - 1;
    open_graph(&graph, 4, (struct given[]){{0, 1, max - 1}, {1, 2, max}, {2, 3, max}, {0, 2, 1}},
               4);
    assert_mates(&graph, (uint32_t[]){1, 0, 3, 2});
    close_graph(&graph);
}

static void test_bad_weights_are_refused(void **state)
{
    (void)state;
    struct graph graph;
    open_graph(&graph, 3, (struct given[]){{0, 2, MATCHING_MAX_WEIGHT}}, 1);
    assert_int_equal(match(&graph), ORR_ERR_INPUT);
    assert_string_equal(graph.diag.message, "matching: expected the same weight below 2^60 both "
                                            "ways between nodes 0 and 2");
    close_graph(&graph);
    open_graph(&graph, 3, NULL, 0);
    graph.weight[1] = 5;
    assert_int_equal(match(&graph), ORR_ERR_INPUT);
    close_graph(&graph);
}

static void test_memory_runs_out_cleanly(void **state)
{
    (void)state;
    for (int64_t allocations = 0;; allocations++) {
        struct graph graph;
        open_graph(&graph, 5,
                   (struct given[]){{0, 1, 8}, {0, 2, 9}, {1, 2, 10}, {2, 3, 7}, {3, 4, 7}}, 5);
        orr_arena_fail_after(graph.arena, allocations);
        const enum orr_status status = match(&graph);
        close_graph(&graph);
        if (status == ORR_OK) {
            assert_true(allocations > 10);
            return;
        }
        assert_int_equal(status, ORR_ERR_MEMORY);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_six_servers_in_two_rounds),
        cmocka_unit_test(test_weight_counts_more_than_pairs),
        cmocka_unit_test(test_no_weights_no_pairs),
        cmocka_unit_test(test_triangle_with_a_tail),
        cmocka_unit_test(test_nested_blossoms_are_turned),
        cmocka_unit_test(test_greatest_weights),
        cmocka_unit_test(test_bad_weights_are_refused),
        cmocka_unit_test(test_memory_runs_out_cleanly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
