/* How far a plan is, on standard error. */
#ifndef ORR_CLI_PLAN_PLAN_METER_H
#define ORR_CLI_PLAN_PLAN_METER_H

#include "cli/progress.h"
#include "orrery/plan.h"

struct orr_plan_meter {
    bool tells, over_write; /* over_write: a terminal: the line is written over */
    bool shown;             /* a line stands there */
    double begin_s, shown_s;
    const char *doing;
};

void orr_plan_meter_begin(struct orr_plan_meter *meter, enum orr_progress when);

/* For orrery_plan_input.progress, with the meter as its user. */
void orr_plan_meter_hear(void *meter, const struct orrery_plan_progress *progress);

void orr_plan_meter_end(struct orr_plan_meter *meter);

#endif
