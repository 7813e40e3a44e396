/* The same jobs of a cluster run in several ways, side by side: what is told of them. */
#ifndef ORR_REPORT_JOBS_COMPARE_H
#define ORR_REPORT_JOBS_COMPARE_H

#include "report/jobs_report.h"
#include "report/results/cluster_results.h"

/* One of the ways, with the values that are set for it alone. */
struct orr_jobs_variant {
    const char *name;
    const char *const *set; /* [sets] "PATH=VALUE" */
    size_t sets;
    struct orr_jobs jobs;
    struct orr_jobs_run run;    /* where they do not wait for servers */
    struct orr_queue_run queue; /* where they do */
};

/* All of them, each of the same jobs by name; the first is what the others are compared with. */
struct orr_jobs_comparison {
    size_t variants;
    const struct orr_jobs_variant *variant; /* [ways] */
};

/* Writers for struct orr_output; the context is a struct orr_jobs_comparison. */
int orr_jobs_compare_json(FILE *out, const void *context);
int orr_jobs_compare_csv(FILE *out, const void *context);
int orr_jobs_compare_table(FILE *out, const void *context);

/* The same of jobs that wait for servers (queue_compare.c). */
int orr_queue_compare_json(FILE *out, const void *context);
int orr_queue_compare_csv(FILE *out, const void *context);
int orr_queue_compare_table(FILE *out, const void *context);

/* ---- for the files of this folder ---- */

/* What one of the ways is beside the first, by the means and 99th percentiles of iterations. */
struct orr_comparison_row orr_compare_variants(const struct orr_jobs_variant *variant,
                                               sim_time mean_ps, sim_time p99_ps,
                                               sim_time first_mean_ps, sim_time first_p99_ps);

/* Writes a JSON object with the list of them, which it takes, under "runs". */
int orr_comparison_write_json(FILE *out, struct json_t *runs);

#endif
