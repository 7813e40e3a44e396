/* The plan of an operation: its dimensions, what it runs with where that is to be picked, and then
 * its chunks and phases. */
#include "system/plan/pick.h"

enum orr_status sys_plan_run(struct sys *sys, struct sys_run *run, struct orr_diag *diag)
{
    sys_plan_dims(sys, run);
    run->pick = sys_pick_of(sys, run);
    return sys_plan_picked(sys, run, diag);
}
