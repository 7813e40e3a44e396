/* What calls of the public interface that floors above implement begin and end with. */
#ifndef ORR_SIM_API_CALL_H
#define ORR_SIM_API_CALL_H

#include "core/core.h"
#include "orrery/orrery.h"

/* Keeps the error for orrery_error, and returns its status. */
enum orrery_status orr_fail_call(struct orrery *job, const struct orr_diag *diag);

/* Errors: the job has not run to its end. */
enum orr_status orr_check_ran(const struct orrery *job, struct orr_diag *diag);

/* Whether the job recorded when its nodes ran. */
bool orr_has_nodes(const struct orrery *job);

#endif
