/* Arena, diagnostics, strings and random numbers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "core/core.h"

static void test_arena_alloc_is_zeroed_and_aligned(void **state)
{
    (void)state;
    struct orr_arena *arena = orr_arena_create();
    for (size_t bytes = 0; bytes < 3000; bytes += 7) {
        unsigned char *block = orr_arena_alloc(arena, bytes);
        assert_non_null(block);
        assert_int_equal((uintptr_t)block % 16, 0);
        for (size_t i = 0; i < bytes; i++) {
            assert_int_equal(block[i], 0);
        }
        memset(block, 0xAA, bytes);
    }
    orr_arena_destroy(arena);
}

static void test_arena_reset_reuses_and_array_checks_overflow(void **state)
{
    (void)state;
    struct orr_arena *arena = orr_arena_create();
    assert_non_null(orr_arena_alloc(arena, 100000));
    orr_arena_reset(arena);
    const size_t before = orr_arena_bytes(arena);
    assert_non_null(orr_arena_alloc(arena, 90000));
    assert_int_equal(orr_arena_bytes(arena), before);
    assert_null(orr_arena_array(arena, SIZE_MAX / 2, 4));
    orr_arena_destroy(arena);
}

static void test_arena_grow_keeps_contents_and_doubles(void **state)
{
    (void)state;
    struct orr_arena *arena = orr_arena_create();
    size_t capacity = 0;
    int *numbers = NULL;
    for (int i = 0; i < 1000; i++) {
        numbers = orr_arena_grow(arena, numbers, &capacity, (size_t)i + 1, sizeof *numbers);
        assert_non_null(numbers);
        numbers[i] = i;
    }
    assert_int_equal(capacity, 1024);
    for (int i = 0; i < 1000; i++) {
        assert_int_equal(numbers[i], i);
    }
    orr_arena_destroy(arena);
}

static void test_arena_fail_after_fails_from_then_on(void **state)
{
    (void)state;
    struct orr_arena *arena = orr_arena_create();
    orr_arena_fail_after(arena, 2);
    assert_non_null(orr_arena_alloc(arena, 8));
    assert_non_null(orr_arena_alloc(arena, 8));
    assert_null(orr_arena_alloc(arena, 8));
    assert_null(orr_arena_alloc(arena, 8));
    orr_arena_destroy(arena);
}

static void test_diag_first_error_wins_and_is_rendered_with_its_place(void **state)
{
    (void)state;
    struct orr_diag diag;
    char text[256];
    orr_diag_init(&diag);
    const struct orr_place place = orr_place_text("net.yml", 12, 9);
    assert_int_equal(orr_diag_fail(&diag, ORR_ERR_INPUT, &place, "expected %d", 4), ORR_ERR_INPUT);
    assert_int_equal(orr_diag_fail(&diag, ORR_ERR_IO, NULL, "later"), ORR_ERR_IO);
    (void)orr_diag_render(&diag, text, sizeof text);
    assert_string_equal(text, "net.yml:12:9: expected 4");
    orr_diag_init(&diag);
    const struct orr_place binary = orr_place_binary("x.et", 3, 77);
    (void)orr_diag_fail(&diag, ORR_ERR_INPUT, &binary, "bad");
    orr_diag_append(&diag, "; worse");
    (void)orr_diag_render(&diag, text, sizeof text);
    assert_string_equal(text, "x.et: record 3, byte offset 77: bad; worse");
}

static void test_strings_add_numbers_distinct_texts(void **state)
{
    (void)state;
    struct orr_arena *arena = orr_arena_create();
    struct orr_strings strings;
    orr_strings_init(&strings, arena);
    char text[16];
    for (int round = 0; round < 2; round++) {
        for (uint32_t i = 0; i < 5000; i++) {
            const int length = snprintf(text, sizeof text, "name%u", i);
            assert_int_equal(orr_strings_add(&strings, text, (size_t)length), i);
        }
    }
    assert_string_equal(strings.text[4321], "name4321");
    assert_int_equal(orr_strings_add(&strings, "name12345", 6), 12); /* the first six bytes */
    orr_arena_destroy(arena);
}

static void test_nearest_name_suggests_only_what_is_near(void **state)
{
    (void)state;
    static const char *const names[] = {"bandwidth", "latency", "npus_count", "topology"};
    assert_string_equal(orr_nearest_name("bandwith", names, 4), "bandwidth");
    assert_string_equal(orr_nearest_name("npus-count", names, 4), "npus_count");
    assert_string_equal(orr_nearest_name("Latnecy", names, 4), "latency");
    assert_null(orr_nearest_name("colour", names, 4));
    assert_int_equal(orr_edit_distance("abcd", "acbd", 9), 1);
    assert_int_equal(orr_edit_distance("kitten", "sitting", 9), 3);
    assert_int_equal(orr_edit_distance("", "abc", 9), 3);
}

static void test_rng_is_deterministic_and_uniform(void **state)
{
    (void)state;
    struct orr_rng a, b, c;
    orr_rng_init(&a, 1, 0);
    orr_rng_init(&b, 1, 0);
    orr_rng_init(&c, 1, 1);
    unsigned counts[7] = {0};
    bool differs = false;
    for (int i = 0; i < 70000; i++) {
        const uint64_t next = orr_rng_next(&a);
        assert_true(next == orr_rng_next(&b));
        differs = differs || next != orr_rng_next(&c);
        counts[orr_rng_below(&a, 7)]++;
        (void)orr_rng_below(&b, 7);
        const double unit = orr_rng_unit(&a);
        assert_true(unit >= 0 && unit < 1);
        (void)orr_rng_unit(&b);
    }
    assert_true(differs);
    for (int i = 0; i < 7; i++) {
        assert_in_range(counts[i], 9500, 10500); /* 10000 +- 5 standard deviations */
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arena_alloc_is_zeroed_and_aligned),
        cmocka_unit_test(test_arena_reset_reuses_and_array_checks_overflow),
        cmocka_unit_test(test_arena_grow_keeps_contents_and_doubles),
        cmocka_unit_test(test_arena_fail_after_fails_from_then_on),
        cmocka_unit_test(test_diag_first_error_wins_and_is_rendered_with_its_place),
        cmocka_unit_test(test_strings_add_numbers_distinct_texts),
        cmocka_unit_test(test_nearest_name_suggests_only_what_is_near),
        cmocka_unit_test(test_rng_is_deterministic_and_uniform),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
