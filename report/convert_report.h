/* The report of a conversion, as text and as JSON. */
#ifndef ORR_REPORT_CONVERT_REPORT_H
#define ORR_REPORT_CONVERT_REPORT_H

#include <stdbool.h>
#include <stdio.h>

struct conv_report;

/* Prints nodes by kind, communication, compute time, the critical path, and notes. */
void orr_convert_print(FILE *out, const struct conv_report *report);

/* Prints the names of the files that were written with the prefix. */
void orr_convert_print_files(FILE *out, const struct conv_report *report, const char *prefix,
                             bool gzip);

/* Writes {"ranks": [...], "communication": [...], "notes": [...]}. For struct orr_output: the
 * context is a struct conv_report. Returns 0, or 1 with errno set. */
int orr_convert_json(FILE *out, const void *report);

#endif
