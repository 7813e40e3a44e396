/* The size and the memory of a generated model, as text. */
#ifndef ORR_REPORT_REPORT_MODEL_H
#define ORR_REPORT_REPORT_MODEL_H

#include <stdio.h>

#include "orrery/orrery.h"

/* Prints "174.6 billion parameters; a step of 32 samples, 65536 tokens, 7.1e+16 operations". */
void orr_print_model(FILE *out, const struct orrery_model *model);

/* Print the head of the table of memory, and its row for the stages [first, end). */
void orr_print_memory_head(FILE *out);
void orr_print_memory_row(FILE *out, uint32_t first, uint32_t end,
                          const struct orrery_model_memory *memory);

/* Prints both for the model of a job; nothing if it has none. */
void orr_report_model(FILE *out, const struct orrery *job);

#endif
