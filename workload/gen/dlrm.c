/* Work, totals and memory of a recommendation model; see dlrm.h, docs/how-to/generated-dlrm.md. */
#include "workload/gen/dlrm.h"

#include "core/arena.h"
#include "core/saturate.h"
#include "workload/gen/models.h"
#include "workload/model/kinds/kinds.h"

/* ---- sizes ---- */

uint64_t orr_dlrm_layer_parameters(const struct dlrm_mlp *mlp, unsigned layer)
{
    return sat_times(mlp->width[layer] + 1, mlp->width[layer + 1]); /* including the bias */
}

static uint64_t parameters_of(const struct dlrm_mlp *mlp)
{
    uint64_t sum = 0;
    for (unsigned layer = 0; layer < mlp->layers; layer++) {
        sum = sat_plus(sum, orr_dlrm_layer_parameters(mlp, layer));
    }
    return sum;
}

uint64_t orr_dlrm_mlp_parameters(const struct dlrm_job *job)
{
    return sat_plus(parameters_of(&job->bottom), parameters_of(&job->top));
}

static uint64_t fullest_tables(const struct dlrm_job *job)
{
    return sat_divide_up(job->tables, job->plan.layout.npus);
}

uint64_t orr_dlrm_held_rows(const struct dlrm_job *job)
{
    return job->sharding == DLRM_BY_TABLE
               ? sat_times(fullest_tables(job), job->rows)
               : sat_divide_up(sat_times(job->tables, job->rows), job->plan.layout.npus);
}

uint64_t orr_dlrm_read_rows(const struct dlrm_job *job)
{
    const uint64_t of_table = sat_times(job->plan.batch, job->lookups);
    return job->sharding == DLRM_BY_TABLE
               ? sat_times(of_table, fullest_tables(job))
               : sat_divide_up(sat_times(of_table, job->tables), job->plan.layout.npus);
}

uint64_t orr_dlrm_pooled_vectors(const struct dlrm_job *job)
{
    const uint64_t tables = job->sharding == DLRM_BY_TABLE ? fullest_tables(job) : job->tables;
    return sat_times(job->plan.batch, tables);
}

static uint64_t vector_bytes(const struct dlrm_job *job)
{
    return sat_times(job->embedding, job->plan.element_bytes);
}

uint64_t orr_dlrm_exchange_bytes(const struct dlrm_job *job)
{
    return sat_times(orr_dlrm_pooled_vectors(job), vector_bytes(job));
}

/* ---- work ---- */

struct gen_work orr_dlrm_lookup(const struct dlrm_job *job)
{
    const uint64_t rows = orr_dlrm_read_rows(job);
    return (struct gen_work){
        sat_times(rows, job->embedding),
        sat_times(sat_plus(rows, orr_dlrm_pooled_vectors(job)), vector_bytes(job))};
}

struct gen_work orr_dlrm_row_update(const struct dlrm_job *job)
{
    const uint64_t rows = orr_dlrm_read_rows(job);
    const uint64_t row_bytes = sat_plus(vector_bytes(job), job->row_state_bytes);
    return (struct gen_work){
        sat_times(rows, job->embedding),
        sat_plus(orr_dlrm_exchange_bytes(job), sat_times(2, sat_times(rows, row_bytes)))};
}

struct gen_work orr_dlrm_interaction(const struct dlrm_job *job, bool backward)
{
    const uint64_t samples = job->plan.micro_batch;
    const uint64_t vectors = job->tables + 1;
    const uint64_t out = job->top.width[0];
    if (job->interaction == DLRM_CAT) {
        const uint64_t elements = sat_times(samples, out);
        return (struct gen_work){elements, sat_times(elements, 2 * job->plan.element_bytes)};
    }
    const uint64_t in = sat_times(vectors, job->embedding);
    const uint64_t dots =
        sat_times(sat_times(2, samples), sat_times(sat_times(vectors, vectors), job->embedding));
    const uint64_t touched = sat_plus(sat_times(backward ? 2 : 1, in), out);
    return (struct gen_work){sat_times(backward ? 2 : 1, dots),
                             sat_times(sat_times(samples, touched), job->plan.element_bytes)};
}

/* ---- totals ---- */

/* Of a sample, forward and backward. The dense features have no gradient. */
static double model_flops(const struct dlrm_job *job)
{
    double products = 0;
    const struct dlrm_mlp *mlps[] = {&job->bottom, &job->top};
    for (unsigned i = 0; i < 2; i++) {
        for (unsigned l = 0; l < mlps[i]->layers; l++) {
            const double passes = i == 0 && l == 0 ? 2 : 3;
            products += passes * (double)mlps[i]->width[l] * (double)mlps[i]->width[l + 1];
        }
    }
    const double vectors = (double)job->tables + 1;
    const double dots =
        job->interaction == DLRM_DOT ? vectors * vectors * (double)job->embedding : 0;
    return 2 * (products + 3 * dots);
}

void orr_dlrm_totals(const struct dlrm_job *job, struct gen_totals *totals)
{
    const double mlps = (double)orr_dlrm_mlp_parameters(job);
    const double tables = (double)job->tables * (double)job->embedding;
    *totals = (struct gen_totals){.parameters = mlps + tables * (double)job->rows,
                                  .active_parameters = mlps + tables * (double)job->lookups,
                                  .model_flops = (double)job->plan.batch * model_flops(job),
                                  .samples = (double)job->plan.batch};
}

/* ---- memory ---- */

/* Kept activations: inputs of products, of the interaction and of the loss. */
static uint64_t kept_elements(const struct dlrm_job *job)
{
    uint64_t sum =
        sat_plus(sat_times(job->tables, job->embedding), job->bottom.width[job->bottom.layers]);
    for (unsigned l = 0; l < job->bottom.layers; l++) {
        sum = sat_plus(sum, job->bottom.width[l]);
    }
    for (unsigned l = 0; l <= job->top.layers; l++) {
        sum = sat_plus(sum, job->top.width[l]);
    }
    return sum;
}

void orr_dlrm_memory(const struct dlrm_job *job, struct gen_memory *memory)
{
    const struct gen_plan *plan = &job->plan;
    const uint64_t dense = orr_dlrm_mlp_parameters(job);
    const uint64_t rows = orr_dlrm_held_rows(job);
    *memory = (struct gen_memory){
        .weights_bytes =
            sat_plus(sat_times(dense, plan->element_bytes), sat_times(rows, vector_bytes(job))),
        .gradients_bytes = sat_times(dense, plan->gradient_bytes),
        .optimizer_bytes = sat_plus(sat_times(dense, plan->optimizer_bytes),
                                    sat_times(rows, job->row_state_bytes)),
        .activations_bytes =
            sat_times(sat_times(plan->micro_batch, plan->element_bytes), kept_elements(job))};
}

/* ---- as a graph of operators ---- */

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

static enum orr_status model_graph(const void *of, struct model_builder *builder,
                                   struct orr_diag *diag)
{
    const struct dlrm_job *job = of;
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

/* ---- the entry of the table of models ---- */

static enum orr_status read_model(struct orr_arena *arena, const struct gen_sections *sections,
                                  uint32_t npus, void **out, struct orr_diag *diag)
{
    struct dlrm_job *job = orr_arena_alloc(arena, sizeof *job);
    if (job == NULL) {
        return orr_diag_no_memory(diag, "a generated model");
    }
    *out = job;
    const enum orr_status status =
        orr_gen_plan_read(sections->parallel, sections->training, npus, &job->plan, diag);
    return status == ORR_OK ? orr_dlrm_read(sections->model, job, diag) : status;
}

static const struct gen_plan *plan_of(const void *job)
{
    return &((const struct dlrm_job *)job)->plan;
}

static void emit_model(const void *job, uint32_t stage, struct gen_emitter *emitter)
{
    (void)stage; /* there is one */
    orr_dlrm_emit(job, emitter);
}

static void model_totals(const void *job, struct gen_totals *totals)
{
    orr_dlrm_totals(job, totals);
}

static bool model_memory(const void *job, uint32_t stage, struct gen_memory *memory)
{
    (void)stage;
    orr_dlrm_memory(job, memory);
    return true;
}

const struct gen_model_ops orr_dlrm_model = {
    "dlrm",
    "recommendation models: tables spread over all NPUs, MLPs on each",
    &orr_dlrm_key_table,
    read_model,
    plan_of,
    emit_model,
    model_totals,
    model_memory,
    NULL,
    NULL,
    model_graph,
    NULL,
    NULL,
};
