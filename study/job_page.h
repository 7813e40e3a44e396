/* The result of a run with all that a page tells of it: beside what --json has, details
 * (report/details/details.h) and, under `whatif`, what changes would do. */
#ifndef ORR_STUDY_JOB_PAGE_H
#define ORR_STUDY_JOB_PAGE_H

#include <stdbool.h>
#include <stdio.h>

#include "orrery/orrery.h"

struct orr_job_page {
    struct orrery *job; /* has run, and recorded its nodes */
    /* What it was loaded from, to run it again; both NULL: parts that need that say so. */
    const struct orrery_inputs *own;
    const struct orrery_astra_sim *astra_sim;
    const char *command; /* the line that made it; NULL: not told */
    bool per_npu;        /* a class for each NPU */
    struct json_t *made; /* the result, by orr_job_page_make; NULL: not yet */
};

/* The result, the caller's; NULL when memory is out. Runs the job again: once for each change of
 * orr_whatif_run, on all processors, and once with nothing folded for the traffic between NPUs,
 * where that takes few enough events. A run that fails is named in `details.missing`. */
struct json_t *orr_job_page_result(const struct orr_job_page *page);

/* Makes the result once for all that tell it; orr_job_page_fini gives it back, and may be called
 * where nothing was made. */
void orr_job_page_make(struct orr_job_page *page);
void orr_job_page_fini(struct orr_job_page *page);

/* For struct orr_output; the context is a struct orr_job_page, whose result is made now where it is
 * not yet. */
int orr_job_page_json(FILE *out, const void *page);

#endif
