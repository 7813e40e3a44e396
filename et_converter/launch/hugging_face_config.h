/* The config.json of a model in Hugging Face's form: the shape of the model. */
#ifndef ORR_ET_CONVERTER_LAUNCH_HUGGING_FACE_CONFIG_H
#define ORR_ET_CONVERTER_LAUNCH_HUGGING_FACE_CONFIG_H

#include <stddef.h>

#include "core/arena.h"
#include "core/status.h"
#include "et_converter/launch/json_keys.h"
#include "workload/shape/model_shape.h"

struct json_t;

struct orr_hugging_face {
    struct orr_model_shape shape;
    const char **understood; /* keys that say something of the shape, as in the file */
    size_t understoods;
    const char **ignored; /* other keys, without those that never matter for a shape */
    size_t ignoreds;
    const char *element;                             /* "bfloat16"; NULL: not said */
    struct config_source source[CONFIG_MAX_SOURCES]; /* where sizes come from */
    size_t sources;
};

/* Whether an object looks like such a file. */
bool orr_is_hugging_face(const struct json_t *root);

/* Reads the shape; everything lies in the arena. A multi-modal file's language model is read
 * (text_config). A model_type that is not known is read as a LLaMA-like one, with a warning. Errors
 * name the file and the key: one that is missing or no number of its range, a model without layers
 * of a language model. O(keys^2 + layers). */
enum orr_status orr_hugging_face_read(const char *name, const struct json_t *root,
                                      struct orr_arena *arena, struct orr_hugging_face *model,
                                      struct orr_diag *diag);

/* Sets the layer of modules of multi-token prediction by such letters: attention and a feed-forward
 * part, or one; with others they are as the last layer. (hugging_face_hybrid.c) */
void orr_launch_module_layer(struct orr_model_shape *shape, const char *pattern, size_t length);

/* Sets the layers of a hybrid by the pattern of its file, a letter each: M Mamba, E experts, *
 * attention, - dense; each is a layer of one part. Errors: another letter, another number of
 * layers. (hugging_face_hybrid.c) */
void orr_hugging_face_pattern(struct config_keys *keys, struct orr_model_shape *shape,
                              const char *pattern);

#endif
