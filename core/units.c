/* Quantities with units; see units.h.
 *
 * A number is kept as decimal digits and an exponent, a unit as an integer multiplier and a power
 * of ten, so "0.29 us" is exactly 290000 ps: nothing is rounded before the end. */
#include "core/units.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* value = multiplier * 10^power */
struct unit {
    const char *name;
    uint64_t multiplier;
    int power;
};

static const struct unit time_units[] = {{"ps", 1, 0},    {"ns", 1, 3}, {"us", 1, 6},
                                         {"ms", 1, 9},    {"s", 1, 12}, {"min", 60, 12},
                                         {"h", 3600, 12}, {NULL, 0, 0}};

#define KIBI (UINT64_C(1) << 10)
#define MEBI (UINT64_C(1) << 20)
#define GIBI (UINT64_C(1) << 30)
#define TEBI (UINT64_C(1) << 40)

static const struct unit byte_units[] = {{"B", 1, 0},      {"kB", 1, 3},     {"KB", 1, 3},
                                         {"MB", 1, 6},     {"GB", 1, 9},     {"TB", 1, 12},
                                         {"KiB", KIBI, 0}, {"MiB", MEBI, 0}, {"GiB", GIBI, 0},
                                         {"TiB", TEBI, 0}, {NULL, 0, 0}};

/* A bit is 125 * 10^-3 bytes. */
static const struct unit bandwidth_units[] = {
    {"B/s", 1, 0},      {"kB/s", 1, 3},     {"KB/s", 1, 3},     {"MB/s", 1, 6},
    {"GB/s", 1, 9},     {"TB/s", 1, 12},    {"KiB/s", KIBI, 0}, {"MiB/s", MEBI, 0},
    {"GiB/s", GIBI, 0}, {"TiB/s", TEBI, 0}, {"b/s", 125, -3},   {"kb/s", 125, 0},
    {"Kb/s", 125, 0},   {"Mb/s", 125, 3},   {"Gb/s", 125, 6},   {"Tb/s", 125, 9},
    {"Mbit/s", 125, 3}, {"Gbit/s", 125, 6}, {"Tbit/s", 125, 9}, {NULL, 0, 0}};

static const struct unit rate_units[] = {{"FLOP/s", 1, 0},   {"MFLOP/s", 1, 6},  {"GFLOP/s", 1, 9},
                                         {"TFLOP/s", 1, 12}, {"PFLOP/s", 1, 15}, {"FLOPS", 1, 0},
                                         {"MFLOPS", 1, 6},   {"GFLOPS", 1, 9},   {"TFLOPS", 1, 12},
                                         {"PFLOPS", 1, 15},  {NULL, 0, 0}};

static const struct {
    const struct unit *units;
    const char *expected, *example;
} quantities[] = {
    [ORR_QUANTITY_TIME] = {time_units, "a time such as \"500 ns\"", "500 ns"},
    [ORR_QUANTITY_BYTES] = {byte_units, "a size such as \"1 MiB\"", "1 MiB"},
    [ORR_QUANTITY_BANDWIDTH] = {bandwidth_units, "a positive bandwidth such as \"50 GB/s\"",
                                "50 GB/s"},
    [ORR_QUANTITY_RATE] = {rate_units, "a positive rate such as \"312 TFLOP/s\"", "312 TFLOP/s"}};

const char *orr_quantity_expected(enum orr_quantity quantity)
{
    return quantities[quantity].expected;
}

const char *orr_quantity_example(enum orr_quantity quantity)
{
    return quantities[quantity].example;
}

const char *orr_quantity_unit(enum orr_quantity quantity, size_t index)
{
    const struct unit *unit = quantities[quantity].units;
    while (unit->name != NULL && index > 0) {
        unit++;
        index--;
    }
    return unit->name;
}

/* ---- reading ---- */

/* digits * 10^power. `full`: 64 bits hold no further digit; `truncated`: nonzero digits were
 * dropped. */
struct decimal {
    uint64_t digits;
    int power;
    bool negative, full, truncated;
};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static void add_digit(struct decimal *number, char c, bool after_point)
{
    uint64_t digits;
    number->full = number->full || __builtin_mul_overflow(number->digits, 10, &digits) ||
                   __builtin_add_overflow(digits, (uint64_t)(c - '0'), &digits);
    if (number->full) {
        number->truncated = number->truncated || c != '0';
        number->power += after_point ? 0 : 1;
    } else {
        number->digits = digits;
        number->power -= after_point ? 1 : 0;
    }
}

/* Parses "e-12"; text without an exponent is not consumed. */
static const char *read_exponent(const char *text, struct decimal *number)
{
    const char *at = text + 1;
    if (*text != 'e' && *text != 'E') {
        return text;
    }
    const int sign = *at == '-' ? -1 : 1;
    at += *at == '-' || *at == '+' ? 1 : 0;
    if (!is_digit(*at)) {
        return text;
    }
    int exponent = 0;
    for (; is_digit(*at); at++) {
        exponent = exponent < 10000 ? exponent * 10 + (*at - '0') : exponent;
    }
    number->power += sign * exponent;
    return at;
}

/* Parses digits with at most one point, and an exponent. Returns the rest of the text, or NULL. */
static const char *read_decimal(const char *text, struct decimal *number)
{
    enum { LONGEST = 1000 }; /* keeps the power far from overflow */
    *number = (struct decimal){.negative = *text == '-'};
    text += *text == '-' || *text == '+' ? 1 : 0;
    const char *start = text;
    bool point = false;
    for (; is_digit(*text) || (*text == '.' && !point); text++) {
        if (text - start > LONGEST) {
            return NULL;
        }
        if (*text == '.') {
            point = true;
        } else {
            add_digit(number, *text, point);
        }
    }
    return text - start == (point ? 1 : 0) ? NULL : read_exponent(text, number);
}

static const char *skip_space(const char *text)
{
    return text + strspn(text, " \t");
}

static bool is_end(const char *text)
{
    return *skip_space(text) == '\0';
}

/* Parses a number and its unit. */
static bool read_quantity(const char *text, enum orr_quantity quantity, struct decimal *number,
                          const struct unit **unit)
{
    text = read_decimal(skip_space(text), number);
    if (text == NULL) {
        return false;
    }
    text = skip_space(text);
    for (*unit = quantities[quantity].units; (*unit)->name != NULL; (*unit)++) {
        const size_t length = strlen((*unit)->name);
        if (strncmp(text, (*unit)->name, length) == 0 && is_end(text + length)) {
            return true;
        }
    }
    return false;
}

__extension__ typedef unsigned __int128 wide;

/* digits * multiplier * 10^power rounded to the nearest integer, halves up; *exact: it was an
 * integer. false if >= 2^64. Digits and multiplier are below 2^64 and 2^41, so their product is
 * below 2^105 < 10^32. */
static bool to_integer(const struct decimal *number, const struct unit *unit, uint64_t *out,
                       bool *exact)
{
    const wide limit = UINT64_MAX;
    wide value = (wide)number->digits * unit->multiplier, divisor = 1;
    int power = value == 0 ? 0 : number->power + unit->power;
    for (; power > 0 && value <= limit; power--) {
        value *= 10;
    }
    for (; power < 0 && divisor <= value; power++) {
        divisor *= 10;
    }
    const wide rest = value % divisor;
    value = value / divisor + (power == 0 && rest >= divisor - rest ? 1 : 0);
    *exact = rest == 0 && !number->truncated;
    *out = (uint64_t)value;
    return power <= 0 && value <= limit;
}

/* The value as a double, correctly rounded if the multiplier is a power of two or the digits are
 * few. strtod gets no decimal point, so the locale does not matter. */
static double to_double(const struct decimal *number, const struct unit *unit)
{
    char text[64];
    uint64_t digits;
    double factor = 1;
    if (__builtin_mul_overflow(number->digits, unit->multiplier, &digits)) {
        digits = number->digits;
        factor = (double)unit->multiplier;
    }
    (void)snprintf(text, sizeof text, "%" PRIu64 "e%d", digits, number->power + unit->power);
    const double value = strtod(text, NULL) * factor;
    return number->negative ? -value : value;
}

bool orr_parse_time(const char *text, sim_time *out)
{
    struct decimal number;
    const struct unit *unit;
    uint64_t ps;
    bool exact;
    if (!read_quantity(text, ORR_QUANTITY_TIME, &number, &unit) ||
        !to_integer(&number, unit, &ps, &exact) || ps >= INT64_MAX ||
        (number.negative && ps != 0)) {
        return false;
    }
    *out = (sim_time)ps;
    return true;
}

bool orr_parse_bytes(const char *text, uint64_t *out)
{
    struct decimal number;
    const struct unit *unit;
    uint64_t amount;
    bool exact;
    if (!read_quantity(text, ORR_QUANTITY_BYTES, &number, &unit) ||
        !to_integer(&number, unit, &amount, &exact) || !exact || (number.negative && amount != 0)) {
        return false;
    }
    *out = amount;
    return true;
}

static bool parse_positive(const char *text, enum orr_quantity quantity, double *out)
{
    struct decimal number;
    const struct unit *unit;
    if (!read_quantity(text, quantity, &number, &unit)) {
        return false;
    }
    const double value = to_double(&number, unit);
    if (!(value > 0) || !isfinite(value)) {
        return false;
    }
    *out = value;
    return true;
}

bool orr_parse_bandwidth(const char *text, double *out)
{
    return parse_positive(text, ORR_QUANTITY_BANDWIDTH, out);
}

bool orr_parse_compute_rate(const char *text, double *out)
{
    return parse_positive(text, ORR_QUANTITY_RATE, out);
}

bool orr_parse_number(const char *text, double *out)
{
    static const struct unit one = {"", 1, 0};
    struct decimal number;
    const char *rest = read_decimal(skip_space(text), &number);
    const double value = rest != NULL && is_end(rest) ? to_double(&number, &one) : INFINITY;
    if (!isfinite(value)) {
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
    const char *start = text;
    uint64_t value = 0;
    for (; is_digit(*text); text++) {
        const unsigned digit = (unsigned)(*text - '0');
        if (value > ((uint64_t)INT64_MAX - digit) / 10) {
            return false;
        }
        value = value * 10 + digit;
    }
    if (text == start || !is_end(text)) {
        return false;
    }
    *out = negative ? -(int64_t)value : (int64_t)value;
    return true;
}

/* ---- writing ---- */

struct shown_unit {
    const char *name;
    uint64_t size;
};

/* Formats "INTEGER.DECIMALS UNIT" in the largest unit that the rounded amount reaches; the last
 * unit of the table, of size 1, has no decimals. `scale` is 10^decimals. */
static void format_scaled(uint64_t amount, const struct shown_unit *unit, uint64_t scale,
                          char *text, size_t bytes)
{
    while (unit->size > 1 && amount < unit->size - unit[1].size / (2 * scale)) {
        unit++;
    }
    if (unit->size == 1) {
        (void)snprintf(text, bytes, "%" PRIu64 " %s", amount, unit->name);
        return;
    }
    uint64_t fraction = (amount % unit->size * scale + unit->size / 2) / unit->size;
    const uint64_t units = amount / unit->size + (fraction == scale ? 1 : 0);
    fraction = fraction == scale ? 0 : fraction;
    const int decimals = scale == 1000 ? 3 : 2;
    (void)snprintf(text, bytes, "%" PRIu64 ".%0*" PRIu64 " %s", units, decimals, fraction,
                   unit->name);
}

char *orr_format_time(sim_time ps, char *text, size_t bytes)
{
    static const struct shown_unit units[] = {
        {"s", 1000000000000}, {"ms", 1000000000}, {"us", 1000000}, {"ns", 1000}, {"ps", 1}};
    const bool negative = ps < 0 && bytes > 1;
    if (negative) {
        text[0] = '-';
    }
    const uint64_t magnitude = ps < 0 ? 0 - (uint64_t)ps : (uint64_t)ps;
    format_scaled(magnitude, units, 1000, text + negative, bytes - negative);
    return text;
}

char *orr_format_bytes(uint64_t amount, char *text, size_t bytes)
{
    static const struct shown_unit units[] = {
        {"TiB", TEBI}, {"GiB", GIBI}, {"MiB", MEBI}, {"KiB", KIBI}, {"B", 1}};
    format_scaled(amount, units, 100, text, bytes);
    return text;
}

char *orr_format_sum_bytes(orr_sum amount, char *text, size_t bytes)
{
    if (amount >= 0 && amount <= UINT64_MAX) {
        return orr_format_bytes((uint64_t)amount, text, bytes);
    }
    (void)snprintf(text, bytes, "%.2f TiB", (double)amount / (double)TEBI);
    return text;
}

char *orr_format_bandwidth(double bytes_per_s, char *text, size_t bytes)
{
    static const struct {
        const char *name;
        double size;
    } units[] = {{"TB/s", 1e12}, {"GB/s", 1e9}, {"MB/s", 1e6}, {"kB/s", 1e3}, {"B/s", 1}};
    if (!(bytes_per_s < 1e24)) { /* more than 64 bits of TB/s hundredths; infinite */
        (void)snprintf(text, bytes, "unlimited");
        return text;
    }
    size_t i = 0;
    while (units[i].size > 1 && bytes_per_s < units[i].size * (1 - 5e-6)) {
        i++;
    }
    const double in_unit = bytes_per_s > 0 ? bytes_per_s / units[i].size : 0;
    const uint64_t hundredths = (uint64_t)(in_unit * 100 + 0.5);
    (void)snprintf(text, bytes, "%" PRIu64 ".%02u %s", hundredths / 100,
                   (unsigned)(hundredths % 100), units[i].name);
    return text;
}

char *orr_format_number(double value, char *text, size_t bytes)
{
    char written[64];
    (void)snprintf(written, sizeof written, "%g", value);
    size_t length = 0;
    for (const char *at = written; *at != '\0' && length + 1 < bytes; length++) {
        const size_t point = strcspn(at, "+-0123456789einfa");
        text[length] = point > 0 ? '.' : *at;
        at += point > 0 ? point : 1;
    }
    if (bytes > 0) {
        text[length] = '\0';
    }
    return text;
}
