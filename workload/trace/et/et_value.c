/* Values of attributes; see et_value.h. */
#include "workload/trace/et/et_value.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/units.h"

static bool real_to_integer(double real, uint64_t *out)
{
    if (!(real >= 0) || real >= 9223372036854775808.0 || real != (double)(uint64_t)real) {
        return false;
    }
    *out = (uint64_t)real;
    return true;
}

static bool text_to_integer(const char *text, uint64_t *out)
{
    int64_t integer;
    double real;
    if (orr_parse_integer(text, &integer)) {
        *out = (uint64_t)integer;
        return integer >= 0;
    }
    return orr_parse_number(text, &real) && real_to_integer(real, out);
}

bool orr_et_to_integer(const struct et_value *value, uint64_t *out)
{
    switch (value->kind) {
    case ET_SIGNED:
        *out = (uint64_t)value->of.as_signed;
        return value->of.as_signed >= 0;
    case ET_UNSIGNED:
        *out = value->of.as_unsigned;
        return true;
    case ET_REAL:
        return real_to_integer(value->of.as_real, out);
    case ET_BOOL:
        *out = value->of.as_bool ? 1 : 0;
        return true;
    case ET_TEXT:
        return text_to_integer(value->of.as_text, out);
    default:
        return false;
    }
}

const char *orr_et_describe(const struct et_value *value, char text[ET_VALUE_TEXT_BYTES])
{
    switch (value->kind) {
    case ET_SIGNED:
        (void)snprintf(text, ET_VALUE_TEXT_BYTES, "%" PRId64, value->of.as_signed);
        break;
    case ET_UNSIGNED:
        (void)snprintf(text, ET_VALUE_TEXT_BYTES, "%" PRIu64, value->of.as_unsigned);
        break;
    case ET_REAL:
        (void)snprintf(text, ET_VALUE_TEXT_BYTES, "%g", value->of.as_real);
        break;
    case ET_BOOL:
        return value->of.as_bool ? "true" : "false";
    case ET_TEXT:
        (void)snprintf(text, ET_VALUE_TEXT_BYTES, "\"%.60s\"", value->of.as_text);
        break;
    case ET_TEXTS:
        return "a list of texts";
    case ET_BOOLS:
        (void)snprintf(text, ET_VALUE_TEXT_BYTES, "a list of %zu booleans", value->count);
        break;
    case ET_NUMBERS:
        (void)snprintf(text, ET_VALUE_TEXT_BYTES, "a list of %zu numbers", value->count);
        break;
    case ET_NONE:
        return "no value";
    case ET_OTHER:
        return "a value of another type";
    }
    for (char *c = text; *c != '\0'; c++) {
        *c = *c < ' ' || *c > '~' ? '?' : *c;
    }
    return text;
}

bool orr_et_to_bool(const struct et_value *value, bool *out)
{
    uint64_t number = 2;
    if (value->kind == ET_TEXT) {
        const char *text = value->of.as_text;
        if (strcmp(text, "true") == 0 || strcmp(text, "True") == 0) {
            number = 1;
        } else if (strcmp(text, "false") == 0 || strcmp(text, "False") == 0) {
            number = 0;
        }
    }
    if (number == 2 && (!orr_et_to_integer(value, &number) || number > 1)) {
        return false;
    }
    *out = number == 1;
    return true;
}

bool orr_et_is_empty(const struct et_value *value)
{
    return value->kind == ET_NONE ||
           (value->count == 0 &&
            (value->kind == ET_BOOLS || value->kind == ET_TEXTS || value->kind == ET_NUMBERS));
}
