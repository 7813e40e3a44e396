/* The source of a study's jobs: Orrery's own files, those of ASTRA-sim, or platform and workload in
 * memory. */
#ifndef ORR_STUDY_JOB_SOURCE_H
#define ORR_STUDY_JOB_SOURCE_H

#include "orrery/parts.h"

/* Exactly one is not NULL. */
struct orr_job_source {
    const struct orrery_inputs *own;
    const struct orrery_astra_sim *astra_sim;
    const struct orrery_parts *parts;
};

/* Loads the job, overriding values by `more` (none with files of ASTRA-sim). */
enum orrery_status orr_job_source_load(const struct orr_job_source *source, const char *const *more,
                                       size_t count, struct orrery *job);

/* The error of a job; NULL (no memory) is allowed. */
const char *orr_job_error(const struct orrery *job);

#endif
