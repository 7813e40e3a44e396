/* A convolutional network as a graph of operators; see cnn.h. An activation function belongs to the
 * operator before it, as in the generated traces. */
#include "core/arena.h"
#include "workload/gen/cnn/cnn.h"
#include "workload/model/kinds/kinds.h"

struct graph {
    const struct cnn_net *net;
    struct model_builder *builder;
    model_value image;
    model_value *value; /* [net->count] */
    struct orr_diag *diag;
};

/* Adds the operator, with a kind and its attributes. */
static enum orr_status add(struct graph *graph, uint32_t index, const struct model_kind_ops *kind,
                           const void *attributes)
{
    const struct cnn_op *op = &graph->net->op[index];
    model_value input[2];
    for (uint32_t i = 0; i < op->input_count; i++) {
        input[i] = op->input[i] == CNN_IMAGE ? graph->image : graph->value[op->input[i]];
    }
    const struct model_op_spec spec = {.kind = kind, .input = input, .inputs = op->input_count};
    return orr_model_add(graph->builder, &spec, attributes, &graph->value[index], graph->diag);
}

static enum orr_status add_op(struct graph *graph, uint32_t index)
{
    const struct cnn_op *op = &graph->net->op[index];
    const struct model_conv2d conv = {.out = (int64_t)op->out.channels,
                                      .kernel = (int64_t)op->kernel_height,
                                      .stride = (int64_t)op->stride,
                                      .pad = (int64_t)op->pad,
                                      .groups = (int64_t)op->groups,
                                      .bias = op->bias};
    const struct model_pool2d pool = {.kernel = (int64_t)op->kernel_height,
                                      .stride = (int64_t)op->stride,
                                      .pad = (int64_t)op->pad,
                                      .global = op->stride == 0};
    const struct model_dense dense = {.out = (int64_t)op->out.channels, .bias = op->bias};
    const struct model_add sum = {.dropout = false};
    const struct model_plain plain = {.entry = {.name = NULL}};
    const struct model_loss loss = {.probabilities = false};
    switch (op->kind) {
    case CNN_CONV:
        return add(graph, index, &orr_model_kind_conv2d, &conv);
    case CNN_NORM:
        return add(graph, index, &orr_model_kind_batch_norm, &plain);
    case CNN_POOL:
        return add(graph, index, &orr_model_kind_pool2d, &pool);
    case CNN_SUM:
        return add(graph, index, &orr_model_kind_add, &sum);
    case CNN_DENSE:
        return add(graph, index, &orr_model_kind_dense, &dense);
    default:
        return add(graph, index, &orr_model_kind_loss, &loss);
    }
}

enum orr_status orr_cnn_graph(const struct cnn_job *job, struct model_builder *builder,
                              struct orr_diag *diag)
{
    const struct cnn_shape *image = &job->net.image;
    const int64_t sizes[] = {(int64_t)image->channels, (int64_t)image->height,
                             (int64_t)image->width};
    const struct model_data data = {.shape = {3, sizes}};
    struct graph graph = {.net = &job->net, .builder = builder, .diag = diag};
    const struct model_op_spec spec = {.kind = &orr_model_kind_data, .name = "images"};
    graph.value = orr_heap_calloc(job->net.count, sizeof *graph.value);
    if (graph.value == NULL) {
        return orr_diag_no_memory(diag, "a model");
    }
    enum orr_status status = orr_model_add(builder, &spec, &data, &graph.image, diag);
    for (uint32_t i = 0; i < job->net.count && status == ORR_OK; i++) {
        status = add_op(&graph, i);
    }
    orr_heap_free(graph.value);
    return status;
}
