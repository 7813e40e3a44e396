/* The value of an attribute, independent of the file format, and its conversion to the type that is
 * wanted: tools write the same number as different types, also as text. */
#ifndef ORR_WORKLOAD_TRACE_ET_ET_VALUE_H
#define ORR_WORKLOAD_TRACE_ET_ET_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum et_value_kind {
    ET_NONE, /* the attribute has no value */
    ET_SIGNED,
    ET_UNSIGNED,
    ET_REAL,
    ET_BOOL,
    ET_TEXT,
    ET_TEXTS,
    ET_BOOLS,
    ET_NUMBERS,
    ET_OTHER /* any other type */
};

/* Pointers are borrowed. */
struct et_value {
    enum et_value_kind kind;
    union {
        int64_t as_signed;
        uint64_t as_unsigned;
        double as_real;
        bool as_bool;
        const char *as_text;
        const char *const *as_texts; /* [count] */
        const uint64_t *as_numbers;  /* [count] */
        uint32_t as_mask;            /* ET_BOOLS: bit i is the i-th, of the first 32 */
    } of;
    size_t count; /* ET_TEXTS, ET_BOOLS, ET_NUMBERS */
};

enum { ET_VALUE_TEXT_BYTES = 96 };

/* Converts a value of any type to an integer >= 0, text of a number too ("134217728.0", "1e3");
 * false: it is none. */
bool orr_et_to_integer(const struct et_value *value, uint64_t *out);

/* The same for true and false, also as text or 0 and 1. */
bool orr_et_to_bool(const struct et_value *value, bool *out);

/* Whether it is an empty list: one without values, or an attribute without a value. */
bool orr_et_is_empty(const struct et_value *value);

/* The value for an error, in `text` or constant. */
const char *orr_et_describe(const struct et_value *value, char text[ET_VALUE_TEXT_BYTES]);

#endif
