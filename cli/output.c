/* Writing results; see output.h. */
#include "cli/output.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/terminal.h"
#include "core/core.h"

int orr_write_output(const struct orr_output *output, const void *context, bool *standard)
{
    if (output->path == NULL) {
        return 0;
    }
    const bool to_standard = strcmp(output->path, "-") == 0;
    FILE *file = to_standard ? stdout : fopen(output->path, "w");
    if (file == NULL) {
        orr_say("%s: cannot be written: %s\n", output->path, strerror(errno));
        return ORR_EXIT_USAGE;
    }
    int result = output->write(file, context);
    if (!to_standard && fclose(file) != 0) {
        result = 1;
    }
    if (result != 0) {
        orr_say("%s: cannot be written: %s\n", output->path, strerror(errno));
    }
    *standard = *standard || to_standard;
    return result;
}

void orr_print(FILE *out, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    char *text = orr_clean_format(format, values);
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
    char *clean = orr_text_clean_copy(text, false);
    put_field(out, clean != NULL ? clean : "out of memory");
    orr_heap_free(clean);
}
