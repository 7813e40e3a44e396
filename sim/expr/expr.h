/* Expressions over named values, for the constraints and costs of a sweep:
 *
 *     npus <= 4096 && scheduler == "themis" ? 2 * bandwidth / 1 GB/s : max(1, chunks % 3)
 *
 * Operators, weakest first: ?:  ||  &&  == !=  < <= > >=  + -  * / %  and the signs ! and -. Values
 * are numbers and texts; texts can only be compared for equality. A number may have a unit and is
 * then in seconds, bytes, bytes/s or operations/s. True is 1, false 0. With `units` values keep
 * what they are in, and those of different units cannot be added, compared or chosen between. */
#ifndef ORR_SIM_EXPR_EXPR_H
#define ORR_SIM_EXPR_EXPR_H

#include <stdbool.h>
#include <stddef.h>

struct orr_arena;

struct orr_expr;

/* The unit of a number: powers of bytes, operations and seconds. */
struct orr_expr_unit {
    int bytes, operations, seconds;
};

struct orr_expr_value {
    const char *text; /* NULL: a number */
    double number;
    struct orr_expr_unit unit;
};

/* "bytes/s"; "no unit". Returns `out`. */
enum { ORR_EXPR_UNIT_BYTES = 96 };
const char *orr_expr_unit_text(struct orr_expr_unit unit, char *out);

/* Error of parsing or evaluation. */
struct orr_expr_error {
    char message[512];
    unsigned column; /* from 1, in bytes */
};

/* Resolver of names: the number of a name, or < 0 with the reason in `why`. */
struct orr_expr_names {
    int (*find)(void *context, const char *name, char *why, size_t bytes);
    void *context;
};

/* Provider of values; false, with the reason in `why`, if there is none. */
struct orr_expr_values {
    bool (*get)(const void *context, int name, struct orr_expr_value *out, char *why, size_t bytes);
    const void *context;
    bool units; /* units are checked */
};

/* Parses an expression into the arena; NULL with *error filled. Any bytes are accepted as text. A
 * name is words with dots and indices: network.dims[1].bandwidth. O(bytes). */
const struct orr_expr *orr_expr_parse(struct orr_arena *arena, const char *text,
                                      const struct orr_expr_names *names,
                                      struct orr_expr_error *error);

/* Evaluates to a finite number or a text. && || ?: evaluate only the needed side. Thread-safe.
 * O(length). */
bool orr_expr_eval(const struct orr_expr *expr, const struct orr_expr_values *values,
                   struct orr_expr_value *out, struct orr_expr_error *error);

/* Whether `visit` is true for a name in the expression. */
bool orr_expr_uses(const struct orr_expr *expr, bool (*visit)(void *context, int name),
                   void *context);

/* The two sides of an expression that compares them as larger or smaller; false: it is none. */
bool orr_expr_sides(const struct orr_expr *expr, const struct orr_expr **left,
                    const struct orr_expr **right);

/* Converts a text of a configuration to a value: a number, a quantity, true, false, or the text
 * itself, which must outlive *out. */
void orr_expr_read_value(const char *text, struct orr_expr_value *out);

#endif
