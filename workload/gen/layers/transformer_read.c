/* The `transformer` section of a workload; see transformer.h. */
#include <inttypes.h>

#include "core/conf/conf.h"
#include "core/conf/conf_read.h"
#include "core/conf/keys.h"
#include "workload/gen/layers/section_checks.h"
#include "workload/gen/transformer.h"

#define COUNT(keys) (sizeof(keys) / sizeof *(keys))

static const char *const norms[] = {"layernorm", "rmsnorm", NULL};
static const char *const attentions[] = {"grouped", "latent", NULL};
static const char *const qk_norms[] = {
    [TF_QK_PLAIN] = "none", [TF_QK_NORM_HEAD] = "head", [TF_QK_NORM_ALL] = "all", NULL};

struct section {
    int64_t layers, encoder_layers, hidden, heads, kv_heads, head_size, ffn, sequence;
    int64_t encoder_sequence, vocabulary, positions, token_types, experts, experts_per_token,
        expert_groups, groups_per_token;
    int64_t expert_ffn, moe_every, masked, mtp_modules, window, chunk;
    int64_t query_rank, kv_rank, no_position_size, rotary_size, value_size;
    int64_t shared_ffn, expert_latent;
    int64_t mamba_heads, mamba_head_size, mamba_state, mamba_groups, mamba_convolution;
    double capacity, attended;
    struct orr_conf_list expert_load, pattern;
    const char *mtp_layer;
    int64_t expert_draw, expert_places, expert_iteration;
    double expert_busiest;
    bool gated, tied, bias, causal, dropout, pooler;
    bool qkv_bias, out_bias, feed_bias, sinks, gated_queries, rotary, output_norms, embedding_norm;
    bool shared_gate, router_bias, expert_bias, mamba_bias, mamba_convolution_bias;
    unsigned norm, attention, qk_norm;
};

#define AT(member) offsetof(struct section, member)
#define NUMBER(key, min, max, text)                                                                \
    .name = #key, .type = ORR_KEY_INTEGER, .offset = AT(key), .low = min, .high = max, .doc = text
#define FLAG_OF(key, value, text)                                                                  \
    .name = #key, .type = ORR_KEY_BOOL, .offset = AT(key), .default_text = value, .doc = text
#define FLAG(key, value, text)                                                                     \
    {                                                                                              \
        FLAG_OF(key, value, text)                                                                  \
    }
#define FLAG_OR(key, text)                                                                         \
    .name = #key, .type = ORR_KEY_BOOL, .offset = AT(key), .absent = "bias", .doc = text

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
    {.name = "pattern",
     .type = ORR_KEY_TEXT,
     .offset = AT(pattern),
     .list = true,
     .scalar_as_list = true,
     .min = 1,
     .absent = "all layers have attention, and a feed-forward part by moe_every",
     .example = "pattern: [3 x attention+dense, 58 x attention+experts]",
     .doc = "its layers in order, again and again until all are there: N x MIXER+FEED, of "
            "attention, window, chunk, mamba2 and dense, experts, or of one part alone; or letters "
            "M (mamba2), * (attention), E (experts), - (dense)"},
    {.name = "attention",
     .type = ORR_KEY_CHOICE,
     .offset = AT(attention),
     .choices = attentions,
     .default_text = "grouped",
     .doc = "grouped: heads of queries share those of keys and values; latent: low-rank queries, "
            "keys and values (MLA, DeepSeek-V2)"},
    {NUMBER(query_rank, 1, 1e7, "latent attention: numbers that a token's queries are made from"),
     .absent = "queries are made of the token's vector"},
    {NUMBER(kv_rank, 1, 1e7,
            "latent attention: numbers that a token's keys and values are made from"),
     .absent = "none"},
    {NUMBER(no_position_size, 1, 1e6, "latent attention: features of a head without a position"),
     .absent = "none"},
    {NUMBER(rotary_size, 1, 1e6,
            "latent attention: features of a head that are rotated; all heads share the key's"),
     .absent = "none"},
    {NUMBER(value_size, 1, 1e6, "latent attention: features of a head's values"), .absent = "none"},
    {NUMBER(window, 1, 1e8, "keys that a token sees in the pattern's layers `window`"),
     .absent = "none", .only_with = "pattern"},
    {NUMBER(chunk, 1, 1e8,
            "tokens of a chunk in the pattern's layers `chunk`; a token sees its chunk alone"),
     .absent = "none", .only_with = "pattern"},
    {.name = "qk_norm",
     .type = ORR_KEY_CHOICE,
     .offset = AT(qk_norm),
     .choices = qk_norms,
     .default_text = "none",
     .doc = "a norm of queries and keys: of each head, or of all together"},
    FLAG(rotary, "false",
         "queries and keys are rotated by their positions, an operator of its own"),
    FLAG(sinks, "false", "a learned logit for each head of attention"),
    FLAG(gated_queries, "false", "attention's result is multiplied by a gate of as many features"),
    {FLAG_OR(qkv_bias, "a bias of the products for queries, keys and values")},
    {FLAG_OR(out_bias, "a bias of attention's projection")},
    {FLAG_OR(feed_bias, "a bias of the feed-forward products, of experts too")},
    FLAG(output_norms, "false",
         "a norm behind attention and behind the feed-forward part, too (Gemma 2 and 3)"),
    {.name = "attended",
     .type = ORR_KEY_NUMBER,
     .offset = AT(attended),
     .low = 0.0001,
     .high = 1,
     .default_text = "1",
     .output_if_given = true,
     .example = "attended: 0.4",
     .doc = "of the pairs of tokens that attention's mask leaves, the share that are of one "
            "document (samples of several documents)"},
    {.name = "embedding_norm",
     .type = ORR_KEY_BOOL,
     .offset = AT(embedding_norm),
     .default_text = "false",
     .output_if_given = true,
     .doc = "a norm behind the embedding (BLOOM)"},
    {NUMBER(mtp_modules, 0, 1000,
            "modules of multi-token prediction: each a layer like the last one, with the head"),
     .default_text = "0"},
    {.name = "mtp_layer",
     .type = ORR_KEY_TEXT,
     .offset = AT(mtp_layer),
     .absent = "as the last one",
     .example = "mtp_layer: attention+experts",
     .doc = "the layer of such a module, as in pattern"},
    {.name = "norm",
     .type = ORR_KEY_CHOICE,
     .offset = AT(norm),
     .choices = norms,
     .default_text = "layernorm",
     .doc = "normalization"},
    {NUMBER(experts, 0, 1e6, "experts of a layer; 0: dense"), .default_text = "0"},
    {NUMBER(experts_per_token, 1, 1e6, "experts that a token goes to"), .default_text = "1"},
    {NUMBER(expert_groups, 1, 1e6,
            "equal groups of experts, in their order, to which tokens are limited"),
     .absent = "none", .only_with = "experts"},
    {NUMBER(groups_per_token, 1, 1e6, "of these those that a token goes to"), .absent = "all",
     .only_with = "expert_groups"},
    {NUMBER(expert_ffn, 1, 1e8, "width between the products of an expert"), .absent = "ffn"},
    {NUMBER(moe_every, 1, 1e6, "every n-th layer has experts"), .default_text = "1"},
    {NUMBER(shared_ffn, 1, 1e8, "width of the experts that all tokens go to, together"),
     .absent = "none", .only_with = "experts"},
    {FLAG_OF(shared_gate, "false", "a gate of the shared experts"), .only_with = "experts"},
    {FLAG_OF(router_bias, "false", "a bias of each expert's score"), .only_with = "experts"},
    {FLAG_OF(expert_bias, "false", "a number for each expert that balances their loads"),
     .only_with = "experts"},
    {NUMBER(expert_latent, 1, 1e7, "width of a token inside the experts, behind a product"),
     .absent = "hidden", .only_with = "experts"},
    {NUMBER(mamba_heads, 1, 1e6, "heads of the layers mamba2"), .absent = "none",
     .only_with = "pattern"},
    {NUMBER(mamba_head_size, 1, 1e6, "width of such a head"), .default_text = "64"},
    {NUMBER(mamba_state, 1, 1e6, "numbers of the state for each feature"), .default_text = "128"},
    {NUMBER(mamba_groups, 1, 1e6, "groups of heads that read and write their states alike"),
     .default_text = "1"},
    {NUMBER(mamba_convolution, 1, 1e4, "tokens that the convolution sees"), .default_text = "4"},
    FLAG(mamba_bias, "false", "the products of layers mamba2 have a bias"),
    FLAG(mamba_convolution_bias, "true", "the convolution has a bias"),
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
     .doc =
         "tokens of each expert: even; zipf:S, the i-th gets i^-S; a list of relative loads; or a "
         "file of counts (x.csv: iteration, layer, tokens of each expert)"},
    {.name = "expert_draw",
     .type = ORR_KEY_INTEGER,
     .offset = AT(expert_draw),
     .low = 0,
     .high = 1e15,
     .absent = "loads do not change",
     .only_with = "experts",
     .output_if_given = true,
     .example = "expert_draw: 1",
     .doc = "seed: tokens of experts are drawn anew for each layer, by expert_load, whose shares "
            "other experts have each time; all ranks wait for the busiest"},
    {.name = "expert_iteration",
     .type = ORR_KEY_INTEGER,
     .offset = AT(expert_iteration),
     .low = 0,
     .high = 1e15,
     .absent = "the mean",
     .only_with = "experts",
     .output_if_given = true,
     .example = "expert_iteration: 7",
     .doc = "the iteration whose layers are drawn, or counted in the file: of a sweep over it the "
            "mean and the tail"},
    {.name = "expert_busiest",
     .type = ORR_KEY_NUMBER,
     .offset = AT(expert_busiest),
     .low = 1,
     .high = 1e4,
     .absent = "1, or by expert_draw",
     .only_with = "experts",
     .output_if_given = true,
     .example = "expert_busiest: 1.3",
     .doc = "tokens of the busiest rank over the mean, another rank each time"},
    {.name = "expert_places",
     .type = ORR_KEY_INTEGER,
     .offset = AT(expert_places),
     .low = 1,
     .high = 1e6,
     .absent = "one of each",
     .only_with = "experts",
     .output_if_given = true,
     .example = "expert_places: 320",
     .doc = "experts and replicas of the most loaded ones, in all places of a layer, by EPLB"},
};

const struct orr_key_table orr_transformer_key_table = {"the transformer section", keys,
                                                        COUNT(keys), NULL};

static uint64_t value_or(int64_t chosen, uint64_t other)
{
    return chosen != 0 ? (uint64_t)chosen : other;
}

/* A bias that no key sets is as those of the other products. */
static bool bias_of(const struct orr_conf *map, const char *key, bool chosen, bool other)
{
    return orr_conf_get(map, key) != NULL ? chosen : other;
}

static void fill_biases(const struct orr_conf *map, const struct section *section,
                        struct tf_model *model)
{
    model->qkv_bias = bias_of(map, "qkv_bias", section->qkv_bias, section->bias);
    model->out_bias = bias_of(map, "out_bias", section->out_bias, section->bias);
    model->feed_bias = bias_of(map, "feed_bias", section->feed_bias, section->bias);
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
                               .expert_groups = (uint64_t)section->expert_groups,
                               .groups_per_token = (uint64_t)section->groups_per_token,
                               .moe_every = (uint32_t)section->moe_every,
                               .capacity = section->capacity,
                               .attended = section->attended,
                               .gated = section->gated,
                               .tied = section->tied,
                               .bias = section->bias,
                               .causal = section->causal,
                               .dropout = section->dropout,
                               .pooler = section->pooler,
                               .norm = (enum tf_norm)section->norm,
                               .sinks = section->sinks,
                               .gated_queries = section->gated_queries,
                               .rotary = section->rotary,
                               .output_norms = section->output_norms,
                               .embedding_norm = section->embedding_norm,
                               .window = (uint64_t)section->window,
                               .chunk = (uint64_t)section->chunk,
                               .latent = section->attention != 0,
                               .query_rank = (uint64_t)section->query_rank,
                               .kv_rank = (uint64_t)section->kv_rank,
                               .no_position_size = (uint64_t)section->no_position_size,
                               .rotary_size = (uint64_t)section->rotary_size,
                               .value_size = (uint64_t)section->value_size,
                               .shared_ffn = (uint64_t)section->shared_ffn,
                               .expert_latent = (uint64_t)section->expert_latent,
                               .shared_gate = section->shared_gate,
                               .router_bias = section->router_bias,
                               .load_bias = section->expert_bias,
                               .mtp_modules = (uint32_t)section->mtp_modules};
    model->mamba.heads = (uint64_t)section->mamba_heads;
    model->mamba.head_size = (uint64_t)section->mamba_head_size;
    model->mamba.state = (uint64_t)section->mamba_state;
    model->mamba.groups = (uint64_t)section->mamba_groups;
    model->mamba.taps = (uint64_t)section->mamba_convolution;
    model->mamba.bias = section->mamba_bias;
    model->mamba.convolution_bias = section->mamba_convolution_bias;
    model->qk_norm = section->qk_norm;
    model->kv_heads = value_or(section->kv_heads, model->heads);
    model->head_size =
        value_or(section->head_size, model->latent ? model->no_position_size + model->rotary_size
                                                   : model->hidden / model->heads);
    model->ffn = value_or(section->ffn, 4 * model->hidden);
    model->expert_ffn = value_or(section->expert_ffn, model->ffn);
    if (model->encoder_layers > 0) {
        model->encoder_sequence = value_or(section->encoder_sequence, model->sequence);
    }
}

/* The file of expert_load; NULL: it names none. */
static const char *counts_file(struct orr_arena *arena, const struct orr_conf *map,
                               const struct orr_conf_list *words)
{
    const struct orr_conf *node = orr_conf_get(map, "expert_load");
    const char *text = words->count == 1 ? ((const char *const *)words->values)[0] : "";
    const size_t length = strlen(text);
    return node != NULL && length > 4 && strcmp(text + length - 4, ".csv") == 0
               ? orr_conf_resolve_path(arena, node)
               : NULL;
}

/* Reads the loads of experts. Where they differ between ranks, so do the ranks' traces. */
static enum orr_status read_load(struct orr_arena *arena, const struct section *section,
                                 struct tf_job *job, struct orr_diag *diag)
{
    const struct orr_location location = orr_conf_location(job->section);
    struct gen_layout *layout = &job->plan.layout;
    job->model.counts = counts_file(arena, job->section, &section->expert_load);
    job->model.draw_seed = section->expert_draw;
    job->model.expert_iteration = section->expert_iteration;
    job->model.given_busiest = section->expert_busiest;
    job->model.expert_places = (uint64_t)section->expert_places;
    job->model.load = (struct gen_expert_load){.experts = job->model.experts};
    enum orr_status status =
        job->model.counts != NULL
            ? ORR_OK
            : orr_gen_expert_load_read(arena, job->section, &section->expert_load,
                                       job->model.experts, &job->model.load, diag);
    const bool uneven =
        status == ORR_OK && job->model.load.before != NULL && job->model.draw_seed < 0;
    if (status == ORR_OK) {
        status = orr_transformer_set_busiest(job, diag);
    }
    layout->experts_differ = uneven && gen_expert_ranks(layout) > 1;
    if (status == ORR_OK && layout->experts_differ && layout->node > 0) {
        return orr_gen_fail(job->section, "expert_load", diag,
                            "tokens that go by nodes (parallel.dispatcher: deepep) need even "
                            "loads, or loads that change (expert_draw)");
    }
    if (uneven && !layout->experts_differ) {
        orr_diag_warn(diag, &location,
                      "%s.expert_load: has no effect without parallel.expert: every rank has all "
                      "experts",
                      job->section->path);
    }
    return status;
}

enum orr_status orr_transformer_read(struct orr_arena *arena, const struct orr_conf *map,
                                     struct tf_job *job, struct orr_diag *diag)
{
    struct section section = {.expert_draw = -1, .expert_iteration = -1};
    job->section = map;
    enum orr_status status =
        orr_conf_read(map, orr_transformer_key_table.owner, keys, COUNT(keys), &section, diag);
    if (status == ORR_OK) {
        fill(&section, &job->model);
        fill_biases(map, &section, &job->model);
        status = orr_transformer_read_pattern(arena, map, &section.pattern, &job->model, diag);
    }
    if (status == ORR_OK && section.mtp_layer != NULL) {
        status = orr_transformer_read_mtp_layer(map, section.mtp_layer, &job->model, diag);
    }
    if (status == ORR_OK) {
        orr_transformer_set_kinds(&job->model);
        status = orr_transformer_check_model(job, diag);
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
    return status == ORR_OK ? orr_transformer_check_size(job, diag) : status;
}
