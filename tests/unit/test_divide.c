/* Division by multiplication equals division, at the edges of every divisor and at random. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/divide.h"
#include "core/rng.h"

static void check(uint32_t by, uint32_t number)
{
    const struct orr_divisor divisor = orr_divisor_of(by);
    if (orr_quotient(divisor, number) != number / by ||
        orr_remainder(divisor, number) != number % by) {
        fail_msg("%u / %u: quotient %u, remainder %u", number, by, orr_quotient(divisor, number),
                 orr_remainder(divisor, number));
    }
}

/* Where a quotient changes: multiples of the divisor and their neighbours. */
static void check_edges(uint32_t by)
{
    const uint64_t max = UINT32_MAX / by;
    const uint64_t multiples[] = {0, 1, 2, max / 2, max - (max != 0), max};
    for (size_t i = 0; i < sizeof multiples / sizeof *multiples; i++) {
        const uint64_t at = multiples[i] * by;
        check(by, (uint32_t)at);
        check(by, (uint32_t)(at != 0 ? at - 1 : 0));
        check(by, (uint32_t)(at < UINT32_MAX ? at + 1 : at));
    }
    check(by, UINT32_MAX);
}

static void test_quotient_at_the_edges_is_exact(void **state)
{
    (void)state;
    for (uint32_t by = 1; by < 70000; by++) {
        check_edges(by);
    }
    for (unsigned bit = 1; bit < 32; bit++) {
        check_edges((UINT32_C(1) << bit) - 1);
        check_edges(UINT32_C(1) << bit);
        check_edges((UINT32_C(1) << bit) + 1);
    }
    check_edges(UINT32_MAX);
}

static void test_quotient_of_random_numbers_is_exact(void **state)
{
    (void)state;
    struct orr_rng rng;
    orr_rng_init(&rng, 1, 0);
    for (unsigned i = 0; i < 1000000; i++) {
        const uint32_t by = (uint32_t)(orr_rng_next(&rng) >> (32 + orr_rng_below(&rng, 32)));
        check(by != 0 ? by : 1, (uint32_t)orr_rng_next(&rng));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_quotient_at_the_edges_is_exact),
        cmocka_unit_test(test_quotient_of_random_numbers_is_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
