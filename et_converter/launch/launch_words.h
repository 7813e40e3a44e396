/* Names and values of the arguments in a text: a command line or shell script, the arguments block
 * of a log, or a recipe in YAML. */
#ifndef ORR_ET_CONVERTER_LAUNCH_LAUNCH_WORDS_H
#define ORR_ET_CONVERTER_LAUNCH_LAUNCH_WORDS_H

#include <stdbool.h>
#include <stddef.h>

struct orr_arena;
struct orr_diag;

/* --tensor-model-parallel-size 8, tensor_model_parallel_size ... 8, model.layers=8, layers: 8 */
struct launch_argument {
    const char *path;  /* "model.tensor_model_parallel_size"; of a flag without dots its name */
    const char *name;  /* its last part, with _ for - */
    const char *value; /* the first word behind it; NULL: none */
};

enum launch_form {
    LAUNCH_FLAGS, /* of a command line */
    LAUNCH_LOG,   /* lines of a log, which has all arguments, those that nobody set included */
    LAUNCH_RECIPE /* laid over something that says the rest */
};

struct launch_arguments {
    struct launch_argument *argument;
    size_t count, capacity;
    enum launch_form form;
    bool toml;
    bool overrides; /* some are PATH=VALUE (Hydra) */
    bool no_memory;
};

/* Collects the arguments of a text. In scripts variables that are set before (NAME=VALUE) are put
 * in where they stand, comments and line ends behind \ are dropped. In YAML ${a.b} is put in, and
 * lists are texts, "[0, 1]". A text that begins like YAML but is broken is read line by line, with
 * a warning. All lies in the arena. O(bytes). */
void orr_launch_collect(const char *name, const char *text, struct orr_arena *arena,
                        struct launch_arguments *arguments, struct orr_diag *diag);

/* Adds an argument; copies the texts. */
void orr_launch_add_argument(struct launch_arguments *arguments, struct orr_arena *arena,
                             const char *path, const char *value);

/* The argument with a path; NULL: none. O(arguments). */
const struct launch_argument *orr_launch_find_argument(const struct launch_arguments *arguments,
                                                       const char *path);

/* Adds the values of YAML; false if the text is none, or no mapping (launch_recipe.c). */
bool orr_launch_collect_recipe(const char *name, const char *text, struct orr_arena *arena,
                               struct launch_arguments *arguments, struct orr_diag *diag);

#endif
