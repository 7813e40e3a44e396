/* The difference of two results as a table, as CSV and as JSON. */
#ifndef ORR_STUDY_DIFF_REPORT_H
#define ORR_STUDY_DIFF_REPORT_H

#include <stdio.h>

#include "study/diff.h"

/* Prints the verdict, the settings that differ, and the rows of each section. */
void orr_diff_table(FILE *out, const struct orr_diff *diff);

/* Writers for struct orr_output; the context is the comparison. */
int orr_diff_csv(FILE *out, const void *context);
int orr_diff_json(FILE *out, const void *context);

#endif
