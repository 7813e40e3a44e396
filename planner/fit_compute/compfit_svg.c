/* Plots measured against modelled times: a point for each iteration, both axes logarithmic. */
#include <math.h>

#include "core/units.h"
#include "planner/fit_compute/compfit_private.h"

enum { SIZE = 480, LEFT = 90, TOP = 70 }; /* pixels */

static const double ten_percent = 1.1; /* lines of 10 % */

/* Powers of ten around all times. */
static void find_range(const struct compfit *fit, struct fit_plot *plot)
{
    double min = INFINITY, max = 0;
    for (size_t i = 0; i < fit->rows; i++) {
        const struct orr_fit_iteration_row *row = &fit->iteration[i];
        min = fmin(min, fmin(row->measured_s, row->model_s));
        max = fmax(max, fmax(row->measured_s, row->model_s));
    }
    plot->min_x = plot->min_y = pow(10, floor(log10(min)));
    plot->max_x = plot->max_y = pow(10, floor(log10(max)) + 1);
}

static void draw_grid(const struct fit_plot *plot)
{
    char text[ORR_FORMAT_BYTES];
    for (double s = plot->min_x; s <= 1.001 * plot->max_x; s *= 10) {
        (void)orr_format_number(s, text, sizeof text);
        orr_fitrep_grid_x(plot, s, text);
        orr_fitrep_grid_y(plot, s, text);
    }
    orr_fitrep_frame(plot, "training steps", "measured time, s", "time of the model, s");
}

/* The line on which model / measured = times. */
static void draw_line(const struct fit_plot *plot, double times, const char *style)
{
    const double from = fmax(plot->min_x, plot->min_x / times);
    const double to = fmin(plot->max_x, plot->max_x / times);
    (void)fprintf(plot->out, "<path d=\"M%.1f %.1f L%.1f %.1f\" %s/>\n", orr_fitrep_x(plot, from),
                  orr_fitrep_y(plot, from * times), orr_fitrep_x(plot, to),
                  orr_fitrep_y(plot, to * times), style);
}

int orr_compfit_svg(FILE *out, const void *context)
{
    const struct compfit *fit = context;
    struct fit_plot plot = {.out = out, .left = LEFT, .top = TOP, .width = SIZE, .height = SIZE};
    find_range(fit, &plot);
    orr_fitrep_svg_begin(
        out, LEFT + SIZE + 40, TOP + SIZE + 70,
        "Circles: iterations (empty: held out). Lines: as measured, and 10 % above and below.");
    draw_grid(&plot);
    draw_line(&plot, 1, "stroke=\"#444\"");
    draw_line(&plot, ten_percent, "stroke=\"#aaa\" stroke-dasharray=\"4\"");
    draw_line(&plot, 1 / ten_percent, "stroke=\"#aaa\" stroke-dasharray=\"4\"");
    for (size_t i = 0; i < fit->rows; i++) {
        const struct orr_fit_iteration_row *row = &fit->iteration[i];
        orr_fitrep_point(&plot, row->measured_s, row->model_s, row->held_out, "#0b62a4", row->name);
    }
    return orr_fitrep_svg_end(out);
}
