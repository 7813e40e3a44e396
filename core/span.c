/* Spans of real time; see span.h. */
#include "core/span.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/units.h"

/* Limits that keep sums over a month finite. */
#define MIN_S 1e-12
#define MAX_S (1e6 * 365 * 86400)

static const struct {
    const char *name;
    double seconds;
} units[] = {{"ps", 1e-12}, {"ns", 1e-9}, {"us", 1e-6}, {"ms", 1e-3},      {"s", 1},
             {"min", 60},   {"h", 3600},  {"d", 86400}, {"y", 365 * 86400}};

enum { UNITS = sizeof units / sizeof *units, NUMBER_BYTES = 64 };

/* The unit in seconds; 0: there is no such unit. */
static double unit_of(const char *name, size_t length, double bare)
{
    if (length == 0) {
        return bare;
    }
    for (size_t i = 0; i < UNITS; i++) {
        if (strlen(units[i].name) == length && memcmp(units[i].name, name, length) == 0) {
            return units[i].seconds;
        }
    }
    return 0;
}

bool orr_parse_span(const char *text, double bare, double *seconds)
{
    char number[NUMBER_BYTES];
    const size_t begin = strspn(text, " "), digits = strspn(text + begin, "0123456789.eE+-");
    const char *name = text + begin + digits;
    name += strspn(name, " ");
    const double unit = unit_of(name, strcspn(name, " "), bare);
    double value = 0;
    if (digits >= sizeof number || !(unit > 0) || name[strcspn(name, " ")] != '\0') {
        return false;
    }
    memcpy(number, text + begin, digits);
    number[digits] = '\0';
    if (!orr_parse_number(number, &value) || signbit(value) ||
        !(value * unit <= MAX_S && (value * unit >= MIN_S || value == 0))) {
        return false;
    }
    *seconds = value * unit;
    return true;
}

char *orr_format_span(double seconds, char *text, size_t bytes)
{
    size_t unit = 0;
    while (unit + 1 < UNITS && seconds >= units[unit + 1].seconds * (unit >= 4 ? 2 : 1)) {
        unit++;
    }
    (void)snprintf(text, bytes, "%.4g %s", seconds / units[unit].seconds,
                   seconds == 0 ? "s" : units[unit].name);
    return text;
}
