/* What the profiles of a job's ranks recorded, each from the GPU's view. One profile is in memory
 * at a time. */
#ifndef ORR_ET_CONVERTER_PROFILE_PROFILE_JOB_H
#define ORR_ET_CONVERTER_PROFILE_PROFILE_JOB_H

#include "et_converter/converter.h"
#include "workload/gpu/gpu_account.h"

struct orr_arena;

struct orr_profile_request {
    const char *const *given; /* [givens] files, folders, patterns */
    size_t givens;
    const char *step; /* a number, "all"; NULL: the last step that is whole on all ranks */
    struct conv_progress progress;
};

struct orr_profile_rank {
    uint32_t rank;
    const char *file;
    int64_t step;   /* that is told; -1: all of the profile */
    uint32_t steps; /* that the profile has */
    uint32_t kernels, communication_kernels, copies, without_launch;
    struct orr_gpu_view view;
    /* what files of one run agree in */
    int64_t world;                 /* of "distributedInfo"; -1: not said */
    int64_t first_step, last_step; /* that are whole; -1: none */
    int64_t start_ns, end_ns;      /* of the profile, since 1970; 0: not known */
    int64_t all_ranks;             /* size of process group "0"; 0: not said */
    bool is_named; /* the rank is said by the file or its name, not by its place in the list */
};

struct orr_profile_job {
    struct orr_profile_rank *rank; /* by rank */
    uint32_t ranks;
    int64_t world; /* ranks of the job as the profiles say; -1: not said */
};

/* Reads the profiles; results live in the arena. Warns of missing ranks, of profiles without rows
 * of steps, of clocks that are apart. Errors, each with the file: no file; a file that is no
 * profile, is cut short, or has no work of a GPU; two files of a rank; files of two runs; no such
 * step. O(bytes). */
enum orr_status orr_profile_job_read(struct orr_arena *arena,
                                     const struct orr_profile_request *request,
                                     struct orr_profile_job *out, struct orr_diag *diag);

#endif
