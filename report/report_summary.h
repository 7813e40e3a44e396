/* Printing what was done, what it achieved, and the critical path; their JSON is in
 * results/results.h. */
#ifndef ORR_REPORT_REPORT_SUMMARY_H
#define ORR_REPORT_REPORT_SUMMARY_H

#include <stdio.h>

#include "orrery/orrery.h"

/* The longest rows of the summary that orrery_summarize made: collectives, then operators. */
void orr_report_summary(FILE *out, const struct orrery *job);

/* Tokens and model operations a second; nothing when the workload does not know them. */
void orr_report_rates(FILE *out, const struct orrery *job);

/* How long nodes waited for parts of collectives; nothing when none did. */
void orr_report_queue(FILE *out, const struct orrery *job);

/* The parts of the critical path, the largest first, and its longest steps. */
void orr_report_path(FILE *out, const struct orrery *job);

#endif
