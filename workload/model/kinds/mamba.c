/* Mamba-2 (state-space duality, Dao and Gu 2024) between its two products. Its first product gives
 * each token a gate and an input of heads x head_size features, two of groups x state, and a step
 * for each head; the convolution goes over all but gate and steps.
 *
 * `causal_conv`: a convolution of few taps along the tokens, each channel by itself. `state_scan`:
 * the recurrence, which is linear in the tokens; 7 x features x state operations a token, as
 * Megatron-LM counts them (in chunks of 128 tokens about as many), and three parameters a head. It
 * reads and writes about 6 features and 4 groups x state a token, the states of chunks among them.
 * The backward pass takes twice as much. `gated_norm`: a norm of the sum, times the gate.
 *
 * All are cut by heads, never by tokens: ranks that have some of the tokens exchange these for some
 * of the heads. */
#include <inttypes.h>
#include <string.h>

#include "core/saturate.h"
#include "workload/model/kinds/kinds.h"

static enum orr_status check_features(const struct model_draft *draft, uint32_t number,
                                      uint64_t features, struct orr_diag *diag)
{
    const struct model_shape *in = &draft->input[number].shape;
    const enum orr_status status = orr_model_check_axes(draft, 2, 0, diag);
    if (status == ORR_OK && in->size[1] < features) {
        return orr_model_fail(draft, "input", diag,
                              "expected at least %" PRIu64 " features, got %" PRIu64, features,
                              in->size[1]);
    }
    return status;
}

/* ---- the convolution ---- */

static const struct orr_key conv_keys[] = {
    MODEL_ENTRY_KEYS,
    {MODEL_INTEGER(model_causal_conv, channels, 1, 1e9, "channels: features of the output"),
     .required = true, .example = "channels: 6144"},
    {MODEL_INTEGER(model_causal_conv, taps, 1, 1e6, "tokens that a number of the output sees"),
     .default_text = "4"},
    {.name = "bias",
     .type = ORR_KEY_BOOL,
     .offset = offsetof(struct model_causal_conv, bias),
     .default_text = "true",
     .doc = "a bias for each channel"},
};

static enum orr_status fill_conv(const void *attributes, struct model_draft *draft,
                                 struct orr_diag *diag)
{
    const struct model_causal_conv *conv = attributes;
    const uint64_t channels = (uint64_t)conv->channels, taps = (uint64_t)conv->taps;
    const enum orr_status status = check_features(draft, 0, channels, diag);
    if (status != ORR_OK) {
        return status;
    }
    draft->op.shape =
        (struct model_shape){.axes = 2, .size = {draft->input[0].shape.size[0], channels}};
    const uint64_t elements = orr_model_elements(&draft->op.shape);
    orr_model_stream(draft, sat_times(2 * taps, elements), 2, 3);
    draft->op.weights = sat_times(taps + (conv->bias ? 1 : 0), channels);
    draft->op.keeps_inputs = true;
    orr_model_add_axis_dim(draft, "channels", 2, channels, MODEL_WEIGHTS_SLICED);
    return ORR_OK;
}

static void cut_conv(void *attributes, struct model_input *input, const struct model_op *whole,
                     const char *dim, uint64_t parts)
{
    struct model_causal_conv *conv = attributes;
    (void)input, (void)whole;
    if (strcmp(dim, "channels") == 0) {
        conv->channels = orr_model_cut_size(conv->channels, parts);
    }
}

const struct model_kind_ops orr_model_kind_causal_conv = {
    .name = "causal_conv",
    .summary = "a convolution along the tokens, of each channel by itself",
    .table = {"a convolution along tokens", conv_keys, sizeof conv_keys / sizeof *conv_keys, NULL},
    .attributes = sizeof(struct model_causal_conv),
    .min_inputs = 1,
    .max_inputs = 1,
    .fill = fill_conv,
    .cut = cut_conv,
};

/* ---- the scan ---- */

static const struct orr_key scan_keys[] = {
    MODEL_ENTRY_KEYS,
    {MODEL_INTEGER(model_state_scan, heads, 1, 1e6, "heads"), .required = true,
     .example = "heads: 64"},
    {MODEL_INTEGER(model_state_scan, head_size, 1, 1e6, "features of a head"), .required = true,
     .example = "head_size: 64"},
    {MODEL_INTEGER(model_state_scan, state, 1, 1e6, "numbers of the state for a feature"),
     .required = true, .example = "state: 128"},
    {MODEL_INTEGER(model_state_scan, groups, 1, 1e6,
                   "groups of heads that read and write the state alike"),
     .default_text = "1"},
};

static enum orr_status fill_scan(const void *attributes, struct model_draft *draft,
                                 struct orr_diag *diag)
{
    const struct model_state_scan *scan = attributes;
    const uint64_t heads = (uint64_t)scan->heads, state = (uint64_t)scan->state;
    const uint64_t inner = sat_times(heads, (uint64_t)scan->head_size);
    const uint64_t shared = sat_times((uint64_t)scan->groups, state);
    struct model_op *op = &draft->op;
    const enum orr_status status =
        check_features(draft, 0, sat_plus(inner, sat_times(2, shared)), diag);
    if (status != ORR_OK) {
        return status;
    }
    const uint64_t tokens = draft->input[0].shape.size[0];
    const uint64_t of_array = sat_times(tokens, draft->element_bytes);
    op->op_kind = ORR_OP_SCAN;
    op->shape = (struct model_shape){.axes = 2, .size = {tokens, inner}};
    op->forward = (struct model_work){
        .flops = sat_times(7, sat_times(tokens, sat_times(inner, state))),
        .input_bytes = sat_times(sat_plus(inner, sat_times(2, shared)), of_array),
        .output_bytes = sat_times(inner, of_array),
        .inner_bytes = sat_times(sat_plus(sat_times(4, inner), sat_times(2, shared)), of_array)};
    op->backward = (struct model_work){.flops = sat_times(2, op->forward.flops),
                                       .input_bytes = sat_times(2, op->forward.input_bytes),
                                       .output_bytes = sat_times(2, op->forward.output_bytes),
                                       .inner_bytes = sat_times(2, op->forward.inner_bytes)};
    op->weights = 3 * heads;
    op->keeps_inputs = true;
    orr_model_add_axis_dim(draft, "heads", 2, heads, MODEL_WEIGHTS_SLICED);
    return ORR_OK;
}

static void cut_scan(void *attributes, struct model_input *input, const struct model_op *whole,
                     const char *dim, uint64_t parts)
{
    struct model_state_scan *scan = attributes;
    (void)input, (void)whole;
    if (strcmp(dim, "heads") == 0) {
        scan->heads = orr_model_cut_size(scan->heads, parts);
        scan->groups = orr_model_cut_size(scan->groups, parts);
    }
}

const struct model_kind_ops orr_model_kind_state_scan = {
    .name = "state_scan",
    .summary = "the recurrence of a state-space layer (Mamba-2)",
    .table = {"a scan", scan_keys, sizeof scan_keys / sizeof *scan_keys, NULL},
    .attributes = sizeof(struct model_state_scan),
    .min_inputs = 1,
    .max_inputs = 2, /* the steps, beside the gate */
    .fill = fill_scan,
    .cut = cut_scan,
};

/* ---- the norm ---- */

static const struct orr_key norm_keys[] = {MODEL_ENTRY_KEYS};

static enum orr_status fill_norm(const void *attributes, struct model_draft *draft,
                                 struct orr_diag *diag)
{
    const struct model_shape *in = &draft->input[0].shape;
    const enum orr_status status = check_features(draft, 1, in->size[in->axes - 1], diag);
    (void)attributes;
    if (status != ORR_OK) {
        return status;
    }
    draft->op.shape = *in;
    draft->op.weights = in->size[1];
    orr_model_stream(draft, sat_times(2, orr_model_elements(in)), 3, 5);
    draft->op.keeps_inputs = true;
    orr_model_add_axis_dim(draft, "features", 2, in->size[1], MODEL_WEIGHTS_SLICED);
    return ORR_OK;
}

const struct model_kind_ops orr_model_kind_gated_norm = {
    .name = "gated_norm",
    .summary = "a norm, times the gate that its second input begins with",
    .table = {"a gated norm", norm_keys, sizeof norm_keys / sizeof *norm_keys, NULL},
    .attributes = sizeof(struct model_plain),
    .min_inputs = 2,
    .max_inputs = 2,
    .fill = fill_norm,
};
