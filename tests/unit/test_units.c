/* Quantities with units, and durations from them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/units.h"

static void test_parse_time_with_units_gives_ps(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        sim_time ps;
    } cases[] = {{"500 ns", 500000},   {"1.5us", 1500000},        {"20ps", 20},
                 {"2 ms", 2000000000}, {"1 s", 1000000000000},    {"0 ns", 0},
                 {"0.0004 ns", 0},     {"0.0006 ns", 1},          {"1e-3 us", 1000},
                 {" 7 ns ", 7000},     {"2 h", 7200000000000000}, {"1 min", 60000000000000}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sim_time ps = -1;
        assert_true(orr_parse_time(cases[i].text, &ps));
        assert_int_equal(ps, cases[i].ps);
    }
}

static void test_parse_time_wrong_text_is_refused_and_leaves_the_value(void **state)
{
    (void)state;
    static const char *const wrong[] = {"",        "500",      "ns",      "500 nss",
                                        "-1 ns",   "1 GB/s",   "5 5ns",   "1,5 us",
                                        "1e400 s", "200 days", "0x10 ns", "nan ns"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        sim_time ps = 42;
        assert_false(orr_parse_time(wrong[i], &ps));
        assert_int_equal(ps, 42);
    }
}

static void test_parse_bytes_decimal_and_binary_prefixes_differ(void **state)
{
    (void)state;
    uint64_t bytes = 0;
    assert_true(orr_parse_bytes("1 MiB", &bytes));
    assert_int_equal(bytes, 1048576);
    assert_true(orr_parse_bytes("1 MB", &bytes));
    assert_int_equal(bytes, 1000000);
    assert_true(orr_parse_bytes("1.5KiB", &bytes));
    assert_int_equal(bytes, 1536);
    assert_true(orr_parse_bytes("3 TiB", &bytes));
    assert_int_equal(bytes, 3298534883328);
    assert_false(orr_parse_bytes("0.3 B", &bytes)); /* no whole bytes */
    assert_false(orr_parse_bytes("-1 B", &bytes));
    assert_false(orr_parse_bytes("8 b", &bytes));
    assert_false(orr_parse_bytes("99999999999 TB", &bytes));
}

static void test_parse_bandwidth_bits_bytes_and_prefixes(void **state)
{
    (void)state;
    double rate = 0;
    assert_true(orr_parse_bandwidth("50 GB/s", &rate));
    assert_true(rate == 50e9);
    assert_true(orr_parse_bandwidth("50GiB/s", &rate));
    assert_true(rate == 50.0 * 1073741824.0);
    assert_true(orr_parse_bandwidth("400 Gb/s", &rate));
    assert_true(rate == 50e9);
    assert_true(orr_parse_bandwidth("400 Gbit/s", &rate));
    assert_true(rate == 50e9);
    assert_false(orr_parse_bandwidth("0 GB/s", &rate));
    assert_false(orr_parse_bandwidth("-50", &rate));
    assert_false(orr_parse_bandwidth("50 GBps", &rate));
}

static void test_parse_rate_number_integer(void **state)
{
    (void)state;
    double value = 0;
    int64_t whole = 0;
    assert_true(orr_parse_compute_rate("312 TFLOP/s", &value));
    assert_true(value == 312e12);
    assert_true(orr_parse_number("-2.5e3", &value));
    assert_true(value == -2500.0);
    assert_false(orr_parse_number("1 x", &value));
    assert_true(orr_parse_integer("-42", &whole));
    assert_int_equal(whole, -42);
    assert_true(orr_parse_integer("9223372036854775807", &whole));
    assert_int_equal(whole, INT64_MAX);
    assert_false(orr_parse_integer("9223372036854775808", &whole));
    assert_false(orr_parse_integer("1.0", &whole));
    assert_false(orr_parse_integer("", &whole));
}

static void test_format_quantities_in_human_units(void **state)
{
    (void)state;
    char text[64];
    assert_string_equal(orr_format_time(57426000, text, sizeof text), "57.426 us");
    assert_string_equal(orr_format_time(999, text, sizeof text), "999 ps");
    assert_string_equal(orr_format_time(0, text, sizeof text), "0 ps");
    assert_string_equal(orr_format_bytes(1048576, text, sizeof text), "1.00 MiB");
    assert_string_equal(orr_format_bytes(1023, text, sizeof text), "1023 B");
    assert_string_equal(orr_format_bandwidth(50e9, text, sizeof text), "50.00 GB/s");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parse_time_with_units_gives_ps),
        cmocka_unit_test(test_parse_time_wrong_text_is_refused_and_leaves_the_value),
        cmocka_unit_test(test_parse_bytes_decimal_and_binary_prefixes_differ),
        cmocka_unit_test(test_parse_bandwidth_bits_bytes_and_prefixes),
        cmocka_unit_test(test_parse_rate_number_integer),
        cmocka_unit_test(test_format_quantities_in_human_units),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
