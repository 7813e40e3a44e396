/* A model's config.json as a launch file: the keys that its sizes come from. */
#include <jansson.h>
#include <string.h>

#include "et_converter/launch/hugging_face_config.h"
#include "et_converter/launch/launch_formats.h"

/* Keys that sizes come from, by what they are in workloads; the first that was read counts. */
static const struct launch_size_key size_keys[] = {{"layers", "num_hidden_layers"},
                                                   {"layers", "n_layer"},
                                                   {"layers", "num_layers"},
                                                   {"layers", "n_layers"},
                                                   {"hidden", "hidden_size"},
                                                   {"hidden", "n_embd"},
                                                   {"hidden", "n_embed"},
                                                   {"hidden", "d_model"},
                                                   {"heads", "num_attention_heads"},
                                                   {"heads", "n_head"},
                                                   {"heads", "num_heads"},
                                                   {"heads", "n_heads"},
                                                   {"kv_heads", "num_key_value_heads"},
                                                   {"kv_heads", "num_kv_heads"},
                                                   {"kv_heads", "multi_query"},
                                                   {"head_size", "head_dim"},
                                                   {"head_size", "d_kv"},
                                                   {"ffn", "intermediate_size"},
                                                   {"ffn", "n_inner"},
                                                   {"ffn", "d_ff"},
                                                   {"ffn", "ffn_dim"},
                                                   {"ffn", "ffn_hidden_size"},
                                                   {"vocabulary", "vocab_size"},
                                                   {"positions", "n_positions"},
                                                   {"positions", "max_position_embeddings"},
                                                   {"experts", "n_routed_experts"},
                                                   {"experts", "num_local_experts"},
                                                   {"experts", "num_experts"},
                                                   {"experts_per_token", "num_experts_per_tok"},
                                                   {"experts_per_token", "experts_per_token"},
                                                   {"expert_ffn", "moe_intermediate_size"},
                                                   {"expert_ffn", "intermediate_size"}};

enum { SIZE_KEYS = sizeof size_keys / sizeof *size_keys };

static bool was_understood(const struct orr_hugging_face *model, const char *key)
{
    for (size_t i = 0; i < model->understoods; i++) {
        if (strcmp(model->understood[i], key) == 0) {
            return true;
        }
    }
    return false;
}

/* Collects the keys that were read, one for each size; returns how many. */
static size_t keys_read(const struct orr_hugging_face *model, struct launch_size_key *key)
{
    size_t count = 0;
    for (size_t i = 0; i < SIZE_KEYS; i++) {
        const bool again = count > 0 && strcmp(key[count - 1].size, size_keys[i].size) == 0;
        if (!again && was_understood(model, size_keys[i].key)) {
            key[count++] = size_keys[i];
        }
    }
    return count;
}

/* An object that is cut off, or no JSON, is one, too: its error is told. */
static bool is_one(const struct launch_text *text)
{
    json_t *root = json_loadb(text->text, text->bytes, 0, NULL);
    const bool broken = root == NULL && text->text[0] == '{';
    json_decref(root);
    return broken || orr_is_hugging_face(text->text, text->bytes);
}

static enum orr_status read_launch(struct launch_build *build, const struct launch_text *text)
{
    struct orr_hugging_face model;
    if (orr_hugging_face_read(text->name, text->text, text->bytes, build->arena, &model,
                              build->diag) != ORR_OK) {
        return build->diag->status;
    }
    for (size_t i = 0; i < model.understoods; i++) {
        orr_launch_note(build, model.understood[i], true);
    }
    for (size_t i = 0; i < model.ignoreds; i++) {
        orr_launch_note(build, model.ignored[i], false);
    }
    struct launch_size_key key[SIZE_KEYS];
    orr_launch_set_shape(build, &model.shape, key, keys_read(&model, key));
    build->launch->element = model.element;
    return build->diag->status;
}

const struct launch_format orr_launch_hugging_face = {.kind = "hugging_face_config",
                                                      .what =
                                                          "a model's config.json (Hugging Face)",
                                                      .is_one = is_one,
                                                      .read = read_launch};
