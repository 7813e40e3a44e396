/* Who runs the points of a sweep: this process, or it and others, called ranks. Rank 0 reads the
 * sweep, hands out the points and keeps the results. How ranks speak is an ops table: this process
 * alone is here; others (MPI) come from whoever started them. */
#ifndef ORR_STUDY_SWEEP_SWEEP_RANKS_H
#define ORR_STUDY_SWEEP_SWEEP_RANKS_H

#include "study/sweep/sweep_result.h"

/* What is to be done, as rank 0 knows it. */
struct orr_sweep_work {
    const struct orr_sweep *sweep;
    const uint32_t *todo; /* [count]; rank 0 */
    size_t count;
    unsigned threads; /* of this rank */
    /* Rank 0: takes a line, one at a time. */
    enum orr_status (*keep)(void *context, const char *line, struct orr_diag *diag);
    void *context;
};

struct orr_sweep_ranks;

struct orr_sweep_ranks_ops {
    const char *name, *summary;
    /* Tells all ranks rank 0's status and hash. */
    void (*share)(const struct orr_sweep_ranks *ranks, int *status, uint64_t *hash);
    /* Runs the points. A rank without a sweep (work->sweep is NULL) only says that it takes no
     * part. The status may be that of another rank, which has its reason; the diagnostic is empty
     * then. */
    enum orr_status (*run)(const struct orr_sweep_ranks *ranks, const struct orr_sweep_work *work,
                           struct orr_diag *diag);
};

struct orr_sweep_ranks {
    const struct orr_sweep_ranks_ops *ops;
    int rank, count;
    unsigned local; /* ranks on this machine */
};

/* Where there are no others. */
void orr_sweep_no_share(const struct orr_sweep_ranks *ranks, int *status, uint64_t *hash);

/* This process, and no other. */
struct orr_sweep_ranks orr_sweep_ranks_single(void);

/* This process, whose points run on threads of it. (sweep_threads.c) */
struct orr_sweep_ranks orr_sweep_ranks_threads(void);

/* Runs all points on processes of this one. */
enum orr_status orr_sweep_run_local(const struct orr_sweep_work *work, struct orr_diag *diag);

/* Threads for a rank: one for each of the processors that it is bound to or, when it is bound to
 * none, of its share of them. */
unsigned orr_sweep_default_threads(const struct orr_sweep_ranks *ranks);

#endif
