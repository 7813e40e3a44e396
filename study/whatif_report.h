/* What changes of a job save, as a table, as JSON and as CSV. */
#ifndef ORR_STUDY_WHATIF_REPORT_H
#define ORR_STUDY_WHATIF_REPORT_H

#include <stdio.h>

#include "study/whatif.h"

struct json_t;

void orr_whatif_table(FILE *out, const struct orr_whatif *whatif);

/* The ranking as JSON, the caller's. */
struct json_t *orr_whatif_object(const struct orr_whatif *whatif);

/* Writers for struct orr_output; the context is the what-if. */
int orr_whatif_json(FILE *out, const void *context);
int orr_whatif_csv(FILE *out, const void *context);

#endif
