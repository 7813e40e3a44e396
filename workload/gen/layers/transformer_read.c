/* The `transformer` section of a workload, and checks of the layout; see transformer.h. */
#include <inttypes.h>

#include "core/conf/conf.h"
#include "core/conf/conf_read.h"
#include "core/conf/keys.h"
#include "workload/gen/transformer.h"
#include "workload/parallel/layout.h"

#define COUNT(keys) (sizeof(keys) / sizeof *(keys))

/* Approximate nodes of a layer for a micro-batch. */
enum { NODES_OF_LAYER = 40 };
#define MAX_NODES 1e8

static const char *const norms[] = {"layernorm", "rmsnorm", NULL};

struct section {
    int64_t layers, encoder_layers, hidden, heads, kv_heads, head_size, ffn, sequence;
    int64_t encoder_sequence, vocabulary, positions, token_types, experts, experts_per_token;
    int64_t expert_ffn, moe_every, masked;
    double capacity;
    struct orr_conf_list expert_load;
    bool gated, tied, bias, causal, dropout, pooler;
    unsigned norm;
};

#define AT(member) offsetof(struct section, member)
#define NUMBER(key, min, max, text)                                                                \
    .name = #key, .type = ORR_KEY_INTEGER, .offset = AT(key), .low = min, .high = max, .doc = text
#define FLAG(key, value, text)                                                                     \
    {                                                                                              \
        .name = #key, .type = ORR_KEY_BOOL, .offset = AT(key), .default_text = value, .doc = text  \
    }

static const struct orr_key keys[] = {
    {NUMBER(layers, 1, 1e6, "layers (of the decoder, when there is an encoder)"), .required = true,
     .example = "layers: 96"},
    {NUMBER(encoder_layers, 0, 1e6, "layers of an encoder that all decoder layers attend to (T5)"),
     .default_text = "0"},
    {NUMBER(hidden, 1, 1e7, "width of a token's vector"), .required = true,
     .example = "hidden: 12288"},
    {NUMBER(heads, 1, 1e6, "attention heads"), .required = true, .example = "heads: 96"},
    {NUMBER(kv_heads, 1, 1e6, "heads of keys and values, fewer with grouped queries"),
     .absent = "heads"},
    {NUMBER(head_size, 1, 1e6, "width of a head"), .absent = "hidden / heads"},
    {NUMBER(ffn, 1, 1e8, "width between the products of the feed-forward part"),
     .absent = "4 x hidden"},
    {NUMBER(sequence, 1, 1e8, "tokens of a sample"), .required = true, .example = "sequence: 2048"},
    {NUMBER(encoder_sequence, 1, 1e8, "tokens of a sample in the encoder"), .absent = "sequence"},
    {NUMBER(vocabulary, 0, 1e8, "size of the vocabulary; 0: neither embedding nor logits"),
     .required = true, .example = "vocabulary: 51200"},
    {NUMBER(positions, 0, 1e8, "learned position embeddings"), .default_text = "0"},
    {NUMBER(token_types, 0, 1e6, "learned token type embeddings (BERT)"), .default_text = "0"},
    {NUMBER(
         masked, 1, 1e8,
         "positions of a sample whose logits and loss are computed (BERT: 20 of 128, 80 of 512)"),
     .absent = "all"},
    FLAG(gated, "false", "a gate parallel to the first feed-forward product (SwiGLU)"),
    FLAG(tied, "true", "logits use the embedding's weights"),
    FLAG(bias, "true", "matrices have a bias"),
    FLAG(causal, "false", "a decoder's attention does the work for earlier tokens only"),
    FLAG(dropout, "true", "dropout, whose masks are kept"),
    FLAG(pooler, "false", "a dense layer on the first token (BERT)"),
    {.name = "norm",
     .type = ORR_KEY_CHOICE,
     .offset = AT(norm),
     .choices = norms,
     .default_text = "layernorm",
     .doc = "normalization"},
    {NUMBER(experts, 0, 1e6, "experts of a layer; 0: dense"), .default_text = "0"},
    {NUMBER(experts_per_token, 1, 1e6, "experts that a token goes to"), .default_text = "1"},
    {NUMBER(expert_ffn, 1, 1e8, "width between the products of an expert"), .absent = "ffn"},
    {NUMBER(moe_every, 1, 1e6, "every n-th layer has experts"), .default_text = "1"},
    {.name = "capacity",
     .type = ORR_KEY_NUMBER,
     .offset = AT(capacity),
     .low = 0.01,
     .high = 1000,
     .default_text = "1",
     .doc = "capacity factor: token slots of the experts, per token that is sent to them"},
    {.name = "expert_load",
     .type = ORR_KEY_TEXT,
     .offset = AT(expert_load),
     .list = true,
     .scalar_as_list = true,
     .min = 1,
     .absent = "even",
     .only_with = "experts",
     .example = "expert_load: zipf:0.8",
     .doc = "tokens of each expert: even; zipf:S, the i-th gets i^-S; or a list of relative loads"},
};

const struct orr_key_table orr_transformer_key_table = {"the transformer section", keys,
                                                        COUNT(keys), NULL};

static uint64_t value_or(int64_t chosen, uint64_t other)
{
    return chosen != 0 ? (uint64_t)chosen : other;
}

static void fill(const struct section *section, struct tf_model *model)
{
    *model = (struct tf_model){.layers = (uint32_t)section->layers,
                               .encoder_layers = (uint32_t)section->encoder_layers,
                               .hidden = (uint64_t)section->hidden,
                               .heads = (uint64_t)section->heads,
                               .sequence = (uint64_t)section->sequence,
                               .masked = (uint64_t)section->masked,
                               .vocabulary = (uint64_t)section->vocabulary,
                               .positions = (uint64_t)section->positions,
                               .token_types = (uint64_t)section->token_types,
                               .experts = (uint64_t)section->experts,
                               .experts_per_token = (uint64_t)section->experts_per_token,
                               .moe_every = (uint32_t)section->moe_every,
                               .capacity = section->capacity,
                               .gated = section->gated,
                               .tied = section->tied,
                               .bias = section->bias,
                               .causal = section->causal,
                               .dropout = section->dropout,
                               .pooler = section->pooler,
                               .norm = (enum tf_norm)section->norm};
    model->kv_heads = value_or(section->kv_heads, model->heads);
    model->head_size = value_or(section->head_size, model->hidden / model->heads);
    model->ffn = value_or(section->ffn, 4 * model->hidden);
    model->expert_ffn = value_or(section->expert_ffn, model->ffn);
    if (model->encoder_layers > 0) {
        model->encoder_sequence = value_or(section->encoder_sequence, model->sequence);
    }
    orr_transformer_set_kinds(model);
}

/* ---- checks ---- */

static enum orr_status check_model(const struct section *section, const struct tf_job *job,
                                   struct orr_diag *diag)
{
    const struct tf_model *model = &job->model;
    if (section->head_size == 0 && model->hidden % model->heads != 0) {
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
    if (model->experts > 0 && model->experts_per_token > model->experts) {
        return orr_gen_fail(job->section, "experts_per_token", diag,
                            "a token cannot go to %" PRIu64 " of %" PRIu64 " experts",
                            model->experts_per_token, model->experts);
    }
    if (model->masked > model->sequence) {
        return orr_gen_fail(job->section, "masked", diag,
                            "%" PRIu64 " positions of a sample of %" PRIu64 " tokens",
                            model->masked, model->sequence);
    }
    if (model->masked > 0 && model->vocabulary == 0) {
        return orr_gen_fail(job->section, "masked", diag, "the model has no head (vocabulary: 0)");
    }
    return ORR_OK;
}

static enum orr_status fail_split(const struct tf_job *job, const char *key, uint32_t degree,
                                  const char *what, uint64_t count, struct orr_diag *diag)
{
    return orr_gen_fail(job->plan.parallel, key, diag, "%u does not divide the %" PRIu64 " %s",
                        degree, count, what);
}

static enum orr_status check_tensor(const struct tf_job *job, struct orr_diag *diag)
{
    const struct tf_model *model = &job->model;
    const uint32_t tensor = job->plan.layout.size[GEN_TENSOR];
    if (model->heads % tensor != 0) {
        return fail_split(job, "tensor", tensor, "heads", model->heads, diag);
    }
    if (model->kv_heads % tensor != 0 && tensor % model->kv_heads != 0) {
        return fail_split(job, "tensor", tensor, "heads of keys and values, nor is divided by them",
                          model->kv_heads, diag);
    }
    if (model->ffn % tensor != 0) {
        return fail_split(job, "tensor", tensor, "columns of the feed-forward part (ffn)",
                          model->ffn, diag);
    }
    if (model->experts > 0 && model->expert_ffn % tensor != 0) {
        return fail_split(job, "tensor", tensor, "columns of an expert (expert_ffn)",
                          model->expert_ffn, diag);
    }
    if (model->experts > 0 && tensor > 1 && !job->plan.sequence_parallel) {
        return orr_gen_fail(job->plan.parallel, "sequence", diag,
                            "experts on tensor-parallel ranks need sequence: true, or every rank "
                            "would send the same tokens");
    }
    return ORR_OK;
}

static enum orr_status check_tokens(const struct tf_job *job, struct orr_diag *diag)
{
    const uint32_t context = job->plan.layout.size[GEN_CONTEXT];
    const uint32_t tensor = job->plan.layout.size[GEN_TENSOR];
    const uint64_t lengths[] = {job->model.sequence, job->model.encoder_sequence};
    for (unsigned i = 0; i < COUNT(lengths); i++) {
        if (lengths[i] % context != 0) {
            return fail_split(job, "context", context, "tokens of a sample", lengths[i], diag);
        }
        const uint64_t tokens = lengths[i] / context * job->plan.micro_batch;
        if (job->plan.sequence_parallel && tokens % tensor != 0) {
            return fail_split(job, "tensor", tensor, "tokens of a rank, as sequence: true needs",
                              tokens, diag);
        }
    }
    return ORR_OK;
}

static enum orr_status check_layers(const struct tf_job *job, struct orr_diag *diag)
{
    const struct tf_model *model = &job->model;
    const struct gen_pipeline *pipeline = &job->plan.pipeline;
    const struct gen_row row = orr_transformer_row(model);
    const uint64_t parts = (uint64_t)pipeline->stages * pipeline->chunks;
    const uint32_t expert = job->plan.layout.size[GEN_EXPERT];
    if (model->encoder_layers > 0 && parts > 1) {
        return orr_gen_fail(job->plan.parallel, "pipeline", diag,
                            "a model with an encoder and a decoder cannot be cut into stages");
    }
    const enum orr_status status = orr_gen_check_split(&job->plan, &row, diag);
    if (status != ORR_OK) {
        return status;
    }
    if (model->experts == 0 && expert > 1) {
        return orr_gen_fail(job->plan.parallel, "expert", diag,
                            "the model has no experts; expected 1, got %u", expert);
    }
    if (model->experts % expert != 0) {
        return fail_split(job, "expert", expert, "experts", model->experts, diag);
    }
    const uint32_t layers = orr_gen_max_layers(&job->plan, &row);
    const double nodes =
        (double)NODES_OF_LAYER * layers * pipeline->micros * (double)job->plan.steps;
    if (nodes > MAX_NODES) {
        return orr_gen_fail(job->plan.training, "batch", diag,
                            "%u layers of a stage x %u micro-batches x %u steps make about %.2g "
                            "nodes for each stage; at most %.0e are supported",
                            layers, pipeline->micros, job->plan.steps, nodes, MAX_NODES);
    }
    const double tags = 2.0 * (double)pipeline->micros * (double)parts * job->plan.steps;
    if (tags > (double)UINT32_MAX) {
        return orr_gen_fail(job->plan.training, "batch", diag,
                            "micro-batches x stages x chunks x steps make more than 4294967295 "
                            "messages");
    }
    return ORR_OK;
}

/* So that no product with the bytes of a parameter (at most 8 + 2 x 64 + 8) overflows 64 bits. */
static enum orr_status check_size(const struct tf_job *job, struct orr_diag *diag)
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

/* Reads the loads of experts. Where they differ between ranks, so do the ranks' traces. */
static enum orr_status read_load(struct orr_arena *arena, const struct section *section,
                                 struct tf_job *job, struct orr_diag *diag)
{
    const struct orr_location location = orr_conf_location(job->section);
    struct gen_layout *layout = &job->plan.layout;
    const enum orr_status status = orr_gen_expert_load_read(
        arena, job->section, &section->expert_load, job->model.experts, &job->model.load, diag);
    const bool uneven = status == ORR_OK && job->model.load.before != NULL;
    layout->experts_differ = uneven && layout->size[GEN_EXPERT] > 1;
    if (uneven && !layout->experts_differ) {
        orr_diag_warn(diag, &location,
                      "%s.expert_load: has no effect without parallel.expert: every rank has all "
                      "experts",
                      job->section->path);
    }
    return status;
}

enum orr_status orr_transformer_check_layout(const struct tf_job *job, struct orr_diag *diag)
{
    enum orr_status status = check_tensor(job, diag);
    if (status == ORR_OK) {
        status = check_tokens(job, diag);
    }
    return status == ORR_OK ? check_layers(job, diag) : status;
}

enum orr_status orr_transformer_read(struct orr_arena *arena, const struct orr_conf *map,
                                     struct tf_job *job, struct orr_diag *diag)
{
    struct section section = {0};
    job->section = map;
    enum orr_status status =
        orr_conf_read(map, orr_transformer_key_table.owner, keys, COUNT(keys), &section, diag);
    if (status == ORR_OK) {
        fill(&section, &job->model);
        status = check_model(&section, job, diag);
    }
    if (status == ORR_OK) {
        status = orr_transformer_blocks(arena, job, diag);
    }
    if (status == ORR_OK) {
        status = read_load(arena, &section, job, diag);
    }
    if (status == ORR_OK) {
        status = orr_transformer_check_layout(job, diag);
    }
    return status == ORR_OK ? check_size(job, diag) : status;
}
