/* The results of jobs on a cluster: a table, JSON, and CSV with a line for each iteration. */
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "report/jobs_report.h"

#include "core/strings.h"
#include "core/units.h"
#include "report/json_text.h"
#include "report/results/cluster_results.h"
#include "report/results/result.h"
#include "report/table_text.h"
#include "sim/cluster/jobs.h"
#include "sim/load/platform_network.h"
#include "system/sys_mono.h"

struct orr_network_use orr_jobs_use(const struct orr_jobs_run *run)
{
    const char *slash = strrchr(run->jobs->file, '/');
    return (struct orr_network_use){.network = orr_job_network(run->handle[0])->graph,
                                    .flows = orr_jobs_flows(run),
                                    .duration_ps = run->end_ps,
                                    .servers = run->jobs->servers,
                                    .title = slash == NULL ? run->jobs->file : slash + 1};
}

const char *orr_jobs_network(const struct orr_jobs *jobs)
{
    return jobs->network == ORR_JOBS_SHARED ? "shared" : "sharded";
}

const char *orr_jobs_placement(const struct orr_jobs *jobs)
{
    static const char *const names[] = {[ORR_JOBS_CONTIGUOUS] = "contiguous",
                                        [ORR_JOBS_RANDOM] = "random",
                                        [ORR_JOBS_BLOCK] = "block"};
    return names[jobs->placement];
}

const char *orr_jobs_switched(const struct orr_jobs *jobs)
{
    return jobs->ring_ocs ? " behind a switch" : "";
}

uint32_t orr_jobs_servers_used(const struct orr_jobs *jobs)
{
    uint32_t used = 0;
    for (size_t i = 0; i < jobs->jobs; i++) {
        used += orr_job_servers(&jobs->job[i]);
    }
    return used;
}

static double slowdown_of(const struct orr_jobs_result *result, sim_time alone_ps)
{
    return alone_ps > 0 ? (double)result->mean_ps / (double)alone_ps : 1;
}

static const char *model_of(const struct orr_jobs_result *result)
{
    return result->windows ? "windows" : "maxmin";
}

int orr_jobs_name_width(const struct orr_jobs *jobs)
{
    enum { MIN = 3, MAX = 40 };
    size_t width = MIN;
    for (size_t i = 0; i < jobs->jobs; i++) {
        const size_t length = strlen(jobs->job[i].name);
        width = length > width && length < MAX ? length : width;
    }
    return (int)width;
}

const char *orr_job_path(const struct orr_job *job, unsigned kind)
{
    return job->source->kind == kind ? job->source->path : NULL;
}

/* Number of jobs on a private network. */
static size_t count_private_networks(const struct orr_jobs *jobs)
{
    size_t count = 0;
    for (size_t i = 0; i < jobs->jobs; i++) {
        count += orr_job_platform_of(jobs, &jobs->job[i]) != NULL;
    }
    return count;
}

const char *orr_jobs_fabric(const struct orr_jobs *jobs)
{
    return count_private_networks(jobs) == jobs->jobs ? "fabrics of their own" : jobs->fabric;
}

/* Sets the network of a job, as the file has it. */
static void set_network(const struct orr_jobs *jobs, const struct orr_job *job,
                        struct orr_cluster_job_row *row)
{
    const struct orr_job_platform *private_network = orr_job_platform_of(jobs, job);
    row->plan = private_network != NULL ? private_network->plan : NULL;
    row->fabric = private_network != NULL ? private_network->fabric : jobs->fabric;
    row->network = row->plan != NULL ? row->plan : row->fabric;
}

static void fill_row(const struct orr_jobs_report *report, size_t i,
                     struct orr_cluster_job_row *row)
{
    const struct orr_job *job = &report->run->jobs->job[i];
    const struct orr_jobs_result *result = &report->run->result[i];
    const sim_time alone_ps = report->alone_ps != NULL ? report->alone_ps[i] : 0;
    *row = (struct orr_cluster_job_row){.job = job,
                                        .name = job->name,
                                        .taskgraph = orr_job_path(job, ORR_JOB_TASKGRAPH),
                                        .traces = orr_job_path(job, ORR_JOB_TRACES),
                                        .workload = orr_job_path(job, ORR_JOB_WORKLOAD),
                                        .flow_model = model_of(result),
                                        .result = *result,
                                        .start_ps = job->start_ps,
                                        .servers = orr_job_servers(job),
                                        .iterations = job->iterations,
                                        .alone_ps = alone_ps,
                                        .slowdown = slowdown_of(result, alone_ps)};
    set_network(report->run->jobs, job, row);
    (void)orr_sys_mono_format(&job->all_reduce, row->all_reduce, sizeof row->all_reduce);
}

/* ---- table ---- */

static void write_head(FILE *out, const struct orr_jobs_report *report, int width)
{
    orr_result_heads(out, &orr_cluster_job_results, (struct orr_row_style){.first = width});
    if (report->alone_ps != NULL) {
        (void)fputc(' ', out);
        orr_result_heads(out, &orr_alone_results, (struct orr_row_style){0});
    }
    if (count_private_networks(report->run->jobs) != 0) {
        (void)fputs("  ", out);
        orr_result_heads(out, &orr_private_network_results, (struct orr_row_style){0});
    }
    (void)fputc('\n', out);
}

static void write_row(FILE *out, const struct orr_jobs_report *report, size_t i, int width)
{
    struct orr_cluster_job_row row;
    fill_row(report, i, &row);
    orr_result_cells(out, &orr_cluster_job_results, &row, (struct orr_row_style){.first = width});
    if (report->alone_ps != NULL) {
        (void)fputc(' ', out);
        orr_result_cells(out, &orr_alone_results, &row, (struct orr_row_style){0});
    }
    if (count_private_networks(report->run->jobs) != 0) {
        (void)fputs("  ", out);
        orr_result_cells(out, &orr_private_network_results, &row, (struct orr_row_style){0});
    }
    (void)fputc('\n', out);
}

const char *orr_jobs_head(const struct orr_jobs_run *run, char *text, size_t bytes)
{
    const struct orr_jobs *jobs = run->jobs;
    (void)snprintf(text, bytes,
                   "%zu job%s on %" PRIu32 " of %" PRIu32
                   " server%s, %s, %s network, %s placement%s, %s",
                   jobs->jobs, orr_plural(jobs->jobs), orr_jobs_servers_used(jobs), jobs->servers,
                   orr_plural(jobs->servers), orr_jobs_fabric(jobs), orr_jobs_network(jobs),
                   orr_jobs_placement(jobs), orr_jobs_switched(jobs), model_of(run->result));
    return text;
}

int orr_jobs_table_write(FILE *out, const void *context)
{
    const struct orr_jobs_report *report = context;
    const struct orr_jobs_run *run = report->run;
    const struct orr_jobs *jobs = run->jobs;
    char mean[ORR_FORMAT_BYTES], p99[ORR_FORMAT_BYTES], head[ORR_JOBS_HEAD_BYTES];
    const int width = orr_jobs_name_width(jobs);
    orr_print(out, "%s: %s\n\n", jobs->file, orr_jobs_head(run, head, sizeof head));
    write_head(out, report, width);
    for (size_t i = 0; i < jobs->jobs; i++) {
        write_row(out, report, i, width);
    }
    orr_print(out, "%-*s %7" PRIu32 " %12s %10" PRIu64 " %12s %12s\n", width, "all",
              orr_jobs_servers_used(jobs), "", run->iterations,
              orr_format_time(run->mean_ps, mean, sizeof mean),
              orr_format_time(run->p99_ps, p99, sizeof p99));
    return ferror(out) ? 1 : 0;
}

/* ---- JSON ---- */

json_t *orr_json_servers(const void *row)
{
    const struct orr_job *job = ((const struct orr_cluster_job_row *)row)->job;
    json_t *servers = json_array();
    for (uint32_t i = 0; i < orr_job_servers(job); i++) {
        (void)json_array_append_new(servers, json_integer(job->server[i]));
    }
    return servers;
}

json_t *orr_json_iterations(const void *of)
{
    const struct orr_cluster_job_row *row = of;
    json_t *iterations = json_array();
    for (uint32_t i = 0; i < row->iterations; i++) {
        (void)json_array_append_new(iterations,
                                    json_integer((json_int_t)row->result.iteration_ps[i]));
    }
    return iterations;
}

json_t *orr_json_jobs(const void *row)
{
    const struct orr_jobs_report *report = ((const struct orr_cluster_row *)row)->report;
    json_t *list = json_array();
    for (size_t i = 0; i < report->run->jobs->jobs; i++) {
        struct orr_cluster_job_row job;
        json_t *object = json_object();
        fill_row(report, i, &job);
        orr_result_add_json(object, &orr_cluster_job_results, &job);
        if (report->alone_ps != NULL) {
            orr_result_add_json(object, &orr_alone_results, &job);
        }
        if (count_private_networks(report->run->jobs) != 0) {
            orr_result_add_json(object, &orr_private_network_results, &job);
        }
        (void)json_array_append_new(list, object);
    }
    return list;
}

static struct orr_cluster_row cluster_row(const struct orr_jobs_report *report)
{
    const struct orr_jobs_run *run = report->run;
    const struct orr_jobs *jobs = run->jobs;
    struct orr_cluster_row row = {.report = report,
                                  .file = jobs->file,
                                  .fabric = orr_jobs_fabric(jobs),
                                  .network = orr_jobs_network(jobs),
                                  .placement = orr_jobs_placement(jobs),
                                  .seed = (int64_t)jobs->seed,
                                  .servers = jobs->servers,
                                  .servers_used = orr_jobs_servers_used(jobs),
                                  .iterations = run->iterations,
                                  .events = run->events,
                                  .mean_ps = run->mean_ps,
                                  .p99_ps = run->p99_ps,
                                  .end_ps = run->end_ps};
    if (jobs->network == ORR_JOBS_SHARED) {
        const struct orr_network_use use = orr_jobs_use(run);
        row.bandwidth_tax = orr_bandwidth_tax(&use);
        row.forwarded = orr_network_forwarded(&use, run->network[0].flows.forward_bytes_per_s);
    }
    return row;
}

json_t *orr_jobs_object(const struct orr_jobs_report *report)
{
    const struct orr_cluster_row row = cluster_row(report);
    json_t *root = json_object();
    orr_result_add_json(root, &orr_cluster_results, &row);
    return root;
}

int orr_jobs_json(FILE *out, const void *context)
{
    json_t *root = orr_jobs_object(context);
    const int failed = root == NULL ||
                       orr_json_write(root, out, JSON_INDENT(2) | JSON_REAL_PRECISION(15)) != 0 ||
                       fputc('\n', out) == EOF;
    json_decref(root);
    return failed ? 1 : 0;
}

/* ---- CSV ---- */

void orr_jobs_csv_lines(FILE *out, const struct orr_jobs_run *run, const char *name)
{
    for (size_t i = 0; i < run->jobs->jobs; i++) {
        const struct orr_job *job = &run->jobs->job[i];
        struct orr_iteration_row row = {
            .job = job->name, .servers = orr_job_servers(job), .start_ps = job->start_ps};
        for (; row.iteration < job->iterations; row.iteration++) {
            if (name != NULL) {
                orr_csv_text(out, name);
                (void)fputc(',', out);
            }
            row.time_ps = run->result[i].iteration_ps[row.iteration];
            orr_result_csv_line(out, &orr_iteration_results, &row);
            (void)fputc('\n', out);
            row.start_ps += row.time_ps;
        }
    }
}

int orr_jobs_csv(FILE *out, const void *context)
{
    orr_result_csv_head(out, &orr_iteration_results);
    (void)fputc('\n', out);
    orr_jobs_csv_lines(out, ((const struct orr_jobs_report *)context)->run, NULL);
    return ferror(out) ? 1 : 0;
}
