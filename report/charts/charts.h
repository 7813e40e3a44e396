/* Charts as SVG: points and lines over two axes. A chart is begun, filled and written; it frees its
 * memory at the end:
 *
 *   struct orr_chart chart;
 *   orr_chart_init(&chart, "bus bandwidth");
 *   orr_chart_axis_init(&chart.x, "size", 1, 1 << 20, true);
 *   orr_chart_bytes_ticks(&chart.x);
 *   orr_chart_axis_init(&chart.y, "GB/s", 0, 50, false);
 *   orr_chart_number_ticks(&chart.y);
 *   orr_chart_series(&chart, (struct orr_chart_style){.line = true, .radius = 3}, "ring");
 *   orr_chart_point(&chart, 1024, 12.5);
 *   int status = orr_charts_svg(out, &chart, 1, NULL);
 *   orr_chart_fini(&chart);
 *
 * Texts are copied, truncated and escaped: names of inputs are never markup. If memory runs out,
 * what follows has no effect, and writing the chart fails. */
#ifndef ORR_REPORT_CHARTS_CHARTS_H
#define ORR_REPORT_CHARTS_CHARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { ORR_CHART_TICKS = 80, ORR_CHART_TEXT = 160, ORR_CHART_NAME = 64, ORR_CHART_TICK_TEXT = 28 };

/* Copies a text with its control characters escaped; where it does not fit, it is cut after a whole
 * character, and dots follow. `bytes` is at least 4. Returns `to`. (chart.c) */
const char *orr_chart_cut_text(char *to, size_t bytes, const char *text);

/* ---- axes (chart_axis.c) ---- */

struct orr_chart_tick {
    double at;
    char text[ORR_CHART_TICK_TEXT];
};

struct orr_chart_axis {
    char label[ORR_CHART_TEXT];
    double low, high; /* its ends; above 0 if it is logarithmic */
    bool log;
    struct orr_chart_tick tick[ORR_CHART_TICKS];
    unsigned ticks;
};

/* An axis from `low` to `high` without ticks. Equal ends are moved apart. */
void orr_chart_axis_init(struct orr_chart_axis *axis, const char *label, double low, double high,
                         bool log);

/* A logarithmic axis from the last power of `base` that is at most `low` to the first above `high`,
 * both above 0. */
void orr_chart_axis_powers(struct orr_chart_axis *axis, const char *label, double low, double high,
                           double base);

/* Widens both ends by 5 %, so that no point is on the frame; a linear axis begins at 0 if `low` is
 * near to that. */
void orr_chart_axis_margin(struct orr_chart_axis *axis);

/* Adds a tick; none outside of the axis, and no more than ORR_CHART_TICKS. */
void orr_chart_tick(struct orr_chart_axis *axis, double at, const char *text);

/* Numbers: about six of a linear axis; 1, 2 and 5 times powers of ten of a logarithmic one, or
 * powers of ten only if it has many. */
void orr_chart_number_ticks(struct orr_chart_axis *axis);

/* Of a logarithmic axis: powers of two in bytes, at most 13; powers of ten in ps. */
void orr_chart_bytes_ticks(struct orr_chart_axis *axis);
void orr_chart_time_ticks(struct orr_chart_axis *axis);

/* ---- charts (chart.c) ---- */

struct orr_chart_point {
    double x, y;
    bool hollow;
    const char *tip; /* tooltip, borrowed; NULL: none */
};

/* Colors and shapes of marks differ by `index`, in turn. */
struct orr_chart_style {
    unsigned index;
    bool grey;     /* in place of the index's color and shape */
    bool line;     /* through all points, in their order */
    bool dashed;   /* the line */
    bool pale;     /* the marks */
    double radius; /* of the marks, in pixels; 0: no marks */
};

struct orr_chart_series {
    char name[ORR_CHART_NAME]; /* in the legend; "": not there */
    struct orr_chart_style style;
    struct orr_chart_point *point;
    size_t count, capacity;
};

struct orr_chart {
    char title[ORR_CHART_TEXT], subtitle[ORR_CHART_TEXT], legend[ORR_CHART_NAME];
    struct orr_chart_axis x, y;
    int width, height; /* of the frame, in pixels */
    struct orr_chart_series *series;
    size_t count, capacity;
    bool no_memory;
};

void orr_chart_init(struct orr_chart *chart, const char *title);

/* The line below the title; the heading of the legend. */
void orr_chart_subtitle(struct orr_chart *chart, const char *text);
void orr_chart_legend(struct orr_chart *chart, const char *text);

/* Begins a series, drawn over those before it. `name` is NULL if the legend does not tell it. */
void orr_chart_series(struct orr_chart *chart, struct orr_chart_style style, const char *name);

/* Adds a point to the series that was begun last; one whose numbers are not finite, or not above 0
 * on a logarithmic axis, is not drawn. Amortized O(1). */
void orr_chart_point(struct orr_chart *chart, double x, double y);
void orr_chart_described_point(struct orr_chart *chart, double x, double y, bool hollow,
                               const char *tip);

void orr_chart_fini(struct orr_chart *chart);

/* ---- SVG (chart_svg.c) ---- */

/* Writes charts below each other, under a caption (NULL: none). A mark of a point is one element
 * <circle> or <path> within <g class="marks">. Returns 0, or 1 with errno set. O(points). */
int orr_charts_svg(FILE *out, const struct orr_chart *chart, size_t count, const char *caption);

#endif
