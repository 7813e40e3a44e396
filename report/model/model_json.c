/* A graph of operators as JSON; see model_report.h. */
#include "core/sum.h"
#include "report/json_text.h"
#include "report/model/model_report.h"
#include "workload/model/kinds/kind.h"

static json_t *sum_json(uint64_t value)
{
    return orr_json_sum((orr_sum)value);
}

static json_t *work_json(const struct model_work *work)
{
    return json_pack("{s:o, s:o, s:o, s:o, s:o}", "flops", sum_json(work->flops), "input_bytes",
                     sum_json(work->input_bytes), "output_bytes", sum_json(work->output_bytes),
                     "inner_bytes", sum_json(work->inner_bytes), "weight_bytes",
                     sum_json(work->weight_bytes));
}

static const char *needs_text(const struct model_cut *cut)
{
    return cut->needs == MODEL_NEEDS_ALL ? "all" : "slice";
}

static json_t *dim_json(const struct model_dim *dim)
{
    return json_pack("{s:s, s:o, s:s, s:s, s:s, s:s, s:o}", "name", dim->name, "most",
                     dim->size != 0 ? sum_json(dim->size) : json_null(), "needs",
                     needs_text(&dim->cut[MODEL_FIRST_INPUT]), "needs_of_others",
                     needs_text(&dim->cut[MODEL_OTHER_INPUTS]), "gives",
                     dim->gives == MODEL_GIVES_SLICE ? "slice" : "partial sum", "weights",
                     dim->weights == MODEL_WEIGHTS_SLICED ? "sliced" : "copied", "halo_bytes",
                     sum_json(dim->halo_bytes));
}

static json_t *dims_json(const struct model_op *op)
{
    json_t *list = json_array();
    for (uint32_t d = 0; d < op->dims; d++) {
        (void)json_array_append_new(list, dim_json(&op->dim[d]));
    }
    return list;
}

static json_t *inputs_json(const struct model_graph *graph, const struct model_op *op)
{
    json_t *list = json_array();
    for (uint32_t e = op->first_edge; e < op->first_edge + op->edges; e++) {
        (void)json_array_append_new(list, orr_json_text(graph->op[graph->edge[e].from].name));
    }
    return list;
}

static json_t *shape_json(const struct model_shape *shape)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < shape->axes; i++) {
        (void)json_array_append_new(list, sum_json(shape->size[i]));
    }
    return list;
}

static void add_times(json_t *object, const struct model_times *time)
{
    (void)json_object_set_new(object, "forward_ps", sum_json((uint64_t)time->forward_ps));
    (void)json_object_set_new(object, "backward_ps", sum_json((uint64_t)time->backward_ps));
}

static json_t *op_json(const struct orr_model_shown *shown, uint32_t index)
{
    const struct model_graph *graph = shown->graph;
    const struct model_op *op = &graph->op[index];
    json_t *object = json_pack("{s:o, s:s, s:o, s:o, s:o, s:o, s:o, s:b, s:o, s:o, s:o, s:o}",
                               "name", orr_json_text(op->name), "kind", op->kind->name, "profile",
                               op->profile != NULL ? orr_json_text(op->profile) : json_null(),
                               "inputs", inputs_json(graph, op), "output", shape_json(&op->shape),
                               "weights", sum_json(op->weights), "weight_bytes",
                               sum_json(op->weight_bytes), "table", op->table ? 1 : 0, "forward",
                               work_json(&op->forward), "backward", work_json(&op->backward),
                               "output_bytes", sum_json(op->output_bytes), "split", dims_json(op));
    if (op->owner != index) {
        (void)json_object_set_new(object, "weights_of", orr_json_text(graph->op[op->owner].name));
    }
    if (shown->time != NULL) {
        add_times(object, &shown->time[index]);
        (void)json_object_set_new(object, "measured", json_boolean(shown->time[index].measured));
    }
    return object;
}

static json_t *totals_json(const struct orr_model_shown *shown)
{
    const struct model_totals *totals = &shown->totals;
    json_t *object = json_pack(
        "{s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "weights", sum_json(totals->weights), "weight_bytes",
        sum_json(totals->weight_bytes), "table_weights", sum_json(totals->table_weights),
        "table_bytes", sum_json(totals->table_bytes), "forward_flops",
        sum_json(totals->forward_flops), "backward_flops", sum_json(totals->backward_flops),
        "product_flops", sum_json(totals->product_flops));
    if (shown->time != NULL) {
        json_t *tables = json_object();
        add_times(object, &shown->sum);
        add_times(tables, &shown->table_sum);
        (void)json_object_set_new(object, "tables", tables);
    }
    return object;
}

int orr_model_show_json(FILE *out, const struct orr_model_shown *shown)
{
    const struct model_graph *graph = shown->graph;
    json_t *list = json_array();
    for (uint32_t i = 0; i < graph->ops; i++) {
        (void)json_array_append_new(list, op_json(shown, i));
    }
    json_t *root =
        json_pack("{s:o, s:o, s:i, s:o, s:o, s:o}", "model", orr_json_text(graph->name), "batch",
                  shown->batch != 0 ? sum_json(shown->batch) : json_null(), "devices",
                  (int)shown->devices, "element_bytes", sum_json(graph->element_bytes), "totals",
                  totals_json(shown), "operators", list);
    const bool written = root != NULL && orr_json_write(root, out, JSON_INDENT(1)) == 0;
    json_decref(root);
    return !written || fputc('\n', out) == EOF;
}
