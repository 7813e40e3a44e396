/* The paces of jobs that run together, by a simulation of some iterations of each. */
#ifndef ORR_STUDY_CLUSTER_CORUN_SIMULATION_H
#define ORR_STUDY_CLUSTER_CORUN_SIMULATION_H

#include <pthread.h>

#include "study/cluster/job_progress.h"

struct orr_corun_member {
    uint32_t job;           /* its number in the file */
    uint32_t max;           /* more iterations than these nobody asks for; 0: any number */
    const uint32_t *server; /* [its servers]; on a network of its own NULL */
};

struct orr_corun_options {
    struct orr_arena *arena;  /* of what is kept */
    pthread_mutex_t *loading; /* held but while a simulation runs: what jobs share, such as sections
                                 of the file, is read by one thread at a time; NULL: there is one */
};

/* In the arena: pace[count]. */
struct orr_corun_result {
    struct orr_iteration_times *times;
    uint64_t events, simulations;
    bool windows;
};

/* Simulates the jobs, by ascending numbers, which begin together: on the shared network of the
 * file, or one with a network of its own. Each has at least jobs->queue.sample iterations, and as
 * many more as it takes for the others to be still there; the samples are those in which all were.
 * Nothing is kept but what is in the arena, so that several threads may do this with arenas of
 * their own and one lock. Errors: those of the run. */
enum orr_status orr_corun_result(const struct orr_jobs *jobs, const struct orr_corun_member *member,
                                 size_t count, const struct orr_corun_options *options,
                                 struct orr_corun_result *out, struct orr_diag *diag);

#endif
