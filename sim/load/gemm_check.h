/* Checks of a job's GEMMs (matrix products) against its platform's compute section. */
#ifndef ORR_SIM_LOAD_GEMM_CHECK_H
#define ORR_SIM_LOAD_GEMM_CHECK_H

#include "core/status.h"

struct orrery;

/* Products of fp8 and fp4 need compute.fp8_peak and fp4_peak. Sizes that fit tensor cores badly get
 * a warning, if the platform sets the share of its peak. Call it after the traces are loaded.
 * O(nodes). */
enum orr_status orr_check_gemms(struct orrery *job);

#endif
