/* Text in tables and CSV; see table_text.h. */
#include "report/table_text.h"

#include <stdarg.h>
#include <string.h>

#include "core/arena.h"
#include "core/text_escape.h"

void orr_print(FILE *out, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    char *text = orr_escape_format(format, values);
    va_end(values);
    (void)fputs(text != NULL ? text : "out of memory\n", out);
    orr_heap_free(text);
}

static void put_field(FILE *out, const char *text)
{
    if (strpbrk(text, ",\"") == NULL) {
        (void)fputs(text, out);
        return;
    }
    (void)fputc('"', out);
    for (; *text != '\0'; text++) {
        if (*text == '"') {
            (void)fputc('"', out);
        }
        (void)fputc(*text, out);
    }
    (void)fputc('"', out);
}

void orr_csv_text(FILE *out, const char *text)
{
    char *clean = orr_text_escape_copy(text, false);
    put_field(out, clean != NULL ? clean : "out of memory");
    orr_heap_free(clean);
}

void orr_markup_text(FILE *out, const char *text)
{
    char *clean = orr_text_escape_copy(text, false);
    for (const char *at = clean != NULL ? clean : "out of memory"; *at != '\0'; at++) {
        const char *entity = *at == '<'   ? "&lt;"
                             : *at == '>' ? "&gt;"
                             : *at == '&' ? "&amp;"
                             : *at == '"' ? "&quot;"
                                          : NULL;
        if (entity != NULL) {
            (void)fputs(entity, out);
        } else {
            (void)fputc(*at, out);
        }
    }
    orr_heap_free(clean);
}
