/* Fits of lines, for tests. */
#ifndef ORR_TESTS_UNIT_FIT_FIXTURE_H
#define ORR_TESTS_UNIT_FIT_FIXTURE_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/arena.h"
#include "core/diag.h"
#include "planner/fit/least_squares.h"

struct orr_arena;

enum { MAX_PARAMS = 4, MAX_ROWS = 40 };

/* residual = slope theta - right of each row; what breaks is asked for with the rest. */
struct linear {
    size_t params, rows;
    double slope[MAX_ROWS][MAX_PARAMS], right[MAX_ROWS];
    double no_number_above; /* theta[0], above which residuals are none */
    bool no_slopes, breaks;
};

static inline enum orr_status ask_linear(void *context, const double *theta, double *residual,
                                         double *jacobian, struct orr_diag *diag)
{
    const struct linear *linear = context;
    for (size_t row = 0; row < linear->rows; row++) {
        residual[row] = -linear->right[row];
        for (size_t k = 0; k < linear->params; k++) {
            residual[row] += linear->slope[row][k] * theta[k];
            if (jacobian != NULL) {
                jacobian[row * linear->params + k] =
                    row == 1 && linear->no_slopes ? NAN : linear->slope[row][k];
            }
        }
    }
    if (theta[0] > linear->no_number_above) {
        residual[linear->rows - 1] = NAN;
    }
    return linear->breaks ? orr_diag_fail(diag, ORR_ERR_DEADLOCK, NULL, "stands still") : ORR_OK;
}

static inline struct fit_param free_param(const char *name, double mean, double std_dev)
{
    return (struct fit_param){name, mean, std_dev, -INFINITY, INFINITY, false};
}

static inline struct fit_problem of_linear(struct linear *linear, const struct fit_param *param)
{
    linear->no_number_above = INFINITY;
    return (struct fit_problem){.param = param,
                                .params = linear->params,
                                .rows = linear->rows,
                                .model = ask_linear,
                                .context = linear,
                                .options = orr_fit_default_options()};
}

static inline void near(double value, double expected, double within)
{
    if (!(fabs(value - expected) <= within)) {
        fail_msg("expected %.15g, got %.15g", expected, value);
    }
}

static inline struct fit_result solve(struct orr_arena *arena, const struct fit_problem *problem)
{
    struct fit_result result;
    struct orr_diag diag;
    orr_diag_init(&diag);
    if (orr_fit_solve(arena, problem, &result, &diag) != ORR_OK) {
        fail_msg("%s", diag.message);
    }
    assert_true(result.converged);
    return result;
}

/* a + b = 3 and a = 1. */
static const struct linear two_lines = {
    .params = 2, .rows = 2, .slope = {{1, 1}, {1, 0}}, .right = {3, 1}};

static inline int set_up(void **state)
{
    *state = orr_arena_create();
    return *state == NULL;
}

static inline int tear_down(void **state)
{
    orr_arena_destroy(*state);
    return 0;
}

#define FIT_TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

#endif
