/* A process that runs points for a thread: whatever ends it, a broken invariant, a crash or the
 * kernel for want of memory, is the failure of one point and not the end of the sweep. */
#ifndef ORR_CLI_SWEEP_GUARD_H
#define ORR_CLI_SWEEP_GUARD_H

#include <sys/types.h>

#include "cli/sweep_result.h"

struct orr_sweep_guard {
    const struct orr_sweep *sweep;
    pid_t child; /* 0: none */
    int ask, answer;
};

/* The line of a point, of the heap, as of orr_sweep_run; NULL when memory is out. */
char *orr_sweep_guard_run(struct orr_sweep_guard *guard, uint32_t point);

/* Why a point cannot be loaded, of the heap: "" when it can; NULL when memory is out. */
char *orr_sweep_guard_try(struct orr_sweep_guard *guard, uint32_t point);

/* Ends the process. A guard of zeros but for its sweep is ready for use. */
void orr_sweep_guard_end(struct orr_sweep_guard *guard);

#endif
