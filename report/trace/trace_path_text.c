/* The critical path of a trace by recorded durations, as tables and as JSON; see trace_report.h. */
#include <inttypes.h>

#include "core/diag.h"
#include "core/units.h"
#include "report/json_text.h"
#include "report/table_text.h"
#include "report/trace/trace_format.h"
#include "report/trace/trace_report.h"
#include "workload/trace/trace_path.h"
#include "workload/trace/trace_query.h"

/* Nodes with a recorded duration whose slack is at most a percentage of the path. */
struct near_path {
    unsigned percent;
    uint64_t nodes, duration_ps;
};

enum { NEAR_LEVELS = 4 };

static void count_near(const struct orr_trace *trace, const struct orr_trace_path *path,
                       struct near_path near[NEAR_LEVELS])
{
    static const unsigned percents[NEAR_LEVELS] = {0, 1, 10, 100};
    for (unsigned level = 0; level < NEAR_LEVELS; level++) {
        near[level] = (struct near_path){.percent = percents[level]};
        const uint64_t max_ps = (uint64_t)((double)path->length_ps * percents[level] / 100.0 + 0.5);
        for (uint32_t i = 0; i < trace->nodes; i++) {
            const uint64_t duration_ps = trace->node[i].duration_ps;
            if (duration_ps != 0 && (path->slack_ps[i] <= max_ps || percents[level] == 100)) {
                near[level].nodes++;
                const uint64_t sum = near[level].duration_ps;
                near[level].duration_ps =
                    sum > UINT64_MAX - duration_ps ? UINT64_MAX : sum + duration_ps;
            }
        }
    }
}

/* ---- text ---- */

static void print_near(FILE *out, const struct near_path near[NEAR_LEVELS])
{
    orr_print(out, "\n%-36s %10s %13s\n", "could end later, the path no longer", "nodes", "time");
    for (unsigned level = 0; level < NEAR_LEVELS; level++) {
        char what[64] = "not at all", time[ORR_FORMAT_BYTES];
        if (near[level].percent == 100) {
            (void)snprintf(what, sizeof what, "all nodes with a duration");
        } else if (near[level].percent != 0) {
            (void)snprintf(what, sizeof what, "by at most %u %% of it", near[level].percent);
        }
        orr_print(out, "%-36s %10" PRIu64 " %13s\n", what, near[level].nodes,
                  orr_ps_text(near[level].duration_ps, time));
    }
}

static void print_kinds(FILE *out, const struct orr_trace_path *path)
{
    orr_print(out, "\n%-16s %10s %13s %8s\n", "kind", "nodes", "time", "share");
    for (unsigned kind = 0; kind < ORR_NODE_KINDS; kind++) {
        char time[ORR_FORMAT_BYTES], share[16];
        if (path->kind_nodes[kind] != 0) {
            orr_print(out, "%-16s %10" PRIu32 " %13s %8s\n", orr_node_kind_name(kind),
                      path->kind_nodes[kind], orr_ps_text(path->kind_ps[kind], time),
                      orr_share_text(path->kind_ps[kind], path->length_ps, share));
        }
    }
}

static void print_steps(FILE *out, const struct orr_trace *trace, const struct orr_trace_path *path,
                        uint32_t max)
{
    orr_print(out, "\n%13s %13s %10s  %-14s  %s\n", "start", "time", "id", "kind", "name");
    for (uint32_t i = 0; i < path->nodes && i < max; i++) {
        const struct orr_node *node = &trace->node[path->node[i]];
        char start[ORR_FORMAT_BYTES], time[ORR_FORMAT_BYTES];
        orr_print(out, "%13s %13s %10" PRIu64 "  %-14s  ",
                  orr_ps_text(path->start_ps[path->node[i]], start),
                  orr_ps_text(node->duration_ps, time), node->id, orr_node_kind_name(node->kind));
        orr_print_short(out, node->name, ORR_MAX_NAME_BYTES);
        (void)fputc('\n', out);
    }
    if (path->nodes > max) {
        orr_print(out, "%13s and %" PRIu32 " more (--top 0 shows all)\n", "", path->nodes - max);
    }
}

static void print_path(FILE *out, const struct orr_trace *trace, const struct orr_trace_path *path,
                       uint32_t max)
{
    struct near_path near[NEAR_LEVELS];
    char length[ORR_FORMAT_BYTES];
    count_near(trace, path, near);
    orr_print(out,
              "trace: %s\ncritical path: %s, %" PRIu32 " of %" PRIu32
              " nodes, by recorded durations and dependencies alone\n",
              trace->path, orr_ps_text(path->length_ps, length), path->nodes, trace->nodes);
    print_kinds(out, path);
    (void)fputs("\noperators\n", out);
    orr_print_ops(out, &path->ops, path->length_ps, max);
    print_near(out, near);
    print_steps(out, trace, path, max);
}

/* ---- JSON ---- */

static json_t *steps_json(const struct orr_trace *trace, const struct orr_trace_path *path)
{
    json_t *steps = json_array();
    for (uint32_t i = 0; i < path->nodes; i++) {
        const struct orr_node *node = &trace->node[path->node[i]];
        json_t *step = json_object();
        orr_json_set_count(step, "id", node->id);
        (void)json_object_set_new(step, "name", orr_json_text(node->name));
        (void)json_object_set_new(step, "kind", json_string(orr_node_kind_name(node->kind)));
        orr_json_set_count(step, "start_ps", path->start_ps[path->node[i]]);
        orr_json_set_count(step, "duration_ps", node->duration_ps);
        (void)json_array_append_new(steps, step);
    }
    return steps;
}

static json_t *kinds_json(const struct orr_trace_path *path)
{
    json_t *kinds = json_object();
    for (unsigned kind = 0; kind < ORR_NODE_KINDS; kind++) {
        if (path->kind_nodes[kind] != 0) {
            json_t *part = json_object();
            orr_json_set_count(part, "nodes", path->kind_nodes[kind]);
            orr_json_set_count(part, "duration_ps", path->kind_ps[kind]);
            (void)json_object_set_new(kinds, orr_node_kind_name(kind), part);
        }
    }
    return kinds;
}

static json_t *near_json(const struct orr_trace *trace, const struct orr_trace_path *path)
{
    struct near_path near[NEAR_LEVELS];
    json_t *levels = json_array();
    count_near(trace, path, near);
    for (unsigned level = 0; level < NEAR_LEVELS; level++) {
        json_t *json = json_object();
        orr_json_set_count(json, "slack_percent", near[level].percent);
        orr_json_set_count(json, "nodes", near[level].nodes);
        orr_json_set_count(json, "duration_ps", near[level].duration_ps);
        (void)json_array_append_new(levels, json);
    }
    return levels;
}

static json_t *path_json(const struct orr_trace *trace, const struct orr_trace_path *path)
{
    json_t *json = json_object();
    (void)json_object_set_new(json, "file", orr_json_text(trace->path));
    orr_json_set_count(json, "nodes", trace->nodes);
    orr_json_set_count(json, "length_ps", path->length_ps);
    (void)json_object_set_new(json, "kinds", kinds_json(path));
    (void)json_object_set_new(json, "operators", orr_json_ops(&path->ops, UINT32_MAX));
    (void)json_object_set_new(json, "slack", near_json(trace, path));
    (void)json_object_set_new(json, "steps", steps_json(trace, path));
    return json;
}

enum orr_status orr_trace_longest_path(struct orr_arena *arena, const struct orr_trace *trace,
                                       struct orr_trace_path *path, struct orr_diag *diag)
{
    const enum orr_status status = orr_trace_find_path(arena, trace, path, diag);
    if (status != ORR_OK || path->nodes != 0) {
        return status;
    }
    const struct orr_location location = orr_location_file(trace->path);
    return orr_diag_fail(diag, ORR_ERR_INPUT, &location,
                         "no node has a recorded duration, so there is no longest path by "
                         "durations; orrery run --why finds that of a simulated run");
}

enum orr_status orr_trace_print_path(FILE *out, struct orr_arena *arena,
                                     const struct orr_trace *trace, uint32_t rows,
                                     struct orr_diag *diag)
{
    struct orr_trace_path path;
    const enum orr_status status = orr_trace_longest_path(arena, trace, &path, diag);
    if (status == ORR_OK) {
        print_path(out, trace, &path, rows);
    }
    return status;
}

enum orr_status orr_trace_print_path_json(FILE *out, struct orr_arena *arena,
                                          const struct orr_trace *trace, struct orr_diag *diag)
{
    struct orr_trace_path path;
    const enum orr_status status = orr_trace_longest_path(arena, trace, &path, diag);
    return status == ORR_OK ? orr_print_json(out, path_json(trace, &path), diag) : status;
}
