/* Jobs that waited for servers of a cluster in several ways, side by side; see jobs_compare.h. */
#include <inttypes.h>
#include <jansson.h>
#include <string.h>

#include "report/jobs_compare.h"
#include "report/queue_report.h"
#include "report/results/queue_results.h"
#include "report/table_text.h"

enum { JOB_WIDTH = 44, VALUE_WIDTH = 16 };

static struct orr_comparison_row compare(const struct orr_jobs_comparison *beside, size_t w)
{
    const struct orr_queue_run *first = &beside->way[0].queue, *here = &beside->way[w].queue;
    return orr_compare_variants(&beside->way[w], here->mean_ps, here->p99_ps, first->mean_ps,
                                first->p99_ps);
}

/* Whether any of the ways places jobs in blocks. */
static bool any_block(const struct orr_jobs_comparison *beside)
{
    bool any = false;
    for (size_t w = 0; w < beside->ways; w++) {
        any = any || beside->way[w].jobs.placement == ORR_JOBS_BLOCK;
    }
    return any;
}

/* ---- table ---- */

static void write_time(FILE *out, sim_time ps)
{
    char text[ORR_FORMAT_BYTES];
    orr_print(out, " %13s", orr_format_time(ps, text, sizeof text));
}

/* The names of the ways, each above its columns. */
static void write_names(FILE *out, const struct orr_jobs_comparison *beside, int columns)
{
    for (size_t w = 0; w < beside->ways; w++) {
        orr_print(out, "   %-*.*s", w + 1 < beside->ways ? columns - 2 : 0, columns - 2,
                  beside->way[w].name);
    }
    (void)fputc('\n', out);
}

static void write_jobs(FILE *out, const struct orr_jobs_comparison *beside)
{
    const struct orr_jobs *jobs = &beside->way[0].jobs;
    const int width = orr_jobs_name_width(jobs);
    orr_print(out, "%*s", width + 8, "");
    write_names(out, beside, JOB_WIDTH);
    orr_print(out, "%-*s %7s", width, "job", "servers");
    for (size_t w = 0; w < beside->ways; w++) {
        orr_print(out, "   %13s %13s %13s", "wait", "mean", "end");
    }
    (void)fputc('\n', out);
    for (size_t i = 0; i < jobs->jobs; i++) {
        orr_print(out, "%-*s %7" PRIu32, width, jobs->job[i].name, orr_job_servers(&jobs->job[i]));
        for (size_t w = 0; w < beside->ways; w++) {
            const struct orr_queued_job *job = &beside->way[w].queue.job[i];
            (void)fputs("  ", out);
            write_time(out, job->start_ps - job->arrival_ps);
            write_time(out, job->mean_ps);
            write_time(out, job->end_ps);
        }
        (void)fputc('\n', out);
    }
}

/* A line of what all jobs were like: the member of each way's run at the offset. */
static void write_line(FILE *out, const struct orr_jobs_comparison *beside, const char *what,
                       size_t offset)
{
    orr_print(out, "%-16s", what);
    for (size_t w = 0; w < beside->ways; w++) {
        sim_time ps;
        memcpy(&ps, (const char *)&beside->way[w].queue + offset, sizeof ps);
        (void)fputs("  ", out);
        write_time(out, ps);
    }
    (void)fputc('\n', out);
}

/* The same of time of all servers together. */
static void write_sum_line(FILE *out, const struct orr_jobs_comparison *beside, const char *what,
                           size_t offset)
{
    orr_print(out, "%-16s", what);
    for (size_t w = 0; w < beside->ways; w++) {
        char text[ORR_FORMAT_BYTES];
        orr_sum ps;
        memcpy(&ps, (const char *)&beside->way[w].queue + offset, sizeof ps);
        orr_print(out, "   %13s", orr_queue_servers_time(ps, text));
    }
    (void)fputc('\n', out);
}

/* What blocks cost: waiting and servers, of all ways where any has them. */
static void write_blocks(FILE *out, const struct orr_jobs_comparison *beside)
{
    write_line(out, beside, "wait for a block", offsetof(struct orr_queue_run, for_block_mean_ps));
    write_sum_line(out, beside, "servers idle", offsetof(struct orr_queue_run, idle_ps));
    write_sum_line(out, beside, "  for no block", offsetof(struct orr_queue_run, fragmented_ps));
    orr_print(out, "%-16s", "  largest hole");
    for (size_t w = 0; w < beside->ways; w++) {
        orr_print(out, "   %13" PRIu32, beside->way[w].queue.largest_hole);
    }
    (void)fputc('\n', out);
}

static void write_all(FILE *out, const struct orr_jobs_comparison *beside)
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
    write_names(out, beside, VALUE_WIDTH);
    for (size_t i = 0; i < sizeof line / sizeof *line; i++) {
        write_line(out, beside, line[i].what, line[i].offset);
    }
    orr_print(out, "%-16s", "servers used");
    for (size_t w = 0; w < beside->ways; w++) {
        orr_print(out, "   %11.1f %%", 100 * beside->way[w].queue.utilization);
    }
    (void)fputc('\n', out);
    if (any_block(beside)) {
        write_blocks(out, beside);
    }
}

int orr_queue_compare_table(FILE *out, const void *context)
{
    const struct orr_jobs_comparison *beside = context;
    for (size_t w = 0; w < beside->ways; w++) {
        char text[ORR_QUEUE_HEAD_BYTES];
        orr_print(out, "%s: %s\n", beside->way[w].name,
                  orr_queue_head(&beside->way[w].queue, text, sizeof text));
    }
    (void)fputc('\n', out);
    write_jobs(out, beside);
    write_all(out, beside);
    return ferror(out) ? 1 : 0;
}

/* ---- JSON, CSV ---- */

int orr_queue_compare_json(FILE *out, const void *context)
{
    const struct orr_jobs_comparison *beside = context;
    json_t *list = json_array();
    for (size_t w = 0; w < beside->ways; w++) {
        const struct orr_comparison_row row = compare(beside, w);
        json_t *object = json_object(), *all = orr_queue_object(&beside->way[w].queue);
        orr_result_add_json(object, &orr_comparison_results, &row);
        (void)json_object_update(object, all);
        json_decref(all);
        (void)json_array_append_new(list, object);
    }
    return orr_comparison_write_json(out, list);
}

int orr_queue_compare_csv(FILE *out, const void *context)
{
    const struct orr_jobs_comparison *beside = context;
    (void)fputs("run,", out);
    orr_queue_csv_head(out, any_block(beside));
    for (size_t w = 0; w < beside->ways; w++) {
        orr_queue_csv_lines(out, &beside->way[w].queue, beside->way[w].name, any_block(beside));
    }
    return ferror(out) ? 1 : 0;
}
