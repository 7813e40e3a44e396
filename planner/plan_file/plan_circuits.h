/* What plans of SiP-ML keep to on a network that sets circuits for demands (plan_circuits.c). */
#ifndef ORR_PLANNER_PLAN_FILE_PLAN_CIRCUITS_H
#define ORR_PLANNER_PLAN_FILE_PLAN_CIRCUITS_H

#include "planner/plan_file/plan_job.h"

/* Fills job->circuits, once the network is read. */
void orr_plan_find_circuits(struct plan_job *job);

#endif
