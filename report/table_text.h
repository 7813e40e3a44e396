/* Output files of results, and the text of tables and CSV. */
#ifndef ORR_REPORT_TABLE_TEXT_H
#define ORR_REPORT_TABLE_TEXT_H

#include <stdio.h>

/* A file to write, and its writer. */
struct orr_output {
    const char *path;                             /* NULL: none; "-": standard output */
    int (*write)(FILE *out, const void *context); /* 0, or 1 with errno set */
};

/* printf for tables: control characters and line feeds in names of inputs, which a terminal would
 * obey, become visible escapes (core/text_escape.h). */
void orr_print(FILE *out, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 2, 3)))
#endif
    ;

/* Writes a field of a CSV file, in quotes if it needs them, on one line: control characters become
 * visible escapes. */
void orr_csv_text(FILE *out, const char *text);

/* Writes text in a file of markup (SVG, HTML), between tags or in an attribute in double quotes;
 * control characters become visible escapes. */
void orr_markup_text(FILE *out, const char *text);

#endif
