/* Pool of worker processes that run points of a sweep and return result lines. No threads: the
 * caller waits for all workers at once. */
#ifndef ORR_STUDY_SWEEP_SWEEP_POOL_H
#define ORR_STUDY_SWEEP_SWEEP_POOL_H

#include "study/sweep/sweep_result.h"

struct orr_sweep_pool;

/* Creates a pool of `processes` >= 1 workers, which start when there are points. NULL: no memory.
 */
struct orr_sweep_pool *orr_sweep_pool_create(const struct orr_sweep *sweep, unsigned processes);

/* Adds points, run in this order. False: no memory. */
bool orr_sweep_pool_push(struct orr_sweep_pool *pool, const uint32_t *point, size_t count);

/* Number of points whose lines were not taken yet. */
size_t orr_sweep_pool_pending(const struct orr_sweep_pool *pool);

/* Takes the next line (heap, owned by the caller). Waits up to `wait_us` microseconds (< 0: without
 * limit; a point must be pending); NULL if none came. Sets *failed if memory is out. */
char *orr_sweep_pool_take(struct orr_sweep_pool *pool, int64_t wait_us, bool *failed);

/* Ends the workers; a running point is finished first. NULL is allowed. */
void orr_sweep_pool_destroy(struct orr_sweep_pool *pool);

#endif
