/* Work, totals and memory of a recommendation model; see dlrm.h, docs/how-to/generated-dlrm.md. */
#include "workload/gen/dlrm_job.h"

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

/* ---- totals ---- */

static void model_totals(const void *of, struct gen_totals *totals)
{
    const struct dlrm_job *job = of;
    const double mlps = (double)orr_dlrm_mlp_parameters(job);
    const double tables = (double)job->tables * (double)job->embedding;
    orr_graph_job_totals(&job->job, totals);
    totals->parameters = mlps + tables * (double)job->rows;
    totals->active_parameters = mlps + tables * (double)job->lookups;
}

/* ---- as a graph of operators ---- */

struct graph {
    const struct dlrm_job *job;
    struct model_builder *builder;
    struct orr_diag *diag;
    enum orr_status status;
    struct orr_arena *labels; /* NULL: operators have their kinds' names */
};

static model_value add(struct graph *graph, struct model_op_spec spec, const char *label,
                       const void *attributes)
{
    model_value value = MODEL_NO_VALUE;
    spec.label = graph->labels != NULL ? label : NULL;
    if (graph->status == ORR_OK) {
        graph->status = orr_model_add(graph->builder, &spec, attributes, &value, graph->diag);
    }
    return value;
}

static model_value add_mlp(struct graph *graph, const char *name, const struct dlrm_mlp *mlp,
                           model_value tip)
{
    for (unsigned layer = 0; layer < mlp->layers; layer++) {
        const struct model_dense dense = {.out = (int64_t)mlp->width[layer + 1], .bias = true};
        const struct model_op_spec spec = {
            .kind = &orr_model_kind_dense, .input = &tip, .inputs = 1};
        const char *label =
            graph->labels != NULL ? orr_arena_printf(graph->labels, "%s %u", name, layer) : NULL;
        tip = add(graph, spec, label, &dense);
    }
    return tip;
}

static model_value add_bottom(struct graph *graph)
{
    const int64_t features = (int64_t)graph->job->bottom.width[0];
    const struct model_data data = {.shape = {1, &features}};
    const struct model_op_spec spec = {.kind = &orr_model_kind_data, .name = "dense features"};
    return add_mlp(graph, "bottom", &graph->job->bottom, add(graph, spec, NULL, &data));
}

static void add_tables(struct graph *graph, model_value *vector)
{
    const struct dlrm_job *job = graph->job;
    const struct model_embedding table = {.rows = (int64_t)job->rows,
                                          .columns = (int64_t)job->embedding,
                                          .lookups = (int64_t)job->lookups,
                                          .row_state_bytes = (int64_t)job->row_state_bytes,
                                          .pooled = true};
    const struct model_op_spec spec = {.kind = &orr_model_kind_embedding};
    for (uint64_t t = 0; t < job->tables; t++) {
        vector[t] = add(graph, spec, "embedding lookup", &table);
    }
}

/* The interaction of the tables and the vector of the dense features. */
static model_value add_interaction(struct graph *graph, const model_value *vector)
{
    const struct dlrm_job *job = graph->job;
    const struct model_plain plain = {.entry = {.name = NULL}};
    const struct model_op_spec spec = {
        .kind = job->interaction == DLRM_DOT ? &orr_model_kind_interaction : &orr_model_kind_concat,
        .input = vector,
        .inputs = (uint32_t)job->tables + 1};
    return add(graph, spec, "interaction", &plain);
}

/* For a job the tables come first, so that they are looked up beside the bottom MLP, and the loss
 * is an operator. */
static enum orr_status add_all(struct graph *graph)
{
    const struct model_loss loss = {.probabilities = false};
    model_value *vector = orr_heap_calloc((size_t)graph->job->tables + 1, sizeof *vector);
    if (vector == NULL) {
        return orr_diag_no_memory(graph->diag, "a model");
    }
    model_value *dense = &vector[graph->job->tables];
    if (graph->labels != NULL) {
        add_tables(graph, vector);
        *dense = add_bottom(graph);
    } else {
        *dense = add_bottom(graph);
        add_tables(graph, vector);
    }
    const model_value tip = add_mlp(graph, "top", &graph->job->top, add_interaction(graph, vector));
    const struct model_op_spec spec = {.kind = &orr_model_kind_loss, .input = &tip, .inputs = 1};
    if (graph->labels != NULL) {
        (void)add(graph, spec, "loss", &loss);
    }
    orr_heap_free(vector);
    return graph->status;
}

static enum orr_status model_graph(const void *of, struct model_builder *builder,
                                   struct orr_diag *diag)
{
    struct graph graph = {.job = of, .builder = builder, .diag = diag};
    return add_all(&graph);
}

/* A concatenation copies the vectors, which stay: the exchange does not write into it. */
static void keep_vectors(const struct dlrm_job *job)
{
    for (uint32_t i = 0; i < job->job.graph.ops; i++) {
        struct model_op *op = (struct model_op *)&job->job.graph.op[i];
        if (op->kind == &orr_model_kind_concat) {
            op->keeps_inputs = true;
            op->op_kind = ORR_OP_MEMORY;
        }
    }
}

static enum orr_status make_job(struct orr_arena *arena, struct dlrm_job *job,
                                struct orr_diag *diag)
{
    const struct model_info info = {.name = "dlrm",
                                    .element_bytes = job->job.plan.element_bytes,
                                    .max_ops = (uint32_t)job->tables + 3 * DLRM_MAX_LAYERS,
                                    .saturates = true};
    struct graph graph = {.job = job, .diag = diag, .labels = arena};
    graph.builder = orr_model_builder_create(arena, &info, diag);
    if (graph.builder == NULL) {
        return orr_diag_no_memory(diag, "a generated model");
    }
    enum orr_status status = add_all(&graph);
    if (status == ORR_OK) {
        status = orr_model_finish(graph.builder, &job->job.graph, diag);
    }
    if (status != ORR_OK) {
        return status;
    }
    keep_vectors(job);
    job->job.split.tables = orr_graph_tables(arena, &job->job.graph, &job->job.plan, job->sharding);
    return job->job.split.tables != NULL ? ORR_OK : orr_diag_no_memory(diag, "a generated model");
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
    job->job.plan.arena = arena;
    enum orr_status status =
        orr_gen_plan_read(sections->parallel, sections->training, npus, &job->job.plan, diag);
    if (status == ORR_OK) {
        status = orr_dlrm_read(sections->model, job, diag);
    }
    return status == ORR_OK ? make_job(arena, job, diag) : status;
}

const struct gen_model_ops orr_dlrm_model = {
    .name = "dlrm",
    .summary = "recommendation models: tables spread over all NPUs, MLPs on each",
    .keys = &orr_dlrm_key_table,
    .read = read_model,
    .plan = orr_graph_job_plan,
    .totals = model_totals,
    .program = orr_graph_job_program,
    .graph = model_graph,
};
