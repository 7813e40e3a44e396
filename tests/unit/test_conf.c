/* The configuration reader: values, exact messages, includes, settings, and failing memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/conf/conf.h"
#include "core/conf/conf_read.h"
#include "core/conf/keys.h"
#include "core/time.h"

static const char *const colours[] = {"red", "green", NULL};

struct target {
    int64_t count;
    double share, bandwidth;
    sim_time delay;
    uint64_t size;
    bool on;
    unsigned colour;
    const char *name;
};

static const struct orr_key keys[] = {
    {.name = "count",
     .type = ORR_KEY_INTEGER,
     .offset = offsetof(struct target, count),
     .low = 1,
     .high = 9,
     .required = true,
     .example = "count: 4",
     .doc = "how many"},
    {.name = "share",
     .type = ORR_KEY_NUMBER,
     .offset = offsetof(struct target, share),
     .low = 0,
     .high = 1,
     .default_text = "0.5",
     .doc = "a share"},
    {.name = "bandwidth",
     .type = ORR_KEY_BANDWIDTH,
     .offset = offsetof(struct target, bandwidth),
     .doc = "a rate"},
    {.name = "delay",
     .type = ORR_KEY_TIME,
     .offset = offsetof(struct target, delay),
     .default_text = "3 ns",
     .doc = "a time"},
    {.name = "size", .type = ORR_KEY_BYTES, .offset = offsetof(struct target, size), .doc = "size"},
    {.name = "on", .type = ORR_KEY_BOOL, .offset = offsetof(struct target, on), .doc = "a switch"},
    {.name = "colour",
     .type = ORR_KEY_CHOICE,
     .offset = offsetof(struct target, colour),
     .choices = colours,
     .doc = "a colour"},
    {.name = "name", .type = ORR_KEY_TEXT, .offset = offsetof(struct target, name), .doc = "name"},
    {.name = "old", .type = ORR_KEY_IGNORED, .doc = "it has no effect"},
};

static char warning[512];

static void keep_warning(void *user, const char *text)
{
    (void)user;
    (void)snprintf(warning, sizeof warning, "%s", text);
}

/* Reads the text by the table; returns the rendered error, or "". */
static const char *read_text(const char *text, struct target *target)
{
    static char message[1024];
    static struct orr_arena *arena;
    orr_arena_destroy(arena);
    arena = orr_arena_create();
    struct orr_diag diag;
    orr_diag_init(&diag);
    diag.warn = keep_warning;
    warning[0] = message[0] = '\0';
    const struct orr_conf *root = NULL;
    memset(target, 0, sizeof *target);
    enum orr_status status = orr_conf_parse(arena, text, strlen(text), "f.yml", &root, &diag);
    if (status == ORR_OK) {
        status =
            orr_conf_read(root, "a test file", keys, sizeof keys / sizeof *keys, target, &diag);
    }
    if (status != ORR_OK) {
        (void)orr_diag_render(&diag, message, sizeof message);
    }
    return message;
}

static void test_read_yaml_fills_the_struct_and_defaults(void **state)
{
    (void)state;
    struct target target;
    assert_string_equal(read_text("count: 4\nbandwidth: 50 GB/s\non: true\ncolour: green\n"
                                  "size: 2 KiB\nname: \"x y\"\n",
                                  &target),
                        "");
    assert_int_equal(target.count, 4);
    assert_true(target.share == 0.5);
    assert_true(target.bandwidth == 50e9);
    assert_int_equal(target.delay, 3000);
    assert_int_equal(target.size, 2048);
    assert_true(target.on);
    assert_int_equal(target.colour, 1);
    assert_string_equal(target.name, "x y");
}

static void test_read_json_with_tabs_is_the_same(void **state)
{
    (void)state;
    struct target target;
    assert_string_equal(
        read_text("{\n\t\"count\":\t7,\n\t\"name\": \"a\\tb\", \"old\": 1\n}", &target), "");
    assert_int_equal(target.count, 7);
    assert_string_equal(target.name, "a\tb");
    assert_string_equal(warning, "f.yml:3:25: warning: old is ignored: it has no effect");
}

static void test_read_wrong_values_have_exact_messages(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"count: 4\ncuont: 3", "f.yml:2:1: cuont: unknown key in a test file; did you mean "
                               "\"count\"?"},
        {"count: 4\nzzzzzz: 3",
         "f.yml:2:1: zzzzzz: unknown key in a test file; expected count, share, bandwidth, delay, "
         "size, on, colour, name or old"},
        {"count: 4\ncount: 5", "f.yml:2:1: duplicate key \"count\": it is given already at line 1"},
        {"share: 1", "f.yml:1:1: a test file needs the key \"count\" (how many), such as count: 4"},
        {"count: 10", "f.yml:1:8: count: expected a whole number from 1 to 9, got \"10\""},
        {"count: 2.5", "f.yml:1:8: count: expected a whole number from 1 to 9, got \"2.5\""},
        {"count: [1]", "f.yml:1:8: count: expected a whole number from 1 to 9, got a list"},
        {"count: 1\nshare: 2", "f.yml:2:8: share: expected a number from 0 to 1, got \"2\""},
        {"count: 1\nbandwidth: -50",
         "f.yml:2:12: bandwidth: expected a positive bandwidth such as \"50 GB/s\", got \"-50\"; "
         "a unit is missing: B/s, kB/s, MB/s, GB/s, TB/s, KiB/s, MiB/s, GiB/s, TiB/s, b/s, kb/s, "
         "Mb/s, Gb/s or Tb/s"},
        {"count: 1\ndelay: 500",
         "f.yml:2:8: delay: expected a time such as \"500 ns\", got \"500\"; "
         "a unit is missing: ps, ns, us, ms, s, min or h"},
        {"count: 1\nsize: {a: 1}",
         "f.yml:2:7: size: expected a size such as \"1 MiB\", got a mapping"},
        {"count: 1\non: maybe", "f.yml:2:5: on: expected true or false, got \"maybe\""},
        {"count: 1\ncolour: blue", "f.yml:2:9: colour: expected red or green, got \"blue\""},
        {"", "f.yml: the file is empty; expected keys with values"},
        {"- 1", "f.yml:1:1: expected a mapping of keys to values, got a list"},
        {"count: 1\n---\ncount: 2", "f.yml:2:1: expected one document, got a second"},
        {"count: &a 1", "f.yml:1:8: anchors (&name) are not supported"},
        {"count: *a", "f.yml:1:8: aliases (*name) are not supported"},
        {"[1]: 2", "f.yml:1:1: expected a key (a name), got a list or mapping"},
        {"count: \"a\\0b\"", "f.yml:1:8: a value holds a zero byte"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct target target;
        assert_string_equal(read_text(cases[i].text, &target), cases[i].message);
    }
}

static void test_parse_deep_nesting_is_refused(void **state)
{
    (void)state;
    char text[400];
    memset(text, '[', 200);
    memset(text + 200, ']', 199);
    text[399] = '\0';
    struct target target;
    assert_string_equal(read_text(text, &target), "f.yml:1:65: nested deeper than 64 levels");
}

static enum orr_status set_all(struct orr_arena *arena, const char *text, const char *assignment,
                               const struct orr_conf **root, struct orr_diag *diag)
{
    enum orr_status status = orr_conf_parse(arena, text, strlen(text), "f.yml", root, diag);
    return status == ORR_OK ? orr_conf_set(arena, *root, assignment, root, diag) : status;
}

static void test_set_replaces_and_adds_values(void **state)
{
    (void)state;
    struct orr_arena *arena = orr_arena_create();
    struct orr_diag diag;
    orr_diag_init(&diag);
    const struct orr_conf *root = NULL;
    assert_int_equal(set_all(arena, "n: {d: [{b: 1}, {b: 2}]}", "n.d[1].b=100GB/s", &root, &diag),
                     ORR_OK);
    const struct orr_conf *list = orr_conf_get(orr_conf_get(root, "n"), "d");
    assert_string_equal(orr_conf_get(list->item[0], "b")->text, "1");
    assert_string_equal(orr_conf_get(list->item[1], "b")->text, "100GB/s");
    assert_string_equal(orr_conf_get(list->item[1], "b")->file, "command line");
    assert_int_equal(orr_conf_set(arena, root, "x.y=3", &root, &diag), ORR_OK);
    assert_string_equal(orr_conf_get(orr_conf_get(root, "x"), "y")->path, "x.y");
    orr_arena_destroy(arena);
}

static void test_set_wrong_paths_have_exact_messages(void **state)
{
    (void)state;
    static const struct {
        const char *assignment, *message;
    } cases[] = {
        {"n.d[7].b=1", "--set n.d[7].b: there is no entry 7: n.d has 1, from 0 on"},
        {"n.d[x].b=1", "--set n.d[x].b: expected an index such as [1]"},
        {"n.d[0].b.c=1", "--set n.d[0].b.c: n.d[0].b is not a mapping, so it has no key \"c\""},
        {"n..x=1", "--set n..x: expected a path such as network.dims[1].bandwidth"},
        {"n", "--set: expected PATH=VALUE, such as network.dims[1].bandwidth=100GB/s, got \"n\""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct orr_arena *arena = orr_arena_create();
        struct orr_diag diag;
        orr_diag_init(&diag);
        const struct orr_conf *root = NULL;
        assert_int_equal(set_all(arena, "n: {d: [{b: 1}]}", cases[i].assignment, &root, &diag),
                         ORR_ERR_INPUT);
        assert_string_equal(diag.message, cases[i].message);
        orr_arena_destroy(arena);
    }
}

static void write_file(const char *name, const char *text)
{
    FILE *file = fopen(name, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

/* Loads a.yml of the working directory; the rendered error, or "". */
static const char *load_composed(struct orr_arena *arena, const struct orr_conf **root)
{
    static char message[1024];
    struct orr_diag diag;
    orr_diag_init(&diag);
    message[0] = '\0';
    if (orr_conf_load_composed(arena, "a.yml", NULL, root, &diag) != ORR_OK) {
        (void)orr_diag_render(&diag, message, sizeof message);
    }
    return message;
}

static void test_include_joins_files_and_finds_circles(void **state)
{
    (void)state;
    char folder[] = "/tmp/orrery-conf-XXXXXX";
    assert_non_null(mkdtemp(folder));
    assert_int_equal(chdir(folder), 0);
    struct orr_arena *arena = orr_arena_create();
    const struct orr_conf *root = NULL;
    write_file("a.yml", "include: b.yml\nnet: {x: 1}\n");
    write_file("b.yml", "net: {y: 2}\nother: 3\n");
    assert_string_equal(load_composed(arena, &root), "");
    assert_string_equal(orr_conf_get(orr_conf_get(root, "net"), "x")->text, "1");
    assert_string_equal(orr_conf_get(orr_conf_get(root, "net"), "y")->text, "2");
    assert_string_equal(orr_conf_get(root, "other")->text, "3");
    write_file("b.yml", "net: {x: 2, y: 3}\n"); /* the including file's x holds */
    assert_string_equal(load_composed(arena, &root), "");
    assert_string_equal(orr_conf_get(orr_conf_get(root, "net"), "x")->text, "1");
    assert_string_equal(orr_conf_get(orr_conf_get(root, "net"), "y")->text, "3");
    write_file("b.yml", "include: [a.yml]\n");
    assert_string_equal(load_composed(arena, &root),
                        "b.yml:1:11: include: a.yml includes itself, directly or through others");
    write_file("a.yml", "include: none.yml\n");
    assert_string_equal(load_composed(arena, &root),
                        "none.yml: cannot be opened: No such file or directory; included at "
                        "a.yml:1:10");
    orr_arena_destroy(arena);
    assert_int_equal(remove("a.yml") | remove("b.yml"), 0);
    assert_int_equal(chdir("/"), 0);
    assert_int_equal(rmdir(folder), 0);
}

static const char *text_of(const struct orr_conf *root, const char *section, const char *key)
{
    return orr_conf_get(orr_conf_get(root, section), key)->text;
}

/* A file comes before those that it includes, at any depth; files that it includes side by side may
 * differ only where it decides; a file that is included twice does not differ from itself. */
static void test_include_of_several_the_including_file_decides(void **state)
{
    (void)state;
    char folder[] = "/tmp/orrery-conf-XXXXXX";
    assert_non_null(mkdtemp(folder));
    assert_int_equal(chdir(folder), 0);
    struct orr_arena *arena = orr_arena_create();
    const struct orr_conf *root = NULL;
    write_file("d.yml", "s: {x: 1, y: 1, z: 1}\nlist: [1, 2, 3]\n");
    write_file("b.yml", "include: d.yml\nb: {v: 1}\n");
    write_file("c.yml", "include: d.yml\nc: {v: 1}\n");
    write_file("a.yml", "include: [b.yml, c.yml]\ns: {x: 2}\nlist: [4]\n");
    assert_string_equal(load_composed(arena, &root), "");
    assert_string_equal(text_of(root, "s", "x"), "2");
    assert_string_equal(text_of(root, "s", "y"), "1");
    assert_string_equal(text_of(root, "b", "v"), "1");
    assert_string_equal(text_of(root, "c", "v"), "1");
    assert_int_equal(orr_conf_get(root, "list")->count, 1); /* a list is taken whole */
    assert_null(orr_conf_get(root, "include"));
    write_file("c.yml", "include: d.yml\ns: {x: 3, z: 3}\n"); /* a.yml decides x, nobody z */
    assert_string_equal(load_composed(arena, &root), "");
    assert_string_equal(text_of(root, "s", "x"), "2");
    assert_string_equal(text_of(root, "s", "z"), "3"); /* c.yml's own, not d.yml's behind b.yml */
    write_file("a.yml", "include: [c.yml, b.yml]\n");
    assert_string_equal(load_composed(arena, &root), "");
    assert_string_equal(text_of(root, "s", "x"), "3");
    write_file("b.yml", "s: {z: 5}\n");
    assert_string_equal(load_composed(arena, &root),
                        "b.yml:1:8: s.z is set by two files: here and at c.yml:2:14; remove one");
    write_file("b.yml", "include: d.yml\nb: {v: 1}\n");
    write_file("a.yml", "include: [b.yml, c.yml]\ns: {x: 2, z: 2}\n");
    assert_string_equal(load_composed(arena, &root), "");
    assert_string_equal(text_of(root, "s", "x"), "2");
    assert_string_equal(text_of(root, "s", "z"), "2");
    orr_arena_destroy(arena);
    assert_int_equal(remove("a.yml") | remove("b.yml") | remove("c.yml") | remove("d.yml"), 0);
    assert_int_equal(chdir("/"), 0);
    assert_int_equal(rmdir(folder), 0);
}

static void test_parse_every_failing_allocation_is_clean(void **state)
{
    (void)state;
    static const char text[] = "a: 1\nb: [2, 3, {c: d}]\ne: {f: g}\n";
    for (int64_t n = 0;; n++) {
        struct orr_arena *arena = orr_arena_create();
        struct orr_diag diag;
        orr_diag_init(&diag);
        const struct orr_conf *root = NULL;
        orr_arena_fail_after(arena, n);
        const enum orr_status status =
            orr_conf_parse(arena, text, sizeof text - 1, "f.yml", &root, &diag);
        orr_arena_destroy(arena);
        if (status == ORR_OK) {
            assert_true(n > 10);
            return;
        }
        assert_int_equal(status, ORR_ERR_MEMORY);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_read_yaml_fills_the_struct_and_defaults),
        cmocka_unit_test(test_read_json_with_tabs_is_the_same),
        cmocka_unit_test(test_read_wrong_values_have_exact_messages),
        cmocka_unit_test(test_parse_deep_nesting_is_refused),
        cmocka_unit_test(test_set_replaces_and_adds_values),
        cmocka_unit_test(test_set_wrong_paths_have_exact_messages),
        cmocka_unit_test(test_include_joins_files_and_finds_circles),
        cmocka_unit_test(test_include_of_several_the_including_file_decides),
        cmocka_unit_test(test_parse_every_failing_allocation_is_clean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
