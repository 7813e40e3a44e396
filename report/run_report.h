/* Printing results. */
#ifndef ORR_REPORT_RUN_REPORT_H
#define ORR_REPORT_RUN_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "core/status.h"
#include "orrery/orrery.h"

struct json_t;
struct orr_diag;
struct orrery;

/* Prepares the summary of what was done for tables and JSON, if nodes were recorded. */
enum orr_status orr_prepare_report(struct orrery *job, struct orr_diag *diag);

/* Prints a table with a row for each class of NPUs with equal times (or each NPU), then the
 * dimensions. */
void orr_report_table(FILE *out, const struct orrery *job, bool per_npu);

/* Prints the lines of ASTRA-sim, in the order in which NPUs finished; a cycle is 1 ns. Without
 * recorded nodes only the first of each NPU. (astra_lines.c) */
void orr_report_astra(FILE *out, const struct orrery *job);

/* One JSON object: wall_ps, events, messages, classes, dims. Returns 0, or 1 with errno set. */
struct json_t *orr_report_object(const struct orrery *job, bool per_npu); /* owned by the caller */
int orr_report_json(FILE *out, const struct orrery *job, bool per_npu);

/* Writes a line for each NPU. Returns 0, or 1 with errno set. */
int orr_report_csv(FILE *out, const struct orrery *job);

/* Prints every value in force of a loaded job and its origin, then the algorithms of collectives.
 * Errors: those of the job. */
/* Writes a file that loads the same job. Errors: those of the job. */
enum orr_status orr_report_job_file(FILE *out, struct orrery *job, struct orr_diag *diag);
enum orr_status orr_report_config(FILE *out, struct orrery *job, struct orr_diag *diag);

/* Prints which NPUs of a loaded job are simulated once for all, and why others are not. */
void orr_report_fold(FILE *out, const struct orrery *job);

/* Prints the peak of local memory of each rank and writes its trace to a file, if the platform
 * tracks it. Errors: those of the job; a file that cannot be written, with its location. */
enum orr_status orr_report_memory(FILE *out, struct orrery *job, struct orr_diag *diag);

/* Writes the bytes of live tensors in each memory of each rank at every change, as CSV; the line of
 * the peak has the node at the peak. Errors: those of the job. */
enum orr_status orr_report_memory_csv(FILE *out, struct orrery *job, struct orr_diag *diag);

#endif
