/* Quantities with units; see units.h. */
#include "core/units.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

struct unit {
    const char *name;
    double factor;
};

static const struct unit time_units[] = {{"ps", 1},   {"ns", 1e3},   {"us", 1e6},   {"ms", 1e9},
                                         {"s", 1e12}, {"min", 6e13}, {"h", 3.6e15}, {NULL, 0}};

static const struct unit byte_units[] = {{"B", 1},        {"kB", 1e3},        {"KB", 1e3},
                                         {"MB", 1e6},     {"GB", 1e9},        {"TB", 1e12},
                                         {"KiB", 1024.0}, {"MiB", 1048576.0}, {"GiB", 0x1p30},
                                         {"TiB", 0x1p40}, {NULL, 0}};

static const struct unit bandwidth_units[] = {
    {"B/s", 1},      {"kB/s", 1e3},     {"KB/s", 1e3},        {"MB/s", 1e6},     {"GB/s", 1e9},
    {"TB/s", 1e12},  {"KiB/s", 1024.0}, {"MiB/s", 1048576.0}, {"GiB/s", 0x1p30}, {"TiB/s", 0x1p40},
    {"b/s", 0.125},  {"kb/s", 125.0},   {"Kb/s", 125.0},      {"Mb/s", 125e3},   {"Gb/s", 125e6},
    {"Tb/s", 125e9}, {"Mbit/s", 125e3}, {"Gbit/s", 125e6},    {"Tbit/s", 125e9}, {NULL, 0}};

static const struct unit rate_units[] = {{"FLOP/s", 1},     {"MFLOP/s", 1e6},  {"GFLOP/s", 1e9},
                                         {"TFLOP/s", 1e12}, {"PFLOP/s", 1e15}, {"FLOPS", 1},
                                         {"MFLOPS", 1e6},   {"GFLOPS", 1e9},   {"TFLOPS", 1e12},
                                         {"PFLOPS", 1e15},  {NULL, 0}};

/* Digits with at most one point and an exponent; the locale's decimal comma plays no part. Returns
 * the rest of the text, or NULL. Exact for integers below 2^53 and correctly rounded for up to 15
 * digits with small exponents, which is what configurations hold. */
static const char *read_number(const char *text, double *out)
{
    const bool negative = *text == '-';
    text += *text == '-' || *text == '+' ? 1 : 0;
    double mantissa = 0;
    int scale = 0, digits = 0;
    for (; isdigit((unsigned char)*text); text++, digits++) {
        mantissa = mantissa * 10 + (*text - '0');
    }
    if (*text == '.') {
        for (text++; isdigit((unsigned char)*text); text++, digits++, scale--) {
            mantissa = mantissa * 10 + (*text - '0');
        }
    }
    if (digits == 0) {
        return NULL;
    }
    if ((*text == 'e' || *text == 'E') &&
        (isdigit((unsigned char)text[1]) ||
         ((text[1] == '-' || text[1] == '+') && isdigit((unsigned char)text[2])))) {
        const int sign = text[1] == '-' ? -1 : 1;
        int exponent = 0;
        for (text += isdigit((unsigned char)text[1]) ? 1 : 2; isdigit((unsigned char)*text);
             text++) {
            exponent = exponent < 10000 ? exponent * 10 + (*text - '0') : exponent;
        }
        scale += sign * exponent;
    }
    const double power = pow(10.0, scale < 0 ? -scale : scale);
    const double value = scale < 0 ? mantissa / power : mantissa * power;
    *out = negative ? -value : value;
    return isfinite(*out) ? text : NULL;
}

static const char *skip_space(const char *text)
{
    while (*text == ' ' || *text == '\t') {
        text++;
    }
    return text;
}

static bool ends(const char *text)
{
    return *skip_space(text) == '\0';
}

static bool parse_with(const char *text, const struct unit *units, double *out)
{
    double value;
    text = read_number(skip_space(text), &value);
    if (text == NULL) {
        return false;
    }
    text = skip_space(text);
    for (const struct unit *unit = units; unit->name != NULL; unit++) {
        const size_t length = strlen(unit->name);
        if (strncmp(text, unit->name, length) == 0 && ends(text + length)) {
            *out = value * unit->factor;
            return isfinite(*out);
        }
    }
    return false;
}

bool orr_parse_time(const char *text, sim_time *out)
{
    double ps;
    if (!parse_with(text, time_units, &ps) || ps < 0 || ps >= 9.2e18) {
        return false;
    }
    *out = (sim_time)nearbyint(ps);
    return true;
}

bool orr_parse_bytes(const char *text, uint64_t *out)
{
    double amount;
    if (!parse_with(text, byte_units, &amount) || amount < 0 || amount >= 1.8e19 ||
        amount != floor(amount)) {
        return false;
    }
    *out = (uint64_t)amount;
    return true;
}

bool orr_parse_bandwidth(const char *text, double *out)
{
    double value;
    if (!parse_with(text, bandwidth_units, &value) || !(value > 0)) {
        return false;
    }
    *out = value;
    return true;
}

bool orr_parse_compute_rate(const char *text, double *out)
{
    double value;
    if (!parse_with(text, rate_units, &value) || !(value > 0)) {
        return false;
    }
    *out = value;
    return true;
}

bool orr_parse_number(const char *text, double *out)
{
    double value;
    const char *rest = read_number(skip_space(text), &value);
    if (rest == NULL || !ends(rest)) {
        return false;
    }
    *out = value;
    return true;
}

bool orr_parse_integer(const char *text, int64_t *out)
{
    text = skip_space(text);
    const bool negative = *text == '-';
    text += *text == '-' || *text == '+' ? 1 : 0;
    uint64_t value = 0;
    const char *start = text;
    for (; isdigit((unsigned char)*text); text++) {
        const unsigned digit = (unsigned)(*text - '0');
        if (value > ((uint64_t)INT64_MAX - digit) / 10) {
            return false;
        }
        value = value * 10 + digit;
    }
    if (text == start || !ends(text)) {
        return false;
    }
    *out = negative ? -(int64_t)value : (int64_t)value;
    return true;
}

char *orr_format_time(sim_time ps, char *text, size_t bytes)
{
    static const struct unit shown[] = {{"s", 1e12}, {"ms", 1e9}, {"us", 1e6}, {"ns", 1e3}};
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++) {
        if ((double)ps >= shown[i].factor) {
            (void)snprintf(text, bytes, "%.3f %s", (double)ps / shown[i].factor, shown[i].name);
            return text;
        }
    }
    (void)snprintf(text, bytes, "%lld ps", (long long)ps);
    return text;
}

char *orr_format_bytes(uint64_t amount, char *text, size_t bytes)
{
    static const struct unit shown[] = {
        {"TiB", 0x1p40}, {"GiB", 0x1p30}, {"MiB", 1048576.0}, {"KiB", 1024.0}};
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++) {
        if ((double)amount >= shown[i].factor) {
            (void)snprintf(text, bytes, "%.2f %s", (double)amount / shown[i].factor, shown[i].name);
            return text;
        }
    }
    (void)snprintf(text, bytes, "%llu B", (unsigned long long)amount);
    return text;
}

char *orr_format_bandwidth(double bytes_per_s, char *text, size_t bytes)
{
    static const struct unit shown[] = {{"TB/s", 1e12}, {"GB/s", 1e9}, {"MB/s", 1e6}};
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++) {
        if (bytes_per_s >= shown[i].factor) {
            (void)snprintf(text, bytes, "%.2f %s", bytes_per_s / shown[i].factor, shown[i].name);
            return text;
        }
    }
    (void)snprintf(text, bytes, "%.0f B/s", bytes_per_s);
    return text;
}
