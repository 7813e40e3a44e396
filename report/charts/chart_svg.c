/* Charts drawn; see charts.h. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "report/charts/charts.h"
#include "report/charts/svg.h"
#include "report/table_text.h"

enum {
    EDGE = 12, /* lengths in pixels */
    FONT = 12,
    TITLE_FONT = 15,
    LINE = 18, /* of the legend */
    GAP = 8,   /* between the frame and its texts */
    MARK = 28, /* room of a mark in the legend */
    SLANT = 35 /* degrees of tick texts that would overlap */
};

/* Where the parts of a chart are. */
struct layout {
    FILE *out;
    const struct orr_chart *chart;
    double left, top, right, bottom; /* of the frame */
    double width, height;            /* of the chart with its texts; it begins at `begin` */
    double begin;
    bool slanted;
};

/* ---- layout ---- */

static double longest(const struct orr_chart_axis *axis)
{
    double width = 0;
    for (unsigned i = 0; i < axis->ticks; i++) {
        width = fmax(width, orr_svg_text_width(axis->tick[i].text, FONT));
    }
    return width;
}

static double position(const struct orr_chart_axis *axis, double value)
{
    return axis->log ? log(value / axis->low) / log(axis->high / axis->low)
                     : (value - axis->low) / (axis->high - axis->low);
}

/* Whether two texts of an axis below the frame would overlap. */
static bool is_crowded(const struct orr_chart_axis *axis, double width)
{
    for (unsigned i = 0; i < axis->ticks; i++) {
        for (unsigned j = 0; j < i; j++) {
            const double room = orr_svg_text_width(axis->tick[i].text, FONT) / 2 +
                                orr_svg_text_width(axis->tick[j].text, FONT) / 2;
            const double gap =
                fabs(position(axis, axis->tick[i].at) - position(axis, axis->tick[j].at));
            if (gap * width < room) {
                return true;
            }
        }
    }
    return false;
}

/* So much of the texts below the frame stands over its left edge. */
static double overhang(const struct layout *layout)
{
    const struct orr_chart_axis *axis = &layout->chart->x;
    double most = 0;
    for (unsigned i = 0; i < axis->ticks; i++) {
        const double length = orr_svg_text_width(axis->tick[i].text, FONT);
        const double over =
            layout->slanted ? length * cos(SLANT * acos(-1) / 180) + FONT : length / 2;
        most = fmax(most, over - position(axis, axis->tick[i].at) * layout->chart->width);
    }
    return most;
}

static double legend_width(const struct orr_chart *chart)
{
    double width = orr_svg_text_width(chart->legend, FONT);
    for (size_t i = 0; i < chart->count; i++) {
        const double name = orr_svg_text_width(chart->series[i].name, FONT);
        width = name > 0 ? fmax(width, MARK + name) : width;
    }
    return width > 0 ? width + 2 * GAP : 0;
}

static struct layout layout_of(FILE *out, const struct orr_chart *chart, double begin)
{
    struct layout layout = {.out = out, .chart = chart, .begin = begin};
    layout.slanted = is_crowded(&chart->x, chart->width);
    const double labels = EDGE + FONT + 2 * GAP + longest(&chart->y);
    layout.left = fmax(labels, overhang(&layout) + EDGE);
    layout.top = begin + EDGE + TITLE_FONT + (chart->subtitle[0] != '\0' ? LINE : 0) + GAP;
    layout.right = layout.left + chart->width;
    layout.bottom = layout.top + chart->height;
    const double below =
        layout.slanted ? longest(&chart->x) * sin(SLANT * acos(-1) / 180) + FONT : FONT;
    layout.height = layout.bottom + GAP + below + GAP + FONT + EDGE - begin;
    const double beside = fmax(legend_width(chart), longest(&chart->x) / 2);
    const double heads = fmax(orr_svg_text_width(chart->title, TITLE_FONT),
                              orr_svg_text_width(chart->subtitle, FONT));
    layout.width = fmax(layout.right + beside,
                        fmax(layout.left + heads, orr_svg_text_width(chart->x.label, FONT))) +
                   EDGE;
    return layout;
}

static double at_x(const struct layout *layout, double x)
{
    return layout->left + position(&layout->chart->x, x) * layout->chart->width;
}

static double at_y(const struct layout *layout, double y)
{
    return layout->bottom - position(&layout->chart->y, y) * layout->chart->height;
}

/* ---- axes ---- */

static void draw_x(const struct layout *layout)
{
    const struct orr_chart_axis *axis = &layout->chart->x;
    for (unsigned i = 0; i < axis->ticks; i++) {
        const double x = at_x(layout, axis->tick[i].at), below = layout->bottom + GAP;
        (void)fprintf(layout->out, "<path d=\"M%.1f %.1fV%.1f\" stroke=\"#ddd\"/>\n", x,
                      layout->top, layout->bottom);
        if (layout->slanted) {
            orr_svg_turned_text(layout->out, x + 4, below + 4, SLANT, "end", axis->tick[i].text);
        } else {
            orr_svg_text(layout->out, x, below + FONT, "middle", 0, axis->tick[i].text);
        }
    }
    orr_svg_text(layout->out, (layout->left + layout->right) / 2,
                 layout->begin + layout->height - EDGE, "middle", 0, axis->label);
}

static void draw_y(const struct layout *layout)
{
    const struct orr_chart_axis *axis = &layout->chart->y;
    for (unsigned i = 0; i < axis->ticks; i++) {
        const double y = at_y(layout, axis->tick[i].at);
        (void)fprintf(layout->out, "<path d=\"M%.1f %.1fH%.1f\" stroke=\"#ddd\"/>\n", layout->left,
                      y, layout->right);
        orr_svg_text(layout->out, layout->left - GAP, y + 4, "end", 0, axis->tick[i].text);
    }
    orr_svg_turned_text(layout->out, EDGE + FONT, (layout->top + layout->bottom) / 2, 90, "middle",
                        axis->label);
}

static void draw_frame(const struct layout *layout)
{
    const struct orr_chart *chart = layout->chart;
    (void)fprintf(layout->out,
                  "<rect x=\"%.1f\" y=\"%.1f\" width=\"%d\" height=\"%d\" fill=\"none\" "
                  "stroke=\"#444\"/>\n",
                  layout->left, layout->top, chart->width, chart->height);
    orr_svg_text(layout->out, layout->left, layout->begin + EDGE + TITLE_FONT, "start", TITLE_FONT,
                 chart->title);
    if (chart->subtitle[0] != '\0') {
        orr_svg_text(layout->out, layout->left, layout->begin + EDGE + TITLE_FONT + LINE, "start",
                     0, chart->subtitle);
    }
}

/* ---- series ---- */

/* Colors that people with any vision can tell apart (Okabe and Ito's), and two more. */
static const char *color_of(const struct orr_chart_style *style)
{
    static const char *const colors[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00",
                                         "#56b4e9", "#8c564b", "#000000", "#6b4fa0", "#8a8d00"};
    return style->grey ? "#bbbbbb" : colors[style->index % (sizeof colors / sizeof *colors)];
}

/* Outlines of marks of radius 1, closed; the first shape is a circle. */
static const struct shape {
    unsigned corners;
    double corner[5][2];
} shapes[] = {{0, {{0}}},
              {4, {{-0.9, -0.9}, {0.9, -0.9}, {0.9, 0.9}, {-0.9, 0.9}}},
              {3, {{0, -1.2}, {1.1, 0.8}, {-1.1, 0.8}}},
              {3, {{0, 1.2}, {1.1, -0.8}, {-1.1, -0.8}}},
              {4, {{0, -1.3}, {1.3, 0}, {0, 1.3}, {-1.3, 0}}},
              {5, {{0, -1.2}, {1.14, -0.37}, {0.71, 0.97}, {-0.71, 0.97}, {-1.14, -0.37}}}};

static const struct shape *shape_of(const struct orr_chart_style *style)
{
    return &shapes[style->grey ? 0 : style->index % (sizeof shapes / sizeof *shapes)];
}

static void put_outline(FILE *out, const struct shape *shape, double x, double y, double radius)
{
    for (unsigned i = 0; i < shape->corners; i++) {
        (void)fprintf(out, "%s%.1f %.1f", i == 0 ? "M" : "L", x + radius * shape->corner[i][0],
                      y + radius * shape->corner[i][1]);
    }
    (void)fputs("z", out);
}

static void put_mark(FILE *out, const struct orr_chart_series *series,
                     const struct orr_chart_point *point, double x, double y)
{
    const struct shape *shape = shape_of(&series->style);
    if (shape->corners == 0) {
        (void)fprintf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%g\"", x, y, series->style.radius);
    } else {
        (void)fputs("<path d=\"", out);
        put_outline(out, shape, x, y, series->style.radius);
        (void)fputc('"', out);
    }
    (void)fputs(point->hollow ? " fill=\"white\"" : "", out);
    if (point->tip == NULL) {
        (void)fputs("/>\n", out);
        return;
    }
    (void)fputs("><title>", out);
    orr_markup_text(out, point->tip);
    (void)fputs(shape->corners == 0 ? "</title></circle>\n" : "</title></path>\n", out);
}

static bool is_drawn(const struct orr_chart *chart, const struct orr_chart_point *point)
{
    return isfinite(point->x) && isfinite(point->y) && (!chart->x.log || point->x > 0) &&
           (!chart->y.log || point->y > 0);
}

static void draw_marks(const struct layout *layout, const struct orr_chart_series *series)
{
    const char *color = color_of(&series->style);
    (void)fprintf(layout->out, "<g class=\"marks\" fill=\"%s\" stroke=\"%s\"%s>\n", color, color,
                  series->style.pale ? " opacity=\"0.5\"" : "");
    for (size_t i = 0; i < series->count; i++) {
        const struct orr_chart_point *point = &series->point[i];
        if (is_drawn(layout->chart, point)) {
            put_mark(layout->out, series, point, at_x(layout, point->x), at_y(layout, point->y));
        }
    }
    (void)fputs("</g>\n", layout->out);
}

static void put_stroke(FILE *out, const struct orr_chart_style *style)
{
    (void)fprintf(out, "\" fill=\"none\" stroke=\"%s\" stroke-width=\"1.5\"%s/>\n", color_of(style),
                  style->dashed ? " stroke-dasharray=\"5 4\"" : "");
}

/* What leaves the frame upwards or downwards runs along its edge. */
static void draw_line(const struct layout *layout, const struct orr_chart_series *series)
{
    bool begun = false;
    (void)fputs("<path class=\"line\" d=\"", layout->out);
    for (size_t i = 0; i < series->count; i++) {
        const struct orr_chart_point *point = &series->point[i];
        if (is_drawn(layout->chart, point)) {
            const double y = fmin(fmax(at_y(layout, point->y), layout->top), layout->bottom);
            (void)fprintf(layout->out, "%s%.1f %.1f", begun ? "L" : "M", at_x(layout, point->x), y);
            begun = true;
        }
    }
    put_stroke(layout->out, &series->style);
}

static void draw_series(const struct layout *layout, const struct orr_chart_series *series)
{
    if (series->style.line && series->count > 0) {
        draw_line(layout, series);
    }
    if (series->style.radius > 0) {
        draw_marks(layout, series);
    }
}

/* ---- legend ---- */

static void put_legend_mark(const struct layout *layout, const struct orr_chart_style *style,
                            double y)
{
    static const double radius = 4;
    const double begin = layout->right + 2 * GAP, x = begin + 10;
    const struct shape *shape = shape_of(style);
    if (style->line) {
        (void)fprintf(layout->out, "<path d=\"M%.1f %.1fh20", begin, y);
        put_stroke(layout->out, style);
    }
    if (style->radius > 0) {
        (void)fputs("<path d=\"", layout->out);
        if (shape->corners > 0) {
            put_outline(layout->out, shape, x, y, radius);
        } else {
            (void)fprintf(layout->out, "M%.1f %.1fa4 4 0 1 0 8 0a4 4 0 1 0 -8 0z", x - radius, y);
        }
        (void)fprintf(layout->out, "\" fill=\"%s\"/>\n", color_of(style));
    }
}

static void draw_legend(const struct layout *layout)
{
    const struct orr_chart *chart = layout->chart;
    double y = layout->top + GAP;
    if (chart->legend[0] != '\0') {
        orr_svg_text(layout->out, layout->right + 2 * GAP, y + 4, "start", 0, chart->legend);
        y += LINE;
    }
    for (size_t i = 0; i < chart->count; i++) {
        if (chart->series[i].name[0] == '\0') {
            continue;
        }
        if (y > layout->bottom) {
            orr_svg_text(layout->out, layout->right + 2 * GAP + MARK, y + 4, "start", 0,
                         "and more");
            return;
        }
        put_legend_mark(layout, &chart->series[i].style, y);
        orr_svg_text(layout->out, layout->right + 2 * GAP + MARK, y + 4, "start", 0,
                     chart->series[i].name);
        y += LINE;
    }
}

static void draw(const struct layout *layout)
{
    draw_x(layout);
    draw_y(layout);
    draw_frame(layout);
    for (size_t i = 0; i < layout->chart->count; i++) {
        draw_series(layout, &layout->chart->series[i]);
    }
    draw_legend(layout);
}

int orr_charts_svg(FILE *out, const struct orr_chart *chart, size_t count, const char *caption)
{
    double width = caption != NULL ? 2 * EDGE + orr_svg_text_width(caption, FONT) : 0;
    const double begin = caption != NULL ? EDGE + FONT : 0;
    double height = begin;
    for (size_t i = 0; i < count; i++) {
        const struct layout layout = layout_of(out, &chart[i], height);
        width = fmax(width, layout.width);
        height += layout.height;
        if (chart[i].no_memory) {
            errno = ENOMEM;
            return 1;
        }
    }
    orr_svg_begin(out, ceil(width), ceil(height));
    if (caption != NULL) {
        orr_svg_text(out, EDGE, EDGE + FONT, "start", 0, caption);
    }
    height = begin;
    for (size_t i = 0; i < count; i++) {
        const struct layout layout = layout_of(out, &chart[i], height);
        draw(&layout);
        height += layout.height;
    }
    return orr_svg_end(out);
}
