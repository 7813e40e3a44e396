/* Ranking of the points of a sweep, and Pareto fronts. */
#ifndef ORR_STUDY_RANKING_SWEEP_RANK_H
#define ORR_STUDY_RANKING_SWEEP_RANK_H

#include <stdbool.h>
#include <stdint.h>

struct orr_sweep_store;

enum orr_sweep_goal {
    ORR_SWEEP_NO_GOAL,
    ORR_SWEEP_BY_TIME,
    ORR_SWEEP_BY_COST,
    ORR_SWEEP_BY_BOTH,
    ORR_SWEEP_BY_RANK, /* the sweep's rank_by */
    ORR_SWEEP_BY_FRONT /* the axes of its front: time and cost if it gives none */
};

struct orr_sweep_entry {
    double goal, other, third; /* smaller is better; `other` and `third` break ties */
    uint32_t point;
    uint32_t group; /* 0 without grouping */
};

/* Ranks the completed points that did not fail and fulfil the constraints on results, best first,
 * into entry[points]. Points without a value of the goal (by both: without a cost) are left out.
 * Returns their number. O(points log points). */
uint32_t orr_sweep_rank(const struct orr_sweep_store *store, enum orr_sweep_goal goal,
                        struct orr_sweep_entry *entry);

/* Ranks by the first axis of the front within each group (sweep.h), in the order of groups. */
uint32_t orr_sweep_rank_groups(const struct orr_sweep_store *store, struct orr_sweep_entry *entry);

/* Keeps the Pareto front of entries that were ranked by the front: those that no other of their
 * group equals or beats on every axis; of equal points the first. Returns their number. O(points),
 * with three axes O(points x front). */
uint32_t orr_sweep_keep_frontier(const struct orr_sweep_store *store, struct orr_sweep_entry *entry,
                                 uint32_t count);

/* Marks the points on the front of their group, for orr_sweep_store_finish. False: no memory. */
bool orr_sweep_mark(struct orr_sweep_store *store);

#endif
