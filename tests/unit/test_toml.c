/* TOML as launch files have it: every kind of value, and errors with their line. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "core/arena.h"
#include "core/diag.h"
#include "et_converter/launch/launch_words.h"
#include "et_converter/launch/toml_read.h"

struct read {
    struct orr_arena *arena;
    struct orr_diag diag;
    struct launch_arguments arguments;
};

static enum orr_status read_text(struct read *read, const char *text)
{
    memset(read, 0, sizeof *read);
    orr_diag_init(&read->diag);
    read->arena = orr_arena_create();
    assert_non_null(read->arena);
    return orr_toml_read("x.toml", text, read->arena, &read->arguments, &read->diag);
}

static void assert_value(const struct read *read, const char *path, const char *value)
{
    const struct launch_argument *found = orr_launch_find_argument(&read->arguments, path);
    if (found == NULL) {
        fail_msg("%s is missing", path);
    } else {
        assert_string_equal(found->value, value);
    }
}

static void test_values_of_every_kind(void **state)
{
    (void)state;
    struct read read;
    assert_int_equal(read_text(&read, "top = 1 # said before tables\n"
                                      "[training]\r\n"
                                      "seq_len = 8_192\n"
                                      "\"quoted key\" = \"a \\\"b\\\" \\u00e9\"\n"
                                      "literal = 'C:\\path'\n"
                                      "lines = \"\"\"\none \\\n   two\"\"\"\n"
                                      "rate = 2.2e-4\n"
                                      "on = true\n"
                                      "[quantize.linear.float8]\n"
                                      "filter_fqns = [\n  \"output\", # the head\n  'gate',\n]\n"
                                      "a.b = { c = 1, d = { e = \"x\" } }\n"
                                      "[[run]]\nx = 1\n[[run]]\nx = 2\n"),
                     ORR_OK);
    assert_value(&read, "top", "1");
    assert_value(&read, "training.seq_len", "8192");
    assert_value(&read, "training.quoted key", "a \"b\" \xc3\xa9");
    assert_value(&read, "training.literal", "C:\\path");
    assert_value(&read, "training.lines", "one two");
    assert_value(&read, "training.rate", "2.2e-4");
    assert_value(&read, "training.on", "true");
    assert_value(&read, "quantize.linear.float8.filter_fqns", "[output, gate]");
    assert_value(&read, "quantize.linear.float8.a.b.c", "1");
    assert_value(&read, "quantize.linear.float8.a.b.d.e", "x");
    assert_value(&read, "run[0].x", "1");
    assert_value(&read, "run[1].x", "2");
    assert_int_equal(read.arguments.count, 12);
    assert_string_equal(read.arguments.argument[1].name, "seq_len");
    orr_arena_destroy(read.arena);
}

static void test_empty_texts_are_texts(void **state)
{
    (void)state;
    struct read read;
    assert_int_equal(read_text(&read, "a = \"\"\nb = []\nc = ''''''\n"), ORR_OK);
    assert_value(&read, "a", "");
    assert_value(&read, "b", "[]");
    assert_value(&read, "c", "");
    orr_arena_destroy(read.arena);
}

static void assert_refused(const char *text, const char *why)
{
    struct read read;
    char message[1024];
    assert_int_equal(read_text(&read, text), ORR_ERR_INPUT);
    (void)orr_diag_render(&read.diag, message, sizeof message);
    assert_string_equal(message, why);
    orr_arena_destroy(read.arena);
}

static void test_errors_name_the_line(void **state)
{
    (void)state;
    assert_refused("[a]\nb = \"cut", "x.toml:2:5: expected a text with an end, got \"\"cut\"");
    assert_refused("[a]\nb = 1\nb = 2\n", "x.toml:3:6: the key a.b is there twice");
    assert_refused("[a]\n[b]\n[a]\n", "x.toml:3:3: the table [a] is there twice");
    assert_refused("[a\nb = 1", "x.toml:1:3: expected ] behind the name of a table, got the end of "
                                "the line");
    assert_refused("a\n", "x.toml:1:2: expected = behind a key, got the end of the line");
    assert_refused("a = two\n", "x.toml:1:8: expected a value (a text in quotes, a number, true, "
                                "false, a list), got \"two\"");
    assert_refused("a = 1 2\n", "x.toml:1:7: expected the end of the line, got \"2\"");
    assert_refused("a = [1, 2", "x.toml:1:10: expected a comma or ] in a list, got the end of the "
                                "file");
    assert_refused("a = [1 2]", "x.toml:1:8: expected a comma or ] in a list, got \"2]\"");
    assert_refused("a = \"\\q\"", "x.toml:1:7: expected a letter such as n, t, u or a quote behind "
                                  "\\, got \"q\"\"");
    assert_refused("a = {b = 1",
                   "x.toml:1:11: expected a comma or } in a table, got the end of the "
                   "file");
    assert_refused("= 1", "x.toml:1:1: expected a key, got \"= 1\"");
}

static void test_what_begins_like_it(void **state)
{
    (void)state;
    assert_true(orr_toml_is_one("# a comment\n\n[job]\n"));
    assert_true(orr_toml_is_one("title = 'x'\n[quantize.linear.float8] # y\n"));
    assert_false(orr_toml_is_one("NAME=value\n[ -f x ] && y\n"));
    assert_false(orr_toml_is_one("model:\n  num_layers: 3\n"));
    assert_false(orr_toml_is_one("ARGS=(\n  --a 1\n)\n"));
    assert_false(orr_toml_is_one(""));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values_of_every_kind), cmocka_unit_test(test_empty_texts_are_texts),
        cmocka_unit_test(test_errors_name_the_line), cmocka_unit_test(test_what_begins_like_it)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
