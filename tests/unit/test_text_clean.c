/* Names of inputs as people read them: what a terminal would obey becomes visible, all else stays.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "core/arena.h"
#include "core/diag.h"
#include "core/text_escape.h"

static const struct {
    const char *text, *clean;
} cases[] = {
    {"plain text, \\ and <b>&\"", "plain text, \\ and <b>&\""},
    {"a\x1b[31m\nb\r\t\x7f", "a\\x1b[31m\\nb\\r\\t\\x7f"},
    {"\xc3\xa9 \xe4\xb8\xad \xf0\x9f\x98\x80 \xc2\xb5s",
     "\xc3\xa9 \xe4\xb8\xad \xf0\x9f\x98\x80 \xc2\xb5s"},
    {"\xc2\x85\xc2\x9b", "\\xc2\\x85\\xc2\\x9b"},                   /* C1 */
    {"\xe2\x80\xae\xe2\x81\xa6", "\\xe2\\x80\\xae\\xe2\\x81\\xa6"}, /* turns the text round */
    {"\xff\xc3(\xed\xa0\x80", "\\xff\\xc3(\\xed\\xa0\\x80"},        /* no UTF-8 */
    {"\xe4\xb8", "\\xe4\\xb8"}};

static void test_text_clean_makes_controls_visible(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[64];
        assert_string_equal(orr_text_escape(cases[i].text, false, text, sizeof text),
                            cases[i].clean);
        assert_string_equal(orr_text_escape(cases[i].clean, false, text, sizeof text),
                            cases[i].clean);
    }
}

/* An escape is there as a whole or not at all. */
static void test_text_clean_cuts_between_characters(void **state)
{
    (void)state;
    char text[7];
    assert_string_equal(orr_text_escape("ab\x1b\x1b", false, text, sizeof text), "ab\\x1b");
    assert_string_equal(orr_text_escape("abc\x1b\x1b", false, text, sizeof text - 1), "abc");
    assert_string_equal(orr_text_escape("a\nb", true, text, sizeof text), "a\nb");
}

static char *print(const char *format, ...) ORR_PRINTF(1, 2);

static char *print(const char *format, ...)
{
    va_list values;
    va_start(values, format);
    char *text = orr_escape_format(format, values);
    va_end(values);
    assert_non_null(text);
    return text;
}

/* The format's own lines end, also where arguments have the characters that stand for them. */
static void test_clean_format_tells_lines_from_names(void **state)
{
    (void)state;
    static const char *const names[] = {"a\nb", "\x01\n", "\x01\x02\x03\x04\x05\x06\x07\n"};
    static const char *const wanted[] = {"<a\\nb>\n7\n", "<\\x01\\n>\n7\n",
                                         "<\\x01\\x02\\x03\\x04\\x05\\x06\\x07\\n>\n7\n"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char *text = print("<%s>\n%d\n", names[i], 7);
        assert_string_equal(text, wanted[i]);
        orr_heap_free(text);
    }
}

/* Errors and warnings, with the file that they are about. */
static void test_diag_is_clean(void **state)
{
    (void)state;
    struct orr_diag diag;
    orr_diag_init(&diag);
    const struct orr_location place = orr_location_text("a\x1b.yml", 1, 2);
    (void)orr_diag_fail(&diag, ORR_ERR_INPUT, &place, "unknown \"%s\"", "x\ny");
    orr_diag_append(&diag, "\n  %s", "\x9b");
    char text[128];
    (void)orr_diag_render(&diag, text, sizeof text);
    assert_string_equal(text, "a\\x1b.yml:1:2: unknown \"x\\ny\"\n  \\x9b");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text_clean_makes_controls_visible),
        cmocka_unit_test(test_text_clean_cuts_between_characters),
        cmocka_unit_test(test_clean_format_tells_lines_from_names),
        cmocka_unit_test(test_diag_is_clean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
