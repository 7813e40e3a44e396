/* Random numbers: the published sequences, and that bounds are kept. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/rng.h"

/* From the state {1, 2, 3, 4}, by hand for the first two: rotl(2 * 5, 7) * 9 = 1280 * 9 = 11520;
 * then s1 = 2 ^ (3 ^ 1) = 0, so 0. The rest as the authors' C code gives them. */
static void test_rng_next_known_state_gives_published_numbers(void **state)
{
    (void)state;
    static const uint64_t expected[] = {UINT64_C(11520),
                                        UINT64_C(0),
                                        UINT64_C(1509978240),
                                        UINT64_C(1215971899390074240),
                                        UINT64_C(1216172134540287360),
                                        UINT64_C(607988272756665600),
                                        UINT64_C(16172922978634559625),
                                        UINT64_C(8476171486693032832)};
    struct orr_rng rng = {{1, 2, 3, 4}};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        assert_true(orr_rng_next(&rng) == expected[i]);
    }
}

static void test_rng_init_same_seed_gives_same_numbers(void **state)
{
    (void)state;
    struct orr_rng a, b;
    orr_rng_init(&a, 42, 7);
    orr_rng_init(&b, 42, 7);
    for (int i = 0; i < 1000; i++) {
        assert_true(orr_rng_next(&a) == orr_rng_next(&b));
    }
}

/* Neither equal numbers at equal places, nor the same numbers shifted. */
static void test_rng_init_streams_and_seeds_differ(void **state)
{
    (void)state;
    enum { STREAMS = 16, NUMBERS = 64 };
    uint64_t seen[STREAMS * NUMBERS];
    size_t count = 0;
    for (uint64_t i = 0; i < STREAMS; i++) {
        struct orr_rng rng;
        orr_rng_init(&rng, i / 4, i % 4);
        for (int k = 0; k < NUMBERS; k++) {
            const uint64_t value = orr_rng_next(&rng);
            for (size_t j = 0; j < count; j++) {
                assert_false(seen[j] == value);
            }
            seen[count++] = value;
        }
    }
}

/* Pinned, so that a change of the seeding does not go unnoticed: results would change with it. */
static void test_rng_init_seed_zero_is_usable(void **state)
{
    (void)state;
    struct orr_rng rng;
    orr_rng_init(&rng, 0, 0);
    assert_true((rng.state[0] | rng.state[1] | rng.state[2] | rng.state[3]) != 0);
    unsigned bits = 0;
    for (int i = 0; i < 64; i++) {
        bits += (unsigned)__builtin_popcountll(orr_rng_next(&rng));
    }
    /* 4096 fair bits: mean 2048, standard deviation 32; six of them */
    assert_in_range(bits, 2048 - 192, 2048 + 192);
}

static void test_rng_below_one_is_zero(void **state)
{
    (void)state;
    struct orr_rng rng;
    orr_rng_init(&rng, 1, 0);
    for (int i = 0; i < 100; i++) {
        assert_true(orr_rng_below(&rng, 1) == 0);
    }
}

/* 60000 throws of a die: 10000 each, standard deviation sqrt(60000 * 5 / 36) = 91; six of them. */
static void test_rng_below_six_is_uniform(void **state)
{
    (void)state;
    struct orr_rng rng;
    orr_rng_init(&rng, 1, 0);
    unsigned seen[6] = {0};
    for (int i = 0; i < 60000; i++) {
        const uint64_t value = orr_rng_below(&rng, 6);
        assert_true(value < 6);
        seen[value]++;
    }
    for (int i = 0; i < 6; i++) {
        assert_in_range(seen[i], 10000 - 548, 10000 + 548);
    }
}

/* With the bound 3 * 2^62, a plain modulo would give values below 2^62 twice as often as each of
 * the others: half of all. Without bias a third: 10000 of 30000, standard deviation 82. */
static void test_rng_below_large_bound_has_no_bias(void **state)
{
    (void)state;
    const uint64_t quarter = UINT64_C(1) << 62;
    struct orr_rng rng;
    orr_rng_init(&rng, 3, 0);
    unsigned low = 0;
    for (int i = 0; i < 30000; i++) {
        const uint64_t value = orr_rng_below(&rng, 3 * quarter);
        assert_true(value < 3 * quarter);
        low += value < quarter;
    }
    assert_in_range(low, 10000 - 492, 10000 + 492);
}

static void test_rng_below_largest_bound_terminates(void **state)
{
    (void)state;
    struct orr_rng rng;
    orr_rng_init(&rng, 5, 0);
    assert_true(orr_rng_below(&rng, UINT64_MAX) < UINT64_MAX);
    assert_true(orr_rng_below(&rng, (UINT64_C(1) << 63) + 1) <= UINT64_C(1) << 63);
}

/* Mean of 10000: 0.5, standard deviation 1 / sqrt(12 * 10000) = 0.0029. */
static void test_rng_unit_is_at_least_zero_and_below_one(void **state)
{
    (void)state;
    struct orr_rng rng;
    orr_rng_init(&rng, 9, 0);
    double sum = 0;
    for (int i = 0; i < 10000; i++) {
        const double value = orr_rng_unit(&rng);
        assert_true(value >= 0 && value < 1);
        sum += value;
    }
    assert_true(sum > 4826 && sum < 5174);
}

/* 2^64 - 1 shifted right by 11 is 2^53 - 1, and (2^53 - 1) / 2^53 is the largest double below 1. */
static void test_rng_unit_largest_number_is_below_one(void **state)
{
    (void)state;
    /* rotl(s1 * 5, 7) * 9 = 2^64 - 1: s1 = rotr((2^64 - 1) / 9, 7) / 5 modulo 2^64. */
    uint64_t ninth = UINT64_MAX, fifth = 1;
    for (int i = 0; i < 6; i++) {
        fifth *= 2 - 5 * fifth; /* Newton's inverse of 5 modulo 2^64 */
    }
    uint64_t inverse9 = 1;
    for (int i = 0; i < 6; i++) {
        inverse9 *= 2 - 9 * inverse9;
    }
    ninth *= inverse9;
    struct orr_rng rng = {{1, (ninth >> 7 | ninth << 57) * fifth, 3, 4}};
    struct orr_rng same = rng;
    assert_true(orr_rng_next(&same) == UINT64_MAX);
    assert_true(orr_rng_unit(&rng) == 1 - 0x1p-53);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rng_next_known_state_gives_published_numbers),
        cmocka_unit_test(test_rng_init_same_seed_gives_same_numbers),
        cmocka_unit_test(test_rng_init_streams_and_seeds_differ),
        cmocka_unit_test(test_rng_init_seed_zero_is_usable),
        cmocka_unit_test(test_rng_below_one_is_zero),
        cmocka_unit_test(test_rng_below_six_is_uniform),
        cmocka_unit_test(test_rng_below_large_bound_has_no_bias),
        cmocka_unit_test(test_rng_below_largest_bound_terminates),
        cmocka_unit_test(test_rng_unit_is_at_least_zero_and_below_one),
        cmocka_unit_test(test_rng_unit_largest_number_is_below_one)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
