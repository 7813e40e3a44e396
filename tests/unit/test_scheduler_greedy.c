/* The greedy scheduler's orders and loads against hand calculations. A load is MiB x share of the
 * bytes that are sent / bandwidth, of which the first dimension's is 1. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "system/plan/schedulers.h"

enum { MIB = 1 << 20 };

/* Sizes 4 and 2, bandwidths 1 and 1/2; a third dimension of 8 and 1, when asked for. */
static struct sys_tracker tracker_of(unsigned dims, uint64_t chunk_bytes)
{
    return (struct sys_tracker){.dims = dims,
                                .dim = {{.index = 0, .n = 4, .bytes_per_s = 100e9},
                                        {.index = 1, .n = 2, .bytes_per_s = 50e9},
                                        {.index = 2, .n = 8, .bytes_per_s = 100e9}},
                                .rank = {0, 1, 2},
                                .chunk_bytes = chunk_bytes};
}

static void assert_next(struct sys_tracker *tracker, enum coll_kind kind, const unsigned *order,
                        const double *loads)
{
    unsigned actual[SYS_MAX_DIMS];
    orr_sys_scheduler_find("greedy")->order(tracker, kind, tracker->chunk_bytes, actual);
    for (unsigned i = 0; i < tracker->dims; i++) {
        assert_int_equal(actual[i], order[i]);
        assert_true(tracker->dim[i].load_s == loads[i]);
    }
}

#define NEXT(tracker, kind, order, ...)                                                            \
    assert_next(&(tracker), (kind), order, (const double[]){__VA_ARGS__})

static const unsigned up[] = {0, 1, 2}, down[] = {1, 0};

/* Chunks of 8 MiB. Up: 8 x 3/4 = 6 and 2 x 1/2 / 1/2 = 2. Down: 8 x 1/2 / 1/2 = 8 and 4 x 3/4 = 3.
 * After the first, the difference of 4 is 4 x 1/2 / 1/2 = 4 MiB on dimension 1: more than 8 / 16.
 */
static void test_greedy_all_reduce_goes_to_the_least_loaded(void **state)
{
    (void)state;
    struct sys_tracker tracker = tracker_of(2, 8 * MIB);
    NEXT(tracker, COLL_ALL_REDUCE, up, 6, 2);
    NEXT(tracker, COLL_ALL_REDUCE, down, 9, 10);
    NEXT(tracker, COLL_REDUCE_SCATTER, up, 15, 12);
    NEXT(tracker, COLL_ALL_REDUCE, down, 18, 20);
}

/* Loads of 2 and L: L - 2 is as much MiB on dimension 1 (x 1/2 / 1/2); below 1/2 of them, a
 * sixteenth of the chunk, the order is ascending. */
static void test_greedy_below_a_sixteenth_is_ascending(void **state)
{
    (void)state;
    struct sys_tracker tracker = tracker_of(2, 8 * MIB);
    tracker.dim[0].load_s = 2.5;
    tracker.dim[1].load_s = 2;
    NEXT(tracker, COLL_REDUCE_SCATTER, down, 5.5, 10);
    tracker = tracker_of(2, 8 * MIB);
    tracker.dim[0].load_s = 2.4375;
    tracker.dim[1].load_s = 2;
    NEXT(tracker, COLL_REDUCE_SCATTER, up, 8.4375, 4);
}

/* Chunks of 1 MiB. Level: ascending, 1 x 3 = 3 and 4 x 1 / 1/2 = 8, which go to the dimensions
 * in descending order. Then dimension 0 has 5 more, which are 5 x 1/2 = 2.5 MiB on dimension 1 and
 * 2.5 / 4 at the start, more than 1/16: the most loaded first. Then both have 11: level. */
static void test_greedy_all_gather_level_loads_the_wrong_dimensions(void **state)
{
    (void)state;
    struct sys_tracker tracker = tracker_of(2, MIB);
    NEXT(tracker, COLL_ALL_GATHER, up, 8, 3);
    NEXT(tracker, COLL_ALL_GATHER, up, 11, 11);
    NEXT(tracker, COLL_ALL_GATHER, up, 19, 14);
    tracker.dim[1].load_s = 30;
    NEXT(tracker, COLL_ALL_GATHER, down, 25, 32);
}

/* Of equal loads the order of the chunk before counts: an all-gather leaves 1 before 0, and so do
 * loads of 7 and 7 for a reduce-scatter of 8 bytes, whose sixteenth is no byte: never level. */
static void test_greedy_equal_loads_keep_the_last_ranking(void **state)
{
    (void)state;
    struct sys_tracker tracker = tracker_of(2, MIB);
    NEXT(tracker, COLL_ALL_GATHER, up, 8, 3);
    tracker.dim[0].load_s = tracker.dim[1].load_s = 7;
    tracker.chunk_bytes = 8;
    NEXT(tracker, COLL_REDUCE_SCATTER, down, 7 + 4.0 * 3 / 4 / MIB, 7 + 8.0 / MIB);
}

/* An idle dimension keeps its load, and its place in the ranking. */
static void test_greedy_idle_dimensions_get_no_load(void **state)
{
    (void)state;
    static const unsigned order[] = {1, 0, 2};
    struct sys_tracker tracker = tracker_of(3, 8 * MIB);
    tracker.dim[2].idle = true;
    tracker.dim[2].load_s = 7;
    tracker.dim[0].load_s = 4;
    NEXT(tracker, COLL_ALL_REDUCE, order, 4 + 3, 8, 7);
    tracker.dim[0].idle = tracker.dim[1].idle = true;
    NEXT(tracker, COLL_ALL_REDUCE, up, 7, 8, 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_greedy_all_reduce_goes_to_the_least_loaded),
        cmocka_unit_test(test_greedy_below_a_sixteenth_is_ascending),
        cmocka_unit_test(test_greedy_all_gather_level_loads_the_wrong_dimensions),
        cmocka_unit_test(test_greedy_equal_loads_keep_the_last_ranking),
        cmocka_unit_test(test_greedy_idle_dimensions_get_no_load)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
