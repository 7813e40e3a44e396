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
    {"gptj", LAYER_NORM | HEAD_BIAS | FEED_BIAS, 1},
    {"falcon", LAYER_NORM | TIED, 2},
    {"phi", LAYER_NORM | BIASES | HEAD_BIAS, 1},
    {"starcoder2", LAYER_NORM | BIASES | TIED, 2},
    {"gpt_bigcode", LAYER_NORM | BIASES | TIED | LEARNED_POSITIONS, 2},
    {"bert",
     LAYER_NORM | BIASES | TIED | LEARNED_POSITIONS | EMBEDDING_NORM | NO_FINAL_NORM | HEAD_BIAS |
         ENCODER,
     2},
    {"t5", TIED, 2},
    {NULL, 0, 0}};

/* Types whose language model is that of another one. */
static const char *const others[][2] = {{"mt5", "t5"},
                                        {"umt5", "t5"},
                                        {"cohere2", "cohere"},
                                        {"roberta", "bert"},
                                        {"qwen2_vl", "qwen2"},
                                        {"qwen2_vl_text", "qwen2"},
                                        {"qwen2_5_vl_text", "qwen2"},
                                        {"qwen3_vl_text", "qwen3"},
                                        {"qwen3_vl_moe_text", "qwen3_moe"},
                                        {"glm4v_moe_text", "glm4_moe"},
                                        {"gemma3", "gemma3_text"},
                                        {"llama4", "llama4_text"},
                                        {"kimi_vl", "kimi_k2"}};

const struct model_family *orr_model_family(const char *type)
{
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        type = strcmp(others[i][0], type) == 0 ? others[i][1] : type;
    }
    const struct model_family *family = families;
    while (family->type != NULL && strcmp(family->type, type) != 0) {
        family++;
    }
    return family->type != NULL ? family : NULL;
}
