/* Conversions for programs (include/orrery/convert.h): files and texts are those of the command. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "inputs_fixture.h"
#include "orrery/convert.h"

/* Two layers of ASTRA-sim 1.0's text: data parallel, an all-reduce of 1000 bytes a layer. */
static const char layers[] = "DATA\n"
                             "2\n"
                             "a -1 100 NONE 0 200 NONE 0 300 ALLREDUCE 1000 10\n"
                             "b -1 100 NONE 0 200 NONE 0 300 ALLREDUCE 1000 10\n";

static int make_inputs(void **state)
{
    if (inputs_set_up(state) != 0) {
        return -1;
    }
    FILE *out = fopen("layers.txt", "w");
    assert_non_null(out);
    assert_true(fputs(layers, out) >= 0);
    assert_int_equal(fclose(out), 0);
    free(inputs_command("gen mlp --npus 4 --bytes '1 MiB' --out mlp --layers 3"));
    return 0;
}

static void assert_says(const struct orrery_conversion *conversion, enum orrery_status status,
                        const char *part)
{
    assert_int_equal(status, ORRERY_ERROR_INPUT);
    if (strstr(orrery_conversion_error(conversion), part) == NULL) {
        fail_msg("expected \"%s\" in \"%s\"", part, orrery_conversion_error(conversion));
    }
}

static void convert(struct orrery_conversion *conversion, struct orrery_convert what)
{
    what.size = sizeof what;
    if (orrery_convert(conversion, &what) != ORRERY_OK) {
        fail_msg("%s", orrery_conversion_error(conversion));
    }
}

static void test_text_is_that_of_the_command(void **state)
{
    static const char *const files[] = {"layers.txt"};
    struct orrery_conversion_counts counts = {ORRERY_SIZED(orrery_conversion_counts)};
    struct orrery_conversion *conversion = orrery_conversion_new();
    struct inputs_stream text = inputs_open(), json = inputs_open();
    (void)state;
    convert(conversion, (struct orrery_convert){.format = "text",
                                                .files = files,
                                                .file_count = 1,
                                                .out = "made",
                                                .platform = "Ring(4)",
                                                .passes = 2});
    assert_int_equal(orrery_conversion_counts(conversion, &counts), ORRERY_OK);
    assert_int_equal(counts.ranks, 4);
    assert_int_equal(counts.communication_bytes, 4 * 2 * 2 * 1000);
    assert_int_equal(orrery_conversion_write(conversion, text.out, false), ORRERY_OK);
    assert_int_equal(orrery_conversion_write(conversion, json.out, true), ORRERY_OK);
    rename("made.3.et", "by_call.et");
    inputs_assert_stream(&text, "convert text layers.txt --platform 'Ring(4)' --passes 2 -o made");
    inputs_assert_stream(
        &json, "convert text layers.txt --platform 'Ring(4)' --passes 2 -o made --report -");
    inputs_assert_same_files("by_call.et", "made.3.et");
    orrery_conversion_free(conversion);
}

/* A platform of 8 for 4 traces is a note. */
static void test_notes_are_told(void **state)
{
    static const char *const files[] = {"mlp.0.et", "mlp.1.et", "mlp.2.et", "mlp.3.et"};
    struct orrery_conversion_counts counts = {ORRERY_SIZED(orrery_conversion_counts)};
    struct orrery_conversion_note note = {ORRERY_SIZED(orrery_conversion_note)};
    struct orrery_conversion *conversion = orrery_conversion_new();
    (void)state;
    convert(conversion, (struct orrery_convert){.format = "chakra",
                                                .files = files,
                                                .file_count = 4,
                                                .out = "copy",
                                                .platform = "Ring(4)_Switch(2)"});
    assert_int_equal(orrery_conversion_counts(conversion, &counts), ORRERY_OK);
    assert_int_equal(counts.notes, 1);
    assert_int_equal(counts.nodes_read, counts.nodes_written);
    assert_int_equal(orrery_conversion_note(conversion, 0, &note), ORRERY_OK);
    assert_string_equal(note.finding,
                        "the platform has another number of NPUs than there are traces");
    assert_string_equal(note.example, "Ring(4)_Switch(2): 8 NPUs, 4 traces");
    assert_says(conversion, orrery_conversion_note(conversion, 1, &note), "index below 1, got 1");
    orrery_conversion_free(conversion);
}

static void test_formats_are_listed(void **state)
{
    const char *summary = NULL;
    bool text = false;
    (void)state;
    for (size_t i = 0; orrery_convert_format(i, &summary) != NULL; i++) {
        assert_non_null(summary);
        text = text || strcmp(orrery_convert_format(i, NULL), "text") == 0;
    }
    assert_true(text);
}

/* ---- what is refused ---- */

static void refuse(struct orrery_convert what, const char *part)
{
    struct orrery_conversion_counts counts = {ORRERY_SIZED(orrery_conversion_counts)};
    struct orrery_conversion *conversion = orrery_conversion_new();
    what.size = sizeof what;
    assert_says(conversion, orrery_convert(conversion, &what), part);
    assert_says(conversion, orrery_conversion_counts(conversion, &counts), "nothing was converted");
    orrery_conversion_free(conversion);
}

static void test_what_a_format_does_not_take_is_refused(void **state)
{
    static const char *const files[] = {"layers.txt", "mlp.0.et", "mlp.1.et"};
    const struct orrery_convert text = {
        .format = "text", .files = files, .file_count = 1, .out = "x", .platform = "Ring(4)"};
    struct orrery_convert what = text;
    (void)state;
    refuse((struct orrery_convert){.out = "x"}, "expected `format`, got NULL");
    refuse((struct orrery_convert){.format = "txt"},
           "unknown format \"txt\"; did you mean \"text\"?");
    refuse((struct orrery_convert){.format = "pytorch", .out = "x"}, "pytorch: et is missing");
    what.file_count = 0;
    refuse(what, "text: files are missing");
    what.file_count = 3;
    refuse(what, "text: mlp.0.et is more than this format takes");
    what = text, what.platform = NULL;
    refuse(what, "text: platform is missing");
    what = text, what.out = NULL;
    refuse(what, "text: out is missing");
    what = text, what.et = "y";
    refuse(what, "text: et is not for this format");
    what = text, what.passes = 1000001;
    refuse(what, "passes: expected at most 1000000");
    what = text, what.batch_size = -1;
    refuse(what, "batch_size: expected a number from 1 to 1e9, got -1");
    what = text, what.platform = "nosuch";
    refuse(what, "\"nosuch\": no such file");
    what = text, what.platform = "Ring(4";
    refuse(what, "topology");
    what = text, what.files = &files[1];
    refuse(what, "mlp.0.et");
}

static void test_bad_calls_are_refused(void **state)
{
    struct orrery_convert old = {.size = sizeof old - 8, .format = "text"};
    struct orrery_conversion_counts counts = {.size = 1};
    struct orrery_conversion_note note = {.size = 0};
    struct orrery_conversion *conversion = orrery_conversion_new();
    (void)state;
    assert_string_equal(orrery_conversion_error(conversion), "");
    assert_says(conversion, orrery_convert(conversion, NULL), "got NULL");
    assert_says(conversion, orrery_convert(conversion, &old), "struct orrery_convert has");
    assert_says(conversion, orrery_conversion_counts(conversion, &counts), "has 1 bytes");
    assert_says(conversion, orrery_conversion_counts(conversion, NULL), "got NULL");
    assert_says(conversion, orrery_conversion_note(conversion, 0, &note), "has 0 bytes");
    assert_says(conversion, orrery_conversion_write(conversion, stdout, true),
                "nothing was converted");
    assert_int_equal(orrery_convert(NULL, &old), ORRERY_ERROR_INPUT);
    assert_string_equal(orrery_conversion_error(NULL),
                        "there is no such object: the handle is NULL");
    orrery_conversion_free(conversion);
    orrery_conversion_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text_is_that_of_the_command),
        cmocka_unit_test(test_notes_are_told),
        cmocka_unit_test(test_formats_are_listed),
        cmocka_unit_test(test_what_a_format_does_not_take_is_refused),
        cmocka_unit_test(test_bad_calls_are_refused),
    };
    return cmocka_run_group_tests(tests, make_inputs, inputs_tear_down);
}
