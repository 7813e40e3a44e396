/* For readers of launch files: adds what a file says. */
#ifndef ORR_ET_CONVERTER_LAUNCH_LAUNCH_BUILD_H
#define ORR_ET_CONVERTER_LAUNCH_LAUNCH_BUILD_H

#include "core/diag.h"
#include "et_converter/launch/launch.h"

struct json_t;
struct megatron_arguments;

/* What a value is if no file says it. */
struct launch_assumption {
    struct orr_launch_value value;
    bool of_model;   /* counts less than what a file says of the training */
    const char *why; /* a warning if it is taken; NULL: none */
};

/* A launch under construction. The file being read is the last one. */
struct launch_build {
    struct orr_arena *arena;
    struct orr_launch *launch;
    struct orr_diag *diag;
    struct launch_assumption *assumption;
    size_t assumptions, assumption_capacity;
    uint64_t unpadded_vocabulary; /* where a file says one that is padded; else 0 */
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

/* Says what a value is if no file says it: what a framework does then, `why` a warning of it (NULL:
 * none); or, `of_model`, what a model's file says, if no framework does anything. */
void orr_launch_assume(struct launch_build *build, const struct launch_assumption *assumption);
/* Takes those that are needed, behind all files. */
void orr_launch_take_assumptions(struct launch_build *build);

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
