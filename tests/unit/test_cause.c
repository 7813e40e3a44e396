/* Causes: chains that add up, through events, waits and marks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/cause.h"
#include "core/evq.h"

static void test_grow_adds_to_the_part_and_leaves_the_rest(void **state)
{
    (void)state;
    struct orr_arena *arena = orr_arena_create();
    struct orr_causes *causes = orr_causes_create(arena, 3);
    orr_cause_spend(causes, 1, 10);
    const orr_cause unexpected = orr_cause_hold(causes, 2, 15);
    orr_cause_spend(causes, 0, 30);
    orr_cause_spend(causes, 1, 30); /* nothing: it is 30 already */
    const orr_cause late = orr_cause_hold(causes, 2, 30);
    const sim_time expected[2][3] = {{0, 10, 5}, {20, 10, 0}};
    for (unsigned part = 0; part < 3; part++) {
        assert_int_equal(orr_cause_part(causes, unexpected, part), expected[0][part]);
        assert_int_equal(orr_cause_part(causes, late, part), expected[1][part]);
    }
    orr_cause_drop(causes, unexpected);
    orr_cause_drop(causes, late);
    orr_arena_destroy(arena);
}

static void test_leave_restores_what_was_current(void **state)
{
    (void)state;
    struct orr_arena *arena = orr_arena_create();
    struct orr_causes *causes = orr_causes_create(arena, 2);
    orr_cause_spend(causes, 0, 7);
    const orr_cause other = orr_cause_hold(causes, 1, 9);
    const orr_cause before = orr_cause_enter(causes, other);
    assert_int_equal(orr_cause_part(causes, orr_cause_current(causes), 1), 2);
    orr_cause_leave(causes, before);
    assert_int_equal(orr_cause_part(causes, orr_cause_current(causes), 1), 0);
    assert_int_equal(orr_cause_part(causes, orr_cause_current(causes), 0), 7);
    orr_cause_drop(causes, other);
    orr_arena_destroy(arena);
}

/* Records are reused: a long chain holds two at a time, so 10^6 steps stay in the first blocks. */
static void test_dropped_records_are_reused(void **state)
{
    (void)state;
    struct orr_arena *arena = orr_arena_create();
    struct orr_causes *causes = orr_causes_create(arena, 4);
    orr_cause_spend(causes, 0, 1);
    const size_t bytes = orr_arena_bytes(arena);
    for (sim_time step = 2; step < 1000000; step++) {
        orr_cause_begin(causes, orr_cause_hold(causes, (unsigned)step % 4, step));
    }
    assert_int_equal(orr_arena_bytes(arena), bytes);
    sim_time sum = 0;
    for (unsigned part = 0; part < 4; part++) {
        sum += orr_cause_part(causes, orr_cause_current(causes), part);
    }
    assert_int_equal(sum, 999999);
    assert_false(orr_causes_failed(causes));
    orr_arena_destroy(arena);
}

/* Entity 1 waits from 4 for entity 2, which comes at 9: the path is 1's until 4, then the wait. */
static void test_follow_links_the_marks_of_both(void **state)
{
    (void)state;
    struct orr_arena *arena = orr_arena_create();
    struct orr_causes *causes = orr_causes_create(arena, ORR_PART_DIMS);
    orr_cause_spend(causes, ORR_PART_COMPUTE, 4);
    orr_cause_add_mark(causes, 1, 11, 4);
    const orr_cause reference = orr_cause_hold(causes, ORR_PART_OTHER, 4);
    orr_cause_begin(causes, ORR_CAUSE_ROOT);
    orr_cause_spend(causes, ORR_PART_CPU, 9);
    orr_cause_add_mark(causes, 2, 22, 9);
    orr_cause_follow(causes, reference, ORR_PART_STRAGGLER, 9);
    const orr_cause now = orr_cause_current(causes);
    assert_int_equal(orr_cause_part(causes, now, ORR_PART_COMPUTE), 4);
    assert_int_equal(orr_cause_part(causes, now, ORR_PART_CPU), 0);
    assert_int_equal(orr_cause_part(causes, now, ORR_PART_STRAGGLER), 5);
    const struct orr_mark last = orr_mark_at(causes, orr_cause_mark(causes, now));
    assert_int_equal(last.item, 22);
    const struct orr_mark first = orr_mark_at(causes, last.previous);
    assert_int_equal(first.item, 11);
    assert_int_equal(first.previous, ORR_MARK_NONE);
    orr_arena_destroy(arena);
}

/* What waits for three: one until 5, and two until 9 of which one computed for 6 and one for 3. */
static void join_three(const unsigned order[3], sim_time computed[1])
{
    static const sim_time compute[3] = {5, 6, 3}, end[3] = {5, 9, 9};
    struct orr_arena *arena = orr_arena_create();
    struct orr_causes *causes = orr_causes_create(arena, ORR_PART_DIMS);
    struct orr_cause_last last = {0};
    for (unsigned i = 0; i < 3; i++) {
        orr_cause_begin(causes, ORR_CAUSE_ROOT);
        orr_cause_spend(causes, ORR_PART_COMPUTE, compute[order[i]]);
        orr_cause_spend(causes, ORR_PART_CPU, end[order[i]]);
        orr_cause_join(causes, &last, end[order[i]], false);
    }
    const orr_cause before = orr_cause_joined(causes, &last);
    assert_false(last.any);
    computed[0] = orr_cause_part(causes, orr_cause_current(causes), ORR_PART_COMPUTE);
    orr_cause_leave(causes, before);
    assert_false(orr_causes_failed(causes));
    orr_arena_destroy(arena);
}

static void test_join_of_one_instant_does_not_go_by_the_order(void **state)
{
    static const unsigned orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                          {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    (void)state;
    for (unsigned i = 0; i < 6; i++) {
        sim_time computed;
        join_three(orders[i], &computed);
        assert_int_equal(computed, 6);
    }
}

/* Nothing tells two apart but whose they are: the first stays, or the newest where that is asked.
 */
static void test_join_of_equals_keeps_the_first_or_the_newest(void **state)
{
    (void)state;
    for (uint32_t newest = 0; newest < 2; newest++) {
        struct orr_arena *arena = orr_arena_create();
        struct orr_causes *causes = orr_causes_create(arena, ORR_PART_DIMS);
        struct orr_cause_last last = {0};
        for (uint32_t entity = 0; entity < 2; entity++) {
            orr_cause_begin(causes, ORR_CAUSE_ROOT);
            orr_cause_spend(causes, ORR_PART_COMPUTE, 4);
            orr_cause_add_mark(causes, entity, 7, 4);
            orr_cause_join(causes, &last, 4, newest != 0);
        }
        const uint32_t mark = orr_cause_mark(causes, last.cause);
        assert_int_equal(orr_mark_at(causes, mark).entity, newest);
        orr_cause_forget(causes, &last);
        assert_false(last.any);
        orr_arena_destroy(arena);
    }
}

struct chain {
    struct orr_evq *queue;
    unsigned left;
};

static void on_event(void *context, const struct orr_event *event)
{
    struct chain *chain = context;
    if (chain->left-- != 0) {
        const struct orr_event next = {.kind = event->kind, .part = (uint8_t)(1 + event->part % 2)};
        orr_evq_post(chain->queue, orr_evq_now(chain->queue) + 10, &next);
    }
}

/* Parts 1 and 2 in turns, 10 each: 0 -> 1 -> 2 -> 1 -> 2 -> 1. */
static void test_events_carry_the_cause_of_who_posted_them(void **state)
{
    (void)state;
    struct orr_arena *arena = orr_arena_create();
    struct chain chain = {.queue = orr_evq_create(ORR_ORDER_LABEL, 1), .left = 5};
    struct orr_causes *causes = orr_evq_keep_causes(chain.queue, arena, 3);
    assert_ptr_equal(orr_evq_causes(chain.queue), causes);
    orr_evq_handle(chain.queue, 0, on_event, &chain);
    orr_evq_post(chain.queue, 0, &(struct orr_event){.kind = 0});
    struct orr_diag diag;
    orr_diag_init(&diag);
    assert_int_equal(orr_evq_run(chain.queue, &diag), ORR_OK);
    assert_int_equal(orr_cause_part(causes, orr_cause_current(causes), 0), 0);
    assert_int_equal(orr_cause_part(causes, orr_cause_current(causes), 1), 30);
    assert_int_equal(orr_cause_part(causes, orr_cause_current(causes), 2), 20);
    orr_evq_destroy(chain.queue);
    orr_arena_destroy(arena);
}

static void on_nobodys(void *context, const struct orr_event *event)
{
    (void)context;
    (void)event;
}

/* As above until 50, and an event at 80 that is nobody's cause: what is posted behind it comes from
 * the event at 50. */
static void test_events_that_are_nobodys_leave_the_cause_before(void **state)
{
    (void)state;
    struct orr_arena *arena = orr_arena_create();
    struct chain chain = {.queue = orr_evq_create(ORR_ORDER_LABEL, 2), .left = 5};
    struct orr_causes *causes = orr_evq_keep_causes(chain.queue, arena, 3);
    orr_evq_handle(chain.queue, 0, on_event, &chain);
    orr_evq_handle(chain.queue, 1, on_nobodys, NULL);
    orr_evq_post(chain.queue, 0, &(struct orr_event){.kind = 0});
    orr_evq_post(chain.queue, 80,
                 &(struct orr_event){.kind = 1, .entity = 1, .part = ORR_PART_NONE});
    struct orr_diag diag;
    orr_diag_init(&diag);
    assert_int_equal(orr_evq_run(chain.queue, &diag), ORR_OK);
    assert_int_equal(orr_evq_now(chain.queue), 80);
    assert_int_equal(orr_cause_part(causes, orr_cause_current(causes), 0), 0);
    assert_int_equal(orr_cause_part(causes, orr_cause_current(causes), 1), 30);
    assert_int_equal(orr_cause_part(causes, orr_cause_current(causes), 2), 20);
    orr_evq_destroy(chain.queue);
    orr_arena_destroy(arena);
}

static void test_nothing_happens_without_causes(void **state)
{
    (void)state;
    orr_cause_spend(NULL, 0, 5);
    orr_cause_add_mark(NULL, 0, 0, 0);
    assert_int_equal(orr_cause_enter(NULL, 3), ORR_CAUSE_ROOT);
    orr_cause_leave(NULL, ORR_CAUSE_ROOT);
    orr_cause_drop(NULL, orr_cause_hold(NULL, 0, 5));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_grow_adds_to_the_part_and_leaves_the_rest),
        cmocka_unit_test(test_leave_restores_what_was_current),
        cmocka_unit_test(test_dropped_records_are_reused),
        cmocka_unit_test(test_follow_links_the_marks_of_both),
        cmocka_unit_test(test_join_of_one_instant_does_not_go_by_the_order),
        cmocka_unit_test(test_join_of_equals_keeps_the_first_or_the_newest),
        cmocka_unit_test(test_events_carry_the_cause_of_who_posted_them),
        cmocka_unit_test(test_events_that_are_nobodys_leave_the_cause_before),
        cmocka_unit_test(test_nothing_happens_without_causes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
