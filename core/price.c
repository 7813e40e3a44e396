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

bool orr_parse_price(const char *text, const char *unit, double *dollars)
{
    char number[NUMBER_BYTES];
    double value = 0;
    const bool before = skip_currency(&text);
    const size_t digits = strspn(text, "0123456789.eE+-");
    if (digits >= sizeof number) {
        return false;
    }
    memcpy(number, text, digits);
    number[digits] = '\0';
    text += digits;
    const bool behind = skip_currency(&text);
    if (before == behind || *text++ != '/' || strcmp(text + strspn(text, " "), unit) != 0 ||
        !orr_parse_number(number, &value) || signbit(value)) {
        return false;
    }
    *dollars = value;
    return true;
}
