/* Measured times and the model's by size: a picture for each collective, both axes logarithmic; a
 * colour for each group, in the order of their tables. */
#include <inttypes.h>
#include <math.h>

#include "planner/fit_collectives/collfit_private.h"

enum {
    PLOT_WIDTH = 620, /* lengths in pixels */
    PLOT_HEIGHT = 360,
    LEFT = 90,
    TOP = 50, /* of each picture, to its plot */
    PICTURE = TOP + PLOT_HEIGHT + 70,
    LEGEND = LEFT + PLOT_WIDTH + 24,
    WIDTH = LEGEND + 230,
    LINE = 15,
    MOST_NAMED = (PLOT_HEIGHT + 40) / LINE,
    CURVE_POINTS = 120
};

struct picture {
    FILE *out;
    const struct collfit *fit;
    enum coll_kind kind;
    int top;
    double least_bytes, most_bytes, least_us, most_us; /* of the axes */
};

static double x_of(const struct picture *picture, double bytes)
{
    return LEFT + PLOT_WIDTH * log(bytes / picture->least_bytes) /
                      log(picture->most_bytes / picture->least_bytes);
}

static double y_of(const struct picture *picture, double us)
{
    return picture->top + TOP +
           PLOT_HEIGHT *
               (1 - log(us / picture->least_us) / log(picture->most_us / picture->least_us));
}

/* ---- axes ---- */

static bool is_of(const struct picture *picture, const struct orr_measured_row *row)
{
    return row->kind == picture->kind;
}

/* Powers of 4 bytes and of 10 us around all points. False: there is none. */
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
    picture->least_bytes = exp2(2 * floor(log2(bytes[0]) / 2));
    picture->most_bytes = exp2(2 * floor(log2(bytes[1]) / 2) + 2);
    picture->least_us = pow(10, floor(log10(us[0])));
    picture->most_us = pow(10, floor(log10(us[1])) + 1);
    return bytes[0] <= bytes[1];
}

static void draw_grid(const struct picture *picture)
{
    const int bottom = picture->top + TOP + PLOT_HEIGHT;
    const double octaves = log2(picture->most_bytes / picture->least_bytes);
    const double step = exp2(2 * ceil(octaves / 24)); /* at most a dozen names */
    char text[ORR_FORMAT_BYTES];
    for (double bytes = picture->least_bytes; bytes <= picture->most_bytes; bytes *= step) {
        (void)fprintf(picture->out,
                      "<path d=\"M%.1f %d V%d\" stroke=\"#ddd\"/><text x=\"%.1f\" y=\"%d\" "
                      "text-anchor=\"middle\">%s</text>\n",
                      x_of(picture, bytes), picture->top + TOP, bottom, x_of(picture, bytes),
                      bottom + 18, orr_format_bytes((uint64_t)bytes, text, sizeof text));
    }
    for (double us = picture->least_us; us <= 1.001 * picture->most_us; us *= 10) {
        (void)fprintf(picture->out,
                      "<path d=\"M%d %.1f H%d\" stroke=\"#ddd\"/><text x=\"%d\" y=\"%.1f\" "
                      "text-anchor=\"end\">%g</text>\n",
                      LEFT, y_of(picture, us), LEFT + PLOT_WIDTH, LEFT - 8, y_of(picture, us) + 4,
                      us);
    }
}

static void draw_axes(const struct picture *picture)
{
    const int middle = picture->top + TOP + PLOT_HEIGHT / 2;
    draw_grid(picture);
    (void)fprintf(picture->out,
                  "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"none\" "
                  "stroke=\"#444\"/>\n<text x=\"%d\" y=\"%d\" font-size=\"15\">%s</text>\n"
                  "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">size, bytes</text>\n"
                  "<text transform=\"translate(28 %d) rotate(-90)\" "
                  "text-anchor=\"middle\">time, us</text>\n",
                  LEFT, picture->top + TOP, PLOT_WIDTH, PLOT_HEIGHT, LEFT, picture->top + TOP - 14,
                  orr_coll_kind_name(picture->kind), LEFT + PLOT_WIDTH / 2,
                  picture->top + TOP + PLOT_HEIGHT + 42, middle);
}

/* ---- tables ---- */

/* Colours that are told apart, then the same again. */
static const char *colour_of(unsigned index)
{
    static const char *const colours[] = {"#0b62a4", "#c8500a", "#2a7f3b", "#a3195b", "#6b4fa0",
                                          "#8a6d00", "#00838f", "#b71c1c", "#455a64", "#5d4037"};
    return colours[index % (sizeof colours / sizeof *colours)];
}

/* A circle for each measured time: full, or empty where it was held out. */
static void draw_points(const struct picture *picture, const struct orr_measured_table *table,
                        const char *colour)
{
    for (size_t i = 0; i < table->count; i++) {
        const struct orr_fit_time_row *row =
            &picture->fit->row[picture->fit->measured.order[table->first + i]];
        (void)fprintf(picture->out,
                      "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"%s\" stroke=\"%s\"/>\n",
                      x_of(picture, fmax((double)row->bytes, 1)), y_of(picture, row->measured_us),
                      row->held_out ? "white" : colour, colour);
    }
}

static void draw_curve(const struct picture *picture, const struct orr_measured_table *table,
                       const char *colour)
{
    const struct collfit *fit = picture->fit;
    const size_t first = fit->measured.order[table->first];
    struct orr_measured_row row = fit->measured.row[first];
    const double from = fmax((double)row.bytes, 1);
    const double to = (double)orr_measured_row_of(&fit->measured, table, table->count - 1)->bytes;
    (void)fputs("<path fill=\"none\" stroke-width=\"1.5\" d=\"", picture->out);
    for (int i = 0; i <= CURVE_POINTS; i++) {
        row.bytes = (uint64_t)llround(from * pow(fmax(to / from, 1), (double)i / CURVE_POINTS));
        const double us = orr_collfit_time_us(&fit->library, &fit->shape[first], &row);
        (void)fprintf(picture->out, "%s%.1f %.1f", i == 0 ? "M" : " L",
                      x_of(picture, fmax((double)row.bytes, 1)),
                      y_of(picture, fmin(fmax(us, picture->least_us), picture->most_us)));
    }
    (void)fprintf(picture->out, "\" stroke=\"%s\"/>\n", colour);
}

static void draw_name(const struct picture *picture, const struct orr_measured_table *table,
                      unsigned index)
{
    const uint32_t nodes = table->npus / table->npus_per_node;
    const int y = picture->top + TOP + 8 + LINE * (int)index;
    if (index < MOST_NAMED) {
        (void)fprintf(picture->out,
                      "<circle cx=\"%d\" cy=\"%d\" r=\"4\" fill=\"%s\"/><text x=\"%d\" y=\"%d\">"
                      "%" PRIu32 " NPUs on %" PRIu32 " node%s</text>\n",
                      LEGEND, y - 4, colour_of(index), LEGEND + 10, y, table->npus, nodes,
                      orr_plural(nodes));
    } else if (index == MOST_NAMED) {
        (void)fprintf(picture->out, "<text x=\"%d\" y=\"%d\">and more</text>\n", LEGEND + 10, y);
    }
}

static void draw(const struct picture *picture)
{
    unsigned index = 0;
    draw_axes(picture);
    for (size_t t = 0; t < picture->fit->measured.tables; t++) {
        const struct orr_measured_table *table = &picture->fit->measured.table[t];
        if (table->kind == picture->kind) {
            draw_curve(picture, table, colour_of(index));
            draw_points(picture, table, colour_of(index));
            draw_name(picture, table, index);
            index++;
        }
    }
}

int orr_collfit_svg(FILE *out, const void *context)
{
    struct picture picture = {.out = out, .fit = context};
    int pictures = 0;
    for (unsigned kind = 0; kind < COLL_KINDS; kind++) {
        picture.kind = (enum coll_kind)kind;
        pictures += find_range(&picture) ? 1 : 0;
    }
    (void)fprintf(out,
                  "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
                  "viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" font-size=\"12\">\n"
                  "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n"
                  "<text x=\"%d\" y=\"24\">Circles: measured (empty: held out). Lines: the fitted "
                  "model.</text>\n",
                  WIDTH, PICTURE * pictures + 30, WIDTH, PICTURE * pictures + 30, LEFT);
    picture.top = 20;
    for (unsigned kind = 0; kind < COLL_KINDS; kind++) {
        picture.kind = (enum coll_kind)kind;
        if (find_range(&picture)) {
            draw(&picture);
            picture.top += PICTURE;
        }
    }
    (void)fputs("</svg>\n", out);
    return ferror(out) != 0 ? 1 : 0;
}
