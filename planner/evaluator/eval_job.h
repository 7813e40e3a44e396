/* The evaluator of a loaded job: its model, strategy, platform and times, so that a prediction can
 * be compared with the run. */
#ifndef ORR_PLANNER_EVALUATOR_EVAL_JOB_H
#define ORR_PLANNER_EVALUATOR_EVAL_JOB_H

#include "planner/evaluator/eval_strategy.h"

struct eval_critical;
struct eval_strategy;
struct orr_diag;
struct orrery;

/* Whether the routing is a default (no key network.routing) that depends on when a flow starts
 * (`ecmp`). With `ecmp-pairs` instead, the evaluator uses the same routes as the run. */
bool orr_eval_job_can_pair(const struct orrery *job);

/* Creates an evaluator with the whole strategy of the job set. Errors: a job that is not a model
 * with a strategy; a network that is not a graph, or has no flows with equal shares; all-reduces
 * other than `ring` and `ring_stream`; those of orr_eval_strategy_create. */
enum orr_status orr_eval_job(const struct orrery *job, struct eval_strategy **out,
                             struct orr_diag *diag);

/* Describes the critical resource: "link 3 -> 16", "NPU 4", "rounds of the all-reduce of dense 3".
 * Returns `text`. */
enum { EVAL_RESOURCE_BYTES = 160 };
const char *orr_eval_job_resource(const struct orrery *job, const struct eval_critical *critical,
                                  char text[EVAL_RESOURCE_BYTES]);

#endif
