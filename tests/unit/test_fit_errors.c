/* Fits of what cannot be fitted. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "fit_fixture.h"

static void expect(const struct fit_problem *problem, const char *message)
{
    struct orr_arena *arena = orr_arena_create();
    struct fit_result result;
    struct orr_diag diag;
    orr_diag_init(&diag);
    assert_int_equal(orr_fit_solve(arena, problem, &result, &diag), ORR_ERR_INPUT);
    assert_string_equal(diag.message, message);
    orr_arena_destroy(arena);
}

static void test_numbers_that_are_none_are_an_error(void **state)
{
    struct linear linear = two_lines;
    const struct fit_param param[] = {free_param("a", 0.5, 1), free_param("b", 1, 0.5)};
    struct fit_problem problem = of_linear(&linear, param);
    (void)state;
    linear.no_number_above = 0;
    expect(&problem, "a fit: row 1 of 2: expected finite residuals at a = 0.5, b = 1");
    linear.no_number_above = INFINITY;
    linear.no_slopes = problem.has_jacobian = true;
    expect(&problem, "a fit: row 1 of 2: expected finite derivatives of residuals at a "
                     "= 0.5, b = 1");
}

/* a = 3 from 0, where nothing is known above 3.5 and the first step is as long as it likes. */
static void test_steps_to_no_numbers_are_not_made(void **state)
{
    struct linear linear = {.params = 1, .rows = 1, .slope = {{0.1}}, .right = {0.3}};
    const struct fit_param param = free_param("a", 0, 2.2);
    struct fit_problem problem = of_linear(&linear, &param);
    problem.options.prior_weight = 0;
    linear.no_number_above = 3.5;
    near(solve(*state, &problem).value[0].value, 3, 1e-6);
}

static void test_what_the_model_fails_with_ends_the_fit(void **state)
{
    struct linear linear = two_lines;
    const struct fit_param param[] = {free_param("a", 0, 1), free_param("b", 1, 0.5)};
    const struct fit_problem problem = of_linear(&linear, param);
    struct fit_result result;
    struct orr_diag diag;
    orr_diag_init(&diag);
    linear.breaks = true;
    assert_int_equal(orr_fit_solve(*state, &problem, &result, &diag), ORR_ERR_DEADLOCK);
    assert_string_equal(diag.message, "stands still");
}

static void test_bad_problems_are_refused(void **state)
{
    struct linear linear = two_lines;
    struct fit_param param[] = {free_param("a", 0, 1), free_param("b", 1, 0)};
    const double weight[] = {1, -1};
    struct fit_problem problem = of_linear(&linear, param);
    (void)state;
    expect(&problem, "a fit: b: expected a standard deviation above 0, got 0");
    param[1] = (struct fit_param){"b", 1, 1, 2, 3, false};
    expect(&problem, "a fit: b: expected a mean within its bounds, which differ, got 1 in 2 to 3");
    param[1] = (struct fit_param){"b", 1, 1, 1, 1, false};
    expect(&problem, "a fit: b: expected a mean within its bounds, which differ, got 1 in 1 to 1");
    param[1] = free_param("b", NAN, 1);
    expect(&problem, "a fit: b: expected a finite mean, got nan");
    param[1] = free_param("b", 1, 1);
    problem.weight = weight;
    expect(&problem, "a fit: row 1: expected a weight of 0 or more, got -1");
    problem.weight = NULL;
    problem.options.loss_scale = 0;
    expect(&problem, "a fit: expected a scale of the loss above 0 and a weight of priors of 0 or "
                     "more, got 0 and 0.15");
    problem.options = orr_fit_default_options();
    problem.options.step = NAN;
    expect(&problem, "a fit: expected a step of differences above 0, got nan");
    problem.options = orr_fit_default_options();
    problem.options.starts = 0;
    expect(&problem, "a fit: expected at least one start and evaluations from 1 to 2147483647, got "
                     "0 and 1000");
    problem.options = orr_fit_default_options();
    problem.rows = 1u << 30;
    expect(&problem,
           "a fit: expected at most 1073741823 derivatives, got 1073741824 rows of 2 parameters");
}

static void test_nth_failed_allocation_is_an_error(void **state)
{
    struct linear linear = two_lines;
    const struct fit_param param[] = {free_param("a", 0, 1), free_param("b", 1, 0.5)};
    const struct fit_problem problem = of_linear(&linear, param);
    enum orr_status status = ORR_ERR_MEMORY;
    int64_t failed = 0;
    for (; status == ORR_ERR_MEMORY; failed++) {
        struct fit_result result;
        struct orr_diag diag;
        orr_diag_init(&diag);
        orr_arena_fail_after(*state, failed);
        status = orr_fit_solve(*state, &problem, &result, &diag);
        assert_true(status == ORR_OK || strstr(diag.message, "memory") != NULL);
    }
    assert_int_equal(status, ORR_OK);
    assert_int_equal(failed, 17); /* one more than there are arrays */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FIT_TEST(test_numbers_that_are_none_are_an_error),
        FIT_TEST(test_steps_to_no_numbers_are_not_made),
        FIT_TEST(test_what_the_model_fails_with_ends_the_fit),
        FIT_TEST(test_bad_problems_are_refused),
        FIT_TEST(test_nth_failed_allocation_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
