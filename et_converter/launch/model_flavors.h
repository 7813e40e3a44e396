/* Models that launch files name and do not describe: "8B" of llama3, meta-llama/Llama-3.1-8B,
 * Llama3Config8B. */
#ifndef ORR_ET_CONVERTER_LAUNCH_MODEL_FLAVORS_H
#define ORR_ET_CONVERTER_LAUNCH_MODEL_FLAVORS_H

#include "et_converter/launch/launch_build.h"

/* The configuration (JSON with ' for ") of a model's name, in any of these spellings: what stands
 * before a slash or the last dot, case, signs, and words such as Instruct or Config do not count.
 * NULL: not known. O(models). */
const char *orr_model_flavor(const char *name);

/* Adds the shape of a known model, whose name the key says; false: it is not known. */
bool orr_launch_set_flavor(struct launch_build *build, const char *name, const char *key);

#endif
