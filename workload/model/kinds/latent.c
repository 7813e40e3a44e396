/* Latent attention (MLA, DeepSeek-V2, 2024, section 2.1), as training does it, with keys and values
 * expanded. Products make, from a short vector of each token, for every head a key of
 * `no_position_size` features and a value of `value_size`; `latent_keys` puts the rotary key of
 * `rotary_size` features, which all heads share, beside each key. `latent_attention` is the scores
 * and weighted sums: 2 (no_position_size + rotary_size + value_size) operations for each pair of
 * tokens and head, half of them if causal; the backward pass takes twice as much. Scores stay on
 * the chip; the sums of their exponentials are kept, 4 bytes for each token and head. */
#include <inttypes.h>
#include <string.h>

#include "core/saturate.h"
#include "workload/model/kinds/kinds.h"

#define SIZES                                                                                      \
    {MODEL_INTEGER(model_latent, heads, 1, 1e6, "heads"), .required = true,                        \
     .example = "heads: 128"},                                                                     \
        {MODEL_INTEGER(model_latent, no_position_size, 1, 1e6,                                     \
                       "features of a key without a position"),                                    \
         .required = true, .example = "no_position_size: 128"},                                    \
        {MODEL_INTEGER(model_latent, rotary_size, 1, 1e6, "features of a key that are rotated"),   \
         .required = true, .example = "rotary_size: 64"},                                          \
    {                                                                                              \
        MODEL_INTEGER(model_latent, value_size, 1, 1e6, "features of a value"),                    \
            .required = true, .example = "value_size: 128"                                         \
    }

static uint64_t key_size(const struct model_latent *latent)
{
    return (uint64_t)latent->no_position_size + (uint64_t)latent->rotary_size;
}

/* Fails if an input has other features, or its own tokens. */
static enum orr_status check(const struct model_draft *draft, uint32_t number, uint64_t features,
                             const char *what, struct orr_diag *diag)
{
    const struct model_shape *in = &draft->input[number].shape;
    if (in->size[1] < features || (number == 0 && in->size[1] != features)) {
        return orr_model_fail(draft, "input", diag,
                              "expected %s of %" PRIu64 " features, got %" PRIu64, what, features,
                              in->size[1]);
    }
    return ORR_OK;
}

static void add_heads_dim(struct model_draft *draft, uint64_t heads, struct model_cut other)
{
    orr_model_add_dim(draft, (struct model_dim){.name = "heads",
                                                .cut = {orr_model_slice(2), other},
                                                .gives = MODEL_GIVES_SLICE,
                                                .axis = 2,
                                                .weights = MODEL_WEIGHTS_SLICED,
                                                .size = heads});
}

static void cut_heads(void *attributes, struct model_input *input, const struct model_op *whole,
                      const char *dim, uint64_t parts)
{
    struct model_latent *latent = attributes;
    (void)input, (void)whole;
    if (strcmp(dim, "heads") == 0) {
        latent->heads = orr_model_cut_size(latent->heads, parts);
    }
}

/* ---- keys ---- */

static const struct orr_key keys[] = {MODEL_ENTRY_KEYS, SIZES};

/* Of the second input the rotary key alone is read, its last features. */
static enum orr_status fill_keys(const void *attributes, struct model_draft *draft,
                                 struct orr_diag *diag)
{
    const struct model_latent *latent = attributes;
    const uint64_t heads = (uint64_t)latent->heads, value = (uint64_t)latent->value_size;
    const uint64_t come = sat_times(heads, (uint64_t)latent->no_position_size + value);
    const uint64_t rotary = (uint64_t)latent->rotary_size;
    struct model_op *op = &draft->op;
    enum orr_status status = orr_model_check_axes(draft, 2, 0, diag);
    if (status == ORR_OK) {
        status = check(draft, 0, come, "keys and values", diag);
    }
    if (status == ORR_OK) {
        status = check(draft, 1, rotary, "rotary keys", diag);
    }
    if (status != ORR_OK) {
        return status;
    }
    const uint64_t tokens = draft->input[0].shape.size[0];
    const uint64_t out = sat_times(heads, key_size(latent) + value), element = draft->element_bytes;
    op->op_kind = ORR_OP_ELEMENTWISE;
    op->shape = (struct model_shape){.axes = 2, .size = {tokens, out}};
    op->forward = (struct model_work){
        .flops = sat_times(tokens, sat_times(heads, rotary)),
        .input_bytes = sat_times(sat_times(tokens, sat_plus(come, rotary)), element),
        .other_input_bytes = sat_times(sat_times(tokens, rotary), element),
        .output_bytes = orr_model_output_bytes(draft)};
    op->backward = op->forward;
    orr_model_add_axis_dim(draft, "tokens", 1, tokens, MODEL_WEIGHTS_COPIED);
    add_heads_dim(draft, heads, orr_model_all());
    return ORR_OK;
}

const struct model_kind_ops orr_model_kind_latent_keys = {
    .name = "latent_keys",
    .summary = "keys of latent attention: those of each head beside the rotary one",
    .table = {"keys of latent attention", keys, sizeof keys / sizeof *keys, NULL},
    .attributes = sizeof(struct model_latent),
    .min_inputs = 2,
    .max_inputs = 2,
    .fill = fill_keys,
    .cut = cut_heads,
};

/* ---- scores and sums ---- */

static const struct orr_key core_keys[] = {
    MODEL_ENTRY_KEYS,
    SIZES,
    {.name = "causal",
     .type = ORR_KEY_BOOL,
     .offset = offsetof(struct model_latent, causal),
     .default_text = "false",
     .doc = "a token looks at those before it alone: half of the scores"},
};

static void twice_back(struct model_op *op)
{
    const struct model_work *forward = &op->forward;
    op->backward =
        (struct model_work){.flops = sat_times(2, forward->flops),
                            .input_bytes = sat_times(2, forward->input_bytes),
                            .other_input_bytes = sat_times(2, forward->other_input_bytes),
                            .output_bytes = sat_times(2, forward->output_bytes)};
    op->keeps_inputs = true;
}

/* A part of the tokens needs its queries, and all keys and values. */
static void split_core(struct model_draft *draft, uint64_t heads)
{
    orr_model_add_dim(draft, (struct model_dim){.name = "tokens",
                                                .cut = {orr_model_slice(1), orr_model_all()},
                                                .gives = MODEL_GIVES_SLICE,
                                                .axis = 1,
                                                .weights = MODEL_WEIGHTS_COPIED,
                                                .size = draft->op.shape.size[0]});
    add_heads_dim(draft, heads, orr_model_slice(2));
}

static enum orr_status fill_core(const void *attributes, struct model_draft *draft,
                                 struct orr_diag *diag)
{
    const struct model_latent *latent = attributes;
    const uint64_t heads = (uint64_t)latent->heads, value = (uint64_t)latent->value_size;
    const uint64_t queries = sat_times(heads, key_size(latent)), values = sat_times(heads, value);
    struct model_op *op = &draft->op;
    enum orr_status status = orr_model_check_axes(draft, 2, 0, diag);
    if (status == ORR_OK) {
        status = check(draft, 0, queries, "queries", diag);
    }
    if (status == ORR_OK) {
        status = check(draft, 1, sat_plus(queries, values), "keys and values", diag);
    }
    if (status != ORR_OK) {
        return status;
    }
    const uint64_t tokens = draft->input[0].shape.size[0], seen = draft->input[1].shape.size[0];
    const uint64_t pairs = sat_times(tokens, seen);
    const uint64_t flops = sat_times(2, sat_times(pairs, sat_plus(queries, values)));
    op->op_kind = ORR_OP_ATTENTION;
    op->shape = (struct model_shape){.axes = 2, .size = {tokens, values}};
    op->forward = (struct model_work){.flops = latent->causal ? flops / 2 : flops,
                                      .input_bytes = orr_model_input_bytes(draft),
                                      .other_input_bytes = orr_model_other_input_bytes(draft),
                                      .output_bytes = orr_model_output_bytes(draft)};
    twice_back(op);
    op->kept_bytes = sat_times(4, sat_times(heads, tokens));
    split_core(draft, heads);
    return ORR_OK;
}

const struct model_kind_ops orr_model_kind_latent_attention = {
    .name = "latent_attention",
    .summary = "scores and weighted sums of latent attention",
    .table = {"a latent attention", core_keys, sizeof core_keys / sizeof *core_keys, NULL},
    .attributes = sizeof(struct model_latent),
    .min_inputs = 2,
    .max_inputs = 2,
    .fill = fill_core,
    .cut = cut_heads,
};
