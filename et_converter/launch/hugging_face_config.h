/* The config.json of a model in Hugging Face's form: the shape of the model. */
#ifndef ORR_ET_CONVERTER_LAUNCH_HUGGING_FACE_CONFIG_H
#define ORR_ET_CONVERTER_LAUNCH_HUGGING_FACE_CONFIG_H

#include <stddef.h>

#include "core/arena.h"
#include "core/status.h"
#include "workload/shape/model_shape.h"

struct orr_diag;

struct orr_hugging_face {
    struct orr_model_shape shape;
    const char **understood; /* keys that say something of the shape, as in the file */
    size_t understoods;
    const char **ignored; /* other keys, without those that never matter for a shape */
    size_t ignoreds;
    const char *element; /* "bfloat16"; NULL: not said */
};

/* Whether a JSON text looks like such a file. O(bytes). */
bool orr_is_hugging_face(const char *text, size_t bytes);

/* Reads the shape; everything lies in the arena. A multi-modal file's language model is read
 * (text_config). A model_type that is not known is read as a LLaMA-like one, with a warning. Errors
 * name the file and the key: not JSON (with its line), a key that is missing or no number of its
 * range, a model without layers of a language model. O(bytes + layers). */
enum orr_status orr_hugging_face_read(const char *name, const char *text, size_t bytes,
                                      struct orr_arena *arena, struct orr_hugging_face *model,
                                      struct orr_diag *diag);

#endif
