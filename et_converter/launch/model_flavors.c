/* Models by name; see model_flavors.h. Sizes are those of the models' published config.json, and of
 * torchtitan's own flavors. */
#include "et_converter/launch/model_flavors.h"

#include <ctype.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "core/arena.h"
#include "et_converter/launch/hugging_face_config.h"

#define LLAMA(layers, hidden, heads, kv, ffn, vocabulary)                                          \
    "{'model_type':'llama','num_hidden_layers':" #layers ",'hidden_size':" #hidden                 \
    ",'num_attention_heads':" #heads ",'num_key_value_heads':" #kv ",'intermediate_size':" #ffn    \
    ",'vocab_size':" #vocabulary "}"
#define QWEN3(layers, hidden, heads, ffn, tied)                                                    \
    "{'model_type':'qwen3','num_hidden_layers':" #layers ",'hidden_size':" #hidden                 \
    ",'num_attention_heads':" #heads ",'num_key_value_heads':8,'head_dim':128,"                    \
    "'intermediate_size':" #ffn ",'vocab_size':151936,'tie_word_embeddings':" #tied "}"
#define QWEN3_MOE(layers, hidden, heads, dense, ffn)                                               \
    "{'model_type':'qwen3_moe','num_hidden_layers':" #layers ",'hidden_size':" #hidden             \
    ",'num_attention_heads':" #heads ",'num_key_value_heads':4,'head_dim':128,"                    \
    "'intermediate_size':" #dense ",'moe_intermediate_size':" #ffn                                 \
    ",'num_experts':128,'num_experts_per_tok':8,"                                                  \
    "'vocab_size':151936}"
#define MIXTRAL(layers, hidden, heads, ffn, vocabulary)                                            \
    "{'model_type':'mixtral','num_hidden_layers':" #layers ",'hidden_size':" #hidden               \
    ",'num_attention_heads':" #heads ",'num_key_value_heads':8,'intermediate_size':" #ffn          \
    ",'num_local_experts':8,'num_experts_per_tok':2,'vocab_size':" #vocabulary "}"
#define DEEPSEEK(type, layers, hidden, heads, ffn, rest)                                           \
    "{'model_type':'" #type "','num_hidden_layers':" #layers ",'hidden_size':" #hidden             \
    ",'num_attention_heads':" #heads ",'intermediate_size':" #ffn ",'kv_lora_rank':512,"           \
    "'qk_nope_head_dim':128,'qk_rope_head_dim':64,'v_head_dim':128," rest "}"
#define DEEPSEEK_V3                                                                                \
    "'q_lora_rank':1536,'moe_intermediate_size':2048,'n_routed_experts':256,"                      \
    "'n_shared_experts':1,'num_experts_per_tok':8,'first_k_dense_replace':3,'vocab_size':129280"
#define DEEPSEEK_LITE                                                                              \
    DEEPSEEK(deepseek_v2, 27, 2048, 16, 10944,                                                     \
             "'moe_intermediate_size':1408,'n_routed_experts':64,'n_shared_experts':2,"            \
             "'num_experts_per_tok':6,'first_k_dense_replace':1,'vocab_size':102400")
#define DEEPSEEK_V2                                                                                \
    DEEPSEEK(deepseek_v2, 60, 5120, 128, 12288,                                                    \
             "'q_lora_rank':1536,'moe_intermediate_size':1536,'n_routed_experts':160,"             \
             "'n_shared_experts':2,'num_experts_per_tok':6,'first_k_dense_replace':1,"             \
             "'vocab_size':102400")
#define GPT_OSS(layers, experts)                                                                   \
    "{'model_type':'gpt_oss','num_hidden_layers':" #layers ",'hidden_size':2880,"                  \
    "'num_attention_heads':64,'num_key_value_heads':8,'head_dim':64,'intermediate_size':2880,"     \
    "'num_local_experts':" #experts ",'num_experts_per_tok':4,'sliding_window':128,"               \
    "'vocab_size':201088}"
#define LLAMA4(experts, step)                                                                      \
    "{'model_type':'llama4_text','num_hidden_layers':48,'hidden_size':5120,"                       \
    "'num_attention_heads':40,'num_key_value_heads':8,'head_dim':128,'intermediate_size':8192,"    \
    "'intermediate_size_mlp':16384,'num_local_experts':" #experts ",'num_experts_per_tok':1,"      \
    "'interleave_moe_layer_step':" #step ",'attention_chunk_size':8192,'vocab_size':202048}"

static const struct {
    const char *name, *config;
} flavors[] = {
    {"llama27b", LLAMA(32, 4096, 32, 32, 11008, 32000)},
    {"llama213b", LLAMA(40, 5120, 40, 40, 13824, 32000)},
    {"llama270b", LLAMA(80, 8192, 64, 8, 28672, 32000)},
    {"llama3debugmodel", LLAMA(6, 256, 16, 16, 768, 2048)},
    {"llama38b", LLAMA(32, 4096, 32, 8, 14336, 128256)},
    {"llama318b", LLAMA(32, 4096, 32, 8, 14336, 128256)},
    {"llama370b", LLAMA(80, 8192, 64, 8, 28672, 128256)},
    {"llama3170b", LLAMA(80, 8192, 64, 8, 28672, 128256)},
    {"llama3370b", LLAMA(80, 8192, 64, 8, 28672, 128256)},
    {"llama3405b", LLAMA(126, 16384, 128, 8, 53248, 128256)},
    {"llama31405b", LLAMA(126, 16384, 128, 8, 53248, 128256)},
    {"llama321b",
     "{'model_type':'llama','num_hidden_layers':16,'hidden_size':2048,'num_attention_heads':32,"
     "'num_key_value_heads':8,'intermediate_size':8192,'vocab_size':128256,"
     "'tie_word_embeddings':true}"},
    {"llama323b",
     "{'model_type':'llama','num_hidden_layers':28,'hidden_size':3072,'num_attention_heads':24,"
     "'num_key_value_heads':8,'intermediate_size':8192,'vocab_size':128256,"
     "'tie_word_embeddings':true}"},
    {"llama417bx16e", LLAMA4(16, 1)},
    {"llama4scout17b16e", LLAMA4(16, 1)},
    {"llama417bx128e", LLAMA4(128, 2)},
    {"llama4maverick17b128e", LLAMA4(128, 2)},
    {"mistral7b", LLAMA(32, 4096, 32, 8, 14336, 32000)},
    {"mistral7bv01", LLAMA(32, 4096, 32, 8, 14336, 32000)},
    {"mixtral8x7bv01", MIXTRAL(32, 4096, 32, 14336, 32000)},
    {"mixtral8x22bv01", MIXTRAL(56, 6144, 48, 16384, 32768)},
    {"mixtral8x7b", MIXTRAL(32, 4096, 32, 14336, 32000)},
    {"mixtral8x22b", MIXTRAL(56, 6144, 48, 16384, 32768)},
    {"qwen257b",
     "{'model_type':'qwen2','num_hidden_layers':28,'hidden_size':3584,'num_attention_heads':28,"
     "'num_key_value_heads':4,'intermediate_size':18944,'vocab_size':152064}"},
    {"qwen2572b",
     "{'model_type':'qwen2','num_hidden_layers':80,'hidden_size':8192,'num_attention_heads':64,"
     "'num_key_value_heads':8,'intermediate_size':29568,'vocab_size':152064}"},
    {"qwen306b", QWEN3(28, 1024, 16, 3072, true)},
    {"qwen3600m", QWEN3(28, 1024, 16, 3072, true)},
    {"qwen317b", QWEN3(28, 2048, 16, 6144, true)},
    {"qwen34b", QWEN3(36, 2560, 32, 9728, true)},
    {"qwen38b", QWEN3(36, 4096, 32, 12288, false)},
    {"qwen314b", QWEN3(40, 5120, 40, 17408, false)},
    {"qwen332b", QWEN3(64, 5120, 64, 25600, false)},
    {"qwen330ba3b", QWEN3_MOE(48, 2048, 32, 6144, 768)},
    {"qwen3235ba22b", QWEN3_MOE(94, 4096, 64, 12288, 1536)},
    {"deepseekv3", DEEPSEEK(deepseek_v3, 61, 7168, 128, 18432, DEEPSEEK_V3)},
    {"deepseekv31", DEEPSEEK(deepseek_v3, 61, 7168, 128, 18432, DEEPSEEK_V3)},
    {"deepseekr1", DEEPSEEK(deepseek_v3, 61, 7168, 128, 18432, DEEPSEEK_V3)},
    {"deepseekv3671b", DEEPSEEK(deepseek_v3, 61, 7168, 128, 18432, DEEPSEEK_V3)},
    {"deepseekv316b", DEEPSEEK_LITE},
    {"deepseekv2lite", DEEPSEEK_LITE},
    {"deepseekv3236b", DEEPSEEK_V2},
    {"deepseekv2", DEEPSEEK_V2},
    {"gptoss20b", GPT_OSS(24, 32)},
    {"gptoss120b", GPT_OSS(36, 128)}};

enum { NAME_BYTES = 128 };

/* Takes a word out of a name, wherever it stands. */
static void drop_word(char *name, const char *word)
{
    char *at = strstr(name, word);
    if (at != NULL) {
        memmove(at, at + strlen(word), strlen(at + strlen(word)) + 1);
    }
}

/* The name in small letters and digits, without what does not tell models apart. */
static void simplify(const char *name, char out[NAME_BYTES])
{
    static const char *const words[] = {"modelprovider", "provider", "config", "instruct",
                                        "base",          "chat",     "meta",   "hf"};
    const char *slash = strrchr(name, '/');
    const char *class_dot = strrchr(name, '.');
    const char *at = slash != NULL                                               ? slash + 1
                     : class_dot != NULL && isalpha((unsigned char)class_dot[1]) ? class_dot + 1
                                                                                 : name;
    size_t length = 0;
    for (; *at != '\0' && length + 1 < NAME_BYTES; at++) {
        if (isalnum((unsigned char)*at)) {
            out[length++] = (char)tolower((unsigned char)*at);
        }
    }
    out[length] = '\0';
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        drop_word(out, words[i]);
    }
}

const char *orr_model_flavor(const char *name)
{
    char simple[NAME_BYTES];
    simplify(name, simple);
    for (size_t i = 0; i < sizeof flavors / sizeof *flavors; i++) {
        if (strcmp(flavors[i].name, simple) == 0) {
            return flavors[i].config;
        }
    }
    return NULL;
}

bool orr_launch_set_flavor(struct launch_build *build, const char *name, const char *key)
{
    const char *config = orr_model_flavor(name);
    char *text = config != NULL ? orr_arena_strdup(build->arena, config) : NULL;
    if (text == NULL) {
        return false;
    }
    for (char *at = text; (at = strchr(at, '\'')) != NULL;) {
        *at = '"';
    }
    struct orr_hugging_face model;
    struct launch_size_key size[CONFIG_MAX_SOURCES];
    json_t *root = orr_config_parse("model", text, strlen(text), build->diag);
    const bool read = root != NULL && orr_hugging_face_read("model", root, build->arena, &model,
                                                            build->diag) == ORR_OK;
    json_decref(root);
    for (size_t i = 0; read && i < model.sources; i++) {
        size[i] = (struct launch_size_key){model.source[i].size, key};
    }
    if (read) {
        orr_launch_set_shape(build, &model.shape, size, model.sources);
    }
    return read;
}
