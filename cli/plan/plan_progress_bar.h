/* Progress bar of a plan, on standard error. */
#ifndef ORR_CLI_PLAN_PLAN_PROGRESS_BAR_H
#define ORR_CLI_PLAN_PLAN_PROGRESS_BAR_H

#include "cli/progress.h"
#include "orrery/plan.h"

struct orr_plan_progress_bar {
    bool enabled, is_terminal; /* is_terminal: a terminal: the line is written over */
    bool shown;                /* a line is displayed */
    double begin_s, shown_s;
    const char *doing;
};

void orr_plan_progress_bar_begin(struct orr_plan_progress_bar *meter, enum orr_progress when);

/* Callback for orrery_plan_input.progress; `meter` is its user pointer. */
void orr_plan_progress_bar_update(void *meter, const struct orrery_plan_progress *progress);

void orr_plan_progress_bar_end(struct orr_plan_progress_bar *meter);

#endif
