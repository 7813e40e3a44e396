/* Searches for strategies: what they find by hand, that it is legal and what it is said to be, and
 * that threads do not matter. */
#include <stdio.h>
#include <stdlib.h>

#include "core/conf/conf.h"
#include "planner/search/search.h"
#include "search_fixture.h"
#include "tests/unit/search_fixture.h"
#include "workload/strategy/strategy.h"
#include "workload/strategy/strategy_check.h"

#define US ((sim_time)ORR_PS_PER_US)

/* One operator of 8 samples of 1000 flops and weights of 8 MB on 2 devices: by samples 4 + 4 us,
 * and then 8 MB are reduced for ms; by outputs or inputs the same 8 us, and nothing is reduced. */
static void test_weights_that_cost_more_than_they_save_are_sliced(void **state)
{
    (void)state;
    struct quest quest;
    quest_init(&quest, 8, "circulant:1", 2, 1);
    (void)quest_op(&quest, "large", 1000, 8, 8000000, NULL);
    quest.options.budget = 200;
    quest_search(&quest);
    assert_true(quest.result.first_ps > 1000 * US);
    assert_int_equal(quest.result.time_ps, 8 * US);
    assert_int_equal(quest.result.best.op[0].parts, 2);
    assert_int_equal(orr_strategy_degrees(&quest.result.best, 0)[SAMPLE], 1);
    quest_fini(&quest);
}

/* Branches of two chains that join. */
static void branch(struct quest *quest)
{
    const uint32_t first = quest_op(quest, "first", 2000, 400, 4000, NULL);
    const uint32_t left = quest_after(quest, "left", 3000, 4000, 900000, first);
    const uint32_t left2 = quest_after(quest, "left 2", 3000, 4000, 900000, left);
    const uint32_t right = quest_after(quest, "right", 9000, 400, 200, first);
    const uint32_t both[2] = {left2, right};
    const uint32_t join = quest_op(quest, "join", 500, 400, 70000, both);
    (void)quest_after(quest, "tied", 3000, 4000, 900000, join);
}

static void test_the_time_is_that_of_the_strategy(void **state)
{
    (void)state;
    for (uint32_t copies = 1; copies <= 2; copies++) {
        struct quest quest;
        quest_init(&quest, 64, "circulant:1", 8, copies);
        branch(&quest);
        quest.options.budget = 1000;
        quest_search(&quest);
        assert_true(quest.result.time_ps < quest.result.first_ps);
        assert_int_equal(quest_time(&quest, &quest.result.best), quest.result.time_ps);
        quest_fini(&quest);
    }
}

static void test_threads_do_not_matter(void **state)
{
    (void)state;
    struct search_result result[2];
    struct quest quest[2];
    for (int i = 0; i < 2; i++) {
        quest_init(&quest[i], 64, "circulant:1,3", 8, 1);
        branch(&quest[i]);
        quest[i].options.threads = i == 0 ? 1 : 3;
        quest[i].options.chains = 5;
        quest[i].options.budget = 1003;
        quest_search(&quest[i]);
        result[i] = quest[i].result;
    }
    assert_int_equal(result[0].time_ps, result[1].time_ps);
    assert_int_equal(result[0].accepted, result[1].accepted);
    assert_int_equal(result[0].tries, 1003);
    for (uint32_t op = 0; op < quest[0].toy.graph.ops; op++) {
        const uint32_t parts = result[0].best.op[op].parts;
        assert_int_equal(parts, result[1].best.op[op].parts);
        assert_memory_equal(orr_strategy_devices(&result[0].best, op),
                            orr_strategy_devices(&result[1].best, op), parts * sizeof(uint32_t));
    }
    quest_fini(&quest[0]);
    quest_fini(&quest[1]);
}

/* The operator "tied" has the weights of "left". */
static void test_shared_weights_stay_legal(void **state)
{
    (void)state;
    struct quest quest;
    quest_init(&quest, 64, "circulant:1,3", 8, 1);
    branch(&quest);
    quest.toy.op[5].owner = 1;
    for (uint64_t seed = 1; seed <= 10; seed++) {
        quest.options.budget = 200;
        quest.options.seed = seed;
        quest_search(&quest);
        assert_int_equal(quest_time(&quest, &quest.result.best), quest.result.time_ps);
    }
    quest_fini(&quest);
}

/* A device holds 1.5 MB: by samples each would hold twice the 2.77 MB of weights. */
static void test_what_does_not_fit_is_made_to_fit(void **state)
{
    (void)state;
    struct quest quest;
    uint64_t bytes[8];
    quest_init(&quest, 64, "circulant:1,3", 8, 1);
    branch(&quest);
    quest.problem.memory_bytes = 1500000;
    quest_search(&quest);
    assert_int_equal(quest.result.first_ps, SEARCH_NO_TIME);
    assert_int_equal(quest.result.missing_bytes, 0);
    assert_int_equal(quest_time(&quest, &quest.result.best), quest.result.time_ps);
    assert_true(orr_strategy_memory(&quest.toy.graph, &quest.result.best, bytes, NULL));
    for (int i = 0; i < 8; i++) {
        assert_true(bytes[i] <= 1500000);
    }
    quest_fini(&quest);
}

/* 8 devices of 1000 bytes each do not hold it however it is split; all that is missing is told of
 * the device with most of it. */
static void test_what_cannot_fit_says_how_much_is_missing(void **state)
{
    (void)state;
    struct quest quest;
    uint64_t bytes[8], max = 0;
    quest_init(&quest, 64, "circulant:1,3", 8, 1);
    branch(&quest);
    quest.problem.memory_bytes = 1000;
    quest_search(&quest);
    assert_int_equal(quest.result.time_ps, SEARCH_NO_TIME);
    assert_true(orr_strategy_memory(&quest.toy.graph, &quest.result.best, bytes, NULL));
    for (int i = 0; i < 8; i++) {
        max = bytes[i] > max ? bytes[i] : max;
    }
    assert_int_equal(quest.result.missing_bytes, max - 1000);
    quest_fini(&quest);
}

/* ---- stopping and going on ---- */

static void open_long_quest(struct quest *quest)
{
    quest_init(quest, 64, "circulant:1,3", 8, 1);
    branch(quest);
    quest->problem.memory_bytes = 1500000;
    quest->options.budget = 900;
    quest->options.chains = 3;
    quest->options.restarts = 1;
}

struct interruption {
    volatile sig_atomic_t stop;
    uint64_t after, heard;
};

static void interrupt(void *context, const struct search_progress *progress)
{
    struct interruption *interruption = context;
    assert_true(progress->tries > interruption->heard && progress->tries <= progress->budget);
    interruption->heard = progress->tries;
    interruption->stop = interruption->after != 0 && progress->tries >= interruption->after;
}

/* The state as text, and read from that. */
static struct search_state *write_and_read(struct quest *quest, const struct search_state *state)
{
    char *text = NULL;
    size_t bytes = 0;
    const struct orr_conf *root = NULL;
    struct search_state *read = NULL;
    FILE *file = open_memstream(&text, &bytes);
    assert_int_equal(orr_search_state_write(file, state), 0);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(
        orr_conf_parse(quest->toy.arena, text, bytes, "state", &root, &quest->toy.diag), ORR_OK);
    free(text);
    if (orr_search_state_read(quest->toy.arena, root, &read, &quest->toy.diag) != ORR_OK) {
        fail_msg("%s", quest->toy.diag.message);
    }
    return read;
}

/* Stopped after a third, after two thirds, and gone on with from what was written: as in one go. */
static void test_a_search_that_was_stopped_goes_on_to_the_same_result(void **state)
{
    (void)state;
    struct quest whole, parts;
    open_long_quest(&whole);
    quest_search(&whole);
    open_long_quest(&parts);
    struct interruption interruption = {.after = 300};
    parts.options.progress = interrupt;
    parts.options.context = &interruption;
    parts.options.stop = &interruption.stop;
    for (int i = 0; i < 3; i++) {
        quest_search(&parts);
        assert_int_equal(parts.result.stopped, i < 2);
        assert_true(parts.result.time_ps < SEARCH_NO_TIME);
        parts.options.resume = write_and_read(&parts, parts.result.state);
        interruption.after = i == 0 ? 600 : 0;
        interruption.stop = 0;
    }
    assert_int_equal(interruption.heard, 900);
    assert_int_equal(parts.result.time_ps, whole.result.time_ps);
    assert_int_equal(parts.result.tries, whole.result.tries);
    assert_int_equal(parts.result.accepted, whole.result.accepted);
    assert_int_equal(parts.result.refused_for_memory, whole.result.refused_for_memory);
    for (uint32_t op = 0; op < whole.toy.graph.ops; op++) {
        const uint32_t count = whole.result.best.op[op].parts;
        assert_int_equal(parts.result.best.op[op].parts, count);
        assert_memory_equal(orr_strategy_devices(&parts.result.best, op),
                            orr_strategy_devices(&whole.result.best, op), count * sizeof(uint32_t));
    }
    quest_fini(&whole);
    quest_fini(&parts);
}

static void expect_refused(struct quest *quest, const char *what)
{
    assert_int_equal(quest_run(quest), ORR_ERR_INPUT);
    if (strstr(quest->toy.diag.message, what) == NULL) {
        fail_msg("%s", quest->toy.diag.message);
    }
}

static void test_a_state_of_another_search_is_refused(void **state)
{
    (void)state;
    struct quest quest;
    open_long_quest(&quest);
    quest_search(&quest);
    quest.options.resume = write_and_read(&quest, quest.result.state);
    quest.options.seed = 7;
    expect_refused(&quest, "other options");
    quest.options.seed = 1;
    quest.problem.memory_bytes++;
    expect_refused(&quest, "other devices");
    quest.problem.memory_bytes--;
    quest.problem.network.routes.seed++;
    expect_refused(&quest, "another network");
    quest.problem.network.routes.seed--;
    quest.speed.roofline.peak_flops = 2e9;
    expect_refused(&quest, "other operator times");
    quest.speed.roofline.peak_flops = 1e9;
    quest_search(&quest); /* it is still this search's */
    quest_fini(&quest);
}

static void test_what_is_no_state_is_refused_with_its_place(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "{}", "{operators: 1, slice: 0, made_of: {}, chains: []}",
        "{operators: 1, slice: 0, made_of: {model: \"0\", devices: \"0\", network: \"0\", starts: "
        "\"0\", options: \"z\"}, chains: [{}]}",
        "{operators: 1, slice: 0, made_of: {model: \"0\", devices: \"0\", network: \"0\", starts: "
        "\"0\", options: \"0\"}, chains: [{tries: 0, accepted: 0, evaluations: 0, refused: 0, "
        "begun: "
        "1, random: [\"1\", \"2\", \"3\", \"4\"], now: {missing: \"0\", time_ps: 0, choices: \"1 2 "
        "3\"}, high: {}, best: {}}]}"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct toy toy;
        const struct orr_conf *root = NULL;
        struct search_state *read = NULL;
        toy_init(&toy, 1);
        assert_int_equal(
            orr_conf_parse(toy.arena, texts[i], strlen(texts[i]), "state", &root, &toy.diag),
            ORR_OK);
        assert_int_equal(orr_search_state_read(toy.arena, root, &read, &toy.diag), ORR_ERR_INPUT);
        assert_int_equal(toy.diag.place.line, 1);
        toy_fini(&toy);
    }
}

/* ---- what is asked for ---- */

static const char *const by_sample[] = {"sample"};

/* The same operator as first of all on 2 devices: by samples 8 + 8 us in all, and 8 MB are reduced
 * for ms, so that it is best whole. Of two operators on 4 devices there are 4 places whole, 4 in
 * two parts and one in four. */
static void test_dimensions_that_are_named_alone_are_split(void **state)
{
    (void)state;
    struct quest quest;
    quest_init(&quest, 8, "circulant:1", 2, 1);
    quest.problem.dimensions = (struct search_dimensions){by_sample, 1};
    (void)quest_op(&quest, "large", 1000, 8, 8000000, NULL);
    quest.options.budget = 200;
    quest_search(&quest);
    assert_int_equal(quest.result.time_ps, 16 * US);
    assert_int_equal(quest.result.best.op[0].parts, 1);
    quest_fini(&quest);
    quest_init(&quest, 8, "circulant:1", 4, 1);
    quest.problem.dimensions = (struct search_dimensions){by_sample, 1};
    const uint32_t first = quest_op(&quest, "first", 100, 100, 100, NULL);
    (void)quest_after(&quest, "second", 100, 100, 100, first);
    quest.options.exhaustive = true;
    quest_search(&quest);
    assert_int_equal(quest.result.tries, 81);
    quest_fini(&quest);
}

static void test_splits_that_are_found_are_of_the_dimensions_named(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 4; seed++) {
        struct quest quest;
        quest_init(&quest, 64, "circulant:1,3", 8, 1);
        quest.problem.dimensions = (struct search_dimensions){by_sample, 1};
        branch(&quest);
        quest.options.budget = 500;
        quest.options.seed = seed;
        quest.options.alpha = 0; /* walks anywhere */
        quest_search(&quest);
        for (uint32_t op = 0; op < quest.toy.graph.ops; op++) {
            assert_int_equal(orr_strategy_degrees(&quest.result.best, op)[SAMPLE],
                             quest.result.best.op[op].parts);
        }
        quest_fini(&quest);
    }
}

static void test_an_exhaustive_search_that_is_too_large_says_the_count(void **state)
{
    (void)state;
    struct quest quest;
    quest_init(&quest, 8, "circulant:1", 4, 1);
    const uint32_t first = quest_op(&quest, "first", 100, 100, 100, NULL);
    (void)quest_after(&quest, "second", 100, 100, 100, first);
    quest.options.exhaustive = true;
    /* Each: 4 places whole; 3 dimensions of 2 in 4 places; 3 of 4 in 1, 3 pairs in 2 orders: 25. */
    quest.options.max_strategies = 624;
    expect_refused(&quest, "expected at most 624 strategies, got a space of 625");
    quest.options.max_strategies = 625;
    quest_search(&quest);
    assert_int_equal(quest.result.tries, 625);
    quest_fini(&quest);
}

static void test_options_that_cannot_be_are_refused(void **state)
{
    (void)state;
    struct quest quest;
    quest_init(&quest, 8, "circulant:1", 4, 1);
    (void)quest_op(&quest, "first", 100, 100, 100, NULL);
    quest.options.chains = 0;
    expect_refused(&quest, "expected 1 to 64 chains, got 0");
    quest.options.chains = 4;
    quest.options.alpha = -1;
    expect_refused(&quest, "expected alpha of at least 0");
    quest.options.alpha = 1;
    quest.problem.copies = 3;
    expect_refused(&quest, "equal groups of all 4 devices, got 3 groups");
    quest.problem.copies = 1;
    quest.speed.roofline.peak_flops = 0;
    expect_refused(&quest, "no profile");
    quest_fini(&quest);
}

/* Without tries the best of the starts is the answer: here the one given, which is all on device 5,
 * as links are slow. */
static void test_a_start_that_is_given_is_where_it_begins(void **state)
{
    (void)state;
    struct quest quest;
    const uint32_t device = 5;
    const uint32_t degree[] = {1, 1, 1};
    quest_init(&quest, 64, "circulant:1", 8, 1);
    (void)quest_op(&quest, "first", 1000, 400, 80000000, NULL);
    toy_draft(&quest.toy, 8, 1);
    assert_true(orr_strategy_set(&quest.toy.draft, 0, degree, &device));
    const struct strategy given = orr_strategy_drafted(&quest.toy.draft);
    const struct strategy *const starts[] = {&given};
    quest.options.budget = 0;
    assert_int_equal(orr_search(quest.toy.arena, &quest.problem, &quest.options, starts, 1,
                                &quest.result, &quest.toy.diag),
                     ORR_OK);
    assert_int_equal(quest.result.first_ps, 128 * US);
    assert_int_equal(quest.result.time_ps, 128 * US);
    assert_int_equal(orr_strategy_devices(&quest.result.best, 0)[0], 5);
    quest_fini(&quest);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_weights_that_cost_more_than_they_save_are_sliced),
        cmocka_unit_test(test_the_time_is_that_of_the_strategy),
        cmocka_unit_test(test_threads_do_not_matter),
        cmocka_unit_test(test_shared_weights_stay_legal),
        cmocka_unit_test(test_what_does_not_fit_is_made_to_fit),
        cmocka_unit_test(test_what_cannot_fit_says_how_much_is_missing),
        cmocka_unit_test(test_a_search_that_was_stopped_goes_on_to_the_same_result),
        cmocka_unit_test(test_a_state_of_another_search_is_refused),
        cmocka_unit_test(test_what_is_no_state_is_refused_with_its_place),
        cmocka_unit_test(test_dimensions_that_are_named_alone_are_split),
        cmocka_unit_test(test_splits_that_are_found_are_of_the_dimensions_named),
        cmocka_unit_test(test_an_exhaustive_search_that_is_too_large_says_the_count),
        cmocka_unit_test(test_options_that_cannot_be_are_refused),
        cmocka_unit_test(test_a_start_that_is_given_is_where_it_begins),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
