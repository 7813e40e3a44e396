/* Threads that run points of a sweep and hand back their lines, for one thread that hands out the
 * points and takes the lines. */
#ifndef ORR_CLI_SWEEP_POOL_H
#define ORR_CLI_SWEEP_POOL_H

#include "cli/sweep_result.h"

struct orr_sweep_pool;

/* Threads, at least one; NULL when there are none, which it says. They call `run`. */
struct orr_sweep_pool *orr_sweep_pool_create(const struct orr_sweep *sweep, unsigned threads);

/* Hands out points, to be run in this order. False when memory is out. */
bool orr_sweep_pool_push(struct orr_sweep_pool *pool, const uint32_t *point, size_t count);

/* Points handed out whose lines were not taken yet. */
size_t orr_sweep_pool_pending(struct orr_sweep_pool *pool);

/* The next line, of the heap; waits for it for so many microseconds (< 0: as long as it takes), and
 * returns NULL when none came. *failed becomes true when a thread ran out of memory. */
char *orr_sweep_pool_take(struct orr_sweep_pool *pool, int64_t wait_us, bool *failed);

/* Ends when the points that are running have ended. */
void orr_sweep_pool_destroy(struct orr_sweep_pool *pool);

#endif
