/* The report of a what-if: a table, JSON and CSV. */
#ifndef ORR_STUDY_WHATIF_REPORT_H
#define ORR_STUDY_WHATIF_REPORT_H

#include <stdio.h>

#include "study/whatif.h"

struct json_t;

/* Prints the ranking, and the upper bounds. */
void orr_whatif_table(FILE *out, const struct orr_whatif *whatif);

/* The ranking as JSON, owned by the caller. */
struct json_t *orr_whatif_object(const struct orr_whatif *whatif);

/* Writers for struct orr_output; the context is the what-if. */
int orr_whatif_json(FILE *out, const void *context);
int orr_whatif_csv(FILE *out, const void *context);

#endif
