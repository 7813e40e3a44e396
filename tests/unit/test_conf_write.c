/* A tree that is written as a file again reads as the same values: whatever texts, keys, lists and
 * mappings it has, with and without a table of keys. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "core/conf/conf.h"
#include "core/conf/conf_read.h"
#include "core/conf/keys.h"

enum { TEXT_BYTES = 8192 };

static const struct orr_key inner_keys[] = {
    {.name = "word", .type = ORR_KEY_TEXT, .default_text = "usual", .doc = "a word"},
    {.name = "idle",
     .type = ORR_KEY_TEXT,
     .only_with = "word",
     .default_text = "idle",
     .doc = "one"},
    {.name = "zero", .type = ORR_KEY_TIME, .default_text = "0 ns", .doc = "says nothing"},
};
static const struct orr_key_table inner = {"the inner section", inner_keys, 3, NULL};
static const struct orr_key keys[] = {
    {.name = "any", .type = ORR_KEY_NODE, .doc = "whatever there is"},
    {.name = "inner", .type = ORR_KEY_NODE, .table = &inner, .doc = "a section"},
    {.name = "file", .type = ORR_KEY_TEXT, .path = true, .doc = "a file"},
};
static const struct orr_key_table table = {"a test", keys, 3, NULL};

static void append(void *context, const char *text)
{
    char *all = context;
    assert_true(strlen(all) + strlen(text) < TEXT_BYTES);
    strcat(all, text);
}

static const struct orr_conf *parse(struct orr_arena *arena, const char *text, const char *name)
{
    const struct orr_conf *root = NULL;
    struct orr_diag diag;
    orr_diag_init(&diag);
    if (orr_conf_parse(arena, text, strlen(text), name, &root, &diag) != ORR_OK) {
        fail_msg("%s in:\n%s", diag.message, text);
    }
    return root;
}

static bool same(const struct orr_conf *a, const struct orr_conf *b)
{
    bool equal = a->kind == b->kind && a->count == b->count;
    if (equal && a->kind == ORR_CONF_SCALAR) {
        const bool absent = a->text[0] == '\0' && !a->quoted;
        return strcmp(a->text, b->text) == 0 && absent == (b->text[0] == '\0' && !b->quoted);
    }
    for (size_t i = 0; i < a->count && equal; i++) {
        equal = (a->kind != ORR_CONF_MAP || strcmp(a->key[i], b->key[i]) == 0) &&
                same(a->item[i], b->item[i]);
    }
    return equal;
}

static void written(const char *text, char *out)
{
    struct orr_arena *arena = orr_arena_create();
    out[0] = '\0';
    orr_conf_write(parse(arena, text, "a.yml"), &table, append, out);
    orr_arena_destroy(arena);
}

/* Lists of lists, and mappings that do not fit in a line. */
static const char long_lines[] =
    "any:\n  - - {a: [1, 2]}\n    - []\n  - {b: \"a very long text that does not fit in one "
    "line with all the others of its mapping\", c: \"and another one that makes it so\"}\n";

static void test_write_reads_as_the_same_values(void **state)
{
    static const char *const texts[] = {
        "any: 1",
        "any: \"\"",
        "any:",
        "any:\n  - a\n  -\n  - \"\"\n",
        "any: [[], {}, [[1]], {a: {}}]",
        "any: {a: , b: \"\", \"\": c}",
        "any: \"- a: b # c\"",
        "any: 'it''s {x}, [y]'",
        "any: [\"true\", -1, -1.5e3, +2, ~, \"*a\", \"&b\", \"!c\", \"%d\", \"@e\", \"`f\"]",
        "any: \"tab\\there\\nline \\\\ \\\" \\x01 \\x7f \\x85 \\u2028 \\u202e \\u00e9\"",
        "any: |\n  block\n    of text\n",
        "any: \" spaces  in  it \"",
        "any: a  b",
        "any: {\"a: b\": 1, \"# c\": 2, \"- d\": 3, 'e\"f': 4}",
        long_lines,
        "any: [{a: , b: [1]}, {a: {b: {c: }}}]",
        "any: 1:2",
        "any: [\"a:b\", \"1:2\", \"?\", \":\"]",
        "any: \"---\"",
        "any: [\"...\", \"=\", \"<<\", \"|\", \">\", \"a #b\", \"a: b\"]",
        "inner: {word: \"a, b\", zero: 5 ns}\nfile: x/y.yml",
        "inner: {}",
        "file: \"a b\""};
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char out[TEXT_BYTES];
        struct orr_arena *arena = orr_arena_create();
        written(texts[i], out);
        if (!same(parse(arena, texts[i], "a.yml"), parse(arena, out, "b.yml"))) {
            fail_msg("%s\nis written as\n%s", texts[i], out);
        }
        orr_arena_destroy(arena);
    }
}

/* Defaults of a mapping that is given, where they tell something and have what they go with. */
static void test_write_tells_the_defaults_that_apply(void **state)
{
    char out[TEXT_BYTES];
    (void)state;
    written("inner: {zero: 1 ns}", out);
    assert_non_null(strstr(out, "  # word: usual  "));
    assert_null(strstr(out, "idle"));
    written("inner: {word: x}", out);
    assert_non_null(strstr(out, "  # idle: idle  "));
    assert_null(strstr(out, "zero"));
    written("any: 1", out);
    assert_null(strstr(out, "word"));
}

/* As seen from the folder of the process. */
static void test_write_paths_are_seen_from_here(void **state)
{
    char out[TEXT_BYTES] = "";
    struct orr_arena *arena = orr_arena_create();
    (void)state;
    orr_conf_write(parse(arena, "file: b.et", "sub/a.yml"), &table, append, out);
    assert_non_null(strstr(out, "file: sub/b.et "));
    assert_non_null(strstr(out, "# sub/a.yml:1\n"));
    orr_arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_write_reads_as_the_same_values),
        cmocka_unit_test(test_write_tells_the_defaults_that_apply),
        cmocka_unit_test(test_write_paths_are_seen_from_here),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
