/* Rings for demands, and what keeps servers together, against sums by hand. */
#include "finder_fixture.h"

/* ---- rings ---- */

static void test_find_one_group_of_all_takes_the_degree(void **state)
{
    struct fixture *f = *state;
    ask(f, 16, 3, NET_ONE_WAY);
    reduce(f, 0, 1, 16, 1000);
    find(f);
    assert_int_equal(f->found.reduce_bytes, 30000); /* 2 x 15 x 1000 */
    assert_int_equal(f->found.ring_degree, 3);
    assert_int_equal(f->found.classes, 1);
    EXPECT_JUMPS(&f->found.of[0], 1, 3, 7);
    assert_int_equal(f->found.layers, 3);
    assert_int_equal(f->found.rings, 3);
    EXPECT_RING(&f->found.ring[1], 0, 3, 6, 9, 12, 15, 2, 5, 8, 11, 14, 1, 4, 7, 10, 13);
    assert_int_equal(f->found.idle, 0);
}

static void test_find_duplex_has_rings_both_ways(void **state)
{
    struct fixture *f = *state;
    ask(f, 8, 5, NET_DUPLEX);
    reduce(f, 0, 1, 8, 1000);
    find(f);
    /* 5 interfaces are for rings: 4 of them, since rings take two */
    assert_int_equal(f->found.ring_degree, 4);
    EXPECT_JUMPS(&f->found.of[0], 1, 3);
    assert_int_equal(f->found.rings, 4);
    EXPECT_RING(&f->found.ring[0], 0, 1, 2, 3, 4, 5, 6, 7);
    EXPECT_RING(&f->found.ring[1], 0, 7, 6, 5, 4, 3, 2, 1);
    EXPECT_RING(&f->found.ring[3], 0, 5, 2, 7, 4, 1, 6, 3);
    assert_int_equal(f->found.idle, 8);
}

static void test_find_given_jumps_are_taken(void **state)
{
    static const uint32_t published[] = {1, 13};
    struct fixture *f = *state;
    ask(f, 128, 4, NET_DUPLEX);
    f->options.all = (struct net_jumps){published, 2};
    reduce(f, 0, 1, 128, 1000);
    find(f);
    EXPECT_JUMPS(&f->found.of[0], 1, 13);
}

static void test_find_equal_groups_are_one(void **state)
{
    struct fixture *f = *state;
    ask(f, 8, 2, NET_ONE_WAY);
    reduce(f, 0, 1, 8, 1000);
    reduce(f, 0, 1, 8, 500);
    find(f);
    assert_int_equal(f->found.groups, 1);
    assert_int_equal(f->found.group[0].bytes, 1500);
    assert_int_equal(f->found.rings, 2);
}

/* Rows and columns of a square of servers. */
static void test_find_groups_of_a_stride_share_jumps(void **state)
{
    struct fixture *f = *state;
    ask(f, 16, 4, NET_ONE_WAY);
    for (uint32_t i = 0; i < 4; i++) {
        reduce(f, i, 4, 4, 50);
        reduce(f, 4 * i, 1, 4, 100);
    }
    find(f);
    /* rows 4 x 6 x 100 of 3600: ceil(4 x 2/3) = 3, but there are two jumps; columns ceil(4 / 3) = 2
     * of the two that are left */
    assert_int_equal(f->found.classes, 2);
    assert_int_equal(f->found.of[0].wire_bytes, 2400);
    assert_int_equal(f->found.of[0].stride, 1);
    assert_int_equal(f->found.of[0].degree, 2);
    EXPECT_JUMPS(&f->found.of[0], 1, 3);
    assert_int_equal(f->found.of[1].stride, 4);
    EXPECT_JUMPS(&f->found.of[1], 1, 3);
    assert_int_equal(f->found.layers, 4);
    assert_int_equal(f->found.layer[0].links, 16);
    assert_int_equal(f->found.rings, 16);
    assert_int_equal(f->found.idle, 0);
}

static void test_find_groups_that_overlap_do_not_share(void **state)
{
    struct fixture *f = *state;
    ask(f, 8, 4, NET_ONE_WAY);
    reduce(f, 0, 1, 3, 100);
    reduce(f, 2, 1, 3, 100);
    reduce(f, 4, 1, 3, 100);
    find(f);
    assert_int_equal(f->found.classes, 2); /* 0 and 4; 2 */
    assert_int_equal(f->found.of[0].groups, 2);
    assert_int_equal(f->found.of[1].groups, 1);
}

/* The share is one of the first d_A: 0.4 of 5 are 2, 0.4 are 2, and 1 is left. */
static void test_find_shares_are_of_the_first_degree(void **state)
{
    struct fixture *f = *state;
    ask(f, 16, 5, NET_ONE_WAY);
    reduce(f, 0, 1, 16, 400); /* x 30 = 12000 */
    reduce(f, 0, 2, 8, 857);  /* x 14 = 11998 */
    reduce(f, 0, 4, 4, 1000); /* x 6 = 6000 */
    find(f);
    assert_int_equal(f->found.of[0].degree, 3); /* ceil(5 x 12000 / 29998) */
    assert_int_equal(f->found.of[1].degree, 2);
    assert_int_equal(f->found.of[2].degree, 0);
}

/* 3, 2 and 7 coins lead from 3 to 0 of {0, 1, 2, 3}: 13 = 1 + 3 + 3 + 3 + 3. */
static void test_find_groups_without_degree_use_coins(void **state)
{
    struct fixture *f = *state;
    ask(f, 16, 2, NET_ONE_WAY);
    reduce(f, 0, 1, 16, 100000);
    reduce(f, 0, 1, 4, 1);
    find(f);
    EXPECT_JUMPS(&f->found.of[0], 1, 3);
    assert_int_equal(f->found.of[1].jumps.jumps, 0);
    assert_int_equal(f->found.rings, 3);
    const struct finder_ring *ring = &f->found.ring[0]; /* of the smaller group */
    EXPECT_RING(ring, 0, 1, 2, 3);
    assert_int_equal(ring->first_between[3], 0);
    assert_int_equal(ring->first_between[4], 4);
    assert_int_equal(ring->between[0], 4); /* coin 1 first: 3 comes last in order */
    assert_int_equal(ring->between[1], 7);
    assert_int_equal(ring->between[3], 13);
}

static void test_find_nothing_reduced_nothing_sent_lays_rings(void **state)
{
    struct fixture *f = *state;
    ask(f, 12, 4, NET_ONE_WAY);
    f->demand.transfers = NULL;
    find(f);
    assert_int_equal(f->found.layers, 4);
    assert_int_equal(f->found.layer[1].kind, FINDER_CONNECTION);
    assert_int_equal(f->found.layer[2].jump, 11); /* 1, 5, 11, 7 */
    assert_int_equal(f->found.idle, 0);
}

static void test_find_two_servers_have_one_cable_a_jump(void **state)
{
    struct fixture *f = *state;
    ask(f, 2, 1, NET_DUPLEX);
    reduce(f, 0, 1, 2, 100);
    find(f);
    assert_int_equal(f->found.layers, 1);
    assert_int_equal(f->found.layer[0].links, 1);
    assert_int_equal(f->found.rings, 1);
    assert_int_equal(f->found.idle, 0);
}

/* Of 12 servers 1 and 5 make duplex rings: 4 of 8 interfaces; 1 takes 2 more, and 5, and 2 servers
 * have 4 cables. */
static void test_find_idle_interfaces_take_rings_again(void **state)
{
    struct fixture *f = *state;
    ask(f, 12, 8, NET_DUPLEX);
    reduce(f, 0, 1, 12, 1000);
    find(f);
    EXPECT_JUMPS(&f->found.of[0], 1, 5, 1, 5);
    assert_int_equal(f->found.of[0].degree, 8);
    assert_int_equal(f->found.rings, 8);
    assert_int_equal(f->found.idle, 0);
    f->options.leave_idle = true;
    find(f);
    EXPECT_JUMPS(&f->found.of[0], 1, 5);
    assert_int_equal(f->found.idle, 48);
}

/* One interface is for cables, but nothing is sent between servers that could have it: pair 0 4 of
 * 1200 bytes. Of all others the ring of +1 and its like get what is left, if all have it: none. */
static void test_find_idle_interfaces_of_some_stay_idle(void **state)
{
    struct fixture *f = *state;
    ask(f, 8, 4, NET_ONE_WAY);
    reduce(f, 0, 1, 8, 1000);
    reduce(f, 1, 1, 3, 10);
    send(f, 0, 4, 7000);
    find(f);
    assert_int_equal(f->found.ring_degree, 3);
    assert_int_equal(f->found.of[0].degree, 3);
    /* 1, 2 and 3 have one left each: a ring of their own */
    EXPECT_JUMPS(&f->found.of[1], 1);
    assert_int_equal(f->found.idle, 3);
}

/* ---- connectivity ---- */

static void test_find_what_falls_apart_gets_a_ring_of_all(void **state)
{
    struct fixture *f = *state;
    ask(f, 8, 2, NET_ONE_WAY);
    reduce(f, 0, 1, 4, 100);
    reduce(f, 4, 1, 4, 100);
    find(f);
    assert_int_equal(f->found.removed_jumps, 1);
    EXPECT_JUMPS(&f->found.of[0], 1);
    assert_int_equal(f->found.layers, 2);
    assert_int_equal(f->found.layer[1].kind, FINDER_CONNECTION);
    assert_int_equal(f->found.layer[1].links, 8);
    assert_int_equal(f->found.idle, 0);
}

static void test_find_matchings_may_join_what_rings_do_not(void **state)
{
    struct fixture *f = *state;
    ask(f, 8, 2, NET_ONE_WAY);
    reduce(f, 0, 1, 4, 100);
    reduce(f, 4, 1, 4, 100);
    send(f, 0, 4, 1200); /* as much as is reduced: one interface for each */
    find(f);
    assert_int_equal(f->found.ring_degree, 1);
    assert_int_equal(f->found.removed_jumps, 0);
    assert_int_equal(f->found.layers, 2);
    assert_int_equal(f->found.layer[1].kind, FINDER_MATCHING);
}

static void test_find_a_ring_of_all_takes_the_only_degree(void **state)
{
    struct fixture *f = *state;
    ask(f, 8, 1, NET_ONE_WAY);
    reduce(f, 2, 1, 4, 100);
    find(f);
    assert_int_equal(f->found.removed_jumps, 1);
    assert_int_equal(f->found.layers, 1);
    assert_int_equal(f->found.rings, 1);
    EXPECT_RING(&f->found.ring[0], 2, 3, 4, 5);
    assert_int_equal(f->found.ring[0].first_between[4], 4); /* 5, 6, 7, 0, 1, 2 */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_find_one_group_of_all_takes_the_degree),
        TEST(test_find_duplex_has_rings_both_ways),
        TEST(test_find_given_jumps_are_taken),
        TEST(test_find_equal_groups_are_one),
        TEST(test_find_groups_of_a_stride_share_jumps),
        TEST(test_find_groups_that_overlap_do_not_share),
        TEST(test_find_shares_are_of_the_first_degree),
        TEST(test_find_groups_without_degree_use_coins),
        TEST(test_find_nothing_reduced_nothing_sent_lays_rings),
        TEST(test_find_two_servers_have_one_cable_a_jump),
        TEST(test_find_idle_interfaces_take_rings_again),
        TEST(test_find_idle_interfaces_of_some_stay_idle),
        TEST(test_find_what_falls_apart_gets_a_ring_of_all),
        TEST(test_find_matchings_may_join_what_rings_do_not),
        TEST(test_find_a_ring_of_all_takes_the_only_degree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
