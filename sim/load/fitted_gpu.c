/* Detects efficiencies fitted to another GPU; see fitted_gpu.h. */
#include "sim/load/fitted_gpu.h"

#include <stdio.h>

#include "sim/orrery_private.h"

bool orr_other_gpu(const struct orrery *job, char text[ORR_DIAG_MESSAGE_BYTES])
{
    const struct wl_compute *compute = &job->compute;
    const struct sys_ccl *library = job->system.config.library;
    const char *own = compute->gpu != NULL ? compute->gpu
                      : library != NULL    ? library->gpu->name
                                           : NULL;
    const char *fitted = compute->fitted != NULL ? compute->fitted->gpu : NULL;
    if (own == NULL || fitted == NULL || orr_edit_distance(own, fitted, 1) == 0) {
        return false;
    }
    (void)snprintf(text, ORR_DIAG_MESSAGE_BYTES,
                   "compute.fitted.gpu: the efficiency was fitted to the GPU %s, and the platform "
                   "has %s (%s)",
                   fitted, own, compute->gpu != NULL ? "compute.gpu" : "system.library.gpu");
    return true;
}
