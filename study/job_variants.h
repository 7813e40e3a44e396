/* Variants: the jobs of a cluster, run as their file says and with other values set. */
#ifndef ORR_STUDY_JOB_VARIANTS_H
#define ORR_STUDY_JOB_VARIANTS_H

#include <stddef.h>

#include "core/status.h"

struct orr_arena;
struct orr_diag;
struct orr_jobs_comparison;
struct orr_jobs_options;

/* The input: a file of jobs with values set ("PATH=VALUE"), and for each further variant a text
 * "[NAME:]PATH=VALUE[,PATH=VALUE...]" that overrides them. A comma that is not followed by "PATH="
 * is part of a value. A variant without a name is called "run 2", and so on. */
struct orr_job_variants {
    const char *file;
    const char *const *set; /* [sets] */
    size_t sets;
    const char *const *comparison; /* [besides] */
    size_t comparisons;
};

/* Runs all variants, one after the other, into *out, in the arena. Call orr_job_variants_free also
 * after an error. Errors: texts that are not assignments; two variants of one name; those of
 * reading, placing and running; variants with other jobs than the first, or of which only some have
 * a queue. */
enum orr_status orr_job_variants_run(struct orr_arena *arena,
                                     const struct orr_job_variants *variants,
                                     const struct orr_jobs_options *how,
                                     struct orr_jobs_comparison *out, struct orr_diag *diag);
void orr_job_variants_free(struct orr_jobs_comparison *comparison);

#endif
