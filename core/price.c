/* Prices; see price.h. */
#include "core/price.h"

#include <math.h>
#include <string.h>

#include "core/units.h"

enum { NUMBER_BYTES = 64 };

/* Skips spaces and a currency; true if there is one. */
static bool skip_currency(const char **text)
{
    static const char *const names[] = {"$", "USD"};
    *text += strspn(*text, " ");
    for (unsigned i = 0; i < 2; i++) {
        const size_t length = strlen(names[i]);
        if (strncmp(*text, names[i], length) == 0) {
            *text += length + strspn(*text + length, " ");
            return true;
        }
    }
    return false;
}

/* Reads a number of at least 0; returns what follows it, NULL: there is none. */
static const char *read_number(const char *text, double *out)
{
    char number[NUMBER_BYTES];
    const size_t digits = strspn(text, "0123456789.eE+-");
    if (digits >= sizeof number) {
        return NULL;
    }
    memcpy(number, text, digits);
    number[digits] = '\0';
    return orr_parse_number(number, out) && !signbit(*out) ? text + digits : NULL;
}

bool orr_parse_price(const char *text, const char *unit, double *dollars)
{
    double value = 0;
    const bool before = skip_currency(&text);
    text = read_number(text, &value);
    if (text == NULL) {
        return false;
    }
    const bool behind = skip_currency(&text);
    if (before == behind || *text++ != '/' || strcmp(text + strspn(text, " "), unit) != 0) {
        return false;
    }
    *dollars = value;
    return true;
}

bool orr_parse_power(const char *text, double *watts)
{
    double value = 0;
    text = read_number(text + strspn(text, " "), &value);
    text = text != NULL ? text + strspn(text, " ") : "";
    const double unit = strcmp(text, "W") == 0    ? 1
                        : strcmp(text, "kW") == 0 ? 1e3
                        : strcmp(text, "MW") == 0 ? 1e6
                                                  : 0;
    if (!(unit > 0)) {
        return false;
    }
    *watts = value * unit;
    return true;
}
