/* Expressions of results; see sweep_measures.h. */
#include "study/sweep/sweep_measures.h"

#include <math.h>

#include "core/arena.h"
#include "study/sweep/sweep.h"
#include "study/sweep/sweep_configuration.h"
#include "study/sweep/sweep_result.h"

/* The index-th expression: constraints, axes of the front, ranking; NULL after the last one. */
static const struct orr_sweep_expr *expression_at(const struct orr_sweep *sweep, size_t index)
{
    if (index < sweep->filters) {
        return &sweep->filter[index];
    }
    index -= sweep->filters;
    if (index < sweep->fronts) {
        return &sweep->front[index];
    }
    return index == sweep->fronts && sweep->rank_by.expr != NULL ? &sweep->rank_by : NULL;
}

size_t orr_sweep_measure_count(const struct orr_sweep *sweep)
{
    return sweep->fronts + (sweep->rank_by.expr != NULL ? 1 : 0);
}

bool orr_sweep_measures_init(struct orr_sweep_measures *measures, const struct orr_sweep *sweep)
{
    const size_t count = orr_sweep_measure_count(sweep);
    const struct orr_sweep_expr *expr;
    bool files = false, prices = false;
    for (size_t i = 0; (expr = expression_at(sweep, i)) != NULL; i++) {
        files = files || orr_sweep_needs_files(expr, sweep);
        prices = prices || orr_sweep_needs_price(expr);
    }
    *measures = (struct orr_sweep_measures){0};
    if (count != 0) {
        measures->value = orr_heap_calloc((size_t)sweep->points * count, sizeof *measures->value);
    }
    if (files) {
        measures->reader = orr_sweep_reader_create(sweep, prices);
    }
    return (count == 0 || measures->value != NULL) && (!files || measures->reader != NULL);
}

void orr_sweep_measures_fini(struct orr_sweep_measures *measures)
{
    if (measures != NULL) {
        orr_heap_free(measures->value);
        orr_sweep_reader_destroy(measures->reader);
    }
}

/* NAN: it cannot be told. */
static double evaluate(const struct orr_sweep_expr *expr, const struct orr_sweep_scope *scope)
{
    double value = 0;
    return orr_sweep_eval(expr, scope, &value, NULL) == ORR_OK ? (expr->more ? -value : value)
                                                               : NAN;
}

static double npus_of(const struct orr_sweep_result *result)
{
    const int column = orr_sweep_column_of("npus");
    return column >= 0 ? (double)result->value[column].integer : -1;
}

void orr_sweep_measure(struct orr_sweep_measures *measures, const struct orr_sweep *sweep,
                       struct orr_sweep_result *result)
{
    const size_t count = orr_sweep_measure_count(sweep);
    bool lacks_price = false;
    struct orr_sweep_scope scope = {.sweep = sweep,
                                    .candidate = sweep->point[result->point],
                                    .npus = -1,
                                    .time_s = (double)result->wall_ps * 1e-12,
                                    .lacks_price = &lacks_price,
                                    .value = result->value,
                                    .cost = result->cost};
    if (sweep->filters + count == 0) {
        return;
    }
    if (measures->reader != NULL) {
        (void)orr_sweep_reader_fill(measures->reader, &scope);
    }
    scope.npus = npus_of(result);
    for (size_t i = 0; i < sweep->filters; i++) {
        const double value = evaluate(&sweep->filter[i], &scope);
        result->excluded = result->excluded || isnan(value) || value == 0;
    }
    for (size_t i = 0; i < count; i++) {
        measures->value[result->point * count + i] =
            evaluate(expression_at(sweep, sweep->filters + i), &scope);
    }
}
