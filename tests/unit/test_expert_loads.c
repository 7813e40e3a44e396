/* Replicas of experts as the repository of EPLB places its own example; what the busiest rank has
 * of drawn and of counted loads; what counts are refused. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/arena.h"
#include "core/diag.h"
#include "workload/experts/busiest_rank.h"
#include "workload/experts/expert_load.h"

enum { EXPERTS = 12, PLACES = 16, RANKS = 8 };

static const struct orr_expert_places example = {
    .experts = EXPERTS, .groups = 4, .nodes = 2, .ranks = RANKS, .places = PLACES};

static void assert_near(double found, double expected, double most)
{
    if (fabs(found - expected) > most) {
        fail_msg("%g, expected %g", found, expected);
    }
}

/* The ranks have these pairs of experts, and the busiest so much of the mean. */
static void assert_places(const double *load, const unsigned expected[RANKS][2], double busiest)
{
    uint32_t expert[PLACES], replicas[EXPERTS] = {0};
    struct orr_arena *arena = orr_arena_create();
    struct orr_diag diag;
    double most = 0, all = 0;
    orr_diag_init(&diag);
    assert_int_equal(orr_expert_place(arena, &example, load, expert, &diag), ORR_OK);
    for (unsigned p = 0; p < PLACES; p++) {
        replicas[expert[p]]++;
    }
    for (unsigned r = 0; r < RANKS; r++) {
        const uint32_t *here = &expert[2 * r];
        const uint32_t low = here[0] < here[1] ? here[0] : here[1];
        const uint32_t high = here[0] < here[1] ? here[1] : here[0];
        const double loaded = load[low] / replicas[low] + load[high] / replicas[high];
        assert_int_equal(low, expected[r][0]);
        assert_int_equal(high, expected[r][1]);
        most = fmax(most, loaded);
        all += loaded;
    }
    assert_near(most / all * RANKS, busiest, 5e-4);
    orr_arena_destroy(arena);
}

static void test_eplb_example_is_placed_as_published(void **state)
{
    static const double first[] = {90, 132, 40, 61, 104, 165, 39, 4, 73, 56, 183, 86};
    static const double second[] = {20, 107, 104, 64, 19, 197, 187, 157, 172, 86, 16, 27};
    static const unsigned of_first[RANKS][2] = {{5, 6},  {5, 7},  {4, 8}, {3, 4},
                                                {9, 10}, {2, 10}, {0, 1}, {1, 11}};
    static const unsigned of_second[RANKS][2] = {{7, 10}, {6, 8}, {6, 11}, {8, 9},
                                                 {2, 4},  {1, 5}, {0, 5},  {1, 3}};
    (void)state;
    assert_places(first, of_first, 1.208);
    assert_places(second, of_second, 1.242);
}

static struct orr_busiest drawn(uint32_t experts, uint32_t ranks, uint32_t places, double tokens,
                                const struct gen_expert_load *load)
{
    const struct orr_expert_places where = {experts, 1, 1, ranks, places};
    struct orr_busiest busiest;
    struct orr_diag diag;
    orr_diag_init(&diag);
    const struct orr_expert_draw draw = {.tokens = tokens, .seed = 1, .layers = 64};
    assert_int_equal(orr_busiest_draw(load, &where, &draw, &busiest, &diag), ORR_OK);
    return busiest;
}

/* 1 + sqrt(2 ln n / mean): 64 ranks of 32,768, 256 of 8,192, 128 of 256. */
static void test_even_draws_have_the_noise_of_a_multinomial(void **state)
{
    const struct gen_expert_load even = {.experts = 256};
    const struct gen_expert_load few = {.experts = 128};
    (void)state;
    assert_near(drawn(256, 64, 256, 64.0 * 32768, &even).rank, 1.016, 0.004);
    assert_near(drawn(256, 256, 256, 256.0 * 8192, &even).rank, 1.037, 0.006);
    assert_near(drawn(128, 128, 128, 128.0 * 256, &few).rank, 1.19, 0.03);
    assert_near(drawn(256, 64, 256, 64.0 * 32768, &even).node, 1, 1e-12);
}

/* Zipf's law with 0.25: the hottest expert has 3.024 times the mean; on a rank with three of others
 * less; replicas even it out. */
static void test_replicas_even_out_skewed_draws(void **state)
{
    double before[257] = {0};
    const struct gen_expert_load load = {.experts = 256, .before = before};
    (void)state;
    for (unsigned i = 0; i < 256; i++) {
        before[i + 1] = before[i] + pow(i + 1.0, -0.25);
    }
    for (unsigned i = 0; i < 257; i++) {
        before[i] /= before[256];
    }
    before[256] = 1;
    const double alone = drawn(256, 64, 256, 1e9, &load).rank;
    const double evened = drawn(256, 64, 320, 1e9, &load).rank;
    assert_true(alone > 1.45 && alone < 2);
    assert_true(evened > 1 && evened < 1.1);
}

static enum orr_status count(const char *text, int64_t iteration, struct orr_busiest *busiest,
                             struct orr_diag *diag)
{
    static const struct orr_expert_places four = {4, 1, 1, 2, 4};
    char path[] = "/tmp/orrery-counts-XXXXXX";
    const int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(write(file, text, strlen(text)), (ssize_t)strlen(text));
    (void)close(file);
    orr_diag_init(diag);
    const enum orr_status status = orr_busiest_count(path, &four, iteration, busiest, diag);
    (void)unlink(path);
    return status;
}

/* 30 and 10 of 40: 1.5 times the mean; 20 and 20: 1. */
static void test_counts_are_averaged_over_lines(void **state)
{
    struct orr_busiest busiest;
    struct orr_diag diag;
    (void)state;
    static const char text[] = "iteration,layer,a,b,c,d\n0,0,20,10,5,5\n1,0,10,10,10,10\n";
    assert_int_equal(count(text, -1, &busiest, &diag), ORR_OK);
    assert_near(busiest.rank, 1.25, 1e-12);
    assert_int_equal(count(text, 0, &busiest, &diag), ORR_OK);
    assert_near(busiest.rank, 1.5, 1e-12);
    assert_int_equal(count(text, 2, &busiest, &diag), ORR_ERR_INPUT);
    assert_non_null(strstr(diag.message, "no line is of the iteration"));
}

static void test_counts_that_do_not_fit_are_refused(void **state)
{
    static const struct {
        const char *text, *message;
    } cases[] = {{"0,0,1,2,3\n", "expected iteration, layer and the tokens of each expert"},
                 {"0,0,1,2,3,4,5\n", "more counts than experts"},
                 {"0,0,0,0,0,0\n", "expected a count above 0"},
                 {"0,0,1,2,-3,4\n", "expected iteration, layer and the tokens of each expert"},
                 {"a,b\n", "expected lines of iteration, layer, tokens of each expert"}};
    struct orr_busiest busiest;
    struct orr_diag diag;
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(count(cases[i].text, -1, &busiest, &diag), ORR_ERR_INPUT);
        assert_non_null(strstr(diag.message, cases[i].message));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_eplb_example_is_placed_as_published),
        cmocka_unit_test(test_even_draws_have_the_noise_of_a_multinomial),
        cmocka_unit_test(test_replicas_even_out_skewed_draws),
        cmocka_unit_test(test_counts_are_averaged_over_lines),
        cmocka_unit_test(test_counts_that_do_not_fit_are_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
