/* What a gap between measured and simulated times looks like: by classes of sizes, and the likely
 * causes, each tried on the platform. */
#ifndef ORR_STUDY_BENCH_MEASURED_CAUSES_H
#define ORR_STUDY_BENCH_MEASURED_CAUSES_H

#include "study/bench/measured_bench.h"

/* Fills the causes of each block that is not normal in some class, after its statistics were. A
 * cause is a change of the platform (half of the NICs, PCIe in place of NVLink, ...) with which the
 * smallest, a middle and the largest size become normal. Errors: memory. */
enum orr_status orr_measured_find_causes(struct orr_measured_bench *bench, struct orr_diag *diag);

#endif
