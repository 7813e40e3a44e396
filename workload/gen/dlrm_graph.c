/* A recommendation model as a graph of operators; see dlrm.h. */
#include "core/arena.h"
#include "workload/gen/dlrm.h"
#include "workload/model/kinds/kinds.h"

struct graph {
    const struct dlrm_job *job;
    struct model_builder *builder;
    struct orr_diag *diag;
    enum orr_status status;
};

static model_value add(struct graph *graph, const struct model_op_spec *spec,
                       const void *attributes)
{
    model_value value = MODEL_NO_VALUE;
    if (graph->status == ORR_OK) {
        graph->status = orr_model_add(graph->builder, spec, attributes, &value, graph->diag);
    }
    return value;
}

static model_value add_mlp(struct graph *graph, const struct dlrm_mlp *mlp, model_value tip)
{
    for (unsigned layer = 0; layer < mlp->layers; layer++) {
        const struct model_dense dense = {.out = (int64_t)mlp->width[layer + 1], .bias = true};
        const struct model_op_spec spec = {
            .kind = &orr_model_kind_dense, .input = &tip, .inputs = 1};
        tip = add(graph, &spec, &dense);
    }
    return tip;
}

/* The inputs of the interaction: the tables, then the vector of the dense features. */
static model_value combine(struct graph *graph, model_value *vector, model_value dense)
{
    const struct dlrm_job *job = graph->job;
    const struct model_embedding table = {.rows = (int64_t)job->rows,
                                          .columns = (int64_t)job->embedding,
                                          .lookups = (int64_t)job->lookups,
                                          .row_state_bytes = (int64_t)job->row_state_bytes,
                                          .pooled = true};
    const struct model_op_spec of_table = {.kind = &orr_model_kind_embedding};
    const struct model_plain plain = {.entry = {.name = NULL}};
    for (uint64_t t = 0; t < job->tables; t++) {
        vector[t] = add(graph, &of_table, &table);
    }
    vector[job->tables] = dense;
    const struct model_op_spec spec = {
        .kind = job->interaction == DLRM_DOT ? &orr_model_kind_interaction : &orr_model_kind_concat,
        .input = vector,
        .inputs = (uint32_t)job->tables + 1};
    return add(graph, &spec, &plain);
}

enum orr_status orr_dlrm_graph(const struct dlrm_job *job, struct model_builder *builder,
                               struct orr_diag *diag)
{
    struct graph graph = {.job = job, .builder = builder, .diag = diag};
    const int64_t features = (int64_t)job->bottom.width[0];
    const struct model_data data = {.shape = {1, &features}};
    const struct model_op_spec spec = {.kind = &orr_model_kind_data, .name = "dense features"};
    model_value *vector = orr_heap_calloc((size_t)job->tables + 1, sizeof *vector);
    if (vector == NULL) {
        return orr_diag_no_memory(diag, "a model");
    }
    const model_value dense = add_mlp(&graph, &job->bottom, add(&graph, &spec, &data));
    (void)add_mlp(&graph, &job->top, combine(&graph, vector, dense));
    orr_heap_free(vector);
    return graph.status;
}
