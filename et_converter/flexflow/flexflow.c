/* FlexFlow: task graphs of FlexNet (FlatBuffers) and of FlexFlow itself (DOT) become traces, and
 * their networks PREFIX.topology.yml. */
#include <inttypes.h>
#include <string.h>

#include "et_converter/converter.h"
#include "et_converter/flexflow/flexflow_dot.h"
#include "et_converter/flexflow/flexflow_fbuf.h"
#include "et_converter/flexflow/flexflow_topology.h"
#include "et_converter/flexflow/flexflow_traces.h"
#include "et_converter/source.h"

/* A FlatBuffer begins with the place of its root, which builders put near the begin: a small
 * number, whose upper bytes are 0. Text has no zero byte. */
static bool is_flatbuffer(const struct flexflow_bytes *bytes)
{
    return bytes->count >= 4 && memchr(bytes->data, 0, 4) != NULL;
}

enum orr_status orr_flexflow_read(struct orr_arena *arena, const struct flexflow_bytes *bytes,
                                  struct flexflow_graph *out, struct orr_diag *diag)
{
    return is_flatbuffer(bytes) ? orr_flexflow_read_fbuf(arena, bytes, out, diag)
                                : orr_flexflow_read_dot(arena, bytes, out, diag);
}

/* ---- what the user should know ---- */

static void note_repeated(const struct flexflow_plan *plan, struct conv_report *report)
{
    char from[FLEXFLOW_LABEL_BYTES], to[FLEXFLOW_LABEL_BYTES];
    for (uint32_t i = 0; i < plan->graph->tasks; i++) {
        for (uint32_t e = plan->first_prev[i] + 1; e < plan->first_prev[i + 1]; e++) {
            if (plan->prev[e] == plan->prev[e - 1]) {
                orr_convert_report_note(report, "dependencies that are given again", "%s of %s",
                                        orr_flexflow_label(plan->graph, i, to),
                                        orr_flexflow_label(plan->graph, plan->prev[e], from));
            }
        }
    }
}

static void note_places(const struct flexflow_plan *plan, struct conv_report *report)
{
    char label[FLEXFLOW_LABEL_BYTES];
    for (uint32_t i = 0; i < plan->graph->tasks && !plan->graph->placed; i++) {
        orr_convert_report_note(
            report,
            "tasks without a device: put on NPUs so that what ran at the same time "
            "is apart",
            "%s on NPU %" PRIu32, orr_flexflow_label(plan->graph, i, label), plan->step[i].from);
    }
}

/* ---- writing ---- */

static enum orr_status write_traces(const struct flexflow_plan *plan,
                                    const struct flexflow_traces *traces,
                                    struct conv_output *output, struct conv_report *report,
                                    struct orr_diag *diag)
{
    enum orr_status status = ORR_OK;
    for (uint32_t i = 0; i < plan->npus && status == ORR_OK; i++) {
        const struct flexflow_counts *counts = &traces->counts[i];
        const struct conv_rank row = {.rank = i,
                                      .nodes_in = counts->tasks,
                                      .matched = counts->tasks - counts->dropped,
                                      .unmatched = counts->dropped};
        status = orr_convert_output_trace(output, i, 1, traces->trace[i], diag);
        if (status == ORR_OK) {
            status = orr_convert_report_trace(report, traces->trace[i], &row, 1, diag);
        }
    }
    return status == ORR_OK ? orr_convert_output_finish(output, diag) : status;
}

static enum orr_status write_topology(const struct conv_job *job,
                                      const struct flexflow_graph *graph, struct orr_arena *arena,
                                      struct orr_diag *diag)
{
    const char *path = orr_arena_printf(arena, "%s.topology.yml", job->out);
    if (path == NULL) {
        return orr_diag_no_memory(diag, "paths");
    }
    return graph->byte_places ? orr_flexflow_topology_write(graph, path, diag) : ORR_OK;
}

static enum orr_status convert(const struct conv_job *job, struct flexflow_graph *graph,
                               struct orr_arena *arena, struct conv_report *report,
                               struct orr_diag *diag)
{
    struct flexflow_plan plan;
    struct flexflow_traces traces;
    struct conv_output *output = NULL;
    enum orr_status status = orr_flexflow_topology_check(graph, diag);
    if (status == ORR_OK) {
        status = orr_flexflow_plan_make(&plan, graph, arena, diag);
    }
    if (status == ORR_OK) {
        status = orr_convert_output_create(&output, job->out, job->gzip, diag);
    }
    if (status == ORR_OK) {
        status = orr_flexflow_traces_make(&traces, &plan, arena, output, report, diag);
    }
    if (status == ORR_OK) {
        note_places(&plan, report);
        note_repeated(&plan, report);
        status = write_traces(&plan, &traces, output, report, diag);
    }
    orr_convert_output_destroy(output);
    return status == ORR_OK ? write_topology(job, graph, arena, diag) : status;
}

enum orr_status orr_convert_flexflow(const struct conv_job *job, struct conv_report *report,
                                     struct orr_diag *diag)
{
    struct conv_source source = {.data = NULL};
    struct flexflow_graph graph;
    struct orr_arena *arena = orr_arena_create();
    enum orr_status status =
        arena == NULL
            ? orr_diag_no_memory(diag, "a task graph")
            : orr_convert_source_read(&source, job->files[0], INT32_MAX, &job->progress, diag);
    if (status == ORR_OK) {
        const struct flexflow_bytes bytes = {
            .name = job->files[0], .data = source.data, .count = source.count};
        status = orr_flexflow_read(arena, &bytes, &graph, diag);
    }
    orr_convert_source_free(&source);
    if (status == ORR_OK) {
        status = convert(job, &graph, arena, report, diag);
    }
    orr_arena_destroy(arena);
    return status;
}
