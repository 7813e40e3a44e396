/* What products of a job ask of its platform's compute section. */
#ifndef ORR_SIM_LOAD_GEMM_CHECK_H
#define ORR_SIM_LOAD_GEMM_CHECK_H

#include "sim/orrery_private.h"

/* Products of fp8 need a peak of their own. Sizes that tensor cores take badly are told as a
 * warning, where the platform says how much of its peak is reached. After the traces are loaded.
 * O(nodes). */
enum orr_status orr_check_gemms(struct orrery *job);

#endif
