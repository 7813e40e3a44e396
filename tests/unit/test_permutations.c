/* Jumps of rings, those that are selected, and ways over them, against TopoOpt's worked examples
 * and its Theorem 1. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "core/arena.h"
#include "network/permutations/permutations.h"

struct list {
    uint32_t jumps, jump[16];
};
#define LIST(...)                                                                                  \
    ((struct list){.jumps = sizeof((uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t),                  \
                   .jump = {__VA_ARGS__}})

static void expect(const struct net_jumps *got, struct list list)
{
    assert_int_equal(got->jumps, list.jumps);
    for (uint32_t i = 0; i < list.jumps; i++) {
        assert_int_equal(got->jump[i], list.jump[i]);
    }
}

static void expect_totient(uint32_t k, enum net_cables links, bool primes, struct list list)
{
    struct orr_arena *arena = orr_arena_create();
    struct net_jumps got;
    assert_true(orr_net_totient_perms(arena, k, links, primes, &got));
    expect(&got, list);
    orr_arena_destroy(arena);
}

static void test_totient_perms_have_no_divisor_with_the_members(void **state)
{
    (void)state;
    expect_totient(12, NET_ONE_WAY, false, LIST(1, 5, 7, 11));
    expect_totient(16, NET_ONE_WAY, false, LIST(1, 3, 5, 7, 9, 11, 13, 15));
    expect_totient(2, NET_ONE_WAY, false, LIST(1));
    expect_totient(3, NET_ONE_WAY, false, LIST(1, 2));
}

static void test_totient_perms_of_duplex_links_go_half_around(void **state)
{
    (void)state;
    expect_totient(8, NET_DUPLEX, false, LIST(1, 3));
    expect_totient(12, NET_DUPLEX, false, LIST(1, 5));
    expect_totient(2, NET_DUPLEX, false, LIST(1));
    expect_totient(3, NET_DUPLEX, false, LIST(1));
}

static void test_totient_perms_of_primes_leave_products_out(void **state)
{
    (void)state;
    expect_totient(16, NET_ONE_WAY, true, LIST(1, 3, 5, 7, 11, 13));
}

static void test_totient_perms_of_many_members_are_primes(void **state)
{
    struct orr_arena *arena = orr_arena_create();
    struct net_jumps got;
    (void)state;
    /* 2048 odd numbers below 4096; 564 primes below 4098, without its divisors 2, 3 and 683 and
     * with 1: 562 */
    assert_true(orr_net_totient_perms(arena, 4096, NET_ONE_WAY, false, &got));
    assert_int_equal(got.jumps, 2048);
    assert_true(orr_net_totient_perms(arena, 4098, NET_ONE_WAY, false, &got));
    assert_int_equal(got.jumps, 562);
    assert_int_equal(got.jump[1], 5);
    orr_arena_destroy(arena);
}

/* ---- selection ---- */

static struct net_jumps select_of(struct orr_arena *arena, const struct net_jump_choice *choice)
{
    struct net_jumps from, got;
    assert_true(orr_net_totient_perms(arena, choice->positions, choice->links, false, &from));
    assert_true(orr_net_select(arena, &from, choice, &got));
    return got;
}

static struct net_coin_metrics figures_of(struct orr_arena *arena, uint32_t positions,
                                          enum net_cables links, const struct net_jumps *jumps)
{
    struct net_jumps coins;
    struct net_coins ways;
    assert_true(orr_net_coins_of(arena, positions, links, jumps, &coins));
    assert_true(orr_net_coin_change(arena, positions, &coins, &ways));
    return orr_net_coin_metrics(&ways);
}

static struct net_jump_choice choose(uint32_t n, uint32_t wanted, enum net_cables links,
                                     enum net_select select)
{
    return (struct net_jump_choice){n, n, wanted, links, select};
}

struct expected {
    struct list jumps;
    double mean_path; /* to three digits */
    uint32_t diameter;
};

static void expect_selected(struct net_jump_choice choice, struct expected expected)
{
    struct orr_arena *arena = orr_arena_create();
    const struct net_jumps got = select_of(arena, &choice);
    expect(&got, expected.jumps);
    const struct net_coin_metrics figures = figures_of(arena, choice.positions, choice.links, &got);
    assert_true(fabs(figures.mean_path - expected.mean_path) < 0.0005);
    assert_int_equal(figures.diameter, expected.diameter);
    orr_arena_destroy(arena);
}

static void test_select_one_way_is_near_to_a_geometric_sequence(void **state)
{
    const enum net_cables w = NET_ONE_WAY;
    const enum net_select s = NET_GEOMETRIC;
    (void)state;
    expect_selected(choose(12, 2, w, s), (struct expected){LIST(1, 5), 2.727, 5});
    /* 1; 1.86: 5; 9.3: 11; 20.5: 7 */
    expect_selected(choose(12, 4, w, s), (struct expected){LIST(1, 5, 11, 7), 1.818, 3});
    /* 4: 3 and 5 are equally near, the lower is taken */
    expect_selected(choose(16, 2, w, s), (struct expected){LIST(1, 3), 3.333, 6});
    expect_selected(choose(16, 3, w, s), (struct expected){LIST(1, 3, 7), 2.267, 4});
    expect_selected(choose(16, 4, w, s), (struct expected){LIST(1, 3, 5, 9), 2.000, 3});
    expect_selected(choose(128, 2, w, s), (struct expected){LIST(1, 11), 10.299, 20});
    expect_selected(choose(128, 4, w, s), (struct expected){LIST(1, 3, 11, 37), 4.520, 8});
    expect_selected(choose(128, 8, w, s),
                    (struct expected){LIST(1, 3, 5, 9, 17, 31, 57, 105), 3.055, 5});
    expect_selected(choose(432, 4, w, s), (struct expected){LIST(1, 5, 23, 103), 6.803, 12});
}

static void test_select_duplex_has_rings_both_ways(void **state)
{
    const enum net_cables x = NET_DUPLEX;
    const enum net_select s = NET_GEOMETRIC;
    (void)state;
    expect_selected(choose(12, 2, x, s), (struct expected){LIST(1, 5), 1.818, 3});
    expect_selected(choose(16, 2, x, s), (struct expected){LIST(1, 3), 2.133, 4});
    expect_selected(choose(16, 4, x, s), (struct expected){LIST(1, 3, 5, 7), 1.467, 2});
    expect_selected(choose(128, 2, x, s), (struct expected){LIST(1, 11), 5.480, 9});
    expect_selected(choose(128, 4, x, s), (struct expected){LIST(1, 3, 11, 37), 2.929, 5});
    expect_selected(choose(432, 4, x, s), (struct expected){LIST(1, 5, 23, 103), 4.102, 7});
}

static void test_select_more_than_there_are_takes_all(void **state)
{
    (void)state;
    /* 8^(1/8) = 1.3: 3; 3.9: 5; 6.5: 7. One hop to the 4 odd places, two to the 3 even ones. */
    expect_selected(choose(8, 8, NET_ONE_WAY, NET_GEOMETRIC),
                    (struct expected){LIST(1, 3, 5, 7), 10 / 7.0, 2});
    expect_selected(choose(2, 3, NET_DUPLEX, NET_GEOMETRIC), (struct expected){LIST(1), 1.0, 1});
}

static void test_select_geometric_two_reaches_with_log2_of_them(void **state)
{
    (void)state;
    /* 128^(1/8) = 1.8 < 2: 1; 2: 3; 6: 5; 10: 9; 18: 17; 34: 33; 66: 65; then 7, the first left */
    expect_selected(choose(128, 8, NET_ONE_WAY, NET_GEOMETRIC_TWO),
                    (struct expected){LIST(1, 3, 5, 9, 17, 33, 65, 7), 3.197, 6});
    expect_selected(choose(128, 4, NET_ONE_WAY, NET_GEOMETRIC_TWO),
                    (struct expected){LIST(1, 3, 11, 37), 4.520, 8});
}

/* What a search by other means found to be best. */
static void test_select_least_mean_path_finds_the_best(void **state)
{
    const enum net_select s = NET_LEAST_MEAN_PATH;
    (void)state;
    expect_selected(choose(128, 2, NET_DUPLEX, s), (struct expected){LIST(1, 15), 5.354, 8});
    struct orr_arena *arena = orr_arena_create();
    struct net_jump_choice choice = choose(128, 4, NET_DUPLEX, s);
    struct net_jumps got = select_of(arena, &choice);
    assert_true(figures_of(arena, 128, NET_DUPLEX, &got).mean_path < 2.8665);
    choice = choose(128, 4, NET_ONE_WAY, s);
    got = select_of(arena, &choice);
    assert_true(figures_of(arena, 128, NET_ONE_WAY, &got).mean_path < 4.2835);
    /* too many sets to try them all: geometric ones leave 388 hops, exchanges of those 362 */
    choice = choose(128, 8, NET_ONE_WAY, s);
    got = select_of(arena, &choice);
    assert_true(figures_of(arena, 128, NET_ONE_WAY, &got).hops < 362);
    orr_arena_destroy(arena);
}

static void test_select_least_mean_path_of_many_is_no_worse_than_geometric(void **state)
{
    (void)state;
    for (uint32_t n = 100; n <= 900; n += 200) {
        struct orr_arena *arena = orr_arena_create();
        struct net_jump_choice choice = choose(n, 8, NET_ONE_WAY, NET_GEOMETRIC);
        const struct net_jumps near = select_of(arena, &choice);
        choice.select = NET_LEAST_MEAN_PATH;
        const struct net_jumps best = select_of(arena, &choice);
        assert_int_equal(best.jumps, 8);
        assert_true(figures_of(arena, n, NET_ONE_WAY, &best).hops <=
                    figures_of(arena, n, NET_ONE_WAY, &near).hops);
        orr_arena_destroy(arena);
    }
}

/* ---- Theorem 1 ---- */

/* d n^(1/d) where the ratio is at least 2, else 2 log2 n. */
static double bound(uint32_t n, uint32_t d)
{
    const double ratio = pow(n, 1.0 / d);
    return ratio >= 2 ? d * ratio : 2 * log2(n);
}

/* The largest diameter over its bound. */
static double worst_of(enum net_cables links, enum net_select select, double factor)
{
    static const uint32_t degrees[] = {1, 2, 3, 4, 6, 8};
    double worst = 0;
    for (uint32_t n = 4; n <= 512; n++) {
        struct orr_arena *arena = orr_arena_create();
        for (unsigned i = 0; i < sizeof degrees / sizeof *degrees; i++) {
            const struct net_jump_choice choice =
                choose(n, links == NET_DUPLEX ? degrees[i] / 2 : degrees[i], links, select);
            if (choice.wanted == 0 || (links == NET_DUPLEX && degrees[i] % 2 != 0)) {
                continue;
            }
            const struct net_jumps got = select_of(arena, &choice);
            const struct net_coin_metrics figures = figures_of(arena, n, links, &got);
            const double over = figures.diameter / (factor * bound(n, choice.wanted));
            worst = got.jumps == choice.wanted && over > worst ? over : worst;
        }
        orr_arena_destroy(arena);
    }
    return worst;
}

static void test_theorem_1_bounds_the_diameter(void **state)
{
    (void)state;
    /* tightest: n = 512, d = 1, 511 of 512 */
    assert_true(worst_of(NET_ONE_WAY, NET_GEOMETRIC, 1.0) <= 511.0 / 512 + 1e-9);
    assert_true(worst_of(NET_DUPLEX, NET_GEOMETRIC, 0.52) <= 1);
    assert_true(worst_of(NET_ONE_WAY, NET_GEOMETRIC_TWO, 1.0) <= 511.0 / 512 + 1e-9);
    assert_true(worst_of(NET_DUPLEX, NET_GEOMETRIC_TWO, 0.52) <= 1);
}

static void test_theorem_1_is_nearly_reached(void **state)
{
    struct orr_arena *arena = orr_arena_create();
    (void)state;
    static const uint32_t cases[][3] = {{1, 512, 511}, {2, 506, 43}, {3, 504, 22}, {4, 490, 15}};
    for (unsigned i = 0; i < 4; i++) {
        const uint32_t d = cases[i][0], n = cases[i][1];
        const struct net_jump_choice choice = choose(n, d, NET_ONE_WAY, NET_GEOMETRIC);
        const struct net_jumps got = select_of(arena, &choice);
        assert_int_equal(figures_of(arena, n, NET_ONE_WAY, &got).diameter, cases[i][2]);
    }
    orr_arena_destroy(arena);
}

/* ---- coins ---- */

static struct net_coins coins_of(struct orr_arena *arena, uint32_t n, const struct list *list)
{
    const struct net_jumps coins = {list->jump, list->jumps};
    struct net_coins got;
    assert_true(orr_net_coin_change(arena, n, &coins, &got));
    return got;
}

static void expect_hops(uint32_t n, struct list coins, const char *digits)
{
    struct orr_arena *arena = orr_arena_create();
    const struct net_coins got = coins_of(arena, n, &coins);
    assert_int_equal(strlen(digits), n);
    for (uint32_t v = 0; v < n; v++) {
        assert_int_equal(got.hops[v], digits[v] - '0');
    }
    orr_arena_destroy(arena);
}

static void test_coins_are_as_few_as_can_be(void **state)
{
    (void)state;
    expect_hops(16, LIST(1, 3, 7), "0121232123234323");
    expect_hops(16, LIST(1, 5, 11, 15), "0123212343212321");
    expect_hops(12, LIST(1, 5, 7, 11), "012321212321");
}

/* Algorithm 4 as it is written: rounds over all values, whose test an equal result passes too. */
static void write_rounds(uint32_t n, const struct list *coins, uint32_t *hops, uint32_t *last)
{
    enum { NONE = 1000000 };
    uint32_t now[64], next[64];
    for (uint32_t i = 0; i < n; i++) {
        now[i] = NONE;
    }
    for (uint32_t c = 0; c < coins->jumps; c++) {
        now[coins->jump[c]] = 0;
        last[coins->jump[c]] = coins->jump[c];
    }
    for (bool all = false; !all;) {
        all = true;
        for (uint32_t i = 1; i < n; i++) {
            next[i] = now[i];
            for (uint32_t c = 0; c < coins->jumps; c++) {
                const uint32_t before = (i + n - coins->jump[c]) % n;
                if (before != 0 && now[before] < next[i]) {
                    next[i] = now[before] + 1;
                    last[i] = coins->jump[c];
                }
            }
            all = all && next[i] < NONE;
        }
        memcpy(now + 1, next + 1, (n - 1) * sizeof *now);
    }
    for (uint32_t i = 1; i < n; i++) {
        hops[i] = now[i] + 1;
    }
}

static void test_back_trace_is_that_of_algorithm_4(void **state)
{
    static const struct {
        uint32_t n;
        struct list coins;
    } cases[] = {{16, {3, {1, 3, 7}}},        {16, {4, {1, 5, 11, 15}}}, {12, {4, {1, 5, 7, 11}}},
                 {16, {3, {7, 3, 1}}},        {61, {3, {17, 1, 4}}},     {64, {4, {1, 3, 9, 27}}},
                 {7, {6, {1, 2, 3, 4, 5, 6}}}};
    struct orr_arena *arena = orr_arena_create();
    (void)state;
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint32_t hops[64], last[64];
        const struct net_coins got = coins_of(arena, cases[i].n, &cases[i].coins);
        write_rounds(cases[i].n, &cases[i].coins, hops, last);
        for (uint32_t v = 1; v < cases[i].n; v++) {
            assert_int_equal(got.hops[v], hops[v]);
            assert_int_equal(got.last[v], last[v]);
        }
    }
    orr_arena_destroy(arena);
}

/* 4 = 1 + 3 = 3 + 1: the last coin in order is taken last. */
static void test_back_trace_last_coin_wins_ties(void **state)
{
    struct orr_arena *arena = orr_arena_create();
    const struct list up = LIST(1, 3, 7), down = LIST(7, 3, 1);
    (void)state;
    assert_int_equal(coins_of(arena, 16, &up).last[4], 3);
    assert_int_equal(coins_of(arena, 16, &down).last[4], 1);
    orr_arena_destroy(arena);
}

static void test_coins_with_a_divisor_leave_places_out(void **state)
{
    struct orr_arena *arena = orr_arena_create();
    const struct list coins = LIST(2, 4);
    (void)state;
    const struct net_coins got = coins_of(arena, 8, &coins);
    assert_int_equal(got.hops[6], 2);
    assert_int_equal(got.hops[3], NET_FAR);
    assert_int_equal(orr_net_coin_metrics(&got).diameter, NET_FAR);
    orr_arena_destroy(arena);
}

static void test_figures_of_the_published_selection(void **state)
{
    struct orr_arena *arena = orr_arena_create();
    const uint32_t two[] = {1, 13}, four[] = {1, 5, 13, 39};
    const struct net_jumps d4 = {two, 2}, d8 = {four, 4};
    (void)state;
    const struct net_coin_metrics at_4 = figures_of(arena, 128, NET_DUPLEX, &d4);
    const struct net_coin_metrics at_8 = figures_of(arena, 128, NET_DUPLEX, &d8);
    assert_int_equal(at_4.hops, 714); /* 5.622 x 127 */
    assert_int_equal(at_4.diameter, 10);
    assert_int_equal(at_8.hops, 376); /* 2.961 x 127 */
    assert_int_equal(at_8.diameter, 5);
    orr_arena_destroy(arena);
}

static void expect_published(uint32_t n, uint32_t wanted, struct list list)
{
    struct orr_arena *arena = orr_arena_create();
    struct net_jumps got;
    assert_non_null(arena);
    assert_true(orr_net_select_published(arena, n, wanted, &got));
    expect(&got, list);
    orr_arena_destroy(arena);
}

/* 127^(1/2) = 11.27: 12 is even, so 13. 127^(1/4) = 3.36, its powers 11.27 and 37.8: 5 as 4 is
 * even, 13, 39. 15^(1/3) = 2.47 and 6.08: 3, 7. 15^(1/4) = 1.97, 3.87 and 7.62: 3, 5, and 9, which
 * is 7 the other way; 19^(1/4) = 2.09, 4.36 and 9.10: 3, 7, and 11, which is 9. */
static void test_select_published_is_the_first_from_the_powers_on(void **state)
{
    (void)state;
    expect_published(128, 1, LIST(1));
    expect_published(128, 2, LIST(1, 13));
    expect_published(128, 4, LIST(1, 5, 13, 39));
    expect_published(16, 3, LIST(1, 3, 7));
    expect_published(16, 4, LIST(1, 3, 5, 7));
    expect_published(20, 4, LIST(1, 3, 7, 9));
}

/* Of 12 servers 1 and 5 go half around; of 6 only 1. */
static void test_select_published_ends_with_the_candidates(void **state)
{
    (void)state;
    expect_published(12, 4, LIST(1, 5));
    expect_published(6, 2, LIST(1));
}

static void expect_rings(uint32_t k, uint32_t rings, struct list list)
{
    struct orr_arena *arena = orr_arena_create();
    struct net_jumps got;
    assert_non_null(arena);
    assert_true(orr_net_totient_rings(arena, k, rings, &got));
    expect(&got, list);
    assert_int_equal(orr_net_totient_count(k, rings), list.jumps);
    orr_arena_destroy(arena);
}

/* Of 12 all of 1, 5, 7, 11: from 11 the target is 12^(1/4) x 11 = 20.5. */
static void test_totient_rings_are_selected_one_way(void **state)
{
    (void)state;
    expect_rings(12, 1, LIST(1));
    expect_rings(12, 4, LIST(1, 5, 11, 7));
    expect_rings(16, 3, LIST(1, 3, 7));
    expect_rings(128, 4, LIST(1, 3, 11, 37));
}

static void test_totient_rings_are_no_more_than_there_are(void **state)
{
    (void)state;
    expect_rings(2, 4, LIST(1));
    expect_rings(6, 4, LIST(1, 5));
    expect_rings(12, 9, LIST(1, 5, 7, 11));
}

static void test_totient_parse_wants_a_number_of_rings(void **state)
{
    static const char *const bad[] = {
        "",          "4",           "totient",    "totient:",  "totient:0",
        "totient:x", "totient:1,2", "totient:-1", "Totient:4", "totient:1025"};
    uint32_t rings = 0;
    (void)state;
    assert_true(orr_net_totient_parse("totient:4", &rings));
    assert_int_equal(rings, 4);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_false(orr_net_totient_parse(bad[i], &rings));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_totient_perms_have_no_divisor_with_the_members),
        cmocka_unit_test(test_totient_perms_of_duplex_links_go_half_around),
        cmocka_unit_test(test_totient_perms_of_primes_leave_products_out),
        cmocka_unit_test(test_totient_perms_of_many_members_are_primes),
        cmocka_unit_test(test_select_one_way_is_near_to_a_geometric_sequence),
        cmocka_unit_test(test_select_duplex_has_rings_both_ways),
        cmocka_unit_test(test_select_more_than_there_are_takes_all),
        cmocka_unit_test(test_select_geometric_two_reaches_with_log2_of_them),
        cmocka_unit_test(test_select_least_mean_path_finds_the_best),
        cmocka_unit_test(test_select_least_mean_path_of_many_is_no_worse_than_geometric),
        cmocka_unit_test(test_theorem_1_bounds_the_diameter),
        cmocka_unit_test(test_theorem_1_is_nearly_reached),
        cmocka_unit_test(test_coins_are_as_few_as_can_be),
        cmocka_unit_test(test_back_trace_is_that_of_algorithm_4),
        cmocka_unit_test(test_back_trace_last_coin_wins_ties),
        cmocka_unit_test(test_coins_with_a_divisor_leave_places_out),
        cmocka_unit_test(test_figures_of_the_published_selection),
        cmocka_unit_test(test_select_published_is_the_first_from_the_powers_on),
        cmocka_unit_test(test_select_published_ends_with_the_candidates),
        cmocka_unit_test(test_totient_rings_are_selected_one_way),
        cmocka_unit_test(test_totient_rings_are_no_more_than_there_are),
        cmocka_unit_test(test_totient_parse_wants_a_number_of_rings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
