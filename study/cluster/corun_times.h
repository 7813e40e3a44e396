/* The paces of all sets of jobs of a file, each simulated once. */
#ifndef ORR_STUDY_CLUSTER_CORUN_TIMES_H
#define ORR_STUDY_CLUSTER_CORUN_TIMES_H

#include "study/cluster/corun_simulation.h"

struct orr_corun_set;

struct orr_corun_times {
    const struct orr_jobs *jobs;
    struct orr_arena *arena;
    uint32_t *kind; /* [jobs]: of jobs that are alike */
    uint32_t kinds;
    uint32_t *first, *max;                /* [kinds] its first job; the most iterations of any */
    struct orr_iteration_times *unshared; /* [kinds] on a network of its own */
    struct orr_corun_set **known;         /* of a shared network, by hash */
    uint32_t *key;                        /* room for one */
    const char **warned;                  /* [warned_count] warnings, each of which is told once */
    size_t warned_count, warned_capacity;
    struct orr_diag *warn_diag; /* whom */
    uint64_t events, simulations;
    bool windows;
};

/* Which jobs are alike. O(jobs x kinds). */
enum orr_status orr_corun_times_init(struct orr_corun_times *corun, const struct orr_jobs *jobs,
                                     struct orr_diag *diag);

/* The pace of each kind on a network of its own, into paces->own, on all processors. */
enum orr_status orr_corun_times_unshared(struct orr_corun_times *corun, struct orr_diag *diag);

/* Those of jobs that run together on the shared network; members by ascending job. pace[count]. */
enum orr_status orr_corun_times_shared(struct orr_corun_times *corun,
                                       const struct orr_corun_member *member, uint32_t count,
                                       struct orr_iteration_times *times, struct orr_diag *diag);

#endif
