/* Who runs the points of a sweep: the threads of this process, or under mpirun those of several
 * processes, called ranks. Rank 0 reads the sweep, hands out the points and keeps the results. One
 * of two files is built: sweep_mpi.c, or where MPI is missing sweep_local.c. */
#ifndef ORR_CLI_SWEEP_RANKS_H
#define ORR_CLI_SWEEP_RANKS_H

#include <sys/types.h>

#include "cli/sweep_result.h"

struct orr_sweep_ranks {
    int rank, count;
    unsigned local; /* ranks on this machine */
    bool under_mpi; /* MPI was begun */
    pid_t parent;   /* mpirun, or its like on this machine */
};

/* What is to be done, as rank 0 knows it. */
struct orr_sweep_work {
    const struct orr_sweep *sweep;
    const uint32_t *todo; /* [count]; rank 0 */
    size_t count;
    unsigned threads;                             /* of this rank */
    int (*keep)(void *context, const char *line); /* rank 0, one at a time; 0 to go on */
    void *context;
};

/* Joins the ranks. MPI is begun only when mpirun or the like started this process. Returns 0 or the
 * exit status of what it says. */
int orr_sweep_ranks_begin(struct orr_sweep_ranks *ranks);

/* Tells all ranks rank 0's status and hash. */
void orr_sweep_ranks_share(const struct orr_sweep_ranks *ranks, int *status, uint64_t *hash);

/* Runs the points. A rank without a sweep (work->sweep is NULL) only says that it takes no part.
 * Returns 0 or an exit status. */
int orr_sweep_ranks_run(const struct orr_sweep_ranks *ranks, const struct orr_sweep_work *work);

void orr_sweep_ranks_end(struct orr_sweep_ranks *ranks);

/* Runs all points on the threads of this process. */
int orr_sweep_run_here(const struct orr_sweep_work *work);

/* Threads for a rank: one for each of the processors that it is bound to or, when it is bound to
 * none, of its share of them. */
unsigned orr_sweep_default_threads(const struct orr_sweep_ranks *ranks);

/* Whether mpirun or the like started this process among others. */
bool orr_sweep_is_rank(void);

#endif
