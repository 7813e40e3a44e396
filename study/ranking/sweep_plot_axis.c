/* Axis of a plot; see sweep_plot_axis.h. Ticks are computed here: gnuplot's are sparse on a
 * logarithmic axis of little more than a decade. */
#include "study/ranking/sweep_plot_axis.h"

#include "core/text_escape.h"

#include <math.h>
#include <string.h>

enum { MAX_TEXT = 160, MAX_LABEL = 24, MAX_VALUES = 12, NUMBER = 40 };

static const struct {
    const char *of;
    double size;
    const char *name;
} units[] = {{"ps", 1e12, "s"},
             {"ps", 1e9, "ms"},
             {"ps", 1e6, "us"},
             {"ps", 1e3, "ns"},
             {"ps", 1, "ps"},
             {"s", 1, "s"},
             {"s", 1e-3, "ms"},
             {"s", 1e-6, "us"},
             {"s", 1e-9, "ns"},
             {"bytes", 1099511627776.0, "TiB"},
             {"bytes", 1073741824.0, "GiB"},
             {"bytes", 1048576.0, "MiB"},
             {"bytes", 1024.0, "KiB"},
             {"bytes", 1, "B"},
             {"bytes/s", 1e12, "TB/s"},
             {"bytes/s", 1e9, "GB/s"},
             {"bytes/s", 1e6, "MB/s"},
             {"bytes/s", 1, "B/s"},
             {"operations/s", 1e15, "PFLOP/s"},
             {"operations/s", 1e12, "TFLOP/s"},
             {"operations/s", 1e9, "GFLOP/s"},
             {"operations/s", 1, "FLOP/s"},
             {"0 to 1", 0.01, "%"},
             {"1/s", 1, "1/s"},
             {"%", 1, "%"}};

/* The largest unit not above the value, or the smallest unit. */
static void choose_unit(struct orr_plot_axis *axis, double value)
{
    const char *of = axis->quantity->unit_name;
    axis->size = 1;
    axis->unit = "";
    for (size_t i = 0; of != NULL && i < sizeof units / sizeof *units; i++) {
        if (strcmp(units[i].of, of) == 0) {
            axis->size = units[i].size;
            axis->unit = units[i].name;
            if (fabs(value) >= units[i].size) {
                return;
            }
        }
    }
}

void orr_plot_axis_fit(struct orr_plot_axis *axis, const struct orr_sweep *sweep,
                       const struct orr_sweep_quantity *quantity, double low, double high)
{
    enum { SPAN = 10, SPAN_OF_VALUES = 8 };
    const int span = quantity->kind == ORR_SWEEP_VALUE ? SPAN_OF_VALUES : SPAN;
    *axis = (struct orr_plot_axis){.sweep = sweep,
                                   .quantity = quantity,
                                   .low = low,
                                   .high = high,
                                   .log = low > 0 && high >= span * low,
                                   .texts = quantity->unit_name == NULL};
    axis->log = axis->log && !axis->texts;
    choose_unit(axis, axis->log ? sqrt(low) * sqrt(high) : high);
    axis->low /= axis->size;
    axis->high /= axis->size;
}

void orr_plot_text(FILE *gnuplot, const char *text, size_t max)
{
    char clean[MAX_TEXT];
    const size_t room = max < sizeof clean ? max : sizeof clean - 1;
    (void)orr_text_escape(text, false, clean, room + 1);
    const bool cut = strlen(text) > room; /* an escape is longer than what it stands for */
    (void)fputc('\'', gnuplot);
    for (const char *at = clean; *at != '\0'; at++) {
        (void)fputs(*at == '\'' ? "''" : (const char[]){*at, '\0'}, gnuplot);
    }
    (void)fputs(cut ? "...'" : "'", gnuplot);
}

/* ---- ticks ---- */

static void tick(FILE *gnuplot, double at, bool *first)
{
    char text[NUMBER];
    (void)snprintf(text, sizeof text, fabs(at) < 1e7 ? "%.7g" : "%.3g", at);
    (void)fprintf(gnuplot, "%s'%s' %.15g", *first ? "" : ", ", text, at);
    *first = false;
}

/* 1, 2 and 5 times powers of ten, or only powers of ten, or every n-th of many decades. */
static void log_ticks(FILE *gnuplot, const struct orr_plot_axis *axis)
{
    enum { MAX_DECADES = 12 };
    const int begin = (int)floor(log10(axis->low)), end = (int)ceil(log10(axis->high));
    const int stride = 1 + (end - begin) / MAX_DECADES;
    const bool between = end - begin <= 3;
    bool first = true;
    for (int decade = begin; decade <= end; decade += stride) {
        const double one = pow(10, decade);
        tick(gnuplot, one, &first);
        if (between) {
            tick(gnuplot, 2 * one, &first);
            tick(gnuplot, 5 * one, &first);
        }
    }
}

/* About six, at 1, 2 or 5 times a power of ten. */
static void even_ticks(FILE *gnuplot, double low, double high)
{
    enum { WANTED = 6 };
    const double raw_step = high > low ? (high - low) / WANTED : 1;
    const double power = pow(10, floor(log10(raw_step))), part = raw_step / power;
    const double step = power * (part <= 1 ? 1 : part <= 2 ? 2 : part <= 5 ? 5 : 10);
    bool first = true;
    for (double at = floor(low / step) * step; at <= high + step; at += step) {
        tick(gnuplot, fabs(at) < step / 2 ? 0 : at, &first);
    }
}

static double position_of(const struct orr_plot_axis *axis, double value)
{
    return axis->log ? log(value) : value;
}

/* Ticks at the values of an axis, if they are few and far enough apart. */
static bool value_ticks(FILE *gnuplot, const struct orr_plot_axis *axis)
{
    enum { MAX_IN_SPAN = 24 };
    if (axis->quantity->kind != ORR_SWEEP_VALUE) {
        return false;
    }
    const struct orr_sweep_axis *of = &axis->sweep->axis[axis->quantity->index];
    const double span = position_of(axis, axis->high) - position_of(axis, axis->low);
    bool spaced = of->count <= MAX_VALUES, first = true;
    for (size_t i = 0; i < of->count && spaced; i++) {
        for (size_t j = 0; j < i && spaced; j++) {
            const double a = of->value[i].value.number / axis->size;
            const double b = of->value[j].value.number / axis->size;
            const bool drawn = a >= axis->low && b >= axis->low;
            const double gap = drawn ? fabs(position_of(axis, a) - position_of(axis, b)) : span;
            spaced = gap * MAX_IN_SPAN >= span || !(gap > 0);
        }
    }
    for (size_t i = 0; i < of->count && spaced; i++) {
        tick(gnuplot, of->value[i].value.number / axis->size, &first);
    }
    return spaced;
}

double orr_plot_text_position(const struct orr_sweep_axis *axis, const char *label)
{
    size_t i = 0;
    while (i + 1 < axis->count && strcmp(axis->value[i].label, label) != 0) {
        i++;
    }
    return (double)i;
}

static void text_ticks(FILE *gnuplot, const struct orr_plot_axis *axis)
{
    const struct orr_sweep_axis *of = &axis->sweep->axis[axis->quantity->index];
    for (size_t i = 0; i < of->count; i++) {
        const double position = orr_plot_text_position(of, of->value[i].label);
        if (position >= (double)i) { /* first value with its label */
            (void)fputs(i > 0 ? ", " : "", gnuplot);
            orr_plot_text(gnuplot, of->value[i].label, MAX_LABEL);
            (void)fprintf(gnuplot, " %zu", i);
        }
    }
}

/* Whether texts in a row would overlap. */
static bool is_crowded(const struct orr_plot_axis *axis)
{
    enum { ROOM = 80 };
    const struct orr_sweep_axis *of = &axis->sweep->axis[axis->quantity->index];
    size_t bytes = 0;
    for (size_t i = 0; i < of->count; i++) {
        const size_t length = strlen(of->value[i].label);
        bytes += (length < MAX_LABEL ? length : MAX_LABEL) + 3;
    }
    return bytes > ROOM;
}

/* ---- the axis ---- */

/* A margin, so that no point is on the frame; starts at 0 if that is near. */
static void write_range(FILE *gnuplot, const struct orr_plot_axis *axis, char name)
{
    static const double margin = 0.05;
    if (axis->log) {
        const double part = pow(axis->high / axis->low, margin);
        (void)fprintf(gnuplot, "set logscale %c 10\nset %crange [%.15g:%.15g]\n", name, name,
                      axis->low / part, axis->high * part);
        return;
    }
    double span = axis->high - axis->low;
    span = span > 0 ? span : axis->high != 0 ? fabs(axis->high) : 1;
    const bool from_zero = axis->low >= 0 && 2 * axis->low < axis->high && !axis->texts;
    const double edge = axis->texts ? 0.5 : span * margin;
    (void)fprintf(gnuplot, "set %crange [%.15g:%.15g]\n", name, from_zero ? 0 : axis->low - edge,
                  axis->high + edge);
}

void orr_plot_axis_write(FILE *gnuplot, const struct orr_plot_axis *axis, char name)
{
    char label[MAX_TEXT];
    (void)snprintf(label, sizeof label, "%s%s%s", axis->quantity->label,
                   axis->unit[0] != '\0' ? ", " : "", axis->unit);
    (void)fprintf(gnuplot, "set %clabel ", name);
    orr_plot_text(gnuplot, label, 60);
    (void)fputc('\n', gnuplot);
    write_range(gnuplot, axis, name);
    const bool slanted = axis->texts && name == 'x' && is_crowded(axis);
    (void)fprintf(gnuplot, "set %ctics %s(", name, slanted ? "rotate by -35 " : "");
    if (axis->texts) {
        text_ticks(gnuplot, axis);
    } else if (!value_ticks(gnuplot, axis)) {
        if (axis->log) {
            log_ticks(gnuplot, axis);
        } else {
            even_ticks(gnuplot, axis->low, axis->high);
        }
    }
    (void)fputs(")\n", gnuplot);
}
