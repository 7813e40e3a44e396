/* The GPU that compute.efficiency was fitted to, beside the platform's. */
#ifndef ORR_SIM_LOAD_FITTED_GPU_H
#define ORR_SIM_LOAD_FITTED_GPU_H

#include <stdbool.h>

#include "core/core.h"
#include "orrery/orrery.h"

/* Whether compute.fitted.gpu is another than compute.gpu or, without one, system.library.gpu, upper
 * and lower case apart; `text` says so, then. False where one of them is not told. */
bool orr_other_gpu(const struct orrery *job, char text[ORR_DIAG_MESSAGE_BYTES]);

#endif
