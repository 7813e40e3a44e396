/* Parameters of SiP-ML's plans on networks with demand-aware circuits (plan_circuits.c). */
#ifndef ORR_PLANNER_PLAN_FILE_PLAN_CIRCUITS_H
#define ORR_PLANNER_PLAN_FILE_PLAN_CIRCUITS_H

#include "planner/plan_file/plan_job.h"

/* Fills job->circuits; the network must be read before. */
void orr_plan_find_circuits(struct plan_job *job);

#endif
