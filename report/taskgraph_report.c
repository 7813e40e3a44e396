/* The results of a task graph: see taskgraph_report.h. */
#include "report/taskgraph_report.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "report/json_text.h"
#include "report/table_text.h"

static const char *model_name(const struct orr_taskgraph_job *job)
{
    return job->config.flows.windows ? "windows" : "maxmin";
}

struct orr_network_use orr_taskgraph_use(const struct orr_taskgraph_job *job)
{
    const char *slash = strrchr(job->file, '/');
    return (struct orr_network_use){.network = &job->network,
                                    .flows = orr_taskgraph_flows(job->run),
                                    .duration_ps = job->result.iteration_ps,
                                    .servers = job->job.taskgraph.servers,
                                    .title = slash == NULL ? job->file : slash + 1};
}

void orr_taskgraph_table(FILE *out, const struct orr_taskgraph_job *job)
{
    const struct orr_network_use use = orr_taskgraph_use(job);
    const struct orr_network_bytes bytes = orr_network_bytes(&use);
    char text[ORR_FORMAT_BYTES], how[ORR_ALL_REDUCE_BYTES];
    orr_print(out, "%s: %" PRIu32 " task%s on %" PRIu32 " server%s, %s, %s\n\n", job->file,
              job->job.taskgraph.tasks, orr_plural(job->job.taskgraph.tasks),
              job->job.taskgraph.servers, orr_plural(job->job.taskgraph.servers), job->fabric,
              model_name(job));
    orr_print(out, "%-18s %s\n", "iteration",
              orr_format_time(job->result.iteration_ps, text, sizeof text));
    orr_print(out, "%-18s %s on the server that computes most\n", "compute",
              orr_format_time(job->result.compute_most_ps, text, sizeof text));
    orr_print(out, "%-18s %" PRIu64 " by %s", "all-reduces", job->result.all_reduces,
              orr_all_reduce_format(&job->config.all_reduce, how, sizeof how));
    if (job->result.rings_instead > 0) {
        orr_print(out, ", %" PRIu64 " of them by ring", job->result.rings_instead);
    }
    if (job->result.rounds > 0) {
        orr_print(out, ", in %" PRIu64 " rounds", job->result.rounds);
    }
    (void)fputc('\n', out);
    orr_print(out, "%-18s %" PRIu64 ", %s on the wire\n", "flows", job->result.flows.flows,
              orr_format_bytes((uint64_t)bytes.demand, text, sizeof text));
    if (bytes.demand > 0) {
        orr_print(out, "%-18s %.3f\n", "bandwidth tax", bytes.sent / bytes.demand);
    }
}

int orr_taskgraph_json(FILE *out, const void *context)
{
    const struct orr_taskgraph_job *job = context;
    const struct orr_taskgraph_result *result = &job->result;
    const struct orr_network_use use = orr_taskgraph_use(job);
    char how[ORR_ALL_REDUCE_BYTES];
    json_t *root = json_pack(
        "{s:s, s:s, s:s, s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:f, s:I, s:I, s:I}",
        "taskgraph", job->file, "fabric", job->fabric, "flow_model", model_name(job), "all_reduce",
        orr_all_reduce_format(&job->config.all_reduce, how, sizeof how), "servers",
        (json_int_t)job->job.taskgraph.servers, "tasks", (json_int_t)job->job.taskgraph.tasks,
        "wall_ps", (json_int_t)result->iteration_ps, "compute_ps",
        (json_int_t)result->compute_most_ps, "all_reduces", (json_int_t)result->all_reduces,
        "all_reduces_by_ring_instead", (json_int_t)result->rings_instead, "rounds",
        (json_int_t)result->rounds, "flows", (json_int_t)result->flows.flows, "wire_bytes",
        (json_int_t)orr_network_bytes(&use).demand, "bandwidth_tax", orr_bandwidth_tax(&use),
        "share_solutions", (json_int_t)result->flows.solutions, "shares",
        (json_int_t)result->flows.shares, "events", (json_int_t)result->events);
    const int failed = root == NULL ||
                       orr_json_write(root, out, JSON_INDENT(2) | JSON_REAL_PRECISION(15)) != 0 ||
                       fputc('\n', out) == EOF;
    json_decref(root);
    return failed ? 1 : 0;
}
