/* Axis of the plot of a sweep; see sweep_plot_axis.h. */
#include "study/ranking/sweep_plot_axis.h"

#include <math.h>
#include <string.h>

#include "report/charts/charts.h"

enum { MAX_VALUES = 12, MAX_NAME = 60 };

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

/* The largest unit not above the value, or the smallest unit. Returns its size. */
static double choose_unit(const char *of, double value, const char **name)
{
    double size = 1;
    *name = "";
    for (size_t i = 0; of != NULL && i < sizeof units / sizeof *units; i++) {
        if (strcmp(units[i].of, of) == 0) {
            size = units[i].size;
            *name = units[i].name;
            if (fabs(value) >= size) {
                break;
            }
        }
    }
    return size;
}

static double position_of(const struct orr_chart_axis *axis, double value)
{
    return axis->log ? log(value) : value;
}

/* Whether values of an axis are few and far enough apart for a tick each. */
static bool are_spaced(const struct orr_chart_axis *axis, const struct orr_sweep_axis *of,
                       double size)
{
    enum { MAX_IN_SPAN = 24 };
    const double span = position_of(axis, axis->high) - position_of(axis, axis->low);
    bool spaced = of->count <= MAX_VALUES;
    for (size_t i = 0; i < of->count && spaced; i++) {
        for (size_t j = 0; j < i && spaced; j++) {
            const double a = of->value[i].value.number / size;
            const double b = of->value[j].value.number / size;
            const bool drawn = a >= axis->low && b >= axis->low;
            const double gap = drawn ? fabs(position_of(axis, a) - position_of(axis, b)) : span;
            spaced = gap * MAX_IN_SPAN >= span || !(gap > 0);
        }
    }
    return spaced;
}

static void value_ticks(struct orr_chart_axis *axis, const struct orr_sweep_axis *of, double size)
{
    for (size_t i = 0; i < of->count; i++) {
        char text[ORR_CHART_TICK_TEXT];
        const double at = of->value[i].value.number / size;
        (void)snprintf(text, sizeof text, fabs(at) < 1e7 ? "%.7g" : "%.3g", at);
        orr_chart_tick(axis, at, text);
    }
}

double orr_sweep_plot_text_position(const struct orr_sweep_axis *axis, const char *label)
{
    size_t i = 0;
    while (i + 1 < axis->count && strcmp(axis->value[i].label, label) != 0) {
        i++;
    }
    return (double)i;
}

static void text_ticks(struct orr_chart_axis *axis, const struct orr_sweep_axis *of)
{
    for (size_t i = 0; i < of->count; i++) {
        const char *label = of->value[i].label;
        if (orr_sweep_plot_text_position(of, label) >= (double)i) { /* first with its label */
            orr_chart_tick(axis, (double)i, label);
        }
    }
}

double orr_sweep_plot_axis(struct orr_chart_axis *axis, const struct orr_sweep *sweep,
                           const struct orr_sweep_quantity *quantity, double low, double high)
{
    enum { SPAN = 10, SPAN_OF_VALUES = 8 };
    const bool values = quantity->kind == ORR_SWEEP_VALUE, texts = quantity->unit_name == NULL;
    const struct orr_sweep_axis *of = values ? &sweep->axis[quantity->index] : NULL;
    const bool log = low > 0 && high >= (values ? SPAN_OF_VALUES : SPAN) * low && !texts;
    const char *unit;
    const double size =
        choose_unit(quantity->unit_name, log ? sqrt(low) * sqrt(high) : high, &unit);
    char label[ORR_CHART_TEXT], name[MAX_NAME];
    (void)snprintf(label, sizeof label, "%s%s%s",
                   orr_chart_cut_text(name, sizeof name, quantity->label),
                   *unit != '\0' ? ", " : "", unit);
    if (values && texts) {
        orr_chart_axis_init(axis, label, low - 0.5, high + 0.5, false);
        text_ticks(axis, of);
        return size;
    }
    orr_chart_axis_init(axis, label, low / size, high / size, log);
    const bool spaced = values && are_spaced(axis, of, size);
    orr_chart_axis_margin(axis);
    if (spaced) {
        value_ticks(axis, of, size);
    } else {
        orr_chart_number_ticks(axis);
    }
    return size;
}
