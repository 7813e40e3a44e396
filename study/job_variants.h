/* The jobs of a cluster run in several ways: as their file says, and with other values set. */
#ifndef ORR_STUDY_JOB_VARIANTS_H
#define ORR_STUDY_JOB_VARIANTS_H

#include "report/report.h"

/* What is run: a file of jobs with values set ("PATH=VALUE"), and each of the texts
 * "[NAME:]PATH=VALUE[,PATH=VALUE...]" on top of them. A comma that no "PATH=" follows is part of a
 * value. Without a name a way is called "run 2", and so on. */
struct orr_job_variants {
    const char *file;
    const char *const *set; /* [sets] */
    size_t sets;
    const char *const *comparison; /* [besides] */
    size_t comparisons;
};

/* Runs all, one after the other, into *out, in the arena; to be freed with orr_job_variants_free,
 * also after an error. Errors: texts that are no assignments, two ways of one name; those of
 * reading, placing and running each; ways that have other jobs than the first, or of which one has
 * a queue and another none. */
enum orr_status orr_job_variants_run(struct orr_arena *arena,
                                     const struct orr_job_variants *variants,
                                     const struct orr_jobs_options *how,
                                     struct orr_jobs_comparison *out, struct orr_diag *diag);
void orr_job_variants_free(struct orr_jobs_comparison *comparison);

#endif
