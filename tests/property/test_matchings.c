/* Maximum-weight matchings of random graphs: as heavy as the best of all, tried out, up to ten
 * nodes; and proved by their duals at any size.
 *
 *   usage: test_matchings [DIR]
 *
 * With a folder, 1,000 random graphs are written there instead, for another program to solve: each
 * a file of "nodes weight-of-the-matching", then "a b weight" an edge. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/arena.h"
#include "core/diag.h"
#include "core/rng.h"
#include "core/sum.h"
#include "planner/finder/matching.h"

enum { SMALL = 10, SMALL_CASES = 20000, LARGE = 120, LARGE_CASES = 300, WRITTEN = 200 };

struct graph {
    struct orr_arena *arena;
    struct orr_diag diag;
    uint32_t nodes;
    uint64_t *weight;
    struct matching found;
};

/* What weights are drawn: few and equal, many, huge, on a plane (near pairs weigh more: odd rings).
 */
enum weights { ONES, FEW, MANY, HUGE_ONES, PLANE, WEIGHTS };

static uint64_t drawn(struct orr_rng *rng, enum weights weights)
{
    switch (weights) {
    case ONES:
        return 1;
    case FEW:
        return 1 + orr_rng_below(rng, 4);
    case MANY:
        return 1 + orr_rng_below(rng, 1000);
    default:
        return 1 + orr_rng_below(rng, MATCHING_MAX_WEIGHT - 1);
    }
}

static uint64_t nearness(const uint64_t *x, uint32_t i, uint32_t j)
{
    const int64_t across = (int64_t)(x[2 * i] - x[2 * j]),
                  up = (int64_t)(x[2 * i + 1] - x[2 * j + 1]);
    return (uint64_t)(2001 - llabs(across) - llabs(up));
}

/* Of every hundred pairs, `percent` are edges; the others have weight 0. */
static void draw(struct graph *graph, struct orr_rng *rng, enum weights weights, uint64_t percent)
{
    const uint32_t nodes = graph->nodes;
    uint64_t place[2 * WRITTEN];
    for (uint32_t i = 0; i < 2 * nodes; i++) {
        place[i] = orr_rng_below(rng, 1000);
    }
    for (uint32_t i = 0; i < nodes; i++) {
        graph->weight[(size_t)i * nodes + i] = UINT64_MAX; /* is not read */
        for (uint32_t j = 0; j < i; j++) {
            const uint64_t weight = weights == PLANE ? nearness(place, i, j) : drawn(rng, weights);
            const bool edge = orr_rng_below(rng, 100) < percent;
            graph->weight[(size_t)i * nodes + j] = edge ? weight : 0;
            graph->weight[(size_t)j * nodes + i] = edge ? weight : 0;
        }
    }
}

static void open_graph(struct graph *graph, uint32_t nodes)
{
    memset(graph, 0, sizeof *graph);
    orr_diag_init(&graph->diag);
    graph->arena = orr_arena_create();
    graph->nodes = nodes;
    graph->weight = orr_arena_array(graph->arena, (size_t)nodes * nodes, sizeof *graph->weight);
    assert_non_null(graph->weight);
}

static void random_graph(struct graph *graph, struct orr_rng *rng, uint32_t max, uint64_t seed)
{
    static const uint64_t percent[] = {100, 60, 30, 12};
    open_graph(graph, (uint32_t)orr_rng_below(rng, max + 1));
    draw(graph, rng, (enum weights)(seed % WEIGHTS), percent[seed / WEIGHTS % 4]);
}

static uint64_t weight_of(const struct graph *graph, uint32_t i, uint32_t j)
{
    return graph->weight[(size_t)i * graph->nodes + j];
}

/* The sum over pairs, each an edge and known at both ends. */
static orr_sum total_weight(const struct graph *graph)
{
    orr_sum total = 0;
    for (uint32_t i = 0; i < graph->nodes; i++) {
        const uint32_t mate = graph->found.mate[i];
        if (mate != MATCHING_NONE) {
            assert_true(mate < graph->nodes && mate != i && graph->found.mate[mate] == i);
            assert_true(weight_of(graph, i, mate) > 0);
            total += i < mate ? weight_of(graph, i, mate) : 0;
        }
    }
    return total;
}

/* The best of all matchings: of every set of nodes, its last alone or paired with one of the
 * others. */
static orr_sum best_of_all(const struct graph *graph)
{
    orr_sum best[1 << SMALL] = {0};
    for (uint32_t set = 1; set < 1U << graph->nodes; set++) {
        uint32_t last = 0;
        while (set >> (last + 1) != 0) {
            last++;
        }
        const uint32_t rest = set & ~(1U << last);
        best[set] = best[rest];
        for (uint32_t other = 0; other < last; other++) {
            if ((rest >> other & 1) != 0) {
                const orr_sum with =
                    best[rest & ~(1U << other)] + (orr_sum)weight_of(graph, last, other);
                best[set] = with > best[set] ? with : best[set];
            }
        }
    }
    return best[(1U << graph->nodes) - 1];
}

static void find(struct graph *graph)
{
    const enum orr_status status =
        orr_matching_prove(graph->arena, graph->nodes, graph->weight, &graph->found, &graph->diag);
    assert_int_equal(status, ORR_OK);
}

/* Members are paired within, but for one. */
static void assert_full(const struct graph *graph, const struct matching_blossom *blossom,
                        const bool *within)
{
    uint32_t paired = 0;
    for (uint32_t i = 0; i < blossom->members; i++) {
        const uint32_t mate = graph->found.mate[blossom->member[i]];
        paired += mate != MATCHING_NONE && within[mate];
    }
    assert_true(blossom->dual > 0);
    assert_int_equal(blossom->members % 2, 1);
    assert_int_equal(paired, blossom->members - 1);
}

/* left[i * nodes + j]: u_i + u_j + 2 x the duals of blossoms that hold both. */
static void add_duals(struct graph *graph, orr_sum *left)
{
    const uint32_t nodes = graph->nodes;
    for (uint32_t i = 0; i < nodes; i++) {
        for (uint32_t j = 0; j < nodes; j++) {
            left[(size_t)i * nodes + j] =
                (orr_sum)graph->found.node_dual[i] + (orr_sum)graph->found.node_dual[j];
        }
    }
    for (uint32_t b = 0; b < graph->found.blossoms; b++) {
        const struct matching_blossom *blossom = &graph->found.blossom[b];
        bool within[WRITTEN] = {false};
        for (uint32_t i = 0; i < blossom->members; i++) {
            within[blossom->member[i]] = true;
            for (uint32_t j = 0; j < blossom->members; j++) {
                left[(size_t)blossom->member[i] * nodes + blossom->member[j]] +=
                    2 * (orr_sum)blossom->dual;
            }
        }
        assert_full(graph, blossom, within);
    }
}

/* Feasible duals that are tight where the matching is: the weights of both are equal, and no
 * matching weighs more than duals that are feasible. */
static void assert_proved(struct graph *graph)
{
    const uint32_t nodes = graph->nodes;
    orr_sum *left = orr_arena_array(graph->arena, (size_t)nodes * nodes, sizeof *left);
    assert_non_null(left);
    add_duals(graph, left);
    for (uint32_t i = 0; i < nodes; i++) {
        assert_true(graph->found.node_dual[i] < 4 * MATCHING_MAX_WEIGHT);
        assert_true(graph->found.mate[i] != MATCHING_NONE || graph->found.node_dual[i] == 0);
        for (uint32_t j = 0; j < nodes; j++) {
            const orr_sum twice = 2 * (orr_sum)weight_of(graph, i, j);
            assert_true(i == j || left[(size_t)i * nodes + j] >= twice);
            assert_true(graph->found.mate[i] != j || left[(size_t)i * nodes + j] == twice);
        }
    }
}

static void test_small_graphs_equal_the_best_of_all(void **state)
{
    (void)state;
    struct orr_rng rng;
    orr_rng_init(&rng, 24, 0);
    uint64_t blossoms = 0;
    for (uint64_t seed = 0; seed < SMALL_CASES; seed++) {
        struct graph graph;
        random_graph(&graph, &rng, SMALL, seed);
        find(&graph);
        assert_true(total_weight(&graph) == best_of_all(&graph));
        assert_proved(&graph);
        blossoms += graph.found.blossoms;
        orr_arena_destroy(graph.arena);
    }
    assert_true(blossoms > SMALL_CASES / 10);
}

/* Those within others. */
static uint32_t nested(const struct matching *found)
{
    uint32_t count = 0;
    for (uint32_t a = 0; a < found->blossoms; a++) {
        for (uint32_t b = 0; b < found->blossoms; b++) {
            const struct matching_blossom *outside = &found->blossom[b];
            for (uint32_t i = 0;
                 outside->members > found->blossom[a].members && i < outside->members; i++) {
                count += outside->member[i] == found->blossom[a].member[0];
            }
        }
    }
    return count;
}

static void test_large_graphs_are_proved(void **state)
{
    (void)state;
    struct orr_rng rng;
    orr_rng_init(&rng, 24, 1);
    uint32_t within = 0;
    for (uint64_t seed = 0; seed < LARGE_CASES; seed++) {
        struct graph graph;
        random_graph(&graph, &rng, LARGE, seed);
        find(&graph);
        (void)total_weight(&graph);
        assert_proved(&graph);
        within += nested(&graph.found);
        orr_arena_destroy(graph.arena);
    }
    assert_true(within > LARGE_CASES);
}

static void test_again_gives_the_same_pairs(void **state)
{
    (void)state;
    struct orr_rng rng;
    orr_rng_init(&rng, 24, 2);
    struct graph graph;
    open_graph(&graph, LARGE);
    draw(&graph, &rng, FEW, 30);
    uint32_t mate[LARGE];
    find(&graph);
    assert_int_equal(orr_matching_max_weight(graph.arena, LARGE, graph.weight, mate, &graph.diag),
                     ORR_OK);
    assert_memory_equal(mate, graph.found.mate, sizeof mate);
    orr_arena_destroy(graph.arena);
}

/* For other programs; weights below 2^40, so that no sum of theirs wraps. */
static bool write_graph(const char *folder, uint64_t seed, struct orr_rng *rng)
{
    struct graph graph;
    char path[512], total[ORR_SUM_BYTES];
    static const uint64_t percent[] = {1, 2, 4, 30, 100};
    static const uint32_t max[] = {WRITTEN, WRITTEN, 120, 50, 50};
    const uint64_t kind = seed % 5;
    open_graph(&graph, (uint32_t)orr_rng_below(rng, max[kind] + 1));
    draw(&graph, rng, (enum weights)(seed / 5 % WEIGHTS), percent[kind]);
    for (size_t i = 0; i < (size_t)graph.nodes * graph.nodes; i++) {
        graph.weight[i] = graph.weight[i] > 1000 ? graph.weight[i] % (1ULL << 40) : graph.weight[i];
    }
    find(&graph);
    (void)snprintf(path, sizeof path, "%s/%04" PRIu64, folder, seed);
    FILE *file = fopen(path, "w");
    if (file == NULL) {
        return false;
    }
    (void)fprintf(file, "%u %s\n", graph.nodes, orr_sum_text(total_weight(&graph), total));
    for (uint32_t i = 0; i < graph.nodes; i++) {
        for (uint32_t j = 0; j < i; j++) {
            if (weight_of(&graph, i, j) > 0) {
                (void)fprintf(file, "%u %u %" PRIu64 "\n", i, j, weight_of(&graph, i, j));
            }
        }
    }
    orr_arena_destroy(graph.arena);
    return fclose(file) == 0;
}

static int write_graphs(const char *folder, uint64_t graphs)
{
    struct orr_rng rng;
    orr_rng_init(&rng, 24, 3);
    for (uint64_t seed = 0; seed < graphs; seed++) {
        if (!write_graph(folder, seed, &rng)) {
            return 1;
        }
    }
    return 0;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_small_graphs_equal_the_best_of_all),
        cmocka_unit_test(test_large_graphs_are_proved),
        cmocka_unit_test(test_again_gives_the_same_pairs),
    };
    return argc > 2 ? write_graphs(argv[1], strtoull(argv[2], NULL, 10))
                    : cmocka_run_group_tests(tests, NULL, NULL);
}
