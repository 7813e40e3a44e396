/* Precision as frameworks name it; see launch_precision.h. Facts: Megatron-Bridge,
 * training/mixed_precision.py (2026); Megatron-LM, megatron/training/arguments.py. */
#include "et_converter/launch/launch_precision.h"

#include <stdio.h>
#include <string.h>

#include "et_converter/launch/launch_build.h"

enum { NAME_BYTES = 128 };

/* Parts of names, the first that a name has. */
static const struct named {
    const char *part, *recipe;
    uint64_t layers; /* at either end, that stay in elements */
} names[] = {
    {"nvfp4", "nvfp4", 0},
    {"mxfp8", "mxfp8", 0},
    {"fp8_mx", "mxfp8", 0},
    {"nemotron_h_bf16_with_fp8_current", "fp8_cs", 2},
    {"nanov2_bf16_with_fp8_current", "fp8_block", 2},
    {"fp8_current_scaling", "fp8_cs", 1},
    {"fp8_cs", "fp8_cs", 0},
    {"fp8_subchannel", "fp8_block", 0},
    {"fp8_blockwise", "fp8_block", 0},
    {"fp8_sc", "fp8_block", 0},
    {"fp8", "fp8_delayed", 0},
};

/* With underscores for hyphens; names that are longer are cut. */
static void normalize(const char *name, char text[NAME_BYTES])
{
    (void)snprintf(text, NAME_BYTES, "%s", name);
    for (char *c = text; *c != '\0'; c++) {
        *c = *c == '-' ? '_' : *c;
    }
}

bool orr_launch_named_precision(const char *name, struct launch_precision *out)
{
    char text[NAME_BYTES];
    normalize(name, text);
    out->gradients_in_bf16 = strstr(text, "bf16_grad_reduce") != NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strstr(text, names[i].part) != NULL) {
            const bool super = strstr(text, "nemotron_3_super") != NULL;
            out->recipe = names[i].recipe;
            out->first = names[i].layers;
            out->last = super ? 14 : names[i].layers;
            out->plain_weights = strstr(text, "bf16_params") != NULL;
            return true;
        }
    }
    return false;
}

const char *orr_launch_fp8_recipe(const char *name)
{
    static const struct {
        const char *name, *recipe;
    } recipes[] = {{"tensorwise", "fp8_cs"}, {"blockwise", "fp8_block"}, {"mxfp8", "mxfp8"}};
    for (size_t i = 0; name != NULL && i < sizeof recipes / sizeof *recipes; i++) {
        if (strcmp(name, recipes[i].name) == 0) {
            return recipes[i].recipe;
        }
    }
    return "fp8_delayed";
}

/* Whether the recipe itself stores weights in their narrow type. */
static bool stores_narrow(const char *recipe)
{
    return strcmp(recipe, "fp8_block") != 0 && strcmp(recipe, "nvfp4") != 0;
}

static void set_layers(struct launch_build *build, const char *path, uint64_t layers,
                       const char *key)
{
    if (layers > 0) {
        orr_launch_set_number(build, path, layers, key);
    }
}

void orr_launch_set_precision(struct launch_build *build, const struct launch_precision *precision)
{
    const char *key = precision->key;
    if (precision->recipe == NULL) {
        return;
    }
    orr_launch_set(build, "training.precision", precision->recipe, key);
    if (precision->plain_weights && stores_narrow(precision->recipe)) {
        const char *why = precision->weight_key != NULL ? precision->weight_key : key;
        orr_launch_set(build, "training.weight_type", "element", why);
        orr_launch_set(build, "training.gather_type", precision->narrow_gather ? "fp8" : "element",
                       why);
    }
    set_layers(build, "training.layers_at_start_in_bf16", precision->first,
               precision->first_key != NULL ? precision->first_key : key);
    set_layers(build, "training.layers_at_end_in_bf16", precision->last,
               precision->last_key != NULL ? precision->last_key : key);
}
