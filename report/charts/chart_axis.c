/* Axes of charts, and their ticks; see charts.h. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "core/units.h"
#include "report/charts/charts.h"

void orr_chart_axis_init(struct orr_chart_axis *axis, const char *label, double low, double high,
                         bool log)
{
    *axis = (struct orr_chart_axis){.low = low, .high = high, .log = log};
    (void)orr_chart_cut_text(axis->label, sizeof axis->label, label);
    if (!(high > low)) {
        const double step = log ? low : low != 0 ? fabs(low) : 1;
        axis->low = log ? low / 2 : low - step;
        axis->high = low + step;
    }
}

void orr_chart_axis_powers(struct orr_chart_axis *axis, const char *label, double low, double high,
                           double base)
{
    orr_chart_axis_init(axis, label, pow(base, floor(log(low) / log(base) + 1e-9)),
                        pow(base, floor(log(high) / log(base) + 1e-9) + 1), true);
}

void orr_chart_axis_margin(struct orr_chart_axis *axis)
{
    static const double margin = 0.05;
    if (axis->log) {
        const double part = pow(axis->high / axis->low, margin);
        axis->low /= part;
        axis->high *= part;
        return;
    }
    const double edge = (axis->high - axis->low) * margin;
    axis->low = axis->low >= 0 && 2 * axis->low < axis->high ? 0 : axis->low - edge;
    axis->high += edge;
}

/* ---- ticks ---- */

void orr_chart_tick(struct orr_chart_axis *axis, double at, const char *text)
{
    const double rounding = 1e-6 * (axis->log ? at : axis->high - axis->low);
    if (axis->ticks < ORR_CHART_TICKS && at >= axis->low - rounding &&
        at <= axis->high + rounding) {
        struct orr_chart_tick *tick = &axis->tick[axis->ticks++];
        tick->at = at;
        (void)orr_chart_cut_text(tick->text, sizeof tick->text, text);
    }
}

static void number_tick(struct orr_chart_axis *axis, double at)
{
    char text[ORR_CHART_TICK_TEXT];
    (void)snprintf(text, sizeof text, fabs(at) < 1e7 ? "%.7g" : "%.3g", at);
    orr_chart_tick(axis, at, text);
}

/* 1, 2 and 5 times powers of ten, or only powers of ten, or every n-th of many decades. */
static void decade_ticks(struct orr_chart_axis *axis)
{
    enum { MAX_DECADES = 12 };
    const int begin = (int)floor(log10(axis->low)), end = (int)ceil(log10(axis->high));
    const int stride = 1 + (end - begin) / MAX_DECADES;
    for (int decade = begin; decade <= end; decade += stride) {
        const double one = pow(10, decade);
        number_tick(axis, one);
        if (end - begin <= 3) {
            number_tick(axis, 2 * one);
            number_tick(axis, 5 * one);
        }
    }
}

/* About six, at 1, 2 or 5 times a power of ten. */
static void even_ticks(struct orr_chart_axis *axis)
{
    enum { WANTED = 6 };
    const double raw_step = (axis->high - axis->low) / WANTED;
    const double power = pow(10, floor(log10(raw_step))), part = raw_step / power;
    const double step = power * (part <= 1 ? 1 : part <= 2 ? 2 : part <= 5 ? 5 : 10);
    for (double at = floor(axis->low / step) * step; at <= axis->high + step; at += step) {
        number_tick(axis, fabs(at) < step / 2 ? 0 : at);
    }
}

void orr_chart_number_ticks(struct orr_chart_axis *axis)
{
    if (axis->log) {
        decade_ticks(axis);
    } else {
        even_ticks(axis);
    }
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

/* From the last one backwards, so that the largest size of a bench is named. */
void orr_chart_bytes_ticks(struct orr_chart_axis *axis)
{
    char text[ORR_FORMAT_BYTES];
    const double octaves = log2(axis->high / axis->low);
    const double step = octaves <= 12 ? 2 : exp2(2 * ceil(octaves / 24));
    for (double at = exp2(floor(log2(axis->high) + 1e-9)); at >= 1 && at >= axis->low * 0.999999;
         at /= step) {
        (void)orr_format_bytes((uint64_t)at, text, sizeof text);
        orr_chart_tick(axis, at, without_zeros(text));
    }
}

void orr_chart_time_ticks(struct orr_chart_axis *axis)
{
    char text[ORR_FORMAT_BYTES];
    for (double at = pow(10, ceil(log10(axis->low) - 1e-9)); at <= axis->high * 1.000001;
         at *= 10) {
        (void)orr_format_time(llround(at), text, sizeof text);
        orr_chart_tick(axis, at, without_zeros(text));
    }
}
