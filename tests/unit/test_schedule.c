/* Pipeline schedules: totals, peaks and orders of worked examples, published bubbles of random
 * ones, and what every schedule of the list promises. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/arena.h"
#include "core/diag.h"
#include "core/rng.h"
#include "workload/schedule/pass_times.h"
#include "workload/schedule/schedule_builder.h"
#include "workload/schedule/schedule_kinds.h"

static const struct orr_pass_times unit_times = {1, 1, 1, 0, 3};

struct made {
    struct orr_arena *arena;
    struct orr_schedule_request request;
    struct orr_schedule schedule;
    struct orr_schedule_run run;
    struct orr_diag diag;
};

static const struct orr_schedule_kind *kind_of(const char *name)
{
    struct orr_diag diag;
    const struct orr_schedule_kind *kind = NULL;
    orr_diag_init(&diag);
    assert_int_equal(orr_schedule_kind_find(name, &kind, &diag), ORR_OK);
    return kind;
}

/* Makes and runs a schedule; false if it cannot serve the request. */
static bool make(struct made *made, const char *name, struct orr_schedule_request request)
{
    const struct orr_schedule_kind *kind = kind_of(name);
    orr_diag_init(&made->diag);
    made->arena = orr_arena_create();
    assert_non_null(made->arena);
    made->request = request;
    return orr_schedule_complete(kind, &made->request, &made->diag) == ORR_OK &&
           orr_schedule_make(kind, &made->request, made->arena, &made->schedule, &made->diag) ==
               ORR_OK &&
           orr_schedule_run(&made->schedule, made->request.times, made->arena, &made->run,
                            &made->diag) == ORR_OK;
}

static void must_make(struct made *made, const char *name, struct orr_schedule_request request)
{
    if (!make(made, name, request)) {
        fail_msg("%s %u x %u: %s", name, request.stages, request.micros, made->diag.message);
    }
}

static void drop(struct made *made)
{
    orr_arena_destroy(made->arena);
}

/* ---- worked examples ---- */

struct example {
    const char *name;
    uint32_t chunks, stages, micros;
    struct orr_pass_times times;
    double total, peak; /* of the first device; 0: not given */
};

#define ONES                                                                                       \
    {                                                                                              \
        1, 1, 1, 0, 3                                                                              \
    }
#define UNEVEN                                                                                     \
    {                                                                                              \
        1, 1.5, 0.5, 0, 3                                                                          \
    }
#define SEND                                                                                       \
    {                                                                                              \
        1, 1, 1, 0.25, 3                                                                           \
    }

static const struct example examples[] = {{"gpipe", 0, 4, 8, ONES, 33, 8},
                                          {"gpipe", 0, 8, 20, ONES, 81, 20},
                                          {"gpipe", 0, 4, 8, SEND, 34.5, 8},
                                          {"1f1b", 0, 4, 8, ONES, 33, 4},
                                          {"1f1b", 0, 4, 12, ONES, 45, 4},
                                          {"1f1b", 0, 8, 16, ONES, 69, 8},
                                          {"1f1b", 0, 4, 8, UNEVEN, 33, 4},
                                          {"1f1b", 0, 4, 8, SEND, 37, 4},
                                          {"interleaved", 2, 4, 8, ONES, 28.5, 5.5},
                                          {"interleaved", 2, 8, 16, ONES, 58.5, 11.5},
                                          {"interleaved", 2, 4, 8, SEND, 32, 5.5},
                                          {"interleaved", 4, 4, 8, ONES, 26.25, 4.75},
                                          {"interleaved", 4, 4, 12, ONES, 38.25, 4.75},
                                          {"interleaved", 4, 8, 16, ONES, 53.25, 9.75},
                                          {"interleaved", 4, 4, 8, SEND, 33.75, 4.75},
                                          {"breadth-first", 2, 4, 8, ONES, 28.5, 8},
                                          {"breadth-first", 2, 8, 20, ONES, 70.5, 20},
                                          {"breadth-first", 2, 4, 8, SEND, 30, 8},
                                          {"zb-h1", 0, 4, 8, ONES, 27, 4},
                                          {"zb-h1", 0, 8, 20, ONES, 67, 8},
                                          {"zb-h1", 0, 4, 8, UNEVEN, 30, 4},
                                          {"zb-h1", 0, 4, 8, SEND, 30, 4},
                                          {"zb-h2", 0, 4, 8, ONES, 27, 7},
                                          {"zb-h2", 0, 8, 16, ONES, 55, 15},
                                          {"zb-h2", 0, 4, 8, UNEVEN, 28.5, 7},
                                          {"zb-h2", 0, 4, 8, SEND, 27.75, 7},
                                          {"zb-h1", 2, 4, 8, ONES, 25.5, 4},
                                          {"zb-h1", 2, 8, 16, ONES, 51.5, 8},
                                          {"zb-h1", 2, 4, 8, UNEVEN, 27, 4},
                                          {"zb-h1", 2, 4, 8, SEND, 29.5, 4},
                                          {"zb-v", 0, 4, 8, ONES, 25.5, 4},
                                          {"zb-v", 0, 8, 20, ONES, 63.5, 8},
                                          {"zb-v", 0, 4, 8, UNEVEN, 27, 4},
                                          {"zb-v", 0, 4, 8, SEND, 28.75, 4},
                                          {"v-half", 0, 4, 8, ONES, 26.5, 3},
                                          {"v-half", 0, 4, 12, ONES, 38.5, 3},
                                          {"v-half", 0, 6, 12, ONES, 41.5, 4},
                                          {"v-half", 0, 8, 16, ONES, 56.5, 5},
                                          {"v-half", 0, 8, 20, ONES, 68.5, 5},
                                          {"v-min", 0, 4, 8, ONES, 29.5, 2},
                                          {"v-min", 0, 4, 12, ONES, 41.5, 2},
                                          {"v-min", 0, 6, 12, ONES, 44.5, 3},
                                          {"v-min", 0, 8, 16, ONES, 60.5, 4},
                                          {"dualpipev", 0, 4, 8, ONES, 27, 4.5},
                                          {"dualpipev", 0, 8, 16, ONES, 55, 8.5},
                                          {"dualpipev", 0, 4, 8, UNEVEN, 28.75, 4.5},
                                          {"dualpipev", 0, 4, 8, SEND, 32, 4.5},
                                          {"dualpipe", 0, 4, 8, ONES, 26, 5},
                                          {"dualpipe", 0, 8, 16, ONES, 54, 9},
                                          {"dualpipe", 0, 8, 20, ONES, 66, 9},
                                          {"dualpipe", 0, 4, 8, UNEVEN, 27, 5},
                                          {"dualpipe", 0, 4, 8, SEND, 28.25, 5},
                                          {"dualpipe", 0, 4, 8, {1, 1, 1, 0, 2.5}, 24, 5},
                                          {"dualpipev", 0, 4, 8, {1, 1, 1, 0, 2.5}, 24.5, 4.5}};

static void test_worked_examples_have_their_totals_and_peaks(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        const struct example *example = &examples[i];
        struct made made;
        must_make(&made, example->name,
                  (struct orr_schedule_request){.stages = example->stages,
                                                .micros = example->micros,
                                                .chunks = example->chunks,
                                                .times = &example->times});
        if (made.run.total != example->total || made.run.peak[0] != example->peak) {
            fail_msg("%s %u x %u: expected %g, peak %g, got %g, peak %g", example->name,
                     example->stages, example->micros, example->total, example->peak,
                     made.run.total, made.run.peak[0]);
        }
        drop(&made);
    }
}

static void assert_order(const char *name, uint32_t device, const char *expected)
{
    struct made made;
    char order[512] = "";
    must_make(&made, name,
              (struct orr_schedule_request){.stages = 4, .micros = 8, .times = &unit_times});
    for (size_t at = made.schedule.begin[device]; at < made.schedule.begin[device + 1]; at++) {
        char text[64];
        (void)strcat(order, at > made.schedule.begin[device] ? " " : "");
        (void)strcat(order, orr_schedule_slot_text(&made.schedule, &made.schedule.slot[at], text,
                                                   sizeof text));
    }
    assert_string_equal(order, expected);
    drop(&made);
}

static void test_orders_of_worked_examples(void **state)
{
    (void)state;
    assert_order("zb-h1", 0,
                 "F0 F1 F2 F3 B0 W0 F4 B1 W1 F5 B2 W2 F6 B3 W3 F7 B4 W4 B5 W5 B6 W6 B7 W7");
    assert_order("zb-h1", 3,
                 "F0 B0 F1 B1 F2 B2 F3 B3 W0 F4 B4 W1 F5 B5 W2 F6 B6 W3 F7 B7 W4 W5 W6 W7");
    assert_order("1f1b", 2, "F0 F1 X0 F2 X1 F3 X2 F4 X3 F5 X4 F6 X5 F7 X6 X7");
}

/* ---- published bubbles ---- */

/* Where the passes of inputs take as long as the forward ones and those of weights no longer, all
 * published formulas hold exactly. */
static void test_published_bubbles_of_200_random_schedules(void **state)
{
    (void)state;
    struct orr_rng rng;
    orr_rng_init(&rng, 7, 0);
    unsigned compared = 0;
    for (unsigned i = 0; i < 200; i++) {
        const uint32_t stages = 2 * (1 + (uint32_t)orr_rng_below(&rng, 4));
        const uint32_t micros = stages * (2 + (uint32_t)orr_rng_below(&rng, 2));
        const double forward = (1 + (uint32_t)orr_rng_below(&rng, 8)) / 4.0;
        const double weights = forward * (uint32_t)orr_rng_below(&rng, 5) / 4.0;
        const struct orr_pass_times times = {forward, forward, weights, 0, 2 * forward + weights};
        const struct orr_schedule_kind *kind = NULL;
        for (size_t k = 0; (kind = orr_schedule_kind_at(k)) != NULL; k++) {
            struct made made;
            double bubble = 0;
            must_make(
                &made, kind->name,
                (struct orr_schedule_request){.stages = stages, .micros = micros, .times = &times});
            if (kind->closed_form != NULL && kind->closed_form(&made.request, &bubble)) {
                compared++;
                if (fabs(made.run.bubble - bubble) > 1e-9) {
                    fail_msg("%s %u x %u, (%g, %g, %g): expected a bubble of %g, got %g",
                             kind->name, stages, micros, forward, forward, weights, bubble,
                             made.run.bubble);
                }
            }
            drop(&made);
        }
    }
    assert_true(compared > 1500);
}

/* ---- what every schedule promises ---- */

static void check_passes(const struct made *made)
{
    const struct orr_schedule *schedule = &made->schedule;
    unsigned *count = calloc((size_t)schedule->parts * schedule->micros * 3, sizeof *count);
    assert_non_null(count);
    for (uint32_t device = 0; device < schedule->stages; device++) {
        for (size_t at = schedule->begin[device]; at < schedule->begin[device + 1]; at++) {
            for (unsigned i = 0; i < schedule->slot[at].passes; i++) {
                const struct orr_pass *pass = &schedule->slot[at].pass[i];
                unsigned *of = &count[((size_t)pass->part * schedule->micros + pass->micro) * 3];
                assert_int_equal(schedule->device[pass->part], device);
                if (pass->kind == ORR_PASS_BACKWARD) {
                    of[ORR_PASS_BACKWARD_INPUTS]++;
                    of[ORR_PASS_BACKWARD_WEIGHTS]++;
                } else {
                    of[pass->kind]++;
                }
            }
        }
    }
    const uint32_t of_copy = schedule->micros / schedule->copies;
    for (uint32_t part = 0; part < schedule->parts; part++) {
        const uint32_t copy = schedule->first[part] / (schedule->parts / schedule->copies);
        for (uint32_t micro = 0; micro < schedule->micros; micro++) {
            const unsigned expected = micro / of_copy == copy ? 1 : 0;
            for (unsigned kind = 0; kind < 3; kind++) {
                assert_int_equal(count[((size_t)part * schedule->micros + micro) * 3 + kind],
                                 expected);
            }
        }
    }
    free(count);
}

static void test_every_schedule_runs_each_pass_once_at_all_sizes(void **state)
{
    (void)state;
    const struct orr_schedule_kind *kind = NULL;
    for (size_t k = 0; (kind = orr_schedule_kind_at(k)) != NULL; k++) {
        unsigned made_of = 0;
        assert_true(strlen(kind->name) > 0 && strlen(kind->summary) > 0);
        for (uint32_t stages = 1; stages <= 8; stages++) {
            for (uint32_t micros = 1; micros <= 24; micros++) {
                struct made made;
                if (make(&made, kind->name,
                         (struct orr_schedule_request){
                             .stages = stages, .micros = micros, .times = &unit_times})) {
                    check_passes(&made);
                    assert_true(made.run.total >= 3.0 * micros);
                    made_of++;
                } else {
                    /* Only its own check may refuse. */
                    assert_non_null(kind->check);
                    assert_non_null(strstr(made.diag.message, kind->name));
                }
                drop(&made);
            }
        }
        assert_true(made_of >= 30); /* dualpipe: 32 */
    }
}

static void test_greedy_keeps_its_limit(void **state)
{
    (void)state;
    double before = INFINITY;
    for (uint32_t memory = 1; memory <= 8; memory++) {
        struct made made;
        must_make(&made, "memory-limit",
                  (struct orr_schedule_request){
                      .stages = 4, .micros = 12, .memory = memory, .times = &unit_times});
        for (uint32_t device = 0; device < 4; device++) {
            assert_true(made.run.peak[device] <= memory);
        }
        assert_true(made.run.total <= before);
        before = made.run.total;
        drop(&made);
    }
    /* As ZB-H2 with 2 P - 1 = 7: 12 x 3 and three forward passes of skew. */
    assert_true(before == 39);
}

/* ---- refusals ---- */

static void assert_refused(const char *name, struct orr_schedule_request request, const char *why)
{
    struct made made;
    request.times = &unit_times;
    assert_false(make(&made, name, request));
    assert_non_null(strstr(made.diag.message, why));
    drop(&made);
}

static void test_refused_sizes_are_named(void **state)
{
    (void)state;
    assert_refused("gpipe", (struct orr_schedule_request){.micros = 4},
                   "stages: missing, expected 1 to");
    assert_refused("gpipe", (struct orr_schedule_request){.stages = 4},
                   "micro-batches: missing, expected at least 1");
    assert_refused("1f1b", (struct orr_schedule_request){.stages = 4, .micros = 8, .chunks = 2},
                   "1f1b: a device has 1 chunk, got 2");
    assert_refused("1f1b", (struct orr_schedule_request){.stages = 4, .micros = 8, .group = 2},
                   "1f1b: it has no group");
    assert_refused("zb-h1", (struct orr_schedule_request){.stages = 4, .micros = 8, .memory = 3},
                   "zb-h1: it has no limit on memory");
    assert_refused("interleaved", (struct orr_schedule_request){.stages = 4, .micros = 3},
                   "interleaved: expected at least as many micro-batches as stages (4), got 3");
    assert_refused("dualpipe", (struct orr_schedule_request){.stages = 3, .micros = 8},
                   "dualpipe: expected an even number of stages, got 3");
    assert_refused("dualpipe", (struct orr_schedule_request){.stages = 4, .micros = 6},
                   "at least 8 (2 x stages), got 6");
    assert_refused("dualpipev", (struct orr_schedule_request){.stages = 4, .micros = 7},
                   "dualpipev: expected at least 8 micro-batches (2 x stages), got 7");
    assert_refused("gpipe", (struct orr_schedule_request){.stages = 4096, .micros = 1u << 20},
                   "expected at most 16777216 passes");
}

static void test_unknown_schedule_is_refused_with_the_names(void **state)
{
    (void)state;
    struct orr_diag diag;
    const struct orr_schedule_kind *kind = NULL;
    orr_diag_init(&diag);
    assert_int_equal(orr_schedule_kind_find("zbh1", &kind, &diag), ORR_ERR_INPUT);
    assert_non_null(strstr(diag.message, "gpipe, 1f1b, interleaved"));
    assert_non_null(strstr(diag.message, "did you mean \"zb-h1\"?"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_worked_examples_have_their_totals_and_peaks),
        cmocka_unit_test(test_orders_of_worked_examples),
        cmocka_unit_test(test_published_bubbles_of_200_random_schedules),
        cmocka_unit_test(test_every_schedule_runs_each_pass_once_at_all_sizes),
        cmocka_unit_test(test_greedy_keeps_its_limit),
        cmocka_unit_test(test_refused_sizes_are_named),
        cmocka_unit_test(test_unknown_schedule_is_refused_with_the_names)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
