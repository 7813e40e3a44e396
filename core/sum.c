/* Formatting of 128-bit sums; see sum.h. */
#include "core/sum.h"

#include <string.h>

char *orr_sum_text(orr_sum value, char text[ORR_SUM_BYTES])
{
    __extension__ typedef unsigned __int128 digits;
    digits left = value < 0 ? -(digits)value : (digits)value;
    char *at = text + ORR_SUM_BYTES - 1;
    *at = '\0';
    do {
        *--at = (char)('0' + (int)(left % 10));
        left /= 10;
    } while (left != 0);
    if (value < 0) {
        *--at = '-';
    }
    memmove(text, at, (size_t)(text + ORR_SUM_BYTES - at));
    return text;
}
