/* Plan of an operation: dimensions, autotuning, then chunks and phases. */
#include "system/plan/autotune.h"

enum orr_status orr_sys_plan_operation(struct sys *sys, struct sys_operation *operation,
                                       struct orr_diag *diag)
{
    orr_sys_plan_dims(sys, operation);
    operation->tuning = orr_sys_tuning_of(sys, operation);
    return orr_sys_plan_tuned(sys, operation, diag);
}
