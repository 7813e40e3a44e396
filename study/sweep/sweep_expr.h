/* Expressions over named values, for the constraints and costs of a sweep:
 *
 *     npus <= 4096 && scheduler == "themis" ? 2 * bandwidth / 1 GB/s : max(1, chunks % 3)
 *
 * Operators, weakest first: ?:  ||  &&  == !=  < <= > >=  + -  * / %  and the signs ! and -. Values
 * are numbers and texts; texts can only be compared for equality. A number may have a unit and is
 * then in seconds, bytes, bytes/s or operations/s. True is 1, false 0. */
#ifndef ORR_STUDY_SWEEP_SWEEP_EXPR_H
#define ORR_STUDY_SWEEP_SWEEP_EXPR_H

#include <stdbool.h>
#include <stddef.h>

#include "core/core.h"

struct orr_expr;

struct orr_expr_value {
    const char *text; /* NULL: a number */
    double number;
};

/* Why an expression is none, or has no value. */
struct orr_expr_error {
    char message[512];
    unsigned column; /* from 1, in bytes */
};

/* Who knows the names: the number of a name, or < 0 with the reason in `why`. */
struct orr_expr_names {
    int (*find)(void *context, const char *name, char *why, size_t bytes);
    void *context;
};

/* Who knows their values; false, with the reason in `why`, when there is none. */
struct orr_expr_values {
    bool (*get)(const void *context, int name, struct orr_expr_value *out, char *why, size_t bytes);
    const void *context;
};

/* The expression in the arena, or NULL with *error filled. Text of any bytes is fine. A name is
 * words with dots and indices: network.dims[1].bandwidth. O(bytes). */
const struct orr_expr *orr_expr_parse(struct orr_arena *arena, const char *text,
                                      const struct orr_expr_names *names,
                                      struct orr_expr_error *error);

/* The value, a finite number or a text. Only the side that counts of && || ?: is evaluated. Any
 * number of threads may evaluate an expression. O(its length). */
bool orr_expr_eval(const struct orr_expr *expr, const struct orr_expr_values *values,
                   struct orr_expr_value *out, struct orr_expr_error *error);

/* Whether `visit` holds for a name in the expression. */
bool orr_expr_uses(const struct orr_expr *expr, bool (*visit)(void *context, int name),
                   void *context);

/* A text as configurations have it as a value: a number, a quantity, true, false, or the text
 * itself, which must outlive *out. */
void orr_expr_read_value(const char *text, struct orr_expr_value *out);

#endif
