/* Checks of section `transformer`; see section_checks.h. */
#include "workload/gen/layers/section_checks.h"

#include <inttypes.h>

#include "core/conf/conf.h"
#include "core/diag.h"

#define COUNT(rows) (sizeof(rows) / sizeof *(rows))

bool orr_transformer_mixes(const struct tf_model *model, enum tf_mixer mixer)
{
    bool found = false;
    for (uint32_t k = TF_FIRST_KIND; k < model->kinds; k++) {
        found = found || model->kind[k].mixer == mixer;
    }
    return found;
}

bool orr_transformer_feeds(const struct tf_model *model, enum tf_feed feed)
{
    bool found = false;
    for (uint32_t k = TF_FIRST_KIND; k < model->kinds; k++) {
        found = found || model->kind[k].feed == feed;
    }
    return found;
}

static enum orr_status check_heads(const struct tf_job *job, struct orr_diag *diag)
{
    const struct tf_model *model = &job->model;
    const bool sized = orr_conf_get(job->section, "head_size") != NULL || model->latent;
    if (!sized && model->hidden % model->heads != 0) {
        return orr_gen_fail(job->section, "heads", diag,
                            "%" PRIu64 " heads do not divide hidden, %" PRIu64
                            " (give head_size to set the width of a head)",
                            model->heads, model->hidden);
    }
    if (model->heads % model->kv_heads != 0) {
        return orr_gen_fail(job->section, "kv_heads", diag,
                            "%" PRIu64 " heads of keys and values do not divide the %" PRIu64
                            " heads",
                            model->kv_heads, model->heads);
    }
    return ORR_OK;
}

static enum orr_status check_ends(const struct tf_job *job, struct orr_diag *diag)
{
    const struct tf_model *model = &job->model;
    if (model->masked > model->sequence) {
        return orr_gen_fail(job->section, "masked", diag,
                            "%" PRIu64 " positions of a sample of %" PRIu64 " tokens",
                            model->masked, model->sequence);
    }
    if (model->masked > 0 && model->vocabulary == 0) {
        return orr_gen_fail(job->section, "masked", diag, "the model has no head (vocabulary: 0)");
    }
    if (model->mtp_modules > 0 && model->vocabulary == 0) {
        return orr_gen_fail(job->section, "mtp_modules", diag,
                            "the model has no head (vocabulary: 0)");
    }
    if (model->mtp_modules > 0 && model->masked > 0) {
        return orr_gen_fail(job->section, "mtp_modules", diag,
                            "modules score all positions, masked chooses some; expected one of "
                            "the two");
    }
    return ORR_OK;
}

/* Latent attention needs its sizes, and has no other ones. */
static enum orr_status check_latent(const struct tf_job *job, struct orr_diag *diag)
{
    const struct tf_model *model = &job->model;
    const struct {
        const char *key;
        uint64_t size;
    } needed[] = {{"kv_rank", model->kv_rank},
                  {"no_position_size", model->no_position_size},
                  {"rotary_size", model->rotary_size},
                  {"value_size", model->value_size}};
    static const char *const others[] = {"qk_norm", "sinks",  "gated_queries",
                                         "rotary",  "window", "chunk"};
    for (size_t i = 0; i < COUNT(needed); i++) {
        if (model->latent && needed[i].size == 0) {
            return orr_gen_fail(job->section, "attention", diag, "latent attention needs %s",
                                needed[i].key);
        }
        if (!model->latent && needed[i].size != 0) {
            return orr_gen_fail(job->section, needed[i].key, diag, "only attention: latent has it");
        }
    }
    for (size_t i = 0; i < COUNT(others) && model->latent; i++) {
        if (orr_conf_get(job->section, others[i]) != NULL) {
            return orr_gen_fail(job->section, others[i], diag,
                                "only attention: grouped has it, this is latent");
        }
    }
    return ORR_OK;
}

/* Layers of the pattern that need a key, and the other way round. */
static enum orr_status check_pattern(const struct tf_job *job, struct orr_diag *diag)
{
    const struct tf_model *model = &job->model;
    const struct {
        const char *key, *word;
        uint64_t size;
        bool has;
    } row[] = {
        {"window", "window", model->window, orr_transformer_mixes(model, TF_WINDOW)},
        {"chunk", "chunk", model->chunk, orr_transformer_mixes(model, TF_CHUNK)},
        {"mamba_heads", "mamba2", model->mamba.heads, orr_transformer_mixes(model, TF_MAMBA2)},
        {"experts", "experts", model->experts, orr_transformer_feeds(model, TF_EXPERTS)}};
    for (size_t i = 0; i < COUNT(row) && model->pattern != NULL; i++) {
        if (row[i].has && row[i].size == 0) {
            return orr_gen_fail(job->section, "pattern", diag, "its layers %s need the key %s",
                                row[i].word, row[i].key);
        }
        if (!row[i].has && row[i].size != 0) {
            return orr_gen_fail(job->section, row[i].key, diag, "no layer of the pattern has %s",
                                row[i].word);
        }
    }
    return ORR_OK;
}

static enum orr_status check_order(const struct tf_job *job, struct orr_diag *diag)
{
    const struct tf_model *model = &job->model;
    const bool spans =
        orr_transformer_mixes(model, TF_WINDOW) || orr_transformer_mixes(model, TF_CHUNK);
    if (model->pattern != NULL && orr_conf_get(job->section, "moe_every") != NULL) {
        return orr_gen_fail(job->section, "moe_every", diag,
                            "the pattern says which layers have experts");
    }
    if (spans && !model->causal) {
        return orr_gen_fail(job->section, "causal", diag,
                            "layers with a window or in chunks see earlier tokens only; expected "
                            "true");
    }
    const char *const unknown[] = {model->pattern != NULL ? "pattern" : NULL,
                                   model->latent ? "attention" : NULL,
                                   model->mtp_modules > 0 ? "mtp_modules" : NULL};
    for (size_t i = 0; i < COUNT(unknown) && model->encoder_layers > 0; i++) {
        if (unknown[i] != NULL) {
            return orr_gen_fail(job->section, unknown[i], diag,
                                "a model with an encoder has plain layers alone");
        }
    }
    return ORR_OK;
}

/* Groups of experts that tokens are limited to. */
static enum orr_status check_groups(const struct tf_job *job, struct orr_diag *diag)
{
    const struct tf_model *model = &job->model;
    const uint64_t groups = model->expert_groups, of_token = model->groups_per_token;
    if (groups == 0) {
        return ORR_OK;
    }
    if (model->experts % groups != 0) {
        return orr_gen_fail(job->section, "expert_groups", diag,
                            "expected a divisor of the %" PRIu64 " experts, got %" PRIu64,
                            model->experts, groups);
    }
    if (of_token > groups) {
        return orr_gen_fail(job->section, "groups_per_token", diag,
                            "a token cannot go to %" PRIu64 " of %" PRIu64 " groups", of_token,
                            groups);
    }
    if (of_token > 0 && of_token * (model->experts / groups) < model->experts_per_token) {
        return orr_gen_fail(job->section, "groups_per_token", diag,
                            "%" PRIu64 " groups have %" PRIu64 " experts, fewer than the %" PRIu64
                            " that a token goes to",
                            of_token, of_token * (model->experts / groups),
                            model->experts_per_token);
    }
    return ORR_OK;
}

enum orr_status orr_transformer_check_model(const struct tf_job *job, struct orr_diag *diag)
{
    static enum orr_status (*const checks[])(const struct tf_job *, struct orr_diag *) = {
        check_heads, check_ends, check_latent, check_pattern, check_order};
    const struct tf_model *model = &job->model;
    if (model->experts > 0 && model->experts_per_token > model->experts) {
        return orr_gen_fail(job->section, "experts_per_token", diag,
                            "a token cannot go to %" PRIu64 " of %" PRIu64 " experts",
                            model->experts_per_token, model->experts);
    }
    enum orr_status status = check_groups(job, diag);
    for (size_t i = 0; i < COUNT(checks) && status == ORR_OK; i++) {
        status = checks[i](job, diag);
    }
    return status;
}

/* At most 8 + 2 x 64 + 8 bytes a parameter. */
enum orr_status orr_transformer_check_size(const struct tf_job *job, struct orr_diag *diag)
{
    static const double max = 1e16;
    struct gen_totals totals;
    if (!orr_transformer_totals(job, &totals)) {
        return orr_diag_no_memory(diag, "a generated model");
    }
    if (totals.parameters <= max) {
        return ORR_OK;
    }
    const struct orr_location location = orr_conf_location(job->section);
    return orr_diag_fail(diag, ORR_ERR_INPUT, &location,
                         "%s: the model has %.4g parameters; at most %.0e are supported",
                         job->section->path, totals.parameters, max);
}
