/* What a strategy puts on the links, for orrery plan. */
#ifndef ORR_CLI_PLAN_PLAN_TRAFFIC_H
#define ORR_CLI_PLAN_PLAN_TRAFFIC_H

#include "planner/planner.h"

/* Lines of a table; fields of a JSON object, each with a comma behind it. */
void orr_plan_traffic_table(const struct eval_traffic *traffic);
void orr_plan_traffic_json(const struct eval_traffic *traffic);

#endif
