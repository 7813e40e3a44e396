/* How many links are in use over time (network/link_utilization.h): steps that become longer keep
 * what was in use. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/arena.h"
#include "network/link_utilization.h"

static double links[NET_USE_STEPS];

static void assert_near(double found, double expected)
{
    if (found < expected - 1e-9 || found > expected + 1e-9) {
        fail_msg("%.12g, expected %.12g", found, expected);
    }
}

/* One link from 0 to 10 ps, two from 5 to 7 ps beside it: 1 1 1 1 1 3 3 1 1 1. */
static void test_link_use_of_short_times_is_exact(void **state)
{
    static const double expected[] = {1, 1, 1, 1, 1, 3, 3, 1, 1, 1};
    struct orr_arena *arena = orr_arena_create();
    struct net_link_utilization *use = orr_net_link_utilization_create(arena, 2);
    (void)state;
    orr_net_link_utilization_add(use, 1, 0, 10, 10);
    orr_net_link_utilization_add(use, 1, 5, 7, 4);
    assert_int_equal(orr_net_link_utilization_step_ps(use), 1);
    assert_int_equal(orr_net_link_utilization_steps(use), 10);
    orr_net_link_utilization_read(use, 1, links);
    for (size_t i = 0; i < 10; i++) {
        assert_near(links[i], expected[i]);
    }
    orr_net_link_utilization_read(use, 0, links);
    assert_near(links[5], 0);
    orr_arena_destroy(arena);
}

/* 4096 steps of 1 ps reach 4096 ps. Something that ends at 16384 ps makes them 4 ps long: the first
 * 10 ps are then steps of 4, 4 and 2 ps, and half a link from 8192 to 16384 ps is 0.5 in each of
 * the last 2048 steps. */
static void test_link_use_of_longer_times_has_longer_steps(void **state)
{
    struct orr_arena *arena = orr_arena_create();
    struct net_link_utilization *use = orr_net_link_utilization_create(arena, 1);
    double sum = 0;
    (void)state;
    orr_net_link_utilization_add(use, 0, 0, 10, 10);
    orr_net_link_utilization_add(use, 0, 8192, 16384, 4096);
    assert_int_equal(orr_net_link_utilization_step_ps(use), 4);
    assert_int_equal(orr_net_link_utilization_steps(use), 4096);
    orr_net_link_utilization_read(use, 0, links);
    assert_near(links[0], 1);
    assert_near(links[1], 1);
    assert_near(links[2], 0.5);
    assert_near(links[3], 0);
    assert_near(links[2047], 0);
    assert_near(links[2048], 0.5);
    assert_near(links[4095], 0.5);
    for (size_t i = 0; i < NET_USE_STEPS; i++) {
        sum += 4 * links[i];
    }
    assert_near(sum, 10 + 4096);
    orr_arena_destroy(arena);
}

/* What a train of messages takes back when it is interrupted leaves nothing. */
static void test_link_use_that_is_taken_back_is_none(void **state)
{
    struct orr_arena *arena = orr_arena_create();
    struct net_link_utilization *use = orr_net_link_utilization_create(arena, 1);
    (void)state;
    for (sim_time k = 0; k < 100; k++) {
        orr_net_link_utilization_add(use, 0, 70 * k, 70 * k + 50, 50);
    }
    for (sim_time k = 3; k < 100; k++) {
        orr_net_link_utilization_add(use, 0, 70 * k, 70 * k + 50, -50);
    }
    orr_net_link_utilization_read(use, 0, links);
    double sum = 0;
    for (size_t i = 0; i < NET_USE_STEPS; i++) {
        sum += links[i] * (double)orr_net_link_utilization_step_ps(use);
    }
    assert_near(sum, 3 * 50);
    orr_arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_link_use_of_short_times_is_exact),
        cmocka_unit_test(test_link_use_of_longer_times_has_longer_steps),
        cmocka_unit_test(test_link_use_that_is_taken_back_is_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
