/* Waiting lines and the slab they live in. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/fifo.h"
#include "core/rng.h"
#include "core/slab.h"

enum { RECORDS = 5000 };

struct item {
    struct orr_fifo_item waiting;
    uint64_t value;
};

static struct item *at(const struct orr_slab *slab, uint32_t handle)
{
    return orr_slab_at(slab, handle);
}

/* ---- the slab ---- */

static void test_slab_records_stay_where_they_are(void **state)
{
    (void)state;
    struct orr_arena *arena = orr_arena_create();
    struct orr_slab slab;
    const struct item *address[RECORDS];
    orr_slab_init(&slab, arena, sizeof(struct item));
    for (uint32_t i = 0; i < RECORDS; i++) {
        assert_int_equal(orr_slab_new(&slab), i);
        address[i] = at(&slab, i);
        memset(at(&slab, i), (int)(i & 0xFF), sizeof(struct item));
        at(&slab, i)->value = i;
    }
    for (uint32_t i = 0; i < RECORDS; i++) {
        assert_ptr_equal(at(&slab, i), address[i]);
        assert_int_equal(at(&slab, i)->value, i);
    }
    orr_arena_destroy(arena);
}

static void test_slab_freed_records_are_reused_last_first(void **state)
{
    (void)state;
    struct orr_arena *arena = orr_arena_create();
    struct orr_slab slab;
    orr_slab_init(&slab, arena, sizeof(struct item));
    for (uint32_t i = 0; i < 10; i++) {
        (void)orr_slab_new(&slab);
    }
    orr_slab_free(&slab, 3);
    orr_slab_free(&slab, 7);
    assert_int_equal(orr_slab_new(&slab), 7);
    assert_int_equal(orr_slab_new(&slab), 3);
    assert_int_equal(orr_slab_new(&slab), 10);
    orr_arena_destroy(arena);
}

static void test_slab_out_of_memory_returns_none_and_can_go_on(void **state)
{
    (void)state;
    struct orr_arena *arena = orr_arena_create();
    struct orr_slab slab;
    orr_slab_init(&slab, arena, sizeof(struct item));
    orr_arena_fail_after(arena, 1);
    for (uint32_t i = 0; i < 256; i++) {
        assert_int_equal(orr_slab_new(&slab), i);
    }
    assert_int_equal(orr_slab_new(&slab), ORR_SLAB_NONE);
    orr_arena_fail_after(arena, -1);
    assert_int_equal(orr_slab_new(&slab), 256);
    orr_arena_destroy(arena);
}

/* ---- the line ---- */

static uint32_t new_item(struct orr_slab *slab, sim_time since, uint64_t label, uint64_t tie)
{
    const uint32_t handle = orr_slab_new(slab);
    *at(slab, handle) = (struct item){.waiting = {.since = since, .label = label, .tie = tie}};
    return handle;
}

static void test_append_keeps_the_order_of_coming(void **state)
{
    (void)state;
    struct orr_arena *arena = orr_arena_create();
    struct orr_slab slab;
    struct orr_fifo fifo;
    orr_slab_init(&slab, arena, sizeof(struct item));
    orr_fifo_init(&fifo);
    assert_true(orr_fifo_empty(&fifo));
    for (uint32_t i = 0; i < 5; i++) {
        orr_fifo_append(&fifo, &slab, new_item(&slab, 0, 0, 9 - i));
    }
    for (uint32_t i = 0; i < 5; i++) {
        assert_false(orr_fifo_empty(&fifo));
        assert_int_equal(orr_fifo_pop(&fifo, &slab), i);
    }
    assert_true(orr_fifo_empty(&fifo));
    orr_arena_destroy(arena);
}

/* Label 5 came before label 4, and stays before; only equal labels of an instant are sorted. */
static void test_insert_sorts_only_the_last_run_of_equal_labels(void **state)
{
    (void)state;
    static const struct {
        sim_time since;
        uint64_t label, tie;
    } cases[] = {{0, 5, 2}, {0, 5, 1}, {0, 4, 3}, {0, 4, 9}, {0, 4, 1}, {1, 4, 0}, {1, 4, 2}};
    static const uint32_t order[] = {1, 0, 4, 2, 3, 5, 6};
    struct orr_arena *arena = orr_arena_create();
    struct orr_slab slab;
    struct orr_fifo fifo;
    orr_slab_init(&slab, arena, sizeof(struct item));
    orr_fifo_init(&fifo);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        orr_fifo_insert(&fifo, &slab,
                        new_item(&slab, cases[i].since, cases[i].label, cases[i].tie));
    }
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        assert_int_equal(orr_fifo_pop(&fifo, &slab), order[i]);
    }
    orr_arena_destroy(arena);
}

/* The record before the run is taken out, and its place in the slab used again, for the run. */
static void test_insert_run_goes_on_after_the_record_before_it_left(void **state)
{
    (void)state;
    struct orr_arena *arena = orr_arena_create();
    struct orr_slab slab;
    struct orr_fifo fifo;
    orr_slab_init(&slab, arena, sizeof(struct item));
    orr_fifo_init(&fifo);
    orr_fifo_insert(&fifo, &slab, new_item(&slab, 0, 1, 0));
    orr_fifo_insert(&fifo, &slab, new_item(&slab, 0, 2, 5));
    orr_slab_free(&slab, orr_fifo_pop(&fifo, &slab));
    orr_fifo_insert(&fifo, &slab, new_item(&slab, 0, 2, 4));
    assert_int_equal(orr_fifo_pop(&fifo, &slab), 0);
    assert_int_equal(orr_fifo_pop(&fifo, &slab), 1);
    assert_true(orr_fifo_empty(&fifo));
    orr_arena_destroy(arena);
}

static int by_tie(const void *left, const void *right)
{
    const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return a < b ? -1 : a > b;
}

/* Instants of three labels with random ties each, while now and then one is taken out. */
static void test_insert_random_runs_match_a_sorted_model(void **state)
{
    (void)state;
    enum { RUN = 20, RUNS = 300 };
    struct orr_rng rng;
    orr_rng_init(&rng, 1, 0);
    struct orr_arena *arena = orr_arena_create();
    struct orr_slab slab;
    struct orr_fifo fifo;
    uint64_t model[RUN * RUNS];
    uint32_t taken = 0;
    orr_slab_init(&slab, arena, sizeof(struct item));
    orr_fifo_init(&fifo);
    for (uint32_t run = 0; run < RUNS; run++) {
        for (uint32_t i = 0; i < RUN; i++) {
            model[run * RUN + i] = orr_rng_next(&rng);
            orr_fifo_insert(&fifo, &slab, new_item(&slab, run / 3, run % 3, model[run * RUN + i]));
        }
        qsort(model + run * RUN, RUN, sizeof *model, by_tie);
        for (uint64_t n = orr_rng_below(&rng, 2 * RUN); n > 0 && !orr_fifo_empty(&fifo); n--) {
            const uint32_t handle = orr_fifo_pop(&fifo, &slab);
            assert_int_equal(at(&slab, handle)->waiting.tie, model[taken++]);
            orr_slab_free(&slab, handle);
        }
    }
    while (!orr_fifo_empty(&fifo)) {
        assert_int_equal(at(&slab, orr_fifo_pop(&fifo, &slab))->waiting.tie, model[taken++]);
    }
    assert_int_equal(taken, RUN * RUNS);
    orr_arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_slab_records_stay_where_they_are),
        cmocka_unit_test(test_slab_freed_records_are_reused_last_first),
        cmocka_unit_test(test_slab_out_of_memory_returns_none_and_can_go_on),
        cmocka_unit_test(test_append_keeps_the_order_of_coming),
        cmocka_unit_test(test_insert_sorts_only_the_last_run_of_equal_labels),
        cmocka_unit_test(test_insert_run_goes_on_after_the_record_before_it_left),
        cmocka_unit_test(test_insert_random_runs_match_a_sorted_model),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
