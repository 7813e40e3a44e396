/* The results of jobs on a cluster: a table, JSON, and a line for each iteration as CSV. */
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "report/jobs_report.h"
#include "report/json_text.h"
#include "report/table_text.h"

struct orr_network_use orr_jobs_use(const struct orr_jobs_run *run)
{
    const char *slash = strrchr(run->jobs->file, '/');
    return (struct orr_network_use){.network = run->network,
                                    .flows = orr_cluster_flows(*run->cluster),
                                    .duration_ps = run->end_ps,
                                    .servers = run->jobs->servers,
                                    .title = slash == NULL ? run->jobs->file : slash + 1};
}

static const char *const networks[] = {"shared", "sharded"};
static const char *const placements[] = {"contiguous", "random"};

static uint32_t servers_of(const struct orr_job *job)
{
    return job->graph->job.taskgraph.servers;
}

static uint32_t servers_used(const struct orr_jobs *jobs)
{
    uint32_t used = 0;
    for (size_t i = 0; i < jobs->jobs; i++) {
        used += servers_of(&jobs->job[i]);
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

/* ---- table ---- */

static void write_row(FILE *out, const struct orr_jobs_told *told, size_t i, int width)
{
    const struct orr_job *job = &told->run->jobs->job[i];
    const struct orr_jobs_result *result = &told->run->result[i];
    char start[ORR_FORMAT_BYTES], mean[ORR_FORMAT_BYTES], p99[ORR_FORMAT_BYTES];
    char alone[ORR_FORMAT_BYTES];
    orr_print(out, "%-*s %7" PRIu32 " %12s %10" PRIu32 " %12s %12s", width, job->name,
              servers_of(job), orr_format_time(job->start_ps, start, sizeof start), job->iterations,
              orr_format_time(result->mean_ps, mean, sizeof mean),
              orr_format_time(result->p99_ps, p99, sizeof p99));
    if (told->alone_ps != NULL) {
        orr_print(out, " %12s %8.3f", orr_format_time(told->alone_ps[i], alone, sizeof alone),
                  slowdown_of(result, told->alone_ps[i]));
    }
    (void)fputc('\n', out);
}

int orr_jobs_table_write(FILE *out, const void *context)
{
    const struct orr_jobs_told *told = context;
    const struct orr_jobs_run *run = told->run;
    const struct orr_jobs *jobs = run->jobs;
    char mean[ORR_FORMAT_BYTES], p99[ORR_FORMAT_BYTES];
    int width = 3;
    for (size_t i = 0; i < jobs->jobs; i++) {
        const size_t length = strlen(jobs->job[i].name);
        width = (int)length > width && length < 40 ? (int)length : width;
    }
    orr_print(out,
              "%s: %zu job%s on %" PRIu32 " of %" PRIu32 " server%s, %s, %s network, %s "
              "placement, %s\n\n",
              jobs->file, jobs->jobs, orr_plural(jobs->jobs), servers_used(jobs), jobs->servers,
              orr_plural(jobs->servers), jobs->fabric, networks[jobs->network],
              placements[jobs->placement], model_of(run->result));
    orr_print(out, "%-*s %7s %12s %10s %12s %12s%s\n", width, "job", "servers", "start",
              "iterations", "mean", "99 %", told->alone_ps != NULL ? "        alone slowdown" : "");
    for (size_t i = 0; i < jobs->jobs; i++) {
        write_row(out, told, i, width);
    }
    orr_print(out, "%-*s %7" PRIu32 " %12s %10" PRIu64 " %12s %12s\n", width, "all",
              servers_used(jobs), "", run->iterations,
              orr_format_time(run->mean_ps, mean, sizeof mean),
              orr_format_time(run->p99_ps, p99, sizeof p99));
    return ferror(out) ? 1 : 0;
}

/* ---- JSON ---- */

static json_t *servers_json(const struct orr_job *job)
{
    json_t *servers = json_array();
    for (uint32_t i = 0; i < servers_of(job); i++) {
        (void)json_array_append_new(servers, json_integer(job->server[i]));
    }
    return servers;
}

static json_t *iterations_json(const struct orr_job *job, const struct orr_jobs_result *result)
{
    json_t *iterations = json_array();
    for (uint32_t i = 0; i < job->iterations; i++) {
        (void)json_array_append_new(iterations,
                                    json_integer((json_int_t)result->of.iteration_ps[i]));
    }
    return iterations;
}

static json_t *job_json(const struct orr_jobs_told *told, size_t i)
{
    const struct orr_job *job = &told->run->jobs->job[i];
    const struct orr_jobs_result *result = &told->run->result[i];
    char how[ORR_ALL_REDUCE_BYTES];
    json_t *out = json_pack(
        "{s:s, s:s, s:s, s:s, s:o, s:I, s:I, s:o, s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "name",
        job->name, "taskgraph", job->graph->path, "flow_model", model_of(result), "all_reduce",
        orr_all_reduce_format(&job->all_reduce, how, sizeof how), "servers", servers_json(job),
        "start_ps", (json_int_t)job->start_ps, "end_ps", (json_int_t)result->of.end_ps,
        "iterations_ps", iterations_json(job, result), "mean_ps", (json_int_t)result->mean_ps,
        "p99_ps", (json_int_t)result->p99_ps, "compute_ps", (json_int_t)result->of.compute_most_ps,
        "all_reduces", (json_int_t)result->of.all_reduces, "all_reduces_by_ring_instead",
        (json_int_t)result->of.rings_instead, "rounds", (json_int_t)result->of.rounds, "flows",
        (json_int_t)result->of.flows);
    if (out != NULL && told->alone_ps != NULL) {
        const sim_time alone_ps = told->alone_ps[i];
        (void)json_object_set_new(out, "alone_mean_ps", json_integer((json_int_t)alone_ps));
        (void)json_object_set_new(out, "slowdown", json_real(slowdown_of(result, alone_ps)));
    }
    return out;
}

int orr_jobs_json(FILE *out, const void *context)
{
    const struct orr_jobs_told *told = context;
    const struct orr_jobs_run *run = told->run;
    const struct orr_jobs *jobs = run->jobs;
    json_t *list = json_array();
    for (size_t i = 0; i < jobs->jobs; i++) {
        (void)json_array_append_new(list, job_json(told, i));
    }
    json_t *root = json_pack("{s:s, s:s, s:s, s:s, s:I, s:I, s:I, s:o, s:I, s:I, s:I, s:I, s:I}",
                             "file", jobs->file, "fabric", jobs->fabric, "network",
                             networks[jobs->network], "placement", placements[jobs->placement],
                             "seed", (json_int_t)jobs->seed, "servers", (json_int_t)jobs->servers,
                             "servers_used", (json_int_t)servers_used(jobs), "jobs", list,
                             "iterations", (json_int_t)run->iterations, "mean_ps",
                             (json_int_t)run->mean_ps, "p99_ps", (json_int_t)run->p99_ps, "end_ps",
                             (json_int_t)run->end_ps, "events", (json_int_t)run->events);
    if (root != NULL && jobs->network == ORR_JOBS_SHARED) {
        const struct orr_network_use use = orr_jobs_use(run);
        (void)json_object_set_new(root, "bandwidth_tax", json_real(orr_bandwidth_tax(&use)));
    }
    const int failed = root == NULL ||
                       orr_json_write(root, out, JSON_INDENT(2) | JSON_REAL_PRECISION(15)) != 0 ||
                       fputc('\n', out) == EOF;
    json_decref(root);
    return failed ? 1 : 0;
}

/* ---- CSV ---- */

int orr_jobs_csv(FILE *out, const void *context)
{
    const struct orr_jobs_run *run = ((const struct orr_jobs_told *)context)->run;
    (void)fputs("job,servers,iteration,start_ps,time_ps\n", out);
    for (size_t i = 0; i < run->jobs->jobs; i++) {
        const struct orr_job *job = &run->jobs->job[i];
        sim_time start = job->start_ps;
        for (uint32_t n = 0; n < job->iterations; n++) {
            const sim_time time = run->result[i].of.iteration_ps[n];
            orr_csv_text(out, job->name);
            orr_print(out, ",%" PRIu32 ",%" PRIu32 ",%" PRId64 ",%" PRId64 "\n", servers_of(job), n,
                      start, time);
            start += time;
        }
    }
    return ferror(out) ? 1 : 0;
}
