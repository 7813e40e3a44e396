/* Diagnostics: places, the first error, warnings, cutting. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "core/diag.h"

/* Renders the diagnostic into a buffer of its own and compares. */
static void says(const struct orr_diag *diag, const char *expected)
{
    char text[ORR_DIAG_MESSAGE_BYTES + ORR_DIAG_FILE_BYTES + 100];
    const int length = orr_diag_render(diag, text, sizeof text);
    assert_string_equal(text, expected);
    assert_int_equal(length, strlen(expected));
}

static void test_diag_fail_each_place_is_rendered(void **state)
{
    (void)state;
    const struct orr_location places[] = {orr_location_none(), orr_location_file("net.yml"),
                                          orr_location_text("net.yml", 12, 9),
                                          orr_location_binary("et.0", 3, 4711)};
    static const char *const expected[] = {"wrong", "net.yml: wrong", "net.yml:12:9: wrong",
                                           "et.0: record 3, byte offset 4711: wrong"};
    for (size_t i = 0; i < 4; i++) {
        struct orr_diag diag;
        orr_diag_init(&diag);
        assert_int_equal(orr_diag_fail(&diag, ORR_ERR_INPUT, &places[i], "%s", "wrong"),
                         ORR_ERR_INPUT);
        assert_int_equal(diag.status, ORR_ERR_INPUT);
        says(&diag, expected[i]);
    }
}

static void test_diag_fail_second_error_does_not_overwrite_first(void **state)
{
    (void)state;
    struct orr_diag diag;
    orr_diag_init(&diag);
    assert_int_equal(orr_diag_fail(&diag, ORR_ERR_INPUT, NULL, "first %d", 1), ORR_ERR_INPUT);
    assert_int_equal(orr_diag_fail(&diag, ORR_ERR_IO, NULL, "second"), ORR_ERR_IO);
    assert_int_equal(diag.status, ORR_ERR_INPUT);
    says(&diag, "first 1");
}

static void test_diag_fail_null_diag_returns_status(void **state)
{
    (void)state;
    assert_int_equal(orr_diag_fail(NULL, ORR_ERR_DEADLOCK, NULL, "x"), ORR_ERR_DEADLOCK);
    assert_int_equal(orr_diag_no_memory(NULL, "x"), ORR_ERR_MEMORY);
    orr_diag_warn(NULL, NULL, "x");
    orr_diag_append(NULL, "x");
}

static void test_diag_no_memory_names_the_thing(void **state)
{
    (void)state;
    struct orr_diag diag;
    orr_diag_init(&diag);
    assert_int_equal(orr_diag_no_memory(&diag, "the trace"), ORR_ERR_MEMORY);
    says(&diag, "out of memory for the trace");
}

static void test_diag_fail_long_message_is_cut(void **state)
{
    (void)state;
    struct orr_diag diag;
    orr_diag_init(&diag);
    static char text[2 * ORR_DIAG_MESSAGE_BYTES];
    memset(text, 'x', sizeof text - 1);
    (void)orr_diag_fail(&diag, ORR_ERR_INPUT, NULL, "%s", text);
    assert_int_equal(strlen(diag.message), ORR_DIAG_MESSAGE_BYTES - 1);
    orr_diag_append(&diag, "more");
    assert_int_equal(strlen(diag.message), ORR_DIAG_MESSAGE_BYTES - 1);
    const struct orr_location place = orr_location_file(text);
    assert_int_equal(strlen(place.file), ORR_DIAG_FILE_BYTES - 1);
}

static void test_diag_append_adds_lines(void **state)
{
    (void)state;
    struct orr_diag diag;
    orr_diag_init(&diag);
    (void)orr_diag_fail(&diag, ORR_ERR_DEADLOCK, NULL, "stuck:");
    orr_diag_append(&diag, "\n  NPU %d", 3);
    orr_diag_append(&diag, "\n  NPU %d", 4);
    says(&diag, "stuck:\n  NPU 3\n  NPU 4");
}

static void test_diag_render_small_buffer_is_cut_and_terminated(void **state)
{
    (void)state;
    struct orr_diag diag;
    orr_diag_init(&diag);
    const struct orr_location place = orr_location_text("net.yml", 12, 9);
    (void)orr_diag_fail(&diag, ORR_ERR_INPUT, &place, "wrong");
    for (size_t bytes = 1; bytes < 21; bytes++) {
        char text[32];
        memset(text, '#', sizeof text);
        assert_int_equal(orr_diag_render(&diag, text, bytes), 19);
        assert_int_equal(strlen(text), bytes < 20 ? bytes - 1 : 19);
        assert_memory_equal(text, "net.yml:12:9: wrong", strlen(text));
        assert_int_equal(text[bytes], '#');
    }
    assert_int_equal(orr_diag_render(&diag, NULL, 0), 19);
}

struct heard {
    int count;
    char text[ORR_DIAG_MESSAGE_BYTES];
};

static void hear(void *user, const char *text)
{
    struct heard *heard = user;
    heard->count++;
    (void)snprintf(heard->text, sizeof heard->text, "%s", text);
}

static void test_diag_warn_callback_gets_rendered_text(void **state)
{
    (void)state;
    struct orr_diag diag;
    static struct heard heard;
    orr_diag_init(&diag);
    orr_diag_warn(&diag, NULL, "nobody listens");
    diag.warn = hear;
    diag.warn_user = &heard;
    const struct orr_location place = orr_location_text("net.yml", 2, 3);
    orr_diag_warn(&diag, &place, "%s is ignored", "colour");
    assert_string_equal(heard.text, "net.yml:2:3: warning: colour is ignored");
    orr_diag_warn(&diag, NULL, "no place");
    assert_string_equal(heard.text, "warning: no place");
    assert_int_equal(heard.count, 2);
    assert_int_equal(diag.status, ORR_OK); /* a warning is no error */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_diag_fail_each_place_is_rendered),
        cmocka_unit_test(test_diag_fail_second_error_does_not_overwrite_first),
        cmocka_unit_test(test_diag_fail_null_diag_returns_status),
        cmocka_unit_test(test_diag_no_memory_names_the_thing),
        cmocka_unit_test(test_diag_fail_long_message_is_cut),
        cmocka_unit_test(test_diag_append_adds_lines),
        cmocka_unit_test(test_diag_render_small_buffer_is_cut_and_terminated),
        cmocka_unit_test(test_diag_warn_callback_gets_rendered_text)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
