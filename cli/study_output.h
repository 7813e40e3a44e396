/* Results of the library's studies (orrery/study.h) as outputs of commands. */
#ifndef ORR_CLI_STUDY_OUTPUT_H
#define ORR_CLI_STUDY_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

struct orrery_study;

/* Writers of struct orr_output; the context is a struct orrery_study that has run. Return 0, or 1
 * if the file cannot be written. */
int orr_write_study_json(FILE *out, const void *study);
int orr_write_study_csv(FILE *out, const void *study);
int orr_write_study_table(FILE *out, const void *study);

/* Writes JSON and CSV to the files that were asked for (NULL: not asked). *quiet is set where one
 * of them is standard output. Returns 0 or the exit status. */
int orr_write_study_files(const struct orrery_study *study, const char *json, const char *csv,
                          bool *quiet);

/* The same, and then the table, unless something was written to standard output. */
int orr_report_study(const struct orrery_study *study, const char *json, const char *csv);

#endif
