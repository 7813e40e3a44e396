/* For readers of launch files: adds what a file says. */
#ifndef ORR_ET_CONVERTER_LAUNCH_LAUNCH_BUILD_H
#define ORR_ET_CONVERTER_LAUNCH_LAUNCH_BUILD_H

#include "core/diag.h"
#include "et_converter/launch/launch.h"

struct json_t;
struct megatron_arguments;

/* A launch under construction. The file being read is the last one. */
struct launch_build {
    struct orr_arena *arena;
    struct orr_launch *launch;
    struct orr_diag *diag;
    size_t value_capacity, contradiction_capacity, understood_capacity, not_understood_capacity;
    uint64_t samples_per_rank; /* of a step, where a file says so; times the data-parallel ranks:
                                  batch */
};

/* Text of the file being read, and what all formats of its kind need of it. */
struct launch_text {
    const char *name, *text; /* ends with a zero byte */
    size_t bytes;
    const struct json_t *json; /* of a text that begins as a JSON object; else NULL */
    const struct megatron_arguments *arguments; /* of any other; else NULL */
};

/* Adds a value; or a contradiction, if another file says something else. Texts are copied. */
void orr_launch_set(struct launch_build *build, const char *path, const char *text,
                    const char *key);
void orr_launch_set_number(struct launch_build *build, const char *path, uint64_t number,
                           const char *key);

/* Notes a key as understood, or not. */
void orr_launch_note(struct launch_build *build, const char *key, bool understood);

/* The key of a file that a size of the model comes from ("layers": "num_hidden_layers"). */
struct launch_size_key {
    const char *size, *key;
};

/* Adds the model that the file describes; its sizes whose keys are named are values, too. */
void orr_launch_set_shape(struct launch_build *build, const struct orr_model_shape *shape,
                          const struct launch_size_key *key, size_t keys);

#endif
