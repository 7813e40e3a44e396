/* Any text as a JSON string; see json_text.h. */
#include "cli/json_text.h"

#include <string.h>

#include "core/core.h"

json_t *orr_json_text(const char *text)
{
    json_t *string = json_string(text);
    if (string != NULL) {
        return string;
    }
    char *clean = orr_heap_alloc(strlen(text) + 1);
    if (clean == NULL) {
        return json_null();
    }
    size_t i = 0;
    for (; text[i] != '\0'; i++) {
        clean[i] = (unsigned char)text[i] < 0x80 ? text[i] : '?';
    }
    clean[i] = '\0';
    string = json_string(clean);
    orr_heap_free(clean);
    return string;
}

json_t *orr_json_sum(orr_sum value)
{
    return value == orr_sum_clamp(value) ? json_integer((json_int_t)value)
                                         : json_real((double)value);
}
