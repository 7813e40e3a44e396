/* Printing results. */
#ifndef ORR_CLI_REPORT_H
#define ORR_CLI_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "orrery/orrery.h"

/* Exit status of a library status: 0, 1 internal, 2 input, 3 deadlock. */
int orr_exit_status(enum orrery_status status);

/* A table with a row for each class of NPUs with equal times (or each NPU), then the dimensions. */
void orr_report_table(FILE *out, const struct orrery *job, bool per_npu);

/* The reference's lines, in the order in which NPUs finished; cycles are ns. */
void orr_report_astra(FILE *out, const struct orrery *job);

/* One JSON object: wall_ps, events, messages, classes, dims. Returns the exit status. */
int orr_report_json(FILE *out, const struct orrery *job, bool per_npu);

/* A line for each NPU. Returns the exit status. */
int orr_report_csv(FILE *out, const struct orrery *job);

/* The peak of local memory of each rank, and its trace in a file, when the platform tracks it.
 * Returns the exit status. */
int orr_report_memory(FILE *out, struct orrery *job);

/* The bytes of live tensors in each memory of each rank whenever they change, as CSV; the node at
 * the peak stands in the line of the peak. */
int orr_report_memory_csv(FILE *out, struct orrery *job);

#endif
