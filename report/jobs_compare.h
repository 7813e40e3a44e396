/* Comparison of variants: the same jobs of a cluster, run with different values. */
#ifndef ORR_REPORT_JOBS_COMPARE_H
#define ORR_REPORT_JOBS_COMPARE_H

#include "report/jobs_report.h"
#include "report/results/cluster_results.h"

/* One variant, and the values that are set for it alone. */
struct orr_jobs_variant {
    const char *name;
    const char *const *set; /* [sets] "PATH=VALUE" */
    size_t sets;
    struct orr_jobs jobs;
    struct orr_jobs_run run;    /* without cluster.queue */
    struct orr_queue_run queue; /* with cluster.queue */
};

/* All variants, with the same jobs by name. The first is the baseline of the comparison. */
struct orr_jobs_comparison {
    size_t variants;
    const struct orr_jobs_variant *variant; /* [variants] */
};

/* Writers for struct orr_output; the context is a struct orr_jobs_comparison. */
int orr_jobs_compare_json(FILE *out, const void *context);
int orr_jobs_compare_csv(FILE *out, const void *context);
int orr_jobs_compare_table(FILE *out, const void *context);

/* The same for jobs that wait for servers (queue_compare.c). */
int orr_queue_compare_json(FILE *out, const void *context);
int orr_queue_compare_csv(FILE *out, const void *context);
int orr_queue_compare_table(FILE *out, const void *context);

/* ---- for the files of this folder ---- */

/* The ratios of a variant to the first one, of the means and 99th percentiles of iteration
 * times. */
struct orr_comparison_row orr_compare_variants(const struct orr_jobs_variant *variant,
                                               sim_time mean_ps, sim_time p99_ps,
                                               sim_time first_mean_ps, sim_time first_p99_ps);

/* Writes a JSON object with the list under "runs", and releases the list. Returns 0, or 1 with
 * errno set. */
int orr_comparison_write_json(FILE *out, struct json_t *runs);

#endif
