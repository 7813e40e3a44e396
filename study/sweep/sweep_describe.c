/* Text of points and axes; see sweep.h. */
#include <stdio.h>
#include <string.h>

#include "core/units.h"
#include "study/sweep/sweep_reading.h"

const char *orr_sweep_axis_label(const struct orr_sweep *sweep, size_t axis)
{
    const char *path = sweep->axis[axis].path, *name = path + strlen(path);
    bool unique = false;
    while (name > path && !unique) {
        do {
            name--;
        } while (name > path && name[-1] != '.');
        unique = true;
        for (size_t a = 0; a < sweep->axes && unique; a++) {
            const char *other = sweep->axis[a].path;
            const size_t length = strlen(other), end = strlen(name);
            unique = a == axis || length < end || strcmp(other + length - end, name) != 0;
        }
    }
    return name;
}

char *orr_sweep_describe(const struct orr_sweep *sweep, uint32_t point, char *text, size_t bytes)
{
    size_t used = 0;
    text[0] = '\0';
    for (size_t a = 0; a < sweep->axes && used < bytes; a++) {
        used += (size_t)snprintf(text + used, bytes - used, "%s%s=%s", a > 0 ? ", " : "",
                                 orr_sweep_axis_label(sweep, a),
                                 orr_sweep_value_at(sweep, a, sweep->point[point])->label);
    }
    return text;
}

/* The unit of a quantity as orr_expr_read_value reads it; NULL for other texts. */
static const char *unit_of(const char *text)
{
    double number;
    uint64_t bytes;
    sim_time ps;
    return orr_parse_number(text, &number)         ? ""
           : orr_parse_bandwidth(text, &number)    ? "bytes/s"
           : orr_parse_compute_rate(text, &number) ? "operations/s"
           : orr_parse_bytes(text, &bytes)         ? "bytes"
           : orr_parse_time(text, &ps)             ? "s"
                                                   : NULL;
}

const char *orr_sweep_axis_unit(const struct orr_sweep_axis *axis)
{
    const char *unit = NULL;
    for (size_t i = 0; i < axis->count; i++) {
        const char *other = axis->value[i].file == NULL ? unit_of(axis->value[i].label) : NULL;
        if (other == NULL || (unit != NULL && strcmp(unit, other) != 0)) {
            return NULL;
        }
        unit = other;
    }
    return unit;
}

static const char *suffix_of(const struct orr_sweep_axis *axis)
{
    static const struct {
        const char *unit, *suffix;
    } suffixes[] = {{"bytes/s", "_bytes_per_s"},
                    {"operations/s", "_operations_per_s"},
                    {"bytes", "_bytes"},
                    {"s", "_s"}};
    const char *unit = axis->derived ? NULL : orr_sweep_axis_unit(axis);
    for (size_t i = 0; unit != NULL && i < sizeof suffixes / sizeof *suffixes; i++) {
        if (strcmp(unit, suffixes[i].unit) == 0) {
            return suffixes[i].suffix;
        }
    }
    return NULL;
}

void orr_sweep_set_suffixes(struct orr_sweep *sweep)
{
    for (size_t a = 0; a < sweep->axes; a++) {
        sweep->axis[a].suffix = suffix_of(&sweep->axis[a]);
    }
}
