/* What a study runs: files of our own, those of ASTRA-sim, or platform and workload in memory. */
#ifndef ORR_STUDY_JOB_SOURCE_H
#define ORR_STUDY_JOB_SOURCE_H

#include "orrery/parts.h"

/* One of them; the others are NULL. */
struct orr_job_source {
    const struct orrery_inputs *own;
    const struct orrery_astra_sim *astra_sim;
    const struct orrery_parts *parts;
};

/* Loads the job with further values (none with those of ASTRA-sim) set on top. */
enum orrery_status orr_job_source_load(const struct orr_job_source *source, const char *const *more,
                                       size_t count, struct orrery *job);

/* What went wrong with a job, which may be NULL: memory was out. */
const char *orr_job_error(const struct orrery *job);

#endif
