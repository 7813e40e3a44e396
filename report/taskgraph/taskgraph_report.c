/* The results of a task graph: see taskgraph_report.h. */
#include "report/taskgraph/taskgraph_report.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "core/strings.h"
#include "core/units.h"
#include "orrery/orrery.h"
#include "report/json_text.h"
#include "report/report_summary.h"
#include "report/results/cluster_results.h"
#include "report/results/result.h"
#include "report/table_text.h"
#include "sim/cluster/taskgraph_job.h"
#include "sim/load/platform_network.h"
#include "system/sys_mono.h"
#include "workload/taskgraph/tg_graph.h"

static const char *model_name(const struct orr_taskgraph_job *job)
{
    return job->flows.windows ? "windows" : "maxmin";
}

struct orr_network_use orr_taskgraph_use(const struct orr_taskgraph_report *report)
{
    const struct orr_taskgraph_job *job = report->job;
    const char *slash = strrchr(job->file, '/');
    return (struct orr_network_use){.network = orr_job_network(report->run)->graph,
                                    .flows = orr_task_graph_flows(report->run),
                                    .fold = orr_task_graph_fold(report->run),
                                    .duration_ps = orrery_wall_ps(report->run),
                                    .servers = job->graph.source.graph.npus,
                                    .title = slash == NULL ? job->file : slash + 1};
}

/* Fills the lines of the table that are sentences. */
static void write_texts(struct orr_taskgraph_row *row)
{
    const struct orr_task_graph_metrics *result = &row->result;
    char text[ORR_FORMAT_BYTES];
    (void)snprintf(row->compute, sizeof row->compute, "%s on the server that computes most",
                   orr_format_time(result->compute_max_ps, text, sizeof text));
    size_t used = (size_t)snprintf(row->all_reduces, sizeof row->all_reduces, "%" PRIu64 " by %s",
                                   result->all_reduces, row->all_reduce);
    if (result->ring_fallbacks > 0 && used < sizeof row->all_reduces) {
        used += (size_t)snprintf(row->all_reduces + used, sizeof row->all_reduces - used,
                                 ", %" PRIu64 " of them by ring", result->ring_fallbacks);
    }
    if (result->rounds > 0 && used < sizeof row->all_reduces) {
        used += (size_t)snprintf(row->all_reduces + used, sizeof row->all_reduces - used,
                                 ", in %" PRIu64 " rounds", result->rounds);
    }
    if (result->rings.links != 0) {
        (void)snprintf(row->rings, sizeof row->rings,
                       "%" PRIu32 " among %" PRIu32 " servers, on %" PRIu64 " of %" PRIu64
                       " links between them",
                       result->rings.rings, result->rings.members, result->rings.links_used,
                       result->rings.links);
    }
    (void)snprintf(row->flows, sizeof row->flows, "%" PRIu64 ", %s on the wire",
                   result->flows.flows,
                   orr_format_bytes((uint64_t)row->wire_bytes, text, sizeof text));
    if (row->forwarded.bytes > 0) {
        (void)snprintf(row->passed_on, sizeof row->passed_on,
                       "%s by servers, the one that does most at %.1f %% of its limit",
                       orr_format_bytes(row->forwarded.bytes, text, sizeof text),
                       100 * row->forwarded.utilization);
    }
}

static void fill_row(const struct orr_taskgraph_report *report, struct orr_taskgraph_row *row)
{
    const struct orr_taskgraph_job *job = report->job;
    const struct orr_network_use use = orr_taskgraph_use(report);
    *row = (struct orr_taskgraph_row){
        .file = job->file,
        .fabric = job->fabric,
        .flow_model = model_name(job),
        .servers = job->graph.source.graph.npus,
        .tasks = orr_tg_all_tasks(&job->graph.source.graph),
        .result = orr_task_graph_metrics(report->run),
        .wire_bytes = (int64_t)orr_network_bytes(&use).demand,
        .bandwidth_tax = orr_bandwidth_tax(&use),
        .forwarded = orr_network_forwarded(&use, job->flows.forward_bytes_per_s)};
    (void)orr_sys_mono_format(&job->all_reduce, row->all_reduce, sizeof row->all_reduce);
    write_texts(row);
}

void orr_taskgraph_table(FILE *out, const struct orr_taskgraph_report *report)
{
    enum { LABEL = 18 };
    struct orr_taskgraph_row row;
    fill_row(report, &row);
    orr_print(out, "%s: %" PRIu64 " task%s on %" PRIu32 " server%s, %s, %s\n\n", row.file,
              row.tasks, orr_plural(row.tasks), row.servers, orr_plural(row.servers), row.fabric,
              row.flow_model);
    orr_result_lines(out, &orr_taskgraph_results, &row, LABEL);
    if (orrery_path_parts(report->run) > 0) {
        orr_report_path(out, report->run);
    }
}

int orr_taskgraph_json(FILE *out, const void *context)
{
    struct orr_taskgraph_row row;
    json_t *root = json_object();
    fill_row(context, &row);
    orr_result_add_json(root, &orr_taskgraph_results, &row);
    const int failed = root == NULL ||
                       orr_json_write(root, out, JSON_INDENT(2) | JSON_REAL_PRECISION(15)) != 0 ||
                       fputc('\n', out) == EOF;
    json_decref(root);
    return failed ? 1 : 0;
}
