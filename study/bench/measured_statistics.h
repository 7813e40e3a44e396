/* Statistics of a bench of measured times, for each block and for all. */
#ifndef ORR_STUDY_BENCH_MEASURED_STATISTICS_H
#define ORR_STUDY_BENCH_MEASURED_STATISTICS_H

#include "study/bench/measured_bench.h"

/* Fills the blocks and `all` after all rows were simulated. Errors: memory. O(rows log rows). */
enum orr_status orr_measured_statistics(struct orr_measured_bench *bench, struct orr_diag *diag);

/* The class of a size. */
enum orr_measured_class orr_measured_class_of(uint64_t bytes);

/* Whether a median of measured / simulated times is normal in the class. */
bool orr_measured_ratio_is_normal(enum orr_measured_class size_class, double ratio);

/* Whether the largest size and all classes are. */
bool orr_measured_block_is_normal(const struct orr_measured_block *block);

#endif
