/* The evaluator of a model's strategies: what a strategy computes, sends and reduces is told to an
 * evaluator, by the rules of workload/strategy/demand.h, as the task graphs made of strategies have
 * it (workload/strategy/lower.h).
 *
 * Two things are simpler than in task graphs. What a device was sent already for another operator
 * (a carried transfer) is waited for as for an empty message. And where several devices of a group
 * have the same shard of weights, and there are several groups, all of these reduce it in one ring
 * instead of scattering it first. */
#ifndef ORR_PLANNER_EVALUATOR_EVAL_STRATEGY_H
#define ORR_PLANNER_EVALUATOR_EVAL_STRATEGY_H

#include "planner/evaluator/evaluator.h"
#include "workload/workload.h"

struct eval_strategy;

/* What stays while the strategy changes. `model` (which knows its batch) and `strategy` are kept:
 * the strategy's operators may be changed, and then told by orr_eval_strategy_update_op; not its
 * devices and copies. `network` is as eval_setup, whose devices, operators and edges are filled in.
 */
struct eval_strategy_setup {
    const struct model_graph *model;
    const struct strategy *strategy;
    struct eval_setup network;
};

/* Errors: those of orr_evaluator_create; memory. */
enum orr_status orr_eval_strategy_create(struct eval_strategy **out,
                                         const struct eval_strategy_setup *setup,
                                         struct orr_diag *diag);
void orr_eval_strategy_destroy(struct eval_strategy *evaluated); /* NULL is fine */

/* How long a part of an operator takes; what has no time yet takes none. */
void orr_eval_strategy_set_time(struct eval_strategy *evaluated, uint32_t op, sim_time forward_ps,
                                sim_time backward_ps);

/* The same of one pass. */
void orr_eval_strategy_set_pass_time(struct eval_strategy *evaluated, uint32_t op, bool backward,
                                     sim_time time_ps);

/* Tells all operators, or one that was moved or has another time, with what it touches: its
 * inputs' other users as well, who may have carried for it. false: memory is out, or there is no
 * way between two devices. O(what they send). */
bool orr_eval_strategy_update_all(struct eval_strategy *evaluated);
bool orr_eval_strategy_update_op(struct eval_strategy *evaluated, uint32_t op);

/* The same of several that were moved, each edge told once. */
bool orr_eval_strategy_update_list(struct eval_strategy *evaluated, const uint32_t *op,
                                   uint32_t ops);

/* For orr_evaluate and orr_eval_report. */
struct evaluator *orr_eval_strategy_evaluator(struct eval_strategy *evaluated);

#endif
