/* Statistics of a bench of measured times, for each block and for all. */
#ifndef ORR_STUDY_MEASURED_STATISTICS_H
#define ORR_STUDY_MEASURED_STATISTICS_H

#include "study/measured_bench.h"

/* Fills the blocks and `all` after all rows were simulated. Errors: memory. O(rows log rows). */
enum orr_status orr_measured_statistics(struct orr_measured_bench *bench, struct orr_diag *diag);

#endif
