/* Families of models; see model_families.h. */
#include "et_converter/launch/model_families.h"

#include <stddef.h>
#include <string.h>

static const struct model_family families[] = {
    {"llama", GATED, 2},
    {"llama4_text", GATED, 2},
    {"mistral", GATED, 2},
    {"mixtral", GATED, 2},
    {"phi3", GATED, 2},
    {"granite", GATED | TIED, 2},
    {"internlm2", GATED, 2},
    {"baichuan", GATED, 2},
    {"yi", GATED, 2},
    {"qwen2", GATED | QKV_BIAS, 2},
    {"qwen2_moe", GATED | QKV_BIAS | SHARED_GATE, 2},
    {"qwen3", GATED | NORM_OF_HEADS, 2},
    {"qwen3_moe", GATED | NORM_OF_HEADS, 2},
    {"deepseek_v2", GATED, 2},
    {"deepseek_v3", GATED | EXPERT_BIAS, 2},
    {"kimi_k2", GATED | EXPERT_BIAS, 2},
    {"glm4_moe", GATED | EXPERT_BIAS, 2},
    {"gpt_oss", GATED | BIASES | SINKS | ROUTER_BIAS, 2},
    {"gemma", GATED | TIED, 2},
    {"gemma2", GATED | TIED, 4},
    {"gemma3_text", GATED | TIED | NORM_OF_HEADS, 4},
    {"olmo", GATED | NO_NORM_WEIGHT, 2},
    {"olmo2", GATED | NORM_OF_QK, 2},
    {"olmoe", GATED | NORM_OF_QK, 2},
    {"cohere", GATED | TIED, 1},
    {"stablelm", GATED | LAYER_NORM, 2},
    {"nemotron", LAYER_NORM, 2},
    {"nemotron_h", 0, 2},
    {"gpt2", LAYER_NORM | BIASES | TIED | LEARNED_POSITIONS, 2},
    {"opt", LAYER_NORM | BIASES | TIED | LEARNED_POSITIONS, 2},
    {"bloom", LAYER_NORM | BIASES | TIED | EMBEDDING_NORM, 2},
    {"gpt_neox", LAYER_NORM | BIASES, 2},
    {"gptj", LAYER_NORM | HEAD_BIAS, 1},
    {"falcon", LAYER_NORM | TIED, 2},
    {"phi", LAYER_NORM | BIASES | HEAD_BIAS, 1},
    {"bert",
     LAYER_NORM | BIASES | TIED | LEARNED_POSITIONS | EMBEDDING_NORM | NO_FINAL_NORM | HEAD_BIAS |
         ENCODER,
     2},
    {"t5", TIED, 2},
    {NULL, 0, 0}};

const struct model_family *orr_model_family(const char *type)
{
    const struct model_family *family = families;
    while (family->type != NULL && strcmp(family->type, type) != 0) {
        family++;
    }
    return family->type != NULL ? family : NULL;
}
