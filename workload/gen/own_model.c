/* Operator graphs of the user's own as jobs; see own_model.h. */
#include "workload/gen/own_model.h"

#include <inttypes.h>

#include "core/arena.h"
#include "core/conf/conf.h"
#include "workload/gen/graph_job.h"
#include "workload/gen/layout_time.h"
#include "workload/parallel/graph/graph_again.h"
#include "workload/parallel/graph/graph_tables.h"
#include "workload/parallel/layout.h"
#include "workload/parallel/stage_split.h"

static bool given(const struct orr_conf *section, const char *key)
{
    return section != NULL && orr_conf_get(section, key) != NULL;
}

/* ---- the plan ---- */

static enum orr_status check_degrees(const struct gen_plan *plan, struct orr_diag *diag)
{
    static const char *const ends[] = {"embedding_as_layer", "head_as_layer", "expert_tensor",
                                       "context_exchange"};
    for (unsigned i = 0; i < sizeof ends / sizeof *ends; i++) {
        if (given(plan->parallel, ends[i])) {
            return orr_gen_fail(plan->parallel, ends[i], diag,
                                i < 2 ? "only a transformer takes this: all layers of a model count"
                                      : "only a transformer takes this");
        }
    }
    if (plan->context_exchange != GEN_GATHER) { /* of a search */
        return orr_gen_fail(plan->parallel, "context_exchange", diag,
                            "only a transformer takes this");
    }
    if (plan->layout.size[GEN_EXPERT] > 1 && plan->layout.size[GEN_TENSOR] > 1 &&
        !plan->sequence_parallel) {
        return orr_gen_fail(plan->parallel, "sequence", diag,
                            "experts on tensor-parallel ranks need sequence: true, or every rank "
                            "would send the same tokens");
    }
    return !plan->layout.experts.are_apart
               ? ORR_OK
               : orr_gen_fail(plan->parallel, "expert", diag,
                              "experts of a model of operators are spread over data-parallel ranks "
                              "alone; expected a divisor of these");
}

static enum orr_status check_training(const struct gen_plan *plan, struct orr_diag *diag)
{
    static const char *const others[] = {"fused_attention", "chain", "host_layer", "host_experts"};
    const char *narrow = orr_gen_precision_key(plan->training);
    if (narrow != NULL) {
        return orr_gen_fail(plan->training, narrow, diag,
                            "only generated models take this, not a model of operators");
    }
    for (unsigned i = 0; i < 4; i++) {
        if (given(plan->training, others[i])) {
            return orr_gen_fail(plan->training, others[i], diag,
                                "only generated models take this, not a model of operators");
        }
    }
    if ((plan->bucket_bytes != 0 || plan->slice_bytes != 0) && plan->zero != 0) {
        return orr_gen_fail(plan->training, plan->bucket_bytes != 0 ? "bucket" : "slice", diag,
                            "with ZeRO-%u gradients are reduced layer by layer", plan->zero);
    }
    return plan->recompute != GEN_RECOMPUTE_SELECTIVE || plan->recompute_operators.count > 0
               ? ORR_OK
               : orr_gen_fail(plan->training, "recompute", diag,
                              "selective: recompute_operators is missing, the operators that are "
                              "computed again");
}

/* The graph's element, unless the section has one. */
static enum orr_status set_element(const struct model_graph *graph, struct gen_plan *plan,
                                   struct orr_diag *diag)
{
    if (given(plan->training, "element_bytes") && plan->element_bytes != graph->element_bytes) {
        return orr_gen_fail(plan->training, "element_bytes", diag,
                            "the model has elements of %" PRIu64 " bytes, got %" PRIu64,
                            graph->element_bytes, plan->element_bytes);
    }
    plan->element_bytes = graph->element_bytes;
    if (!given(plan->training, "gradient_bytes")) {
        plan->gradient_bytes = graph->element_bytes;
    }
    return ORR_OK;
}

/* ---- the graph ---- */

static enum orr_status check_operator(const struct model_op *op, struct orr_diag *diag)
{
    const struct orr_conf *key = op->section;
    if (op->measured) {
        return orr_gen_fail(key, "forward", diag,
                            "\"%s\" has measured times of a batch; parallel and training need its "
                            "operations and bytes (kind custom)",
                            op->name);
    }
    return ORR_OK;
}

static enum orr_status check_graph(const struct graph_job *job, const struct orr_conf *model,
                                   struct orr_diag *diag)
{
    const struct model_graph *graph = &job->graph;
    const struct orr_location place = orr_conf_location(model);
    enum orr_status status = ORR_OK;
    if (graph->lists_gradients) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, &place,
                             "%s: its backward pass is listed (gradients: listed), which parallel "
                             "and training derive",
                             model->path);
    }
    for (uint32_t i = 0; i < graph->ops && status == ORR_OK; i++) {
        status = check_operator(&graph->op[i], diag);
    }
    return status;
}

static enum orr_status check_recompute(const struct graph_job *job, struct orr_diag *diag)
{
    bool blocks = job->plan.recompute == GEN_RECOMPUTE_NONE;
    for (uint32_t l = 0; l < job->graph.layers; l++) {
        blocks = blocks || job->graph.layer[l].of_block;
    }
    return blocks ? ORR_OK
                  : orr_gen_fail(job->plan.training, "recompute", diag,
                                 "the model has no block to recompute: a block of operators, or "
                                 "each of its repetitions, is a layer");
}

/* The stage that has a layer. */
static uint32_t stage_of(const struct graph_job *job, uint32_t layer)
{
    const struct gen_row row = orr_graph_row(&job->graph);
    const struct gen_pipeline *pipeline = &job->plan.pipeline;
    uint32_t part = 0;
    while (orr_gen_part_range(&job->plan, &row, part).end <= layer) {
        part++;
    }
    return orr_gen_pipeline_stage(pipeline, part);
}

static enum orr_status check_shared(const struct graph_job *job, struct orr_diag *diag)
{
    for (uint32_t i = 0; i < job->graph.ops; i++) {
        const struct model_op *op = &job->graph.op[i];
        const struct model_op *owner = &job->graph.op[op->owner];
        if (op->owner == i) {
            continue;
        }
        const uint32_t has = stage_of(job, owner->layer), uses = stage_of(job, op->layer);
        if (has != uses) {
            return orr_gen_fail(job->plan.parallel, "pipeline", diag,
                                "\"%s\" on stage %u uses the weights of \"%s\" on stage %u; "
                                "expected both on one stage (layers_per_stage)",
                                op->name, uses, owner->name, has);
        }
    }
    return ORR_OK;
}

/* Tables are spread over all NPUs, which read them together. */
static enum orr_status check_tables(const struct graph_job *job, struct orr_diag *diag)
{
    const struct gen_plan *plan = &job->plan;
    if (orr_graph_tables_count(&job->graph) == 0) {
        return ORR_OK;
    }
    if (plan->layout.size[GEN_TENSOR] > 1 || plan->layout.size[GEN_CONTEXT] > 1) {
        const bool tensor = plan->layout.size[GEN_TENSOR] > 1;
        return orr_gen_fail(plan->parallel, tensor ? "tensor" : "context", diag,
                            "the tables of the model are on all NPUs, each with its own samples; "
                            "expected 1, got %u",
                            plan->layout.size[tensor ? GEN_TENSOR : GEN_CONTEXT]);
    }
    if (plan->pipeline.stages > 1) {
        return orr_gen_fail(plan->parallel, "pipeline", diag,
                            "the tables of the model are on all NPUs; expected 1, got %u",
                            plan->pipeline.stages);
    }
    for (uint32_t i = 0; i < job->graph.ops; i++) {
        const struct model_op *op = &job->graph.op[i];
        if (!op->table && job->graph.op[job->graph.layer[op->layer].first].table) {
            return orr_gen_fail(op->section, "name", diag,
                                "\"%s\" is in a block behind a table; expected a block of tables "
                                "alone",
                                op->name);
        }
    }
    return plan->pipeline.micros == 1
               ? ORR_OK
               : orr_gen_fail(plan->training, "micro_batch", diag,
                              "a model with tables takes a rank's part of the batch at once; "
                              "expected %" PRIu64 ", got %" PRIu64,
                              plan->micro_batch * plan->pipeline.micros, plan->micro_batch);
}

/* Sets tables that are spread, and operators that are cut. */
static enum orr_status set_split(struct orr_arena *arena, struct graph_job *job,
                                 struct orr_diag *diag)
{
    const uint32_t tables = orr_graph_tables_count(&job->graph);
    const enum orr_status status =
        orr_graph_again_create(arena, &job->graph, &job->plan, &job->split.again, diag);
    if (status != ORR_OK) {
        return status;
    }
    if (tables == 0) {
        return orr_graph_cut_create(arena, &job->graph, &job->plan, &job->split.cut, diag);
    }
    job->split.tables =
        orr_graph_tables(arena, &job->graph, &job->plan,
                         tables < job->plan.layout.npus ? RANK_BY_ROW : RANK_BY_TABLE);
    return job->split.tables != NULL ? ORR_OK : orr_diag_no_memory(diag, "a model");
}

static enum orr_status check_layout(const struct graph_job *job, struct orr_diag *diag)
{
    const struct gen_row row = orr_graph_row(&job->graph);
    enum orr_status status = check_degrees(&job->plan, diag);
    if (status == ORR_OK) {
        status = check_training(&job->plan, diag);
    }
    if (status == ORR_OK) {
        status = orr_gen_check_split(&job->plan, &row, diag);
    }
    if (status == ORR_OK) {
        status = check_recompute(job, diag);
    }
    if (status == ORR_OK) {
        status = check_tables(job, diag);
    }
    return status == ORR_OK ? check_shared(job, diag) : status;
}

enum orr_status orr_own_model_create(struct orr_arena *arena, const struct gen_sections *sections,
                                     uint32_t npus, const struct model_graph *graph, void **out,
                                     struct orr_diag *diag)
{
    struct graph_job *job = NULL;
    enum orr_status status = orr_graph_job_begin(arena, sections, npus, &job, diag);
    if (status == ORR_OK) {
        *out = job;
        job->graph = *graph;
        status = set_element(graph, &job->plan, diag);
        job->plan.recompute_modules = 0;
    }
    if (status == ORR_OK) {
        status = orr_gen_plan_set_batch(&job->plan, orr_model_batch(graph, npus), diag);
    }
    if (status == ORR_OK) {
        status = check_graph(job, sections->model, diag);
    }
    if (status == ORR_OK && job->plan.recompute != GEN_RECOMPUTE_SELECTIVE &&
        job->plan.recompute_operators.count > 0) {
        return orr_gen_fail(job->plan.training, "recompute_operators", diag,
                            "only recompute: selective computes operators again");
    }
    if (status == ORR_OK) {
        status = check_layout(job, diag);
    }
    return status == ORR_OK ? set_split(arena, job, diag) : status;
}

/* ---- the entry ---- */

static enum orr_status change_layout(struct orr_arena *arena, const void *current,
                                     const struct gen_change *change, void **out,
                                     struct orr_diag *diag)
{
    struct graph_job *job = orr_arena_alloc(arena, sizeof *job);
    if (job == NULL) {
        return orr_diag_no_memory(diag, "another layout");
    }
    *out = job;
    *job = *(const struct graph_job *)current;
    job->plan.arena = arena;
    enum orr_status status = orr_gen_plan_change(&job->plan, change, diag);
    if (status == ORR_OK) {
        status = check_layout(job, diag);
    }
    return status == ORR_OK ? set_split(arena, job, diag) : status;
}

static double estimate(const void *of, const struct gen_speed *speed)
{
    const struct graph_job *job = of;
    struct gen_estimate estimate = {.plan = &job->plan, .row = orr_graph_row(&job->graph)};
    orr_graph_job_totals(job, &estimate.totals);
    return orr_gen_sample_seconds(&estimate, speed);
}

const struct gen_model_ops orr_own_model = {
    .name = "model",
    .summary = "a graph of operators",
    .plan = orr_graph_job_plan,
    .totals = orr_graph_job_totals,
    .program = orr_graph_job_program,
    .change = change_layout,
    .estimate = estimate,
    .operators = orr_graph_job_operators,
};
