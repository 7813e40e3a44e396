/* Variants of jobs that wait for servers of a cluster, side by side; see jobs_compare.h. */
#include <inttypes.h>
#include <jansson.h>
#include <string.h>

#include "report/jobs_compare.h"
#include "report/queue_report.h"
#include "report/results/queue_results.h"
#include "report/table_text.h"

enum { JOB_WIDTH = 44, VALUE_WIDTH = 16 };

static struct orr_comparison_row compare(const struct orr_jobs_comparison *comparison, size_t w)
{
    const struct orr_queue_run *first = &comparison->variant[0].queue,
                               *here = &comparison->variant[w].queue;
    return orr_compare_variants(&comparison->variant[w], here->mean_ps, here->p99_ps,
                                first->mean_ps, first->p99_ps);
}

/* True if any variant places jobs in blocks. */
static bool any_block(const struct orr_jobs_comparison *comparison)
{
    bool any = false;
    for (size_t w = 0; w < comparison->variants; w++) {
        any = any || comparison->variant[w].jobs.placement == ORR_JOBS_BLOCK;
    }
    return any;
}

/* ---- table ---- */

static void write_time(FILE *out, sim_time ps)
{
    char text[ORR_FORMAT_BYTES];
    orr_print(out, " %13s", orr_format_time(ps, text, sizeof text));
}

/* Prints the names of the variants, each above its columns. */
static void write_names(FILE *out, const struct orr_jobs_comparison *comparison, int columns)
{
    for (size_t w = 0; w < comparison->variants; w++) {
        orr_print(out, "   %-*.*s", w + 1 < comparison->variants ? columns - 2 : 0, columns - 2,
                  comparison->variant[w].name);
    }
    (void)fputc('\n', out);
}

static void write_jobs(FILE *out, const struct orr_jobs_comparison *comparison)
{
    const struct orr_jobs *jobs = &comparison->variant[0].jobs;
    const int width = orr_jobs_name_width(jobs);
    orr_print(out, "%*s", width + 8, "");
    write_names(out, comparison, JOB_WIDTH);
    orr_print(out, "%-*s %7s", width, "job", "servers");
    for (size_t w = 0; w < comparison->variants; w++) {
        orr_print(out, "   %13s %13s %13s", "wait", "mean", "end");
    }
    (void)fputc('\n', out);
    for (size_t i = 0; i < jobs->jobs; i++) {
        orr_print(out, "%-*s %7" PRIu32, width, jobs->job[i].name, orr_job_servers(&jobs->job[i]));
        for (size_t w = 0; w < comparison->variants; w++) {
            const struct orr_queued_job *job = &comparison->variant[w].queue.job[i];
            (void)fputs("  ", out);
            write_time(out, job->start_ps - job->arrival_ps);
            write_time(out, job->mean_ps);
            write_time(out, job->end_ps);
        }
        (void)fputc('\n', out);
    }
}

/* Prints a line of a statistic over all jobs: for each variant the member at the offset in its
 * run. */
static void write_line(FILE *out, const struct orr_jobs_comparison *comparison, const char *what,
                       size_t offset)
{
    orr_print(out, "%-16s", what);
    for (size_t w = 0; w < comparison->variants; w++) {
        sim_time ps;
        memcpy(&ps, (const char *)&comparison->variant[w].queue + offset, sizeof ps);
        (void)fputs("  ", out);
        write_time(out, ps);
    }
    (void)fputc('\n', out);
}

/* The same for times summed over all servers. */
static void write_sum_line(FILE *out, const struct orr_jobs_comparison *comparison,
                           const char *what, size_t offset)
{
    orr_print(out, "%-16s", what);
    for (size_t w = 0; w < comparison->variants; w++) {
        char text[ORR_FORMAT_BYTES];
        orr_sum ps;
        memcpy(&ps, (const char *)&comparison->variant[w].queue + offset, sizeof ps);
        orr_print(out, "   %13s", orr_queue_servers_time(ps, text));
    }
    (void)fputc('\n', out);
}

/* Prints the cost of blocks, in waiting and idle servers, of all variants if any uses blocks. */
static void write_blocks(FILE *out, const struct orr_jobs_comparison *comparison)
{
    write_line(out, comparison, "wait for a block",
               offsetof(struct orr_queue_run, for_block_mean_ps));
    write_sum_line(out, comparison, "servers idle", offsetof(struct orr_queue_run, idle_ps));
    write_sum_line(out, comparison, "  for no block",
                   offsetof(struct orr_queue_run, fragmented_ps));
    orr_print(out, "%-16s", "  largest hole");
    for (size_t w = 0; w < comparison->variants; w++) {
        orr_print(out, "   %13" PRIu32, comparison->variant[w].queue.largest_hole);
    }
    (void)fputc('\n', out);
}

static void write_all(FILE *out, const struct orr_jobs_comparison *comparison)
{
    static const struct {
        const char *what;
        size_t offset;
    } line[] = {{"mean iteration", offsetof(struct orr_queue_run, mean_ps)},
                {"99 % iteration", offsetof(struct orr_queue_run, p99_ps)},
                {"mean wait", offsetof(struct orr_queue_run, wait_mean_ps)},
                {"  for servers", offsetof(struct orr_queue_run, for_servers_mean_ps)},
                {"  for patching", offsetof(struct orr_queue_run, for_patching_mean_ps)},
                {"99 % wait", offsetof(struct orr_queue_run, wait_p99_ps)},
                {"makespan", offsetof(struct orr_queue_run, makespan_ps)}};
    orr_print(out, "\n%-16s", "all");
    write_names(out, comparison, VALUE_WIDTH);
    for (size_t i = 0; i < sizeof line / sizeof *line; i++) {
        write_line(out, comparison, line[i].what, line[i].offset);
    }
    orr_print(out, "%-16s", "servers used");
    for (size_t w = 0; w < comparison->variants; w++) {
        orr_print(out, "   %11.1f %%", 100 * comparison->variant[w].queue.utilization);
    }
    (void)fputc('\n', out);
    if (any_block(comparison)) {
        write_blocks(out, comparison);
    }
}

int orr_queue_compare_table(FILE *out, const void *context)
{
    const struct orr_jobs_comparison *comparison = context;
    for (size_t w = 0; w < comparison->variants; w++) {
        char text[ORR_QUEUE_HEAD_BYTES];
        orr_print(out, "%s: %s\n", comparison->variant[w].name,
                  orr_queue_head(&comparison->variant[w].queue, text, sizeof text));
    }
    (void)fputc('\n', out);
    write_jobs(out, comparison);
    write_all(out, comparison);
    return ferror(out) ? 1 : 0;
}

/* ---- JSON, CSV ---- */

int orr_queue_compare_json(FILE *out, const void *context)
{
    const struct orr_jobs_comparison *comparison = context;
    json_t *list = json_array();
    for (size_t w = 0; w < comparison->variants; w++) {
        const struct orr_comparison_row row = compare(comparison, w);
        json_t *object = json_object(), *all = orr_queue_object(&comparison->variant[w].queue);
        orr_result_add_json(object, &orr_comparison_results, &row);
        (void)json_object_update(object, all);
        json_decref(all);
        (void)json_array_append_new(list, object);
    }
    return orr_comparison_write_json(out, list);
}

int orr_queue_compare_csv(FILE *out, const void *context)
{
    const struct orr_jobs_comparison *comparison = context;
    (void)fputs("run,", out);
    orr_queue_csv_head(out, any_block(comparison));
    for (size_t w = 0; w < comparison->variants; w++) {
        orr_queue_csv_lines(out, &comparison->variant[w].queue, comparison->variant[w].name,
                            any_block(comparison));
    }
    return ferror(out) ? 1 : 0;
}
