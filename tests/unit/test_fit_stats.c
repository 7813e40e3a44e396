/* Quantiles of errors, by hand. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "core/arena.h"
#include "core/diag.h"
#include "planner/fit/fit_stats.h"

static void near(double value, double expected)
{
    if (!(fabs(value - expected) <= 1e-12)) {
        fail_msg("expected %.15g, got %.15g", expected, value);
    }
}

/* Errors +10, -20, +30, -5, 0 %. */
static const double measured[] = {10, 20, 40, 100, 7};
static const double model[] = {11, 16, 52, 95, 7};

/* Sizes 0, 5, 10, 20, 30: the median is 10, nine tenths are at 3.6 of 4: 20 + 0.6 x 10 = 26. With
 * signs -20, -5, 0, 10, 30: 0. */
static void test_stats_of_all_rows_have_the_quantiles(void **state)
{
    struct orr_arena *arena = *state;
    const struct fit_rows rows = {model, measured, NULL, 5};
    struct fit_stats stats;
    assert_int_equal(orr_fit_stats(arena, &rows, &stats, NULL), ORR_OK);
    assert_int_equal(stats.count, 5);
    near(stats.median, 0.10);
    near(stats.p90, 0.26);
    near(stats.bias, 0);
    near(stats.worst, 0.30);
    assert_int_equal(stats.worst_row, 2);
}

/* Rows 3 and 1: 5 and 20; in the middle 12.5, and 5 + 0.9 x 15 = 18.5. */
static void test_stats_of_chosen_rows_name_rows_of_all(void **state)
{
    struct orr_arena *arena = *state;
    const size_t chosen[] = {3, 1};
    const struct fit_rows rows = {model, measured, chosen, 2};
    struct fit_stats stats;
    assert_int_equal(orr_fit_stats(arena, &rows, &stats, NULL), ORR_OK);
    near(stats.median, 0.125);
    near(stats.p90, 0.185);
    near(stats.bias, -0.125);
    near(stats.worst, 0.20);
    assert_int_equal(stats.worst_row, 1);
}

/* Of equal errors the first row: 4 of 5 and 6 of 5. */
static void test_worst_of_equal_rows_is_the_first(void **state)
{
    struct orr_arena *arena = *state;
    const double five[] = {4, 4}, ten[] = {8, 8};
    const struct fit_rows rows = {five, ten, NULL, 2};
    struct fit_stats stats;
    assert_int_equal(orr_fit_stats(arena, &rows, &stats, NULL), ORR_OK);
    near(stats.worst, 0.5);
    assert_int_equal(stats.worst_row, 0);
}

static void test_no_rows_have_no_errors(void **state)
{
    struct orr_arena *arena = *state;
    const struct fit_rows rows = {model, measured, NULL, 0};
    const size_t group[] = {0};
    struct fit_stats stats;
    double median;
    assert_int_equal(orr_fit_stats(arena, &rows, &stats, NULL), ORR_OK);
    assert_int_equal(stats.count, 0);
    assert_true(isnan(stats.median) && isnan(stats.p90) && isnan(stats.bias) && isnan(stats.worst));
    assert_true(stats.worst_row == SIZE_MAX);
    assert_int_equal(orr_fit_median_of_groups(arena, &rows, group, &median, NULL), ORR_OK);
    assert_true(isnan(median));
}

/* Group 7: 10, 30, 0: 10. Group 2: 20, 5: 12.5. In the middle of both 11.25. */
static void test_median_of_groups_counts_each_group_once(void **state)
{
    struct orr_arena *arena = *state;
    const size_t group[] = {7, 2, 7, 2, 7};
    const struct fit_rows rows = {model, measured, NULL, 5};
    double median;
    assert_int_equal(orr_fit_median_of_groups(arena, &rows, group, &median, NULL), ORR_OK);
    near(median, 0.1125);
    const size_t chosen[] = {2, 1}; /* 30 and 20 */
    const struct fit_rows two = {model, measured, chosen, 2};
    assert_int_equal(orr_fit_median_of_groups(arena, &two, group, &median, NULL), ORR_OK);
    near(median, 0.25);
}

static void test_a_row_without_a_ratio_is_named(void **state)
{
    struct orr_arena *arena = *state;
    const double bad[] = {10, 0}, nan[] = {10, NAN};
    const size_t group[] = {0, 0};
    const struct fit_rows none = {model, bad, NULL, 2}, no_number = {nan, measured, NULL, 2};
    struct orr_diag diag;
    struct fit_stats stats;
    double median;
    orr_diag_init(&diag);
    assert_int_equal(orr_fit_stats(arena, &none, &stats, &diag), ORR_ERR_INPUT);
    assert_string_equal(diag.message, "row 1: expected a finite prediction of a measurement above "
                                      "0, got 16 of 0");
    assert_int_equal(orr_fit_stats(arena, &no_number, &stats, NULL), ORR_ERR_INPUT);
    assert_int_equal(orr_fit_median_of_groups(arena, &none, group, &median, NULL), ORR_ERR_INPUT);
}

static void test_nth_failed_allocation_is_an_error(void **state)
{
    struct orr_arena *arena = *state;
    const size_t group[] = {7, 2, 7, 2, 7};
    const struct fit_rows rows = {model, measured, NULL, 5};
    struct fit_stats stats;
    double median;
    orr_arena_fail_after(arena, 0);
    assert_int_equal(orr_fit_stats(arena, &rows, &stats, NULL), ORR_ERR_MEMORY);
    for (int64_t n = 0; n < 3; n++) {
        orr_arena_fail_after(arena, n);
        assert_int_equal(orr_fit_median_of_groups(arena, &rows, group, &median, NULL),
                         ORR_ERR_MEMORY);
    }
    orr_arena_fail_after(arena, 3);
    assert_int_equal(orr_fit_median_of_groups(arena, &rows, group, &median, NULL), ORR_OK);
    orr_arena_fail_after(arena, -1);
}

static int set_up(void **state)
{
    *state = orr_arena_create();
    return *state == NULL;
}

static int tear_down(void **state)
{
    orr_arena_destroy(*state);
    return 0;
}

#define FIT_TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        FIT_TEST(test_stats_of_all_rows_have_the_quantiles),
        FIT_TEST(test_stats_of_chosen_rows_name_rows_of_all),
        FIT_TEST(test_worst_of_equal_rows_is_the_first),
        FIT_TEST(test_no_rows_have_no_errors),
        FIT_TEST(test_median_of_groups_counts_each_group_once),
        FIT_TEST(test_a_row_without_a_ratio_is_named),
        FIT_TEST(test_nth_failed_allocation_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
