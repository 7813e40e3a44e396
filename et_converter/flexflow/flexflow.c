/* Converter of FlexFlow task graphs, as FlatBuffers (FlexNet) or DOT (FlexFlow): execution traces,
 * and the network as PREFIX.topology.yml. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/arena.h"
#include "et_converter/conversion_report.h"
#include "et_converter/converter.h"
#include "et_converter/flexflow/flexflow_dot.h"
#include "et_converter/flexflow/flexflow_fbuf.h"
#include "et_converter/flexflow/flexflow_plan.h"
#include "et_converter/flexflow/flexflow_topology.h"
#include "et_converter/input_bytes.h"
#include "et_converter/trace_output.h"
#include "workload/taskgraph/tg_traces.h"

/* A FlatBuffer starts with the offset of its root, a small number with zero upper bytes, because
 * builders put the root near the start. Text has no zero byte. */
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

/* ---- notes ---- */

/* A dependency that the file repeats. */
struct repeated {
    uint32_t task, prev;
};

static int by_task(const void *left, const void *right)
{
    const struct repeated *a = left, *b = right;
    if (a->task != b->task) {
        return a->task < b->task ? -1 : 1;
    }
    return (a->prev > b->prev) - (a->prev < b->prev);
}

/* Finds the repeated dependencies of the file; returns their number. */
static size_t find_repeated(const struct flexflow_plan *plan, const struct flexflow_ids *ids,
                            struct repeated *out, uint32_t *marked)
{
    const struct flexflow_graph *graph = plan->graph;
    size_t count = 0;
    for (uint32_t i = 0; i < graph->tasks; i++) {
        const struct flexflow_task *task = &graph->task[i];
        for (uint64_t n = 0; task->type != FLEXFLOW_ALLREDUCE && n < task->next_count; n++) {
            const uint32_t next = orr_flexflow_number(ids, graph->next[task->first_next + n]);
            if (marked[next] == i + 1) {
                out[count++] = (struct repeated){.task = next, .prev = i};
            }
            marked[next] = i + 1;
        }
    }
    return count;
}

static void note_repeated(const struct flexflow_plan *plan, struct orr_arena *arena,
                          struct conv_report *report)
{
    char from[FLEXFLOW_LABEL_BYTES], to[FLEXFLOW_LABEL_BYTES];
    const size_t max = plan->edges - plan->tasks.nexts;
    struct repeated *repeats = orr_arena_array(arena, max + 1, sizeof *repeats);
    uint32_t *marked = orr_arena_array(arena, plan->graph->tasks, sizeof *marked);
    if (max == 0 || repeats == NULL || marked == NULL) {
        return;
    }
    const size_t count = find_repeated(plan, &plan->ids, repeats, marked);
    qsort(repeats, count, sizeof *repeats, by_task);
    for (size_t i = 0; i < count; i++) {
        orr_convert_report_note(report, "repeated dependencies", "%s of %s",
                                orr_flexflow_label(plan->graph, repeats[i].task, to),
                                orr_flexflow_label(plan->graph, repeats[i].prev, from));
    }
}

static void note_placement(const struct flexflow_plan *plan, struct conv_report *report)
{
    char label[FLEXFLOW_LABEL_BYTES];
    for (uint32_t i = 0; i < plan->graph->tasks && !plan->graph->placed; i++) {
        orr_convert_report_note(
            report,
            "tasks without a device: placed so that concurrent tasks are on different "
            "NPUs",
            "%s on NPU %" PRIu32, orr_flexflow_label(plan->graph, i, label),
            plan->tasks.task[i].from);
    }
}

/* Context of the listener that reports how tasks are converted. */
struct report_context {
    const struct tg_graph *tasks;
    struct conv_report *report;
};

static void note_task(void *context, enum tg_finding finding, uint32_t task, uint32_t from,
                      uint32_t to)
{
    const struct report_context *report_context = context;
    const uint64_t bytes = report_context->tasks->task[task].bytes;
    char name[TG_NODE_NAME_BYTES];
    switch (finding) {
    case TG_SIGNAL_ADDED:
        orr_convert_report_note(report_context->report,
                                "dependencies between NPUs without a transfer, sent as signals",
                                "%s, from NPU %" PRIu32 " to NPU %" PRIu32,
                                orr_tg_node_name(report_context->tasks, task, name), from, to);
        break;
    case TG_LOCAL_TRANSFER:
        orr_convert_report_note(report_context->report,
                                "transfers inside of a server, which take no time",
                                "%s, %" PRIu64 " bytes on NPU %" PRIu32,
                                orr_tg_node_name(report_context->tasks, task, name), bytes, from);
        break;
    case TG_SINGLE_NPU_REDUCE:
        orr_convert_report_note(report_context->report,
                                "all-reduces of one server, which need no communication",
                                "%" PRIu64 " bytes on NPU %" PRIu32, bytes, from);
        break;
    }
}

/* ---- writing ---- */

static enum orr_status write_traces(const struct tg_graph *tasks, const struct tg_traces *traces,
                                    struct conv_output *output, struct conv_report *report,
                                    struct orr_diag *diag)
{
    enum orr_status status = ORR_OK;
    const char *name; /* the same name as in the traces, because groups have the same order */
    for (uint32_t g = 0; g < traces->groups && status == ORR_OK; g++) {
        status = orr_convert_output_group(output, traces->group[g].ranks, traces->group[g].count,
                                          &name, diag);
    }
    for (uint32_t i = 0; i < tasks->npus && status == ORR_OK; i++) {
        const struct tg_counts *counts = &traces->counts[i];
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
    return graph->has_byte_offsets ? orr_flexflow_topology_write(graph, path, diag) : ORR_OK;
}

static enum orr_status convert(const struct conv_job *job, struct flexflow_graph *graph,
                               struct orr_arena *arena, struct conv_report *report,
                               struct orr_diag *diag)
{
    struct flexflow_plan plan;
    struct tg_traces traces;
    struct report_context report_context = {.tasks = &plan.tasks, .report = report};
    const struct tg_listener listener = {.found = note_task, .context = &report_context};
    struct conv_output *output = NULL;
    enum orr_status status = orr_flexflow_topology_check(graph, diag);
    if (status == ORR_OK) {
        status = orr_flexflow_plan_make(&plan, graph, arena, diag);
    }
    if (status == ORR_OK) {
        status = orr_convert_output_create(&output, job->out, job->gzip, diag);
    }
    if (status == ORR_OK) {
        status = orr_tg_traces_make(&traces, &plan.tasks, arena, &listener, diag);
    }
    if (status == ORR_OK) {
        note_placement(&plan, report);
        note_repeated(&plan, arena, report);
        status = write_traces(&plan.tasks, &traces, output, report, diag);
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

const struct orr_converter orr_converter_flexflow = {
    .name = "flexflow",
    .summary = "FlexFlow task graph: FlatBuffers of FlexNet, or DOT",
    .alone = "a task graph of FlexFlow",
    .max_files = 1,
    .run = orr_convert_flexflow};
