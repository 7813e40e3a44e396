/* A model's shape as a generated workload; see import_study.h. */
#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "report/table_text.h"
#include "study/import/import_study.h"

/* Layers that are not like the first one with experts, or like the first one. */
static bool alternates(const struct orr_model_shape *shape)
{
    for (uint32_t i = 1; i < shape->layers; i++) {
        if (shape->layer[i].feed != shape->layer[0].feed ||
            shape->layer[i].mixer != shape->layer[0].mixer) {
            return true;
        }
    }
    return false;
}

static bool sees_windows(const struct orr_model_shape *shape)
{
    for (uint32_t i = 0; i < shape->layers; i++) {
        if (shape->layer[i].span == ORR_SPAN_WINDOW || shape->layer[i].span == ORR_SPAN_CHUNK) {
            return true;
        }
    }
    return false;
}

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
        {shape->layer[0].mixer == ORR_MIXER_LATENT, NO_WORKLOAD "latent attention"},
        {shape->mamba_heads > 0, NO_WORKLOAD "Mamba layers"},
        {shape->shared_width > 0, NO_WORKLOAD "shared experts"},
        {shape->expert_latent > 0, NO_WORKLOAD "experts of a smaller size than the model"},
        {shape->encoder_layers == 0 && alternates(shape),
         NO_WORKLOAD "layers with and without experts"},
        {shape->qkv_bias != shape->feed_bias, NO_WORKLOAD "biases of some products only"},
        {shape->sinks, NO_WORKLOAD "attention sinks"},
        {shape->qk_norm != ORR_QK_PLAIN, NO_WORKLOAD "norms of queries and keys"},
        {shape->embedding_size > 0, NO_WORKLOAD "embeddings of another size than the model"},
        {shape->no_norm_weight, NO_WORKLOAD "norms without weights"},
        {shape->norms != 2, NO_WORKLOAD "other than two norms a layer"},
        {shape->relative_buckets > 0, NO_WORKLOAD "relative positions"},
        {sees_windows(shape), NO_WORKLOAD "attention windows"},
        {shape->embedding_norm && shape->head_dense == 0, NO_WORKLOAD "a norm of the embedding"},
        {shape->mtp_modules > 0, NO_WORKLOAD "multi-token prediction"}};
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

static void write_model(FILE *out, const struct orr_import_study *study)
{
    const struct orr_launch *launch = &study->launch;
    const struct orr_model_shape *shape = &launch->shape;
    (void)fputs("workload:\n  transformer:\n", out);
    number(out, launch, "layers", shape->layers);
    number(out, launch, "hidden", shape->hidden);
    number(out, launch, "heads", shape->heads);
    number(out, launch, "kv_heads", shape->kv_heads);
    number(out, launch, "head_size", shape->head_size);
    number(out, launch, "ffn", shape->width);
    number(out, launch, "sequence", study->sequence);
    number(out, launch, "vocabulary", shape->vocabulary);
    number(out, launch, "positions", shape->positions);
    if (shape->token_types > 0) {
        number(out, launch, "token_types", shape->token_types);
    }
    flag(out, launch, "gated", shape->gated);
    flag(out, launch, "tied", shape->tied);
    flag(out, launch, "bias", shape->feed_bias);
    flag(out, launch, "causal", shape->layer[0].span != ORR_SPAN_ALL);
    flag(out, launch, "dropout", false);
    line(out, launch, "transformer", "norm", shape->layer_norm ? "layernorm" : "rmsnorm");
    if (shape->experts > 0) {
        number(out, launch, "experts", shape->experts);
        number(out, launch, "experts_per_token", shape->experts_per_token);
        number(out, launch, "expert_ffn", shape->expert_width);
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
