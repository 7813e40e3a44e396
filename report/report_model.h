/* What a generated model is and needs, as text. */
#ifndef ORR_REPORT_REPORT_MODEL_H
#define ORR_REPORT_REPORT_MODEL_H

#include <stdio.h>

#include "orrery/orrery.h"

/* "174.6 billion parameters; a step of 32 samples, 65536 tokens, 7.1e+16 operations". */
void orr_print_model(FILE *out, const struct orrery_model *model);

/* The head of the table of memory, and a row of it for the stages [first, end). */
void orr_print_memory_head(FILE *out);
void orr_print_memory_row(FILE *out, uint32_t first, uint32_t end,
                          const struct orrery_model_memory *memory);

/* Both for the model of a job; nothing when it has none. */
void orr_report_model(FILE *out, const struct orrery *job);

#endif
