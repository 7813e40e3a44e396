/* The evaluator of a job that was loaded: of the model, strategy, platform and times that a run of
 * it has, so that the two can be told side by side. */
#ifndef ORR_PLANNER_EVALUATOR_EVAL_JOB_H
#define ORR_PLANNER_EVALUATOR_EVAL_JOB_H

#include "planner/evaluator/eval_strategy.h"
#include "sim/sim.h"

/* Whether routes that nobody asked for depend on when a flow starts (`ecmp` as suits the fabric):
 * by pairs (`ecmp-pairs`) an evaluator knows the ways that the run takes. */
bool orr_eval_job_can_pair(const struct orrery *job);

/* An evaluator that was told all of the job's strategy. Errors: a job that is no model under a
 * strategy; a network that is no graph, or no flows with equal shares; all-reduces other than by
 * `ring`; those of orr_eval_strategy_create. */
enum orr_status orr_eval_job(const struct orrery *job, struct eval_strategy **out,
                             struct orr_diag *diag);

/* What limits it, as text: "link 3 -> 16", "NPU 4", "rounds of the all-reduce of dense 3". */
enum { EVAL_RESOURCE_BYTES = 160 };
const char *orr_eval_job_resource(const struct orrery *job, const struct eval_critical *critical,
                                  char text[EVAL_RESOURCE_BYTES]);

#endif
