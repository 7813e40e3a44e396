/* Linear and integer programs, by hand. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/diag.h"
#include "network/lp/lp.h"

static void near(double value, double expected)
{
    if (!(fabs(value - expected) <= 1e-9)) {
        fail_msg("expected %.12g, got %.12g", expected, value);
    }
}

/* x + y <= 4, x + 3 y <= 6, x <= 3: 3 x + 5 y is greatest where both rows are full: 3, 1 (14); in
 * whole numbers as well. */
static const struct lp_range rows[] = {{-INFINITY, 4}, {-INFINITY, 6}};
static const struct lp_entry entries[] = {{0, 0, 1}, {0, 1, 1}, {1, 0, 1}, {1, 1, 3}};

static void test_gain_is_greatest_at_a_corner(void **state)
{
    (void)state;
    const struct lp_column columns[] = {{{0, 3}, 3, false}, {{0, INFINITY}, 5, false}};
    const struct lp_program program = {2, 2, 4, rows, columns, entries};
    const struct lp_limits none = {0};
    struct lp *lp;
    struct lp_result result;
    double value[2];
    assert_int_equal(orr_lp_open(&lp, &program, NULL), ORR_OK);
    assert_int_equal(orr_lp_solve(lp, &none, &result, value, NULL), ORR_OK);
    assert_int_equal(result.end, LP_OPTIMAL);
    near(result.objective, 14);
    near(result.bound, 14);
    near(value[0], 3);
    near(value[1], 1);
    orr_lp_set_objective(lp, 0, 1); /* then (0, 2) has 10, and (3, 1) 8 */
    assert_int_equal(orr_lp_solve(lp, &none, &result, value, NULL), ORR_OK);
    near(result.objective, 10);
    near(value[1], 2);
    orr_lp_close(lp);
}

/* 2 x <= 5 and x whole: 2. */
static void test_whole_columns_have_whole_numbers(void **state)
{
    (void)state;
    const struct lp_range row = {-INFINITY, 5};
    const struct lp_column column = {{0, 10}, 1, true};
    const struct lp_entry entry = {0, 0, 2};
    const struct lp_program program = {1, 1, 1, &row, &column, &entry};
    struct lp *lp;
    struct lp_result result;
    double value;
    assert_int_equal(orr_lp_open(&lp, &program, NULL), ORR_OK);
    assert_int_equal(orr_lp_solve(lp, &(struct lp_limits){0}, &result, &value, NULL), ORR_OK);
    assert_int_equal(result.end, LP_OPTIMAL);
    near(value, 2);
    orr_lp_close(lp);
}

static void test_no_solution_is_told(void **state)
{
    (void)state;
    const struct lp_range row = {3, 5};
    const struct lp_entry entry = {0, 0, 1};
    for (int is_integer = 0; is_integer < 2; is_integer++) {
        /* At most 2, and at least 3; then as much as one likes, of which there is no greatest. */
        const struct lp_column none = {{0, 2}, 1, is_integer == 1},
                               all = {{0, INFINITY}, 1, is_integer == 1};
        const struct lp_program impossible = {1, 1, 1, &row, &none, &entry};
        const struct lp_program endless = {0, 1, 0, NULL, &all, NULL};
        struct lp *lp, *inner;
        struct lp_result result;
        double value;
        assert_int_equal(orr_lp_open(&lp, &impossible, NULL), ORR_OK);
        assert_int_equal(orr_lp_open(&inner, &endless, NULL), ORR_OK);
        assert_int_equal(orr_lp_solve(inner, &(struct lp_limits){0}, &result, &value, NULL),
                         ORR_OK);
        assert_int_equal(result.end, LP_INFEASIBLE);
        orr_lp_close(inner);
        assert_int_equal(orr_lp_solve(lp, &(struct lp_limits){0}, &result, &value, NULL), ORR_OK);
        assert_int_equal(result.end, LP_INFEASIBLE);
        orr_lp_close(lp);
    }
}

/* What the solver does not take, it ends the process over, by itself: here it comes back, and the
 * next program is solved as ever. */
static void test_solver_that_breaks_off_is_an_error(void **state)
{
    (void)state;
    const struct lp_entry twice[] = {{0, 0, 1}, {0, 0, 1}};
    const struct lp_column columns[] = {{{0, 3}, 3, false}, {{0, INFINITY}, 5, false}};
    const struct lp_program wrong = {2, 2, 2, rows, columns, twice};
    struct lp *lp;
    struct orr_diag diag;
    orr_diag_init(&diag);
    assert_int_equal(orr_lp_open(&lp, &wrong, &diag), ORR_ERR_INTERNAL);
    assert_null(lp);
    assert_string_equal(diag.message, "the solver of linear programs (GLPK) aborted");
    test_gain_is_greatest_at_a_corner(NULL);
}

/* A knapsack with equal weights and gains that hardly differ, of which branch and bound looks at
 * many nodes: with one it has at most a bound. */
static void test_search_ends_at_its_limit(void **state)
{
    (void)state;
    enum { THINGS = 40 };
    const struct lp_range row = {-INFINITY, 1999};
    struct lp_column column[THINGS];
    struct lp_entry entry[THINGS];
    for (uint32_t i = 0; i < THINGS; i++) {
        column[i] = (struct lp_column){{0, 1}, 100 + i % 7, true};
        entry[i] = (struct lp_entry){0, i, 100 + i % 7};
    }
    const struct lp_program program = {1, THINGS, THINGS, &row, column, entry};
    struct lp *lp;
    struct lp_result result;
    double value[THINGS];
    assert_int_equal(orr_lp_open(&lp, &program, NULL), ORR_OK);
    assert_int_equal(orr_lp_solve(lp, &(struct lp_limits){.nodes = 1}, &result, value, NULL),
                     ORR_OK);
    assert_int_not_equal(result.end, LP_OPTIMAL);
    assert_true(result.bound >= 1900 && result.bound <= 1999.0001);
    orr_lp_close(lp);
    orr_lp_close(NULL);
}

/* The first program with x alone, up to 10, is bound by the first row (12); with y as well by both
 * (14), whose duals y1, y2 solve y1 + y2 = 3, y1 + 3 y2 = 5. */
static void test_added_column_has_the_duals_of_the_whole_program(void **state)
{
    (void)state;
    const struct lp_column x = {{0, 10}, 3, false}, y = {{0, INFINITY}, 5, false};
    const struct lp_entry of_x[] = {{0, 0, 1}, {1, 0, 1}}, of_y[] = {{0, 9, 1}, {1, 9, 3}};
    const struct lp_program program = {2, 1, 2, rows, &x, of_x};
    const struct lp_limits none = {0};
    struct lp_result result;
    struct lp *lp;
    double value[2];
    assert_int_equal(orr_lp_open(&lp, &program, NULL), ORR_OK);
    assert_int_equal(orr_lp_solve(lp, &none, &result, value, NULL), ORR_OK);
    near(result.objective, 12);
    assert_int_equal(orr_lp_add_column(lp, &y, of_y, 2, NULL), ORR_OK);
    assert_int_equal(orr_lp_solve(lp, &none, &result, value, NULL), ORR_OK);
    near(result.objective, 14);
    near(value[0], 3);
    near(value[1], 1);
    near(orr_lp_row_dual(lp, 0), 2);
    near(orr_lp_row_dual(lp, 1), 1);
    orr_lp_close(lp);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_added_column_has_the_duals_of_the_whole_program),
        cmocka_unit_test(test_gain_is_greatest_at_a_corner),
        cmocka_unit_test(test_whole_columns_have_whole_numbers),
        cmocka_unit_test(test_no_solution_is_told),
        cmocka_unit_test(test_solver_that_breaks_off_is_an_error),
        cmocka_unit_test(test_search_ends_at_its_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
