/* Precision as frameworks name it: Megatron-LM's --fp8-recipe, the names of Megatron-Bridge and
 * NeMo
 * ("bf16_with_mxfp8_mixed"), torchtitan's converters; as training.precision and the keys beside it.
 */
#ifndef ORR_ET_CONVERTER_LAUNCH_LAUNCH_PRECISION_H
#define ORR_ET_CONVERTER_LAUNCH_LAUNCH_PRECISION_H

#include <stdbool.h>
#include <stdint.h>

struct launch_build;

struct launch_precision {
    const char *recipe;          /* a value of training.precision; NULL: none that is narrow */
    bool plain_weights;          /* weights are stored and gathered in elements */
    bool narrow_gather;          /* though stored in elements, they are gathered in FP8 */
    uint64_t first, last;        /* layers that stay in elements */
    bool gradients_in_bf16;      /* named so */
    const char *key, *first_key; /* that say the recipe; its layers */
    const char *last_key, *weight_key;
};

/* By a name of Megatron-Bridge, NeMo or their benchmarks ("fp8_cs", "fp8_mx"): recipe, layers,
 * weights; hyphens stand for underscores. False: it names no narrow type. O(length). */
bool orr_launch_named_precision(const char *name, struct launch_precision *out);

/* The recipe of an FP8 recipe's name in Megatron-LM: delayed, tensorwise, blockwise, mxfp8; another
 * one counts as delayed, its default. */
const char *orr_launch_fp8_recipe(const char *name);

/* Sets training.precision and the keys beside it; without a recipe none. */
void orr_launch_set_precision(struct launch_build *build, const struct launch_precision *precision);

#endif
