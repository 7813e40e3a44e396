/* What a transformer's layers and ends share; see layer_graph.h. */
#include "workload/gen/layers/layer_graph.h"

#include "workload/model/kinds/kinds.h"

model_value orr_layer_add_spec(struct layer_graph *graph, struct model_op_spec spec,
                               const void *attributes)
{
    spec.layer = graph->layer;
    spec.joins_layer = graph->layer == NULL;
    graph->layer = spec.kind->source ? graph->layer : NULL;
    if (graph->status == ORR_OK) {
        graph->status = orr_model_add(graph->builder, &spec, attributes, &graph->tip, graph->diag);
    }
    return graph->tip;
}

model_value orr_layer_add_two(struct layer_graph *graph, const char *label,
                              const struct model_kind_ops *kind, const void *attributes,
                              const model_value input[2])
{
    return orr_layer_add_spec(graph,
                              (struct model_op_spec){.kind = kind,
                                                     .label = label,
                                                     .input = input,
                                                     .inputs = input[1] != MODEL_NO_VALUE ? 2 : 1},
                              attributes);
}

model_value orr_layer_add(struct layer_graph *graph, const char *label,
                          const struct model_kind_ops *kind, const void *attributes)
{
    const model_value input[] = {graph->tip, MODEL_NO_VALUE};
    return orr_layer_add_two(graph, label, kind, attributes, input);
}

model_value orr_layer_add_norm(struct layer_graph *graph, const char *label)
{
    const struct model_layer_norm norm = {.rms = graph->model->norm != TF_LAYER_NORM};
    return orr_layer_add(graph, label, &orr_model_kind_layer_norm, &norm);
}

model_value orr_layer_add_dense(struct layer_graph *graph, const char *label, uint64_t out,
                                bool bias)
{
    const struct model_dense dense = {.out = (int64_t)out, .bias = bias};
    return orr_layer_add(graph, label, &orr_model_kind_dense, &dense);
}

void orr_layer_add_residual(struct layer_graph *graph, const char *label, model_value residual)
{
    const struct model_add sum = {.dropout = true, .maskless = !graph->model->dropout};
    (void)orr_layer_add_two(graph, label, &orr_model_kind_add, &sum,
                            (model_value[]){graph->tip, residual});
}

void orr_layer_end_part(struct layer_graph *graph, const char *norm, const char *label,
                        model_value residual)
{
    if (graph->model->output_norms) {
        (void)orr_layer_add_norm(graph, norm);
    }
    orr_layer_add_residual(graph, label, residual);
}
