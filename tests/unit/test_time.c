/* Durations: rounding, saturation. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/rng.h"
#include "core/time.h"

static void test_add_saturates_at_the_end_of_time(void **state)
{
    (void)state;
    assert_int_equal(orr_time_add(2, 3), 5);
    assert_int_equal(orr_time_add(ORR_TIME_MAX - 1, 0), ORR_TIME_MAX - 1);
    assert_int_equal(orr_time_add(ORR_TIME_MAX - 1, 1), ORR_TIME_MAX);
    assert_int_equal(orr_time_add(ORR_TIME_MAX - 1, 2), ORR_TIME_MAX);
    assert_int_equal(orr_time_add(ORR_TIME_MAX, ORR_TIME_MAX), ORR_TIME_MAX);
}

static void test_mul_saturates_at_the_end_of_time(void **state)
{
    (void)state;
    assert_int_equal(orr_time_mul(500, 3), 1500);
    assert_int_equal(orr_time_mul(0, UINT64_C(1) << 62), 0);
    assert_int_equal(orr_time_mul(ORR_TIME_MAX / 2, 2), ORR_TIME_MAX - 1);
    assert_int_equal(orr_time_mul(ORR_TIME_MAX / 2 + 1, 2), ORR_TIME_MAX);
    assert_int_equal(orr_time_mul(1, UINT64_MAX), ORR_TIME_MAX);
}

static void test_of_bytes_by_hand(void **state)
{
    (void)state;
    static const struct {
        uint64_t bytes;
        double bytes_per_s;
        sim_time ps;
    } cases[] = {
        {0, 1e9, 0},
        {0, 0, 0},
        {1000, 1e9, 1000000},
        {1, 3e12, 1}, /* a third of a ps is rounded up */
        {4, 3e12, 2},
        {3, 3e12, 1},
        {UINT64_C(1) << 30, 1073741824.0, ORR_PS_PER_S},
        {1, 1e300, 1},
        {1, INFINITY, 0},
        {UINT64_MAX, INFINITY, 0},
        {1, 0, ORR_TIME_MAX},
        {1, -50, ORR_TIME_MAX},
        {1, NAN, ORR_TIME_MAX},
        {UINT64_MAX, 1e13, 1844674407370955162},
        {UINT64_MAX, 1e6, ORR_TIME_MAX},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const sim_time ps = orr_time_of_bytes(cases[i].bytes, cases[i].bytes_per_s);
        /* Exact up to 2^53; beyond, to 2^-50 of the result. */
        const sim_time slack = cases[i].ps < ORR_TIME_MAX ? cases[i].ps >> 50 : 0;
        assert_in_range(ps, cases[i].ps - slack, cases[i].ps + slack);
    }
}

/* Against integer arithmetic: n bytes at k GB/s are 1000 n / k ps, rounded up. */
static void test_of_bytes_whole_rates_match_integer_division(void **state)
{
    (void)state;
    struct orr_rng rng;
    orr_rng_init(&rng, 1, 0);
    for (int i = 0; i < 200000; i++) {
        const uint64_t bytes = 1 + orr_rng_below(&rng, UINT64_C(1) << orr_rng_below(&rng, 38));
        const uint64_t gb_per_s = 1 + orr_rng_below(&rng, 2000);
        const uint64_t ps = (bytes * 1000 + gb_per_s - 1) / gb_per_s;
        assert_int_equal(orr_time_of_bytes(bytes, (double)gb_per_s * 1e9), ps);
    }
}

static void test_of_seconds_whole_ns_stay_whole(void **state)
{
    (void)state;
    for (int64_t ns = 0; ns < 300000; ns++) {
        assert_int_equal(orr_time_of_seconds((double)ns * 1e-9), ns * ORR_PS_PER_NS);
        assert_int_equal(orr_time_of_seconds((double)ns / 1e9), ns * ORR_PS_PER_NS);
    }
}

static void test_of_seconds_by_hand(void **state)
{
    (void)state;
    assert_int_equal(orr_time_of_seconds(1), ORR_PS_PER_S);
    assert_int_equal(orr_time_of_seconds(1e-6), ORR_PS_PER_US);
    assert_int_equal(orr_time_of_seconds(1.25e-12), 2);
    assert_int_equal(orr_time_of_seconds(1e-30), 1);
    assert_int_equal(orr_time_of_seconds(0), 0);
    assert_int_equal(orr_time_of_seconds(-1), 0);
    assert_int_equal(orr_time_of_seconds(NAN), 0);
    assert_int_equal(orr_time_of_seconds(1e7), ORR_TIME_MAX);
    assert_int_equal(orr_time_of_seconds(INFINITY), ORR_TIME_MAX);
}

/* 1e9 * 1.3 is 1300000000.0000002 in doubles, which is the whole number, not one above it. */
static void test_scale_by_hand(void **state)
{
    (void)state;
    assert_int_equal(orr_time_scale(1000000000, 1.3), 1300000000);
    assert_int_equal(orr_time_scale(3, 1.5), 5);
    assert_int_equal(orr_time_scale(3, 0.5), 2);
    assert_int_equal(orr_time_scale(7, 0), 0);
    assert_int_equal(orr_time_scale(0, 1.5), 0);
    assert_int_equal(orr_time_scale(INT64_C(9007199254740993), 1), INT64_C(9007199254740993));
    assert_int_equal(orr_time_scale(ORR_TIME_MAX, 1), ORR_TIME_MAX);
    assert_int_equal(orr_time_scale(ORR_TIME_MAX, 1.001), ORR_TIME_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_add_saturates_at_the_end_of_time),
        cmocka_unit_test(test_mul_saturates_at_the_end_of_time),
        cmocka_unit_test(test_of_bytes_by_hand),
        cmocka_unit_test(test_of_bytes_whole_rates_match_integer_division),
        cmocka_unit_test(test_of_seconds_whole_ns_stay_whole),
        cmocka_unit_test(test_of_seconds_by_hand),
        cmocka_unit_test(test_scale_by_hand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
