/* What the rows of a measured bench come to, block by block and together. */
#ifndef ORR_STUDY_MEASURED_STATISTICS_H
#define ORR_STUDY_MEASURED_STATISTICS_H

#include "study/measured_bench.h"

/* Fills the blocks and `all` once all rows were run. Errors: memory. O(rows log rows). */
enum orr_status orr_measured_statistics(struct orr_measured_bench *bench, struct orr_diag *diag);

#endif
