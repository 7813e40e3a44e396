/* The programs of uneven collectives, proved by the checker: random sizes, a third of them zero. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/arena.h"
#include "core/diag.h"
#include "system/collectives/checker.h"
#include "tests/unit/algorithms_fixture.h"

struct sizes {
    uint64_t seed;
};

static uint64_t size_of(const void *context, uint32_t source, uint32_t block)
{
    const struct sizes *sizes = context;
    uint64_t z = sizes->seed * UINT64_C(0x9e3779b97f4a7c15) + source * UINT64_C(0x1000193) + block;
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z ^= z >> 29;
    return z % 3 == 0 ? 0 : z % 1000;
}

/* All-gathers and reduce-scatters have one size for each block, whoever asks. */
static uint64_t part_of(const void *context, uint32_t source, uint32_t block)
{
    (void)source;
    return size_of(context, 0, block);
}

static void prove(struct orr_arena *arena, const struct coll_algorithm *algorithm,
                  enum coll_kind kind, uint32_t n)
{
    for (uint64_t seed = 0; seed < 6; seed++) {
        const struct sizes sizes = {.seed = seed + n};
        const struct coll_args args = {.kind = kind,
                                       .n = n,
                                       .window = algorithm->windowed ? (uint32_t)(seed % 3) : 0,
                                       .bytes = 1,
                                       .size = kind == COLL_ALL_TO_ALL ? size_of : part_of,
                                       .size_context = &sizes};
        struct orr_diag diag;
        orr_diag_init(&diag);
        orr_arena_reset(arena);
        if (orr_coll_check(algorithm, &args, seed, arena, &diag) != ORR_OK) {
            fail_msg("%s", diag.message);
        }
    }
}

static void test_uneven_programs_are_proved(void **state)
{
    static const enum coll_kind kinds[] = {COLL_ALL_TO_ALL, COLL_ALL_GATHER, COLL_REDUCE_SCATTER};
    unsigned proved = 0;
    for (size_t i = 0; orr_coll_algorithms[i] != NULL; i++) {
        for (size_t k = 0; k < 3 && orr_coll_algorithms[i]->uneven; k++) {
            for (uint32_t n = 1; n <= 17; n++) {
                prove(*state, orr_coll_algorithms[i], kinds[k], n);
            }
            proved++;
        }
    }
    assert_int_equal(proved, 4 * 3); /* direct, pairwise and two rings */
}

static void test_other_programs_cannot_be_uneven(void **state)
{
    const struct sizes sizes = {.seed = 1};
    struct coll_args args = {
        .kind = COLL_ALL_REDUCE, .n = 4, .bytes = 64, .size = size_of, .size_context = &sizes};
    struct orr_diag diag;
    orr_diag_init(&diag);
    assert_int_equal(orr_coll_check(&orr_coll_direct, &args, 0, *state, &diag), ORR_ERR_INPUT);
    args.kind = COLL_ALL_TO_ALL;
    assert_int_equal(orr_coll_check(&orr_coll_halving_doubling, &args, 0, *state, &diag),
                     ORR_ERR_INPUT);
}

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_uneven_programs_are_proved),
        cmocka_unit_test(test_other_programs_cannot_be_uneven),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
