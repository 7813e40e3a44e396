/* Plot of a sweep; see sweep_plot.h. */
#include "study/ranking/sweep_plot.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/strings.h"
#include "core/sum.h"
#include "study/ranking/sweep_plot_axis.h"
#include "study/sweep/sweep.h"
#include "study/sweep/sweep_result.h"
#include "study/sweep/sweep_store.h"

enum { MAX_KEY = 28, MAX_FILE = 40 };

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
        *out = orr_plot_text_position(&sweep->axis[quantity->index], value->label);
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
    FILE *out;
    const struct orr_sweep_plot *plot;
    struct orr_plot_axis x, y;
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

static void write_point(const struct picture *picture, const struct orr_sweep_plot_point *point)
{
    (void)fprintf(picture->out, "%.9g %.9g\n",
                  signed_value(&picture->plot->x, point->x) / picture->x.size,
                  signed_value(&picture->plot->y, point->y) / picture->y.size);
}

static void write_points(const struct picture *picture, const struct series *series)
{
    for (uint32_t i = 0; i < series->count; i++) {
        write_point(picture, &series->point[i]);
    }
}

/* Points are sorted by x, then y. Along an axis the first of each x is the best there; else the
 * Pareto front. */
static void write_front(const struct picture *picture, const struct series *series)
{
    const bool along_axis = picture->plot->x.kind == ORR_SWEEP_VALUE;
    double best = INFINITY;
    for (uint32_t i = 0; i < series->count; i++) {
        const struct orr_sweep_plot_point *point = &series->point[i];
        const bool next = i == 0 || point->x > point[-1].x;
        if (along_axis ? next : point->y < best) {
            write_point(picture, point);
        }
        best = point->y < best ? point->y : best;
    }
}

/* ---- the picture ---- */

static const struct {
    const char *color;
    unsigned shape; /* of gnuplot's points */
} styles[ORR_SWEEP_PLOT_COLORS] = {{"0072b2", 7},  {"d55e00", 5},  {"009e73", 9}, {"cc79a7", 11},
                                   {"e69f00", 13}, {"56b4e9", 15}, {"8c564b", 6}, {"000000", 4}};

static void add_count(char *text, size_t bytes, uint32_t count, const char *what)
{
    const size_t used = strlen(text);
    if (count > 0) {
        (void)snprintf(text + used, bytes - used, "; %" PRIu32 " %s", count, what);
    }
}

static void write_title(const struct picture *picture)
{
    const struct orr_sweep_plot *plot = picture->plot;
    const char *slash = strrchr(plot->sweep->file, '/');
    char head[160], foot[160];
    (void)snprintf(head, sizeof head, "%.50s by %.50s", plot->y.label, plot->x.label);
    (void)snprintf(
        foot, sizeof foot, "%" PRIu32 " point%s%s", plot->points, orr_plural(plot->points),
        plot->x.kind == ORR_SWEEP_VALUE ? "; lines: the best of a group at each value"
                                        : "; lines: no other of the group is better in both");
    add_count(foot, sizeof foot, plot->failed, "failed");
    add_count(foot, sizeof foot, plot->without_value, "without a value");
    (void)fputs("set title ", picture->out);
    orr_plot_text(picture->out, head, 110);
    (void)fputs(".': '.", picture->out);
    orr_plot_text(picture->out, slash != NULL ? slash + 1 : plot->sweep->file, MAX_FILE);
    (void)fputs(".\"\\n\".", picture->out);
    orr_plot_text(picture->out, foot, 150);
    (void)fputc('\n', picture->out);
}

static void write_head(const struct picture *picture, const char *file, bool pdf)
{
    const struct orr_sweep *sweep = picture->plot->sweep;
    (void)fprintf(picture->out,
                  "set encoding utf8\nset terminal %s\nset output '%s'\n"
                  "set key outside right top Left reverse samplen 1.5\n"
                  "set grid back linecolor rgb '#dddddd'\nset border linecolor rgb '#666666'\n",
                  pdf ? "pdfcairo noenhanced size 9.6in,6in"
                      : "svg noenhanced size 960,600 font 'sans-serif,13' background rgb 'white'",
                  file);
    if (sweep->group_axis != NULL) {
        (void)fputs("set key title ", picture->out);
        orr_plot_text(picture->out,
                      orr_sweep_axis_label(sweep, (size_t)(sweep->group_axis - sweep->axis)),
                      MAX_KEY);
        (void)fputc('\n', picture->out);
    }
    write_title(picture);
    orr_plot_axis_write(picture->out, &picture->x, 'x');
    orr_plot_axis_write(picture->out, &picture->y, 'y');
}

/* Style of the points of a colored group: pale, below all fronts. */
static void write_points_style(const struct picture *picture, uint32_t index)
{
    (void)fprintf(picture->out, ", '-' using 1:2 with points pt %u ps 0.6 lc rgb '#80%s' notitle",
                  styles[index].shape, styles[index].color);
}

/* Style of its front, which is the entry in the key. */
static void write_front_style(const struct picture *picture, uint32_t index)
{
    const struct orr_sweep *sweep = picture->plot->sweep;
    const bool along_axis = picture->plot->x.kind == ORR_SWEEP_VALUE;
    (void)fprintf(picture->out,
                  ", '-' using 1:2 with linespoints pt %u ps 0.9 lw 1.5 lc rgb '#%s' title ",
                  styles[index].shape, styles[index].color);
    orr_plot_text(picture->out,
                  sweep->group_axis != NULL
                      ? orr_sweep_group_label(sweep, picture->series[index].point->group)
                  : along_axis ? "the best"
                               : "none is better",
                  MAX_KEY);
}

static void write_styles(const struct picture *picture)
{
    const uint32_t others = picture->count - picture->colored;
    (void)fputs("plot NaN notitle", picture->out);
    if (others > 0) {
        (void)fprintf(picture->out,
                      ", '-' using 1:2 with points pt 7 ps 0.4 lc rgb '#bbbbbb' title '%" PRIu32
                      " others'",
                      others);
    }
    for (uint32_t i = 0; i < picture->colored; i++) {
        write_points_style(picture, i);
    }
    for (uint32_t i = 0; i < picture->colored; i++) {
        write_front_style(picture, i);
    }
    (void)fputc('\n', picture->out);
}

/* The data, in the order of the styles. */
static void write_series(const struct picture *picture)
{
    for (uint32_t i = picture->colored; i < picture->count; i++) {
        write_points(picture, &picture->series[i]);
    }
    (void)fputs(picture->count > picture->colored ? "e\n" : "", picture->out);
    for (uint32_t i = 0; i < picture->colored; i++) {
        write_points(picture, &picture->series[i]);
        (void)fputs("e\n", picture->out);
    }
    for (uint32_t i = 0; i < picture->colored; i++) {
        write_front(picture, &picture->series[i]);
        (void)fputs("e\n", picture->out);
    }
}

/* All texts of an axis are shown, also if all their points failed. */
static void fit_axis(struct orr_plot_axis *axis, const struct orr_sweep *sweep,
                     const struct orr_sweep_quantity *quantity, const double range[2])
{
    const bool texts = quantity->kind == ORR_SWEEP_VALUE && quantity->unit_name == NULL;
    const double last = texts ? (double)sweep->axis[quantity->index].count - 1 : range[1];
    orr_plot_axis_fit(axis, sweep, quantity, texts ? 0 : range[0], last);
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
    fit_axis(&picture->x, plot->sweep, &plot->x, range[0]);
    fit_axis(&picture->y, plot->sweep, &plot->y, range[1]);
}

void orr_sweep_plot_write(FILE *gnuplot, const struct orr_sweep_plot *plot, const char *file,
                          bool pdf)
{
    struct picture picture = {.out = gnuplot, .plot = plot};
    if (!split_series(&picture)) {
        return;
    }
    fit_axes(&picture);
    write_head(&picture, file, pdf);
    write_styles(&picture);
    write_series(&picture);
    orr_heap_free(picture.series);
}
