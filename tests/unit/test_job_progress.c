/* Where a job is whose pace changes: by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/arena.h"
#include "sim/cluster/queue.h"
#include "study/cluster/job_progress.h"

static const sim_time ten[3] = {10, 11, 12};
static const struct orr_iteration_times fast = {.sample = ten, .samples = 3, .mean_ps = 11};
static const sim_time thirty[1] = {33};
static const struct orr_iteration_times slow = {.sample = thirty, .samples = 1, .mean_ps = 33};

static struct orr_progress of(struct orr_arena *arena, uint64_t iterations)
{
    return (struct orr_progress){.arena = arena, .iterations = iterations};
}

static void expect_span(const struct orr_progress *job, size_t i, sim_time time, uint64_t count)
{
    assert_true(i < job->spans);
    assert_int_equal(job->span[i].iteration_ps, time);
    assert_int_equal(job->span[i].count, count);
}

/* Two of three samples: the simulated times. */
static void test_within_the_sample_times_are_the_samples(void **state)
{
    struct orr_arena *arena = orr_arena_create();
    struct orr_progress job = of(arena, 2);
    (void)state;
    orr_progress_set_times(&job, &fast, 100);
    assert_int_equal(orr_progress_end(&job), 121);
    orr_progress_advance(&job, 121);
    expect_span(&job, 0, 10, 1);
    expect_span(&job, 1, 11, 1);
    assert_int_equal(job.done, 2);
    orr_arena_destroy(arena);
}

/* 10 + 11 + 12, then 997 of the mean, 11. */
static void test_beyond_the_sample_times_are_the_mean(void **state)
{
    struct orr_arena *arena = orr_arena_create();
    struct orr_progress job = of(arena, 1000);
    (void)state;
    orr_progress_set_times(&job, &fast, 0);
    assert_int_equal(orr_progress_end(&job), 33 + 997 * 11);
    orr_progress_advance(&job, 33 + 997 * 11);
    assert_int_equal(job.spans, 4);
    expect_span(&job, 3, 11, 997);
    orr_arena_destroy(arena);
}

/* At 43: 10 + 11 + 12, then 10 of 11, of which 1 / 11 is left: 3 of 33, 13 in all; then one of 33;
 * at 80, after 1 of 33, back: 32 / 33 of 11 are 10.67, which rounds to 11: 12 in all. */
static void test_what_a_change_interrupts_goes_on_with_the_share_that_is_left(void **state)
{
    struct orr_arena *arena = orr_arena_create();
    struct orr_progress job = of(arena, 7);
    (void)state;
    orr_progress_set_times(&job, &fast, 0);
    orr_progress_advance(&job, 43);
    orr_progress_set_times(&job, &slow, 43);
    assert_int_equal(job.left_ps, 3);
    assert_int_equal(orr_progress_end(&job), 46 + 3 * 33);
    orr_progress_advance(&job, 80);
    assert_int_equal(job.done, 5);
    orr_progress_set_times(&job, &fast, 80);
    assert_int_equal(job.left_ps, 11);
    assert_int_equal(orr_progress_end(&job), 80 + 11 + 11);
    orr_progress_advance(&job, 102);
    expect_span(&job, 3, 13, 1);
    expect_span(&job, 4, 33, 1);
    expect_span(&job, 5, 12, 1);
    expect_span(&job, 6, 11, 1);
    orr_arena_destroy(arena);
}

/* A change between two iterations, and one before the first. */
static void test_a_change_at_an_end_leaves_whole_iterations(void **state)
{
    struct orr_arena *arena = orr_arena_create();
    struct orr_progress job = of(arena, 3);
    (void)state;
    orr_progress_set_times(&job, &slow, 0);
    orr_progress_set_times(&job, &fast, 0);
    orr_progress_advance(&job, 10);
    assert_int_equal(job.done, 1);
    orr_progress_set_times(&job, &slow, 10);
    assert_int_equal(orr_progress_end(&job), 76);
    orr_arena_destroy(arena);
}

/* Iterations that take no time, and more time than there is. */
static void test_extremes_end(void **state)
{
    static const sim_time nothing[1] = {0};
    const struct orr_iteration_times none = {.sample = nothing, .samples = 1, .mean_ps = 0};
    const struct orr_iteration_times ages = {
        .sample = ten, .samples = 1, .mean_ps = ORR_TIME_MAX / 10};
    struct orr_arena *arena = orr_arena_create();
    struct orr_progress job = of(arena, 1000000), other = of(arena, 1000000);
    (void)state;
    orr_progress_set_times(&job, &none, 5);
    assert_int_equal(orr_progress_end(&job), 5);
    orr_progress_advance(&job, 5);
    assert_int_equal(job.done, 1000000);
    orr_progress_set_times(&other, &ages, 5);
    assert_int_equal(orr_progress_end(&other), ORR_TIME_MAX);
    orr_arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_within_the_sample_times_are_the_samples),
        cmocka_unit_test(test_beyond_the_sample_times_are_the_mean),
        cmocka_unit_test(test_what_a_change_interrupts_goes_on_with_the_share_that_is_left),
        cmocka_unit_test(test_a_change_at_an_end_leaves_whole_iterations),
        cmocka_unit_test(test_extremes_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
