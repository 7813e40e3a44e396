/* The contract of lists that wings may join: every entry has a name of its own and a summary, and
 * does once what all entries must. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "core/arena.h"
#include "core/diag.h"
#include "et_converter/conversion_report.h"
#include "et_converter/converter.h"

/* A name is a word, as options and keys take it; no other entry of `names`, [count], has it. */
static void check_name(const char *name, const char *const *names, size_t count)
{
    size_t found = 0;
    assert_non_null(name);
    assert_true(name[0] >= 'a' && name[0] <= 'z');
    assert_int_equal(strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-_"), strlen(name));
    for (size_t i = 0; i < count; i++) {
        found += strcmp(names[i], name) == 0;
    }
    assert_int_equal(found, 1);
}

static void check_text(const char *text)
{
    assert_non_null(text);
    assert_true(text[0] != '\0' && text[strlen(text) - 1] != '.');
}

enum { MAX_ENTRIES = 64 };

/* ---- converters ---- */

/* A converter that is given a file which is not there says so and names it. */
static void refuses_a_missing_file(const struct orr_converter *converter)
{
    static const char missing[] = "/nowhere/profile_bs1.pb";
    const char *const files[] = {missing};
    const bool traces = (converter->options & CONV_TRACES) != 0;
    const struct conv_job job = {.files = files,
                                 .file_count = traces ? 0 : 1,
                                 .et = traces ? missing : NULL,
                                 .out = "/nowhere/out"};
    struct conv_report report;
    struct orr_diag diag;
    struct orr_arena *arena = orr_arena_create();
    orr_diag_init(&diag);
    orr_convert_report_init(&report, arena);
    assert_int_not_equal(orr_converter_run(converter, &job, &report, &diag), ORR_OK);
    const char *file = diag.place.kind != ORR_LOCATION_NONE ? diag.place.file : diag.message;
    assert_non_null(strstr(file, missing));
    orr_arena_destroy(arena);
}

static void test_converters(void **state)
{
    size_t count = 0;
    const struct orr_converter *const *converters = orr_converters(&count);
    const char *names[MAX_ENTRIES];
    (void)state;
    assert_true(count > 0 && count <= MAX_ENTRIES);
    for (size_t i = 0; i < count; i++) {
        names[i] = converters[i]->name;
    }
    for (size_t i = 0; i < count; i++) {
        const struct orr_converter *converter = converters[i];
        check_name(converter->name, names, count);
        check_text(converter->summary);
        assert_non_null(converter->run);
        assert_true(((converter->options & CONV_TRACES) != 0) == (converter->max_files == 0));
        assert_ptr_equal(orr_converter_find(converter->name), converter);
        refuses_a_missing_file(converter);
    }
    assert_null(orr_converter_find("none"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_converters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
