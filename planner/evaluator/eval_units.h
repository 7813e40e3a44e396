/* Units: what becomes ready, is done, and what that lets go (eval_units.c). */
#ifndef ORR_PLANNER_EVALUATOR_EVAL_UNITS_H
#define ORR_PLANNER_EVALUATOR_EVAL_UNITS_H

#include <inttypes.h>

#include "planner/evaluator/eval_private.h"

/* Nothing has been done; units that wait for nothing are ready. */
void orr_eval_units_begin(struct evaluator *evaluator);

/* The devices of the cohort take their parts, behind what they do. */
void orr_eval_unit_ready(struct evaluator *evaluator, uint32_t unit, struct eval_cohort cohort);
/* They are done with them. */
void orr_eval_unit_done(struct evaluator *evaluator, uint32_t unit, struct eval_cohort cohort);

/* Gradients that are reduced at the end (eval_deferred_reduce.c): before the first part is done,
 * and when devices have done those of an operator that give gradients. */
void orr_eval_deferred_begin(struct evaluator *evaluator);
void orr_eval_deferred_done(struct evaluator *evaluator, uint32_t op, struct eval_cohort cohort);

/* A device of the unit gets one of the things that it waits for. */
void orr_eval_deliver(struct evaluator *evaluator, uint32_t unit, uint32_t device);
void orr_eval_pool_arrives(struct evaluator *evaluator, struct eval_pool *pool);

#endif
