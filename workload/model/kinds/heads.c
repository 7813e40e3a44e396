/* What is done to queries and keys between the product that makes them and attention, side by side
 * with the values: `head_norm` normalizes them, each head by itself (Henry et al. 2020, with a gain
 * for each feature of a head) or all together; `rotary` turns them by their positions (Su et al.
 * 2021). The values pass by. */
#include <inttypes.h>
#include <string.h>

#include "core/saturate.h"
#include "workload/model/kinds/kinds.h"

#define HEADS(type_name)                                                                           \
    {MODEL_INTEGER(type_name, heads, 1, 1e6, "heads of the queries"), .required = true,            \
     .example = "heads: 32"},                                                                      \
    {                                                                                              \
        MODEL_INTEGER(type_name, kv_heads, 0, 1e6, "heads of the keys, and of the values"),        \
            .absent = "heads"                                                                      \
    }

/* Features of the queries and keys, of all; 0 with an error. */
static uint64_t changed_features(const struct model_draft *draft, const struct model_heads *heads,
                                 uint64_t *head_size, struct orr_diag *diag)
{
    const uint64_t kv = heads->kv_heads != 0 ? (uint64_t)heads->kv_heads : (uint64_t)heads->heads;
    const uint64_t all = (uint64_t)heads->heads + 2 * kv;
    if (orr_model_check_axes(draft, 2, 0, diag) != ORR_OK) {
        return 0;
    }
    const uint64_t features = draft->input[0].shape.size[1];
    if (features % all != 0) {
        (void)orr_model_fail(draft, "heads", diag,
                             "%" PRIu64 " heads of queries, keys and values do not divide the "
                             "%" PRIu64 " features of the input",
                             all, features);
        return 0;
    }
    *head_size = features / all;
    return ((uint64_t)heads->heads + kv) * *head_size;
}

static void split(struct model_draft *draft, uint64_t heads, enum model_weights weights)
{
    orr_model_add_axis_dim(draft, "tokens", 1, draft->op.shape.size[0], MODEL_WEIGHTS_COPIED);
    orr_model_add_axis_dim(draft, "heads", 2, heads, weights);
}

/* `forward` and `backward` arrays of the changed features are read and written in the passes. */
static void stream(struct model_draft *draft, uint64_t changed, unsigned forward, unsigned backward)
{
    struct model_op *op = &draft->op;
    const uint64_t elements = sat_times(draft->input[0].shape.size[0], changed);
    const uint64_t bytes = sat_times(elements, draft->element_bytes);
    op->op_kind = ORR_OP_ELEMENTWISE;
    op->shape = draft->input[0].shape;
    op->forward = (struct model_work){
        .flops = elements, .input_bytes = sat_times(bytes, forward - 1), .output_bytes = bytes};
    op->backward = (struct model_work){
        .flops = elements, .input_bytes = sat_times(bytes, backward - 1), .output_bytes = bytes};
}

/* Input and output are cut by heads of each sort. */
static void cut(void *attributes, struct model_input *input, const struct model_op *whole,
                const char *dim, uint64_t parts)
{
    struct model_heads *heads = attributes;
    if (strcmp(dim, "heads") == 0) {
        heads->kv_heads = heads->kv_heads != 0 ? heads->kv_heads : heads->heads;
        const int64_t all = heads->heads + 2 * heads->kv_heads;
        const uint64_t head_size = whole->shape.size[1] / (uint64_t)all;
        heads->heads = orr_model_cut_size(heads->heads, parts);
        heads->kv_heads = orr_model_cut_size(heads->kv_heads, parts);
        input[0].shape.size[1] = (uint64_t)(heads->heads + 2 * heads->kv_heads) * head_size;
    }
}

/* ---- norms ---- */

static const struct orr_key norm_keys[] = {
    MODEL_ENTRY_KEYS,
    HEADS(model_heads),
    {.name = "together",
     .type = ORR_KEY_BOOL,
     .offset = offsetof(struct model_heads, together),
     .default_text = "false",
     .doc = "all queries of a token together, and all keys; false: each head"},
    {.name = "rms",
     .type = ORR_KEY_BOOL,
     .offset = offsetof(struct model_heads, rms),
     .default_text = "true",
     .doc = "by the root mean square: no bias"},
};

static enum orr_status fill_norm(const void *attributes, struct model_draft *draft,
                                 struct orr_diag *diag)
{
    const struct model_heads *heads = attributes;
    uint64_t head_size = 0;
    const uint64_t changed = changed_features(draft, heads, &head_size, diag);
    if (changed == 0) {
        return ORR_ERR_INPUT;
    }
    const uint64_t gains = heads->together ? changed : 2 * head_size;
    stream(draft, changed, 2, 3);
    draft->op.weights = sat_times(heads->rms ? 1 : 2, gains);
    draft->op.kept_bytes = draft->op.forward.output_bytes; /* queries and keys before */
    split(draft, (uint64_t)heads->heads,
          heads->together ? MODEL_WEIGHTS_SLICED : MODEL_WEIGHTS_COPIED);
    return ORR_OK;
}

const struct model_kind_ops orr_model_kind_head_norm = {
    .name = "head_norm",
    .summary = "normalization of queries and keys",
    .table = {"a norm of queries and keys", norm_keys, sizeof norm_keys / sizeof *norm_keys, NULL},
    .attributes = sizeof(struct model_heads),
    .min_inputs = 1,
    .max_inputs = 1,
    .fill = fill_norm,
    .cut = cut,
};

/* ---- positions ---- */

static const struct orr_key rotary_keys[] = {MODEL_ENTRY_KEYS, HEADS(model_heads)};

static enum orr_status fill_rotary(const void *attributes, struct model_draft *draft,
                                   struct orr_diag *diag)
{
    const struct model_heads *heads = attributes;
    uint64_t head_size = 0;
    const uint64_t changed = changed_features(draft, heads, &head_size, diag);
    if (changed == 0) {
        return ORR_ERR_INPUT;
    }
    stream(draft, changed, 2, 2);
    split(draft, (uint64_t)heads->heads, MODEL_WEIGHTS_COPIED);
    return ORR_OK;
}

const struct model_kind_ops orr_model_kind_rotary = {
    .name = "rotary",
    .summary = "rotary positions of queries and keys",
    .table = {"rotary positions", rotary_keys, sizeof rotary_keys / sizeof *rotary_keys, NULL},
    .attributes = sizeof(struct model_heads),
    .min_inputs = 1,
    .max_inputs = 1,
    .fill = fill_rotary,
    .cut = cut,
};
