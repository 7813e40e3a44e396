/* Expressions of sweeps: values by hand, errors with their columns, and text of any kind. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "core/arena.h"
#include "sim/expr/expr.h"

/* Names a (5), b (2), word ("themis") and dims[1].bandwidth (1e9). */
static const char *const names[] = {"a", "b", "word", "dims[1].bandwidth", "lost"};

static int find(void *context, const char *name, char *why, size_t bytes)
{
    (void)context;
    for (int i = 0; i < 5; i++) {
        if (strcmp(name, names[i]) == 0) {
            return i;
        }
    }
    (void)snprintf(why, bytes, "unknown name \"%s\"", name);
    return -1;
}

static bool get(const void *context, int name, struct orr_expr_value *out, char *why, size_t bytes)
{
    static const double numbers[] = {5, 2, 0, 1e9, 0};
    (void)context;
    (void)snprintf(why, bytes, "it is lost");
    *out = (struct orr_expr_value){.text = name == 2 ? "themis" : NULL, .number = numbers[name]};
    return name != 4;
}

static const struct orr_expr_names known = {.find = find};
static const struct orr_expr_values values = {.get = get};

static void check_number(const char *text, double expected)
{
    struct orr_arena *arena = orr_arena_create();
    struct orr_expr_error error = {.message = ""};
    struct orr_expr_value value = {0};
    const struct orr_expr *expr = orr_expr_parse(arena, text, &known, &error);
    if (expr == NULL || !orr_expr_eval(expr, &values, &value, &error)) {
        fail_msg("%s: column %u: %s", text, error.column, error.message);
    }
    if (value.text != NULL || value.number != expected) {
        fail_msg("%s: %.17g, expected %.17g", text, value.number, expected);
    }
    orr_arena_destroy(arena);
}

static void check_error(const char *text, unsigned column, const char *expected)
{
    struct orr_arena *arena = orr_arena_create();
    struct orr_expr_error error = {.message = ""};
    struct orr_expr_value value;
    const struct orr_expr *expr = orr_expr_parse(arena, text, &known, &error);
    if (expr != NULL && orr_expr_eval(expr, &values, &value, &error)) {
        fail_msg("%s: no error", text);
    }
    assert_string_equal(error.message, expected);
    assert_int_equal(error.column, column);
    orr_arena_destroy(arena);
}

static void test_eval_operators_follow_precedence(void **state)
{
    (void)state;
    check_number("1 + 2 * 3", 7);
    check_number("(1 + 2) * 3", 9);
    check_number("10 - 4 - 3", 3);
    check_number("16 / 4 / 2", 2);
    check_number("17 % 5", 2);
    check_number("-a + 7", 2);
    check_number("2 * -a", -10);
    check_number("!a + 1", 1);
    check_number("1 < 2 == 1", 1);
    check_number("0 || 1 && 0", 0);
    check_number("1 + 1 >= 2 && 3 != 4", 1);
    check_number("a > 4 ? b > 2 ? 1 : 2 : 3", 2);
    check_number("1e3 + .5 + 2.", 1002.5);
}

static void test_eval_units_become_base_units(void **state)
{
    (void)state;
    check_number("1 KiB", 1024);
    check_number("100GB/s / 1 GB/s", 100);
    check_number("8 B/s", 8);
    check_number("8 Gb/s", 1e9);
    check_number("2 us * 1000000", 2);
    check_number("3 TFLOP/s", 3e12);
    check_number("dims[1].bandwidth == 1 GB/s", 1);
    check_number("4 B / 2 B", 2);
    check_number("2 h", 7200);
}

static void test_eval_functions(void **state)
{
    (void)state;
    check_number("min(a, b)", 2);
    check_number("max(1, a, b, 3)", 5);
    check_number("floor(2.7) + ceil(2.2)", 5);
    check_number("sqrt(16) + log2(8)", 7);
}

static void test_eval_texts_compare_for_equality(void **state)
{
    (void)state;
    check_number("word == 'themis'", 1);
    check_number("word != \"themis\"", 0);
    check_number("word == 3", 0);
    check_number("true + false", 1);
}

static void test_eval_skips_the_side_that_does_not_count(void **state)
{
    (void)state;
    check_number("0 && 1 / 0", 0);
    check_number("1 || lost", 1);
    check_number("a == 5 ? 3 : lost", 3);
}

static void test_parse_bad_text_tells_the_column(void **state)
{
    (void)state;
    check_error("", 1, "expected a value, got the end");
    check_error("1 +", 4, "expected a value, got the end");
    check_error("1 2", 3, "expected an operator, got \"2\"");
    check_error("(1", 3, "expected an operator or \")\", got the end");
    check_error("a + c", 5, "unknown name \"c\"");
    check_error("1 = 2", 3, "expected an operator, got \"=\"");
    check_error("'a", 1, "a text has no closing quote");
    check_error("5 parsec", 3, "expected an operator, got \"parsec\"");
    check_error("5parsec", 2, "expected a unit or an operator behind the number");
    check_error("pow(2, 3)", 1, "no such function; there are min, max, floor, ceil, sqrt, log2");
    check_error("min(1)", 6, "expected \",\" and one more value, got \")\"");
    check_error("sqrt(1, 2)", 7, "expected \")\", got \",\"");
    check_error("1 ? 2", 6, "expected \":\" and the other value, got the end");
    check_error("a.b.", 1, "unknown name \"a.b\"");
}

static void test_eval_bad_values_tell_the_column(void **state)
{
    (void)state;
    check_error("1 + word", 5, "expected a number, got the text \"themis\"");
    check_error("a / (b - 2)", 3, "division by zero");
    check_error("a % 0", 3, "division by zero");
    check_error("1 + lost", 5, "it is lost");
    check_error("sqrt(-1)", 1, "the result is not a finite number");
    check_error("1e308 * 10", 7, "the result is not a finite number");
}

static void test_parse_deep_and_long_text_is_refused(void **state)
{
    (void)state;
    char text[5000];
    memset(text, '(', 300);
    text[300] = '\0';
    check_error(text, 101, "the expression is nested too deep");
    memset(text, '-', 300);
    check_error(text, 200, "the expression is nested too deep");
    memset(text, '1', 4097);
    text[4097] = '\0';
    check_error(text, 1, "the expression is longer than 4096 bytes");
    text[100] = '\0';
    check_error(text, 1, "a number is too long");
    for (int i = 0; i < 4094; i += 2) {
        text[i] = '1';
        text[i + 1] = '+';
    }
    text[4094] = '1';
    text[4095] = '\0';
    check_number(text, 2048); /* as deep as it is long */
}

/* Any text either has a value or an error inside of it: all of two characters, and random ones. */
static void test_parse_any_text_is_safe(void **state)
{
    static const char some[] = "ab.1e [](),?:+-*/%<>=!&|\"' GB/s\x80\x01minfloor";
    (void)state;
    uint32_t random = 1;
    for (unsigned round = 0; round < 20000; round++) {
        char text[24];
        const size_t length = round % (sizeof text - 1);
        for (size_t i = 0; i < length; i++) {
            random = random * 1664525 + 1013904223;
            text[i] = some[(random >> 16) % (sizeof some - 1)];
        }
        text[length] = '\0';
        struct orr_arena *arena = orr_arena_create();
        struct orr_expr_error error = {.column = 1};
        struct orr_expr_value value;
        const struct orr_expr *expr = orr_expr_parse(arena, text, &known, &error);
        if (expr == NULL || !orr_expr_eval(expr, &values, &value, &error)) {
            assert_in_range(error.column, 1, length + 1);
        }
        orr_arena_destroy(arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_eval_operators_follow_precedence),
        cmocka_unit_test(test_eval_units_become_base_units),
        cmocka_unit_test(test_eval_functions),
        cmocka_unit_test(test_eval_texts_compare_for_equality),
        cmocka_unit_test(test_eval_skips_the_side_that_does_not_count),
        cmocka_unit_test(test_parse_bad_text_tells_the_column),
        cmocka_unit_test(test_eval_bad_values_tell_the_column),
        cmocka_unit_test(test_parse_deep_and_long_text_is_refused),
        cmocka_unit_test(test_parse_any_text_is_safe),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
