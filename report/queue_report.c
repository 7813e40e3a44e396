/* The results of jobs that wait for servers: a table, JSON, and CSV with a line for each job. */
#include "report/queue_report.h"

#include <inttypes.h>
#include <jansson.h>

#include "core/strings.h"
#include "network/cost/cost.h"
#include "report/jobs_report.h"
#include "report/json_text.h"
#include "report/results/cluster_results.h"
#include "report/results/queue_results.h"
#include "report/results/result.h"
#include "report/table_text.h"
#include "sim/cluster/jobs.h"
#include "system/sys_mono.h"

static struct orr_queued_row row_of(const struct orr_queue_run *run, size_t i)
{
    const struct orr_job *job = &run->jobs->job[i];
    struct orr_queued_row row = {.job = job,
                                 .of = run->job[i],
                                 .name = job->name,
                                 .taskgraph = orr_job_path(job, ORR_JOB_TASKGRAPH),
                                 .traces = orr_job_path(job, ORR_JOB_TRACES),
                                 .workload = orr_job_path(job, ORR_JOB_WORKLOAD),
                                 .wait_ps = run->job[i].start_ps - run->job[i].arrival_ps,
                                 .servers = orr_job_servers(job),
                                 .iterations = job->iterations};
    (void)orr_sys_mono_format(&job->all_reduce, row.all_reduce, sizeof row.all_reduce);
    return row;
}

/* The columns that --alone adds. */
static struct orr_cluster_job_row alone_of(const struct orr_queued_job *job)
{
    return (struct orr_cluster_job_row){
        .alone_ps = job->alone_ps,
        .slowdown = job->alone_ps > 0 ? (double)job->mean_ps / (double)job->alone_ps : 1};
}

/* ---- table ---- */

const char *orr_queue_head(const struct orr_queue_run *run, char *text, size_t bytes)
{
    const struct orr_jobs *jobs = run->jobs;
    const struct orr_panels *panels = &jobs->queue.panels;
    char patching[ORR_FORMAT_BYTES];
    const int length = snprintf(
        text, bytes, "%zu job%s on %" PRIu32 " server%s, %s, %s, %s network, %s placement%s, %s",
        jobs->jobs, orr_plural(jobs->jobs), jobs->servers, orr_plural(jobs->servers),
        orr_queue_orders[jobs->queue.order], orr_jobs_fabric(jobs), orr_jobs_network(jobs),
        orr_jobs_placement(jobs), orr_jobs_switched(jobs), run->windows ? "windows" : "maxmin");
    if (panels->node != NULL && length > 0 && (size_t)length < bytes) {
        (void)snprintf(text + length, bytes - (size_t)length, "; links by %s in %s%s",
                       orr_net_technology(panels->technology)->name,
                       orr_format_time(panels->reconfiguration_ps, patching, sizeof patching),
                       panels->look_ahead ? ", with look-ahead" : "");
    }
    return text;
}

static bool is_block(const struct orr_queue_run *run)
{
    return run->jobs->placement == ORR_JOBS_BLOCK;
}

const char *orr_queue_servers_time(orr_sum ps, char text[ORR_FORMAT_BYTES])
{
    if (orr_sum_clamp(ps) < ORR_TIME_MAX) {
        return orr_format_time(orr_sum_clamp(ps), text, ORR_FORMAT_BYTES);
    }
    (void)snprintf(text, ORR_FORMAT_BYTES, "%.0f s", (double)ps / 1e12);
    return text;
}

/* Prints the statistics of jobs placed in blocks. */
static void write_blocks(FILE *out, const struct orr_queue_run *run)
{
    char wait[ORR_FORMAT_BYTES], idle[ORR_FORMAT_BYTES], fragmented[ORR_FORMAT_BYTES];
    orr_print(out, "for a block mean %s\n",
              orr_format_time(run->for_block_mean_ps, wait, sizeof wait));
    orr_print(out, "idle        %s of all servers together, %s while a job waited for a block",
              orr_queue_servers_time(run->idle_ps, idle),
              orr_queue_servers_time(run->fragmented_ps, fragmented));
    if (run->largest_hole > 0) {
        orr_print(out, " (the largest hole was %" PRIu32 ")", run->largest_hole);
    }
    (void)fputc('\n', out);
}

static void write_rows(FILE *out, const struct orr_queue_run *run, int width)
{
    const struct orr_row_style style = {.first = width};
    orr_result_heads(out, &orr_queued_results, style);
    if (is_block(run)) {
        (void)fputc(' ', out);
        orr_result_heads(out, &orr_queued_block_results, (struct orr_row_style){0});
    }
    if (run->alone) {
        (void)fputc(' ', out);
        orr_result_heads(out, &orr_alone_results, (struct orr_row_style){0});
    }
    (void)fputc('\n', out);
    for (size_t i = 0; i < run->jobs->jobs; i++) {
        const struct orr_queued_row row = row_of(run, i);
        orr_result_cells(out, &orr_queued_results, &row, style);
        if (is_block(run)) {
            (void)fputc(' ', out);
            orr_result_cells(out, &orr_queued_block_results, &row, (struct orr_row_style){0});
        }
        if (run->alone) {
            const struct orr_cluster_job_row alone = alone_of(&run->job[i]);
            (void)fputc(' ', out);
            orr_result_cells(out, &orr_alone_results, &alone, (struct orr_row_style){0});
        }
        (void)fputc('\n', out);
    }
}

int orr_queue_table_write(FILE *out, const void *context)
{
    const struct orr_queue_run *run = context;
    char mean[ORR_FORMAT_BYTES], p99[ORR_FORMAT_BYTES], wait[ORR_FORMAT_BYTES];
    char head[ORR_QUEUE_HEAD_BYTES], max[ORR_FORMAT_BYTES], servers[ORR_FORMAT_BYTES],
        patching[ORR_FORMAT_BYTES];
    orr_print(out, "%s: %s\n\n", run->jobs->file, orr_queue_head(run, head, sizeof head));
    write_rows(out, run, orr_jobs_name_width(run->jobs));
    orr_print(out, "\niterations  %" PRIu64 ", mean %s, 99 %% %s\n", run->iterations,
              orr_format_time(run->mean_ps, mean, sizeof mean),
              orr_format_time(run->p99_ps, p99, sizeof p99));
    orr_print(out, "waiting     mean %s (for servers %s, for patching %s), 99 %% %s\n",
              orr_format_time(run->wait_mean_ps, wait, sizeof wait),
              orr_format_time(run->for_servers_mean_ps, servers, sizeof servers),
              orr_format_time(run->for_patching_mean_ps, patching, sizeof patching),
              orr_format_time(run->wait_p99_ps, max, sizeof max));
    if (is_block(run)) {
        write_blocks(out, run);
    }
    orr_print(out, "makespan    %s, %.1f %% of the servers used\n",
              orr_format_time(run->makespan_ps, mean, sizeof mean), 100 * run->utilization);
    return ferror(out) ? 1 : 0;
}

/* ---- JSON ---- */

json_t *orr_json_queued_servers(const void *row)
{
    const struct orr_queued_row *queued = row;
    json_t *servers = json_array();
    for (uint32_t i = 0; i < queued->servers; i++) {
        (void)json_array_append_new(servers, json_integer(queued->of.server[i]));
    }
    return servers;
}

json_t *orr_json_queue_spans(const void *row)
{
    const struct orr_queued_job *job = &((const struct orr_queued_row *)row)->of;
    json_t *spans = json_array();
    for (size_t i = 0; i < job->spans; i++) {
        orr_result_append_json(spans, &orr_queue_span_results, &job->span[i]);
    }
    return spans;
}

json_t *orr_json_queued(const void *of)
{
    const struct orr_queue_run *run = &((const struct orr_queue_row *)of)->of;
    json_t *list = json_array();
    for (size_t i = 0; i < run->jobs->jobs; i++) {
        const struct orr_queued_row row = row_of(run, i);
        json_t *object = json_object();
        orr_result_add_json(object, &orr_queued_results, &row);
        if (is_block(run)) {
            orr_result_add_json(object, &orr_queued_block_results, &row);
        }
        if (run->alone) {
            const struct orr_cluster_job_row alone = alone_of(&run->job[i]);
            orr_result_add_json(object, &orr_alone_results, &alone);
        }
        (void)json_array_append_new(list, object);
    }
    return list;
}

json_t *orr_queue_object(const struct orr_queue_run *run)
{
    const struct orr_jobs *jobs = run->jobs;
    const struct orr_panels *panels = &jobs->queue.panels;
    const struct orr_queue_row row = {
        .of = *run,
        .file = jobs->file,
        .fabric = orr_jobs_fabric(jobs),
        .network = orr_jobs_network(jobs),
        .placement = orr_jobs_placement(jobs),
        .block = is_block(run),
        .ring_ocs = jobs->ring_ocs,
        .queue = orr_queue_orders[jobs->queue.order],
        .flow_model = run->windows ? "windows" : "maxmin",
        .technology = panels->node != NULL ? orr_net_technology(panels->technology)->name : NULL,
        .reconfiguration_ps = panels->reconfiguration_ps,
        .look_ahead = panels->look_ahead,
        .seed = (int64_t)jobs->seed,
        .servers = jobs->servers,
        .sample = jobs->queue.sample};
    json_t *root = json_object();
    orr_result_add_json(root, &orr_queue_results, &row);
    return root;
}

int orr_queue_json(FILE *out, const void *context)
{
    json_t *root = orr_queue_object(context);
    const int failed = root == NULL ||
                       orr_json_write(root, out, JSON_INDENT(2) | JSON_REAL_PRECISION(15)) != 0 ||
                       fputc('\n', out) == EOF;
    json_decref(root);
    return failed ? 1 : 0;
}

/* ---- CSV ---- */

void orr_queue_csv_head(FILE *out, bool block)
{
    orr_result_csv_head(out, &orr_queued_results);
    if (block) {
        (void)fputc(',', out);
        orr_result_csv_head(out, &orr_queued_block_results);
    }
    (void)fputc('\n', out);
}

void orr_queue_csv_lines(FILE *out, const struct orr_queue_run *run, const char *name, bool block)
{
    for (size_t i = 0; i < run->jobs->jobs; i++) {
        const struct orr_queued_row row = row_of(run, i);
        if (name != NULL) {
            orr_csv_text(out, name);
            (void)fputc(',', out);
        }
        orr_result_csv_line(out, &orr_queued_results, &row);
        if (block) {
            (void)fputc(',', out);
            orr_result_csv_line(out, &orr_queued_block_results, &row);
        }
        (void)fputc('\n', out);
    }
}

int orr_queue_csv(FILE *out, const void *context)
{
    orr_queue_csv_head(out, is_block(context));
    orr_queue_csv_lines(out, context, NULL, is_block(context));
    return ferror(out) ? 1 : 0;
}
