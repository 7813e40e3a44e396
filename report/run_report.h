/* Printing results. */
#ifndef ORR_REPORT_RUN_REPORT_H
#define ORR_REPORT_RUN_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "core/core.h"
#include "orrery/orrery.h"

/* Makes what tables and JSON tell of what was done, where nodes were recorded. */
enum orr_status orr_prepare_report(struct orrery *job, struct orr_diag *diag);

/* A table with a row for each class of NPUs with equal times (or each NPU), then the dimensions. */
void orr_report_table(FILE *out, const struct orrery *job, bool per_npu);

/* The reference's lines, in the order in which NPUs finished; cycles are ns. */
void orr_report_astra(FILE *out, const struct orrery *job);

/* One JSON object: wall_ps, events, messages, classes, dims. Returns 0, or 1 with errno set. */
struct json_t *orr_report_object(const struct orrery *job, bool per_npu); /* the caller's */
int orr_report_json(FILE *out, const struct orrery *job, bool per_npu);

/* A line for each NPU. Returns 0, or 1 with errno set. */
int orr_report_csv(FILE *out, const struct orrery *job);

/* Of a loaded job: every value in force and where it comes from, then what collectives run with.
 * Errors: those of the job. */
/* A file that gives the job again. */
enum orr_status orr_report_job_file(FILE *out, struct orrery *job, struct orr_diag *diag);
enum orr_status orr_report_config(FILE *out, struct orrery *job, struct orr_diag *diag);

/* Of a loaded job: which of its NPUs are simulated once for all, and why others are not. */
void orr_report_fold(FILE *out, const struct orrery *job);

/* The peak of local memory of each rank, and its trace in a file, when the platform tracks it.
 * Errors: those of the job; a file that cannot be written, with its place. */
enum orr_status orr_report_memory(FILE *out, struct orrery *job, struct orr_diag *diag);

/* The bytes of live tensors in each memory of each rank whenever they change, as CSV; the node at
 * the peak stands in the line of the peak. Errors: those of the job. */
enum orr_status orr_report_memory_csv(FILE *out, struct orrery *job, struct orr_diag *diag);

#endif
