/* Goodput: published failure rates, the formulas of Young and Daly, hand calculations; spans and
 * prices. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/price.h"
#include "core/span.h"
#include "orrery/goodput.h"
#include "orrery/results.h"

enum { HOUR_S = 3600, DAY_S = 86400 };

static struct orrery_goodput llama(double checkpoint_s, double restart_s)
{
    /* 419 failures of 16,384 GPUs in 54 days */
    return (struct orrery_goodput){ORRERY_SIZED(orrery_goodput),
                                   .gpus = 16384,
                                   .mtbf_gpu_s = 16384 * 54.0 * DAY_S / 419,
                                   .checkpoint_s = checkpoint_s,
                                   .restart_s = restart_s,
                                   .seconds = 54.0 * DAY_S};
}

static double value_of(const struct orrery_goodput *given, const char *name, size_t row)
{
    struct orrery_study *study = orrery_study_new();
    struct orrery_value value = {0};
    if (orrery_goodput(study, given) != ORRERY_OK ||
        orrery_study_result(study, name, row, &value) != ORRERY_OK) {
        fail_msg("%s: %s", name, orrery_study_error(study));
    }
    orrery_study_free(study);
    return value.kind == ORRERY_VALUE_REAL ? value.real : (double)value.integer;
}

static void assert_near(const struct orrery_goodput *given, const char *name, double expected,
                        double within)
{
    const double value = value_of(given, name, 0);
    if (!(fabs(value - expected) <= within)) {
        fail_msg("%s: expected %.9g within %g, got %.9g", name, expected, within, value);
    }
}

static void test_llama_failures_and_first_order(void **state)
{
    (void)state;
    const struct orrery_goodput slow = llama(30, 600), quick = llama(5, 300);
    assert_near(&slow, "goodput.mtbf_s", 11135.083, 0.001);
    assert_near(&slow, "goodput.failures", 419, 1e-6);
    assert_near(&slow, "goodput.simulated_failures", 419, 6);
    /* 13.6 min, 12.7 % lost; 5.6 min, 5.7 % lost */
    assert_near(&slow, "goodput.interval_s", 13.6 * 60, 3);
    assert_near(&slow, "goodput.first_order_ettr", 1 - 0.127, 0.0005);
    assert_near(&quick, "goodput.interval_s", 5.6 * 60, 3);
    assert_near(&quick, "goodput.first_order_ettr", 1 - 0.057, 0.0005);
}

static void test_llama_ettr_within_two_points(void **state)
{
    (void)state;
    const struct orrery_goodput slow = llama(30, 600), quick = llama(5, 300);
    assert_near(&slow, "goodput.ettr", 1 - 0.127, 0.02);
    assert_near(&slow, "goodput.simulated_ettr", 1 - 0.127, 0.02);
    assert_near(&quick, "goodput.ettr", 1 - 0.057, 0.02);
    assert_near(&quick, "goodput.simulated_ettr", 1 - 0.057, 0.02);
}

/* 6.5 failures in 1000 node-days (arXiv 2410.21680): 1.8 h at 16,384 GPUs, 0.23 h at 131,072. */
static void test_node_days(void **state)
{
    (void)state;
    struct orrery_goodput given = {ORRERY_SIZED(orrery_goodput), .gpus = 16384,
                                   .mtbf_node_s = 1000 / 6.5 * DAY_S, .checkpoint_s = 5,
                                   .restart_s = 60};
    assert_near(&given, "goodput.mtbf_s", 1.803 * HOUR_S, 1);
    given.gpus = 131072;
    assert_near(&given, "goodput.mtbf_s", 0.2254 * HOUR_S, 1);
}

/* M = 1000 s, C 10 s: Young 141.42 s; Daly 141.42 (1 + sqrt(0.005)/3 + 0.005/9) - 10 = 134.833 s.
 * tau 90: 90/1000 / (e^0.1 - 1) e^-0.05 = 0.8140145. Rates add: 2 x 1/4000 + 1/4000 + 1/8000 +
 * 1/8000. */
static void test_closed_form(void **state)
{
    (void)state;
    struct orrery_goodput given = {ORRERY_SIZED(orrery_goodput),
                                   .gpus = 2,
                                   .links = 1,
                                   .mtbf_gpu_s = 4000,
                                   .mtbf_node_s = 4000,
                                   .mtbf_link_s = 8000,
                                   .mtbf_job_s = 8000,
                                   .checkpoint_s = 10,
                                   .restart_s = 50,
                                   .runs = 1};
    assert_near(&given, "goodput.mtbf_s", 1000, 1e-9);
    assert_near(&given, "goodput.interval_s", 141.421356, 1e-5);
    given.daly = true;
    assert_near(&given, "goodput.interval_s", 134.833257, 1e-5);
    given.interval_s = 90;
    assert_near(&given, "goodput.ettr", 0.8140145, 1e-6);
    /* written in the background, 2 s of standing still: e^(-0.001 (50 + 8)) 0.09 / (e^0.092 - 1) */
    given.asynchronous = true;
    given.stall_s = 2;
    assert_near(&given, "goodput.ettr", exp(-0.058) * 0.09 / expm1(0.092), 1e-9);
}

/* A node that fails every 10 days of 100, out for a day: 10 nodes are out on average; with 12
 * spares P(Poisson(10) <= 12) = 0.791556. */
static void test_spares_wait(void **state)
{
    (void)state;
    struct orrery_goodput given = {ORRERY_SIZED(orrery_goodput),
                                   .gpus = 800,
                                   .mtbf_node_s = 10.0 * DAY_S,
                                   .checkpoint_s = 1,
                                   .restart_s = 0,
                                   .repair_s = DAY_S,
                                   .spares = 12};
    assert_near(&given, "goodput.nodes", 100, 0);
    struct orrery_study *study = orrery_study_new();
    struct orrery_value value;
    assert_int_equal(orrery_goodput(study, &given), ORRERY_OK);
    assert_int_equal(orrery_study_result(study, "parts.share", 4, &value), ORRERY_OK);
    assert_true(fabs(value.real - (1 - 0.791556)) < 1e-6);
    orrery_study_free(study);
}

/* 100 nodes, a spell of an hour every 100 h of a node: slow 1 - 1/e of the time, by 1.25; 1000
 * tokens a second; dollars for 900 GPUs with the spares' 100. */
static void test_stragglers_tokens_dollars(void **state)
{
    (void)state;
    struct orrery_goodput given = {ORRERY_SIZED(orrery_goodput),
                                   .gpus = 800,
                                   .mtbf_job_s = 1e9,
                                   .checkpoint_s = 1e-3,
                                   .restart_s = 0,
                                   .straggler_mtbf_s = 100.0 * HOUR_S,
                                   .straggler_s = HOUR_S,
                                   .straggler_factor = 1.25,
                                   .step_s = 2,
                                   .step_tokens = 2000,
                                   .tokens = 864e6,
                                   .repair_s = DAY_S,
                                   .spares = 100 / 8,
                                   .dollars_per_gpu_hour = 2};
    const double speed = exp(-1) + (1 - exp(-1)) / 1.25;
    assert_near(&given, "goodput.speed", speed, 1e-12);
    assert_near(&given, "goodput.effective_tokens_per_s", 1000 * speed, 0.01);
    assert_near(&given, "goodput.training_days", 10 / speed, 1e-4);
    assert_near(&given, "goodput.dollars", 10 / speed * 24 * 896 * 2, 1);
    assert_near(&given, "goodput.simulated_goodput", speed, 0.01);
}

static void test_seed_repeats(void **state)
{
    (void)state;
    struct orrery_goodput given = llama(30, 600);
    const double one = value_of(&given, "goodput.simulated_ettr", 0);
    assert_true(one == value_of(&given, "goodput.simulated_ettr", 0));
    given.seed = 2;
    assert_true(one != value_of(&given, "goodput.simulated_ettr", 0));
}

static void refuses(struct orrery_goodput given, const char *expected)
{
    struct orrery_study *study = orrery_study_new();
    assert_int_equal(orrery_goodput(study, &given), ORRERY_ERROR_INPUT);
    if (strstr(orrery_study_error(study), expected) == NULL) {
        fail_msg("expected \"%s\", got \"%s\"", expected, orrery_study_error(study));
    }
    orrery_study_free(study);
}

static void test_bad_input_is_refused(void **state)
{
    (void)state;
    struct orrery_goodput given = llama(30, 600);
    given.gpus = 0;
    refuses(given, "gpus: expected at least 1");
    given = llama(30, 600);
    given.interval_s = 20;
    refuses(given, "interval: expected at least the checkpoint's 30 s, got 20 s");
    given = llama(30, -1);
    refuses(given, "restart: expected at least 0, got -1");
    given = llama(NAN, 600);
    refuses(given, "checkpoint: expected at least 0, got");
    given = llama(0, 600);
    refuses(given, "checkpoint: expected the time");
    given = llama(30, 600);
    given.mtbf_gpu_s = 0;
    refuses(given, "expected a mean time between failures");
    given.mtbf_gpu_s = 1;
    refuses(given, "more than the");
    given = llama(30, 600);
    given.spares = 3;
    refuses(given, "spares go with repair-time");
}

static void test_spans(void **state)
{
    (void)state;
    double seconds = 0;
    char text[ORR_SPAN_BYTES];
    assert_true(orr_parse_span("1.5 min", 0, &seconds) && seconds == 90);
    assert_true(orr_parse_span("2", HOUR_S, &seconds) && seconds == 7200);
    assert_true(orr_parse_span("0 s", 0, &seconds) && seconds == 0);
    assert_true(orr_parse_span("1e3h", 0, &seconds) && seconds == 3.6e6);
    static const char *const bad[] = {"", "2", "-1 s", "1 sec", "s", "nan s", "0x10 s", "1e9 y"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_false(orr_parse_span(bad[i], 0, &seconds));
    }
    assert_string_equal(orr_format_span(90, text, sizeof text), "90 s");
    assert_string_equal(orr_format_span(11136, text, sizeof text), "3.093 h");
    assert_string_equal(orr_format_span(0, text, sizeof text), "0 s");
}

static void test_prices(void **state)
{
    (void)state;
    double dollars = 0;
    assert_true(orr_parse_price("2.95 $/h", "h", &dollars) && dollars == 2.95);
    assert_true(orr_parse_price("$3/h", "h", &dollars) && dollars == 3);
    assert_true(orr_parse_price("0.08 USD/kWh", "kWh", &dollars) && dollars == 0.08);
    static const char *const bad[] = {"",      "2.95",   "2.95 /h", "2.95 $", "$/h",
                                      "-1$/h", "1$/kWh", "$1$/h",   "1 EUR/h"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_false(orr_parse_price(bad[i], "h", &dollars));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_llama_failures_and_first_order),
        cmocka_unit_test(test_llama_ettr_within_two_points),
        cmocka_unit_test(test_node_days),
        cmocka_unit_test(test_closed_form),
        cmocka_unit_test(test_spares_wait),
        cmocka_unit_test(test_stragglers_tokens_dollars),
        cmocka_unit_test(test_seed_repeats),
        cmocka_unit_test(test_bad_input_is_refused),
        cmocka_unit_test(test_spans),
        cmocka_unit_test(test_prices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
