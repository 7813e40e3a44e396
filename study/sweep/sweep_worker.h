/* A process that runs points of a sweep: whatever ends it, a broken invariant, a crash or the
 * kernel for want of memory, is the failure of one point and not the end of the sweep.
 *
 * Of one thread only: a process of several threads cannot be copied while one of them holds a lock
 * of the allocator. */
#ifndef ORR_STUDY_SWEEP_SWEEP_WORKER_H
#define ORR_STUDY_SWEEP_SWEEP_WORKER_H

#include <sys/types.h>

#include "study/sweep/sweep_result.h"

struct orr_sweep_worker {
    const struct orr_sweep *sweep;
    pid_t child; /* 0: none */
    int channel; /* of a child: can be read when its answer is there, or it has ended */
    uint32_t point;
    bool check_only;
};

/* Asks for a point, with `check_only` only whether it can be loaded; its answer is to be taken
 * before the next question. False when no process can be made. */
bool orr_sweep_worker_request(struct orr_sweep_worker *worker, uint32_t point, bool check_only);

/* Waits for the answer, of the heap: the point's line, as of orr_sweep_run; with `check_only` why
 * it cannot be loaded, "" when it can. NULL when memory is out. */
char *orr_sweep_worker_reply(struct orr_sweep_worker *worker);

/* Ends the process. A guard of zeros but for its sweep is ready for use. */
void orr_sweep_worker_end(struct orr_sweep_worker *worker);

#endif
