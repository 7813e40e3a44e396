/* Circuits on switches from a traffic matrix (SiP-ML, appendix A.2), by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "core/arena.h"
#include "core/diag.h"
#include "sipml/wavelengths/wavelengths.h"

enum { MAX = 16 };

struct matrix {
    uint32_t nodes, switches;
    uint64_t bytes[MAX]; /* row by row */
};

struct case_of {
    struct orr_arena *arena;
    struct ocs_demand demand[MAX];
    struct ocs_problem problem;
    struct ocs_circuits found;
};

static enum orr_status solve(struct case_of *made, const struct matrix *matrix,
                             struct orr_diag *diag)
{
    made->arena = orr_arena_create();
    made->problem = (struct ocs_problem){
        .nodes = matrix->nodes, .switches = matrix->switches, .demand = made->demand};
    for (uint32_t i = 0; i < matrix->nodes * matrix->nodes; i++) {
        if (matrix->bytes[i] != 0) {
            made->demand[made->problem.demands++] = (struct ocs_demand){
                .from = i / matrix->nodes, .to = i % matrix->nodes, .bytes = matrix->bytes[i]};
        }
    }
    return orr_ocs_circuits(made->arena, &made->problem, &made->found, diag);
}

static void rate_is(struct wave_rate rate, uint64_t circuits, uint64_t bytes)
{
    assert_true(rate.circuits * bytes == circuits * rate.bytes);
}

static void counts_are(const struct case_of *made, const uint32_t *expected)
{
    for (uint32_t i = 0; i < made->problem.demands; i++) {
        if (made->found.count[i] != expected[i]) {
            fail_msg("demand %u: expected %u circuits, got %u", i, expected[i],
                     made->found.count[i]);
        }
    }
}

/* Rows (0 3 1), (0 0 2), (4 0 0), four switches: row 2 has all four for 4 bytes, so no rate is
 * above 1, and at 1 row 0 needs 3 + 1. 1 -> 2 could have more, but 2 receives 1 + 2 of 4: the one
 * that is left would be its own if 0 had a port; 1 has two: its third circuit is what is left.
 * Without it: 3, 1, 2, 4. */
static void test_small_matrix_reaches_rate_of_its_fullest_row(void **state)
{
    (void)state;
    const struct matrix matrix = {.nodes = 3, .switches = 4, .bytes = {0, 3, 1, 0, 0, 2, 4}};
    struct case_of made;
    assert_int_equal(solve(&made, &matrix, NULL), ORR_OK);
    rate_is(made.found.bound, 1, 1);
    rate_is(made.found.rate, 1, 1);
    assert_int_equal(made.found.overload.set, WAVE_NONE);
    counts_are(&made, (uint32_t[]){3, 1, 3, 4});
    orr_arena_destroy(made.arena);
}

/* With 5 for 3: 0 needs ceil(5 r) + ceil(r) <= 4, so 3 for 5 bytes: 0.6, and 3, 1, ceil(1.2) = 2,
 * ceil(2.4) = 3. Left: 2 -> 0 has 4/3 a circuit and takes the last one of both; then 1 -> 2 (2 at
 * 1) its third, as 2 receives 3 of 4. */
static void test_larger_demand_lowers_the_rate(void **state)
{
    (void)state;
    const struct matrix matrix = {.nodes = 3, .switches = 4, .bytes = {0, 5, 1, 0, 0, 2, 4}};
    struct case_of made;
    assert_int_equal(solve(&made, &matrix, NULL), ORR_OK);
    rate_is(made.found.bound, 3, 5);
    rate_is(made.found.rate, 3, 5);
    counts_are(&made, (uint32_t[]){3, 1, 3, 4});
    orr_arena_destroy(made.arena);
}

/* Whole numbers decide: 3 of 10^18 bytes and one of 10^18 + 1, 7 switches: 2, 2, 2 and 1 would be
 * the rate 1 / (10^18 + 1), 2, 2, 1, 2 the rate 1 / 10^18, which is more. In doubles all four are
 * equal. */
static void test_rates_at_a_threshold_are_exact(void **state)
{
    (void)state;
    const uint64_t much = 1000000000000000000;
    const struct ocs_demand demand[] = {{0, 1, much}, {0, 2, much}, {0, 3, much}, {0, 4, much + 1}};
    struct orr_arena *arena = orr_arena_create();
    const struct ocs_problem problem = {.nodes = 5, .switches = 7, .demands = 4, .demand = demand};
    struct ocs_circuits found;
    assert_int_equal(orr_ocs_circuits(arena, &problem, &found, NULL), ORR_OK);
    assert_int_equal(found.bound.circuits, 1);
    assert_true(found.bound.bytes == much);
    assert_int_equal(found.count[3], 2);
    assert_int_equal(found.count[0] + found.count[1] + found.count[2], 5);
    orr_arena_destroy(arena);
}

/* Of equal ones the smallest sender, then receiver: 0 -> 1, 0 -> 2 with one byte each share three.
 */
static void test_left_over_goes_to_the_first_of_equals(void **state)
{
    (void)state;
    const struct matrix matrix = {.nodes = 3, .switches = 3, .bytes = {0, 1, 1}};
    struct case_of made;
    assert_int_equal(solve(&made, &matrix, NULL), ORR_OK);
    rate_is(made.found.rate, 1, 1);
    counts_are(&made, (uint32_t[]){2, 1});
    orr_arena_destroy(made.arena);
}

/* 0 has three peers for two switches: no rate, the two largest have circuits, and it is named. */
static void test_more_peers_than_switches_is_told_by_name(void **state)
{
    (void)state;
    const struct matrix matrix = {.nodes = 4, .switches = 2, .bytes = {0, 2, 9, 5}};
    struct case_of made;
    struct orr_diag diag;
    orr_diag_init(&diag);
    assert_int_equal(solve(&made, &matrix, NULL), ORR_OK);
    assert_int_equal(made.found.rate.circuits, 0);
    assert_int_equal(made.found.bound.circuits, 0);
    counts_are(&made, (uint32_t[]){0, 1, 1});
    orr_ocs_describe_overload(&made.problem, &made.found, &diag);
    assert_string_equal(diag.message, "GPU 0 sends to 3 others, for which there are 2 switches");
    orr_arena_destroy(made.arena);
}

static void test_crowded_receiver_is_told_by_name(void **state)
{
    (void)state;
    const struct matrix matrix = {.nodes = 3, .switches = 1, .bytes = {0, 0, 1, 0, 0, 1}};
    struct case_of made;
    struct orr_diag diag;
    orr_diag_init(&diag);
    assert_int_equal(solve(&made, &matrix, NULL), ORR_OK);
    orr_ocs_describe_overload(&made.problem, &made.found, &diag);
    assert_string_equal(diag.message, "GPU 2 receives from 2 others, for which there is 1 switch");
    orr_arena_destroy(made.arena);
}

static void test_no_demands_have_no_circuits(void **state)
{
    (void)state;
    const struct ocs_demand nothing = {0, 1, 0};
    struct orr_arena *arena = orr_arena_create();
    struct ocs_problem problem = {.nodes = 2, .switches = 4, .demands = 1, .demand = &nothing};
    struct ocs_circuits found;
    assert_int_equal(orr_ocs_circuits(arena, &problem, &found, NULL), ORR_OK);
    assert_int_equal(found.count[0], 0);
    assert_true(found.rate.bytes == 0);
    problem.demands = 0;
    uint32_t *peer;
    assert_int_equal(orr_ocs_circuits(arena, &problem, &found, NULL), ORR_OK);
    assert_int_equal(orr_ocs_switches(arena, &problem, found.count, &peer, NULL), ORR_OK);
    assert_int_equal(peer[0], WAVE_NONE);
    orr_arena_destroy(arena);
}

/* Each switch joins every sender with one receiver at most, and all circuits are there. */
static void test_switches_have_each_circuit_once(void **state)
{
    (void)state;
    const struct matrix matrix = {.nodes = 3, .switches = 4, .bytes = {0, 3, 1, 0, 0, 2, 4}};
    struct case_of made;
    uint32_t *peer, seen[9] = {0};
    assert_int_equal(solve(&made, &matrix, NULL), ORR_OK);
    assert_int_equal(orr_ocs_switches(made.arena, &made.problem, made.found.count, &peer, NULL),
                     ORR_OK);
    for (uint32_t plane = 0; plane < 4; plane++) {
        uint32_t receivers = 0;
        for (uint32_t i = 0; i < 3; i++) {
            const uint32_t to = peer[plane * 3 + i];
            if (to != WAVE_NONE) {
                assert_false(receivers & 1U << to);
                receivers |= 1U << to;
                seen[i * 3 + to]++;
            }
        }
    }
    for (uint32_t i = 0; i < made.problem.demands; i++) {
        const struct ocs_demand *demand = &made.demand[i];
        assert_int_equal(seen[demand->from * 3 + demand->to], made.found.count[i]);
    }
    made.found.count[3]++; /* a fifth from node 2 */
    assert_int_equal(orr_ocs_switches(made.arena, &made.problem, made.found.count, &peer, NULL),
                     ORR_ERR_INTERNAL);
    orr_arena_destroy(made.arena);
}

/* Three groups of 2, four switches: 0 sends 3 bytes to 1 and 1 to the next group's 0, 1 sends 2 to
 * 0 and 2 to the next group's 1. Each second GPU receives 3 from its own group and 2 from the one
 * before, ceil(3 r) + ceil(2 r) <= 4: 2/3, by 2 and 2. The first ones have 1 and 2 circuits, and
 * one that is left. */
static void test_folded_group_has_the_receivers_of_all(void **state)
{
    (void)state;
    const struct ocs_demand demand[] = {{0, 1, 3}, {0, 2, 1}, {1, 0, 2}, {1, 3, 2}};
    struct orr_arena *arena = orr_arena_create();
    const struct ocs_problem problem = {
        .nodes = 6, .switches = 4, .demands = 4, .demand = demand, .group = 2};
    struct ocs_circuits found;
    uint32_t *peer, seen[2][6] = {{0}};
    assert_int_equal(orr_ocs_circuits(arena, &problem, &found, NULL), ORR_OK);
    rate_is(found.bound, 2, 3);
    rate_is(found.rate, 2, 3);
    assert_int_equal(orr_ocs_switches(arena, &problem, found.count, &peer, NULL), ORR_OK);
    for (uint32_t plane = 0; plane < 4; plane++) {
        const uint32_t first = peer[plane * 2], second = peer[plane * 2 + 1];
        assert_int_not_equal(first % 2, second % 2);
        seen[0][first]++;
        seen[1][second]++;
    }
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(found.count[i], 2);
        assert_int_equal(seen[demand[i].from][demand[i].to], 2);
    }
    orr_arena_destroy(arena);
}

static void refuses(const struct ocs_problem *problem, const char *message)
{
    struct orr_arena *arena = orr_arena_create();
    struct ocs_circuits found;
    struct orr_diag diag;
    orr_diag_init(&diag);
    assert_int_equal(orr_ocs_circuits(arena, problem, &found, &diag), ORR_ERR_INPUT);
    assert_string_equal(diag.message, message);
    orr_arena_destroy(arena);
}

static void test_wrong_demands_are_refused(void **state)
{
    (void)state;
    const struct ocs_demand twice[] = {{0, 1, 5}, {0, 1, 5}}, falling[] = {{1, 0, 5}, {0, 1, 5}},
                            self = {1, 1, 5}, far = {0, 2, 5}, late = {2, 0, 5};
    refuses(&(struct ocs_problem){2, 1, 2, twice, 0},
            "circuits: demand 1: expected demands by rising sender and receiver, each pair once");
    refuses(&(struct ocs_problem){2, 1, 2, falling, 0},
            "circuits: demand 1: expected demands by rising sender and receiver, each pair once");
    refuses(&(struct ocs_problem){2, 1, 1, &self, 0},
            "circuits: demand 0: expected two different nodes of 2, got 1 and 1");
    refuses(&(struct ocs_problem){2, 1, 1, &far, 0},
            "circuits: demand 0: expected two different nodes of 2, got 0 and 2");
    refuses(&(struct ocs_problem){2, 0, 0, NULL, 0},
            "circuits: expected at least one switch and at most 16777216 nodes, got 0 and 2");
    refuses(&(struct ocs_problem){2, 1, 1, &self, 3},
            "circuits: expected groups that divide 2 nodes, got 3 in each");
    refuses(&(struct ocs_problem){4, 1, 1, &late, 2},
            "circuits: demand 0: expected a sender in the first group of 2, got 2");
}

/* Any allocation may fail. */
static void test_no_memory_is_an_error(void **state)
{
    (void)state;
    const struct ocs_demand demand[] = {{0, 1, 3}, {1, 0, 5}};
    const struct ocs_problem problem = {.nodes = 2, .switches = 3, .demands = 2, .demand = demand};
    for (int64_t i = 0;; i++) {
        struct orr_arena *arena = orr_arena_create();
        struct ocs_circuits found;
        uint32_t *peer;
        orr_arena_fail_after(arena, i);
        enum orr_status status = orr_ocs_circuits(arena, &problem, &found, NULL);
        if (status == ORR_OK) {
            status = orr_ocs_switches(arena, &problem, found.count, &peer, NULL);
        }
        orr_arena_destroy(arena);
        if (status == ORR_OK) {
            assert_true(i >= 10);
            return;
        }
        assert_int_equal(status, ORR_ERR_MEMORY);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_small_matrix_reaches_rate_of_its_fullest_row),
        cmocka_unit_test(test_larger_demand_lowers_the_rate),
        cmocka_unit_test(test_rates_at_a_threshold_are_exact),
        cmocka_unit_test(test_left_over_goes_to_the_first_of_equals),
        cmocka_unit_test(test_more_peers_than_switches_is_told_by_name),
        cmocka_unit_test(test_crowded_receiver_is_told_by_name),
        cmocka_unit_test(test_no_demands_have_no_circuits),
        cmocka_unit_test(test_switches_have_each_circuit_once),
        cmocka_unit_test(test_folded_group_has_the_receivers_of_all),
        cmocka_unit_test(test_wrong_demands_are_refused),
        cmocka_unit_test(test_no_memory_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
