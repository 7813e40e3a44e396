/* A model's shape as a generated workload; see import_study.h. */
#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "report/table_text.h"
#include "study/import/import_layers.h"
#include "study/import/import_study.h"

#define NO_WORKLOAD "no workload can be written, generated models have no "

const char *orr_import_not_generated(const struct orr_import_study *study)
{
    const struct orr_launch *launch = &study->launch;
    const struct orr_model_shape *shape = &launch->shape;
    if (study->what != NULL) {
        return "no workload can be written: the file is none of a launch";
    }
    if (!launch->has_shape) {
        return "no workload can be written: none of the files describes a model";
    }
    const struct {
        bool has;
        const char *what;
    } missing[] = {
        {shape->no_norm_weight, NO_WORKLOAD "norms without weights"},
        {shape->embedding_size > 0, NO_WORKLOAD "embeddings of another size than the model"},
        {shape->norms != 2 && shape->norms != 4,
         NO_WORKLOAD "other than two or four norms a layer"},
        {shape->relative_buckets > 0, NO_WORKLOAD "relative positions"},
        {shape->head_bias && shape->head_dense == 0, NO_WORKLOAD "a bias of the head"},
        {!orr_import_can_pattern(shape), NO_WORKLOAD "windows of several sizes, or in an encoder"}};
    for (size_t i = 0; i < sizeof missing / sizeof *missing; i++) {
        if (missing[i].has) {
            return missing[i].what;
        }
    }
    return NULL;
}

/* What writes a value, and where it comes from if a file says so. */
static void line(FILE *out, const struct orr_launch *launch, const char *section, const char *key,
                 const char *text)
{
    char path[64];
    (void)snprintf(path, sizeof path, "%s.%s", section, key);
    const struct orr_launch_value *value = orr_launch_get(launch, path);
    (void)fprintf(out, "    %s: %s", key, text);
    if (value != NULL) {
        orr_print(out, "  # %s: %s", value->file, value->key);
    } else if (strcmp(section, "transformer") == 0 && isdigit((unsigned char)text[0])) {
        (void)fputs("  # not said by a file: computed, or a default", out);
    }
    (void)fputc('\n', out);
}

static void number(FILE *out, const struct orr_launch *launch, const char *key, uint64_t value)
{
    char text[32];
    (void)snprintf(text, sizeof text, "%" PRIu64, value);
    line(out, launch, "transformer", key, text);
}

static void flag(FILE *out, const struct orr_launch *launch, const char *key, bool value)
{
    line(out, launch, "transformer", key, value ? "true" : "false");
}

/* A number that is not the key's default. */
static void number_unless(FILE *out, const struct orr_launch *launch, const char *key,
                          uint64_t value, uint64_t standard)
{
    if (value != standard) {
        number(out, launch, key, value);
    }
}

static void flag_unless(FILE *out, const struct orr_launch *launch, const char *key, bool value,
                        bool standard)
{
    if (value != standard) {
        flag(out, launch, key, value);
    }
}

static void write_attention(FILE *out, const struct orr_launch *launch)
{
    static const char *const norms[] = {"none", "head", "all"};
    const struct orr_model_shape *shape = &launch->shape;
    number(out, launch, "heads", shape->heads);
    if (orr_import_mixes(shape, ORR_MIXER_LATENT)) {
        line(out, launch, "transformer", "attention", "latent");
        number_unless(out, launch, "query_rank", shape->query_rank, 0);
        number(out, launch, "kv_rank", shape->kv_rank);
        number(out, launch, "no_position_size", shape->no_position_size);
        number(out, launch, "rotary_size", shape->rotary_size);
        number(out, launch, "value_size", shape->value_size);
    } else {
        number(out, launch, "kv_heads", shape->kv_heads);
        number(out, launch, "head_size", shape->head_size);
    }
    if (shape->qk_norm != ORR_QK_PLAIN) {
        line(out, launch, "transformer", "qk_norm", norms[shape->qk_norm]);
    }
    flag_unless(out, launch, "sinks", shape->sinks, false);
    flag_unless(out, launch, "gated_queries", shape->gated_queries, false);
    flag_unless(out, launch, "qkv_bias", shape->qkv_bias, shape->feed_bias);
    flag_unless(out, launch, "out_bias", shape->out_bias, shape->feed_bias);
}

static void write_experts(FILE *out, const struct orr_launch *launch)
{
    const struct orr_model_shape *shape = &launch->shape;
    number(out, launch, "experts", shape->experts);
    number(out, launch, "experts_per_token", shape->experts_per_token);
    number(out, launch, "expert_ffn", shape->expert_width);
    number_unless(out, launch, "shared_ffn", shape->shared_width, 0);
    number_unless(out, launch, "expert_latent", shape->expert_latent, 0);
    flag_unless(out, launch, "shared_gate", shape->shared_gate, false);
    flag_unless(out, launch, "router_bias", shape->router_bias, false);
    flag_unless(out, launch, "expert_bias", shape->expert_bias, false);
}

static void write_mamba(FILE *out, const struct orr_launch *launch)
{
    const struct orr_model_shape *shape = &launch->shape;
    number(out, launch, "mamba_heads", shape->mamba_heads);
    number(out, launch, "mamba_head_size", shape->mamba_head_size);
    number(out, launch, "mamba_state", shape->mamba_state);
    number(out, launch, "mamba_groups", shape->mamba_groups);
    number(out, launch, "mamba_convolution", shape->mamba_convolution);
    flag(out, launch, "mamba_bias", shape->mamba_bias);
    flag(out, launch, "mamba_convolution_bias", shape->mamba_convolution_bias);
}

static void write_ends(FILE *out, const struct orr_launch *launch)
{
    const struct orr_model_shape *shape = &launch->shape;
    number(out, launch, "vocabulary", shape->vocabulary);
    number_unless(out, launch, "positions", shape->positions, 0);
    number_unless(out, launch, "token_types", shape->token_types, 0);
    flag_unless(out, launch, "embedding_norm", shape->embedding_norm && shape->head_dense == 0,
                false);
    flag(out, launch, "tied", shape->tied);
    number_unless(out, launch, "mtp_modules", shape->mtp_modules, 0);
    if (shape->mtp_modules > 0 && shape->mtp_layer.mixer == ORR_MIXER_ATTENTION) {
        const enum orr_feed_forward feed = shape->mtp_layer.feed;
        line(out, launch, "transformer", "mtp_layer",
             feed == ORR_FEED_EXPERTS ? "attention+experts"
             : feed == ORR_FEED_DENSE ? "attention+dense"
                                      : "attention");
    }
}

static void write_layers(FILE *out, const struct orr_import_study *study)
{
    const struct orr_launch *launch = &study->launch;
    const struct orr_model_shape *shape = &launch->shape;
    const bool attends =
        orr_import_mixes(shape, ORR_MIXER_ATTENTION) || orr_import_mixes(shape, ORR_MIXER_LATENT);
    number(out, launch, "layers", shape->layers);
    orr_import_write_pattern(out, shape);
    number(out, launch, "hidden", shape->hidden);
    if (attends) {
        write_attention(out, launch);
    } else {
        line(out, launch, "transformer", "heads", "1");
    }
    number_unless(out, launch, "ffn", shape->width, 0);
    flag(out, launch, "gated", shape->gated);
    flag(out, launch, "bias", shape->feed_bias);
    flag(out, launch, "causal", shape->layer[0].span != ORR_SPAN_ALL);
    flag(out, launch, "dropout", false);
    line(out, launch, "transformer", "norm", shape->layer_norm ? "layernorm" : "rmsnorm");
    flag_unless(out, launch, "output_norms", shape->norms == 4, false);
}

static void write_model(FILE *out, const struct orr_import_study *study)
{
    const struct orr_launch *launch = &study->launch;
    (void)fputs("workload:\n  transformer:\n", out);
    write_layers(out, study);
    number(out, launch, "sequence", study->sequence);
    write_ends(out, launch);
    if (launch->shape.experts > 0) {
        write_experts(out, launch);
    }
    if (orr_import_mixes(&launch->shape, ORR_MIXER_MAMBA2)) {
        write_mamba(out, launch);
    }
}

static void write_section(FILE *out, const struct orr_launch *launch, const char *section)
{
    const size_t length = strlen(section);
    bool begun = false;
    for (size_t i = 0; i < launch->values; i++) {
        const struct orr_launch_value *value = &launch->value[i];
        if (strncmp(value->path, section, length) == 0 && value->path[length] == '.') {
            if (!begun) {
                (void)fprintf(out, "  %s:\n", section);
                begun = true;
            }
            line(out, launch, section, value->path + length + 1, value->text);
        }
    }
}

int orr_import_workload(FILE *out, const void *context)
{
    const struct orr_import_study *study = context;
    (void)fputs("# Made of", out);
    for (size_t i = 0; i < study->launch.files; i++) {
        orr_print(out, "%s %s", i == 0 ? "" : ",", study->launch.file[i].name);
    }
    (void)fputs(". Behind # stands where a value comes from.\n", out);
    write_model(out, study);
    write_section(out, &study->launch, "parallel");
    write_section(out, &study->launch, "training");
    return ferror(out) != 0 ? 1 : 0;
}
