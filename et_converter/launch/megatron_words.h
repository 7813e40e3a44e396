/* Names and values of Megatron's arguments in a text: a command line or shell script, the arguments
 * block of a log, or a recipe in YAML. */
#ifndef ORR_ET_CONVERTER_LAUNCH_MEGATRON_WORDS_H
#define ORR_ET_CONVERTER_LAUNCH_MEGATRON_WORDS_H

#include <stdbool.h>
#include <stddef.h>

struct orr_arena;

/* --tensor-model-parallel-size 8, tensor_model_parallel_size ... 8, tensor_model_parallel_size: 8
 */
struct megatron_argument {
    const char *name;  /* "tensor_model_parallel_size" */
    const char *value; /* the first word behind it; NULL: none */
};

struct megatron_arguments {
    struct megatron_argument *argument;
    size_t count, capacity;
    bool named; /* by lines of a log or a recipe, not by flags */
    bool no_memory;
};

/* Collects the arguments of a text. In scripts variables that are set before (NAME=VALUE) are put
 * in where they stand, comments and line ends behind \ are dropped. All lies in the arena.
 * O(bytes). */
void orr_megatron_collect(const char *text, struct orr_arena *arena,
                          struct megatron_arguments *arguments);

#endif
