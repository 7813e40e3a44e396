/* Results: what is written where, and the text of tables and CSV. */
#ifndef ORR_REPORT_TABLE_TEXT_H
#define ORR_REPORT_TABLE_TEXT_H

#include <stdio.h>

/* A file to write, and how. */
struct orr_output {
    const char *path;                             /* NULL: not asked for; "-": standard output */
    int (*write)(FILE *out, const void *context); /* 0, or 1 with errno set */
};

/* printf for tables: what names of inputs hold that a terminal would obey, and their line feeds,
 * become visible escapes (core/text_escape.h). */
void orr_print(FILE *out, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 2, 3)))
#endif
    ;

/* A field of a CSV file, in quotes where it needs them, on one line: control characters are visible
 * escapes. */
void orr_csv_text(FILE *out, const char *text);

/* Text in a file of markup (SVG, HTML), between tags or in an attribute in double quotes; control
 * characters are visible escapes. */
void orr_markup_text(FILE *out, const char *text);

#endif
