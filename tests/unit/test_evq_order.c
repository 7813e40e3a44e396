/* The order of events within an instant: rounds, labels and flushes; own batches under insertion
 * order. */
#include "tests/unit/evq_log.h"

/* ---- label order ---- */

static void test_label_order_is_by_entity_then_label(void **state)
{
    (void)state;
    struct log *log = open_log(ORR_ORDER_LABEL, 3);
    orr_evq_handle(log->queue, KIND, keep, log);
    post(log, 10, 2, 1, 4);
    post(log, 10, 1, UINT64_MAX, 3);
    post(log, 10, 1, 5, 2);
    post(log, 3, 2, 9, 1);
    run(log);
    expect_cookies(log, (const uint64_t[]){1, 2, 3, 4}, 4);
    close_log(log);
}

/* Event 1 posts 10 for now: it comes in the next round, after 2 of the running one, although its
 * entity and label are smaller. */
static void post_for_now(void *context, const struct orr_event *event)
{
    keep(context, event);
    if (event->cookie == 1) {
        post(context, orr_evq_now(((struct log *)context)->queue), 0, 0, 10);
    }
}

static void test_label_order_event_for_now_belongs_to_the_next_round(void **state)
{
    (void)state;
    struct log *log = open_log(ORR_ORDER_LABEL, 3);
    orr_evq_handle(log->queue, KIND, post_for_now, log);
    post(log, 5, 2, 0, 2);
    post(log, 5, 1, 7, 1);
    post(log, 6, 0, 0, 3);
    run(log);
    expect_cookies(log, (const uint64_t[]){1, 2, 10, 3}, 4);
    assert_int_equal(log->record[2].time, 5);
    close_log(log);
}

/* The flush of an entity is logged as cookie 100 + entity. */
static void log_flush(void *context, uint32_t entity)
{
    const struct orr_event event = event_of(entity, 0, 100 + entity);
    keep(context, &event);
}

static void test_flush_runs_once_for_each_entity_of_each_round(void **state)
{
    (void)state;
    struct log *log = open_log(ORR_ORDER_LABEL, 4);
    orr_evq_handle(log->queue, KIND, post_for_now, log);
    orr_evq_on_flush(log->queue, log_flush, log);
    post(log, 5, 1, 7, 1); /* posts 10 at entity 0 */
    post(log, 5, 1, 8, 2);
    post(log, 5, 3, 0, 3);
    post(log, 6, 3, 0, 4);
    run(log);
    expect_cookies(log, (const uint64_t[]){1, 2, 101, 3, 103, 10, 100, 4, 103}, 9);
    close_log(log);
}

/* What is done for an entity before the run is flushed by hand, under label order only. */
static void test_settle_flushes_the_entity_at_once(void **state)
{
    (void)state;
    for (int order = ORR_ORDER_LABEL; order <= ORR_ORDER_INSERTION; order++) {
        struct log *log = open_log((enum orr_order)order, 4);
        orr_evq_flush(log->queue, 1); /* nobody to call */
        orr_evq_on_flush(log->queue, log_flush, log);
        orr_evq_flush(log->queue, 2);
        expect_cookies(log, (const uint64_t[]){102}, order == ORR_ORDER_LABEL ? 1 : 0);
        close_log(log);
    }
}

/* What a flush posts for now is a further round of the instant. */
static void flush_posts_once(void *context, uint32_t entity)
{
    struct log *log = context;
    if (log->flushes++ == 0) {
        post(log, orr_evq_now(log->queue), entity, 0, 50);
    }
}

static void test_flush_may_post_for_now(void **state)
{
    (void)state;
    struct log *log = open_log(ORR_ORDER_LABEL, 2);
    orr_evq_handle(log->queue, KIND, keep, log);
    orr_evq_on_flush(log->queue, flush_posts_once, log);
    post(log, 5, 0, 0, 1);
    post(log, 5, 1, 0, 2);
    run(log);
    expect_cookies(log, (const uint64_t[]){1, 2, 50}, 3);
    assert_int_equal(log->record[2].time, 5);
    assert_int_equal(log->flushes, 3);
    close_log(log);
}

/* ---- insertion order ---- */

static void test_insertion_order_event_for_now_joins_the_end(void **state)
{
    (void)state;
    struct log *log = open_log(ORR_ORDER_INSERTION, 3);
    orr_evq_handle(log->queue, KIND, post_for_now, log);
    orr_evq_on_flush(log->queue, log_flush, log); /* not called in this order */
    post(log, 5, 2, 9, 1);
    post(log, 5, 0, 0, 2);
    run(log);
    expect_cookies(log, (const uint64_t[]){1, 2, 10}, 3);
    close_log(log);
}

static void test_insertion_order_own_events_join_the_first(void **state)
{
    (void)state;
    struct log *log = open_log(ORR_ORDER_INSERTION, 2);
    orr_evq_handle(log->queue, KIND, keep, log);
    post(log, 5, 0, 0, 1);
    post_own(log, 5, 0, 2);
    post_own(log, 5, 1, 4);
    post(log, 5, 0, 0, 6);
    post_own(log, 5, 0, 3); /* behind 2 */
    post_own(log, 5, 1, 5); /* behind 4 */
    post_own(log, 7, 0, 8);
    post_own(log, 6, 0, 7);
    run(log);
    expect_cookies(log, (const uint64_t[]){1, 2, 3, 4, 5, 6, 7, 8}, 8);
    close_log(log);
}

/* Events 1, 2, 3 are own events of entity 0, 4 is another's. 1 posts 10 and 3 posts 30 as own
 * events for now: both join the running batch. 4 posts 40: the batch is over, a new one begins at
 * the end. */
static void post_own_for_now(void *context, const struct orr_event *event)
{
    struct log *log = context;
    keep(context, event);
    if (event->cookie < 10 && event->cookie != 2) {
        post_own(log, orr_evq_now(log->queue), 0, event->cookie * 10);
    }
}

static void test_insertion_order_own_event_for_now_joins_the_running_batch(void **state)
{
    (void)state;
    struct log *log = open_log(ORR_ORDER_INSERTION, 2);
    orr_evq_handle(log->queue, KIND, post_own_for_now, log);
    for (uint64_t cookie = 1; cookie <= 3; cookie++) {
        post_own(log, 5, 0, cookie);
    }
    post(log, 5, 1, 0, 4);
    post(log, 5, 1, 0, 50);
    run(log);
    expect_cookies(log, (const uint64_t[]){1, 2, 3, 10, 30, 4, 50, 40}, 8);
    close_log(log);
}

/* Random own and shared events of few times against a model: the instants' lists of batches. */
struct batches {
    uint32_t count;
    struct {
        bool own;
        uint32_t entity, events;
        uint64_t cookie[64];
    } batch[600];
};

static void model_post(struct batches *list, bool own, uint32_t entity, uint64_t cookie)
{
    uint32_t at = 0;
    while (at < list->count && !(own && list->batch[at].own && list->batch[at].entity == entity)) {
        at++;
    }
    if (at == list->count) {
        list->batch[list->count++].events = 0;
        list->batch[at].own = own;
        list->batch[at].entity = entity;
    }
    assert_true(list->batch[at].events < 64);
    list->batch[at].cookie[list->batch[at].events++] = cookie;
}

static void test_insertion_order_random_own_events_match_a_model(void **state)
{
    (void)state;
    enum { TIMES = 5, EVENTS = 600, ENTITIES = 30 };
    static struct batches model[TIMES];
    struct log *log = open_log(ORR_ORDER_INSERTION, ENTITIES);
    memset(model, 0, sizeof model);
    orr_evq_handle(log->queue, KIND, keep, log);
    for (uint64_t i = 0; i < EVENTS; i++) {
        const uint64_t time = orr_rng_below(&log->rng, TIMES);
        const uint32_t entity = (uint32_t)orr_rng_below(&log->rng, ENTITIES);
        const bool own = orr_rng_below(&log->rng, 3) != 0;
        if (own) {
            post_own(log, (sim_time)time, entity, i);
        } else {
            post(log, (sim_time)time, entity, 0, i);
        }
        model_post(&model[time], own, entity, i);
    }
    run(log);
    uint32_t at = 0;
    for (uint32_t t = 0; t < TIMES; t++) {
        for (uint32_t b = 0; b < model[t].count; b++) {
            for (uint32_t e = 0; e < model[t].batch[b].events; e++) {
                assert_int_equal(log->record[at++].cookie, model[t].batch[b].cookie[e]);
            }
        }
    }
    assert_int_equal(at, EVENTS);
    close_log(log);
}

static void test_label_order_own_events_are_like_others(void **state)
{
    (void)state;
    struct log *log = open_log(ORR_ORDER_LABEL, 2);
    orr_evq_handle(log->queue, KIND, keep, log);
    post_own(log, 5, 1, 3);
    post(log, 5, 0, 9, 2);
    post_own(log, 5, 0, 1);
    run(log);
    expect_cookies(log, (const uint64_t[]){1, 2, 3}, 3);
    close_log(log);
}

/* ---- many times, posted for again and again ---- */

/* Each event posts two, each for one of many later times; cookies count what is posted. */
static void keep_and_post_scattered(void *context, const struct orr_event *event)
{
    struct log *log = context;
    keep(context, event);
    for (unsigned i = 0; i < 2 && log->to_post > 0; i++) {
        const sim_time time =
            orr_evq_now(log->queue) + 97 * (1 + (sim_time)orr_rng_below(&log->rng, 3000));
        post(log, time, (uint32_t)orr_rng_below(&log->rng, 64), (uint64_t)log->to_post,
             (uint64_t)(100000 - log->to_post));
        log->to_post--;
    }
}

/* Whether record b may come after a: by time, then in the order of the queue. */
static bool in_order(enum orr_order order, const struct record *a, const struct record *b)
{
    if (a->time != b->time) {
        return a->time < b->time;
    }
    return order == ORR_ORDER_INSERTION
               ? a->cookie < b->cookie
               : a->entity < b->entity || (a->entity == b->entity && a->label < b->label);
}

/* 3,000 times are pending, far more than are remembered by their hash: events of one time are
 * posted in between those of others, and still come as one instant in their order. */
static void test_scattered_posts_for_one_time_come_in_order(void **state)
{
    (void)state;
    for (unsigned order = ORR_ORDER_LABEL; order <= ORR_ORDER_INSERTION; order++) {
        struct log *log = open_log((enum orr_order)order, 64);
        orr_evq_handle(log->queue, KIND, keep_and_post_scattered, log);
        log->to_post = 100000;
        post(log, 0, 0, 0, 0);
        run(log);
        assert_int_equal(log->count, 100001);
        for (uint32_t i = 2; i < log->count; i++) {
            assert_true(in_order((enum orr_order)order, &log->record[i - 1], &log->record[i]));
        }
        close_log(log);
    }
}

/* An NPU's own events join the first of their time, though many times were posted for since. */
static void test_own_events_join_across_many_times(void **state)
{
    (void)state;
    struct log *log = open_log(ORR_ORDER_INSERTION, 2);
    orr_evq_handle(log->queue, KIND, keep, log);
    post_own(log, 500, 0, 1);
    for (sim_time time = 1000; time < 3000; time++) {
        post(log, time, 1, 0, 9);
    }
    post(log, 500, 1, 0, 3);
    for (sim_time time = 3000; time < 5000; time++) {
        post(log, time, 1, 0, 9);
    }
    post(log, 500, 1, 0, 4);
    post_own(log, 500, 0, 2);
    run(log);
    log->count = 4;
    expect_cookies(log, (const uint64_t[]){1, 2, 3, 4}, 4);
    close_log(log);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_label_order_is_by_entity_then_label),
        cmocka_unit_test(test_label_order_event_for_now_belongs_to_the_next_round),
        cmocka_unit_test(test_flush_runs_once_for_each_entity_of_each_round),
        cmocka_unit_test(test_flush_may_post_for_now),
        cmocka_unit_test(test_settle_flushes_the_entity_at_once),
        cmocka_unit_test(test_insertion_order_event_for_now_joins_the_end),
        cmocka_unit_test(test_insertion_order_own_events_join_the_first),
        cmocka_unit_test(test_insertion_order_own_event_for_now_joins_the_running_batch),
        cmocka_unit_test(test_insertion_order_random_own_events_match_a_model),
        cmocka_unit_test(test_scattered_posts_for_one_time_come_in_order),
        cmocka_unit_test(test_own_events_join_across_many_times),
        cmocka_unit_test(test_label_order_own_events_are_like_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
