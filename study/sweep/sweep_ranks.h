/* Ranks that run the points of a sweep: this process alone, or several. Rank 0 reads the sweep,
 * distributes the points and stores the results. Communication is an ops table: the single process
 * is here; MPI is provided by the caller. */
#ifndef ORR_STUDY_SWEEP_SWEEP_RANKS_H
#define ORR_STUDY_SWEEP_SWEEP_RANKS_H

#include <signal.h>

#include "study/sweep/sweep_result.h"

/* Work of a sweep. */
struct orr_sweep_work {
    const struct orr_sweep *sweep;
    const uint32_t *todo; /* [count] points to run; rank 0 */
    size_t count;
    unsigned threads; /* threads of this rank */
    /* Rank 0: stores a line; calls do not overlap. */
    enum orr_status (*keep)(void *context, const char *line, struct orr_diag *diag);
    void *context;
};

struct orr_sweep_ranks;

struct orr_sweep_ranks_ops {
    const char *name, *summary;
    /* Broadcasts rank 0's status and hash to all ranks. */
    void (*share)(const struct orr_sweep_ranks *ranks, int *status, uint64_t *hash);
    /* Runs the points. A rank without a sweep (work->sweep is NULL) only declines. The status may
     * be that of another rank, which has the reason; the diagnostic is empty then. */
    enum orr_status (*run)(const struct orr_sweep_ranks *ranks, const struct orr_sweep_work *work,
                           struct orr_diag *diag);
};

struct orr_sweep_ranks {
    const struct orr_sweep_ranks_ops *ops;
    int rank, count;
    unsigned local;                    /* ranks on this machine */
    const volatile sig_atomic_t *stop; /* of threads: not 0: no further point begins; or NULL */
};

/* `share` for a single rank: does nothing. */
void orr_sweep_no_share(const struct orr_sweep_ranks *ranks, int *status, uint64_t *hash);

/* A single rank: this process and its workers. */
struct orr_sweep_ranks orr_sweep_ranks_single(void);

/* A single rank whose points run on threads, until *stop is not 0 (NULL: to the end).
 * (sweep_threads.c) */
struct orr_sweep_ranks orr_sweep_ranks_threads(const volatile sig_atomic_t *stop);

/* Runs all points on worker processes of this rank. */
enum orr_status orr_sweep_run_local(const struct orr_sweep_work *work, struct orr_diag *diag);

/* Default threads of a rank: one per processor it is bound to or, if unbound, of its share of the
 * processors. */
unsigned orr_sweep_default_threads(const struct orr_sweep_ranks *ranks);

#endif
