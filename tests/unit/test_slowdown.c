/* compute.slowdown: which ranks are slowed, and what jitter draws. */
#include <math.h>

#include "tests/unit/conf_fixture.h"
#include "workload/engine/slowdown.h"

enum { NPUS = 16, DRAWS = 100000 };

static const struct wl_slowdown *read_section(struct fixture *fixture, const char *text)
{
    const struct wl_slowdown *slowdown = NULL;
    const enum orr_status status =
        orr_wl_slowdown_read(fixture->arena, parse(fixture, text), NPUS, &slowdown, &fixture->diag);
    assert_string_equal(fixture->diag.message, "");
    assert_int_equal(status, ORR_OK);
    return slowdown;
}

static void refuses(struct fixture *fixture, const char *text, const char *message)
{
    const struct wl_slowdown *slowdown = NULL;
    assert_int_equal(
        orr_wl_slowdown_read(fixture->arena, parse(fixture, text), NPUS, &slowdown, &fixture->diag),
        ORR_ERR_INPUT);
    says(fixture, message);
}

/* ---- stragglers ---- */

static void assert_factors(const struct wl_slowdown *slowdown, const double *expected)
{
    for (uint32_t rank = 0; rank < NPUS; rank++) {
        assert_true(orr_wl_slowdown_factor(slowdown, orr_rank(rank), 7) == expected[rank]);
    }
}

static void test_read_ranks_in_every_form_give_their_factor(void **state)
{
    const double expected[NPUS] = {1.3, 1.3, 1.3, 1, 1.3, 2, 2, 0.5, 1, 1, 1, 1, 1, 1, 1, 2};
    assert_factors(read_section(*state, "stragglers:\n"
                                        "  - {ranks: \"0-2, 4\", factor: 1.3}\n"
                                        "  - {ranks: [5, \"6-6\", 15], factor: 2}\n"
                                        "  - {ranks: 7, factor: 0.5}\n"),
                   expected);
    assert_factors(read_section(*state, "- {ranks: \"0-2,4\", factor: 1.3}\n"
                                        "- {ranks: \"5-6,15\", factor: 2}\n"
                                        "- {ranks: 7, factor: 0.5}\n"),
                   expected);
}

static void test_read_nothing_to_slow_is_none(void **state)
{
    assert_null(read_section(*state, "[]"));
    assert_null(read_section(*state, "{}"));
    assert_null(read_section(*state, "{seed: 3}"));
    assert_null(read_section(*state, "{jitter: {spread: 0 %}}"));
}

static void test_read_wrong_stragglers_are_refused(void **state)
{
    refuses(*state, "- {ranks: \"9-16\", factor: 2}",
            "net.yml:1:11: [0].ranks: expected ranks from 0 to 15, got \"9-16\"");
    refuses(*state, "- {ranks: 99999999999999999999, factor: 2}",
            "net.yml:1:11: [0].ranks: expected ranks from 0 to 15, got \"99999999999999999999\"");
    refuses(*state, "- {ranks: \"1,3-5,4\", factor: 2}",
            "net.yml:1:11: [0].ranks: rank 4 has a factor already");
    refuses(*state, "- {ranks: 3, factor: 2}\n- {ranks: [2, 3], factor: 3}",
            "net.yml:2:15: [1].ranks[1]: rank 3 has a factor already");
    static const char *const bad[] = {"all", "3-", "-3", "5-3", "1,,2", "1,", "1.5", "0x2", "1 2"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char text[128], message[256];
        (void)snprintf(text, sizeof text, "- {ranks: \"%s\", factor: 2}", bad[i]);
        (void)snprintf(message, sizeof message,
                       "net.yml:1:11: [0].ranks: expected ranks such as \"0-7,12\", got \"%s\"",
                       bad[i]);
        refuses(*state, text, message);
    }
    refuses(*state, "- {ranks: [], factor: 2}",
            "net.yml:1:11: [0].ranks: expected ranks such as \"0-7,12\", got an empty list");
    refuses(*state, "- {ranks: 1, factor: 0}",
            "net.yml:1:22: [0].factor: expected a number from 0.001 to 1e+06, got \"0\"");
    refuses(*state, "- {ranks: 1, factor: -2}",
            "net.yml:1:22: [0].factor: expected a number from 0.001 to 1e+06, got \"-2\"");
    refuses(*state, "- {ranks: 1}",
            "net.yml:1:3: [0]: a straggler needs the key \"factor\" (how many times the "
            "duration), such as factor: 1.3");
    refuses(*state, "- {factor: 2}",
            "net.yml:1:3: [0]: a straggler needs the key \"ranks\" (which NPUs), such as ranks: "
            "\"0-7,12\"");
    refuses(*state, "stragglers: 3",
            "net.yml:1:13: stragglers: expected a list such as [{ranks: \"0-7,12\", factor: "
            "1.3}], got \"3\"");
    refuses(*state, "straggler: []",
            "net.yml:1:1: straggler: unknown key in the slowdown; did you mean \"stragglers\"?");
}

/* ---- jitter ---- */

static void test_read_wrong_jitter_is_refused(void **state)
{
    refuses(*state, "jitter: {distribution: gauss, spread: 5 %}",
            "net.yml:1:24: jitter.distribution: expected uniform, normal or lognormal, got "
            "\"gauss\"");
    refuses(*state, "jitter: {distribution: normal}",
            "net.yml:1:9: jitter: the jitter needs the key \"spread\" (its standard deviation; at "
            "most 50 % (uniform), 20 % (normal), 300 % (lognormal)), such as spread: 5 %");
    refuses(*state, "jitter: {spread: 21 %}",
            "net.yml:1:18: jitter.spread: expected a share such as \"5 %\" or 0.05, for a normal "
            "distribution at most 20 %, got \"21 %\"");
    refuses(*state, "jitter: {distribution: uniform, spread: 0.6}",
            "net.yml:1:41: jitter.spread: expected a share such as \"5 %\" or 0.05, for a uniform "
            "distribution at most 50 %, got \"0.6\"");
    refuses(*state, "jitter: {spread: -1 %}",
            "net.yml:1:18: jitter.spread: expected a share such as \"5 %\" or 0.05, for a normal "
            "distribution at most 20 %, got \"-1 %\"");
    refuses(*state, "{jitter: {spread: 5 %}, seed: -1}",
            "net.yml:1:31: seed: expected a whole number >= 0, got \"-1\"");
}

/* A factor depends on seed, rank and node alone: asked again, in another order, it is the same to
 * the bit; another seed, rank or node has another one. */
static void test_factor_is_a_pure_function_of_seed_rank_and_node(void **state)
{
    static const char *const sections[] = {
        "{jitter: {distribution: uniform, spread: 5 %}, seed: 1}",
        "{jitter: {distribution: normal, spread: 0.05}, seed: 1}",
        "{jitter: {distribution: lognormal, spread: 5%}, seed: 1}"};
    for (size_t i = 0; i < 3; i++) {
        const struct wl_slowdown *slowdown = read_section(*state, sections[i]);
        struct wl_slowdown other = *slowdown;
        other.seed = 2;
        double first[64];
        unsigned same_seed = 0, same_rank = 0, same_node = 0;
        for (uint32_t node = 0; node < 64; node++) {
            first[node] = orr_wl_slowdown_factor(slowdown, orr_rank(3), node);
        }
        for (uint32_t node = 64; node-- > 0;) {
            assert_true(orr_wl_slowdown_factor(slowdown, orr_rank(3), node) == first[node]);
            same_seed += orr_wl_slowdown_factor(&other, orr_rank(3), node) == first[node];
            same_rank += orr_wl_slowdown_factor(slowdown, orr_rank(4), node) == first[node];
            same_node += orr_wl_slowdown_factor(slowdown, orr_rank(3), node + 1) == first[node];
        }
        assert_int_equal(same_seed + same_rank + same_node, 0);
    }
}

static void test_factor_of_a_straggler_and_jitter_multiply(void **state)
{
    const struct wl_slowdown *both = read_section(
        *state, "{stragglers: [{ranks: 2, factor: 4}], jitter: {spread: 10 %}, seed: 9}");
    const struct wl_slowdown *jitter = read_section(*state, "{jitter: {spread: 10 %}, seed: 9}");
    assert_true(orr_wl_slowdown_factor(both, orr_rank(1), 5) ==
                orr_wl_slowdown_factor(jitter, orr_rank(1), 5));
    assert_true(orr_wl_slowdown_factor(both, orr_rank(2), 5) ==
                4 * orr_wl_slowdown_factor(jitter, orr_rank(2), 5));
}

/* Of n = 10^5 draws with mean 1 and standard deviation s the mean has the standard error s /
 * sqrt(n) = 0.00316 s, the standard deviation s sqrt((k - 1) / 4n) with k the kurtosis: 1.8
 * (uniform), 3 (normal), and for the lognormal of s = 0.3, w = 1 + s^2 = 1.09, w^4 + 2 w^3 + 3 w^2
 * - 3 = 4.566: 0.00141 s, 0.00224 s and 0.00299 s. The bounds are five of these. */
static void test_factor_has_mean_1_and_the_given_spread(void **state)
{
    static const struct {
        const char *section;
        double spread, error;
    } cases[] = {{"{jitter: {distribution: uniform, spread: 30 %}, seed: 5}", 0.3, 0.00141},
                 {"{jitter: {distribution: normal, spread: 10 %}, seed: 5}", 0.1, 0.00224},
                 {"{jitter: {distribution: lognormal, spread: 30 %}, seed: 5}", 0.3, 0.00299}};
    for (size_t i = 0; i < 3; i++) {
        const struct wl_slowdown *slowdown = read_section(*state, cases[i].section);
        double sum = 0, squares = 0;
        for (uint32_t draw = 0; draw < DRAWS; draw++) {
            const double off =
                orr_wl_slowdown_factor(slowdown, orr_rank(draw % NPUS), draw / NPUS) - 1;
            sum += off;
            squares += off * off;
        }
        const double mean = sum / DRAWS;
        const double spread = sqrt(squares / DRAWS - mean * mean);
        if (fabs(mean) > 5 * 0.00316 * cases[i].spread ||
            fabs(spread / cases[i].spread - 1) > 5 * cases[i].error) {
            print_error("%s: mean 1 + %g, spread %g\n", cases[i].section, mean, spread);
            fail();
        }
    }
}

/* Uniform: 1 + sqrt(3) 0.3 u stays within 1 -+ 0.5196152. */
static void test_factor_uniform_stays_within_its_bounds(void **state)
{
    const struct wl_slowdown *slowdown =
        read_section(*state, "{jitter: {distribution: uniform, spread: 30 %}}");
    double min = 2, max = 0;
    for (uint32_t draw = 0; draw < DRAWS; draw++) {
        const double factor = orr_wl_slowdown_factor(slowdown, orr_rank(0), draw);
        min = fmin(min, factor);
        max = fmax(max, factor);
    }
    /* The extremes of 10^5 draws miss the bounds by more than 0.01 % of the width once in 22000. */
    assert_true(min >= 1 - 0.5196153 && min < 1 - 0.5196152 + 1.04e-4);
    assert_true(max <= 1 + 0.5196153 && max > 1 + 0.5196152 - 1.04e-4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FIXTURE(test_read_ranks_in_every_form_give_their_factor),
        IN_FIXTURE(test_read_nothing_to_slow_is_none),
        IN_FIXTURE(test_read_wrong_stragglers_are_refused),
        IN_FIXTURE(test_read_wrong_jitter_is_refused),
        IN_FIXTURE(test_factor_is_a_pure_function_of_seed_rank_and_node),
        IN_FIXTURE(test_factor_of_a_straggler_and_jitter_multiply),
        IN_FIXTURE(test_factor_has_mean_1_and_the_given_spread),
        IN_FIXTURE(test_factor_uniform_stays_within_its_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
