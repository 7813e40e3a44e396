/* Traces for programs; see include/orrery/trace.h. */
#include "orrery/orrery.h"
#include "report/trace/trace_private.h"
#include "report/trace/trace_report.h"
#include "workload/trace/et/et.h"
#include "workload/trace/trace.h"
#include "workload/trace/trace_path.h"
#include "workload/trace/trace_query.h"

struct orrery_trace *orrery_trace_new(void)
{
    return orr_object_new(sizeof(struct orrery_trace));
}

void orrery_trace_free(struct orrery_trace *trace)
{
    orr_object_free(trace != NULL ? &trace->object : NULL);
}

const char *orrery_trace_error(const struct orrery_trace *trace)
{
    return orr_object_error(trace != NULL ? &trace->object : NULL);
}

void orrery_trace_on_warning(struct orrery_trace *trace, void (*warn)(void *user, const char *text),
                             void *user)
{
    orr_object_on_warning(trace != NULL ? &trace->object : NULL, warn, user);
}

/* ---- one trace ---- */

enum orr_status orr_trace_check_path(const char *path, const char *what, struct orr_diag *diag)
{
    return path != NULL ? ORR_OK
                        : orr_diag_fail(diag, ORR_ERR_INPUT, NULL, "expected %s, got NULL", what);
}

enum orrery_status orrery_trace_read(struct orrery_trace *trace, const char *path)
{
    if (trace == NULL) {
        return ORRERY_ERROR_INPUT;
    }
    struct orr_object *object = &trace->object;
    enum orr_status status = orr_trace_check_path(path, "the path of a trace", &object->diag);
    if (status == ORR_OK) {
        trace->trace = NULL;
        status = orr_object_clear(object)
                     ? orr_et_read_file(object->arena, path, &trace->trace, &object->diag)
                     : ORR_ERR_MEMORY;
    }
    trace->trace = status == ORR_OK ? trace->trace : NULL;
    return orr_object_finish(object, status);
}

enum orr_status orr_trace_check_read(const struct orrery_trace *trace, struct orr_diag *diag)
{
    return trace != NULL && trace->trace != NULL
               ? ORR_OK
               : orr_diag_fail(diag, ORR_ERR_INPUT, NULL, "no trace was read yet");
}

/* The public enum value of a kind of node. */
static enum orrery_node_kind kind_of(unsigned kind)
{
    switch (kind) {
    case ORR_NODE_COMP:
        return ORRERY_NODE_COMPUTE;
    case ORR_NODE_MEM_LOAD:
        return ORRERY_NODE_LOAD;
    case ORR_NODE_MEM_STORE:
        return ORRERY_NODE_STORE;
    case ORR_NODE_COLL:
        return ORRERY_NODE_COLLECTIVE;
    case ORR_NODE_SEND:
        return ORRERY_NODE_SEND;
    case ORR_NODE_RECV:
        return ORRERY_NODE_RECEIVE;
    default:
        return ORRERY_NODE_OTHER;
    }
}

static void fill_metrics(const struct orr_trace *trace, const struct orr_trace_summary *summary,
                         struct orrery_trace_figures *out)
{
    *out = (struct orrery_trace_figures){.size = sizeof *out,
                                         .nodes = trace->nodes,
                                         .edges = trace->edges,
                                         .depth = summary->depth,
                                         .flops = summary->total_ops,
                                         .communication_bytes = summary->kind_bytes[ORR_NODE_COLL] +
                                                                summary->kind_bytes[ORR_NODE_SEND],
                                         .recorded_ps = summary->duration_ps,
                                         .longest_ps = summary->critical_duration_ps,
                                         .groups = trace->group_count};
    for (uint32_t i = 0; i < trace->nodes; i++) {
        const struct orr_node *node = &trace->node[i];
        const bool cpu = node->kind == ORR_NODE_COMP && (node->flags & ORR_NODE_IS_CPU) != 0;
        out->kind[cpu ? ORRERY_NODE_CPU : kind_of(node->kind)]++;
    }
}

enum orrery_status orrery_trace_figures(struct orrery_trace *trace,
                                        struct orrery_trace_figures *figures)
{
    if (trace == NULL) {
        return ORRERY_ERROR_INPUT;
    }
    struct orr_diag *diag = &trace->object.diag;
    struct orr_trace_summary summary;
    enum orr_status status = orr_check_caller_struct(
        "orrery_trace_figures", figures != NULL ? &figures->size : NULL, sizeof *figures, diag);
    if (status == ORR_OK && (status = orr_trace_check_read(trace, diag)) == ORR_OK) {
        status = orr_trace_summarize(trace->object.arena, trace->trace, &summary, diag);
    }
    if (status == ORR_OK) {
        fill_metrics(trace->trace, &summary, figures);
    }
    return orr_object_finish(&trace->object, status);
}

static enum orr_status fill_path(struct orrery_trace *trace, struct orrery_trace_path *out)
{
    struct orr_trace_path path;
    const enum orr_status status =
        orr_trace_longest_path(trace->object.arena, trace->trace, &path, &trace->object.diag);
    if (status != ORR_OK) {
        return status;
    }
    uint64_t *id = orr_arena_array(trace->object.arena, path.nodes, sizeof *id);
    for (uint32_t i = 0; i < path.nodes && id != NULL; i++) {
        id[i] = trace->trace->node[path.node[i]].id;
    }
    *out = (struct orrery_trace_path){
        .size = sizeof *out, .length_ps = path.length_ps, .id = id, .nodes = path.nodes};
    return id != NULL ? ORR_OK : orr_diag_no_memory(&trace->object.diag, "the path of a trace");
}

enum orrery_status orrery_trace_path(struct orrery_trace *trace, struct orrery_trace_path *path)
{
    if (trace == NULL) {
        return ORRERY_ERROR_INPUT;
    }
    enum orr_status status = orr_check_caller_struct(
        "orrery_trace_path", path != NULL ? &path->size : NULL, sizeof *path, &trace->object.diag);
    if (status == ORR_OK && (status = orr_trace_check_read(trace, &trace->object.diag)) == ORR_OK) {
        status = fill_path(trace, path);
    }
    return orr_object_finish(&trace->object, status);
}

/* ---- views ---- */

static enum orr_status write_stats_json(FILE *out, struct orr_arena *arena,
                                        const struct orr_trace *trace, uint32_t rows,
                                        struct orr_diag *diag)
{
    json_t *list = json_array();
    const enum orr_status status = orr_trace_stats_json(list, arena, trace, rows, diag);
    if (status != ORR_OK) {
        json_decref(list);
        return status;
    }
    return orr_trace_print_stats_json(out, list, diag);
}

static enum orr_status write_path_json(FILE *out, struct orr_arena *arena,
                                       const struct orr_trace *trace, uint32_t rows,
                                       struct orr_diag *diag)
{
    (void)rows;
    return orr_trace_print_path_json(out, arena, trace, diag);
}

typedef enum orr_status (*row_printer)(FILE *out, struct orr_arena *arena,
                                       const struct orr_trace *trace, uint32_t rows,
                                       struct orr_diag *diag);

static const struct view {
    orr_trace_printer print;
    row_printer print_rows;
} views[] = {[ORRERY_TRACE_CHECK] = {.print = orr_trace_print_check},
             [ORRERY_TRACE_INFO] = {.print = orr_trace_print_info},
             [ORRERY_TRACE_NODES] = {.print = orr_trace_print_nodes},
             [ORRERY_TRACE_NODES_JSON] = {.print = orr_trace_print_json},
             [ORRERY_TRACE_DOT] = {.print = orr_trace_print_dot},
             [ORRERY_TRACE_STATS] = {.print_rows = orr_trace_print_stats},
             [ORRERY_TRACE_STATS_JSON] = {.print_rows = write_stats_json},
             [ORRERY_TRACE_PATH] = {.print_rows = orr_trace_print_path},
             [ORRERY_TRACE_PATH_JSON] = {.print_rows = write_path_json}};

struct trace_output {
    struct orrery_trace *trace;
    enum orrery_trace_view view;
    uint32_t rows;
};

static enum orr_status show(FILE *out, void *context)
{
    const struct trace_output *trace_output = context;
    struct orr_diag *diag = &trace_output->trace->object.diag;
    enum orr_status status = orr_trace_check_read(trace_output->trace, diag);
    if (status == ORR_OK && (unsigned)trace_output->view >= sizeof views / sizeof *views) {
        status = orr_diag_fail(diag, ORR_ERR_INPUT, NULL, "expected a view of a trace, got %u",
                               (unsigned)trace_output->view);
    }
    if (status != ORR_OK) {
        return status;
    }
    const struct view *view = &views[trace_output->view];
    struct orr_arena *arena = orr_arena_create();
    if (arena == NULL) {
        return orr_diag_no_memory(diag, "a view of a trace");
    }
    status = view->print != NULL ? view->print(out, arena, trace_output->trace->trace, diag)
                                 : view->print_rows(out, arena, trace_output->trace->trace,
                                                    trace_output->rows, diag);
    orr_arena_destroy(arena);
    return status == ORR_OK ? orr_check_written(out, diag) : status;
}

enum orrery_status orrery_trace_write(struct orrery_trace *trace, FILE *out,
                                      enum orrery_trace_view view, uint32_t rows)
{
    struct trace_output trace_output = {.trace = trace, .view = view, .rows = orr_rows_of(rows)};
    return trace == NULL ? ORRERY_ERROR_INPUT
                         : orr_object_finish(&trace->object, show(out, &trace_output));
}

const char *orrery_trace_text(struct orrery_trace *trace, enum orrery_trace_view view,
                              uint32_t rows)
{
    struct trace_output trace_output = {.trace = trace, .view = view, .rows = orr_rows_of(rows)};
    return trace == NULL ? NULL : orr_object_text(&trace->object, show, &trace_output);
}

static enum orr_status save(struct orrery_trace *trace, const char *path, bool gzip)
{
    struct orr_diag *diag = &trace->object.diag;
    const struct orr_et_writer_options options = {.gzip = gzip, .version = trace->trace->version};
    struct orr_et_writer *writer = NULL;
    enum orr_status status = orr_et_writer_create(&writer, path, &options, diag);
    if (status == ORR_OK) {
        status = orr_et_writer_add_trace(writer, trace->trace, diag);
    }
    if (status == ORR_OK) {
        status = orr_et_writer_finish(writer, diag);
    }
    orr_et_writer_destroy(writer);
    return status;
}

enum orrery_status orrery_trace_save(struct orrery_trace *trace, const char *path, bool gzip)
{
    if (trace == NULL) {
        return ORRERY_ERROR_INPUT;
    }
    enum orr_status status = orr_trace_check_read(trace, &trace->object.diag);
    if (status == ORR_OK) {
        status = orr_trace_check_path(path, "a path to write", &trace->object.diag);
    }
    return orr_object_finish(&trace->object, status == ORR_OK ? save(trace, path, gzip) : status);
}
