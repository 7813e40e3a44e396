/* Statistics of a trace, as tables and as JSON; see trace_report.h. */
#include <inttypes.h>

#include "core/strings.h"
#include "core/units.h"
#include "report/json_text.h"
#include "report/table_text.h"
#include "report/trace/trace_format.h"
#include "report/trace/trace_report.h"
#include "workload/trace/trace_ops.h"
#include "workload/trace/trace_query.h"
#include "workload/trace/trace_stats.h"

/* ---- text ---- */

static void print_part(FILE *out, const char *name, const struct orr_trace_part *part,
                       uint64_t whole_ps)
{
    char time[ORR_FORMAT_BYTES], share[16];
    if (part->nodes != 0) {
        orr_print(out, "%-16s %10" PRIu64 " %10" PRIu64 " %13s %8s\n", name, part->nodes,
                  part->timed, orr_ps_text(part->duration_ps, time),
                  orr_share_text(part->duration_ps, whole_ps, share));
    }
}

static void print_parts(FILE *out, const struct orr_trace_stats *stats)
{
    const uint64_t whole_ps = stats->sum.duration_ps;
    orr_print(out, "\n%-16s %10s %10s %13s %8s\n", "kind", "nodes", "timed", "time", "share");
    for (unsigned kind = 0; kind < ORR_NODE_KINDS; kind++) {
        print_part(out, orr_node_kind_name(kind), &stats->kind[kind], whole_ps);
    }
    orr_print(out, "\n%-16s %10s %10s %13s %8s\n", "device", "nodes", "timed", "time", "share");
    for (unsigned device = 0; device < ORR_DEVICES; device++) {
        print_part(out, orr_device_name((enum orr_device)device), &stats->device[device], whole_ps);
    }
}

static void print_comms(FILE *out, const struct orr_trace_stats *stats)
{
    if (stats->comms == 0) {
        (void)fputs("\nno communication\n", out);
        return;
    }
    orr_print(out, "\n%-20s %8s %12s %12s %13s  %s\n", "communication", "nodes", "bytes", "mean",
              "time", "group");
    for (uint32_t i = 0; i < stats->comms; i++) {
        const struct orr_comm_row *row = &stats->comm[i];
        char bytes[ORR_FORMAT_BYTES], mean[ORR_FORMAT_BYTES], time[ORR_FORMAT_BYTES];
        orr_print(out, "%-20s %8" PRIu64 " %12s %12s %13s  ", orr_comm_text(row->kind, row->comm),
                  row->nodes, orr_format_bytes(row->bytes, bytes, sizeof bytes),
                  orr_format_bytes(row->bytes / row->nodes, mean, sizeof mean),
                  orr_ps_text(row->duration_ps, time));
        const bool all = row->kind == ORR_NODE_COLL && row->group[0] == '\0';
        orr_print_short(out, all ? "all NPUs" : row->group, ORR_MAX_NAME_BYTES);
        (void)fputc('\n', out);
    }
}

static void print_stats(FILE *out, const struct orr_trace *trace,
                        const struct orr_trace_stats *stats, uint32_t max)
{
    char all[ORR_FORMAT_BYTES], path[ORR_FORMAT_BYTES];
    orr_print(out,
              "trace: %s\nnodes: %" PRIu32 ", edges: %" PRIu32 ", depth: %" PRIu32
              " node%s\nrecorded time: %s in all, %s along the longest path\n",
              trace->path, trace->nodes, trace->edges, stats->sum.depth,
              orr_plural(stats->sum.depth), orr_ps_text(stats->sum.duration_ps, all),
              orr_ps_text(stats->sum.critical_duration_ps, path));
    print_parts(out, stats);
    if (stats->compute.rows != 0) {
        (void)fputs("\ncomputation\n", out);
        orr_print_ops(out, &stats->compute, stats->kind[ORR_NODE_COMP].duration_ps, max);
    }
    print_comms(out, stats);
}

/* ---- JSON ---- */

static json_t *part_json(const struct orr_trace_part *part)
{
    json_t *json = json_object();
    orr_json_set_count(json, "nodes", part->nodes);
    orr_json_set_count(json, "timed", part->timed);
    orr_json_set_count(json, "duration_ps", part->duration_ps);
    return json;
}

static json_t *kinds_json(const struct orr_trace_stats *stats)
{
    json_t *kinds = json_object();
    for (unsigned kind = 0; kind < ORR_NODE_KINDS; kind++) {
        if (stats->kind[kind].nodes != 0) {
            (void)json_object_set_new(kinds, orr_node_kind_name(kind),
                                      part_json(&stats->kind[kind]));
        }
    }
    return kinds;
}

static json_t *devices_json(const struct orr_trace_stats *stats)
{
    static const char *const keys[ORR_DEVICES] = {"cpu", "accelerator", "not_said"};
    json_t *devices = json_object();
    for (unsigned device = 0; device < ORR_DEVICES; device++) {
        (void)json_object_set_new(devices, keys[device], part_json(&stats->device[device]));
    }
    return devices;
}

static json_t *comms_json(const struct orr_trace_stats *stats)
{
    json_t *rows = json_array();
    for (uint32_t i = 0; i < stats->comms; i++) {
        const struct orr_comm_row *comm = &stats->comm[i];
        json_t *row = json_object();
        (void)json_object_set_new(row, "kind", json_string(orr_comm_text(comm->kind, comm->comm)));
        (void)json_object_set_new(row, "group", orr_json_text(comm->group));
        orr_json_set_count(row, "nodes", comm->nodes);
        orr_json_set_count(row, "bytes", comm->bytes);
        orr_json_set_count(row, "mean_bytes", comm->bytes / comm->nodes);
        orr_json_set_count(row, "smallest_bytes", comm->smallest_bytes);
        orr_json_set_count(row, "largest_bytes", comm->largest_bytes);
        orr_json_set_count(row, "duration_ps", comm->duration_ps);
        (void)json_array_append_new(rows, row);
    }
    return rows;
}

static json_t *stats_json(const struct orr_trace *trace, const struct orr_trace_stats *stats,
                          uint32_t max)
{
    json_t *json = json_object();
    (void)json_object_set_new(json, "file", orr_json_text(trace->path));
    orr_json_set_count(json, "nodes", trace->nodes);
    orr_json_set_count(json, "edges", trace->edges);
    orr_json_set_count(json, "depth", stats->sum.depth);
    orr_json_set_count(json, "duration_ps", stats->sum.duration_ps);
    orr_json_set_count(json, "critical_duration_ps", stats->sum.critical_duration_ps);
    (void)json_object_set_new(json, "kinds", kinds_json(stats));
    (void)json_object_set_new(json, "devices", devices_json(stats));
    orr_json_set_count(json, "operators", stats->compute.rows);
    (void)json_object_set_new(json, "computation", orr_json_ops(&stats->compute, max));
    (void)json_object_set_new(json, "communication", comms_json(stats));
    return json;
}

enum orr_status orr_trace_print_stats(FILE *out, struct orr_arena *arena,
                                      const struct orr_trace *trace, uint32_t rows,
                                      struct orr_diag *diag)
{
    struct orr_trace_stats stats;
    const enum orr_status status = orr_trace_stats(arena, trace, &stats, diag);
    if (status == ORR_OK) {
        print_stats(out, trace, &stats, rows);
    }
    return status;
}

enum orr_status orr_trace_stats_json(json_t *list, struct orr_arena *arena,
                                     const struct orr_trace *trace, uint32_t rows,
                                     struct orr_diag *diag)
{
    struct orr_trace_stats stats;
    const enum orr_status status = orr_trace_stats(arena, trace, &stats, diag);
    if (status == ORR_OK) {
        (void)json_array_append_new(list, stats_json(trace, &stats, rows));
    }
    return status;
}

enum orr_status orr_trace_print_stats_json(FILE *out, json_t *list, struct orr_diag *diag)
{
    return orr_print_json(out, json_pack("{s:o}", "traces", list), diag);
}
