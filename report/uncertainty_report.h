/* Printing how far a job's time may be off; its JSON is in results/results.h. */
#ifndef ORR_REPORT_UNCERTAINTY_REPORT_H
#define ORR_REPORT_UNCERTAINTY_REPORT_H

#include <stdio.h>

#include "orrery/orrery.h"

/* Between what the job's time is, on a line; nothing where it was not asked for. */
void orr_report_uncertainty(FILE *out, const struct orrery *job);

/* The same of the model FLOPs utilization, behind it on its line. */
void orr_report_utilization(FILE *out, const struct orrery *job);

#endif
