/* Detects efficiencies fitted to another GPU; see fitted_gpu.h. */
#include "sim/load/fitted_gpu.h"

#include <stdio.h>

#include "core/strings.h"
#include "sim/orrery_private.h"
#include "system/ccl/ccl.h"
#include "workload/engine/engine.h"
#include "workload/roofline/fitted.h"

const char *orr_own_gpu(const struct orrery *job)
{
    const struct sys_ccl *library = job->system.config.library;
    return job->compute.gpu != NULL ? job->compute.gpu
           : library != NULL        ? library->gpu->name
                                    : NULL;
}

bool orr_other_gpu(const struct orrery *job, char text[ORR_DIAG_MESSAGE_BYTES])
{
    const struct wl_compute *compute = &job->compute;
    const char *own = orr_own_gpu(job);
    const char *fitted = compute->fitted != NULL ? compute->fitted->gpu : NULL;
    const char *instead = compute->fitted != NULL ? compute->fitted->taken_over_for : NULL;
    if (own == NULL || fitted == NULL || orr_edit_distance(own, fitted, 1) == 0 ||
        (instead != NULL && orr_edit_distance(own, instead, 1) == 0)) {
        return false;
    }
    (void)snprintf(text, ORR_DIAG_MESSAGE_BYTES,
                   "compute.fitted.gpu: the efficiency was fitted to the GPU %s, and the platform "
                   "has %s (%s)",
                   fitted, own, compute->gpu != NULL ? "compute.gpu" : "system.library.gpu");
    return true;
}
