/* Plot of a sweep; see sweep_plot.h. */
#include "study/ranking/sweep_plot.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/strings.h"
#include "core/sum.h"
#include "report/charts/charts.h"
#include "study/ranking/sweep_plot_axis.h"
#include "study/sweep/sweep.h"
#include "study/sweep/sweep_result.h"
#include "study/sweep/sweep_store.h"

enum { MAX_KEY = 28, MAX_FILE = 40, MAX_HEAD = 50 };

/* ---- quantities of the axes ---- */

static enum orr_status check_texts(const struct orr_sweep *sweep, const char *option,
                                   const struct orr_sweep_quantity *quantity, struct orr_diag *diag)
{
    if (quantity->kind != ORR_SWEEP_VALUE || quantity->unit_name != NULL ||
        sweep->axis[quantity->index].count <= ORR_SWEEP_PLOT_TEXTS) {
        return ORR_OK;
    }
    return orr_diag_fail(
        diag, ORR_ERR_INPUT, NULL,
        "%s: %s has %zu texts, at most %d fit; expected an axis of numbers or a result", option,
        quantity->name, sweep->axis[quantity->index].count, ORR_SWEEP_PLOT_TEXTS);
}

/* Errors are prefixed by the option's name. */
static enum orr_status choose(const struct orr_sweep *sweep, const char *option, const char *name,
                              struct orr_sweep_quantity *out, struct orr_diag *diag)
{
    struct orr_diag reason;
    orr_diag_init(&reason);
    if (orr_sweep_find_quantity(sweep, name, out, &reason) != ORR_OK) {
        return orr_diag_fail(diag, reason.status, NULL, "%s: %s", option, reason.message);
    }
    return check_texts(sweep, option, out, diag);
}

enum orr_status orr_sweep_plot_choose(const struct orr_sweep *sweep, const char *x, const char *y,
                                      struct orr_sweep_plot *plot, struct orr_diag *diag)
{
    *plot = (struct orr_sweep_plot){.sweep = sweep};
    enum orr_status status = choose(sweep, "--x", x != NULL ? x : "cost", &plot->x, diag);
    if (status == ORR_OK) {
        status = choose(sweep, "--y", y != NULL ? y : "time", &plot->y, diag);
    }
    if (status == ORR_OK && strcmp(plot->x.name, plot->y.name) == 0) {
        status = orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                               "--x and --y are both %s; name something else for one of them",
                               plot->x.label);
    }
    return status;
}

/* ---- the points ---- */

static bool read_value(const struct orr_sweep *sweep, const struct orr_sweep_quantity *quantity,
                       const struct orr_sweep_result *result, double *out)
{
    if (quantity->kind == ORR_SWEEP_VALUE && quantity->unit_name == NULL) {
        const struct orr_sweep_value *value =
            orr_sweep_value_at(sweep, quantity->index, sweep->point[result->point]);
        *out = orr_sweep_plot_text_position(&sweep->axis[quantity->index], value->label);
        return true;
    }
    const struct orr_value value = orr_sweep_quantity_value(sweep, quantity, result);
    *out = value.kind == ORR_VALUE_REAL
               ? value.real
               : (double)orr_sum_clamp(value.kind == ORR_VALUE_NONE ? 0 : value.integer);
    return value.kind == ORR_VALUE_INTEGER || value.kind == ORR_VALUE_BOOL ||
           (value.kind == ORR_VALUE_REAL && isfinite(value.real));
}

/* Negates values of which larger is better, so that smaller always is. */
static double signed_value(const struct orr_sweep_quantity *quantity, double value)
{
    return quantity->more ? -value : value;
}

static int compare(const void *a, const void *b)
{
    const struct orr_sweep_plot_point *first = a, *second = b;
    if (first->group != second->group) {
        return first->group < second->group ? -1 : 1;
    }
    if (first->x < second->x || first->x > second->x) {
        return first->x < second->x ? -1 : 1;
    }
    return first->y < second->y ? -1 : first->y > second->y;
}

static enum orr_status gather(struct orr_sweep_plot *plot, struct orr_sweep_store *store,
                              struct orr_diag *diag)
{
    for (uint32_t i = 0; i < plot->sweep->points; i++) {
        struct orr_sweep_result result;
        double x, y;
        if (store->row[i].state == ORR_SWEEP_FAILED) {
            plot->failed++;
            continue;
        }
        if (store->row[i].excluded) {
            continue;
        }
        const enum orr_status status = orr_sweep_store_read(store, i, &result, diag);
        if (status != ORR_OK) {
            return status;
        }
        if (!read_value(plot->sweep, &plot->x, &result, &x) ||
            !read_value(plot->sweep, &plot->y, &result, &y)) {
            plot->without_value++;
            continue;
        }
        plot->point[plot->points++] = (struct orr_sweep_plot_point){
            signed_value(&plot->x, x), signed_value(&plot->y, y), orr_sweep_group(plot->sweep, i)};
    }
    return ORR_OK;
}

enum orr_status orr_sweep_plot_read(struct orr_sweep_plot *plot, struct orr_sweep_store *store,
                                    struct orr_diag *diag)
{
    plot->point = orr_heap_calloc(plot->sweep->points, sizeof *plot->point);
    if (plot->point == NULL) {
        return orr_diag_no_memory(diag, "a plot of a sweep");
    }
    const enum orr_status status = gather(plot, store, diag);
    if (status == ORR_OK && plot->points == 0) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                             "there is nothing to plot: of %" PRIu32 " point%s %" PRIu32
                             " failed, and none of the others has both %s and %s; --x and --y "
                             "choose others",
                             plot->sweep->points, orr_plural(plot->sweep->points), plot->failed,
                             plot->x.label, plot->y.label);
    }
    qsort(plot->point, plot->points, sizeof *plot->point, compare);
    return status;
}

void orr_sweep_plot_fini(struct orr_sweep_plot *plot)
{
    orr_heap_free(plot->point);
    plot->point = NULL;
}

/* ---- series ---- */

/* The points of a group, best x first. */
struct series {
    const struct orr_sweep_plot_point *point;
    uint32_t count;
    double best; /* best y */
};

struct picture {
    const struct orr_sweep_plot *plot;
    struct orr_chart chart;
    double x_unit, y_unit; /* sizes of the axes' units */
    struct series *series; /* [count] the best y first */
    uint32_t count, colored;
};

static int compare_series(const void *a, const void *b)
{
    const struct series *first = a, *second = b;
    if (first->best < second->best || first->best > second->best) {
        return first->best < second->best ? -1 : 1;
    }
    return first->point < second->point ? -1 : first->point > second->point;
}

static int compare_groups(const void *a, const void *b)
{
    const struct series *first = a, *second = b;
    return first->point < second->point ? -1 : first->point > second->point;
}

/* False when memory is out. */
static bool split_series(struct picture *picture)
{
    const struct orr_sweep_plot *plot = picture->plot;
    picture->series = orr_heap_calloc(plot->points, sizeof *picture->series);
    for (uint32_t i = 0; picture->series != NULL && i < plot->points; i++) {
        const struct orr_sweep_plot_point *point = &plot->point[i];
        if (i == 0 || point->group != point[-1].group) {
            picture->series[picture->count++] = (struct series){.point = point, .best = point->y};
        }
        struct series *series = &picture->series[picture->count - 1];
        series->count++;
        series->best = point->y < series->best ? point->y : series->best;
    }
    if (picture->series == NULL) {
        return false;
    }
    qsort(picture->series, picture->count, sizeof *picture->series, compare_series);
    picture->colored =
        picture->count < ORR_SWEEP_PLOT_COLORS ? picture->count : ORR_SWEEP_PLOT_COLORS;
    /* in the order of the groups */
    qsort(picture->series, picture->colored, sizeof *picture->series, compare_groups);
    return true;
}

static void add_point(struct picture *picture, const struct orr_sweep_plot_point *point)
{
    orr_chart_point(&picture->chart, signed_value(&picture->plot->x, point->x) / picture->x_unit,
                    signed_value(&picture->plot->y, point->y) / picture->y_unit);
}

static void add_points(struct picture *picture, const struct series *series)
{
    for (uint32_t i = 0; i < series->count; i++) {
        add_point(picture, &series->point[i]);
    }
}

/* Points are sorted by x, then y. Along an axis the first of each x is the best there; else the
 * Pareto front. */
static void add_front(struct picture *picture, const struct series *series)
{
    const bool along_axis = picture->plot->x.kind == ORR_SWEEP_VALUE;
    double best = INFINITY;
    for (uint32_t i = 0; i < series->count; i++) {
        const struct orr_sweep_plot_point *point = &series->point[i];
        const bool next = i == 0 || point->x > point[-1].x;
        if (along_axis ? next : point->y < best) {
            add_point(picture, point);
        }
        best = point->y < best ? point->y : best;
    }
}

/* A group's name in the legend. */
static const char *name_of(const struct picture *picture, uint32_t index)
{
    const struct orr_sweep *sweep = picture->plot->sweep;
    return sweep->group_axis != NULL
               ? orr_sweep_group_label(sweep, picture->series[index].point->group)
           : picture->plot->x.kind == ORR_SWEEP_VALUE ? "the best"
                                                      : "none is better";
}

/* Groups without a color, then the points of the others, then their fronts. */
static void add_series(struct picture *picture)
{
    char text[ORR_CHART_NAME];
    if (picture->count > picture->colored) {
        (void)snprintf(text, sizeof text, "%" PRIu32 " others", picture->count - picture->colored);
        orr_chart_series(&picture->chart, (struct orr_chart_style){.grey = true, .radius = 1.6},
                         text);
    }
    for (uint32_t i = picture->colored; i < picture->count; i++) {
        add_points(picture, &picture->series[i]);
    }
    for (uint32_t i = 0; i < picture->colored; i++) {
        orr_chart_series(&picture->chart,
                         (struct orr_chart_style){.index = i, .pale = true, .radius = 2.4}, NULL);
        add_points(picture, &picture->series[i]);
    }
    for (uint32_t i = 0; i < picture->colored; i++) {
        orr_chart_series(&picture->chart,
                         (struct orr_chart_style){.index = i, .line = true, .radius = 3.6},
                         orr_chart_cut_text(text, MAX_KEY, name_of(picture, i)));
        add_front(picture, &picture->series[i]);
    }
}

/* ---- the picture ---- */

static void add_count(char *text, size_t bytes, uint32_t count, const char *what)
{
    const size_t used = strlen(text);
    if (count > 0) {
        (void)snprintf(text + used, bytes - used, "; %" PRIu32 " %s", count, what);
    }
}

static void begin_chart(struct picture *picture)
{
    const struct orr_sweep_plot *plot = picture->plot;
    const struct orr_sweep *sweep = plot->sweep;
    const char *slash = strrchr(sweep->file, '/');
    char text[ORR_CHART_TEXT], x[MAX_HEAD], y[MAX_HEAD], file[MAX_FILE];
    (void)snprintf(text, sizeof text, "%s by %s: %s",
                   orr_chart_cut_text(y, sizeof y, plot->y.label),
                   orr_chart_cut_text(x, sizeof x, plot->x.label),
                   orr_chart_cut_text(file, sizeof file, slash != NULL ? slash + 1 : sweep->file));
    orr_chart_init(&picture->chart, text);
    (void)snprintf(
        text, sizeof text, "%" PRIu32 " point%s%s", plot->points, orr_plural(plot->points),
        plot->x.kind == ORR_SWEEP_VALUE ? "; lines: the best of a group at each value"
                                        : "; lines: no other of the group is better in both");
    add_count(text, sizeof text, plot->failed, "failed");
    add_count(text, sizeof text, plot->without_value, "without a value");
    orr_chart_subtitle(&picture->chart, text);
    if (sweep->group_axis != NULL) {
        orr_chart_legend(&picture->chart,
                         orr_sweep_axis_label(sweep, (size_t)(sweep->group_axis - sweep->axis)));
    }
}

/* All texts of an axis are shown, also if all their points failed. Returns the size of the unit. */
static double fit_axis(struct orr_chart_axis *axis, const struct orr_sweep *sweep,
                       const struct orr_sweep_quantity *quantity, const double range[2])
{
    const bool texts = quantity->kind == ORR_SWEEP_VALUE && quantity->unit_name == NULL;
    const double last = texts ? (double)sweep->axis[quantity->index].count - 1 : range[1];
    return orr_sweep_plot_axis(axis, sweep, quantity, texts ? 0 : range[0], last);
}

static void fit_axes(struct picture *picture)
{
    const struct orr_sweep_plot *plot = picture->plot;
    double range[2][2] = {{INFINITY, -INFINITY}, {INFINITY, -INFINITY}};
    for (uint32_t i = 0; i < plot->points; i++) {
        const double at[2] = {signed_value(&plot->x, plot->point[i].x),
                              signed_value(&plot->y, plot->point[i].y)};
        for (unsigned d = 0; d < 2; d++) {
            range[d][0] = fmin(range[d][0], at[d]);
            range[d][1] = fmax(range[d][1], at[d]);
        }
    }
    picture->x_unit = fit_axis(&picture->chart.x, plot->sweep, &plot->x, range[0]);
    picture->y_unit = fit_axis(&picture->chart.y, plot->sweep, &plot->y, range[1]);
}

int orr_sweep_plot_svg(FILE *out, const void *context)
{
    struct picture picture = {.plot = context};
    if (!split_series(&picture)) {
        errno = ENOMEM;
        return 1;
    }
    begin_chart(&picture);
    fit_axes(&picture);
    add_series(&picture);
    const int status = orr_charts_svg(out, &picture.chart, 1, NULL);
    orr_chart_fini(&picture.chart);
    orr_heap_free(picture.series);
    return status;
}
