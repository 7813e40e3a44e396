/* The evaluator of a strategy of a model: passes the parts, transfers and all-reduces of a strategy
 * to an evaluator by the rules of workload/strategy/demand.h, as task graphs made from strategies
 * have them (workload/strategy/lower.h).
 *
 * Two things are simpler than in task graphs. A transfer of a tensor that the device already
 * received for another operator (a carried transfer) is an empty message. If several devices of a
 * group have the same shard of weights and there are several groups, all of these reduce it in one
 * ring, without a reduce-scatter first. */
#ifndef ORR_PLANNER_EVALUATOR_EVAL_STRATEGY_H
#define ORR_PLANNER_EVALUATOR_EVAL_STRATEGY_H

#include "planner/evaluator/evaluator.h"

struct evaluator;
struct model_graph;
struct orr_diag;
struct strategy;

struct eval_strategy;

/* Constant data of an evaluator. `model` (with its batch) and `strategy` are referenced, not
 * copied: the operators of the strategy may be changed and are then updated by
 * orr_eval_strategy_update_op; its devices and copies may not. `network` is as eval_setup; its
 * devices, operators and edges are filled in. */
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

/* Sets the time of a part of an operator in both passes; 0 until it is set. */
void orr_eval_strategy_set_time(struct eval_strategy *evaluated, uint32_t op, sim_time forward_ps,
                                sim_time backward_ps);

/* Sets the time of one pass. */
void orr_eval_strategy_set_pass_time(struct eval_strategy *evaluated, uint32_t op, bool backward,
                                     sim_time time_ps);

/* Updates the evaluator: all operators, or one that was moved or has another time. An update
 * includes the edges of the operator and those of its inputs' other users, which may have carried
 * tensors for it. false: memory is out, or two devices have no path. O(transfers). */
bool orr_eval_strategy_update_all(struct eval_strategy *evaluated);
bool orr_eval_strategy_update_op(struct eval_strategy *evaluated, uint32_t op);

/* Updates several moved operators; each edge is updated once. */
bool orr_eval_strategy_update_list(struct eval_strategy *evaluated, const uint32_t *op,
                                   uint32_t ops);

/* The evaluator, for orr_evaluate and orr_eval_report. */
struct evaluator *orr_eval_strategy_evaluator(struct eval_strategy *evaluated);

#endif
