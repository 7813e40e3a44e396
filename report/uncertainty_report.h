/* Printing the uncertainty of a job's time; its JSON is in results/results.h. */
#ifndef ORR_REPORT_UNCERTAINTY_REPORT_H
#define ORR_REPORT_UNCERTAINTY_REPORT_H

#include <stdio.h>

#include "orrery/orrery.h"

/* Prints the interval of the job's time; nothing if it was not requested. */
void orr_report_uncertainty(FILE *out, const struct orrery *job);

/* Prints the same for the model FLOPs utilization, at the end of its line. */
void orr_report_utilization(FILE *out, const struct orrery *job);

#endif
