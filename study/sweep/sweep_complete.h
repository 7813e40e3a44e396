/* Completing a sweep: checks whether it can run, and runs the points that are not done.
 *
 *   orr_sweep_read -> orr_sweep_check -> orr_sweep_store_open -> orr_sweep_complete ->
 *   orr_sweep_store_finish -> orr_sweep_store_close */
#ifndef ORR_STUDY_SWEEP_SWEEP_COMPLETE_H
#define ORR_STUDY_SWEEP_SWEEP_COMPLETE_H

#include "study/sweep/sweep_ranks.h"
#include "study/sweep/sweep_store.h"

/* Fails if none of a sample of points can be loaded: then the sweep is wrong, not a point. */
enum orr_status orr_sweep_check(const struct orr_sweep *sweep, struct orr_diag *diag);

/* The same in this process. */
enum orr_status orr_sweep_check_here(const struct orr_sweep *sweep, struct orr_diag *diag);

/* Called for each point after its result is stored. */
struct orr_sweep_listener {
    void (*step)(void *context, const struct orr_sweep_store *store,
                 const struct orr_sweep_result *result);
    void *context;
};

/* Rank 0: runs the points that are not done, `threads` at a time on this rank, and stores their
 * results. As for ops->run, the diagnostic is empty if another rank failed. */
enum orr_status orr_sweep_complete(struct orr_sweep_store *store,
                                   const struct orr_sweep_ranks *ranks, unsigned threads,
                                   const struct orr_sweep_listener *listener,
                                   struct orr_diag *diag);

#endif
