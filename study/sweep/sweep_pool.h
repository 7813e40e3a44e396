/* Processes that run points of a sweep and hand back their lines, for a caller that hands out the
 * points and takes the lines. There are no threads: the caller waits for all of them at once. */
#ifndef ORR_STUDY_SWEEP_SWEEP_POOL_H
#define ORR_STUDY_SWEEP_SWEEP_POOL_H

#include "study/sweep/sweep_result.h"

struct orr_sweep_pool;

/* So many processes, at least one, which start when there are points. NULL when memory is out. */
struct orr_sweep_pool *orr_sweep_pool_create(const struct orr_sweep *sweep, unsigned processes);

/* Hands out points, to be run in this order. False when memory is out. */
bool orr_sweep_pool_push(struct orr_sweep_pool *pool, const uint32_t *point, size_t count);

/* Points handed out whose lines were not taken yet. */
size_t orr_sweep_pool_pending(const struct orr_sweep_pool *pool);

/* The next line, of the heap; waits for it for so many microseconds (< 0: as long as it takes, and
 * some must be pending), and returns NULL when none came. *failed becomes true when memory is
 * out. */
char *orr_sweep_pool_take(struct orr_sweep_pool *pool, int64_t wait_us, bool *failed);

/* Ends the processes; one that runs a point ends it first. */
void orr_sweep_pool_destroy(struct orr_sweep_pool *pool);

#endif
