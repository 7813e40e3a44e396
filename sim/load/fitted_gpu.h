/* Comparison of the GPU that compute.efficiency was fitted to with the platform's. */
#ifndef ORR_SIM_LOAD_FITTED_GPU_H
#define ORR_SIM_LOAD_FITTED_GPU_H

#include <stdbool.h>

#include "core/diag.h"
#include "orrery/orrery.h"

struct orrery;

/* The platform's GPU: compute.gpu or, without one, system.library.gpu; NULL: unknown. */
const char *orr_own_gpu(const struct orrery *job);

/* Whether compute.fitted.gpu differs from the platform's GPU, ignoring case, and was not taken over
 * for it; `text` then describes it. False if one of them is unknown. */
bool orr_other_gpu(const struct orrery *job, char text[ORR_DIAG_MESSAGE_BYTES]);

#endif
