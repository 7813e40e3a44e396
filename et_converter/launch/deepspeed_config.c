/* DeepSpeed's JSON configuration: batch, ZeRO stage, offloading, number format. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "et_converter/launch/launch_formats.h"

static bool is_one(const struct launch_text *text)
{
    static const char *const keys[] = {"zero_optimization", "train_micro_batch_size_per_gpu",
                                       "train_batch_size", "gradient_accumulation_steps",
                                       "zero_allow_untested_optimizer"};
    bool found = false;
    for (size_t i = 0; text->json != NULL && i < sizeof keys / sizeof *keys; i++) {
        found = found || json_object_get(text->json, keys[i]) != NULL;
    }
    return found;
}

static enum orr_status fail(struct launch_build *build, const struct launch_text *text,
                            const char *key, const char *expected)
{
    const struct orr_location place = orr_location_file(text->name);
    return orr_diag_fail(build->diag, ORR_ERR_INPUT, &place, "%s: expected %s", key, expected);
}

/* A whole number; files often write 5e8. "auto" and null say nothing. */
static bool is_auto(const json_t *value)
{
    const char *text = json_string_value(value);
    return value == NULL || json_is_null(value) || (text != NULL && strcmp(text, "auto") == 0);
}

static void read_number(struct launch_build *build, const struct launch_text *text,
                        const json_t *object, const char *key, const char *path)
{
    const json_t *value = json_object_get(object, key);
    if (value == NULL) {
        return;
    }
    orr_launch_note(build, key, true);
    if (is_auto(value)) {
        return;
    }
    const double number = json_number_value(value);
    if (!json_is_number(value) || number < 0 || number > 1e15 || floor(number) != number) {
        (void)fail(build, text, key, "a whole number or \"auto\"");
        return;
    }
    if (path != NULL) {
        orr_launch_set_number(build, path, (uint64_t)number, key);
    }
}

static const char *offload_of(const json_t *zero, const char *key)
{
    const json_t *object = json_object_get(zero, key);
    const char *device = json_string_value(json_object_get(object, "device"));
    return device != NULL && strcmp(device, "none") != 0 ? device : NULL;
}

static void read_zero(struct launch_build *build, const struct launch_text *text,
                      const json_t *root)
{
    static const char *const known[] = {"stage",
                                        "overlap_comm",
                                        "reduce_bucket_size",
                                        "allgather_bucket_size",
                                        "stage3_prefetch_bucket_size",
                                        "stage3_param_persistence_threshold",
                                        "offload_optimizer",
                                        "offload_param",
                                        "contiguous_gradients",
                                        "reduce_scatter",
                                        "allgather_partitions"};
    const json_t *zero = json_object_get(root, "zero_optimization");
    if (!json_is_object(zero)) {
        return;
    }
    orr_launch_note(build, "zero_optimization", true);
    read_number(build, text, zero, "stage", "parallel.zero");
    if (json_integer_value(json_object_get(zero, "stage")) > 3) {
        (void)fail(build, text, "stage", "0 to 3");
    }
    const json_t *overlap = json_object_get(zero, "overlap_comm");
    if (json_is_boolean(overlap)) {
        orr_launch_set(build, "training.overlap", json_is_true(overlap) ? "true" : "false",
                       "overlap_comm");
    }
    if (offload_of(zero, "offload_optimizer") != NULL) {
        orr_launch_set(build, "training.offload_optimizer", "npu", "offload_optimizer");
    }
    if (offload_of(zero, "offload_param") != NULL) {
        orr_launch_set(build, "training.offload_parameters", "sharded", "offload_param");
    }
    const char *key;
    const json_t *value;
    json_object_foreach((json_t *)(uintptr_t)zero, key, value)
    {
        bool understood = false;
        for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
            understood = understood || strcmp(key, known[i]) == 0;
        }
        (void)value;
        orr_launch_note(build, key, understood);
    }
}

static bool is_enabled(const json_t *root, const char *key)
{
    return json_is_true(json_object_get(json_object_get(root, key), "enabled"));
}

static void read_formats(struct launch_build *build, const json_t *root)
{
    static const char *const keys[] = {"bf16", "fp16"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        if (json_object_get(root, keys[i]) != NULL) {
            orr_launch_note(build, keys[i], true);
        }
        if (is_enabled(root, keys[i])) {
            orr_launch_set(build, "training.element_bytes", "2", keys[i]);
        }
    }
}

static void note_others(struct launch_build *build, const json_t *root)
{
    static const char *const known[] = {"train_batch_size",
                                        "train_micro_batch_size_per_gpu",
                                        "gradient_accumulation_steps",
                                        "zero_optimization",
                                        "sequence_parallel_size",
                                        "bf16",
                                        "fp16",
                                        "gradient_clipping",
                                        "steps_per_print",
                                        "wall_clock_breakdown",
                                        "optimizer",
                                        "scheduler",
                                        "activation_checkpointing",
                                        "zero_allow_untested_optimizer"};
    const char *key;
    const json_t *value;
    json_object_foreach((json_t *)(uintptr_t)root, key, value)
    {
        bool understood = false;
        for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
            understood = understood || strcmp(key, known[i]) == 0;
        }
        (void)value;
        orr_launch_note(build, key, understood);
    }
}

/* batch = micro-batch x accumulation x data-parallel ranks: two give the third. */
static void read_batch(struct launch_build *build, const struct launch_text *text,
                       const json_t *root)
{
    const json_t *micro = json_object_get(root, "train_micro_batch_size_per_gpu");
    const json_t *steps = json_object_get(root, "gradient_accumulation_steps");
    const json_t *batch = json_object_get(root, "train_batch_size");
    read_number(build, text, root, "train_batch_size", "training.batch");
    read_number(build, text, root, "train_micro_batch_size_per_gpu", "training.micro_batch");
    read_number(build, text, root, "gradient_accumulation_steps", NULL);
    if (build->diag->status != ORR_OK) {
        return;
    }
    const int64_t of_rank =
        json_integer_value(micro) < 1 << 30 && json_integer_value(steps) < 1 << 30
            ? json_integer_value(micro) * json_integer_value(steps)
            : 0;
    if (json_is_integer(micro) && json_is_integer(steps) && json_is_integer(batch) && of_rank > 0) {
        if (json_integer_value(batch) % of_rank != 0) {
            (void)fail(build, text, "train_batch_size",
                       "a multiple of train_micro_batch_size_per_gpu x "
                       "gradient_accumulation_steps");
            return;
        }
        orr_launch_set_number(build, "parallel.data",
                              (uint64_t)(json_integer_value(batch) / of_rank), "train_batch_size");
    } else if (json_is_integer(micro) && json_is_integer(steps) && of_rank > 0) {
        build->samples_per_rank = (uint64_t)of_rank;
    }
}

/* DeepSpeed-Ulysses. */
static void read_sequence(struct launch_build *build, const struct launch_text *text,
                          const json_t *root)
{
    read_number(build, text, root, "sequence_parallel_size", "parallel.context");
    if (json_integer_value(json_object_get(root, "sequence_parallel_size")) > 1) {
        orr_launch_set(build, "parallel.context_exchange", "ulysses", "sequence_parallel_size");
    }
}

static enum orr_status read(struct launch_build *build, const struct launch_text *text)
{
    const json_t *root = text->json;
    read_batch(build, text, root);
    read_zero(build, text, root);
    read_sequence(build, text, root);
    read_formats(build, root);
    note_others(build, root);
    return build->diag->status;
}

const struct launch_format orr_launch_deepspeed = {.kind = "deepspeed_config",
                                                   .what = "a DeepSpeed configuration",
                                                   .is_one = is_one,
                                                   .read = read};
