/* Wavelengths on a ring from a traffic matrix (SiP-ML, sections 3.3 and 5, appendix A.1), by hand.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "core/arena.h"
#include "core/diag.h"
#include "ring_fixture.h"
#include "sipml/wavelengths/wavelengths.h"
#include "tests/unit/ring_fixture.h"

static void rate_is(struct wave_rate rate, uint64_t circuits, uint64_t bytes)
{
    assert_true(rate.circuits * bytes == circuits * rate.bytes);
}

static void check(const struct ring_problem *problem, const struct ring_allocation *found,
                  const uint32_t *counts)
{
    const char *wrong = ring_problem_with(problem, found);
    if (wrong != NULL) {
        fail_msg("%s", wrong);
    }
    for (uint32_t i = 0; i < problem->arcs; i++) {
        if (found->count[i] != counts[i]) {
            fail_msg("arc %u: expected %u wavelengths, got %u", i, counts[i], found->count[i]);
        }
    }
}

static void goes(uint32_t from, uint32_t to, bool down, uint32_t length)
{
    const struct ocs_demand demand = {from, to, 7};
    struct ring_arc arc;
    assert_true(orr_ring_route(8, 4, &demand, &arc));
    assert_int_equal(arc.from, from);
    assert_int_equal(arc.down, down);
    assert_int_equal(arc.length, length);
    assert_true(arc.bytes == 7);
}

static void test_routes_take_the_shorter_way_up_if_equal(void **state)
{
    (void)state;
    goes(0, 3, false, 3);
    goes(0, 5, true, 3);
    goes(6, 1, false, 3);
    goes(1, 6, true, 3);
    goes(0, 4, false, 4);
    goes(4, 0, false, 4);
    struct ring_arc arc;
    assert_false(orr_ring_route(8, 3, &(struct ocs_demand){0, 4, 1}, &arc));
    assert_true(orr_ring_route(8, 0, &(struct ocs_demand){0, 4, 1}, &arc));
}

/* Section 5: 10 dB / (0.5 + 0.125 dB) = 16 nodes; 10 / 0.525 = 19.05. */
static void test_reach_is_the_power_budget_over_the_loss(void **state)
{
    (void)state;
    assert_int_equal(orr_ring_reach(10, 0.5, 0.125), 16);
    assert_int_equal(orr_ring_reach(10, 0.5, 0.025), 19);
    assert_int_equal(orr_ring_reach(10, 0, 0.1), 100);
    assert_int_equal(orr_ring_reach(0.3, 0.5, 0), 0);
}

/* 0 -> 1 (1), 1 -> 2 (1), 0 -> 2 (4), 2 -> 0 (3), all up, 10 wavelengths. Segment 0 has ceil(r) +
 * ceil(4 r) <= 10: r = 2, by 2, 2, 8, 6. Four are left on segments 2 and 3, and 2 -> 0 takes them.
 */
static const struct ring_arc four_arcs[] = {
    {0, 1, false, 1}, {1, 1, false, 1}, {0, 2, false, 4}, {2, 2, false, 3}};
static const struct ring_problem four = {
    .nodes = 4, .wavelengths = 10, .arcs = 4, .arc = four_arcs};

static void test_load_reaches_the_bound_and_fills(void **state)
{
    (void)state;
    struct orr_arena *arena = orr_arena_create();
    struct ring_allocation found;
    assert_int_equal(orr_ring_allocate(arena, &four, &found, NULL), ORR_OK);
    rate_is(found.bound, 2, 1);
    rate_is(found.rate, 2, 1);
    assert_int_equal(found.deficit, 0);
    check(&four, &found, (uint32_t[]){2, 2, 8, 10});
    orr_arena_destroy(arena);
}

/* The same by flows: at first 0 -> 1 and 1 -> 2, a gain of 2 against 1/4, and 2 -> 0, for 1; then
 * 0 -> 2 and the rest of 2 -> 0 for 2; then the rest of 0 -> 2 for 2. Means over 5: 1/5, 1/5, 4/5,
 * 3/5: 2, 2, 8, 6 of 10, whole as they are, so chance changes nothing. */
static void test_flow_serves_small_demands_first(void **state)
{
    (void)state;
    struct orr_arena *arena = orr_arena_create();
    struct ring_allocation found;
    struct ring_flow flow = {.rounding = RING_ROUND_RANDOM, .seed = 1};
    assert_int_equal(orr_ring_flow(arena, &four, &flow, &found, NULL), ORR_OK);
    assert_int_equal(flow.steps, 3);
    assert_false(flow.cut_short);
    check(&four, &found, (uint32_t[]){2, 2, 8, 6});
    flow.rounding = RING_ROUND_DOWN;
    assert_int_equal(orr_ring_flow(arena, &four, &flow, &found, NULL), ORR_OK);
    check(&four, &found, (uint32_t[]){2, 2, 8, 10});
    rate_is(found.rate, 2, 1);
    orr_arena_destroy(arena);
}

/* After one step 0 -> 2 (4) and 2 -> 0 (2) are left, one after the other: 1 + 6 in all, means 1/7,
 * 1/7, 4/7, 3/7; of 10, rounded down: 1, 1, 5, 4. Then by turns to the least rate: 0 -> 1 and 1 ->
 * 2 have 1 a byte, 0 -> 2 1.25, 2 -> 0 1.33: 0 -> 1 takes its second and 1 -> 2 too; 0 -> 2 three
 * more until segments 0 and 1 are full; 2 -> 0 all of its. */
static void test_flow_that_is_cut_short_counts_what_is_left(void **state)
{
    (void)state;
    struct orr_arena *arena = orr_arena_create();
    struct ring_allocation found;
    struct ring_flow flow = {.max_steps = 1};
    assert_int_equal(orr_ring_flow(arena, &four, &flow, &found, NULL), ORR_OK);
    assert_int_equal(flow.steps, 1);
    assert_true(flow.cut_short);
    check(&four, &found, (uint32_t[]){2, 2, 8, 10});
    orr_arena_destroy(arena);
}

/* One wavelength between two equal arcs, and a seed decides: half of them each. */
static void test_randomized_rounding_follows_its_seed(void **state)
{
    (void)state;
    const struct ring_arc arc[] = {{0, 1, false, 5}, {0, 1, false, 5}};
    const struct ring_problem problem = {.nodes = 3, .wavelengths = 3, .arcs = 2, .arc = arc};
    uint32_t seen[2] = {0};
    for (uint64_t seed = 0; seed < 64; seed++) {
        struct orr_arena *arena = orr_arena_create();
        struct ring_allocation found, again;
        struct ring_flow flow = {.rounding = RING_ROUND_RANDOM, .seed = seed};
        assert_int_equal(orr_ring_flow(arena, &problem, &flow, &found, NULL), ORR_OK);
        assert_int_equal(orr_ring_flow(arena, &problem, &flow, &again, NULL), ORR_OK);
        check(&problem, &found, again.count);
        assert_in_range(found.count[0] + found.count[1], 2, 3);
        seen[0] += found.count[0] - 1;
        seen[1] += found.count[1] - 1;
        orr_arena_destroy(arena);
    }
    /* 1.5 each: up half of the time, the second only if the first was not: 32 and 16 expected. */
    assert_in_range(seen[0], 20, 44);
    assert_in_range(seen[1], 6, 26);
}

/* 0 -> 2, 1 -> 3, 2 -> 1, all up: every two overlap, and no segment has all three, so 1, 2, 1 fit
 * by load (0.4) but need four of three wavelengths: 1, 1, 1 (0.2). */
static const struct ring_arc three_arcs[] = {{0, 2, false, 1}, {1, 2, false, 5}, {2, 3, false, 1}};
static const struct ring_problem three = {
    .nodes = 4, .wavelengths = 3, .arcs = 3, .arc = three_arcs};

static void test_arcs_around_the_ring_need_more_than_their_load(void **state)
{
    (void)state;
    struct orr_arena *arena = orr_arena_create();
    struct ring_allocation found;
    assert_int_equal(orr_ring_allocate(arena, &three, &found, NULL), ORR_OK);
    rate_is(found.bound, 2, 5);
    rate_is(found.rate, 1, 5);
    assert_int_equal(found.deficit, 1);
    check(&three, &found, (uint32_t[]){1, 1, 1});
    orr_arena_destroy(arena);
}

static void test_integer_program_finds_the_optimum(void **state)
{
    (void)state;
    struct orr_arena *arena = orr_arena_create();
    struct ring_allocation found;
    const struct ring_limits none = {0};
    double gap = -1;
    assert_int_equal(orr_ring_exact(arena, &three, none, &found, &gap, NULL), ORR_OK);
    rate_is(found.rate, 1, 5);
    assert_true(gap >= 0 && gap <= 0);
    check(&three, &found, (uint32_t[]){1, 1, 1});
    assert_int_equal(
        orr_ring_exact(arena, &four, (struct ring_limits){.nodes = 100000}, &found, &gap, NULL),
        ORR_OK);
    rate_is(found.rate, 2, 1);
    check(&four, &found, (uint32_t[]){2, 2, 8, 10});
    orr_arena_destroy(arena);
}

/* Three arcs that overlap pairwise, 15 wavelengths: 7 each by load, and the program without whole
 * numbers has 7.5 by halves; 5 is the best. The search may look at one node: whatever it has then
 * is an allocation, and the gap says how far from the best it may be. */
static void test_integer_program_ends_at_its_limit(void **state)
{
    (void)state;
    const struct ring_arc arc[] = {{0, 2, false, 1}, {1, 2, false, 1}, {2, 3, false, 1}};
    const struct ring_problem problem = {.nodes = 4, .wavelengths = 15, .arcs = 3, .arc = arc};
    struct orr_arena *arena = orr_arena_create();
    struct ring_allocation found;
    double gap = -1;
    assert_int_equal(
        orr_ring_exact(arena, &problem, (struct ring_limits){.nodes = 1}, &found, &gap, NULL),
        ORR_OK);
    check(&problem, &found, found.count);
    assert_true(found.rate.circuits <= 5);
    assert_true(isinf(gap) || (gap > 0.3 && found.rate.circuits * (1 + gap) <= 7 * (1 + 1e-9)));
    orr_arena_destroy(arena);
}

/* Both directions share a node: 0 sends 4 bytes up and 2 down, by 6 wavelengths: 4 and 2. */
static void test_node_divides_its_wavelengths_between_directions(void **state)
{
    (void)state;
    const struct ring_arc arc[] = {{0, 2, false, 4}, {0, 1, true, 2}};
    const struct ring_problem problem = {.nodes = 5, .wavelengths = 6, .arcs = 2, .arc = arc};
    struct orr_arena *arena = orr_arena_create();
    struct ring_allocation found;
    struct ring_flow flow = {0};
    assert_int_equal(orr_ring_allocate(arena, &problem, &found, NULL), ORR_OK);
    check(&problem, &found, (uint32_t[]){4, 2});
    assert_int_equal(orr_ring_flow(arena, &problem, &flow, &found, NULL), ORR_OK);
    check(&problem, &found, (uint32_t[]){4, 2});
    orr_arena_destroy(arena);
}

/* One of many alike groups of four: each GPU's stream to the next group (2 bytes) goes all around,
 * and shares every segment with the three others; inside, hops of 3 bytes. 70 wavelengths: (4 x 2 +
 * 3) r <= 70 leaves r = 6, by 12 for each stream and 18 for each hop. All rates are 6 then, so the
 * four that are left go to the lowest numbers, the streams, one each; hops can have no more. */
static void test_folded_group_has_streams_all_around(void **state)
{
    (void)state;
    const struct ring_arc arc[] = {{0, 4, false, 2}, {1, 4, false, 2}, {2, 4, false, 2},
                                   {3, 4, false, 2}, {0, 1, false, 3}, {1, 1, false, 3},
                                   {2, 1, false, 3}};
    const struct ring_problem problem = {.nodes = 4, .wavelengths = 70, .arcs = 7, .arc = arc};
    struct orr_arena *arena = orr_arena_create();
    struct ring_allocation found;
    assert_int_equal(orr_ring_allocate(arena, &problem, &found, NULL), ORR_OK);
    assert_int_equal(found.words, 2);
    assert_int_equal(found.deficit, 0);
    rate_is(found.bound, 6, 1);
    check(&problem, &found, (uint32_t[]){13, 13, 13, 13, 18, 18, 18});
    orr_arena_destroy(arena);
}

static void crowded(const struct ring_arc *arc, const char *message)
{
    const struct ring_problem problem = {.nodes = 4, .wavelengths = 1, .arcs = 2, .arc = arc};
    struct orr_arena *arena = orr_arena_create();
    struct ring_allocation found;
    struct orr_diag diag;
    orr_diag_init(&diag);
    assert_int_equal(orr_ring_allocate(arena, &problem, &found, NULL), ORR_OK);
    assert_int_equal(found.rate.circuits, 0);
    check(&problem, &found, (uint32_t[]){0, 1}); /* the larger one */
    orr_ring_describe_overload(&problem, &found, &diag);
    assert_string_equal(diag.message, message);
    orr_arena_destroy(arena);
}

static void test_too_many_arcs_are_told_by_place(void **state)
{
    (void)state;
    crowded((struct ring_arc[]){{0, 2, false, 1}, {1, 2, false, 2}},
            "the segment from 1 to 2 is part of 2 arcs, for which there is 1 wavelength");
    crowded((struct ring_arc[]){{1, 2, true, 1}, {0, 2, true, 2}},
            "the segment from 0 to 3 is part of 2 arcs, for which there is 1 wavelength");
    crowded((struct ring_arc[]){{1, 1, true, 1}, {1, 2, false, 2}},
            "GPU 1 sends by 2 arcs, for which there is 1 wavelength");
    crowded((struct ring_arc[]){{1, 1, true, 1}, {3, 1, false, 2}},
            "GPU 0 receives by 2 arcs, for which there is 1 wavelength");
}

/* Two rows of two: 0 -> 1 (1 byte) is on a row, 0 -> 2 (3) on a column, 0 -> 3 on neither. Of four
 * wavelengths one for rows gives 1 and 3/3; two give 2 and 2/3. */
static void test_grid_divides_wavelengths_where_rates_meet(void **state)
{
    (void)state;
    const struct ocs_demand demand[] = {{0, 1, 1}, {0, 2, 3}, {0, 3, 9}};
    struct ring_grid grid = {.rows = 2, .columns = 2, .wavelengths = 4, .demands = 3};
    grid.demand = demand;
    struct orr_arena *arena = orr_arena_create();
    struct ring_grid_allocation found;
    assert_int_equal(orr_ring_grid(arena, &grid, &found, NULL), ORR_OK);
    assert_int_equal(found.across, 1);
    assert_int_equal(found.unreachable, 1);
    assert_int_equal(found.first_unreachable, 2);
    rate_is(found.rate, 1, 1);
    assert_memory_equal(found.count, ((uint32_t[]){1, 3, 0}), 3 * sizeof(uint32_t));
    grid.across = 2;
    assert_int_equal(orr_ring_grid(arena, &grid, &found, NULL), ORR_OK);
    rate_is(found.rate, 2, 3);
    rate_is(found.bound, 2, 3);
    assert_memory_equal(found.count, ((uint32_t[]){2, 2, 0}), 3 * sizeof(uint32_t));
    orr_arena_destroy(arena);
}

/* Three rows of eight. 0 -> 5 (down 3) and 8 -> 9; 17 -> 1 down column 1 by one (up around); reach
 * 2 leaves 0 -> 5 out. Rows have one arc each at most, so a wavelength is worth the same anywhere.
 */
static void test_grid_keeps_to_its_reach(void **state)
{
    (void)state;
    const struct ocs_demand demand[] = {{0, 5, 6}, {8, 9, 2}, {17, 1, 6}};
    struct ring_grid grid = {.rows = 3, .columns = 8, .wavelengths = 8, .demands = 3, .reach = 2};
    grid.demand = demand;
    struct orr_arena *arena = orr_arena_create();
    struct ring_grid_allocation found;
    assert_int_equal(orr_ring_grid(arena, &grid, &found, NULL), ORR_OK);
    assert_int_equal(found.first_unreachable, 0);
    assert_int_equal(found.across, 2); /* 2 / 2 and 6 / 6 */
    assert_memory_equal(found.count, ((uint32_t[]){0, 2, 6}), 3 * sizeof(uint32_t));
    grid.reach = 3;
    assert_int_equal(orr_ring_grid(arena, &grid, &found, NULL), ORR_OK);
    assert_int_equal(found.unreachable, 0);
    assert_int_equal(found.across, 4); /* 4 / 6 both ways */
    assert_memory_equal(found.count, ((uint32_t[]){4, 4, 4}), 3 * sizeof(uint32_t));
    orr_arena_destroy(arena);
}

static void test_wrong_input_is_refused(void **state)
{
    (void)state;
    const struct ring_arc long_one = {0, 5, false, 1}, far = {4, 1, false, 1};
    const struct ocs_demand outside = {0, 4, 1};
    const struct {
        struct ring_problem problem;
        const char *message;
    } rings[] = {{{4, 0, 0, NULL},
                  "ring: expected 1 to 4096 wavelengths and at most 16777216 nodes, got 0 and 4"},
                 {{4, 8, 1, &long_one},
                  "ring: arc 0: expected one from a node of 4 over 1 to 4 segments, got 0 over 5"},
                 {{4, 8, 1, &far},
                  "ring: arc 0: expected one from a node of 4 over 1 to 4 segments, got 4 over 1"}};
    struct orr_arena *arena = orr_arena_create();
    struct orr_diag diag;
    for (size_t i = 0; i < sizeof rings / sizeof *rings; i++) {
        struct ring_allocation found;
        orr_diag_init(&diag);
        assert_int_equal(orr_ring_allocate(arena, &rings[i].problem, &found, &diag), ORR_ERR_INPUT);
        assert_string_equal(diag.message, rings[i].message);
    }
    const struct {
        struct ring_grid grid;
        const char *message;
    } grids[] = {
        {{2, 0, 8, 0, 0, 0, NULL},
         "rings: expected at least one row and one column, and at most 16777216 nodes, "
         "got 2 x 0"},
        {{2, 2, 8, 8, 0, 0, NULL},
         "rings: expected 2 to 4096 wavelengths, of which rows and columns have at least "
         "one each, got 8 of 8 for the rows"},
        {{2, 2, 8, 0, 0, 1, &outside}, "rings: demand 0: expected nodes of 2 x 2, got 0 and 4"}};
    for (size_t i = 0; i < sizeof grids / sizeof *grids; i++) {
        struct ring_grid_allocation found;
        orr_diag_init(&diag);
        assert_int_equal(orr_ring_grid(arena, &grids[i].grid, &found, &diag), ORR_ERR_INPUT);
        assert_string_equal(diag.message, grids[i].message);
    }
    orr_arena_destroy(arena);
}

static void test_no_demands_have_no_wavelengths(void **state)
{
    (void)state;
    const struct ring_arc nothing = {0, 1, false, 0};
    struct ring_problem problem = {.nodes = 4, .wavelengths = 8, .arcs = 1, .arc = &nothing};
    struct orr_arena *arena = orr_arena_create();
    struct ring_allocation found;
    struct ring_flow flow = {0};
    double gap;
    for (; problem.arcs < 2; problem.arcs--) { /* one of nothing, then none; wraps around */
        assert_int_equal(orr_ring_allocate(arena, &problem, &found, NULL), ORR_OK);
        check(&problem, &found, (uint32_t[]){0});
        assert_int_equal(orr_ring_flow(arena, &problem, &flow, &found, NULL), ORR_OK);
        check(&problem, &found, (uint32_t[]){0});
        assert_int_equal(
            orr_ring_exact(arena, &problem, (struct ring_limits){0}, &found, &gap, NULL), ORR_OK);
        check(&problem, &found, (uint32_t[]){0});
    }
    orr_arena_destroy(arena);
}

static enum orr_status do_all(struct orr_arena *arena)
{
    const struct ocs_demand demand[] = {{0, 1, 1}, {0, 2, 3}, {0, 3, 9}};
    const struct ring_grid grid = {
        .rows = 2, .columns = 2, .wavelengths = 4, .demands = 3, .demand = demand};
    struct ring_allocation found;
    struct ring_grid_allocation found_grid;
    struct ring_flow flow = {0};
    double gap;
    enum orr_status status = orr_ring_allocate(arena, &three, &found, NULL);
    status = status == ORR_OK ? orr_ring_flow(arena, &four, &flow, &found, NULL) : status;
    status = status == ORR_OK
                 ? orr_ring_exact(arena, &three, (struct ring_limits){0}, &found, &gap, NULL)
                 : status;
    return status == ORR_OK ? orr_ring_grid(arena, &grid, &found_grid, NULL) : status;
}

/* Any allocation may fail. */
static void test_no_memory_is_an_error(void **state)
{
    (void)state;
    enum orr_status status = ORR_ERR_MEMORY;
    int64_t allocations = 0;
    for (; status != ORR_OK; allocations++) {
        struct orr_arena *arena = orr_arena_create();
        orr_arena_fail_after(arena, allocations);
        status = do_all(arena);
        orr_arena_destroy(arena);
        assert_true(status == ORR_OK || status == ORR_ERR_MEMORY);
    }
    assert_true(allocations > 40);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_routes_take_the_shorter_way_up_if_equal),
        cmocka_unit_test(test_reach_is_the_power_budget_over_the_loss),
        cmocka_unit_test(test_load_reaches_the_bound_and_fills),
        cmocka_unit_test(test_flow_serves_small_demands_first),
        cmocka_unit_test(test_flow_that_is_cut_short_counts_what_is_left),
        cmocka_unit_test(test_randomized_rounding_follows_its_seed),
        cmocka_unit_test(test_arcs_around_the_ring_need_more_than_their_load),
        cmocka_unit_test(test_integer_program_finds_the_optimum),
        cmocka_unit_test(test_integer_program_ends_at_its_limit),
        cmocka_unit_test(test_node_divides_its_wavelengths_between_directions),
        cmocka_unit_test(test_folded_group_has_streams_all_around),
        cmocka_unit_test(test_too_many_arcs_are_told_by_place),
        cmocka_unit_test(test_grid_divides_wavelengths_where_rates_meet),
        cmocka_unit_test(test_grid_keeps_to_its_reach),
        cmocka_unit_test(test_wrong_input_is_refused),
        cmocka_unit_test(test_no_demands_have_no_wavelengths),
        cmocka_unit_test(test_no_memory_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
