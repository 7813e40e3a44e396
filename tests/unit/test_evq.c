/* The pending-event set against a sorted model; its storage, handlers, failures and steps. The
 * order within an instant is in test_evq_order.c. */
#include "tests/unit/evq_log.h"

/* ---- against the model ---- */

static int by_time_entity_label(const void *left, const void *right)
{
    const struct record *a = left, *b = right;
    if (a->time != b->time) {
        return a->time < b->time ? -1 : 1;
    }
    if (a->entity != b->entity) {
        return a->entity < b->entity ? -1 : 1;
    }
    return a->label < b->label ? -1 : a->label > b->label;
}

static int by_time_cookie(const void *left, const void *right)
{
    const struct record *a = left, *b = right;
    if (a->time != b->time) {
        return a->time < b->time ? -1 : 1;
    }
    return a->cookie < b->cookie ? -1 : a->cookie > b->cookie;
}

static void check_against_model(enum orr_order order, uint32_t events, uint32_t entities,
                                uint64_t times)
{
    struct log *log = open_log(order, entities);
    struct record *model = calloc(events, sizeof *model);
    orr_rng_init(&log->rng, events ^ entities ^ times, order);
    orr_evq_handle(log->queue, KIND, keep, log);
    for (uint32_t i = 0; i < events; i++) {
        /* Labels are unique: random high bits above the number. */
        model[i] = (struct record){(sim_time)orr_rng_below(&log->rng, times),
                                   (uint32_t)orr_rng_below(&log->rng, entities),
                                   orr_rng_below(&log->rng, 1 << 20) << 32 | i, i};
        post(log, model[i].time, model[i].entity, model[i].label, i);
    }
    qsort(model, events, sizeof *model,
          order == ORR_ORDER_LABEL ? by_time_entity_label : by_time_cookie);
    run(log);
    assert_int_equal(log->count, events);
    assert_int_equal(orr_evq_handled(log->queue), events);
    for (uint32_t i = 0; i < events; i++) {
        assert_int_equal(log->record[i].time, model[i].time);
        assert_int_equal(log->record[i].cookie, model[i].cookie);
    }
    free(model);
    close_log(log);
}

/* Few and many times, entities and events of an entity: every path of the sort and the heap. */
static void test_random_events_match_a_sorted_model(void **state)
{
    (void)state;
    static const struct {
        uint32_t events, entities;
        uint64_t times;
    } cases[] = {
        {1, 1, 1},
        {20, 3, 2},
        {90, 40, 1},
        {100, 1, 1},
        {5000, 1, 3},
        {5000, 7, 2},
        {5000, 2048, 1},
        {5000, 2049, 1},
        {5000, 5000000, 1},
        {20000, 100, 50000},
        {20000, 3, UINT64_C(1) << 62},
        {100000, 5000, 20},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        check_against_model(ORR_ORDER_LABEL, cases[i].events, cases[i].entities, cases[i].times);
        check_against_model(ORR_ORDER_INSERTION, cases[i].events, cases[i].entities,
                            cases[i].times);
    }
}

/* Each handled event posts another, near or far, while the budget lasts. */
static void keep_and_post(void *context, const struct orr_event *event)
{
    struct log *log = context;
    keep(context, event);
    if (log->to_post-- > 0) {
        const uint64_t range = orr_rng_below(&log->rng, 4) == 0 ? 1000000 : 50;
        post(log, orr_evq_now(log->queue) + (sim_time)orr_rng_below(&log->rng, range),
             (uint32_t)orr_rng_below(&log->rng, 64), orr_rng_next(&log->rng), 0);
    }
}

/* Thousands of pending times come and go; each is one instant, whatever the hash table went
 * through. */
static void test_events_posted_while_running_come_in_order_of_time(void **state)
{
    (void)state;
    enum { PENDING = 2000, POSTED = 150000 };
    for (int order = ORR_ORDER_LABEL; order <= ORR_ORDER_INSERTION; order++) {
        struct log *log = open_log((enum orr_order)order, 64);
        orr_evq_handle(log->queue, KIND, keep_and_post, log);
        log->to_post = POSTED;
        for (int i = 0; i < PENDING; i++) {
            post(log, (sim_time)orr_rng_below(&log->rng, 1000000), 0, orr_rng_next(&log->rng), 0);
        }
        sim_time before = -1;
        for (bool empty = false; !empty; before = orr_evq_now(log->queue)) {
            assert_int_equal(orr_evq_run_some(log->queue, 1, &empty, NULL), ORR_OK);
            assert_true(orr_evq_now(log->queue) > before);
        }
        assert_int_equal(log->count, PENDING + POSTED);
        for (uint32_t i = 1; i < log->count; i++) {
            assert_true(log->record[i].time >= log->record[i - 1].time);
        }
        close_log(log);
    }
}

/* A chain of one pending event at a time needs no more memory than its first. */
static void post_again(void *context, const struct orr_event *event)
{
    struct log *log = context;
    if (log->to_post-- > 0) {
        post(log, orr_evq_now(log->queue) + 1 + (sim_time)(event->cookie % 3), 0, 0,
             event->cookie + 1);
        post_own(log, orr_evq_now(log->queue) + 7, 1, 0);
    }
}

static void ignore(void *context, const struct orr_event *event)
{
    if (event->entity == 0) {
        post_again(context, event);
    }
}

static void test_storage_is_reused(void **state)
{
    (void)state;
    for (int order = ORR_ORDER_LABEL; order <= ORR_ORDER_INSERTION; order++) {
        struct log *log = open_log((enum orr_order)order, 2);
        const size_t before = orr_evq_bytes(log->queue);
        orr_evq_handle(log->queue, KIND, ignore, log);
        log->to_post = 50000;
        post(log, 0, 0, 0, 0);
        run(log);
        assert_int_equal(orr_evq_handled(log->queue), 100001);
        /* The label order's scratch space for rounds: 64 + 1 items of 8 bytes, twice. */
        assert_true(orr_evq_bytes(log->queue) <= before + 1040);
        close_log(log);
    }
}

/* ---- the rest of the interface ---- */

static void test_kinds_have_their_own_handlers(void **state)
{
    (void)state;
    struct log *a = open_log(ORR_ORDER_LABEL, 1), *b = open_log(ORR_ORDER_LABEL, 1);
    b->queue = (orr_evq_destroy(b->queue), a->queue);
    orr_evq_handle(a->queue, KIND, keep, a);
    orr_evq_handle(a->queue, OTHER_KIND, keep, b);
    const struct orr_event other = {.cookie = 2, .kind = OTHER_KIND};
    post(a, 1, 0, 0, 1);
    orr_evq_post(a->queue, 2, &other);
    run(a);
    expect_cookies(a, (const uint64_t[]){1}, 1);
    expect_cookies(b, (const uint64_t[]){2}, 1);
    b->queue = NULL;
    close_log(a);
    close_log(b);
}

static void test_added_entities_follow_the_first(void **state)
{
    (void)state;
    struct log *log = open_log(ORR_ORDER_INSERTION, 3);
    orr_evq_handle(log->queue, KIND, keep, log);
    assert_int_equal(orr_evq_add_entities(log->queue, 1000), 3);
    assert_int_equal(orr_evq_add_entities(log->queue, 2), 1003);
    assert_int_equal(orr_evq_add_entities(log->queue, 0), 1005);
    assert_int_equal(orr_evq_add_entities(log->queue, UINT32_MAX), UINT32_MAX);
    post_own(log, 1, 1004, 1);
    run(log);
    expect_cookies(log, (const uint64_t[]){1}, 1);
    close_log(log);
}

static void test_time_overflow_is_reported(void **state)
{
    (void)state;
    struct log *log = open_log(ORR_ORDER_LABEL, 1);
    struct orr_diag diag;
    orr_diag_init(&diag);
    orr_evq_handle(log->queue, KIND, keep, log);
    post(log, ORR_TIME_MAX - 1, 0, 0, 1);
    run(log);
    post(log, ORR_TIME_MAX, 0, 0, 2);
    assert_int_equal(orr_evq_run(log->queue, &diag), ORR_ERR_INPUT);
    assert_non_null(strstr(diag.message, "simulated time overflow"));
    assert_int_equal(log->count, 1);
    close_log(log);
}

static void stop_at_2(void *context, const struct orr_event *event)
{
    struct log *log = context;
    keep(context, event);
    if (event->cookie == 2) {
        orr_evq_stop(log->queue, ORR_ERR_DEADLOCK);
        orr_evq_stop(log->queue, ORR_ERR_INTERNAL); /* the first counts */
        post(log, ORR_TIME_MAX, 0, 0, 9);
    }
}

static void test_stop_ends_after_the_event_with_the_first_status(void **state)
{
    (void)state;
    for (int order = ORR_ORDER_LABEL; order <= ORR_ORDER_INSERTION; order++) {
        struct log *log = open_log((enum orr_order)order, 1);
        struct orr_diag diag;
        orr_diag_init(&diag);
        orr_evq_handle(log->queue, KIND, stop_at_2, log);
        for (uint64_t i = 1; i < 5; i++) {
            post(log, 7, 0, i, i);
        }
        assert_int_equal(orr_evq_run(log->queue, &diag), ORR_ERR_DEADLOCK);
        assert_int_equal(diag.status, ORR_OK);
        assert_int_equal(orr_evq_run(log->queue, &diag), ORR_ERR_DEADLOCK);
        expect_cookies(log, (const uint64_t[]){1, 2}, 2);
        close_log(log);
    }
}

static void test_run_some_handles_that_many_instants(void **state)
{
    (void)state;
    struct log *log = open_log(ORR_ORDER_LABEL, 1);
    bool empty = true;
    orr_evq_handle(log->queue, KIND, keep, log);
    for (uint64_t i = 0; i < 6; i++) {
        post(log, (sim_time)(i / 2), 0, i, i);
    }
    assert_int_equal(orr_evq_run_some(log->queue, 2, &empty, NULL), ORR_OK);
    assert_false(empty);
    assert_int_equal(log->count, 4);
    assert_int_equal(orr_evq_now(log->queue), 1);
    assert_int_equal(orr_evq_run_some(log->queue, 1, &empty, NULL), ORR_OK);
    assert_true(empty);
    assert_int_equal(log->count, 6);
    close_log(log);
}

/* Each event posts one for now until the third round. */
static void cascade(void *context, const struct orr_event *event)
{
    struct log *log = context;
    assert_int_equal(orr_evq_round(log->queue), event->label);
    if (event->label < 2) {
        post(log, orr_evq_now(log->queue), 0, event->label + 1, 0);
    }
}

static void test_round_counts_from_each_instant(void **state)
{
    (void)state;
    struct log *log = open_log(ORR_ORDER_LABEL, 1);
    orr_evq_handle(log->queue, KIND, cascade, log);
    post(log, 0, 0, 0, 0);
    post(log, 7, 0, 0, 0);
    run(log);
    assert_int_equal(orr_evq_handled(log->queue), 6);
    close_log(log);
}

static void test_destroy_with_events_pending_frees_them(void **state)
{
    (void)state;
    struct log *log = open_log(ORR_ORDER_LABEL, 1);
    for (sim_time t = 0; t < 1000; t++) {
        post(log, t, 0, 0, 0);
    }
    close_log(log);
    orr_evq_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_events_match_a_sorted_model),
        cmocka_unit_test(test_events_posted_while_running_come_in_order_of_time),
        cmocka_unit_test(test_storage_is_reused),
        cmocka_unit_test(test_kinds_have_their_own_handlers),
        cmocka_unit_test(test_added_entities_follow_the_first),
        cmocka_unit_test(test_time_overflow_is_reported),
        cmocka_unit_test(test_stop_ends_after_the_event_with_the_first_status),
        cmocka_unit_test(test_run_some_handles_that_many_instants),
        cmocka_unit_test(test_round_counts_from_each_instant),
        cmocka_unit_test(test_destroy_with_events_pending_frees_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
