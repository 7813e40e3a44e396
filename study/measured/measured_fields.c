/* Numbers in measured tables; see measured_fields.h. */
#include "study/measured/measured_fields.h"

#include <math.h>
#include <string.h>

#include "core/units.h"

/* 2^53: from here on a double cannot hold every integer. */
static const double exact_limit = 9007199254740992.0;

/* The power of ten of the last digit in the text. */
static int64_t last_digit(const char *text)
{
    const size_t mantissa = strcspn(text, "eE");
    const char *point = memchr(text, '.', mantissa);
    const int64_t places = point != NULL ? (int64_t)(text + mantissa - point) - 1 : 0;
    int64_t power = 0;
    if (text[mantissa] != '\0') {
        (void)orr_parse_integer(text + mantissa + 1, &power);
    }
    return power > 400 ? 400 : power < -400 ? -400 : power - places;
}

bool orr_measured_number(const char *text, struct measured_number *out)
{
    double value;
    if (!orr_parse_number(text, &value)) {
        return false;
    }
    *out = (struct measured_number){value, 0.5 * pow(10, (double)last_digit(text))};
    return true;
}

bool orr_measured_integer(const char *text, uint64_t *out)
{
    uint64_t value = 0;
    const char *at = text;
    for (; *at >= '0' && *at <= '9'; at++) {
        const unsigned digit = (unsigned)(*at - '0');
        if (value > (UINT64_MAX - digit) / 10) {
            return false;
        }
        value = value * 10 + digit;
    }
    if (at != text && *at == '\0') {
        *out = value;
        return true;
    }
    double real;
    if (!orr_parse_number(text, &real) || real < 0 || real >= exact_limit || real != floor(real)) {
        return false;
    }
    *out = (uint64_t)real;
    return true;
}
