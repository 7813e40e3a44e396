/* Worker process that runs points of a sweep, so that a failed assertion, a crash or the kernel's
 * out-of-memory killer fails one point and not the sweep.
 *
 * Single-threaded only: fork() of a multithreaded process may copy a locked allocator. */
#ifndef ORR_STUDY_SWEEP_SWEEP_WORKER_H
#define ORR_STUDY_SWEEP_SWEEP_WORKER_H

#include <sys/types.h>

#include "study/sweep/sweep_result.h"

struct orr_sweep_worker {
    const struct orr_sweep *sweep;
    pid_t child; /* 0: none */
    int channel; /* channel to the child: readable when its reply is ready or it has ended */
    uint32_t point;
    bool check_only;
};

/* Requests a point; with `check_only` only whether it can be loaded. The reply must be taken before
 * the next request. False: no process can be created. */
bool orr_sweep_worker_request(struct orr_sweep_worker *worker, uint32_t point, bool check_only);

/* Waits for the reply (heap, owned by the caller): the point's line as of orr_sweep_run; with
 * `check_only` the text of orr_sweep_check_point. NULL: no memory. */
char *orr_sweep_worker_reply(struct orr_sweep_worker *worker);

/* Ends the process. A worker with only `sweep` set and all else 0 is ready for use. */
void orr_sweep_worker_end(struct orr_sweep_worker *worker);

#endif
