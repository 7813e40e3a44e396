/* Products of narrow types (precision.h): which operators they are, and the casts in front of them.
 * A cast of an input runs before its product, that of the output's gradient before the backward
 * pass of the product; both make all forms of the tensor, also for the gradient of the weights.
 * Weights are cast once a step, which is not counted. */
#include <string.h>

#include "core/saturate.h"
#include "workload/gen/transformer_cut.h"
#include "workload/model/kinds/kinds.h"

/* Parts by the labels of products; feed-forward parts of experts are GEN_PART_EXPERTS. Names of
 * casts are those of operators of nodes. */
static const struct {
    const char *label;
    unsigned part;
    const char *input, *gradient;
} products[] = {
#define PRODUCT(label, part)                                                                       \
    {                                                                                              \
        label, part, label " input cast", label " gradient cast"                                   \
    }
    PRODUCT("qkv", GEN_PART_ATTENTION),
    PRODUCT("attention gate", GEN_PART_ATTENTION),
    PRODUCT("query down", GEN_PART_ATTENTION),
    PRODUCT("query up", GEN_PART_ATTENTION),
    PRODUCT("queries", GEN_PART_ATTENTION),
    PRODUCT("kv down", GEN_PART_ATTENTION),
    PRODUCT("kv up", GEN_PART_ATTENTION),
    PRODUCT("attention projection", GEN_PART_ATTENTION),
    PRODUCT("cross queries", GEN_PART_ATTENTION),
    PRODUCT("cross keys and values", GEN_PART_ATTENTION),
    PRODUCT("cross projection", GEN_PART_ATTENTION),
    PRODUCT("mamba input", GEN_PART_MAMBA),
    PRODUCT("mamba projection", GEN_PART_MAMBA),
    PRODUCT("ffn up", GEN_PART_DENSE),
    PRODUCT("ffn down", GEN_PART_DENSE),
    PRODUCT("shared up", GEN_PART_SHARED),
    PRODUCT("shared down", GEN_PART_SHARED),
    PRODUCT("latent down", GEN_PART_LATENT),
    PRODUCT("latent up", GEN_PART_LATENT),
    PRODUCT("mtp projection", GEN_PART_MTP),
#undef PRODUCT
};

enum { PRODUCTS = sizeof products / sizeof *products };

static size_t product_at(const char *label)
{
    size_t i = 0;
    while (i < PRODUCTS && strcmp(products[i].label, label) != 0) {
        i++;
    }
    return i;
}

bool orr_transformer_is_product(const struct tf_cut *cut, uint32_t index)
{
    const struct model_op *op = &cut->graph->op[index];
    return !cut->is_end && op->op_kind == ORR_OP_GEMM && op->kind != &orr_model_kind_router &&
           strcmp(op->label, "logits") != 0;
}

enum gen_format orr_transformer_format(const struct tf_cut *cut, uint32_t index)
{
    const struct gen_precision *precision = &cut->job->plan.precision;
    const size_t at = product_at(cut->graph->op[index].label);
    if (!orr_transformer_is_product(cut, index)) {
        return GEN_ELEMENT;
    }
    const unsigned part = tf_place_of(cut, index)->of_experts ? (unsigned)GEN_PART_EXPERTS
                          : at < PRODUCTS                     ? products[at].part
                                                              : 0;
    const unsigned of = part | (cut->of_module ? (unsigned)GEN_PART_MTP : 0);
    return (of & precision->element_parts) != 0 ? GEN_ELEMENT : precision->product;
}

/* Numbers of the input, or of the output, of the rank's part. */
static uint64_t numbers_of(const struct tf_cut *cut, uint32_t index, bool input)
{
    const struct model_work *work = &orr_transformer_part(cut, index)->forward;
    const uint64_t samples = tf_place_of(cut, index)->of_experts ? 1 : cut->samples;
    return sat_times(input ? work->input_bytes : work->output_bytes, samples) / cut->element;
}

bool orr_transformer_cast(const struct tf_cut *cut, uint32_t index, bool forward,
                          struct rank_op *out)
{
    const struct gen_plan *plan = &cut->job->plan;
    const enum gen_casts least = forward ? GEN_CAST_ALL : GEN_CAST_GRADIENTS;
    const size_t at = product_at(cut->graph->op[index].label);
    if (plan->precision.casts < least || at == PRODUCTS ||
        orr_transformer_format(cut, index) == GEN_ELEMENT) {
        return false;
    }
    const uint64_t numbers = numbers_of(cut, index, forward);
    const struct gen_work work = {numbers, orr_gen_cast_bytes(plan, numbers, !forward)};
    const struct gen_work none = {0, 0};
    *out = (struct rank_op){.name = forward ? products[at].input : products[at].gradient,
                            .kind = ORR_OP_CAST,
                            .of_experts = tf_place_of(cut, index)->of_experts,
                            .forward = forward ? work : none,
                            .input_gradient = forward ? none : work};
    return true;
}
