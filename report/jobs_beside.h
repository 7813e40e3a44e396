/* The same jobs of a cluster run in several ways, side by side: what is told of them. */
#ifndef ORR_REPORT_JOBS_BESIDE_H
#define ORR_REPORT_JOBS_BESIDE_H

#include "report/jobs_report.h"

/* One of the ways, with the values that are set for it alone. */
struct orr_jobs_way {
    const char *name;
    const char *const *set; /* [sets] "PATH=VALUE" */
    size_t sets;
    struct orr_jobs jobs;
    struct orr_jobs_run run;
};

/* All of them, each of the same jobs by name; the first is what the others are compared with. */
struct orr_jobs_beside {
    size_t ways;
    const struct orr_jobs_way *way; /* [ways] */
};

/* Writers for struct orr_output; the context is a struct orr_jobs_beside. */
int orr_jobs_beside_json(FILE *out, const void *context);
int orr_jobs_beside_csv(FILE *out, const void *context);
int orr_jobs_beside_table(FILE *out, const void *context);

#endif
