/* Fits by hand: lines, minima of lines, outliers and bounds. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "fit_fixture.h"

/* ---- lines ---- */

/* With priors a = 0 (1) and b = 1 (0.5) the equations are 3 a + b = 4 and
 * a + 5 b = 7: 13/14 and 17/14. Residuals -12/14 and -1/14, priors 13/14 and 6/14: 350/196. */
static void test_line_with_priors_is_the_closed_form(void **state)
{
    struct linear linear = two_lines;
    const struct fit_param param[] = {free_param("a", 0, 1), free_param("b", 1, 0.5)};
    struct fit_problem problem = of_linear(&linear, param);
    problem.options.loss_scale = INFINITY;
    problem.options.prior_weight = 1;
    for (int own = 0; own < 2; own++) {
        problem.has_jacobian = own == 1;
        const struct fit_result result = solve(*state, &problem);
        near(result.value[0].value, 13.0 / 14, 1e-9);
        near(result.value[1].value, 17.0 / 14, 1e-9);
        near(result.cost, 350.0 / 196, 1e-12);
        near(result.residual[0], -12.0 / 14, 1e-9);
        near(result.residual[1], -1.0 / 14, 1e-9);
        assert_int_equal(result.start, 0);
    }
}

/* a = 1 twice and a = 4: 2 without priors. */
static void test_weight_of_two_counts_as_two_rows(void **state)
{
    struct linear linear = {.params = 1, .rows = 3, .slope = {{1}, {1}, {1}}, .right = {1, 4, 50}};
    const double weight[] = {2, 1, 0};
    const struct fit_param param = free_param("a", 0, 1);
    struct fit_problem problem = of_linear(&linear, &param);
    problem.weight = weight;
    problem.options.loss_scale = INFINITY;
    problem.options.prior_weight = 0;
    near(solve(*state, &problem).value[0].value, 2, 1e-9);
}

static void test_fixed_parameter_has_its_mean(void **state)
{
    struct linear linear = two_lines;
    struct fit_param param[] = {free_param("a", 0, 1), {.name = "b", .mean = 0.5, .fixed = true}};
    struct fit_problem problem = of_linear(&linear, param);
    problem.options.loss_scale = INFINITY;
    problem.options.prior_weight = 0;
    struct fit_result result = solve(*state, &problem);
    near(result.value[0].value, 1.75, 1e-9); /* between 2.5 and 1 */
    assert_true(result.value[1].value == 0.5 && result.value[1].std_dev == 0);
    assert_false(result.value[1].identified);
    assert_true(result.value[0].trades_with == FIT_NONE && result.value[1].trades_with == FIT_NONE);
    param[0].fixed = true; /* nothing is free: 2.5^2 + 1^2, one evaluation a start */
    result = solve(*state, &problem);
    near(result.cost, 7.25, 1e-12);
    assert_int_equal(result.evaluations, problem.options.starts);
}

/* ---- minima of lines ---- */

/* log(min(a + b x, c + d x) / measured), with parameters as logarithms. */
static const double lengths[] = {1,  2,   4,   8,   16,   24,   32,   48,  64,
                                 96, 128, 256, 512, 1024, 2048, 4096, 8192};
enum { LENGTHS = sizeof lengths / sizeof lengths[0] };
static const double truth[] = {10, 0.5, 30, 0.125}; /* meet at 53.3 */

static double kinked(const double *scale, double x)
{
    return fmin(scale[0] + scale[1] * x, scale[2] + scale[3] * x);
}

static enum orr_status ask_kinked(void *context, const double *theta, double *residual,
                                  double *jacobian, struct orr_diag *diag)
{
    double scale[4];
    (void)context, (void)jacobian, (void)diag;
    for (size_t k = 0; k < 4; k++) {
        scale[k] = exp(theta[k]);
    }
    for (size_t row = 0; row < LENGTHS; row++) {
        residual[row] = log(kinked(scale, lengths[row]) / kinked(truth, lengths[row]));
    }
    return ORR_OK;
}

static struct fit_problem of_kinked(struct fit_param *param, const double *off)
{
    static const char *const name[] = {"a", "b", "c", "d"};
    for (size_t k = 0; k < 4; k++) {
        param[k] = free_param(name[k], log(truth[k] * off[k]), 0.7);
    }
    return (struct fit_problem){.param = param,
                                .params = 4,
                                .rows = LENGTHS,
                                .model = ask_kinked,
                                .options = orr_fit_default_options()};
}

/* Each within 1e-6. From the means alone all but the first would end where one line has all rows.
 */
static void test_kinked_model_is_found_from_several_starts(void **state)
{
    const double off[][4] = {
        {1.5, 0.7, 0.6, 1.3}, {0.6, 0.6, 1.5, 3}, {3, 0.6, 0.6, 0.6}, {3, 1.5, 0.6, 1.5}};
    const uint32_t start[] = {0, 2, 4, 5};
    for (size_t i = 0; i < sizeof off / sizeof off[0]; i++) {
        struct fit_param param[4];
        struct fit_problem problem = of_kinked(param, off[i]);
        problem.options.prior_weight = 0;
        const struct fit_result result = solve(*state, &problem);
        assert_int_equal(result.start, start[i]);
        near(result.start_cost[0], i == 0 ? 0 : 0.511633, 1e-6);
        near(result.cost, 0, 1e-18);
        for (size_t k = 0; k < 4; k++) {
            near(exp(result.value[k].value) / truth[k], 1, 1e-6);
            assert_true(result.value[k].identified);
        }
    }
}

/* From near the truth, beyond a bound, where the means end with one line. */
static void test_first_start_may_be_given(void **state)
{
    const double off[] = {3, 0.6, 0.6, 0.6};
    struct fit_param param[4];
    struct fit_problem problem = of_kinked(param, off);
    double from[4];
    for (size_t k = 0; k < 4; k++) {
        from[k] = log(truth[k]) + 0.01;
    }
    param[3].high = log(truth[3]);
    problem.options.prior_weight = 0;
    problem.options.starts = 1;
    assert_true(solve(*state, &problem).cost > 0.5);
    problem.from = from;
    near(solve(*state, &problem).cost, 0, 1e-18);
}

static void assert_same(const double *first, const double *second, size_t count)
{
    assert_memory_equal(first, second, count * sizeof *first);
}

static void test_same_problem_has_the_same_bytes(void **state)
{
    const double off[] = {3, 0.6, 0.6, 0.6};
    struct fit_param param[4];
    const struct fit_problem problem = of_kinked(param, off);
    struct orr_arena *other = orr_arena_create();
    const struct fit_result first = solve(*state, &problem), second = solve(other, &problem);
    assert_same(first.residual, second.residual, LENGTHS);
    assert_same(first.correlation, second.correlation, 16);
    assert_same(first.start_cost, second.start_cost, 8);
    assert_same(&first.cost, &second.cost, 1);
    assert_same(&first.sigma, &second.sigma, 1);
    assert_true(first.evaluations == second.evaluations && first.start == second.start);
    for (size_t k = 0; k < 4; k++) {
        assert_same(&first.value[k].value, &second.value[k].value, 1);
        assert_same(&first.value[k].std_dev, &second.value[k].std_dev, 1);
    }
    orr_arena_destroy(other);
}

/* All starts of a line end at the same cost, but for rounding: the first is taken. */
static void test_starts_of_equal_cost_are_ties(void **state)
{
    struct linear linear = two_lines;
    const struct fit_param param[] = {free_param("a", 0, 1), free_param("b", 1, 0.5)};
    struct fit_problem problem = of_linear(&linear, param);
    problem.options.starts = 20;
    const struct fit_result result = solve(*state, &problem);
    for (uint32_t i = 0; i < 20; i++) {
        near(result.start_cost[i], result.cost, 1e-9);
    }
    assert_int_equal(result.start, 0);
}

/* ---- the loss ---- */

static double soft(double r)
{
    return 2 * 0.1 * 0.1 * (sqrt(1 + r * r / 0.01) - 1);
}

/* a = 2 with the mean 0 and spread 1: the cost as written, and none near by is less. */
static void test_cost_is_the_documented_one(void **state)
{
    struct linear linear = {.params = 1, .rows = 1, .slope = {{1}}, .right = {2}};
    const struct fit_param param = free_param("a", 0, 1);
    for (int squared = 0; squared < 2; squared++) {
        struct fit_problem problem = of_linear(&linear, &param);
        problem.options.prior_squared = squared == 1;
        const struct fit_result result = solve(*state, &problem);
        const double a = result.value[0].value;
        for (int i = -1; i <= 1; i++) {
            const double there = a + 1e-3 * i, u = 0.15 * there;
            const double cost = soft(there - 2) + (squared == 1 ? u * u : soft(u));
            assert_true(i == 0 ? fabs(cost - result.cost) <= 1e-12 : cost > result.cost);
        }
    }
}

/* 39 rows at 0 and one of ten times as much. Squares: log(10) / 40 = 0.0576. Soft L1 pulls by
 * r / sqrt(1 + (r / 0.1)^2), at most 0.1: 39 a = 0.1 nearly, 0.00256. */
static void test_an_outlier_moves_little(void **state)
{
    struct linear linear = {.params = 1, .rows = 40};
    const struct fit_param param = free_param("a", 0, 1);
    for (size_t row = 0; row < 40; row++) {
        linear.slope[row][0] = 1;
    }
    linear.right[17] = log(10);
    struct fit_problem problem = of_linear(&linear, &param);
    problem.options.prior_weight = 0;
    near(solve(*state, &problem).value[0].value, 0.00256, 1e-5);
    problem.options.loss_scale = INFINITY;
    near(solve(*state, &problem).value[0].value, log(10) / 40, 1e-9);
}

/* ---- bounds ---- */

/* a + b = 3, a = 1, b at most 1: a is in the middle of 2 and 1. And at least 3: of 0 and 1. Where
 * the bound is not in the way, a mean at it is none. */
static void test_bound_that_is_met_is_reported(void **state)
{
    struct linear linear = two_lines;
    struct fit_param param[] = {free_param("a", 0, 1), free_param("b", 1, 0.5)};
    struct fit_problem problem = of_linear(&linear, param);
    problem.options.loss_scale = INFINITY;
    problem.options.prior_weight = 0;
    param[1].high = 1;
    struct fit_result result = solve(*state, &problem);
    assert_true(result.value[1].value == 1 && result.value[1].at_bound == FIT_AT_HIGH);
    near(result.value[0].value, 1.5, 1e-9);
    assert_int_equal(result.value[0].at_bound, FIT_INSIDE);
    param[1] = (struct fit_param){"b", 3.5, 0.5, 3, INFINITY, false};
    result = solve(*state, &problem);
    assert_true(result.value[1].value == 3 && result.value[1].at_bound == FIT_AT_LOW);
    near(result.value[0].value, 0.5, 1e-9);
    param[1] = (struct fit_param){"b", 1, 0.5, 1, 2.5, false};
    result = solve(*state, &problem);
    near(result.value[1].value, 2, 1e-9);
    assert_int_equal(result.value[1].at_bound, FIT_INSIDE);
}

/* a - 2 b = 0, b = 1, from a = 0 at its lower bound, b = -1: b alone goes up first. */
static void test_parameter_leaves_a_bound(void **state)
{
    struct linear linear = {.params = 2, .rows = 2, .slope = {{1, -2}, {0, 1}}, .right = {0, 1}};
    struct fit_param param[] = {free_param("a", 0, 1), free_param("b", -1, 1)};
    struct fit_problem problem = of_linear(&linear, param);
    problem.options.loss_scale = INFINITY;
    problem.options.prior_weight = 0;
    problem.options.starts = 1;
    param[0].low = 0;
    const struct fit_result result = solve(*state, &problem);
    near(result.value[0].value, 2, 1e-9);
    near(result.value[1].value, 1, 1e-9);
    assert_int_equal(result.value[0].at_bound, FIT_INSIDE);
}

/* Few evaluations end a search where it is. */
static void test_search_that_ran_out_says_so(void **state)
{
    const double off[] = {3, 0.6, 0.6, 0.6};
    struct fit_param param[4];
    struct fit_problem problem = of_kinked(param, off);
    struct fit_result result;
    problem.options.evaluations = 3;
    assert_int_equal(orr_fit_solve(*state, &problem, &result, NULL), ORR_OK);
    assert_false(result.converged);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FIT_TEST(test_line_with_priors_is_the_closed_form),
        FIT_TEST(test_weight_of_two_counts_as_two_rows),
        FIT_TEST(test_fixed_parameter_has_its_mean),
        FIT_TEST(test_kinked_model_is_found_from_several_starts),
        FIT_TEST(test_first_start_may_be_given),
        FIT_TEST(test_same_problem_has_the_same_bytes),
        FIT_TEST(test_starts_of_equal_cost_are_ties),
        FIT_TEST(test_cost_is_the_documented_one),
        FIT_TEST(test_an_outlier_moves_little),
        FIT_TEST(test_bound_that_is_met_is_reported),
        FIT_TEST(test_parameter_leaves_a_bound),
        FIT_TEST(test_search_that_ran_out_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
