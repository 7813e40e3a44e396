/* The JSON of a run for a page: the results of --json, details (report/details/details.h) and,
 * under `whatif`, the effect of changes. */
#ifndef ORR_STUDY_JOB_PAGE_H
#define ORR_STUDY_JOB_PAGE_H

#include <stdbool.h>
#include <stdio.h>

#include "orrery/orrery.h"

struct orr_job_page {
    struct orrery *job; /* has run and recorded its nodes */
    /* Its inputs, to run it again; both NULL: parts that need that are missing, with a reason. */
    const struct orrery_inputs *own;
    const struct orrery_astra_sim *astra_sim;
    const char *command; /* the command line; NULL: left out */
    bool per_npu;        /* a class of its own for each NPU */
    struct json_t *made; /* the result, by orr_job_page_make; NULL: not yet */
};

/* The result, owned by the caller; NULL: no memory. Runs the job again: once for each change of
 * orr_whatif_run, on all processors, and once unfolded for the traffic between NPUs, if that takes
 * few enough events. A run that fails is named in `details.missing`. */
struct json_t *orr_job_page_result(const struct orr_job_page *page);

/* Makes the result, for all its users. orr_job_page_fini releases it; that is allowed without a
 * result too. */
void orr_job_page_make(struct orr_job_page *page);
void orr_job_page_fini(struct orr_job_page *page);

/* For struct orr_output; the context is a struct orr_job_page. Makes the result unless it was
 * made. */
int orr_job_page_json(FILE *out, const void *page);

#endif
