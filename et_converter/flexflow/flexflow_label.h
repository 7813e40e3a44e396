/* Parser of record labels of DOT files: "{ a | b | { c | d } }". */
#ifndef ORR_ET_CONVERTER_FLEXFLOW_FLEXFLOW_LABEL_H
#define ORR_ET_CONVERTER_FLEXFLOW_FLEXFLOW_LABEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct orr_arena;

enum { LABEL_MAX_FIELDS = 16 };

/* The fields of a label, nested ones included, without surrounding white space and with escapes
 * resolved. */
struct label_fields {
    size_t count;
    char *field[LABEL_MAX_FIELDS];
    unsigned depth[LABEL_MAX_FIELDS]; /* braces around it */
};

/* Splits a label; false on an error, which *problem describes (constant text). Memory comes from
 * the arena. O(length). */
bool orr_label_split(struct label_fields *out, const char *label, struct orr_arena *arena,
                     const char **problem);

/* Parses a field as a number; false if it is not a finite number. */
bool orr_label_number(const char *field, double *out);
bool orr_label_integer(const char *field, uint64_t *out);

/* The text behind "KEY=" in a field; NULL if the field does not start with it. */
const char *orr_label_value(const char *field, const char *key);

#endif
