/* Actions of orrery plan that wings have, one line each: ORR_PLAN_ACTION(orr_plan_NAME).
 * (cmd_plan.c, which includes this file twice) */
#include "wings/plan_actions.def"
