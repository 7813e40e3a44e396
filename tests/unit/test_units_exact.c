/* Quantities with units: exact values, what is refused, and how they are written. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <locale.h>
#include <math.h>
#include <string.h>

#include "core/units.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* ---- time ---- */

static void test_parse_time_each_unit_is_exact(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        sim_time ps;
    } cases[] = {{"20ps", 20},
                 {"500 ns", 500000},
                 {"1.5 us", 1500000},
                 {"2 ms", 2000000000},
                 {"1 s", 1000000000000},
                 {"1 min", 60000000000000},
                 {"2 h", 7200000000000000},
                 {" 1\t ns ", 1000},
                 {"+3 ns", 3000},
                 {".5 ns", 500},
                 {"5. ns", 5000},
                 {"1e3 ns", 1000000},
                 {"25e-1 ns", 2500},
                 {"0 s", 0},
                 {"-0 s", 0},
                 /* 0.29 * 1e6 is 289999.99999999994 in doubles */
                 {"0.29 us", 290000},
                 /* 2^53 + 1 ps, which no double holds */
                 {"9007199254740993 ps", INT64_C(9007199254740993)},
                 {"9223372036854775806 ps", INT64_MAX - 1}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        sim_time ps = -1;
        assert_true(orr_parse_time(cases[i].text, &ps));
        assert_int_equal(ps, cases[i].ps);
    }
}

static void test_parse_time_fraction_of_ps_rounds_to_nearest(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        sim_time ps;
    } cases[] = {{"0.4 ps", 0},    {"0.5 ps", 1},       {"1.4999 ps", 1}, {"0.06 ps", 0},
                 {"0.0015 ns", 2}, {"1.0004 ns", 1000}, {"1e-30 s", 0},   {"9.5e-1 ps", 1},
                 {"0.09 ps", 0},   {"-0.4 ps", 0}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        sim_time ps = -1;
        assert_true(orr_parse_time(cases[i].text, &ps));
        assert_int_equal(ps, cases[i].ps);
    }
}

static void test_parse_time_wrong_text_is_refused(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "", " ", "500", "ns", "5 nz", "5 NS", "-5 ns", "5 ns 3", "5 nss", "1,5 ns", "0x10 ns",
        "1.2.3 ns", ". ns", "e3 ns", "1e ns", "nan ns", "inf s", "5 GB", "--5 ns", "1 e3 ns",
        /* 2^63 - 1 is kept for "never"; 2562047.8 h is 2^63 ps */
        "9223372036854775807 ps", "9223372036854775808 ps", "2563 h", "1e30 s", "1e99999999999 s",
        "184467440737095516160 ps"};
    for (size_t i = 0; i < COUNT(texts); i++) {
        sim_time ps = 42;
        assert_false(orr_parse_time(texts[i], &ps));
        assert_int_equal(ps, 42);
    }
}

static void test_parse_time_very_long_number_is_refused(void **state)
{
    (void)state;
    char text[2000];
    memset(text, '0', sizeof text);
    memcpy(text + sizeof text - 4, " ns", 4);
    sim_time ps = 42;
    assert_false(orr_parse_time(text, &ps));
    assert_int_equal(ps, 42);
}

/* ---- bytes ---- */

static void test_parse_bytes_each_unit_is_exact(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint64_t bytes;
    } cases[] = {{"512 B", 512},
                 {"1 kB", 1000},
                 {"1 KB", 1000},
                 {"3 MB", 3000000},
                 {"1 GB", 1000000000},
                 {"1 TB", 1000000000000},
                 {"64KiB", 65536},
                 {"1 MiB", 1048576},
                 {"1.5 MiB", 1572864},
                 {"1 GiB", 1073741824},
                 {"2 TiB", 2199023255552},
                 {"0.001 kB", 1},
                 {"1e3 B", 1000},
                 {"18446744073709551615 B", UINT64_MAX},
                 /* (2^24 - 1) TiB = 2^64 - 2^40 */
                 {"16777215 TiB", UINT64_MAX - (UINT64_C(1) << 40) + 1}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        uint64_t bytes = 7;
        assert_true(orr_parse_bytes(cases[i].text, &bytes));
        assert_true(bytes == cases[i].bytes);
    }
}

static void test_parse_bytes_wrong_text_is_refused(void **state)
{
    (void)state;
    /* 0.1 KiB is 102.4 bytes; 2^24 TiB is 2^64 */
    static const char *const texts[] = {"1024",
                                        "1 b",
                                        "0.1 KiB",
                                        "1.5 B",
                                        "-1 B",
                                        "1 mb",
                                        "16777216 TiB",
                                        "18446744073709551616 B",
                                        "1 MB/s",
                                        "1e99 GB",
                                        "0.00000000000000000000001 B"};
    for (size_t i = 0; i < COUNT(texts); i++) {
        uint64_t bytes = 7;
        assert_false(orr_parse_bytes(texts[i], &bytes));
        assert_true(bytes == 7);
    }
}

/* ---- rates ---- */

static void test_parse_bandwidth_each_unit_is_exact(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double bytes_per_s;
    } cases[] = {{"50 GB/s", 50e9},
                 {"50 GiB/s", 53687091200.0},
                 {"400 Gb/s", 50e9},
                 {"400Gbit/s", 50e9},
                 {"8 Mbit/s", 1e6},
                 {"8 b/s", 1},
                 {"1 b/s", 0.125},
                 {"1 kb/s", 125},
                 {"25 MB/s", 25e6},
                 {"1.5 TB/s", 1.5e12},
                 {"1 TiB/s", 1099511627776.0},
                 {"2 MiB/s", 2097152},
                 {"4.35 kB/s", 4350}, /* 4.35 * 1e3 is 4349.999999999999 in doubles */
                 {"0.29 GB/s", 290000000}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        double value = 0;
        assert_true(orr_parse_bandwidth(cases[i].text, &value));
        assert_true(value == cases[i].bytes_per_s);
    }
}

static void test_parse_bandwidth_wrong_text_is_refused(void **state)
{
    (void)state;
    static const char *const texts[] = {"50",        "-50",       "-50 GB/s", "0 GB/s",
                                        "50 GB",     "50 gb/s",   "50 Gbps",  "inf GB/s",
                                        "1e400 B/s", "1e-400 B/s"};
    for (size_t i = 0; i < COUNT(texts); i++) {
        double value = 7;
        assert_false(orr_parse_bandwidth(texts[i], &value));
        assert_true(value == 7);
    }
}

static void test_parse_compute_rate_both_spellings_are_equal(void **state)
{
    (void)state;
    double value = 0;
    assert_true(orr_parse_compute_rate("312 TFLOP/s", &value));
    assert_true(value == 312e12);
    assert_true(orr_parse_compute_rate("312 TFLOPS", &value));
    assert_true(value == 312e12);
    assert_true(orr_parse_compute_rate("1.5 PFLOP/s", &value));
    assert_true(value == 1.5e15);
    assert_true(orr_parse_compute_rate("10 GFLOPS", &value));
    assert_true(value == 10e9);
    assert_true(orr_parse_compute_rate("1 FLOP/s", &value));
    assert_true(value == 1);
    assert_false(orr_parse_compute_rate("312", &value));
    assert_false(orr_parse_compute_rate("0 TFLOPS", &value));
    assert_true(value == 1);
}

/* ---- numbers ---- */

static void test_parse_number_is_correctly_rounded(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double value;
    } cases[] = {{"0.1", 0.1},
                 {"-2.5e-3", -2.5e-3},
                 {"1e22", 1e22},
                 {"1e23", 1e23},
                 {"123456789.125", 123456789.125},
                 {" 7 ", 7},
                 {"4.9e-324", 0x1p-1074},
                 {"1.7976931348623157e308", 0x1.fffffffffffffp1023},
                 {"0.1000000000000000055511151231257827", 0.1},
                 {"100000000000000000000000", 1e23}};
    double value = 7;
    for (size_t i = 0; i < COUNT(cases); i++) {
        assert_true(orr_parse_number(cases[i].text, &value));
        assert_true(value == cases[i].value);
    }
    static const char *const wrong[] = {"",    "x",   "1x",    "1e309", "nan",
                                        "inf", "1 2", "0x1p3", "1e+"};
    for (size_t i = 0; i < COUNT(wrong); i++) {
        value = 7;
        assert_false(orr_parse_number(wrong[i], &value));
        assert_true(value == 7);
    }
}

static void test_parse_integer_bounds_are_kept(void **state)
{
    (void)state;
    int64_t value = 0;
    assert_true(orr_parse_integer("9223372036854775807", &value));
    assert_true(value == INT64_MAX);
    assert_true(orr_parse_integer(" -9223372036854775807 ", &value));
    assert_true(value == -INT64_MAX);
    assert_true(orr_parse_integer("+12", &value));
    assert_int_equal(value, 12);
    static const char *const wrong[] = {
        "9223372036854775808", "99999999999999999999", "", "-", "1.0", "1e3", "0x10", "12a"};
    for (size_t i = 0; i < COUNT(wrong); i++) {
        assert_false(orr_parse_integer(wrong[i], &value));
        assert_int_equal(value, 12);
    }
}

static void test_parse_time_german_locale_changes_nothing(void **state)
{
    (void)state;
    if (setlocale(LC_ALL, "de_DE.UTF-8") == NULL) {
        skip();
    }
    sim_time ps = 0;
    double value = 0;
    char text[ORR_FORMAT_BYTES];
    const int ok = orr_parse_time("1.5 ns", &ps) && orr_parse_number("2.5", &value);
    (void)orr_format_number(0.5, text, sizeof text);
    (void)setlocale(LC_ALL, "C");
    assert_true(ok);
    assert_int_equal(ps, 1500);
    assert_true(value == 2.5);
    assert_string_equal(text, "0.5");
}

/* ---- what was expected ---- */

static void test_quantity_expected_names_an_example_that_parses(void **state)
{
    (void)state;
    assert_string_equal(orr_quantity_expected(ORR_QUANTITY_TIME), "a time such as \"500 ns\"");
    assert_string_equal(orr_quantity_expected(ORR_QUANTITY_BYTES), "a size such as \"1 MiB\"");
    assert_string_equal(orr_quantity_expected(ORR_QUANTITY_BANDWIDTH),
                        "a positive bandwidth such as \"50 GB/s\"");
    assert_string_equal(orr_quantity_expected(ORR_QUANTITY_RATE),
                        "a positive rate such as \"312 TFLOP/s\"");
    sim_time ps;
    uint64_t bytes;
    double value;
    assert_true(orr_parse_time(orr_quantity_example(ORR_QUANTITY_TIME), &ps));
    assert_true(orr_parse_bytes(orr_quantity_example(ORR_QUANTITY_BYTES), &bytes));
    assert_true(orr_parse_bandwidth(orr_quantity_example(ORR_QUANTITY_BANDWIDTH), &value));
    assert_true(orr_parse_compute_rate(orr_quantity_example(ORR_QUANTITY_RATE), &value));
}

static void test_quantity_unit_lists_all_and_ends_with_null(void **state)
{
    (void)state;
    assert_string_equal(orr_quantity_unit(ORR_QUANTITY_TIME, 0), "ps");
    assert_string_equal(orr_quantity_unit(ORR_QUANTITY_TIME, 6), "h");
    assert_null(orr_quantity_unit(ORR_QUANTITY_TIME, 7));
    assert_null(orr_quantity_unit(ORR_QUANTITY_TIME, 100));
}

/* ---- writing ---- */

static void test_format_time_rounds_to_three_decimals(void **state)
{
    (void)state;
    static const struct {
        sim_time ps;
        const char *text;
    } cases[] = {{0, "0 ps"},
                 {999, "999 ps"},
                 {1000, "1.000 ns"},
                 {999999, "999.999 ns"},
                 {57426000, "57.426 us"},
                 {57426499, "57.426 us"},
                 {57426500, "57.427 us"},
                 {999999499, "999.999 us"},
                 {999999500, "1.000 ms"}, /* not 1000.000 us */
                 {1500000000, "1.500 ms"},
                 {2000000000000, "2.000 s"},
                 {INT64_MAX, "9223372.037 s"},
                 {INT64_MIN, "-9223372.037 s"},
                 {-1500, "-1.500 ns"}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        char text[ORR_FORMAT_BYTES];
        assert_string_equal(orr_format_time(cases[i].ps, text, sizeof text), cases[i].text);
    }
}

static void test_format_bytes_rounds_to_two_decimals(void **state)
{
    (void)state;
    static const struct {
        uint64_t bytes;
        const char *text;
    } cases[] = {{0, "0 B"},
                 {1023, "1023 B"},
                 {1024, "1.00 KiB"},
                 {1048576, "1.00 MiB"},
                 {1048575, "1.00 MiB"}, /* 1023.999 KiB, not 1024.00 */
                 {1572864, "1.50 MiB"},
                 {UINT64_C(1) << 30, "1.00 GiB"},
                 {UINT64_MAX, "16777216.00 TiB"}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        char text[ORR_FORMAT_BYTES];
        assert_string_equal(orr_format_bytes(cases[i].bytes, text, sizeof text), cases[i].text);
    }
}

static void test_format_bandwidth_rounds_to_two_decimals(void **state)
{
    (void)state;
    static const struct {
        double bytes_per_s;
        const char *text;
    } cases[] = {{50e9, "50.00 GB/s"},
                 {12.5e9, "12.50 GB/s"},
                 {53687091200.0, "53.69 GB/s"}, /* 50 GiB/s */
                 {1.55e12, "1.55 TB/s"},
                 {999.999e9, "1.00 TB/s"},
                 {1e9, "1.00 GB/s"},
                 {2e3, "2.00 kB/s"},
                 {10, "10.00 B/s"},
                 {0.125, "0.13 B/s"},
                 {0, "0.00 B/s"},
                 {-1, "0.00 B/s"},
                 {1e20, "100000000.00 TB/s"},
                 {INFINITY, "unlimited"}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        char text[ORR_FORMAT_BYTES];
        assert_string_equal(orr_format_bandwidth(cases[i].bytes_per_s, text, sizeof text),
                            cases[i].text);
    }
}

static void test_format_number_is_short(void **state)
{
    (void)state;
    char text[ORR_FORMAT_BYTES];
    assert_string_equal(orr_format_number(0.5, text, sizeof text), "0.5");
    assert_string_equal(orr_format_number(-1e12, text, sizeof text), "-1e+12");
    assert_string_equal(orr_format_number(INFINITY, text, sizeof text), "inf");
}

static void test_format_small_buffer_is_cut(void **state)
{
    (void)state;
    char text[8] = "xxxxxxx";
    assert_string_equal(orr_format_time(57426000, text, 4), "57.");
    assert_string_equal(orr_format_time(-57426000, text, 4), "-57");
    assert_string_equal(orr_format_bytes(1048576, text, 3), "1.");
    assert_string_equal(orr_format_bandwidth(50e9, text, 5), "50.0");
    assert_string_equal(orr_format_number(0.125, text, 4), "0.1");
    assert_string_equal(orr_format_time(-1, text, 1), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parse_time_each_unit_is_exact),
        cmocka_unit_test(test_parse_time_fraction_of_ps_rounds_to_nearest),
        cmocka_unit_test(test_parse_time_wrong_text_is_refused),
        cmocka_unit_test(test_parse_time_very_long_number_is_refused),
        cmocka_unit_test(test_parse_bytes_each_unit_is_exact),
        cmocka_unit_test(test_parse_bytes_wrong_text_is_refused),
        cmocka_unit_test(test_parse_bandwidth_each_unit_is_exact),
        cmocka_unit_test(test_parse_bandwidth_wrong_text_is_refused),
        cmocka_unit_test(test_parse_compute_rate_both_spellings_are_equal),
        cmocka_unit_test(test_parse_number_is_correctly_rounded),
        cmocka_unit_test(test_parse_integer_bounds_are_kept),
        cmocka_unit_test(test_parse_time_german_locale_changes_nothing),
        cmocka_unit_test(test_quantity_expected_names_an_example_that_parses),
        cmocka_unit_test(test_quantity_unit_lists_all_and_ends_with_null),
        cmocka_unit_test(test_format_time_rounds_to_three_decimals),
        cmocka_unit_test(test_format_bytes_rounds_to_two_decimals),
        cmocka_unit_test(test_format_bandwidth_rounds_to_two_decimals),
        cmocka_unit_test(test_format_number_is_short),
        cmocka_unit_test(test_format_small_buffer_is_cut)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
