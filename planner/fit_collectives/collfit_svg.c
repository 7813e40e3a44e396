/* Plots of measured and modelled times over size: one for each collective, both axes logarithmic, a
 * color for each group in the order of the tables. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "core/strings.h"
#include "core/units.h"
#include "planner/fit_collectives/collfit_private.h"
#include "study/measured/measured.h"
#include "system/collectives/program.h"

enum {
    PLOT_WIDTH = 620, /* lengths in pixels */
    PLOT_HEIGHT = 360,
    LEFT = 90,
    TOP = 50, /* from the top of a picture to its plot */
    PICTURE = TOP + PLOT_HEIGHT + 70,
    LEGEND = LEFT + PLOT_WIDTH + 24,
    WIDTH = LEGEND + 230,
    LINE = 15,
    MAX_NAMED = (PLOT_HEIGHT + 40) / LINE,
    CURVE_POINTS = 120
};

struct picture {
    const struct collfit *fit;
    enum coll_kind kind;
    struct fit_plot plot; /* bytes, and us */
};

/* ---- axes ---- */

static bool is_of(const struct picture *picture, const struct orr_measured_row *row)
{
    return row->kind == picture->kind;
}

/* The ranges of the axes: powers of 4 bytes and of 10 us around all points. False: no points. */
static bool find_range(struct picture *picture)
{
    double bytes[2] = {INFINITY, 0}, us[2] = {INFINITY, 0};
    for (size_t i = 0; i < picture->fit->measured.rows; i++) {
        const struct orr_fit_time_row *row = &picture->fit->row[i];
        if (is_of(picture, &picture->fit->measured.row[i])) {
            bytes[0] = fmin(bytes[0], fmax((double)row->bytes, 1));
            bytes[1] = fmax(bytes[1], (double)row->bytes);
            us[0] = fmin(us[0], fmin(row->measured_us, row->model_us));
            us[1] = fmax(us[1], fmax(row->measured_us, row->model_us));
        }
    }
    picture->plot.min_x = exp2(2 * floor(log2(bytes[0]) / 2));
    picture->plot.max_x = exp2(2 * floor(log2(bytes[1]) / 2) + 2);
    picture->plot.min_y = pow(10, floor(log10(us[0])));
    picture->plot.max_y = pow(10, floor(log10(us[1])) + 1);
    return bytes[0] <= bytes[1];
}

/* "16.00 KiB" of a whole number as "16 KiB". */
static const char *without_zeros(char *text)
{
    char *dot = strchr(text, '.');
    const size_t zeros = dot != NULL ? 1 + strspn(dot + 1, "0") : 0;
    if (zeros > 1 && dot[zeros] == ' ') {
        memmove(dot, dot + zeros, strlen(dot + zeros) + 1);
    }
    return text;
}

static void draw_axes(const struct picture *picture)
{
    const struct fit_plot *plot = &picture->plot;
    const double octaves = log2(plot->max_x / plot->min_x);
    const double step = exp2(2 * ceil(octaves / 24)); /* at most a dozen names */
    char text[ORR_FORMAT_BYTES];
    for (double bytes = plot->min_x; bytes <= plot->max_x; bytes *= step) {
        (void)orr_format_bytes((uint64_t)bytes, text, sizeof text);
        orr_fitrep_grid_x(plot, bytes, without_zeros(text));
    }
    for (double us = plot->min_y; us <= 1.001 * plot->max_y; us *= 10) {
        (void)orr_format_time(llround(us * 1e6), text, sizeof text);
        orr_fitrep_grid_y(plot, us, without_zeros(text));
    }
    orr_fitrep_frame(plot, orr_coll_kind_name(picture->kind), "size", "time");
}

/* ---- tables ---- */

/* Distinguishable colors, then the same again. */
static const char *color_of(unsigned index)
{
    static const char *const colors[] = {"#0b62a4", "#c8500a", "#2a7f3b", "#a3195b", "#6b4fa0",
                                         "#8a6d00", "#00838f", "#b71c1c", "#455a64", "#5d4037"};
    return colors[index % (sizeof colors / sizeof *colors)];
}

/* A circle for each measured time: full, or empty where it was held out. */
static void draw_points(const struct picture *picture, const struct orr_measured_table *table,
                        const char *color)
{
    for (size_t i = 0; i < table->count; i++) {
        const struct orr_fit_time_row *row =
            &picture->fit->row[picture->fit->measured.order[table->first + i]];
        orr_fitrep_point(&picture->plot, fmax((double)row->bytes, 1), row->measured_us,
                         row->held_out, color, NULL);
    }
}

static void draw_curve(const struct picture *picture, const struct orr_measured_table *table,
                       const char *color)
{
    const struct collfit *fit = picture->fit;
    const size_t first = fit->measured.order[table->first];
    struct orr_measured_row row = fit->measured.row[first];
    const double from = fmax((double)row.bytes, 1);
    const double to = (double)orr_measured_row_of(&fit->measured, table, table->count - 1)->bytes;
    (void)fputs("<path fill=\"none\" stroke-width=\"1.5\" d=\"", picture->plot.out);
    for (int i = 0; i <= CURVE_POINTS; i++) {
        row.bytes = (uint64_t)llround(from * pow(fmax(to / from, 1), (double)i / CURVE_POINTS));
        const double us = orr_collfit_time_us(&fit->library, &fit->shape[first], &row);
        (void)fprintf(
            picture->plot.out, "%s%.1f %.1f", i == 0 ? "M" : " L",
            orr_fitrep_x(&picture->plot, fmax((double)row.bytes, 1)),
            orr_fitrep_y(&picture->plot, fmin(fmax(us, picture->plot.min_y), picture->plot.max_y)));
    }
    (void)fprintf(picture->plot.out, "\" stroke=\"%s\"/>\n", color);
}

static void draw_name(const struct picture *picture, const struct orr_measured_table *table,
                      unsigned index)
{
    const uint32_t nodes = table->npus / table->npus_per_node;
    const int y = picture->plot.top + 8 + LINE * (int)index;
    if (index < MAX_NAMED) {
        (void)fprintf(picture->plot.out,
                      "<circle cx=\"%d\" cy=\"%d\" r=\"4\" fill=\"%s\"/><text x=\"%d\" y=\"%d\">"
                      "%" PRIu32 " NPUs on %" PRIu32 " node%s</text>\n",
                      LEGEND, y - 4, color_of(index), LEGEND + 10, y, table->npus, nodes,
                      orr_plural(nodes));
    } else if (index == MAX_NAMED) {
        (void)fprintf(picture->plot.out, "<text x=\"%d\" y=\"%d\">and more</text>\n", LEGEND + 10,
                      y);
    }
}

static void draw(const struct picture *picture)
{
    unsigned index = 0;
    draw_axes(picture);
    for (size_t t = 0; t < picture->fit->measured.tables; t++) {
        const struct orr_measured_table *table = &picture->fit->measured.table[t];
        if (table->kind == picture->kind) {
            draw_curve(picture, table, color_of(index));
            draw_points(picture, table, color_of(index));
            draw_name(picture, table, index);
            index++;
        }
    }
}

int orr_collfit_svg(FILE *out, const void *context)
{
    struct picture picture = {
        .fit = context,
        .plot = {
            .out = out, .left = LEFT, .top = 20 + TOP, .width = PLOT_WIDTH, .height = PLOT_HEIGHT}};
    int pictures = 0;
    for (unsigned kind = 0; kind < COLL_KINDS; kind++) {
        picture.kind = (enum coll_kind)kind;
        pictures += find_range(&picture) ? 1 : 0;
    }
    orr_fitrep_svg_begin(out, WIDTH, PICTURE * pictures + 30,
                         "Circles: measured (empty: held out). Lines: the fitted model.");
    for (unsigned kind = 0; kind < COLL_KINDS; kind++) {
        picture.kind = (enum coll_kind)kind;
        if (find_range(&picture)) {
            draw(&picture);
            picture.plot.top += PICTURE;
        }
    }
    return orr_fitrep_svg_end(out);
}
