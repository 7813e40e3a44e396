/* Operator names: names that differ only in numbers that are words ("layer 3", "layers.12.mlp") are
 * one operator, shown as "layer #". */
#ifndef ORR_WORKLOAD_TRACE_OP_NAME_H
#define ORR_WORKLOAD_TRACE_OP_NAME_H

#include "core/core.h"

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

/* A copy in the arena with a '#' for each number; NULL when memory is out. O(length). */
const char *orr_op_name(struct orr_arena *arena, const char *name);

#endif
