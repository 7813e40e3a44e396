/* What rows tell of parameters, by hand. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "fit_fixture.h"

/* Residuals are 0, so sigma is 0.01; four rows of a: variance 1 / (4 / 0.01^2 + 1 / 0.5^2). */
static void test_parameter_without_rows_keeps_its_prior(void **state)
{
    struct linear linear = {.params = 2, .rows = 4, .slope = {{1}, {1}, {-1}, {1}}};
    const struct fit_param param[] = {free_param("a", 0, 0.5), free_param("b", -2, 0.7)};
    const struct fit_problem problem = of_linear(&linear, param);
    const struct fit_result result = solve(*state, &problem);
    assert_true(result.sigma == FIT_MIN_SIGMA);
    near(result.value[0].std_dev, 1 / sqrt(40004), 1e-12);
    assert_true(result.value[0].identified);
    assert_true(result.value[1].std_dev == 0.7);
    near(result.value[1].value, -2, 1e-9);
    assert_false(result.value[1].identified);
    assert_true(result.value[1].trades_with == FIT_NONE && result.value[1].correlation == 0);
    assert_true(result.correlation[0] == 1 && result.correlation[1] == 0);
}

/* b + c = 1, with sigma 0.01 and spreads s = 0.5 and 0.5. Of 1 / s^2 = 4 on the diagonal and h =
 * 4 / 0.01^2 everywhere (four rows): variances (4 + h) / (16 + 8 h), correlation -h / (4 + h). */
static void test_parameters_of_a_sum_trade_with_each_other(void **state)
{
    struct linear linear = {
        .params = 3,
        .rows = 8,
        .slope = {{0, 1, 1}, {0, 1, 1}, {0, 1, 1}, {0, 1, 1}, {1}, {1}, {1}, {1}},
        .right = {1, 1, 1, 1}};
    const struct fit_param param[] = {free_param("a", 0, 1), free_param("b", 0.5, 0.5),
                                      free_param("c", 0.5, 0.5)};
    const struct fit_problem problem = of_linear(&linear, param);
    const struct fit_result result = solve(*state, &problem);
    const double h = 40000;
    for (size_t k = 1; k < 3; k++) {
        near(result.value[k].std_dev, sqrt((4 + h) / (16 + 8 * h)), 1e-9);
        assert_false(result.value[k].identified);
        assert_int_equal(result.value[k].trades_with, 3 - k);
        near(result.value[k].correlation, -h / (4 + h), 1e-9);
    }
    assert_true(result.value[0].identified && result.value[0].trades_with == FIT_NONE);
    near(result.correlation[1 * 3 + 2], -h / (4 + h), 1e-9);
    near(result.correlation[2 * 3 + 1], -h / (4 + h), 1e-9);
}

/* Two rows, at 1 and 3, tell one parameter: 2 with the standard deviation sqrt(2) of one of them,
 * hence a spread of 1. */
static void test_sigma_is_the_standard_deviation_of_rows(void **state)
{
    struct linear linear = {.params = 1, .rows = 2, .slope = {{1}, {1}}, .right = {1, 3}};
    const struct fit_param param = free_param("a", 0, 1000);
    struct fit_problem problem = of_linear(&linear, &param);
    problem.options.loss_scale = INFINITY;
    problem.options.prior_weight = 0;
    const struct fit_result result = solve(*state, &problem);
    near(result.sigma, sqrt(2), 1e-5);
    near(result.value[0].std_dev, 1, 1e-5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FIT_TEST(test_parameter_without_rows_keeps_its_prior),
        FIT_TEST(test_parameters_of_a_sum_trade_with_each_other),
        FIT_TEST(test_sigma_is_the_standard_deviation_of_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
