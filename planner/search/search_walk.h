/* Where a chain is: a strategy made of choices, with what it holds and computes kept up to date,
 * and its evaluator, which is told of what changed when it is asked next. What was set since the
 * last orr_walk_keep can be taken back. */
#ifndef ORR_PLANNER_SEARCH_SEARCH_WALK_H
#define ORR_PLANNER_SEARCH_SEARCH_WALK_H

#include "planner/search/search_space.h"

struct walk {
    const struct space *space;
    struct strategy strategy; /* of the choices; whose arrays are the next three */
    struct strategy_op *op;
    uint32_t *degree, *device;
    struct search_choice *choice; /* [ops] */
    struct eval_strategy *evaluator;
    uint64_t *bytes;    /* [group] held by each device */
    uint64_t *load_ps;  /* [group] computed by each device */
    uint64_t *of_op;    /* [group] scratch, 0 between operators */
    uint32_t *last;     /* [group] the same */
    uint64_t max_of_op; /* what an operator counts at most, so that no sum wraps around */
    struct walk_change {
        uint32_t op;
        struct search_choice before;
    } * change; /* [changes] since the last keep, in order; room for all operators */
    uint32_t changes;
    uint32_t *changed;       /* [ops] its place in `change` plus one; 0: as it was */
    uint32_t *stale, stales; /* operators that the evaluator does not know as they are */
    bool *is_stale;          /* [ops] */
};

/* A walk at the choices of a start, in the arena. Errors: those of orr_evaluator_create; memory. */
enum orr_status orr_walk_init(struct walk *walk, struct orr_arena *arena, const struct space *space,
                              uint32_t start, struct orr_diag *diag);
void orr_walk_fini(struct walk *walk);

/* Another choice of an operator. O(parts). */
void orr_walk_set(struct walk *walk, uint32_t op, const struct search_choice *choice);

/* What was set is kept; or taken back. O(changes x parts). */
void orr_walk_keep(struct walk *walk);
void orr_walk_undo(struct walk *walk);

/* To other choices of all operators, which are kept. O(operators + changes x parts). */
void orr_walk_go(struct walk *walk, const struct search_choice *choice);

/* Bytes that are missing on all devices together, and on the one with most of it. O(group). */
uint64_t orr_walk_missing(const struct walk *walk);
uint64_t orr_walk_max_missing(const struct walk *walk);

/* What no iteration can be faster than: all that the busiest device computes. O(group). */
sim_time orr_walk_lower_bound_ps(const struct walk *walk);

/* The time of an iteration, as orr_evaluate_within: ORR_TIME_MAX where it is longer than the limit.
 * Errors: those of orr_evaluate; no way between two devices; memory. */
enum orr_status orr_walk_time(struct walk *walk, sim_time limit_ps, sim_time *time_ps,
                              struct orr_diag *diag);

/* The strategy again, in an arena. False: memory. */
bool orr_walk_copy(const struct walk *walk, struct orr_arena *arena, struct strategy *out);

#endif
