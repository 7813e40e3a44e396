/* The layers of a model's shape as the key `transformer.pattern`. */
#ifndef ORR_STUDY_IMPORT_IMPORT_LAYERS_H
#define ORR_STUDY_IMPORT_IMPORT_LAYERS_H

#include <stdbool.h>
#include <stdio.h>

#include "workload/shape/model_shape.h"

/* Whether some layer mixes tokens so. O(layers). */
bool orr_import_mixes(const struct orr_model_shape *shape, enum orr_mixer mixer);

/* Whether the key can say the layers: windows are of one size, chunks too. O(layers). */
bool orr_import_can_pattern(const struct orr_model_shape *shape);

/* Writes the key, and `window` and `chunk`, unless all layers are full attention with the same
 * feed-forward part. O(layers^2) for the shortest period. */
void orr_import_write_pattern(FILE *out, const struct orr_model_shape *shape);

#endif
