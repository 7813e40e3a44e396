/* Operator names: names that differ only in numbers that are words ("layer 3", "layers.12.mlp") are
 * one operator, shown as "layer #". */
#ifndef ORR_WORKLOAD_TRACE_OP_NAME_H
#define ORR_WORKLOAD_TRACE_OP_NAME_H

#include <stdbool.h>

struct orr_arena;

#define ORR_ANY_NUMBER '#'

static inline bool orr_op_name_ends_word(char c)
{
    return c == '\0' || c == ' ' || c == '.';
}

/* The character at *at, which is advanced; a number that is a word counts as one character. */
static inline char orr_op_name_next(const char *name, const char **at)
{
    const char *from = *at;
    if (*from >= '0' && *from <= '9' && (from == name || orr_op_name_ends_word(from[-1]))) {
        const char *end = from;
        while (*end >= '0' && *end <= '9') {
            end++;
        }
        if (orr_op_name_ends_word(*end)) {
            *at = end;
            return ORR_ANY_NUMBER;
        }
    }
    (*at)++;
    return *from;
}

enum { ORR_KERNEL_NAME_BYTES = 256 };

/* Whether a name is that of a kernel in C++, mangled or with its types. O(length). */
bool orr_is_kernel_name(const char *name);

/* The name without template arguments, parameters and mangling, in `out`; other names as they are.
 * Kernels that differ in these alone are one operator. O(length). (kernel_name.c) */
const char *orr_kernel_name(const char *name, char out[ORR_KERNEL_NAME_BYTES]);

/* A copy in the arena of a kernel's name, or of another with a '#' for each number; NULL when
 * memory is out. O(length). */
const char *orr_op_name(struct orr_arena *arena, const char *name);

#endif
