/* What a call of the public interface begins and ends with. */
#include "sim/orrery_private.h"

enum orrery_status orr_finish_call(struct orrery *job, enum orr_status status)
{
    if (status != ORR_OK) {
        (void)orr_diag_render(&job->diag, job->error, sizeof job->error);
        job->diag.status = ORR_OK;
    }
    return (enum orrery_status)status;
}

enum orr_status orr_check_empty(struct orrery *job)
{
    if (job->queue == NULL && job->npus == 0) {
        return ORR_OK;
    }
    return orr_diag_fail(&job->diag, ORR_ERR_INPUT, NULL,
                         "a job is loaded already; use a new handle");
}
