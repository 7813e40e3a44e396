/* Units: operators in a pass, their readiness, completion and outputs (eval_units.c). */
#ifndef ORR_PLANNER_EVALUATOR_EVAL_UNITS_H
#define ORR_PLANNER_EVALUATOR_EVAL_UNITS_H

#include <inttypes.h>

#include "planner/evaluator/eval_private.h"

/* Resets all units; those without inputs become ready. */
void orr_eval_units_begin(struct evaluator *evaluator);

/* The devices of the cohort compute their parts, after those that they have started before. */
void orr_eval_unit_ready(struct evaluator *evaluator, uint32_t unit, struct eval_cohort cohort);
/* The devices of the cohort have computed their parts. */
void orr_eval_unit_done(struct evaluator *evaluator, uint32_t unit, struct eval_cohort cohort);

/* Deferred all-reduces (eval_deferred_reduce.c): called before the first part is computed, and when
 * devices have computed parts that give gradients. */
void orr_eval_deferred_begin(struct evaluator *evaluator);
void orr_eval_deferred_done(struct evaluator *evaluator, uint32_t op, struct eval_cohort cohort);

/* A device of the unit receives one of its inputs. */
void orr_eval_deliver(struct evaluator *evaluator, uint32_t unit, uint32_t device);
void orr_eval_pool_arrives(struct evaluator *evaluator, struct eval_pool *pool);

#endif
