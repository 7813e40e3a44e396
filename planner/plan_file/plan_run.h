/* Runs of a plan's files (plan_run.c). */
#ifndef ORR_PLANNER_PLAN_FILE_PLAN_RUN_H
#define ORR_PLANNER_PLAN_FILE_PLAN_RUN_H

#include "core/status.h"
#include "core/time.h"

struct orr_diag;
struct plan_job;
struct plan_network;
struct strategy;

/* Result of a run of a plan's files. */
struct plan_run_result {
    sim_time time_ps;
    double weight; /* of bytes inside of a group, for which circuits were set; 0: no circuits */
};

/* Runs a strategy of the job on a network, from the text of its files. Errors: those of the run. */
enum orr_status orr_plan_run(const struct plan_job *job, const struct plan_network *on,
                             const struct strategy *strategy, struct plan_run_result *ran,
                             struct orr_diag *diag);

#endif
