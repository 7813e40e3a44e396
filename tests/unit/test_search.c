/* Searches for strategies: what they find by hand, that it is legal and what it is said to be, and
 * that threads do not matter. */
#include "search_fixture.h"

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
    uint64_t bytes[8], most = 0;
    quest_init(&quest, 64, "circulant:1,3", 8, 1);
    branch(&quest);
    quest.problem.memory_bytes = 1000;
    quest_search(&quest);
    assert_int_equal(quest.result.time_ps, SEARCH_NO_TIME);
    assert_true(orr_strategy_memory(&quest.toy.graph, &quest.result.best, bytes, NULL));
    for (int i = 0; i < 8; i++) {
        most = bytes[i] > most ? bytes[i] : most;
    }
    assert_int_equal(quest.result.missing_bytes, most - 1000);
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
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
