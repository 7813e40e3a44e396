/* The results of a task graph: a table, JSON, and the use of the network as CSV. */
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>

#include "cli/run_taskgraph.h"

/* Bytes as they are handed to flows, on whole packets, and the same over every link crossed. */
struct use {
    double sent, crossed;
};

static struct use use_of(const struct orr_taskgraph_job *job)
{
    const struct net_flows *flows = orr_taskgraph_flows(job->run);
    struct use use = {.sent = 0};
    struct net_path_use path;
    for (size_t i = 0; net_flows_path(flows, i, &path); i++) {
        uint32_t forwards = 1; /* NPUs that send it: the source, and those that pass it on */
        for (uint32_t h = 1; h < path.hops; h++) {
            forwards += job->network.link[path.link[h]].from < job->network.npus;
        }
        use.sent += (double)path.bytes;
        use.crossed += (double)path.bytes * forwards;
    }
    return use;
}

static const char *model_name(const struct orr_taskgraph_job *job)
{
    return job->config.flows.windows ? "windows" : "maxmin";
}

/* ---- table and JSON ---- */

void orr_taskgraph_table(FILE *out, const struct orr_taskgraph_job *job)
{
    const struct use use = use_of(job);
    char text[ORR_FORMAT_BYTES];
    (void)fprintf(out, "%s: %" PRIu32 " tasks on %" PRIu32 " servers, %s, %s\n\n", job->file,
                  job->job.taskgraph.tasks, job->job.taskgraph.servers, job->fabric,
                  model_name(job));
    (void)fprintf(out, "%-18s %s\n", "iteration",
                  orr_format_time(job->result.iteration_ps, text, sizeof text));
    (void)fprintf(out, "%-18s %s on the server that computes most\n", "compute",
                  orr_format_time(job->result.compute_most_ps, text, sizeof text));
    (void)fprintf(out, "%-18s %" PRIu64 ", in %" PRIu64 " rounds of rings\n", "all-reduces",
                  job->result.all_reduces, job->result.rounds);
    (void)fprintf(out, "%-18s %" PRIu64 ", %s on the wire\n", "flows", job->result.flows.flows,
                  orr_format_bytes((uint64_t)use.sent, text, sizeof text));
    if (use.sent > 0) {
        (void)fprintf(out, "%-18s %.3f\n", "bandwidth tax", use.crossed / use.sent);
    }
}

int orr_taskgraph_json(FILE *out, const void *context)
{
    const struct orr_taskgraph_job *job = context;
    const struct orr_taskgraph_result *result = &job->result;
    const struct use use = use_of(job);
    json_t *root =
        json_pack("{s:s, s:s, s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:f, s:I, s:I, s:I}",
                  "taskgraph", job->file, "fabric", job->fabric, "flow_model", model_name(job),
                  "servers", (json_int_t)job->job.taskgraph.servers, "tasks",
                  (json_int_t)job->job.taskgraph.tasks, "wall_ps", (json_int_t)result->iteration_ps,
                  "compute_ps", (json_int_t)result->compute_most_ps, "all_reduces",
                  (json_int_t)result->all_reduces, "rounds", (json_int_t)result->rounds, "flows",
                  (json_int_t)result->flows.flows, "wire_bytes", (json_int_t)use.sent,
                  "bandwidth_tax", use.sent > 0 ? use.crossed / use.sent : 1.0, "share_solutions",
                  (json_int_t)result->flows.solutions, "shares", (json_int_t)result->flows.shares,
                  "events", (json_int_t)result->events);
    const int failed = root == NULL ||
                       json_dumpf(root, out, JSON_INDENT(2) | JSON_REAL_PRECISION(15)) != 0 ||
                       fputc('\n', out) == EOF;
    json_decref(root);
    return failed ? 1 : 0;
}

/* ---- CSV ---- */

int orr_taskgraph_link_stats(FILE *out, const void *context)
{
    const struct orr_taskgraph_job *job = context;
    const struct net_graph *network = &job->network;
    struct net_path_use path;
    uint64_t *bytes = orr_heap_calloc((size_t)network->links + 1, sizeof *bytes);
    if (bytes == NULL) {
        return 1;
    }
    for (size_t i = 0; net_flows_path(orr_taskgraph_flows(job->run), i, &path); i++) {
        for (uint32_t h = 0; h < path.hops; h++) {
            bytes[path.link[h]] += path.bytes;
        }
    }
    (void)fputs("from,to,links,bandwidth_bytes_per_s,latency_ps,bytes,utilization\n", out);
    for (uint32_t i = 0; i < network->links; i++) {
        const struct net_link *link = &network->link[i];
        char from[NET_NODE_BYTES], to[NET_NODE_BYTES];
        const double most = net_link_capacity(link) * (double)job->result.iteration_ps / 1e12;
        (void)fprintf(out, "%s,%s,%" PRIu32 ",%.15g,%" PRId64 ",%" PRIu64 ",%.6f\n",
                      net_node_name(network, link->from, from),
                      net_node_name(network, link->to, to), link->count, link->bytes_per_s,
                      link->latency_ps, bytes[i], most > 0 ? (double)bytes[i] / most : 0);
    }
    orr_heap_free(bytes);
    return ferror(out) ? 1 : 0;
}

int orr_taskgraph_traffic(FILE *out, const void *context)
{
    const struct orr_taskgraph_job *job = context;
    const uint32_t servers = job->job.taskgraph.servers;
    struct net_path_use path;
    uint64_t *bytes = orr_heap_calloc((size_t)servers * servers, sizeof *bytes);
    if (bytes == NULL) {
        return 1;
    }
    for (size_t i = 0; net_flows_path(orr_taskgraph_flows(job->run), i, &path); i++) {
        const uint32_t from = job->network.link[path.link[0]].from;
        bytes[(size_t)from * servers + job->network.link[path.link[path.hops - 1]].to] +=
            path.bytes;
    }
    (void)fputs("from\\to", out);
    for (uint32_t i = 0; i < servers; i++) {
        (void)fprintf(out, ",%" PRIu32, i);
    }
    for (uint32_t i = 0; i < servers; i++) {
        (void)fprintf(out, "\n%" PRIu32, i);
        for (uint32_t j = 0; j < servers; j++) {
            (void)fprintf(out, ",%" PRIu64, bytes[(size_t)i * servers + j]);
        }
    }
    (void)fputc('\n', out);
    orr_heap_free(bytes);
    return ferror(out) ? 1 : 0;
}
