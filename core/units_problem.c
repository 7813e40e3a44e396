/* Explains why a text is not the expected quantity; see units.h. */
#include <stdio.h>
#include <string.h>

#include "core/strings.h"
#include "core/units.h"

enum { MAX_UNITS = 64, NEAR_EDITS = 2 };

/* The units of a quantity. */
struct names {
    const char *name[MAX_UNITS];
    size_t count;
};

static struct names units_of(enum orr_quantity quantity)
{
    struct names names = {.count = 0};
    const char *name;
    while (names.count < MAX_UNITS && (name = orr_quantity_unit(quantity, names.count)) != NULL) {
        names.name[names.count++] = name;
    }
    return names;
}

static bool is_unit(const struct names *names, const char *text, size_t length)
{
    for (size_t i = 0; i < names->count; i++) {
        if (strlen(names->name[i]) == length && strncmp(names->name[i], text, length) == 0) {
            return true;
        }
    }
    return false;
}

static size_t append(char *text, size_t bytes, size_t used, const char *between, const char *name)
{
    if (used < bytes) {
        used += (size_t)snprintf(text + used, bytes - used, "%s%s", between, name);
    }
    return used < bytes ? used : bytes;
}

/* The size of 1000 of the unit, to detect different spellings of one unit. */
static double size_of(enum orr_quantity quantity, const char *unit)
{
    char one[40];
    int64_t ps = 0;
    uint64_t bytes = 0;
    double rate = 0;
    (void)snprintf(one, sizeof one, "1000 %s", unit);
    (void)(quantity == ORR_QUANTITY_TIME        ? orr_parse_time(one, &ps)
           : quantity == ORR_QUANTITY_BYTES     ? orr_parse_bytes(one, &bytes)
           : quantity == ORR_QUANTITY_BANDWIDTH ? orr_parse_bandwidth(one, &rate)
                                                : orr_parse_compute_rate(one, &rate));
    return (double)ps + (double)bytes + rate;
}

static bool is_other_spelling(enum orr_quantity quantity, const struct names *names, size_t index)
{
    for (size_t i = 0; i < index; i++) {
        if (size_of(quantity, names->name[i]) == size_of(quantity, names->name[index])) {
            return true;
        }
    }
    return false;
}

/* "ps, ns or us": each unit in its first spelling. */
static size_t list_units(enum orr_quantity quantity, char *text, size_t bytes, size_t used)
{
    const struct names all = units_of(quantity);
    struct names names = {.count = 0};
    for (size_t i = 0; i < all.count; i++) {
        if (!is_other_spelling(quantity, &all, i)) {
            names.name[names.count++] = all.name[i];
        }
    }
    for (size_t i = 0; i < names.count; i++) {
        const char *between = i == 0 ? "" : i + 1 == names.count ? " or " : ", ";
        used = append(text, bytes, used, between, names.name[i]);
    }
    return used;
}

/* ---- numbers ---- */

static const char *skip_digits(const char *text)
{
    return text + strspn(text, "0123456789");
}

/* End of the number at the start of the text, or NULL. */
static const char *end_of_number(const char *text)
{
    text += *text == '-' || *text == '+' ? 1 : 0;
    const char *end = skip_digits(text);
    end = *end == '.' ? skip_digits(end + 1) : end;
    if (end == text || (end == text + 1 && *text == '.')) {
        return NULL;
    }
    const char *exponent = end + 1 + (*end != '\0' && (end[1] == '-' || end[1] == '+') ? 1 : 0);
    const bool has = (*end == 'e' || *end == 'E') && skip_digits(exponent) != exponent;
    return has ? skip_digits(exponent) : end;
}

/* ---- problems ---- */

static bool has_prefix(const char *a, const char *b, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if ((a[i] | 0x20) != (b[i] | 0x20)) {
            return false;
        }
    }
    return true;
}

/* Whether the text is a prefix of the unit, ignoring case: "M" of "MB" and "MiB", "GB" of "GB/s";
 * "Mi" of "MiB". */
static bool is_prefix_of_unit(const char *written, const char *unit)
{
    const size_t length = strlen(written), unit_length = strlen(unit);
    return length > 0 && length < unit_length && has_prefix(written, unit, length);
}

/* Edit distance from the text to a unit. A longer name that begins with the unit, and a missing
 * end, count as 1. */
static unsigned edits_to(const char *written, const char *unit)
{
    const size_t length = strlen(written), unit_length = strlen(unit);
    if (is_prefix_of_unit(written, unit)) {
        return strncmp(unit, written, length) == 0 ? 1 : 2;
    }
    if (length > 2 && strncmp(unit, written, unit_length) == 0) {
        return 1;
    }
    const unsigned edits = orr_edit_distance(written, unit, NEAR_EDITS + 1);
    const bool is_unclear = edits > 0 && length <= 2 && edits * 2 >= length;
    return is_unclear ? NEAR_EDITS + 1 : edits;
}

/* The units nearest to the text ("GB/s" and "Gb/s" are equally near), if near and few enough. */
static struct names near_units(const struct names *units, const char *written)
{
    enum { FEW = 3 };
    unsigned nearest = NEAR_EDITS + 1;
    struct names near = {.count = 0};
    for (size_t i = 0; i < units->count; i++) {
        const unsigned edits = edits_to(written, units->name[i]);
        near.count = edits < nearest ? 0 : near.count;
        nearest = edits < nearest ? edits : nearest;
        if (edits == nearest) {
            near.name[near.count++] = units->name[i];
        }
    }
    if (nearest > NEAR_EDITS || near.count > FEW) {
        near.count = 0;
    }
    return near;
}

static void wrong_unit(enum orr_quantity quantity, const char *written, char *why, size_t bytes)
{
    const struct names names = units_of(quantity);
    size_t used = (size_t)snprintf(why, bytes, "\"%.32s\" is none of the units ", written);
    used = list_units(quantity, why, bytes, used);
    /* The micro sign and the Greek letter mu, as in "\xc2\xb5s". */
    const bool micro = strncmp(written, "\xc2\xb5", 2) == 0 || strncmp(written, "\xce\xbc", 2) == 0;
    char plain[40];
    (void)snprintf(plain, sizeof plain, "%s%s", micro ? "u" : "", written + (micro ? 2 : 0));
    const struct names near = near_units(&names, plain);
    for (size_t i = 0; i < near.count; i++) {
        used = append(why, bytes, used, i == 0 ? "; did you mean " : " or ", near.name[i]);
    }
    if (near.count > 0) {
        (void)append(why, bytes, used, "?", "");
    }
}

/* Number and unit are valid, so the value must be wrong. */
static const char *wrong_value(enum orr_quantity quantity, const char *text)
{
    char as_bandwidth[128];
    double bytes = 0;
    if (*text == '-') {
        return "it is negative";
    }
    if (quantity == ORR_QUANTITY_TIME) {
        return "it is longer than 106 days";
    }
    if (quantity != ORR_QUANTITY_BYTES) {
        return strpbrk(text, "123456789") == NULL ? "it is zero" : "it is too large or too small";
    }
    (void)snprintf(as_bandwidth, sizeof as_bandwidth, "%.100s/s", text);
    return orr_parse_bandwidth(as_bandwidth, &bytes) && bytes < 0x1p64
               ? "it is not a whole number of bytes"
               : "it is more than 2^64 - 1 bytes";
}

char *orr_quantity_problem(enum orr_quantity quantity, const char *text, char *why, size_t bytes)
{
    const struct names names = units_of(quantity);
    text += strspn(text, " \t");
    const char *unit = end_of_number(text);
    why[0] = '\0';
    if (unit == NULL) {
        return why;
    }
    unit += strspn(unit, " \t");
    size_t length = strlen(unit);
    while (length > 0 && (unit[length - 1] == ' ' || unit[length - 1] == '\t')) {
        length--;
    }
    if (length == 0) {
        const int used = snprintf(why, bytes, "a unit is missing: ");
        (void)list_units(quantity, why, bytes, (size_t)used);
    } else if (is_unit(&names, unit, length)) {
        (void)snprintf(why, bytes, "%s", wrong_value(quantity, text));
    } else {
        char written[33];
        (void)snprintf(written, sizeof written, "%.*s", (int)(length < 32 ? length : 32), unit);
        wrong_unit(quantity, written, why, bytes);
    }
    return why;
}
