/* Report of a failure study as tables, JSON and CSV. */
#ifndef ORR_STUDY_FAILURES_FAILURES_REPORT_H
#define ORR_STUDY_FAILURES_FAILURES_REPORT_H

#include <stdio.h>

#include "study/failures/failures.h"

/* Prints the classes, then the worst failures. */
void orr_failures_table(FILE *out, const struct orr_failures *failures);

/* For orr_write_output; the context is a struct orr_failures. 0, or 1 with errno set. */
int orr_failures_json(FILE *out, const void *context);
int orr_failures_csv(FILE *out, const void *context);

#endif
