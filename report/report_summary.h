/* Printing the summary of what was done, the rates, and the critical path; their JSON is in
 * results/results.h. */
#ifndef ORR_REPORT_REPORT_SUMMARY_H
#define ORR_REPORT_REPORT_SUMMARY_H

#include <stdio.h>

#include "orrery/orrery.h"

/* Prints the longest rows of the summary that orrery_summarize made: collectives, then
 * operators. */
void orr_report_summary(FILE *out, const struct orrery *job);

/* Prints tokens and model operations a second; nothing if the workload does not have their
 * numbers. */
void orr_report_rates(FILE *out, const struct orrery *job);

/* Prints how long nodes waited for parts of collectives; nothing if none did. */
void orr_report_queue(FILE *out, const struct orrery *job);

/* Prints the parts of the critical path, the largest first, and its longest steps. */
void orr_report_path(FILE *out, const struct orrery *job);

#endif
