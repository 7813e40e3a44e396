/* Co-run times: iteration times of jobs that run at the same time, by simulating some iterations of
 * each. */
#ifndef ORR_STUDY_CLUSTER_CORUN_SIMULATION_H
#define ORR_STUDY_CLUSTER_CORUN_SIMULATION_H

#include <pthread.h>

#include "core/diag.h"
#include "sim/cluster/jobs.h"
#include "study/cluster/job_progress.h"

struct orr_arena;

struct orr_corun_member {
    uint32_t job;           /* its number in the file */
    uint32_t max;           /* maximum number of iterations; 0: no limit */
    const uint32_t *server; /* [its servers]; NULL: on a private network */
};

struct orr_corun_options {
    struct orr_arena *arena; /* of the result */
    /* Held except during a simulation, because jobs share data, such as sections of the file, that
     * one thread at a time may read; NULL: one thread. */
    pthread_mutex_t *loading;
};

/* times[count], in the arena. */
struct orr_corun_result {
    struct orr_iteration_times *times;
    uint64_t events, simulations;
    bool windows;
};

/* Simulates the jobs, sorted by number, which begin together, on the shared network of the file; or
 * one job on its private network. Each job runs at least jobs->queue.sample iterations, and as many
 * more as the others need to have company; the samples are the iterations in which all jobs ran.
 * All results are in the arena, so several threads may call this with arenas of their own and one
 * lock. Errors: those of the run. */
enum orr_status orr_corun_result(const struct orr_jobs *jobs, const struct orr_corun_member *member,
                                 size_t count, const struct orr_corun_options *options,
                                 struct orr_corun_result *out, struct orr_diag *diag);

#endif
