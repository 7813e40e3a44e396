/* Plots measured against modelled times: a point for each iteration, both axes logarithmic. */
#include <math.h>

#include "planner/fit_compute/compfit_private.h"
#include "report/charts/charts.h"

enum { SIZE = 480 }; /* pixels */

static const double ten_percent = 1.1; /* lines of 10 % */

/* Powers of ten around all times, the same on both axes. */
static void fit_axes(const struct compfit *fit, struct orr_chart *chart)
{
    double min = INFINITY, max = 0;
    for (size_t i = 0; i < fit->rows; i++) {
        const struct orr_fit_iteration_row *row = &fit->iteration[i];
        min = fmin(min, fmin(row->measured_s, row->model_s));
        max = fmax(max, fmax(row->measured_s, row->model_s));
    }
    orr_chart_axis_powers(&chart->x, "measured time, s", min, max, 10);
    orr_chart_axis_powers(&chart->y, "time of the model, s", min, max, 10);
    orr_chart_number_ticks(&chart->x);
    orr_chart_number_ticks(&chart->y);
}

/* The line on which model / measured = times. */
static void add_line(struct orr_chart *chart, double times, const char *name)
{
    const double from = fmax(chart->x.low, chart->x.low / times);
    const double to = fmin(chart->x.high, chart->x.high / times);
    orr_chart_series(
        chart, (struct orr_chart_style){.grey = true, .line = true, .dashed = times != 1}, name);
    orr_chart_point(chart, from, from * times);
    orr_chart_point(chart, to, to * times);
}

int orr_compfit_svg(FILE *out, const void *context)
{
    const struct compfit *fit = context;
    struct orr_chart chart;
    orr_chart_init(&chart, "training steps");
    chart.width = chart.height = SIZE;
    fit_axes(fit, &chart);
    add_line(&chart, 1, "as measured");
    add_line(&chart, ten_percent, "10 % off");
    add_line(&chart, 1 / ten_percent, NULL);
    orr_chart_series(&chart, (struct orr_chart_style){.radius = 3}, NULL);
    for (size_t i = 0; i < fit->rows; i++) {
        const struct orr_fit_iteration_row *row = &fit->iteration[i];
        orr_chart_described_point(&chart, row->measured_s, row->model_s, row->held_out, row->name);
    }
    const int status = orr_charts_svg(out, &chart, 1, "Circles: iterations (empty: held out).");
    orr_chart_fini(&chart);
    return status;
}
