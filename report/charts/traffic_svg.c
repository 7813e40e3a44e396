/* The traffic between servers as a heatmap: an SVG file with a logarithmic color scale. Rows send,
 * columns receive. With more than 128 servers a cell is the sum of several. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "core/arena.h"
#include "core/units.h"
#include "report/charts/svg.h"
#include "report/network_use.h"

enum {
    MAX_CELLS = 128,
    PLOT = 640, /* lengths in pixels */
    LEFT = 80,
    TOP = 70,
    LEGEND = LEFT + PLOT + 30,
    LEGEND_WIDTH = 20,
    WIDTH = LEGEND + LEGEND_WIDTH + 104,
    MAX_TITLE = 76, /* characters that fit */
    HEIGHT = TOP + PLOT + 30,
    LEVELS = 64, /* colors */
    MAX_TICKS = 20
};

struct heatmap {
    FILE *out;
    uint32_t servers, block, cells; /* servers in a cell's row; cells in a row */
    double *value;                  /* [cells * cells] bytes */
    double min, max;                /* of cells with traffic; 0: no traffic */
};

/* Color of a level, from little to much traffic. */
static void color_of(uint32_t level, char text[8])
{
    static const unsigned char stops[][3] = {
        {255, 246, 200}, {252, 188, 98}, {224, 88, 78}, {128, 28, 108}, {38, 8, 78}};
    enum { STEPS = sizeof stops / sizeof *stops - 1 };
    const double at = (double)level / (LEVELS - 1) * STEPS;
    const unsigned from = at < STEPS ? (unsigned)at : STEPS - 1;
    const double part = at - from;
    unsigned rgb[3];
    for (unsigned i = 0; i < 3; i++) {
        rgb[i] = (unsigned)(stops[from][i] + part * (stops[from + 1][i] - stops[from][i]) + 0.5);
    }
    (void)snprintf(text, 8, "#%02x%02x%02x", rgb[0] & 255, rgb[1] & 255, rgb[2] & 255);
}

/* Position on the logarithmic scale, from 0 to 1. */
static double share_of(const struct heatmap *map, double bytes)
{
    return map->max > map->min ? log(bytes / map->min) / log(map->max / map->min) : 1;
}

static uint32_t level_of(const struct heatmap *map, double bytes)
{
    return (uint32_t)(share_of(map, bytes) * (LEVELS - 1) + 0.5);
}

/* Prints the title, truncated with dots. */
static void put_title(FILE *out, const char *title)
{
    char text[4 * MAX_TITLE + 1];
    size_t bytes = 0, characters = 0;
    for (; title[bytes] != '\0'; bytes++) {
        characters += ((unsigned char)title[bytes] & 0xc0) != 0x80; /* of UTF-8 */
        if (characters > MAX_TITLE || bytes == sizeof text - 1) {
            break;
        }
        text[bytes] = title[bytes];
    }
    text[bytes] = '\0';
    orr_markup_text(out, text);
    (void)fputs(title[bytes] != '\0' ? "..." : "", out);
}

/* ---- cells ---- */

static bool collect(struct heatmap *map, const struct orr_network_use *use)
{
    struct orrery_pair pair;
    map->servers = use->servers;
    map->block = (use->servers + MAX_CELLS - 1) / MAX_CELLS;
    map->block = map->block == 0 ? 1 : map->block;
    map->cells = (use->servers + map->block - 1) / map->block;
    map->value = orr_heap_calloc((size_t)map->cells * map->cells + 1, sizeof *map->value);
    const bool made = map->value != NULL;
    for (size_t i = 0; made && orr_traffic_pair(use, i, &pair); i++) {
        const size_t row = pair.from / map->block, column = pair.to / map->block;
        map->value[row * map->cells + column] += (double)pair.bytes;
    }
    for (size_t i = 0; made && i < (size_t)map->cells * map->cells; i++) {
        const double value = map->value[i];
        if (value > 0) {
            map->min = map->min > 0 && map->min < value ? map->min : value;
            map->max = map->max > value ? map->max : value;
        }
    }
    return made;
}

/* Adjacent cells of one color become one rectangle. */
static void draw_row(const struct heatmap *map, uint32_t row)
{
    const double size = (double)PLOT / map->cells;
    const double *value = map->value + (size_t)row * map->cells;
    for (uint32_t i = 0; i < map->cells;) {
        uint32_t end = i + 1;
        const bool empty = !(value[i] > 0);
        const uint32_t level = empty ? 0 : level_of(map, value[i]);
        while (end < map->cells && empty == !(value[end] > 0) &&
               (empty || level_of(map, value[end]) == level)) {
            end++;
        }
        if (!empty) {
            char color[8];
            color_of(level, color);
            (void)fprintf(map->out,
                          "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" "
                          "fill=\"%s\"/>\n",
                          LEFT + i * size, TOP + row * size, (end - i) * size, size, color);
        }
        i = end;
    }
}

/* ---- axes and legend ---- */

/* Number of servers between ticks, so that there are not too many: 1, 2, 5, 10, ... */
static uint32_t tick_step(uint32_t servers)
{
    static const uint32_t factors[] = {1, 2, 5};
    uint32_t power = 1;
    for (unsigned i = 0;; i++) {
        const uint32_t step = power * factors[i % 3];
        if (servers / step < MAX_TICKS) {
            return step;
        }
        power *= i % 3 == 2 ? 10 : 1;
    }
}

static void draw_axes(const struct heatmap *map, const char *what)
{
    const double size = (double)PLOT / map->cells / map->block; /* of a server */
    const uint32_t step = tick_step(map->servers);
    for (uint32_t i = 0; i < map->servers; i += step) {
        const double at = (i + 0.5) * size;
        (void)fprintf(map->out,
                      "<text x=\"%.2f\" y=\"%d\" text-anchor=\"middle\">%" PRIu32 "</text>\n"
                      "<text x=\"%d\" y=\"%.2f\" text-anchor=\"end\">%" PRIu32 "</text>\n",
                      LEFT + at, TOP - 6, i, LEFT - 6, TOP + at + 4, i);
    }
    (void)fprintf(map->out,
                  "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">to %s</text>\n"
                  "<text transform=\"translate(%d %d) rotate(-90)\" text-anchor=\"middle\">"
                  "from %s</text>\n"
                  "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"none\" "
                  "stroke=\"#444\"/>\n",
                  LEFT + PLOT / 2, TOP - 24, what, LEFT - 52, TOP + PLOT / 2, what, LEFT, TOP, PLOT,
                  PLOT);
}

static void draw_mark(const struct heatmap *map, double bytes)
{
    char text[ORR_FORMAT_BYTES];
    (void)fprintf(map->out, "<text x=\"%d\" y=\"%.2f\">%s</text>\n", LEGEND + LEGEND_WIDTH + 6,
                  TOP + PLOT * (1 - share_of(map, bytes)) + 4,
                  orr_format_bytes((uint64_t)bytes, text, sizeof text));
}

/* Draws the scale with the minimum, the maximum and the powers of four between them (their names
 * are short in binary units) that are not too close to either. */
static void draw_legend(const struct heatmap *map)
{
    if (!(map->max > 0)) {
        (void)fprintf(map->out, "<text x=\"%d\" y=\"%d\">no traffic</text>\n", LEGEND, TOP + 12);
        return;
    }
    const double height = (double)PLOT / LEVELS;
    for (uint32_t i = 0; i < LEVELS; i++) {
        char color[8];
        color_of(map->max > map->min ? i : LEVELS - 1, color);
        (void)fprintf(map->out,
                      "<rect x=\"%d\" y=\"%.2f\" width=\"%d\" height=\"%.2f\" fill=\"%s\"/>\n",
                      LEGEND, TOP + PLOT - (i + 1) * height, LEGEND_WIDTH, height + 0.5, color);
    }
    double last = 0;
    (void)fprintf(map->out, "<text x=\"%d\" y=\"%d\">bytes of a cell</text>\n", LEGEND, TOP - 12);
    draw_mark(map, map->max);
    if (map->max > map->min) {
        draw_mark(map, map->min);
    }
    for (double bytes = 1; bytes < map->max; bytes *= 4) {
        const double share = bytes > map->min ? share_of(map, bytes) : 0;
        if (share - last > 0.04 && share < 0.96) {
            draw_mark(map, bytes);
            last = share;
        }
    }
}

static void draw_all(const struct heatmap *map, const char *title, const char *what)
{
    orr_svg_begin(map->out, WIDTH, HEIGHT);
    (void)fprintf(map->out, "<text x=\"%d\" y=\"16\" font-size=\"15\">", LEFT);
    put_title(map->out, title);
    (void)fprintf(map->out,
                  "</text>\n<text x=\"%d\" y=\"32\">Bytes that each %s (row) sends to each other "
                  "(column)</text>\n<g shape-rendering=\"crispEdges\">\n",
                  LEFT, what);
    for (uint32_t row = 0; row < map->cells; row++) {
        draw_row(map, row);
    }
    (void)fputs("</g>\n", map->out);
    draw_axes(map, what);
    draw_legend(map);
    if (map->block > 1) {
        (void)fprintf(map->out,
                      "<text x=\"%d\" y=\"%d\">A cell is the sum over %" PRIu32 " x %" PRIu32
                      " %ss.</text>\n",
                      LEFT, TOP + PLOT + 20, map->block, map->block, what);
    }
    (void)orr_svg_end(map->out);
}

int orr_traffic_svg_write(FILE *out, const void *context)
{
    const struct orr_network_use *use = context;
    struct heatmap map = {.out = out};
    char title[ORR_TITLE_BYTES];
    const bool made = collect(&map, use);
    if (made) {
        draw_all(&map, use->title != NULL ? use->title : orr_job_title(use->job, title),
                 use->job != NULL ? "NPU" : "server");
    }
    orr_heap_free(map.value);
    return made && !ferror(out) ? 0 : 1;
}
