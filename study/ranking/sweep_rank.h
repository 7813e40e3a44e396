/* Which points of a sweep are the best. */
#ifndef ORR_STUDY_RANKING_SWEEP_RANK_H
#define ORR_STUDY_RANKING_SWEEP_RANK_H

#include "study/sweep/sweep_store.h"

enum orr_sweep_goal { ORR_SWEEP_NO_GOAL, ORR_SWEEP_BY_TIME, ORR_SWEEP_BY_COST, ORR_SWEEP_BY_BOTH };

struct orr_sweep_entry {
    double goal, other; /* the smaller the better; `other` decides between equal ones */
    uint32_t point;
    uint32_t group; /* 0 where groups do not matter */
};

/* The points that are done and did not fail, best first, into entry[points]; those without a cost
 * by time only, and never on the frontier. Returns their number.
 * O(points log points). */
uint32_t orr_sweep_rank(const struct orr_sweep_store *store, enum orr_sweep_goal goal,
                        struct orr_sweep_entry *entry);

/* The same by time, group by group (sweep.h) in the order of groups. */
uint32_t orr_sweep_rank_groups(const struct orr_sweep_store *store, struct orr_sweep_entry *entry);

/* Keeps of entries in order of time those that cost less than all before of their group: no other
 * point is both as fast and as cheap, and of equal ones the first stays. Returns their number. */
uint32_t orr_sweep_keep_frontier(const struct orr_sweep_store *store, struct orr_sweep_entry *entry,
                                 uint32_t count);

/* Marks the points that are on the front of their group, for orr_sweep_store_finish. False when
 * memory is out. */
bool orr_sweep_mark(struct orr_sweep_store *store);

#endif
