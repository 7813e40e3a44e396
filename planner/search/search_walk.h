/* The current strategy of a chain as choices of operators, with the memory and computation of each
 * device kept up to date, and its evaluator, which is updated at the next evaluation. Changes since
 * the last orr_walk_keep can be undone. */
#ifndef ORR_PLANNER_SEARCH_SEARCH_WALK_H
#define ORR_PLANNER_SEARCH_SEARCH_WALK_H

#include "planner/search/search_space.h"
#include "workload/strategy/strategy.h"

struct eval_strategy;
struct orr_arena;
struct orr_diag;

struct walk {
    const struct space *space;
    struct strategy strategy; /* of the choices; it refers to the next three arrays */
    struct strategy_op *op;
    uint32_t *degree, *device;
    struct search_choice *choice; /* [ops] */
    struct eval_strategy *evaluator;
    uint64_t *bytes;    /* [group] memory of each device */
    uint64_t *load_ps;  /* [group] computation time of each device */
    uint64_t *of_op;    /* [group] scratch, 0 between calls */
    uint32_t *last;     /* [group] the same */
    uint64_t max_of_op; /* upper bound of the value of an operator, so that no sum wraps around */
    struct walk_change {
        uint32_t op;
        struct search_choice before;
    } * change; /* [changes] since the last keep, in order; capacity for all operators */
    uint32_t changes;
    uint32_t *changed;       /* [ops] index in `change` plus one; 0: unchanged */
    uint32_t *stale, stales; /* operators that the evaluator has not been updated for */
    bool *is_stale;          /* [ops] */
};

/* Creates a walk at the choices of a start, in the arena. Errors: those of orr_evaluator_create;
 * memory. */
enum orr_status orr_walk_init(struct walk *walk, struct orr_arena *arena, const struct space *space,
                              uint32_t start, struct orr_diag *diag);
void orr_walk_fini(struct walk *walk);

/* Changes the choice of an operator. O(parts). */
void orr_walk_set(struct walk *walk, uint32_t op, const struct search_choice *choice);

/* Keeps the changes; or undoes them. O(changes x parts). */
void orr_walk_keep(struct walk *walk);
void orr_walk_undo(struct walk *walk);

/* Sets the choices of all operators and keeps them. O(operators + changes x parts). */
void orr_walk_go(struct walk *walk, const struct search_choice *choice);

/* Missing memory in bytes: the sum over all devices, and the maximum of a device. O(group). */
uint64_t orr_walk_missing(const struct walk *walk);
uint64_t orr_walk_max_missing(const struct walk *walk);

/* Lower bound of the iteration time: the computation of the busiest device. O(group). */
sim_time orr_walk_lower_bound_ps(const struct walk *walk);

/* The iteration time, as orr_evaluate_within: ORR_TIME_MAX if it exceeds the limit. Errors: those
 * of orr_evaluate; no path between two devices; memory. */
enum orr_status orr_walk_time(struct walk *walk, sim_time limit_ps, sim_time *time_ps,
                              struct orr_diag *diag);

/* Copies the strategy into an arena. false: memory is out. */
bool orr_walk_copy(const struct walk *walk, struct orr_arena *arena, struct strategy *out);

#endif
