/* Interning, edit distance, and the nearest name. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "core/strings.h"

static int setup(void **state)
{
    *state = orr_arena_create();
    return *state == NULL ? -1 : 0;
}

static int teardown(void **state)
{
    orr_arena_destroy(*state);
    return 0;
}

/* ---- interning ---- */

static void test_strings_add_same_text_gives_same_number(void **state)
{
    struct orr_strings strings;
    orr_strings_init(&strings, *state);
    assert_int_equal(orr_strings_add(&strings, "ring", 4), 0);
    assert_int_equal(orr_strings_add(&strings, "switch", 6), 1);
    assert_int_equal(orr_strings_add(&strings, "ring", 4), 0);
    assert_int_equal(orr_strings_add(&strings, "ringlet", 4), 0); /* its first four bytes */
    assert_int_equal(orr_strings_add(&strings, "rin", 3), 2);
    assert_int_equal(orr_strings_add(&strings, "", 0), 3);
    assert_int_equal(orr_strings_add(&strings, "x", 0), 3);
    assert_int_equal(strings.count, 4);
    assert_string_equal(strings.text[0], "ring");
    assert_string_equal(strings.text[2], "rin");
    assert_string_equal(strings.text[3], "");
}

static void test_strings_add_zero_byte_ends_the_text(void **state)
{
    struct orr_strings strings;
    orr_strings_init(&strings, *state);
    assert_int_equal(orr_strings_add(&strings, "a", 1), 0);
    assert_int_equal(orr_strings_add(&strings, "a\0b", 3), 0);
    assert_int_equal(strings.count, 1);
}

static void test_strings_add_many_keeps_texts_in_place(void **state)
{
    enum { MANY = 10000 };
    struct orr_strings strings;
    orr_strings_init(&strings, *state);
    char text[16];
    assert_int_equal(orr_strings_add(&strings, "first", 5), 0);
    const char *first = strings.text[0];
    for (unsigned round = 0; round < 2; round++) {
        for (unsigned i = 0; i < MANY; i++) {
            const int length = snprintf(text, sizeof text, "node %u", i);
            assert_int_equal(orr_strings_add(&strings, text, (size_t)length), i + 1);
        }
    }
    assert_int_equal(strings.count, MANY + 1);
    assert_ptr_equal(strings.text[0], first);
    assert_string_equal(strings.text[7778], "node 7777");
}

/* Whatever fails, the set stays whole: strings that went in keep their numbers. */
static void test_strings_add_nth_allocation_fails_cleanly(void **state)
{
    struct orr_arena *arena = *state;
    int64_t failures = 0;
    for (bool done = false; !done; failures++) {
        struct orr_strings strings;
        char text[16];
        uint32_t i = 0;
        orr_arena_reset(arena);
        orr_strings_init(&strings, arena);
        orr_arena_fail_after(arena, failures);
        for (uint32_t index = 0; i < 100 && index != UINT32_MAX; i += index != UINT32_MAX) {
            const int length = snprintf(text, sizeof text, "%u", i);
            index = orr_strings_add(&strings, text, (size_t)length);
            assert_true(index == i || index == UINT32_MAX);
        }
        orr_arena_fail_after(arena, -1);
        done = i == 100;
        assert_int_equal(strings.count, i);
        const int length = snprintf(text, sizeof text, "%u", i);
        assert_int_equal(orr_strings_add(&strings, text, (size_t)length), i);
        assert_int_equal(orr_strings_add(&strings, "0", 1), 0);
    }
    assert_true(failures > 100); /* at least one allocation for each string */
}

/* ---- distance ---- */

static void test_edit_distance_counts_edits(void **state)
{
    (void)state;
    static const struct {
        const char *a, *b;
        unsigned distance;
    } cases[] = {{"", "", 0},
                 {"", "abc", 3},
                 {"abc", "", 3},
                 {"ring", "ring", 0},
                 {"ring", "rings", 1},
                 {"ring", "rng", 1},
                 {"ring", "rang", 1},
                 {"ring", "rign", 1}, /* a swap is one edit */
                 {"kitten", "sitting", 3},
                 {"ca", "abc", 3}, /* no edits inside a swap */
                 {"Ring", "rING", 0},
                 {"all-reduce", "all_reduce", 0},
                 {"all reduce", "All_Reduce", 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(orr_edit_distance(cases[i].a, cases[i].b, 100), cases[i].distance);
        assert_int_equal(orr_edit_distance(cases[i].b, cases[i].a, 100), cases[i].distance);
    }
}

static void test_edit_distance_above_limit_gives_limit(void **state)
{
    (void)state;
    assert_int_equal(orr_edit_distance("kitten", "sitting", 3), 3);
    assert_int_equal(orr_edit_distance("kitten", "sitting", 2), 2);
    assert_int_equal(orr_edit_distance("kitten", "sitting", 0), 0);
}

static void test_edit_distance_long_names_are_equal_or_not(void **state)
{
    (void)state;
    char a[65], b[65];
    memset(a, 'x', sizeof a);
    memset(b, 'x', sizeof b);
    a[64] = b[64] = '\0';
    assert_int_equal(orr_edit_distance(a, b, 9), 0);
    b[0] = 'y';
    assert_int_equal(orr_edit_distance(a, b, 9), 9);
    a[63] = b[63] = '\0'; /* 63 bytes are measured */
    assert_int_equal(orr_edit_distance(a, b, 9), 1);
}

/* ---- nearest ---- */

static const char *const names[] = {"bandwidth", "latency", "npus_count", "topology", "x"};

static const char *nearest(const char *name)
{
    return orr_nearest_name(name, names, sizeof names / sizeof *names);
}

static void test_nearest_name_typing_error_gives_name(void **state)
{
    (void)state;
    assert_string_equal(nearest("bandwith"), "bandwidth");
    assert_string_equal(nearest("Bandwidth"), "bandwidth");
    assert_string_equal(nearest("latencies"), "latency"); /* 3 edits of 9 letters */
    assert_string_equal(nearest("npus-count"), "npus_count");
    assert_string_equal(nearest("topolgoy"), "topology");
}

static void test_nearest_name_something_else_gives_null(void **state)
{
    (void)state;
    assert_null(nearest("colour"));
    assert_null(nearest(""));
    assert_null(nearest("y")); /* one edit, but then nothing is left of "x" */
    assert_null(nearest("band"));
    assert_null(orr_nearest_name("ring", NULL, 0));
}

static void test_same_name_hyphens_are_underscores(void **state)
{
    (void)state;
    assert_true(orr_same_name("all-reduce", "all_reduce"));
    assert_true(orr_same_name("ring", "ring"));
    assert_false(orr_same_name("all_reduce", "allreduce"));
    assert_false(orr_same_name("Ring", "ring"));
    assert_false(orr_same_name("ring", "ring_stream"));
}

static void test_meant_name_near_ends_the_message(void **state)
{
    (void)state;
    static const char *const kinds[] = {"ring", "tree"};
    char text[ORR_SUGGESTION_BYTES];
    assert_string_equal(orr_suggest_name("rign", kinds, 2, text, sizeof text),
                        "; did you mean \"ring\"?");
    assert_string_equal(orr_suggest_name("switch", kinds, 2, text, sizeof text), "");
}

static void test_nearest_name_tie_gives_first(void **state)
{
    (void)state;
    static const char *const pair[] = {"cat", "bat"};
    assert_string_equal(orr_nearest_name("rat", pair, 2), "cat");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_strings_add_same_text_gives_same_number, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_strings_add_zero_byte_ends_the_text, setup, teardown),
        cmocka_unit_test_setup_teardown(test_strings_add_many_keeps_texts_in_place, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_strings_add_nth_allocation_fails_cleanly, setup,
                                        teardown),
        cmocka_unit_test(test_edit_distance_counts_edits),
        cmocka_unit_test(test_edit_distance_above_limit_gives_limit),
        cmocka_unit_test(test_edit_distance_long_names_are_equal_or_not),
        cmocka_unit_test(test_nearest_name_typing_error_gives_name),
        cmocka_unit_test(test_nearest_name_something_else_gives_null),
        cmocka_unit_test(test_same_name_hyphens_are_underscores),
        cmocka_unit_test(test_meant_name_near_ends_the_message),
        cmocka_unit_test(test_nearest_name_tie_gives_first)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
