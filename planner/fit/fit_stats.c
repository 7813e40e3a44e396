/* Quantiles of errors. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "planner/fit/fit_stats.h"

#include "core/arena.h"
#include "core/diag.h"

/* The error of a row, and its sort key. */
struct error {
    size_t group;
    double value;
};

static size_t row_of(const struct fit_rows *rows, size_t i)
{
    return rows->row == NULL ? i : rows->row[i];
}

static enum orr_status error_of(const struct fit_rows *rows, size_t i, double *out,
                                struct orr_diag *diag)
{
    const size_t row = row_of(rows, i);
    const double model = rows->model[row], measured = rows->measured[row];
    if (!isfinite(model) || !(measured > 0 && isfinite(measured))) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                             "row %zu: expected a finite prediction of a measurement above 0, got "
                             "%g of %g",
                             row, model, measured);
    }
    *out = model / measured - 1;
    return ORR_OK;
}

static int ascending(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static int by_group(const void *left, const void *right)
{
    const struct error *a = left, *b = right;
    return a->group != b->group ? (a->group > b->group) - (a->group < b->group)
                                : ascending(&a->value, &b->value);
}

double orr_fit_quantile(const double *sorted, size_t count, double q)
{
    const double position = q * (double)(count - 1);
    const size_t below = (size_t)position;
    const size_t above = below + 1 < count ? below + 1 : below;
    return sorted[below] + (position - (double)below) * (sorted[above] - sorted[below]);
}

enum orr_status orr_fit_stats(struct orr_arena *arena, const struct fit_rows *rows,
                              struct fit_stats *out, struct orr_diag *diag)
{
    double *error = orr_arena_array(arena, rows->count + 1, sizeof *error);
    *out = (struct fit_stats){rows->count, NAN, NAN, NAN, NAN, SIZE_MAX};
    if (error == NULL) {
        return orr_diag_no_memory(diag, "statistics of a fit");
    }
    for (size_t i = 0; i < rows->count; i++) {
        const enum orr_status status = error_of(rows, i, &error[i], diag);
        if (status != ORR_OK) {
            return status;
        }
        if (i == 0 || fabs(error[i]) > out->worst) {
            out->worst = fabs(error[i]);
            out->worst_row = row_of(rows, i);
        }
    }
    if (rows->count == 0) {
        return ORR_OK;
    }
    qsort(error, rows->count, sizeof *error, ascending);
    out->bias = orr_fit_quantile(error, rows->count, 0.5);
    for (size_t i = 0; i < rows->count; i++) {
        error[i] = fabs(error[i]);
    }
    qsort(error, rows->count, sizeof *error, ascending);
    out->median = orr_fit_quantile(error, rows->count, 0.5);
    out->p90 = orr_fit_quantile(error, rows->count, 0.9);
    return ORR_OK;
}

/* The medians of groups. `error` is sorted by group, then by value. Returns the number of groups.
 */
static size_t group_medians(const struct error *error, size_t count, double *value, double *median)
{
    size_t groups = 0, first = 0;
    for (size_t i = 0; i < count; i++) {
        value[i] = error[i].value;
        if (i + 1 == count || error[i + 1].group != error[i].group) {
            median[groups++] = orr_fit_quantile(value + first, i + 1 - first, 0.5);
            first = i + 1;
        }
    }
    return groups;
}

enum orr_status orr_fit_median_of_groups(struct orr_arena *arena, const struct fit_rows *rows,
                                         const size_t *group, double *out, struct orr_diag *diag)
{
    struct error *error = orr_arena_array(arena, rows->count + 1, sizeof *error);
    double *value = orr_arena_array(arena, rows->count + 1, sizeof *value);
    double *median = orr_arena_array(arena, rows->count + 1, sizeof *median);
    *out = NAN;
    if (error == NULL || value == NULL || median == NULL) {
        return orr_diag_no_memory(diag, "statistics of a fit");
    }
    for (size_t i = 0; i < rows->count; i++) {
        const enum orr_status status = error_of(rows, i, &error[i].value, diag);
        if (status != ORR_OK) {
            return status;
        }
        error[i].value = fabs(error[i].value);
        error[i].group = group[row_of(rows, i)];
    }
    if (rows->count == 0) {
        return ORR_OK;
    }
    qsort(error, rows->count, sizeof *error, by_group);
    const size_t groups = group_medians(error, rows->count, value, median);
    qsort(median, groups, sizeof *median, ascending);
    *out = orr_fit_quantile(median, groups, 0.5);
    return ORR_OK;
}
