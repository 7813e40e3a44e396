/* Tables of schedules: what is read, written and refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/arena.h"
#include "core/diag.h"
#include "workload/schedule/pass_times.h"
#include "workload/schedule/schedule_builder.h"
#include "workload/schedule/schedule_kinds.h"
#include "workload/schedule/schedule_table.h"

static const struct orr_pass_times unit_times = {1, 1, 1, 0, 3};

struct read {
    struct orr_arena *arena;
    struct orr_schedule schedule;
    struct orr_schedule_run run;
    struct orr_diag diag;
};

static enum orr_status parse(struct read *read, const char *text)
{
    orr_diag_init(&read->diag);
    read->arena = orr_arena_create();
    assert_non_null(read->arena);
    if (orr_schedule_table_parse("t.csv", text, read->arena, &read->schedule, &read->diag) ==
        ORR_OK) {
        (void)orr_schedule_run(&read->schedule, &unit_times, read->arena, &read->run, &read->diag);
    }
    return read->diag.status;
}

static void assert_run(const char *text, double total, double peak, uint32_t chunks)
{
    struct read read;
    if (parse(&read, text) != ORR_OK) {
        fail_msg("%s: %s", text, read.diag.message);
    }
    assert_true(read.run.total == total);
    assert_true(read.run.peak[0] == peak);
    assert_int_equal(read.schedule.chunks, chunks);
    orr_arena_destroy(read.arena);
}

static void assert_refused(const char *text, unsigned line, unsigned cell, const char *why)
{
    struct read read;
    assert_int_equal(parse(&read, text), ORR_ERR_INPUT);
    if (strstr(read.diag.message, why) == NULL) {
        fail_msg("expected \"%s\", got \"%s\"", why, read.diag.message);
    }
    assert_int_equal(read.diag.place.line, line);
    assert_int_equal(read.diag.place.column, cell);
    orr_arena_destroy(read.arena);
}

/* Two stages, two micro-batches: F0 F1 . X0 X1 and . F0 X0 F1 X1: device 1 begins X0 at 2, ends at
 * 4; F1 to 5, X1 to 7; device 0: X0 4 to 6, X1 7 to 9. The last one: device 1 F0 B0 F1 B1 W0 W1
 * from 1 to 7; device 0: B0 at 3, W0, B1 at 5, W1 to 7. */
static void test_a_table_is_run_in_its_order(void **state)
{
    (void)state;
    assert_run("F0,F1,,,X0,X1\n,F0,X0,F1,X1\n", 9, 2, 1);
    assert_run("device,0,1,2,3\n0,F0,F1,B0,B1\n1,F0,B0,F1,B1\n", 9, 2, 1);
    assert_run("# of mine\n\nF0, F1, B0, W0, B1, W1\r\nF0, B0, F1, B1, W0, W1\r\n", 7, 2, 1);
}

static void test_parts_of_a_table_as_pytorch_names_them(void **state)
{
    (void)state;
    /* A V of one micro-batch: parts of half a stage, F 0.5, backward 1: 4 x 0.5 + 4 x 1. */
    assert_run("0F0,3F0,3B0,0B0\n1F0,2F0,2B0,1B0\n", 6, 1, 2);
    assert_run("0F0,2F0,2I0,2W0,0I0,0W0\n1F0,3F0,3I0,3W0,1I0,1W0\n", 4.5, 1, 2);
    assert_run("F0.0,F0.1,X0.1,X0.0\nF0.0,F0.1,X0.1,X0.0\n", 6, 1, 2);
}

/* What is written is read again, with the same times, for every schedule of the list. */
static void test_every_schedule_is_written_and_read_again(void **state)
{
    (void)state;
    const struct orr_schedule_kind *kind = NULL;
    for (size_t i = 0; (kind = orr_schedule_kind_at(i)) != NULL; i++) {
        struct orr_arena *arena = orr_arena_create();
        struct orr_schedule_request request = {.stages = 4, .micros = 8, .times = &unit_times};
        struct orr_schedule schedule;
        struct orr_schedule_run run;
        struct orr_diag diag;
        char *text = NULL;
        size_t bytes = 0;
        orr_diag_init(&diag);
        assert_int_equal(orr_schedule_complete(kind, &request, &diag), ORR_OK);
        assert_int_equal(orr_schedule_make(kind, &request, arena, &schedule, &diag), ORR_OK);
        assert_int_equal(orr_schedule_run(&schedule, &unit_times, arena, &run, &diag), ORR_OK);
        FILE *out = open_memstream(&text, &bytes);
        assert_non_null(out);
        orr_schedule_table_write(out, &schedule);
        assert_int_equal(fclose(out), 0);
        assert_run(text, run.total, run.peak[0], schedule.chunks);
        free(text);
        orr_arena_destroy(arena);
    }
}

static void test_bad_cells_are_named(void **state)
{
    (void)state;
    assert_refused("F0,G1\n", 1, 2, "cell 2: expected a pass such as F0");
    assert_refused("F0,F\n", 1, 2, "got \"F\"");
    assert_refused("F0,X0\nF0,X0,F99999999999\n", 2, 3, "cell 3: expected a pass");
    assert_refused("F0,X0\nF0,F0,X0\n", 2, 2, "cell 2: the pass stands twice in the table");
    assert_refused("F0,X0,W0\n", 1, 3, "the pass stands twice");
    assert_refused("0F0,0B0\nF0,X0\n", 2, 1, "expected all cells with a part of the model");
    assert_refused("0F0,1F0,1B0,0B0\n1F1,0F1\n", 2, 1, "the part is on another device above");
}

static void test_holes_and_cycles_are_named(void **state)
{
    (void)state;
    assert_refused("", 0, 0, "expected a line for each device");
    assert_refused("F0,F1,X0,X1\nF0,X0,X1\n", 0, 0, "device 1: no forward pass of micro-batch 1");
    assert_refused("F0,F1,X0\nF0,X0,F1,X1\n", 0, 0, "device 0: no backward pass of micro-batch 1");
    assert_refused("F0,B0\nF0,B0,W0\n", 0, 0, "device 0: no weights' pass of micro-batch 0");
    assert_refused("F1,X1\nF1,X1\n", 0, 0, "no forward pass of micro-batch 0");
    assert_refused("0F0,0I0,0W0,0F1,0I1,0W1\n1F1,1I1,1W1\n", 0, 0,
                   "a pass is missing: micro-batch 1 goes through parts 0 to 1, one before it "
                   "through parts 0 to 0");
    assert_refused("X0,F0\nF0,X0\n", 0, 0,
                   "device 0, slot 0 (X0) waits for a pass that waits for it");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_table_is_run_in_its_order),
        cmocka_unit_test(test_parts_of_a_table_as_pytorch_names_them),
        cmocka_unit_test(test_every_schedule_is_written_and_read_again),
        cmocka_unit_test(test_bad_cells_are_named),
        cmocka_unit_test(test_holes_and_cycles_are_named)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
