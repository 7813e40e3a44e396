/* Plots of measured and modelled times over size: one for each collective, both axes logarithmic, a
 * color for each group in the order of the tables. */
#include <inttypes.h>
#include <math.h>

#include "core/strings.h"
#include "planner/fit_collectives/collfit_private.h"
#include "report/charts/charts.h"
#include "study/measured/measured.h"
#include "system/collectives/program.h"

enum { WIDTH = 620, HEIGHT = 360, CURVE_POINTS = 120 }; /* pixels of a frame; points of a curve */

static const double us = 1e6; /* ps */

/* Axes of powers of 4 bytes and of 10 us around all points. False: no points. */
static bool fit_axes(const struct collfit *fit, enum coll_kind kind, struct orr_chart *chart)
{
    double bytes[2] = {INFINITY, 0}, ps[2] = {INFINITY, 0};
    for (size_t i = 0; i < fit->measured.rows; i++) {
        const struct orr_fit_time_row *row = &fit->row[i];
        if (fit->measured.row[i].kind == kind) {
            bytes[0] = fmin(bytes[0], fmax((double)row->bytes, 1));
            bytes[1] = fmax(bytes[1], (double)row->bytes);
            ps[0] = fmin(ps[0], us * fmin(row->measured_us, row->model_us));
            ps[1] = fmax(ps[1], us * fmax(row->measured_us, row->model_us));
        }
    }
    if (!(bytes[0] <= bytes[1])) {
        return false;
    }
    orr_chart_axis_powers(&chart->x, "size", bytes[0], bytes[1], 4);
    orr_chart_bytes_ticks(&chart->x);
    orr_chart_axis_powers(&chart->y, "time", ps[0], ps[1], 10);
    orr_chart_time_ticks(&chart->y);
    return true;
}

static void add_curve(struct orr_chart *chart, const struct collfit *fit,
                      const struct orr_measured_table *table)
{
    const size_t first = fit->measured.order[table->first];
    struct orr_measured_row row = fit->measured.row[first];
    const double from = fmax((double)row.bytes, 1);
    const double to = (double)orr_measured_row_of(&fit->measured, table, table->count - 1)->bytes;
    for (int i = 0; i <= CURVE_POINTS; i++) {
        row.bytes = (uint64_t)llround(from * pow(fmax(to / from, 1), (double)i / CURVE_POINTS));
        orr_chart_point(chart, fmax((double)row.bytes, 1),
                        us * orr_collfit_time_us(&fit->library, &fit->shape[first], &row));
    }
}

/* The model's curve, and a circle for each measured time: full, or empty where it was held out. */
static void add_table(struct orr_chart *chart, const struct collfit *fit,
                      const struct orr_measured_table *table, unsigned index)
{
    const uint32_t nodes = table->npus / table->npus_per_node;
    char name[ORR_CHART_NAME];
    (void)snprintf(name, sizeof name, "%" PRIu32 " NPUs on %" PRIu32 " node%s", table->npus, nodes,
                   orr_plural(nodes));
    orr_chart_series(chart, (struct orr_chart_style){.index = index, .line = true}, NULL);
    add_curve(chart, fit, table);
    orr_chart_series(chart, (struct orr_chart_style){.index = index, .radius = 3}, name);
    for (size_t i = 0; i < table->count; i++) {
        const struct orr_fit_time_row *row = &fit->row[fit->measured.order[table->first + i]];
        orr_chart_described_point(chart, fmax((double)row->bytes, 1), us * row->measured_us,
                                  row->held_out, NULL);
    }
}

static bool fill_chart(struct orr_chart *chart, const struct collfit *fit, enum coll_kind kind)
{
    unsigned index = 0;
    orr_chart_init(chart, orr_coll_kind_name(kind));
    chart->width = WIDTH;
    chart->height = HEIGHT;
    if (!fit_axes(fit, kind, chart)) {
        return false;
    }
    for (size_t t = 0; t < fit->measured.tables; t++) {
        if (fit->measured.table[t].kind == kind) {
            add_table(chart, fit, &fit->measured.table[t], index++);
        }
    }
    return true;
}

int orr_collfit_svg(FILE *out, const void *context)
{
    struct orr_chart chart[COLL_KINDS];
    size_t charts = 0;
    for (unsigned kind = 0; kind < COLL_KINDS; kind++) {
        charts += fill_chart(&chart[charts], context, (enum coll_kind)kind) ? 1 : 0;
    }
    const int status = orr_charts_svg(
        out, chart, charts, "Points: measured (empty: held out). Lines: the fitted model.");
    for (size_t i = 0; i < charts; i++) {
        orr_chart_fini(&chart[i]);
    }
    return status;
}
