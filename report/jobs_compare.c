/* Variants of jobs on a cluster compared: table, JSON, CSV; see jobs_compare.h. */
#include "report/jobs_compare.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>

#include "core/units.h"
#include "report/json_text.h"
#include "report/results/cluster_results.h"
#include "report/results/result.h"
#include "report/table_text.h"
#include "sim/cluster/jobs.h"

enum { TIMES_WIDTH = 25, RATIOS_WIDTH = 22 };

struct orr_comparison_row orr_compare_variants(const struct orr_jobs_variant *variant,
                                               sim_time mean_ps, sim_time p99_ps,
                                               sim_time first_mean_ps, sim_time first_p99_ps)
{
    return (struct orr_comparison_row){.name = variant->name,
                                       .variant = variant,
                                       .mean_ratio = (double)mean_ps / (double)first_mean_ps,
                                       .p99_ratio = (double)p99_ps / (double)first_p99_ps};
}

static struct orr_comparison_row compare_job(const struct orr_jobs_comparison *comparison,
                                             size_t variant, size_t i)
{
    const struct orr_jobs_result *first = &comparison->variant[0].run.result[i];
    const struct orr_jobs_result *here = &comparison->variant[variant].run.result[i];
    return orr_compare_variants(&comparison->variant[variant], here->mean_ps, here->p99_ps,
                                first->mean_ps, first->p99_ps);
}

static struct orr_comparison_row compare_all(const struct orr_jobs_comparison *comparison,
                                             size_t variant)
{
    const struct orr_jobs_run *first = &comparison->variant[0].run,
                              *here = &comparison->variant[variant].run;
    return orr_compare_variants(&comparison->variant[variant], here->mean_ps, here->p99_ps,
                                first->mean_ps, first->p99_ps);
}

/* ---- table ---- */

static void write_times(FILE *out, sim_time mean_ps, sim_time p99_ps)
{
    char mean[ORR_FORMAT_BYTES], p99[ORR_FORMAT_BYTES];
    orr_print(out, " %12s %12s", orr_format_time(mean_ps, mean, sizeof mean),
              orr_format_time(p99_ps, p99, sizeof p99));
}

static void write_ratios(FILE *out, const struct orr_comparison_row *row)
{
    orr_print(out, " %10.3f %10.3f", row->mean_ratio, row->p99_ratio);
}

/* Prints the names of the variants, each above its columns, and the headings of these. */
static void write_heads(FILE *out, const struct orr_jobs_comparison *comparison, int width)
{
    orr_print(out, "%*s", width + 8, "");
    for (size_t w = 0; w < comparison->variants; w++) {
        const int columns = TIMES_WIDTH + (w > 0 ? RATIOS_WIDTH : 0);
        orr_print(out, "   %-*.*s", w + 1 < comparison->variants ? columns : 0, columns,
                  comparison->variant[w].name);
    }
    orr_print(out, "\n%-*s %7s", width, "job", "servers");
    for (size_t w = 0; w < comparison->variants; w++) {
        orr_print(out, "   %12s %12s", "mean", "99 %");
        if (w > 0) {
            orr_print(out, " %10s %10s", "mean ratio", "99 % ratio");
        }
    }
    (void)fputc('\n', out);
}

static void write_job(FILE *out, const struct orr_jobs_comparison *comparison, size_t i, int width)
{
    const struct orr_job *job = &comparison->variant[0].jobs.job[i];
    orr_print(out, "%-*s %7" PRIu32, width, job->name, orr_job_servers(job));
    for (size_t w = 0; w < comparison->variants; w++) {
        const struct orr_jobs_result *result = &comparison->variant[w].run.result[i];
        const struct orr_comparison_row row = compare_job(comparison, w, i);
        (void)fputs("  ", out);
        write_times(out, result->mean_ps, result->p99_ps);
        if (w > 0) {
            write_ratios(out, &row);
        }
    }
    (void)fputc('\n', out);
}

static void write_all(FILE *out, const struct orr_jobs_comparison *comparison, int width)
{
    const struct orr_jobs *jobs = &comparison->variant[0].jobs;
    orr_print(out, "%-*s %7" PRIu32, width, "all", orr_jobs_servers_used(jobs));
    for (size_t w = 0; w < comparison->variants; w++) {
        const struct orr_comparison_row row = compare_all(comparison, w);
        (void)fputs("  ", out);
        write_times(out, comparison->variant[w].run.mean_ps, comparison->variant[w].run.p99_ps);
        if (w > 0) {
            write_ratios(out, &row);
        }
    }
    (void)fputc('\n', out);
}

int orr_jobs_compare_table(FILE *out, const void *context)
{
    const struct orr_jobs_comparison *comparison = context;
    const struct orr_jobs *first = &comparison->variant[0].jobs;
    const int width = orr_jobs_name_width(first);
    for (size_t w = 0; w < comparison->variants; w++) {
        char text[ORR_JOBS_HEAD_BYTES];
        orr_print(out, "%s: %s\n", comparison->variant[w].name,
                  orr_jobs_head(&comparison->variant[w].run, text, sizeof text));
    }
    orr_print(out, "\n");
    write_heads(out, comparison, width);
    for (size_t i = 0; i < first->jobs; i++) {
        write_job(out, comparison, i, width);
    }
    write_all(out, comparison, width);
    return ferror(out) ? 1 : 0;
}

/* ---- JSON ---- */

json_t *orr_json_variant_set(const void *row)
{
    const struct orr_jobs_variant *variant = ((const struct orr_comparison_row *)row)->variant;
    json_t *list = json_array();
    for (size_t i = 0; i < variant->sets; i++) {
        (void)json_array_append_new(list, orr_json_text(variant->set[i]));
    }
    return list;
}

static json_t *variant_object(const struct orr_jobs_comparison *comparison, size_t w)
{
    const struct orr_jobs_report report = {.run = &comparison->variant[w].run};
    const struct orr_comparison_row row = compare_all(comparison, w);
    json_t *object = json_object();
    orr_result_add_json(object, &orr_comparison_results, &row);
    json_t *all = orr_jobs_object(&report);
    (void)json_object_update(object, all);
    json_decref(all);
    return object;
}

static void add_job_ratios(json_t *object, const struct orr_jobs_comparison *comparison, size_t w)
{
    json_t *jobs = json_object_get(object, "jobs");
    for (size_t i = 0; i < json_array_size(jobs); i++) {
        const struct orr_comparison_row row = compare_job(comparison, w, i);
        orr_result_add_json(json_array_get(jobs, i), &orr_comparison_ratio_results, &row);
    }
}

int orr_comparison_write_json(FILE *out, json_t *runs)
{
    json_t *root = json_object();
    (void)json_object_set_new(root, "runs", runs);
    const int failed = orr_json_write(root, out, JSON_INDENT(2) | JSON_REAL_PRECISION(15)) != 0 ||
                       fputc('\n', out) == EOF;
    json_decref(root);
    return failed ? 1 : 0;
}

int orr_jobs_compare_json(FILE *out, const void *context)
{
    const struct orr_jobs_comparison *comparison = context;
    json_t *list = json_array();
    for (size_t w = 0; w < comparison->variants; w++) {
        json_t *object = variant_object(comparison, w);
        add_job_ratios(object, comparison, w);
        (void)json_array_append_new(list, object);
    }
    return orr_comparison_write_json(out, list);
}

/* ---- CSV ---- */

int orr_jobs_compare_csv(FILE *out, const void *context)
{
    const struct orr_jobs_comparison *comparison = context;
    (void)fputs("run,", out);
    orr_result_csv_head(out, &orr_iteration_results);
    (void)fputc('\n', out);
    for (size_t w = 0; w < comparison->variants; w++) {
        orr_jobs_csv_lines(out, &comparison->variant[w].run, comparison->variant[w].name);
    }
    return ferror(out) ? 1 : 0;
}
