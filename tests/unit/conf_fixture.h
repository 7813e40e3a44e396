/* What the tests of the configuration reader share: an arena, a diagnostic that hears warnings, and
 * texts that are parsed as net.yml. */
#ifndef ORR_TESTS_UNIT_CONF_FIXTURE_H
#define ORR_TESTS_UNIT_CONF_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/conf/conf.h"

struct orr_arena;

struct fixture {
    struct orr_arena *arena;
    struct orr_diag diag;
    char warning[ORR_DIAG_MESSAGE_BYTES]; /* the last one */
    int warnings;
};

static inline void hear(void *user, const char *text)
{
    struct fixture *fixture = user;
    fixture->warnings++;
    (void)snprintf(fixture->warning, sizeof fixture->warning, "%s", text);
}

static inline void clear(struct fixture *fixture)
{
    orr_diag_init(&fixture->diag);
    fixture->diag.warn = hear;
    fixture->diag.warn_user = fixture;
}

static inline int setup(void **state)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    if (fixture == NULL || (fixture->arena = orr_arena_create()) == NULL) {
        free(fixture);
        return -1;
    }
    clear(fixture);
    *state = fixture;
    return 0;
}

static inline int teardown(void **state)
{
    struct fixture *fixture = *state;
    orr_arena_destroy(fixture->arena);
    free(fixture);
    return 0;
}

static inline const struct orr_conf *parse_bytes(struct fixture *fixture, const char *data,
                                                 size_t bytes)
{
    const struct orr_conf *root = NULL;
    clear(fixture);
    const enum orr_status status =
        orr_conf_parse(fixture->arena, data, bytes, "net.yml", &root, &fixture->diag);
    assert_int_equal(status, fixture->diag.status);
    assert_int_equal(status == ORR_OK, root != NULL);
    return root;
}

/* A tree that must be there. */
static inline const struct orr_conf *parse(struct fixture *fixture, const char *text)
{
    const struct orr_conf *root = parse_bytes(fixture, text, strlen(text));
    assert_string_equal(fixture->diag.message, "");
    assert_non_null(root);
    return root;
}

static inline void says(const struct fixture *fixture, const char *expected)
{
    char text[ORR_DIAG_MESSAGE_BYTES + ORR_DIAG_FILE_BYTES];
    (void)orr_diag_render(&fixture->diag, text, sizeof text);
    assert_string_equal(text, expected);
}

#define IN_FIXTURE(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

#endif
