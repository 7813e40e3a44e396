/* The plan of an operation: its dimensions, what it runs with where that is to be picked, and then
 * its chunks and phases. */
#include "system/plan/pick.h"

enum orr_status sys_plan_operation(struct sys *sys, struct sys_operation *operation,
                                   struct orr_diag *diag)
{
    sys_plan_dims(sys, operation);
    operation->pick = sys_pick_of(sys, operation);
    return sys_plan_picked(sys, operation, diag);
}
