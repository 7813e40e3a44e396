/* Loads of experts that change from layer to layer: keys expert_busiest, expert_draw, expert_load
 * with a file, expert_places. */
#include <inttypes.h>

#include "workload/experts/busiest_rank.h"
#include "workload/gen/layers/section_checks.h"
#include "workload/gen/transformer.h"

static enum orr_status check_places(const struct tf_job *job, struct orr_diag *diag)
{
    const struct tf_model *model = &job->model;
    const uint32_t ranks = gen_expert_ranks(&job->plan.layout);
    if (model->expert_places == 0) {
        return ORR_OK;
    }
    if (model->expert_places < model->experts || model->expert_places > 1000000) {
        return orr_gen_fail(job->section, "expert_places", diag,
                            "replicas do not fit: expected at least the %" PRIu64
                            " experts, got %" PRIu64 " places",
                            model->experts, model->expert_places);
    }
    return model->expert_places % ranks == 0
               ? ORR_OK
               : orr_gen_fail(job->section, "expert_places", diag,
                              "replicas do not fit: %u ranks cannot have as many of %" PRIu64
                              " places each",
                              ranks, model->expert_places);
}

static enum orr_status check_sources(const struct tf_job *job, struct orr_diag *diag)
{
    const struct tf_model *model = &job->model;
    const bool changes = model->counts != NULL || model->draw_seed >= 0;
    if (model->given_busiest > 0 && (changes || model->load.before != NULL)) {
        return orr_gen_fail(job->section, "expert_busiest", diag,
                            "the loads say it already (expert_load, expert_draw)");
    }
    if (model->expert_iteration >= 0 && !changes) {
        return orr_gen_fail(job->section, "expert_iteration", diag,
                            "expected loads that change: expert_draw, or expert_load with a file "
                            "of counts");
    }
    if (model->expert_places > 0 && !changes) {
        return orr_gen_fail(job->section, "expert_places", diag,
                            "expected loads that replicas even out: expert_draw, or expert_load "
                            "with a file of counts");
    }
    return (changes || model->given_busiest > 0) && model->capacity != 1
               ? orr_gen_fail(job->section, "capacity", diag,
                              "with a capacity all experts have as many slots; expected 1 where "
                              "loads change")
               : ORR_OK;
}

enum { MEAN_LAYERS = 64 }; /* of an iteration that is none in particular */

static uint32_t expert_layers(const struct tf_model *model)
{
    uint32_t layers = 0;
    for (uint32_t l = 0; l < model->layers; l++) {
        layers += model->kind[orr_transformer_kind_of(model, l)].feed == TF_EXPERTS ? 1 : 0;
    }
    return layers > 0 ? layers : 1;
}

/* All that the ranks of an exchange send in a layer. */
static double tokens_of_layer(const struct tf_job *job)
{
    const struct gen_plan *plan = &job->plan;
    const double shares = plan->sequence_parallel ? plan->layout.size[GEN_TENSOR] : 1;
    return (double)gen_expert_ranks(&plan->layout) * (double)job->model.sequence *
           (double)plan->micro_batch * (double)job->model.experts_per_token / shares /
           plan->layout.size[GEN_CONTEXT];
}

enum orr_status orr_transformer_set_busiest(struct tf_job *job, struct orr_diag *diag)
{
    struct tf_model *model = &job->model;
    const struct gen_layout *layout = &job->plan.layout;
    const uint32_t ranks = gen_expert_ranks(layout);
    const uint64_t places = model->expert_places > 0 ? model->expert_places : model->experts;
    const uint64_t groups = model->expert_groups > 0 ? model->expert_groups : 1;
    const struct orr_expert_places where = {
        .experts = (uint32_t)model->experts,
        .groups = (uint32_t)groups,
        .nodes = layout->node > 0 ? ranks / orr_gen_expert_ranks_of_node(layout) : 1,
        .ranks = ranks,
        .places = (uint32_t)places};
    model->busiest = (struct orr_busiest){1, 1};
    enum orr_status status = check_sources(job, diag);
    if (status == ORR_OK) {
        status = check_places(job, diag);
    }
    if (status != ORR_OK || ranks == 1) {
        return status;
    }
    if (model->given_busiest > 0) {
        model->busiest.rank = model->given_busiest;
    }
    const int64_t iteration = model->expert_iteration;
    const struct orr_expert_draw draw = {.tokens = tokens_of_layer(job),
                                         .seed = (uint64_t)model->draw_seed,
                                         .iteration = iteration < 0 ? 0 : (uint64_t)iteration,
                                         .layers =
                                             iteration < 0 ? MEAN_LAYERS : expert_layers(model)};
    return model->counts != NULL
               ? orr_busiest_count(model->counts, &where, iteration, &model->busiest, diag)
           : model->draw_seed >= 0
               ? orr_busiest_draw(&model->load, &where, &draw, &model->busiest, diag)
               : ORR_OK;
}
