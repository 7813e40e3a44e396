/* The configuration reader: the tree and its places, and each error of the text, to the letter. */
#include "conf_fixture.h"

#include <unistd.h>

static void refuses(struct fixture *fixture, const char *text, const char *message)
{
    assert_null(parse_bytes(fixture, text, strlen(text)));
    assert_int_equal(fixture->diag.status, ORR_ERR_INPUT);
    says(fixture, message);
}

static void stands_at(const struct orr_conf *node, unsigned line, unsigned column)
{
    assert_non_null(node);
    assert_int_equal(node->line, line);
    assert_int_equal(node->column, column);
}

/* ---- trees ---- */

static void test_conf_parse_yaml_gives_places_and_paths(void **state)
{
    const struct orr_conf *root = parse(*state, "network:\n"
                                                "  dims:\n"
                                                "    - block: ring\n"
                                                "      npus: 8\n"
                                                "    - {block: \"switch\", npus: 4}\n");
    assert_int_equal(root->kind, ORR_CONF_MAP);
    assert_string_equal(root->path, "");
    assert_string_equal(root->file, "net.yml");
    const struct orr_conf *dims = orr_conf_get(orr_conf_get(root, "network"), "dims");
    assert_int_equal(dims->kind, ORR_CONF_LIST);
    assert_int_equal(dims->count, 2);
    stands_at(dims, 3, 5);
    assert_int_equal(dims->key_line, 2);
    assert_int_equal(dims->key_column, 3);
    const struct orr_conf *block = orr_conf_get(dims->item[1], "block");
    stands_at(block, 5, 15);
    assert_string_equal(block->path, "network.dims[1].block");
    assert_string_equal(block->text, "switch");
    assert_true(block->quoted);
    assert_false(orr_conf_get(dims->item[0], "block")->quoted);
    assert_int_equal(dims->item[0]->key_line, 0);
    assert_null(orr_conf_get(root, "dims"));
    assert_null(orr_conf_get(block, "anything"));
}

/* Tabs between tokens become spaces of the same width; those in strings stay. */
static void test_conf_parse_json_with_tabs_keeps_columns(void **state)
{
    const struct orr_conf *root =
        parse(*state, "\n{\n\t\"a\":\t[1,\t2],\n\t\"b\": \"x\ty\\\"\t\"}\n");
    const struct orr_conf *a = orr_conf_get(root, "a"), *b = orr_conf_get(root, "b");
    stands_at(a, 3, 7);
    stands_at(a->item[1], 3, 11);
    assert_string_equal(a->item[1]->text, "2");
    assert_string_equal(b->text, "x\ty\"\t");
}

static void test_conf_parse_flow_yaml_with_tabs_leaves_strings_alone(void **state)
{
    const struct orr_conf *root =
        parse(*state, "# it's\tJSON\n{a: 'x\"\ty',\tb: don't,\t# \"\tc\n\tc: \"\t\"}");
    /* A comment comes first, so the tabs are YAML's business, which takes them within braces. */
    assert_string_equal(orr_conf_get(root, "a")->text, "x\"\ty");
    root = parse(*state, "{a: 'x\"\ty',\tb: don't,\t# \"\tc\n\tc: \"\t\"}");
    assert_string_equal(orr_conf_get(root, "a")->text, "x\"\ty");
    assert_string_equal(orr_conf_get(root, "b")->text, "don't");
    assert_string_equal(orr_conf_get(root, "c")->text, "\t");
}

static void test_conf_parse_dense_json_and_escapes(void **state)
{
    const struct orr_conf *root =
        parse(*state, "{\"a\":{\"b\":[true,null,1e3]},\"c\":\"\\u00e9\\/\"}");
    const struct orr_conf *b = orr_conf_get(orr_conf_get(root, "a"), "b");
    assert_int_equal(b->count, 3);
    assert_string_equal(b->item[2]->text, "1e3");
    assert_string_equal(orr_conf_get(root, "c")->text, "\xC3\xA9/");
}

static void test_conf_parse_byte_order_mark_is_skipped(void **state)
{
    const struct orr_conf *root = parse(*state, "\xEF\xBB\xBF{\t\"a\": 1}");
    stands_at(root, 1, 1);
    stands_at(orr_conf_get(root, "a"), 1, 8);
}

static void test_conf_parse_root_may_be_list_or_value(void **state)
{
    assert_int_equal(parse(*state, "[]")->kind, ORR_CONF_LIST);
    assert_int_equal(parse(*state, "{}")->count, 0);
    assert_string_equal(parse(*state, "\"\"")->text, "");
    assert_string_equal(parse(*state, "--- x\n...\n")->text, "x");
}

/* 100000 keys: a quadratic search for duplicates would take minutes under sanitizers. */
static void test_conf_parse_many_keys_is_linear(void **state)
{
    struct fixture *fixture = *state;
    enum { KEYS = 100000, LINE = 12 }; /* bytes of "k077777: 12\n" */
    char *text = orr_arena_alloc(fixture->arena, KEYS * LINE + 20);
    for (int i = 0; i < KEYS; i++) {
        (void)snprintf(text + (size_t)i * LINE, 20, "k%06d: 12\n", i);
    }
    const struct orr_conf *root = parse(fixture, text);
    assert_int_equal(root->count, KEYS);
    assert_string_equal(root->key[77777], "k077777");
    stands_at(root->item[77777], 77778, 10);
}

/* ---- errors of the text ---- */

static void test_conf_parse_bad_syntax_names_place(void **state)
{
    refuses(*state, "a: [1, 2\nb: 3\n",
            "net.yml:2:2: syntax error: did not find expected ',' or ']' while parsing a flow "
            "sequence");
    refuses(*state, "a: 1\n  b: 2\n",
            "net.yml:2:4: syntax error: mapping values are not allowed in this context");
    refuses(*state, "{\"a\": 1,, }",
            "net.yml:1:9: syntax error: did not find expected node content while parsing a flow "
            "node");
    refuses(*state, "a: \"x\n",
            "net.yml:2:1: syntax error: found unexpected end of stream while scanning a quoted "
            "scalar");
}

static void test_conf_parse_tab_indentation_of_yaml_is_refused(void **state)
{
    refuses(*state, "a:\n\tb: 1\n",
            "net.yml:2:1: syntax error: YAML is indented with spaces, not with a tab");
}

static void test_conf_parse_duplicate_key_names_the_first(void **state)
{
    refuses(*state, "a: 1\nb:\n  x: 1\n  y: 2\n  x: 3\n",
            "net.yml:5:3: duplicate key \"x\": it is given already at line 3");
    refuses(*state, "a:\n  - 1\na: 2\n",
            "net.yml:3:1: duplicate key \"a\": it is given already at line 1");
    refuses(*state, "{\"a\": 1, \"a\": 2}",
            "net.yml:1:10: duplicate key \"a\": it is given already at line 1");
}

static void test_conf_parse_features_of_yaml_are_refused(void **state)
{
    refuses(*state, "a: &x 1\n", "net.yml:1:4: anchors (&name) are not supported");
    refuses(*state, "a: &x [1]\n", "net.yml:1:4: anchors (&name) are not supported");
    refuses(*state, "a: &x {b: 1}\n", "net.yml:1:4: anchors (&name) are not supported");
    refuses(*state, "a: *x\n", "net.yml:1:4: aliases (*name) are not supported");
    refuses(*state, "a: !!str 5\n", "net.yml:1:4: tags (!name) are not supported");
    refuses(*state, "a: !x [5]\n", "net.yml:1:4: tags (!name) are not supported");
    refuses(*state, "a: 1\n---\nb: 2\n", "net.yml:2:1: expected one document, got a second");
    refuses(*state, "? [a, b]\n: 1\n",
            "net.yml:1:3: expected a key (a name), got a list or mapping");
    refuses(*state, "? {a: b}\n: 1\n",
            "net.yml:1:3: expected a key (a name), got a list or mapping");
}

static void test_conf_parse_empty_file_is_refused(void **state)
{
    static const char *const texts[] = {"", "\n\n", "# nothing\n", "---\n", "\xEF\xBB\xBF"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        refuses(*state, texts[i], "net.yml: the file is empty; expected keys with values");
    }
}

static void test_conf_parse_depth_is_bounded(void **state)
{
    /* The root is level 1, a's value 2; so 62 lists and the 1 in them make 64. */
    char text[200], closing[70];
    for (int lists = 62; lists <= 63; lists++) {
        memset(closing, ']', sizeof closing);
        (void)snprintf(text, sizeof text, "a: %.*s1%.*s", lists,
                       "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[", lists,
                       closing);
        if (lists == 62) {
            assert_non_null(parse(*state, text));
        } else {
            refuses(*state, text, "net.yml:1:67: nested deeper than 64 levels");
        }
    }
}

static void test_conf_parse_long_keys_and_paths_are_refused(void **state)
{
    char key[257], text[1024];
    memset(key, 'k', sizeof key);
    (void)snprintf(text, sizeof text, "%.255s: 1\n", key);
    assert_non_null(parse(*state, text));
    (void)snprintf(text, sizeof text, "%.256s: 1\n", key);
    refuses(*state, text, "net.yml:1:1: expected a key of at most 255 bytes, got 256");
    /* 255 + 1 + 255 + 2 = 513 bytes */
    (void)snprintf(text, sizeof text, "%.255s:\n  %.255s:\n    k: 1\n", key, key);
    refuses(*state, text, "net.yml:3:8: the path of keys to this value is longer than 512 bytes");
}

static void test_conf_parse_bytes_that_are_no_text_are_refused(void **state)
{
    refuses(*state, "a: 1\nb: \xFF\n", "net.yml:2:4: syntax error: invalid leading UTF-8 octet");
    refuses(*state, "\xC3\xA9: \xC3", "net.yml:1:4: syntax error: incomplete UTF-8 octet sequence");
    refuses(*state, "\xC0\x80", "net.yml:1:1: syntax error: invalid length of a UTF-8 sequence");
    refuses(*state, "\xED\xA0\x80", "net.yml:1:1: syntax error: invalid Unicode character");
    refuses(*state, "\xFF\xFEx", "net.yml:1:1: syntax error: invalid leading UTF-8 octet");
    refuses(*state, "\r\n\ra: \x01",
            "net.yml:3:4: syntax error: control characters are not allowed");
    refuses(*state, "a: \"x\\0y\"", "net.yml:1:4: a value holds a zero byte");
    assert_null(parse_bytes(*state, "a: 1\n\0b: 2", 10));
    says(*state, "net.yml:2:1: syntax error: control characters are not allowed");
    assert_non_null(parse(*state, "a: \xF0\x9F\x98\x80 \xEF\xBF\xBD"));
}

/* ---- files ---- */

static void test_conf_load_missing_file_is_io_error(void **state)
{
    struct fixture *fixture = *state;
    const struct orr_conf *root = NULL;
    assert_int_equal(orr_conf_load(fixture->arena, "/nonexistent/net.yml", &root, &fixture->diag),
                     ORR_ERR_IO);
    says(fixture, "/nonexistent/net.yml: cannot be opened: No such file or directory");
    assert_null(root);
}

static void test_conf_load_folder_is_io_error(void **state)
{
    struct fixture *fixture = *state;
    const struct orr_conf *root = NULL;
    assert_int_equal(orr_conf_load(fixture->arena, "/", &root, &fixture->diag), ORR_ERR_IO);
    says(fixture, "/: expected a file, got a directory");
}

static void test_conf_load_endless_file_is_refused(void **state)
{
    struct fixture *fixture = *state;
    const struct orr_conf *root = NULL;
    assert_int_equal(orr_conf_load(fixture->arena, "/dev/zero", &root, &fixture->diag),
                     ORR_ERR_INPUT);
    says(fixture, "/dev/zero: the file is larger than a configuration may be (64 MiB)");
}

static void test_conf_load_file_of_several_reads_is_whole(void **state)
{
    struct fixture *fixture = *state;
    const struct orr_conf *root = NULL;
    char path[] = "/tmp/orr_test_conf_XXXXXX";
    const int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    FILE *file = fdopen(descriptor, "w");
    assert_non_null(file);
    for (int i = 0; i < 3000; i++) {
        (void)fprintf(file, "k%d: %d\n", i, i);
    }
    assert_int_equal(fclose(file), 0);
    const enum orr_status status = orr_conf_load(fixture->arena, path, &root, &fixture->diag);
    (void)unlink(path);
    assert_int_equal(status, ORR_OK);
    assert_int_equal(root->count, 3000);
    assert_string_equal(root->item[2999]->text, "2999");
    assert_string_equal(root->file, path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FIXTURE(test_conf_parse_yaml_gives_places_and_paths),
        IN_FIXTURE(test_conf_parse_json_with_tabs_keeps_columns),
        IN_FIXTURE(test_conf_parse_flow_yaml_with_tabs_leaves_strings_alone),
        IN_FIXTURE(test_conf_parse_dense_json_and_escapes),
        IN_FIXTURE(test_conf_parse_byte_order_mark_is_skipped),
        IN_FIXTURE(test_conf_parse_root_may_be_list_or_value),
        IN_FIXTURE(test_conf_parse_many_keys_is_linear),
        IN_FIXTURE(test_conf_parse_bad_syntax_names_place),
        IN_FIXTURE(test_conf_parse_tab_indentation_of_yaml_is_refused),
        IN_FIXTURE(test_conf_parse_duplicate_key_names_the_first),
        IN_FIXTURE(test_conf_parse_features_of_yaml_are_refused),
        IN_FIXTURE(test_conf_parse_empty_file_is_refused),
        IN_FIXTURE(test_conf_parse_depth_is_bounded),
        IN_FIXTURE(test_conf_parse_long_keys_and_paths_are_refused),
        IN_FIXTURE(test_conf_parse_bytes_that_are_no_text_are_refused),
        IN_FIXTURE(test_conf_load_missing_file_is_io_error),
        IN_FIXTURE(test_conf_load_folder_is_io_error),
        IN_FIXTURE(test_conf_load_endless_file_is_refused),
        IN_FIXTURE(test_conf_load_file_of_several_reads_is_whole)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
