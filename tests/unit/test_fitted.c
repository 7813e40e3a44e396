/* compute.fitted: what is read, and what is refused by place. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "core/conf/conf.h"
#include "workload/roofline/fitted.h"

struct fixture {
    struct orr_arena *arena;
    struct orr_diag diag;
    const struct wl_fitted *fitted;
};

static int begin(void **state)
{
    static struct fixture fixture;
    fixture = (struct fixture){.arena = orr_arena_create()};
    orr_diag_init(&fixture.diag);
    *state = &fixture;
    return fixture.arena == NULL;
}

static int end(void **state)
{
    orr_arena_destroy(((struct fixture *)*state)->arena);
    return 0;
}

static enum orr_status read(struct fixture *fixture, const char *text)
{
    const struct orr_conf *root = NULL;
    orr_diag_init(&fixture->diag);
    assert_int_equal(
        orr_conf_parse(fixture->arena, text, strlen(text), "f.yml", &root, &fixture->diag), ORR_OK);
    return orr_wl_fitted_read(fixture->arena, root, &fixture->fitted, &fixture->diag);
}

static void test_a_fit_reads_back(void **state)
{
    struct fixture *fixture = *state;
    assert_int_equal(read(fixture, "gpu: A100\n"
                                   "stack: Megatron-LM\n"
                                   "rows: 48\n"
                                   "error: 0.04\n"
                                   "sigma: 0.05\n"
                                   "parameters: [{name: a, spread: 0.1}, {name: b, spread: 0.2}, "
                                   "{name: c, spread: 0.3}]\n"
                                   "correlation: [[1], [-0.5, 1], [0.25, 0.5, 1]]\n"),
                     ORR_OK);
    const struct wl_fitted *fitted = fixture->fitted;
    assert_string_equal(fitted->gpu, "A100");
    assert_string_equal(fitted->stack, "Megatron-LM");
    assert_null(fitted->source);
    assert_int_equal(fitted->rows, 48);
    assert_true(fitted->error == 0.04 && fitted->sigma == 0.05);
    assert_int_equal(fitted->params, 3);
    assert_string_equal(fitted->name[1], "b");
    assert_true(fitted->spread[2] == 0.3);
    const double expected[] = {1, -0.5, 0.25, -0.5, 1, 0.5, 0.25, 0.5, 1};
    for (size_t i = 0; i < 9; i++) {
        assert_true(fitted->correlation[i] == expected[i]);
    }
}

static void test_all_of_it_may_be_left_out(void **state)
{
    struct fixture *fixture = *state;
    assert_int_equal(orr_wl_fitted_read(fixture->arena, NULL, &fixture->fitted, &fixture->diag),
                     ORR_OK);
    assert_null(fixture->fitted);
    assert_int_equal(read(fixture, "{}"), ORR_OK);
    assert_null(fixture->fitted->gpu);
    assert_int_equal(fixture->fitted->params, 0);
    assert_int_equal(read(fixture, "parameters: [{name: a, spread: 0.1}, {name: b, spread: 0}]"),
                     ORR_OK);
    assert_true(fixture->fitted->correlation[0] == 1 && fixture->fitted->correlation[1] == 0);
}

static void refuses(struct fixture *fixture, const char *text, const char *message)
{
    char rendered[ORR_DIAG_MESSAGE_BYTES + ORR_DIAG_FILE_BYTES];
    assert_int_equal(read(fixture, text), ORR_ERR_INPUT);
    (void)orr_diag_render(&fixture->diag, rendered, sizeof rendered);
    assert_string_equal(rendered, message);
}

static void test_what_is_wrong_is_said_by_place(void **state)
{
    struct fixture *fixture = *state;
    static const char row[] = "expected a row of the lower triangle: as many numbers as it is from "
                              "the first, which has one, got a list";
    char message[512];
    refuses(fixture, "gpus: A100",
            "f.yml:1:1: gpus: unknown key in the compute.fitted section; did you mean \"gpu\"?");
    refuses(fixture, "parameters: [{name: a}]",
            "f.yml:1:14: parameters[0]: a fitted parameter needs the key \"spread\" (standard "
            "deviation of its logarithm after the fit), such as spread: 0.02");
    refuses(fixture, "correlation: [[1]]",
            "f.yml:1:14: correlation: expected a list with a row for each of the parameters, got a "
            "list");
    (void)snprintf(message, sizeof message, "f.yml:1:54: correlation[0]: %s", row);
    refuses(fixture, "{parameters: [{name: a, spread: 0.1}], correlation: [[1, 1]]}", message);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_a_fit_reads_back, begin, end),
        cmocka_unit_test_setup_teardown(test_all_of_it_may_be_left_out, begin, end),
        cmocka_unit_test_setup_teardown(test_what_is_wrong_is_said_by_place, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
