/* Hybrids of a config.json: layers of Mamba, attention, experts; see hugging_face_config.h. */
#include <inttypes.h>
#include <string.h>

#include "et_converter/launch/hugging_face_config.h"

enum { MAX_SIZE = 1 << 30 };

static void read_mamba(struct config_keys *keys, struct orr_model_shape *shape)
{
    static const char *const heads[] = {"mamba_num_heads", NULL};
    static const char *const size[] = {"mamba_head_dim", NULL};
    static const char *const state[] = {"ssm_state_size", NULL};
    static const char *const groups[] = {"n_groups", "mamba_n_groups", NULL};
    static const char *const taps[] = {"conv_kernel", NULL};
    shape->mamba_heads = orr_config_need(keys, heads, 1, MAX_SIZE);
    shape->mamba_head_size = orr_config_need(keys, size, 1, MAX_SIZE);
    shape->mamba_state = orr_config_need(keys, state, 1, MAX_SIZE);
    shape->mamba_groups = orr_config_need(keys, groups, 1, MAX_SIZE);
    shape->mamba_convolution = orr_config_number(keys, taps, 4, 1, 1024);
    shape->mamba_convolution_bias = orr_config_flag(keys, "use_conv_bias", true);
    shape->mamba_bias = orr_config_flag(keys, "mamba_proj_bias", false);
}

void orr_launch_module_layer(struct orr_model_shape *shape, const char *pattern, size_t length)
{
    const bool attention = length > 0 && pattern[0] == '*';
    const size_t at = attention ? 1 : 0;
    const char feed = at < length ? pattern[at] : '\0';
    if (length <= at + 1 && (feed == '\0' || feed == 'E' || feed == '-')) {
        shape->mtp_layer =
            (struct orr_layer_shape){.mixer = attention ? ORR_MIXER_ATTENTION : ORR_MIXER_NONE,
                                     .feed = feed == 'E'   ? ORR_FEED_EXPERTS
                                             : feed == '-' ? ORR_FEED_DENSE
                                                           : ORR_FEED_NONE};
    }
}

void orr_hugging_face_pattern(struct config_keys *keys, struct orr_model_shape *shape,
                              const char *pattern)
{
    const size_t length = strlen(pattern);
    if (length != shape->layers) {
        orr_config_fail(keys, "hybrid_override_pattern",
                        "expected %" PRIu32 " letters (num_hidden_layers), got %zu", shape->layers,
                        length);
        return;
    }
    shape->norm_per_part = true;
    for (size_t i = 0; i < length; i++) {
        struct orr_layer_shape *layer = &shape->layer[i];
        layer->mixer = pattern[i] == 'M'   ? ORR_MIXER_MAMBA2
                       : pattern[i] == '*' ? ORR_MIXER_ATTENTION
                                           : ORR_MIXER_NONE;
        layer->feed = pattern[i] == 'E'   ? ORR_FEED_EXPERTS
                      : pattern[i] == '-' ? ORR_FEED_DENSE
                                          : ORR_FEED_NONE;
        if (strchr("ME*-", pattern[i]) == NULL) {
            orr_config_fail(keys, "hybrid_override_pattern",
                            "expected letters M, E, * and -, got \"%c\" at %zu", pattern[i], i);
            return;
        }
    }
    const char *module = orr_config_text(keys, "mtp_hybrid_override_pattern");
    if (module != NULL) {
        orr_launch_module_layer(shape, module, strlen(module));
    }
    if (strchr(pattern, 'M') != NULL) {
        read_mamba(keys, shape);
    }
}
