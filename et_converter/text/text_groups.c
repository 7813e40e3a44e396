/* Groups of a text workload on a platform; see text.h. Ranks of a scope are evenly spaced:
 * dimension 0 varies fastest in the rank, and the groups of a transformer are tensor, then experts
 * or data, then stages, the numbering of Megatron-LM and SimAI. */
#include <inttypes.h>

#include "et_converter/conversion_report.h"
#include "et_converter/text/text.h"
#include "network/coordinates.h"
#include "network/net_config.h"

/* ---- spans ---- */

/* The dimensions that `size` ranks, `stride` apart, span; 0: none. */
static uint32_t mask_of(const struct net_config *platform, uint32_t stride, uint32_t size)
{
    uint64_t below = 1;
    uint32_t mask = 0;
    for (unsigned d = 0; d < platform->dims; d++) {
        const uint64_t behind = below * platform->dim[d].npus;
        if (below >= stride && behind <= (uint64_t)stride * size && platform->dim[d].npus > 1) {
            mask |= UINT32_C(1) << d;
        }
        below = behind;
    }
    uint64_t product = 1, first = 0;
    below = 1;
    for (unsigned d = 0; d < platform->dims; d++) {
        if ((mask >> d & 1) != 0) {
            first = first == 0 ? below : first;
            product *= platform->dim[d].npus;
        }
        below *= platform->dim[d].npus;
    }
    return first == stride && product == size ? mask : 0;
}

static void set_span(struct text_job *job, enum text_scope scope, uint32_t stride, uint32_t size)
{
    struct text_span *span = &job->span[scope];
    *span = (struct text_span){.stride = stride, .size = size};
    if (size > 1 && size < job->npus) {
        span->mask = mask_of(job->platform, stride, size);
    }
}

static enum orr_status fail_fit(const struct text_job *job, const char *what, uint32_t value,
                                const char *expected, struct orr_diag *diag)
{
    const struct orr_location place = orr_location_text(job->model->name, 1, 1);
    return orr_diag_fail(diag, ORR_ERR_INPUT, &place,
                         "%s %" PRIu32 ": expected %s; the platform has %" PRIu32 " NPUs", what,
                         value, expected, job->npus);
}

static enum orr_status fit_transformer(struct text_job *job, struct orr_diag *diag)
{
    const struct text_model *model = job->model;
    const uint32_t group = model->model_group;
    if (model->all_npus != 0 && model->all_npus != job->npus) {
        return fail_fit(job, "all_gpus:", model->all_npus, "the number of NPUs of the platform",
                        diag);
    }
    if (job->npus % group != 0) {
        return fail_fit(job, "model_parallel_NPU_group:", group, "a divisor of the number of NPUs",
                        diag);
    }
    if (job->npus / group % model->stages != 0) {
        return fail_fit(job, "pp:", model->stages,
                        "a divisor of the NPUs over model_parallel_NPU_group", diag);
    }
    const uint32_t data = job->npus / group / model->stages;
    if (data % model->expert != 0) {
        return fail_fit(job, "ep:", model->expert,
                        "a divisor of the NPUs over model_parallel_NPU_group and pp", diag);
    }
    set_span(job, TEXT_MODEL_GROUP, 1, group);
    set_span(job, TEXT_DATA_GROUP, group, data);
    set_span(job, TEXT_EXPERT_GROUP, group, model->expert);
    set_span(job, TEXT_EXPERT_DATA_GROUP, group * model->expert, data / model->expert);
    return ORR_OK;
}

enum orr_status orr_text_assign_groups(const struct text_model *model, const struct conv_job *conv,
                                       struct text_job *job, struct orr_diag *diag)
{
    const struct net_config *platform = conv->platform;
    *job = (struct text_job){.model = model,
                             .platform = platform,
                             .npus = orr_net_npus(platform),
                             .passes = conv->passes != 0 ? conv->passes : 1};
    const uint32_t first = platform->dim[0].npus;
    set_span(job, TEXT_NO_SCOPE, 1, 1);
    set_span(job, TEXT_ALL_NPUS, 1, job->npus);
    set_span(job, TEXT_FIRST_DIM, 1, first);
    set_span(job, TEXT_OTHER_DIMS, first, job->npus / first);
    const bool transformer = model->policy == TEXT_TRANSFORMER || model->policy == TEXT_RECOMPUTE;
    const enum orr_status status = transformer ? fit_transformer(job, diag) : ORR_OK;
    for (uint32_t l = 0; l < model->layers && status == ORR_OK; l++) {
        for (unsigned phase = 0; phase < TEXT_PHASES; phase++) {
            const struct text_span *span =
                &job->span[orr_text_scope_of(job, l, (enum text_phase)phase, NULL)];
            job->grouped =
                job->grouped || (span->size > 1 && span->size < job->npus && span->mask == 0);
        }
    }
    return status;
}

/* ---- scopes ---- */

/* The scope of a phase under a policy. */
static enum text_scope policy_scope(enum text_policy policy, enum text_phase phase)
{
    const bool weights = phase == TEXT_WEIGHT_GRADIENT;
    switch (policy) {
    case TEXT_MODEL:
        return weights ? TEXT_NO_SCOPE : TEXT_ALL_NPUS;
    case TEXT_INFERENCE:
        return phase == TEXT_FORWARD ? TEXT_ALL_NPUS : TEXT_NO_SCOPE;
    case TEXT_DATA_MODEL:
        return weights ? TEXT_OTHER_DIMS : TEXT_FIRST_DIM;
    case TEXT_MODEL_DATA:
        return weights ? TEXT_FIRST_DIM : TEXT_OTHER_DIMS;
    case TEXT_TRANSFORMER:
    case TEXT_RECOMPUTE:
        return weights ? TEXT_DATA_GROUP : TEXT_MODEL_GROUP;
    default: /* DATA, DLRM, MICRO */
        return weights ? TEXT_ALL_NPUS : TEXT_NO_SCOPE;
    }
}

/* The scope that the policy issues for a phase; the reference never reads the other words of a
 * file. */
static enum text_scope issued_scope(const struct text_job *job, uint32_t index,
                                    enum text_phase phase)
{
    const struct text_model *model = job->model;
    const struct text_layer *layer = &model->layer[index];
    const bool dlrm = model->policy == TEXT_DLRM || model->policy == TEXT_DLRM_ENHANCED;
    if (dlrm && index == 0) { /* the embedding tables, on all NPUs */
        const bool exchanged =
            phase == TEXT_FORWARD
                ? layer->work[phase].collective == TEXT_ALL_TO_ALL
                : phase == TEXT_WEIGHT_GRADIENT || model->last_bottom_layer + 1 < model->layers;
        return exchanged ? TEXT_ALL_NPUS : TEXT_NO_SCOPE;
    }
    if (model->policy == TEXT_MICRO && index > 0) {
        return TEXT_NO_SCOPE;
    }
    return policy_scope((enum text_policy)layer->policy, phase);
}

/* Whether it is the input gradient of the first layer, which has no predecessor; only transformers
 * wait for it nevertheless. */
static bool is_last_gradient(const struct text_job *job, uint32_t index, enum text_phase phase)
{
    const enum text_policy policy = job->model->policy;
    return index == 0 && phase == TEXT_INPUT_GRADIENT &&
           (policy == TEXT_MODEL || policy == TEXT_DATA_MODEL || policy == TEXT_MODEL_DATA ||
            policy == TEXT_CUSTOMIZED);
}

static const char *skip_reason(const struct text_job *job, uint32_t index, enum text_phase phase,
                               enum text_scope scope)
{
    if (scope == TEXT_NO_SCOPE) {
        return "communication that the policy does not have, left out";
    }
    if (is_last_gradient(job, index, phase)) {
        return "input gradients of the first layer, which the policy does not send";
    }
    if (job->model->layer[index].work[phase].bytes == 0) {
        return "communication of 0 bytes, left out";
    }
    return job->span[scope].size == 1 ? "communication in groups of one NPU, left out" : NULL;
}

enum text_scope orr_text_scope_of(const struct text_job *job, uint32_t layer, enum text_phase phase,
                                  struct conv_report *report)
{
    const struct text_work *work = &job->model->layer[layer].work[phase];
    enum text_scope scope = issued_scope(job, layer, phase);
    if (work->collective == TEXT_NONE) {
        return TEXT_NO_SCOPE;
    }
    scope = scope != TEXT_NO_SCOPE && work->scope != TEXT_NO_SCOPE ? (enum text_scope)work->scope
                                                                   : scope;
    const char *why = skip_reason(job, layer, phase, scope);
    if (why != NULL && report != NULL) {
        orr_convert_report_note(report, why, "layer %" PRIu32 " (%s): %s of %" PRIu64 " bytes, %s",
                                layer, job->model->layer[layer].name,
                                orr_text_collective_name((enum text_collective)work->collective),
                                work->bytes, orr_text_phase_name(phase));
    }
    return why == NULL ? scope : TEXT_NO_SCOPE;
}

/* ---- notes ---- */

static void note_layer(const struct text_job *job, uint32_t index, struct conv_report *report)
{
    const struct text_layer *layer = &job->model->layer[index];
    for (unsigned phase = 0; phase < TEXT_PHASES; phase++) {
        const enum text_scope scope = orr_text_scope_of(job, index, (enum text_phase)phase, report);
        if (scope == TEXT_NO_SCOPE) {
            continue;
        }
        if (layer->work[phase].collective == TEXT_ALL_REDUCE_ALL_TO_ALL) {
            orr_convert_report_note(report,
                                    "ALLREDUCEALLTOALL, as an all-reduce and then an all-to-all",
                                    "layer %" PRIu32 " (%s)", index, layer->name);
        }
        if (job->model->extended && layer->work[phase].collective == TEXT_ALL_GATHER) {
            orr_convert_report_note(
                report, "ALLGATHER sizes taken as the whole result, as in SimAI's files",
                "layer %" PRIu32 " (%s): %" PRIu64 " bytes over %" PRIu32 " NPUs", index,
                layer->name, layer->work[phase].bytes, job->span[scope].size);
        }
    }
}

void orr_text_add_notes(const struct text_job *job, struct conv_report *report)
{
    const struct text_model *model = job->model;
    for (uint32_t l = 0; l < model->layers; l++) {
        note_layer(job, l, report);
    }
    if (model->stages > 1) {
        orr_convert_report_note(
            report,
            "a pipeline, of which the file has one stage: every NPU runs it, without "
            "the bubble and the messages between stages",
            "pp: %" PRIu32, model->stages);
    }
    if (job->grouped) {
        orr_convert_report_note(
            report, "groups that end inside of a dimension, as communicator groups of ranks",
            "model_parallel_NPU_group: %" PRIu32, model->model_group);
    }
    if (model->policy == TEXT_MICRO && model->layers > 1) {
        orr_convert_report_note(report, "layers behind the first, which MICRO does not run",
                                "%" PRIu32, model->layers - 1);
    }
}
