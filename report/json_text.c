/* Text of any encoding as a JSON string; see json_text.h. */
#include "report/json_text.h"

#include <string.h>

#include "core/arena.h"

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

/* ---- writing ---- */

/* jansson escapes only what is below a space. DEL and C1, which terminals obey too, are escaped
 * here. They can occur only within strings, and jansson never splits a character. */
static bool is_control(const char *at, size_t left)
{
    return *at == 0x7F || (left > 1 && *at == '\xC2' && (unsigned char)at[1] >= 0x80 &&
                           (unsigned char)at[1] <= 0x9F);
}

static int put_piece(const char *text, size_t bytes, void *out)
{
    size_t from = 0;
    for (size_t i = 0; i < bytes; i++) {
        if (is_control(text + i, bytes - i)) {
            const bool wide = text[i] != 0x7F;
            (void)fwrite(text + from, 1, i - from, out);
            (void)fprintf(out, "\\u00%02x", (unsigned char)text[i + (wide ? 1 : 0)]);
            i += wide ? 1 : 0;
            from = i + 1;
        }
    }
    return fwrite(text + from, 1, bytes - from, out) == bytes - from ? 0 : -1;
}

int orr_json_write(const json_t *json, FILE *out, size_t flags)
{
    return json_dump_callback(json, put_piece, out, flags);
}

json_t *orr_json_sum(orr_sum value)
{
    return value == orr_sum_clamp(value) ? json_integer((json_int_t)value)
                                         : json_real((double)value);
}

int orr_json_write_and_free(json_t *json, FILE *out)
{
    const bool written =
        json != NULL && orr_json_write(json, out, JSON_INDENT(2)) == 0 && fputc('\n', out) != EOF;
    json_decref(json);
    return written ? 0 : 1;
}
