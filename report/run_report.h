/* Printing results. */
#ifndef ORR_REPORT_RUN_REPORT_H
#define ORR_REPORT_RUN_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "core/core.h"
#include "orrery/orrery.h"

/* A table with a row for each class of NPUs with equal times (or each NPU), then the dimensions. */
void orr_report_table(FILE *out, const struct orrery *job, bool per_npu);

/* The reference's lines, in the order in which NPUs finished; cycles are ns. */
void orr_report_astra(FILE *out, const struct orrery *job);

/* One JSON object: wall_ps, events, messages, classes, dims. Returns 0, or 1 with errno set. */
int orr_report_json(FILE *out, const struct orrery *job, bool per_npu);

/* A line for each NPU. Returns 0, or 1 with errno set. */
int orr_report_csv(FILE *out, const struct orrery *job);

/* The peak of local memory of each rank, and its trace in a file, when the platform tracks it.
 * Errors: those of the job; a file that cannot be written, with its place. */
enum orr_status orr_report_memory(FILE *out, struct orrery *job, struct orr_diag *diag);

/* The bytes of live tensors in each memory of each rank whenever they change, as CSV; the node at
 * the peak stands in the line of the peak. Errors: those of the job. */
enum orr_status orr_report_memory_csv(FILE *out, struct orrery *job, struct orr_diag *diag);

#endif
