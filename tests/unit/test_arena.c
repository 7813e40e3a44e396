/* The arena: zeroed, aligned, disjoint storage; overflow and failure give NULL. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "core/arena.h"

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

static void test_arena_destroy_null_is_fine(void **state)
{
    (void)state;
    orr_arena_destroy(NULL);
    orr_heap_free(NULL);
}

static void test_arena_alloc_is_zeroed_aligned_and_disjoint(void **state)
{
    enum { MANY = 500 };
    unsigned char *blocks[MANY];
    for (size_t i = 0; i < MANY; i++) {
        blocks[i] = orr_arena_alloc(*state, i);
        assert_non_null(blocks[i]);
        assert_int_equal((uintptr_t)blocks[i] % 16, 0);
        for (size_t k = 0; k < i; k++) {
            assert_int_equal(blocks[i][k], 0);
        }
        memset(blocks[i], (int)(i % 251) + 1, i);
    }
    for (size_t i = 0; i < MANY; i++) {
        for (size_t k = 0; k < i; k++) {
            assert_int_equal(blocks[i][k], i % 251 + 1);
        }
    }
}

static void test_arena_alloc_raw_keeps_each_alignment(void **state)
{
    for (size_t align = 1; align <= 16; align *= 2) {
        for (int i = 0; i < 5; i++) {
            const void *block = orr_arena_alloc_raw(*state, 3, align);
            assert_non_null(block);
            assert_int_equal((uintptr_t)block % align, 0);
        }
    }
}

static void test_arena_alloc_larger_than_any_block_works(void **state)
{
    const size_t large = 20 * 1024 * 1024; /* blocks grow to 8 MiB only */
    unsigned char *block = orr_arena_alloc(*state, large);
    assert_non_null(block);
    block[0] = block[large - 1] = 1;
    assert_true(orr_arena_bytes(*state) >= large);
    assert_non_null(orr_arena_alloc(*state, 1));
}

static void test_arena_alloc_absurd_size_gives_null(void **state)
{
    assert_null(orr_arena_alloc(*state, SIZE_MAX));
    assert_null(orr_arena_alloc(*state, SIZE_MAX / 2 + 1));
    assert_null(orr_arena_array(*state, SIZE_MAX / 2, 3));
    assert_null(orr_arena_array(*state, SIZE_MAX, SIZE_MAX));
    assert_non_null(orr_arena_array(*state, SIZE_MAX, 0));
    assert_non_null(orr_arena_array(*state, 0, 8));
}

static void test_arena_reset_gives_zeroed_storage_again(void **state)
{
    unsigned char *first = orr_arena_alloc(*state, 100);
    memset(first, 0xAA, 100);
    const size_t bytes = orr_arena_bytes(*state);
    orr_arena_reset(*state);
    const unsigned char *again = orr_arena_alloc(*state, 100);
    assert_ptr_equal(again, first);
    for (size_t i = 0; i < 100; i++) {
        assert_int_equal(again[i], 0);
    }
    assert_int_equal(orr_arena_bytes(*state), bytes);
}

static void test_arena_reset_empty_arena_is_fine(void **state)
{
    orr_arena_reset(*state);
    assert_int_equal(orr_arena_bytes(*state), 0);
}

static void test_arena_strings_are_terminated_copies(void **state)
{
    char source[] = "ring switch";
    const char *part = orr_arena_strndup(*state, source, 4);
    const char *whole = orr_arena_strdup(*state, source);
    const char *made = orr_arena_printf(*state, "%s[%d]", "dims", 12);
    memset(source, 'x', sizeof source - 1);
    assert_string_equal(part, "ring");
    assert_string_equal(whole, "ring switch");
    assert_string_equal(made, "dims[12]");
    assert_string_equal(orr_arena_strdup(*state, ""), "");
}

static void test_arena_grow_keeps_elements_and_doubles(void **state)
{
    uint32_t *values = NULL;
    size_t capacity = 0;
    for (uint32_t i = 0; i < 1000; i++) {
        values = orr_arena_grow(*state, values, &capacity, i + 1, sizeof *values);
        assert_non_null(values);
        assert_true(capacity > i);
        values[i] = i;
    }
    assert_int_equal(capacity, 1024); /* 8, 16, ... */
    for (uint32_t i = 0; i < 1000; i++) {
        assert_int_equal(values[i], i);
    }
}

static void test_arena_grow_failure_keeps_capacity(void **state)
{
    size_t capacity = 0;
    uint32_t *values = orr_arena_grow(*state, NULL, &capacity, 8, sizeof *values);
    assert_non_null(values);
    assert_null(orr_arena_grow(*state, values, &capacity, SIZE_MAX / 2, sizeof *values));
    assert_int_equal(capacity, 8);
    assert_ptr_equal(orr_arena_grow(*state, values, &capacity, 8, sizeof *values), values);
}

static void test_arena_fail_after_nth_and_later_fail(void **state)
{
    orr_arena_fail_after(*state, 2);
    assert_non_null(orr_arena_alloc(*state, 1));
    assert_non_null(orr_arena_strdup(*state, "x"));
    assert_null(orr_arena_alloc(*state, 1));
    assert_null(orr_arena_printf(*state, "%d", 1));
    assert_null(orr_arena_array(*state, 1, 1));
    orr_arena_fail_after(*state, -1);
    assert_non_null(orr_arena_alloc(*state, 1));
}

static void test_heap_zero_bytes_are_a_block(void **state)
{
    (void)state;
    void *a = orr_heap_alloc(0);
    unsigned char *b = orr_heap_calloc(4, 4);
    void *c = orr_heap_realloc(NULL, 10);
    assert_non_null(a);
    assert_non_null(b);
    assert_non_null(c);
    assert_int_equal(b[0] | b[15], 0);
    c = orr_heap_realloc(c, 0);
    assert_non_null(c);
    orr_heap_free(a);
    orr_heap_free(b);
    orr_heap_free(c);
}

#define IN_ARENA(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

static void test_heap_arrays_grow_and_keep_what_they_have(void **state)
{
    (void)state;
    uint32_t *number = NULL;
    size_t capacity = 0, moves = 0;
    for (uint32_t i = 0; i < 100000; i++) {
        const size_t before = capacity;
        assert_true(orr_heap_reserve(&number, &capacity, (size_t)i + 1, sizeof *number));
        assert_true(capacity > i);
        moves += capacity != before;
        number[i] = i;
    }
    for (uint32_t i = 0; i < 100000; i++) {
        assert_int_equal(number[i], i);
    }
    assert_in_range(moves, 1, 25);
    const uint32_t *const kept = number;
    const size_t room = capacity;
    assert_false(orr_heap_reserve(&number, &capacity, SIZE_MAX / 4, sizeof *number));
    assert_ptr_equal(number, kept);
    assert_int_equal(capacity, room);
    assert_true(orr_heap_reserve(&number, &capacity, room + 1000000, sizeof *number));
    assert_int_equal(capacity, room + 1000000);
    assert_int_equal(number[99999], 99999);
    orr_heap_free(number);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arena_destroy_null_is_fine),
        IN_ARENA(test_arena_alloc_is_zeroed_aligned_and_disjoint),
        IN_ARENA(test_arena_alloc_raw_keeps_each_alignment),
        IN_ARENA(test_arena_alloc_larger_than_any_block_works),
        IN_ARENA(test_arena_alloc_absurd_size_gives_null),
        IN_ARENA(test_arena_reset_gives_zeroed_storage_again),
        IN_ARENA(test_arena_reset_empty_arena_is_fine),
        IN_ARENA(test_arena_strings_are_terminated_copies),
        IN_ARENA(test_arena_grow_keeps_elements_and_doubles),
        IN_ARENA(test_arena_grow_failure_keeps_capacity),
        IN_ARENA(test_arena_fail_after_nth_and_later_fail),
        cmocka_unit_test(test_heap_zero_bytes_are_a_block),
        cmocka_unit_test(test_heap_arrays_grow_and_keep_what_they_have)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
