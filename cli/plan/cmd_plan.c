/* orrery plan: search for strategies and topologies, and prediction of iteration times. */
#include "cli/cli.h"
#include "cli/plan/plan_command.h"

#define ORR_PLAN_ACTION(action) extern const struct orr_command action;
#include "cli/plan/plan_action_list.h"
#undef ORR_PLAN_ACTION

const struct orr_command orr_command_plan = {
    .name = "plan",
    .summary = "plan strategies and topologies, or predict how long a strategy takes",
    .actions = (const struct orr_command *const[]){
#define ORR_PLAN_ACTION(action) &action,
#include "cli/plan/plan_action_list.h"
#undef ORR_PLAN_ACTION
        &orr_plan_evaluate, &orr_plan_llm, &orr_plan_goodput, NULL}};
