/* What the tests of measured tables share: texts that are read as files of a name, what that gives,
 * and what is said. */
#ifndef ORR_TESTS_UNIT_MEASURED_FIXTURE_H
#define ORR_TESTS_UNIT_MEASURED_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/arena.h"
#include "study/measured/measured.h"
#include "system/collectives/program.h"

struct orr_arena;

#define CSV_HEAD "collective,npus,npus_per_node,bytes,time_us\n"

struct measured_fixture {
    struct orr_arena *arena;
    struct orr_diag diag;
    struct orr_measured measured;
    struct orr_measured_inputs inputs;    /* what holds for files that do not say it */
    char warning[ORR_DIAG_MESSAGE_BYTES]; /* the last one */
    int warnings;
};

static inline void measured_hear(void *user, const char *text)
{
    struct measured_fixture *fixture = user;
    fixture->warnings++;
    (void)snprintf(fixture->warning, sizeof fixture->warning, "%s", text);
}

static inline int measured_setup(void **state)
{
    struct measured_fixture *fixture = calloc(1, sizeof *fixture);
    if (fixture == NULL || (fixture->arena = orr_arena_create()) == NULL) {
        free(fixture);
        return -1;
    }
    *state = fixture;
    return 0;
}

static inline int measured_teardown(void **state)
{
    struct measured_fixture *fixture = *state;
    orr_arena_destroy(fixture->arena);
    free(fixture);
    return 0;
}

static inline enum orr_status measured_try(struct measured_fixture *fixture,
                                           const struct orr_measured_source *source, size_t sources)
{
    struct orr_measured_inputs inputs = fixture->inputs;
    inputs.source = source;
    inputs.sources = sources;
    orr_diag_init(&fixture->diag);
    fixture->diag.warn = measured_hear;
    fixture->diag.warn_user = fixture;
    fixture->warnings = 0;
    fixture->warning[0] = '\0';
    const enum orr_status status =
        orr_measured_read(&inputs, fixture->arena, &fixture->measured, &fixture->diag);
    assert_int_equal(status, fixture->diag.status);
    return status;
}

/* A text that is a file of that name, which must be read. */
static inline const struct orr_measured *measured_of(struct measured_fixture *fixture,
                                                     const char *path, const char *text)
{
    const struct orr_measured_source source = {path, text, strlen(text)};
    (void)measured_try(fixture, &source, 1);
    assert_string_equal(fixture->diag.message, "");
    return &fixture->measured;
}

/* One that must be refused so, with its place. */
static inline void measured_refused(struct measured_fixture *fixture, const char *path,
                                    const char *text, const char *message)
{
    char said[ORR_DIAG_MESSAGE_BYTES];
    const struct orr_measured_source source = {path, text, strlen(text)};
    assert_int_equal(measured_try(fixture, &source, 1), ORR_ERR_INPUT);
    (void)orr_diag_render(&fixture->diag, said, sizeof said);
    assert_string_equal(said, message);
}

/* The index-th row: "all_reduce 16 8 1048576 60.5 @3:1". */
static inline void measured_row_is(const struct orr_measured *measured, size_t index,
                                   const char *expected)
{
    char text[256];
    assert_true(index < measured->rows);
    const struct orr_measured_row *row = &measured->row[index];
    (void)snprintf(text, sizeof text, "%s %u %u %llu %.10g @%u:%u", orr_coll_kind_name(row->kind),
                   (unsigned)row->npus, (unsigned)row->npus_per_node,
                   (unsigned long long)row->bytes, row->time_us, (unsigned)row->line,
                   (unsigned)row->column);
    assert_string_equal(text, expected);
}

#endif
