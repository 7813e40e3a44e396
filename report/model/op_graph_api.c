/* Graphs of operators for programs; see include/orrery/model.h. */
#include "orrery/model.h"

#include "core/arena.h"
#include "orrery/orrery.h"
#include "report/model/model_report.h"
#include "sim/api_object.h"
#include "sim/load/model_file.h"
#include "workload/model/profile.h"

struct orrery_op_graph {
    struct orr_object object;
    struct model_graph graph;
    struct orr_model_shown shown; /* shown.graph NULL: nothing was read */
};

struct orrery_op_graph *orrery_op_graph_new(void)
{
    return orr_object_new(sizeof(struct orrery_op_graph));
}

void orrery_op_graph_free(struct orrery_op_graph *graph)
{
    orr_object_free(graph != NULL ? &graph->object : NULL);
}

const char *orrery_op_graph_error(const struct orrery_op_graph *graph)
{
    return orr_object_error(graph != NULL ? &graph->object : NULL);
}

void orrery_op_graph_on_warning(struct orrery_op_graph *graph,
                                void (*warn)(void *user, const char *text), void *user)
{
    orr_object_on_warning(graph != NULL ? &graph->object : NULL, warn, user);
}

/* ---- reading ---- */

static enum orr_status read_speed(struct orr_arena *arena,
                                  const struct orrery_op_graph_input *input,
                                  struct model_profile *profile, struct model_speed *speed,
                                  struct orr_diag *diag)
{
    enum orr_status status = ORR_OK;
    if (input->profile != NULL) {
        status = orr_model_profile_load(arena, input->profile, profile, diag);
        speed->profile = profile;
    }
    return status == ORR_OK && input->platform != NULL
               ? orr_model_roofline_load(arena, input->platform, input->set, input->set_count,
                                         &speed->roofline, diag)
               : status;
}

static void add_times(const struct model_op *op, const struct model_times *time,
                      struct orr_model_shown *shown)
{
    struct model_times *sum = op->table ? &shown->table_sum : &shown->sum;
    sum->forward_ps = orr_time_add(sum->forward_ps, time->forward_ps);
    sum->backward_ps = orr_time_add(sum->backward_ps, time->backward_ps);
}

/* Computes the times. Samples are divided among the devices; a table processes all samples on its
 * device. */
static enum orr_status work_out_times(struct orr_arena *arena, const struct model_speed *speed,
                                      struct orr_model_shown *shown, struct orr_diag *diag)
{
    const struct model_graph *graph = shown->graph;
    struct model_times *time = orr_arena_array(arena, graph->ops, sizeof *time);
    if (time == NULL) {
        return orr_diag_no_memory(diag, "the times of a model");
    }
    enum orr_status status = ORR_OK;
    for (uint32_t i = 0; i < graph->ops && status == ORR_OK; i++) {
        const uint32_t parts = graph->op[i].table ? 1 : shown->devices;
        const uint32_t degree[MODEL_MAX_DIMS] = {parts, 1, 1, 1, 1, 1, 1, 1};
        status = orr_model_part_time(graph, i, degree, speed, shown->batch, &time[i], diag);
        add_times(&graph->op[i], &time[i], shown);
    }
    shown->time = time;
    return status;
}

static enum orr_status check_batch(const struct orr_model_shown *shown, struct orr_diag *diag)
{
    const struct orr_location location =
        orr_location_file(shown->graph->file != NULL ? shown->graph->file : shown->graph->name);
    if (shown->batch == 0) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, &location,
                             "the model has no batch size, which times need: expected batch or "
                             "batch_per_device, or --batch B");
    }
    return shown->batch >= shown->devices
               ? ORR_OK
               : orr_diag_fail(diag, ORR_ERR_INPUT, &location,
                               "%llu samples cannot be divided among %u devices",
                               (unsigned long long)shown->batch, shown->devices);
}

static enum orr_status read(struct orrery_op_graph *graph,
                            const struct orrery_op_graph_input *input)
{
    struct orr_object *object = &graph->object;
    struct orr_model_shown *shown = &graph->shown;
    struct model_speed speed = {.profile = NULL};
    struct model_profile *profile = orr_arena_alloc(object->arena, sizeof *profile);
    if (profile == NULL) {
        return orr_diag_no_memory(&object->diag, "a model");
    }
    enum orr_status status =
        orr_model_file_load(object->arena, input->path, &graph->graph, &object->diag);
    if (status == ORR_OK) {
        status = read_speed(object->arena, input, profile, &speed, &object->diag);
    }
    if (status != ORR_OK) {
        return status;
    }
    const uint32_t devices = input->devices != 0 ? input->devices : 1;
    *shown = (struct orr_model_shown){
        .graph = &graph->graph,
        .totals = orr_model_totals(&graph->graph),
        .devices = devices,
        .batch = input->batch != 0 ? input->batch : orr_model_batch(&graph->graph, devices)};
    for (uint32_t i = 0; i < graph->graph.ops; i++) {
        shown->tables += graph->graph.op[i].table ? 1 : 0;
    }
    if (input->profile == NULL && input->platform == NULL) {
        return ORR_OK;
    }
    status = check_batch(shown, &object->diag);
    return status == ORR_OK ? work_out_times(object->arena, &speed, shown, &object->diag) : status;
}

enum orrery_status orrery_op_graph_read(struct orrery_op_graph *graph,
                                        const struct orrery_op_graph_input *input)
{
    if (graph == NULL) {
        return ORRERY_ERROR_INPUT;
    }
    struct orr_object *object = &graph->object;
    enum orr_status status = orr_check_caller_struct(
        "orrery_op_graph_input", input != NULL ? &input->size : NULL, sizeof *input, &object->diag);
    graph->shown.graph = NULL;
    if (status == ORR_OK && input->path == NULL) {
        status = orr_diag_fail(&object->diag, ORR_ERR_INPUT, NULL,
                               "expected the path of a model, got NULL");
    }
    if (status == ORR_OK) {
        status = orr_object_clear(object) ? read(graph, input) : ORR_ERR_MEMORY;
    }
    graph->shown.graph = status == ORR_OK ? &graph->graph : NULL;
    return orr_object_finish(object, status);
}

/* ---- metrics and views ---- */

static enum orr_status check_read(const struct orrery_op_graph *graph, struct orr_diag *diag)
{
    return graph->shown.graph != NULL
               ? ORR_OK
               : orr_diag_fail(diag, ORR_ERR_INPUT, NULL, "no model was read yet");
}

static void fill_metrics(const struct orr_model_shown *shown,
                         struct orrery_op_graph_figures *metrics)
{
    const struct model_totals *totals = &shown->totals;
    *metrics = (struct orrery_op_graph_figures){
        .size = metrics->size,
        .operators = shown->graph->ops,
        .edges = shown->graph->edges,
        .tables = shown->tables,
        .batch = shown->batch,
        .weights = totals->weights,
        .weight_bytes = totals->weight_bytes,
        .table_weights = totals->table_weights,
        .table_bytes = totals->table_bytes,
        .forward_flops = totals->forward_flops,
        .backward_flops = totals->backward_flops,
        .product_flops = totals->product_flops,
        .timed = shown->time != NULL,
        .forward_ps = (uint64_t)shown->sum.forward_ps,
        .backward_ps = (uint64_t)shown->sum.backward_ps,
        .table_forward_ps = (uint64_t)shown->table_sum.forward_ps,
        .table_backward_ps = (uint64_t)shown->table_sum.backward_ps};
}

enum orrery_status orrery_op_graph_figures(struct orrery_op_graph *graph,
                                           struct orrery_op_graph_figures *metrics)
{
    if (graph == NULL) {
        return ORRERY_ERROR_INPUT;
    }
    struct orr_object *object = &graph->object;
    enum orr_status status =
        orr_check_caller_struct("orrery_op_graph_figures", metrics != NULL ? &metrics->size : NULL,
                                sizeof *metrics, &object->diag);
    status = status == ORR_OK ? check_read(graph, &object->diag) : status;
    if (status == ORR_OK) {
        fill_metrics(&graph->shown, metrics);
    }
    return orr_object_finish(object, status);
}

struct view {
    struct orrery_op_graph *graph;
    enum orrery_op_graph_view view;
};

static enum orr_status write_view(FILE *out, void *context)
{
    static int (*const writers[])(FILE * out, const struct orr_model_shown *shown) = {
        orr_model_show_check, orr_model_show, orr_model_show_json, orr_model_show_dot};
    const struct view *view = context;
    struct orr_diag *diag = &view->graph->object.diag;
    const enum orr_status status = check_read(view->graph, diag);
    if (status != ORR_OK) {
        return status;
    }
    if ((unsigned)view->view >= sizeof writers / sizeof *writers) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL, "no such view of a model: %d",
                             (int)view->view);
    }
    return writers[view->view](out, &view->graph->shown) == 0 ? orr_check_written(out, diag)
                                                              : orr_diag_no_memory(diag, "a model");
}

enum orrery_status orrery_op_graph_write(struct orrery_op_graph *graph, FILE *out,
                                         enum orrery_op_graph_view view)
{
    if (graph == NULL || out == NULL) {
        return ORRERY_ERROR_INPUT;
    }
    struct view what = {graph, view};
    return orr_object_finish(&graph->object, write_view(out, &what));
}

const char *orrery_op_graph_text(struct orrery_op_graph *graph, enum orrery_op_graph_view view)
{
    struct view what = {graph, view};
    return graph != NULL ? orr_object_text(&graph->object, write_view, &what) : NULL;
}
