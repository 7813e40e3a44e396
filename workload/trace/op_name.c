/* Operators by name; see op_name.h. */
#include "workload/trace/op_name.h"

#include <stddef.h>

#include "core/arena.h"

const char *orr_op_name(struct orr_arena *arena, const char *name)
{
    char kernel[ORR_KERNEL_NAME_BYTES];
    name = orr_kernel_name(name, kernel);
    char *copy = orr_arena_strdup(arena, name);
    if (copy == NULL) {
        return NULL;
    }
    char *end = copy;
    const char *at = name;
    while ((*end = orr_op_name_next(name, &at)) != '\0') {
        end++;
    }
    return copy;
}
