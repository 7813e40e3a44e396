/* Results of the library's studies (orrery/study.h) as outputs of commands. */
#ifndef ORR_CLI_STUDY_OUTPUT_H
#define ORR_CLI_STUDY_OUTPUT_H

#include <stdio.h>

/* Writers of struct orr_output; the context is a struct orrery_study that has run. Return 0, or 1
 * if the file cannot be written. */
int orr_write_study_json(FILE *out, const void *study);
int orr_write_study_csv(FILE *out, const void *study);
int orr_write_study_table(FILE *out, const void *study);

#endif
