/* Traces compared by content: whatever the ids, what changed and nothing else. */
#include "core/rng.h"
#include "tests/unit/trace_fixture.h"
#include "workload/trace/trace_compare.h"

static struct orr_trace_comparison compare(void **state, const struct orr_trace *a,
                                           const struct orr_trace *b)
{
    struct orr_trace_comparison all;
    const struct orr_trace *const traces[2] = {a, b};
    assert_int_equal(orr_trace_compare(*state, traces, &all, NULL), ORR_OK);
    return all;
}

/* ---- random traces ---- */

enum { NODES = 60 };

/* Few names and durations, so that much is alike. */
static void random_nodes(struct orr_rng *rng, struct written nodes[NODES])
{
    static const char *const names[] = {"mm", "add", "relu"};
    for (uint64_t i = 0; i < NODES; i++) {
        nodes[i] = (struct written){AT(i + 1, names[orr_rng_below(rng, 3)], orr_rng_below(rng, 2))};
        const uint64_t parents = orr_rng_below(rng, 3);
        for (uint32_t p = 0; i > 0 && p < parents; p++) {
            nodes[i].parents[p] = 1 + orr_rng_below(rng, (uint32_t)i);
        }
    }
}

/* The same nodes under other ids. */
static void shuffle_ids(struct orr_rng *rng, const struct written from[NODES],
                        struct written to[NODES])
{
    uint64_t id[NODES + 1] = {0};
    for (uint32_t i = 1; i <= NODES; i++) {
        const uint64_t other = 1 + orr_rng_below(rng, i);
        id[i] = id[other];
        id[other] = 1000 + 3 * i;
    }
    for (uint32_t i = 0; i < NODES; i++) {
        to[i] = from[i];
        to[i].id = id[from[i].id];
        for (unsigned p = 0; p < MAX_PARENTS; p++) {
            to[i].parents[p] = id[from[i].parents[p]];
        }
    }
}

static void test_compare_other_ids_are_no_difference(void **state)
{
    struct orr_rng rng;
    orr_rng_init(&rng, 17, 0);
    for (unsigned round = 0; round < 300; round++) {
        struct written nodes[NODES], other[NODES];
        random_nodes(&rng, nodes);
        shuffle_ids(&rng, nodes, other);
        const struct orr_trace_comparison all =
            compare(state, MAKE_TRACE(state, nodes), MAKE_TRACE(state, other));
        assert_int_equal(all.matched, NODES);
        assert_int_equal(all.changes, 0);
        orr_arena_reset(*state);
    }
}

/* A duration that no other node has: one difference, of this node. */
static void test_compare_one_duration_is_one_difference(void **state)
{
    struct orr_rng rng;
    orr_rng_init(&rng, 18, 0);
    for (unsigned round = 0; round < 100; round++) {
        struct written nodes[NODES], other[NODES];
        random_nodes(&rng, nodes);
        nodes[round % NODES].duration_us = 77;
        shuffle_ids(&rng, nodes, other);
        other[round % NODES].duration_us = 78;
        const struct orr_trace *a = MAKE_TRACE(state, nodes), *b = MAKE_TRACE(state, other);
        const struct orr_trace_comparison all = compare(state, a, b);
        assert_int_equal(all.matched, NODES);
        assert_int_equal(all.changes, 1);
        assert_int_equal(all.change[0].differs, 1u << ORR_DIFFERS_DURATION);
        assert_int_equal(a->node[all.change[0].a].id, nodes[round % NODES].id);
        orr_arena_reset(*state);
    }
}

/* ---- by hand ---- */

static const struct written chain[] = {{AT(1, "a", 1)},
                                       {AT(2, "mm", 2), .parents = {1}},
                                       {AT(3, "mm", 3), .parents = {2}},
                                       {AT(4, "mm", 4), .parents = {3}},
                                       {AT(5, "b", 5), .parents = {4}}};

/* A product more in the middle of three: only it is new, and what follows it depends on it. */
static void test_compare_inserted_node_is_the_only_one(void **state)
{
    static const struct written longer[] = {{AT(1, "a", 1)},
                                            {AT(2, "mm", 2), .parents = {1}},
                                            {AT(9, "mm", 9), .parents = {2}},
                                            {AT(3, "mm", 3), .parents = {9}},
                                            {AT(4, "mm", 4), .parents = {3}},
                                            {AT(5, "b", 5), .parents = {4}}};
    const struct orr_trace *a = MAKE_TRACE(state, chain), *b = MAKE_TRACE(state, longer);
    const struct orr_trace_comparison all = compare(state, a, b);
    assert_int_equal(all.matched, 5);
    assert_int_equal(all.only[0], 0);
    assert_int_equal(all.only[1], 1);
    assert_int_equal(all.differ[ORR_DIFFERS_DEPENDENCIES], 1);
    assert_int_equal(all.edges_only[0], 1);
    assert_int_equal(all.edges_only[1], 0);
}

static void test_compare_every_difference_is_told(void **state)
{
    static const struct written before[] = {
        {AT(1, "a", 1)},
        {AT(2, "r", 0), .parents = {1}, .kind = ORR_NODE_COLL, .bytes = 10, .group = "1"},
        {AT(3, "b", 1), .parents = {2}},
        {AT(4, "gone", 1), .parents = {3}},
        {AT(5, "c", 1), .parents = {1, 3}}};
    static const struct written after[] = {
        {AT(10, "a", 6)},
        {AT(20, "r", 0), .parents = {10}, .kind = ORR_NODE_COLL, .bytes = 12, .group = "2"},
        {AT(30, "b", 1), .parents = {10, 20}, .flags = ORR_NODE_HAS_TENSOR_SIZE},
        {AT(40, "new", 1), .parents = {30}},
        {AT(50, "c", 1), .parents = {10}}};
    const struct orr_trace *a = MAKE_TRACE(state, before), *b = MAKE_TRACE(state, after);
    const struct orr_trace_comparison all = compare(state, a, b);
    assert_int_equal(all.matched, 4);
    assert_int_equal(all.only[0], 1);
    assert_int_equal(all.only[1], 1);
    assert_int_equal(all.changes, 6);
    assert_int_equal(a->node[all.change[0].a].id, 4);
    assert_int_equal(b->node[all.change[1].b].id, 40);
    assert_int_equal(all.change[2].differs, 1u << ORR_DIFFERS_DURATION);
    assert_int_equal(all.change[3].differs, 1u << ORR_DIFFERS_BYTES | 1u << ORR_DIFFERS_GROUP);
    assert_int_equal(all.change[4].differs,
                     1u << ORR_DIFFERS_OTHER | 1u << ORR_DIFFERS_DEPENDENCIES);
    assert_int_equal(all.change[5].differs, 1u << ORR_DIFFERS_DEPENDENCIES);
    uint32_t lost = 99;
    assert_int_equal(orr_trace_lost_parents(&all, 0, all.change[5].a, &lost, 1), 1);
    assert_int_equal(a->node[lost].id, 3);
    assert_int_equal(orr_trace_lost_parents(&all, 1, all.change[5].b, &lost, 1), 0);
}

static void test_compare_with_an_empty_trace(void **state)
{
    const struct orr_trace *none = make_trace(state, NULL, 0), *some = MAKE_TRACE(state, chain);
    assert_int_equal(compare(state, none, none).changes, 0);
    assert_int_equal(compare(state, none, some).only[1], 5);
    assert_int_equal(compare(state, some, none).only[0], 5);
}

/* Two equal halves: a node is paired with one of the half that its neighbours are paired with. */
static void test_compare_equal_halves_are_not_mixed(void **state)
{
    static const struct written first[] = {{AT(1, "x", 1)},
                                           {AT(2, "x", 1)},
                                           {AT(3, "y", 1), .parents = {1}},
                                           {AT(4, "y", 1), .parents = {2}},
                                           {AT(5, "z", 1), .parents = {3}},
                                           {AT(6, "z", 1), .parents = {4}}};
    static const struct written second[] = {{AT(1, "x", 1)},
                                            {AT(2, "x", 1)},
                                            {AT(3, "y", 1), .parents = {2}},
                                            {AT(4, "y", 1), .parents = {1}},
                                            {AT(5, "z", 1), .parents = {3}},
                                            {AT(6, "z", 1), .parents = {4}}};
    assert_int_equal(compare(state, MAKE_TRACE(state, first), MAKE_TRACE(state, second)).changes,
                     0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_compare_other_ids_are_no_difference, setup, teardown),
        cmocka_unit_test_setup_teardown(test_compare_one_duration_is_one_difference, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_compare_inserted_node_is_the_only_one, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_compare_every_difference_is_told, setup, teardown),
        cmocka_unit_test_setup_teardown(test_compare_with_an_empty_trace, setup, teardown),
        cmocka_unit_test_setup_teardown(test_compare_equal_halves_are_not_mixed, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
