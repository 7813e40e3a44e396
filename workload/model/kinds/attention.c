/* Attention (Vaswani et al. 2017).
 *
 * `attention` includes its projections: for an input of h features, 4 h^2 weights. `attention_core`
 * is the scores and weighted sums between a product for queries, keys and values and one after it,
 * as models are split by Megatron-LM (Shoeybi et al. 2019, section 3). Both take 4 operations for
 * each pair of tokens and feature; causal: half. Fused (Dao et al. 2022): the scores stay on chip;
 * otherwise they are written, normalized and read. The backward pass takes twice as much.
 *
 * A split by heads slices; a split by tokens needs the keys and values of all tokens. */
#include <inttypes.h>
#include <string.h>

#include "workload/model/kinds/formulas.h"
#include "workload/model/kinds/kinds.h"

/* ---- with its projections ---- */

struct attention {
    struct model_entry entry;
    int64_t heads;
    bool causal, fused, bias;
};

#define HEADS(type_name)                                                                           \
    {                                                                                              \
        MODEL_INTEGER(type_name, heads, 1, 1e6, "heads of the queries"), .required = true,         \
                                                                         .example = "heads: 12"    \
    }
#define FLAG(type_name, key, value, text)                                                          \
    {                                                                                              \
        .name = #key, .type = ORR_KEY_BOOL, .offset = offsetof(struct type_name, key),             \
        .default_text = value, .doc = text                                                         \
    }
#define CAUSAL(type_name)                                                                          \
    FLAG(type_name, causal, "false", "a token looks at those before it alone: half of the scores")
#define FUSED(type_name) FLAG(type_name, fused, "true", "scores stay on the chip")

static const struct orr_key keys[] = {
    MODEL_ENTRY_KEYS,
    HEADS(attention),
    CAUSAL(attention),
    FUSED(attention),
    FLAG(attention, bias, "false", "a bias for each output of the four projections"),
};

static void twice_back(struct model_op *op)
{
    const struct model_work *forward = &op->forward;
    op->backward =
        (struct model_work){.flops = sat_times(2, forward->flops),
                            .input_bytes = sat_times(2, forward->input_bytes),
                            .other_input_bytes = sat_times(2, forward->other_input_bytes),
                            .output_bytes = sat_times(2, forward->output_bytes),
                            .inner_bytes = sat_times(2, forward->inner_bytes),
                            .weight_bytes = sat_times(2, forward->weight_bytes)};
    op->keeps_inputs = true;
}

/* Each part needs the queries of its tokens, and all keys. */
static void split_tokens(struct model_draft *draft, bool of_itself)
{
    const struct model_cut all = orr_model_all();
    orr_model_add_dim(draft, (struct model_dim){.name = "tokens",
                                                .cut = {of_itself ? all : orr_model_slice(1), all},
                                                .gives = MODEL_GIVES_SLICE,
                                                .axis = 1,
                                                .weights = MODEL_WEIGHTS_COPIED,
                                                .size = draft->op.shape.size[0]});
}

static void split(struct model_draft *draft, uint64_t heads, bool of_itself)
{
    const struct model_cut all = orr_model_all();
    split_tokens(draft, of_itself);
    orr_model_add_dim(draft, (struct model_dim){.name = "heads",
                                                .cut = {all, all},
                                                .gives = MODEL_GIVES_PARTIAL_SUM,
                                                .axis = MODEL_NO_AXIS,
                                                .weights = MODEL_WEIGHTS_SLICED,
                                                .size = heads});
}

/* Whether queries, keys and values are of the same tokens (self-attention). */
static bool is_of_itself(const struct model_draft *draft)
{
    bool same = true;
    for (uint32_t i = 1; i < draft->inputs; i++) {
        same = same && draft->input[i].from == draft->input[0].from;
    }
    return same;
}

static enum orr_status check(const struct model_draft *draft, uint64_t heads, struct orr_diag *diag)
{
    const struct model_shape *in = &draft->input[0].shape;
    const enum orr_status status = orr_model_check_axes(draft, 2, 0, diag);
    for (uint32_t i = 1; i < draft->inputs && status == ORR_OK; i++) {
        if (draft->input[i].shape.size[1] != in->size[1]) {
            return orr_model_fail(draft, "input", diag,
                                  "expected inputs of %" PRIu64 " features, got %" PRIu64,
                                  in->size[1], draft->input[i].shape.size[1]);
        }
    }
    if (status == ORR_OK && in->size[1] % heads != 0) {
        return orr_model_fail(draft, "heads", diag,
                              "%" PRIu64 " do not divide the %" PRIu64 " features of the input",
                              heads, in->size[1]);
    }
    return status;
}

static enum orr_status fill(const void *attributes, struct model_draft *draft,
                            struct orr_diag *diag)
{
    const struct attention *attention = attributes;
    const uint64_t heads = (uint64_t)attention->heads;
    const struct model_shape *in = &draft->input[0].shape;
    struct model_op *op = &draft->op;
    const enum orr_status status = check(draft, heads, diag);
    if (status != ORR_OK) {
        return status;
    }
    const uint64_t tokens = in->size[0], h = in->size[1], square = sat_times(h, h);
    const uint64_t keys_length = draft->input[draft->inputs - 1].shape.size[0];
    const uint64_t products = sat_times(4, sat_times(sat_plus(tokens, keys_length), square));
    op->op_kind = ORR_OP_ATTENTION;
    op->shape = *in;
    op->bias = attention->bias ? sat_times(4, h) : 0;
    op->weights = sat_plus(sat_times(4, square), op->bias);
    op->forward = (struct model_work){
        .flops =
            sat_plus(products, orr_model_score_flops(tokens, keys_length, h, attention->causal)),
        .input_bytes = orr_model_input_bytes(draft),
        .other_input_bytes = orr_model_other_input_bytes(draft),
        .output_bytes = orr_model_output_bytes(draft),
        .inner_bytes = attention->fused
                           ? 0
                           : orr_model_score_bytes(heads, sat_times(tokens, keys_length),
                                                   draft->element_bytes),
        .weight_bytes = sat_times(sat_times(4, square), draft->element_bytes)};
    twice_back(op);
    op->weight_gradient = op->forward; /* of the projections */
    op->weight_gradient.flops = products;
    op->weight_gradient.inner_bytes = 0;
    split(draft, heads, is_of_itself(draft));
    return ORR_OK;
}

const struct model_kind_ops orr_model_kind_attention = {
    .name = "attention",
    .summary = "multi-head attention with its four projections",
    .table = {"an attention", keys, sizeof keys / sizeof *keys, NULL},
    .attributes = sizeof(struct attention),
    .min_inputs = 1,
    .max_inputs = 3,
    .fill = fill,
};

/* ---- without them ---- */

static const struct orr_key core_keys[] = {
    MODEL_ENTRY_KEYS,
    HEADS(model_attention_core),
    {MODEL_INTEGER(model_attention_core, kv_heads, 1, 1e6, "heads of the keys and values"),
     .absent = "heads"},
    CAUSAL(model_attention_core),
    FUSED(model_attention_core),
    {MODEL_INTEGER(model_attention_core, window, 0, 1e9,
                   "keys that a query sees: the last ones, with causal"),
     .absent = "all before it"},
    FLAG(model_attention_core, chunked, "false",
         "the sequence is cut into chunks of `window`, and a query sees those before it in its "
         "chunk"),
    FLAG(model_attention_core, sinks, "false",
         "a learned logit for each head, which takes a share of the attention"),
};

/* One input: queries, keys and values side by side. Two inputs: the second has keys and values. */
static enum orr_status check_core(const struct model_draft *draft, uint64_t heads, uint64_t kv,
                                  uint64_t *head_size, struct orr_diag *diag)
{
    const enum orr_status status = orr_model_check_axes(draft, 2, 0, diag);
    if (status != ORR_OK) {
        return status;
    }
    const uint64_t first = draft->input[0].shape.size[1];
    const uint64_t each = draft->inputs == 1 ? heads + 2 * kv : heads;
    *head_size = first / each;
    if (first % each != 0) {
        return orr_model_fail(
            draft, "heads", diag,
            "%" PRIu64 " heads of %s do not divide the %" PRIu64 " features of the input", each,
            draft->inputs == 1 ? "queries, keys and values" : "queries", first);
    }
    if (draft->inputs == 2 && draft->input[1].shape.size[1] != sat_times(2 * kv, *head_size)) {
        return orr_model_fail(draft, "input", diag,
                              "expected keys and values of 2 x %" PRIu64 " x %" PRIu64
                              " features, got %" PRIu64,
                              kv, *head_size, draft->input[1].shape.size[1]);
    }
    return ORR_OK;
}

static void split_core(struct model_draft *draft, uint64_t heads)
{
    const struct model_cut slice = orr_model_slice(2);
    split_tokens(draft, draft->inputs == 1);
    orr_model_add_dim(draft, (struct model_dim){.name = "heads",
                                                .cut = {slice, slice},
                                                .gives = MODEL_GIVES_SLICE,
                                                .axis = 2,
                                                .weights = MODEL_WEIGHTS_SLICED,
                                                .size = heads});
}

static enum orr_status fill_core(const void *attributes, struct model_draft *draft,
                                 struct orr_diag *diag)
{
    const struct model_attention_core *core = attributes;
    const uint64_t heads = (uint64_t)core->heads;
    const uint64_t kv = core->kv_heads != 0 ? (uint64_t)core->kv_heads : heads;
    struct model_op *op = &draft->op;
    uint64_t head_size = 0;
    const enum orr_status status = check_core(draft, heads, kv, &head_size, diag);
    if (status != ORR_OK) {
        return status;
    }
    const uint64_t keys_length = draft->input[draft->inputs - 1].shape.size[0];
    const uint64_t tokens =
        core->queries != 0 ? (uint64_t)core->queries : draft->input[0].shape.size[0];
    const uint64_t width = sat_times(heads, head_size);
    const uint64_t absent = sat_times(draft->input[0].shape.size[0] - tokens, width);
    op->op_kind = ORR_OP_ATTENTION;
    op->weights = core->sinks ? heads : 0;
    op->shape = (struct model_shape){.axes = 2, .size = {tokens, width}};
    op->forward = (struct model_work){
        .flops = core->causal ? orr_model_window_flops(tokens, keys_length, width,
                                                       (uint64_t)core->window, core->chunked)
                              : orr_model_score_flops(tokens, keys_length, width, false),
        .input_bytes =
            orr_model_input_bytes(draft) - sat_times(absent, draft->input[0].element_bytes),
        .other_input_bytes = orr_model_other_input_bytes(draft),
        .output_bytes = orr_model_output_bytes(draft),
        .inner_bytes = core->fused ? 0
                                   : orr_model_score_bytes(heads, sat_times(tokens, keys_length),
                                                           draft->element_bytes)};
    twice_back(op);
    split_core(draft, heads);
    return ORR_OK;
}

/* Of one input, the queries are cut by tokens: keys and values are of all tokens. */
static void cut_core(void *attributes, struct model_input *input, const struct model_op *whole,
                     const char *dim, uint64_t parts)
{
    struct model_attention_core *core = attributes;
    if (strcmp(dim, "heads") == 0) {
        core->kv_heads = core->kv_heads != 0 ? core->kv_heads : core->heads;
        const uint64_t head_size = whole->shape.size[1] / (uint64_t)core->heads;
        core->heads = orr_model_cut_size(core->heads, parts);
        core->kv_heads = orr_model_cut_size(core->kv_heads, parts);
        const uint64_t kv = 2 * (uint64_t)core->kv_heads * head_size;
        input[whole->inputs - 1].shape.size[1] = kv;
        input[0].shape.size[1] = (whole->inputs == 1 ? kv : 0) + (uint64_t)core->heads * head_size;
    } else if (strcmp(dim, "tokens") == 0 && whole->inputs == 1) {
        core->queries = orr_model_cut_size((int64_t)whole->shape.size[0], parts);
    }
}

const struct model_kind_ops orr_model_kind_attention_core = {
    .name = "attention_core",
    .summary = "scores and weighted sums, between projections of their own",
    .table = {"an attention without projections", core_keys, sizeof core_keys / sizeof *core_keys,
              NULL},
    .attributes = sizeof(struct model_attention_core),
    .min_inputs = 1,
    .max_inputs = 2,
    .fill = fill_core,
    .cut = cut_core,
};
