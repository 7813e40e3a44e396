/* Queries of operator graphs; see op_graph.h. */
#include "workload/model/op_graph.h"

#include "core/saturate.h"
#include "workload/trace/op_kind.h"

#include <string.h>

uint64_t orr_model_elements(const struct model_shape *shape)
{
    uint64_t elements = 1;
    for (uint32_t i = 0; i < shape->axes; i++) {
        elements = sat_times(elements, shape->size[i]);
    }
    return elements;
}

uint64_t orr_model_batch(const struct model_graph *graph, uint64_t devices)
{
    return graph->batch != 0 ? graph->batch : sat_times(graph->batch_per_device, devices);
}

uint32_t orr_model_dim_named(const struct model_op *op, const char *name)
{
    for (uint32_t d = 0; d < op->dims; d++) {
        if (strcmp(op->dim[d].name, name) == 0) {
            return d;
        }
    }
    return UINT32_MAX;
}

uint32_t orr_model_op_named(const struct model_graph *graph, const char *name)
{
    for (uint32_t i = 0; i < graph->ops; i++) {
        if (strcmp(graph->op[i].name, name) == 0) {
            return i;
        }
    }
    return UINT32_MAX;
}

static void add_weights(const struct model_op *op, struct model_totals *totals)
{
    uint64_t *weights = op->table ? &totals->table_weights : &totals->weights;
    uint64_t *bytes = op->table ? &totals->table_bytes : &totals->weight_bytes;
    *weights = sat_plus(*weights, op->weights);
    *bytes = sat_plus(*bytes, op->weight_bytes);
}

struct model_totals orr_model_totals(const struct model_graph *graph)
{
    struct model_totals totals = {0};
    for (uint32_t i = 0; i < graph->ops; i++) {
        const struct model_op *op = &graph->op[i];
        const uint64_t flops = sat_plus(op->forward.flops, op->backward.flops);
        const bool product =
            !op->uncounted && orr_wl_does_model_flops((enum orr_op_kind)op->op_kind);
        if (op->owner == i) {
            add_weights(op, &totals);
        }
        totals.forward_flops = sat_plus(totals.forward_flops, op->forward.flops);
        totals.backward_flops = sat_plus(totals.backward_flops, op->backward.flops);
        totals.product_flops = sat_plus(totals.product_flops, product ? flops : 0);
        totals.output_bytes = sat_plus(totals.output_bytes, op->output_bytes);
    }
    return totals;
}
