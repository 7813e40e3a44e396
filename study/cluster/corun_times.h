/* Co-run times of all sets of jobs of a file, each set simulated once. */
#ifndef ORR_STUDY_CLUSTER_CORUN_TIMES_H
#define ORR_STUDY_CLUSTER_CORUN_TIMES_H

#include "study/cluster/corun_simulation.h"

struct orr_corun_set;

struct orr_corun_times {
    const struct orr_jobs *jobs;
    struct orr_arena *arena;
    uint32_t *kind; /* [jobs]: equal for equal jobs */
    uint32_t kinds;
    uint32_t *first, *max; /* [kinds] its first job; maximum of the iterations of its jobs */
    struct orr_iteration_times *unshared; /* [kinds] on a private network */
    struct orr_corun_set **known;         /* on a shared network: hash table */
    uint32_t *key;                        /* storage for one key */
    const char **warned;                  /* [warned_count] warnings that were forwarded */
    size_t warned_count, warned_capacity;
    struct orr_diag *warn_diag; /* receives the warnings */
    uint64_t events, simulations;
    bool windows;
};

/* Groups equal jobs into kinds. O(jobs x kinds). Errors: memory. */
enum orr_status orr_corun_times_init(struct orr_corun_times *corun, const struct orr_jobs *jobs,
                                     struct orr_diag *diag);

/* Simulates each kind on its private network, into corun->unshared, on all processors. */
enum orr_status orr_corun_times_unshared(struct orr_corun_times *corun, struct orr_diag *diag);

/* Times of jobs that run together on the shared network, simulated at the first call for a set.
 * Members are sorted by job; times[count]. */
enum orr_status orr_corun_times_shared(struct orr_corun_times *corun,
                                       const struct orr_corun_member *member, uint32_t count,
                                       struct orr_iteration_times *times, struct orr_diag *diag);

#endif
