/* Record labels of DOT files: "{ a | b | { c | d } }". */
#ifndef ORR_ET_CONVERTER_FLEXFLOW_FLEXFLOW_LABEL_H
#define ORR_ET_CONVERTER_FLEXFLOW_FLEXFLOW_LABEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/core.h"

enum { LABEL_MAX_FIELDS = 16 };

/* The fields of a label, of nested ones too, without white space around them. Escapes are resolved.
 */
struct label_fields {
    size_t count;
    char *field[LABEL_MAX_FIELDS];
    unsigned depth[LABEL_MAX_FIELDS]; /* braces around it */
};

/* Splits a label; `problem` is what is wrong with it when that fails (a text that stays). Memory
 * comes from the arena. O(length). */
bool orr_label_split(struct label_fields *out, const char *label, struct orr_arena *arena,
                     const char **problem);

/* A field as a number; false when it is none, or not finite. */
bool orr_label_number(const char *field, double *out);
bool orr_label_integer(const char *field, uint64_t *out);

/* What stands behind "KEY=" in a field; NULL when it does not begin so. */
const char *orr_label_value(const char *field, const char *key);

#endif
