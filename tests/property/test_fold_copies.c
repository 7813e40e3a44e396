/* Task graphs of alike groups give the same results to the picosecond and the byte three ways: one
 * group simulated for all, every NPU simulated, and as the plain graph with all tasks written out.
 * Random graphs, with few different times and sizes so that much happens in the same instant, and
 * with every way to do all-reduces; what cannot be folded says why. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/arena.h"
#include "core/rng.h"
#include "tests/property/copied_tasks.h"
#include "tests/property/fold_runs.h"
#include "workload/taskgraph/tg_graph.h"

enum { CASES = 600, LONG_CASES = 20000 };

/* ---- runs ---- */

static struct fold_way way_of(uint64_t seed)
{
    static const char *const kinds[] = {"ring_stream",
                                        "ring",
                                        "ring_stream",
                                        "ring",
                                        "ring_stream",
                                        "ring",
                                        "bidirectional_ring_stream",
                                        "pipelined_ring",
                                        "parameter_server",
                                        "hierarchical:2",
                                        "hierarchical:4,inner=10GB/s"};
    struct orr_rng rng;
    orr_rng_init(&rng, seed, 24);
    return (struct fold_way){.fabric = "ideal-switch",
                             .all_reduce = kinds[orr_rng_below(&rng, sizeof kinds / sizeof *kinds)],
                             .shares = orr_rng_below(&rng, 8) == 0 ? ORR_SHARES_WINDOWS
                                                                   : ORR_SHARES_MAXMIN,
                             .latency_ps = orr_rng_below(&rng, 3) == 0 ? 0 : ORR_PS_PER_US,
                             .setup_ps = orr_rng_below(&rng, 4) == 0 ? 3 * ORR_PS_PER_US : 0};
}

/* ---- cases ---- */

/* Whether one was folded; counts those that differ. */
static bool check(uint64_t seed, unsigned *wrong)
{
    struct orr_arena *arena = orr_arena_create();
    struct orr_diag diag;
    struct tg_graph graph, plain;
    static struct fold_outcome folded, whole, written_out;
    const struct fold_way way = way_of(seed);
    orr_diag_init(&diag);
    copied_tasks(arena, seed, &graph);
    assert_int_equal(orr_tg_expand(arena, &graph, &plain, &diag), ORR_OK);
    fold_run(&graph, &way, true, &folded);
    fold_run(&graph, &way, false, &whole);
    fold_run(&plain, &way, true, &written_out);
    assert_false(whole.folded);
    assert_false(written_out.folded);
    if (!fold_same(&whole, &folded)) {
        fold_tell(seed, &way, "every NPU, and folded", &whole, &folded);
        ++*wrong;
    }
    if (!fold_same(&written_out, &whole)) {
        fold_tell(seed, &way, "written out, and groups", &written_out, &whole);
        ++*wrong;
    }
    if (!folded.folded && folded.reason[0] == '\0') {
        print_message("seed %" PRIu64 ": not folded, without a reason\n", seed);
        ++*wrong;
    }
    const bool was_folded = folded.folded;
    orr_arena_destroy(arena);
    return was_folded;
}

static void test_groups_give_the_same_three_ways(void **state)
{
    (void)state;
    const bool many = getenv("ORRERY_LONG") != NULL;
    const uint64_t cases = many ? LONG_CASES : CASES;
    unsigned wrong = 0, folded = 0;
    for (uint64_t seed = 1; seed <= cases && wrong < 10; seed++) {
        folded += check(seed, &wrong);
    }
    assert_int_equal(wrong, 0);
    assert_true(2 * folded > cases);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_groups_give_the_same_three_ways)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
