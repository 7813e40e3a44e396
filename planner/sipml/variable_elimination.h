/* The least sum of costs that are each of a few variables: variables are eliminated one by one,
 * the one with the fewest neighbours first (Bertele and Brioschi, Nonserial Dynamic Programming,
 * 1972). */
#ifndef ORR_PLANNER_SIPML_VARIABLE_ELIMINATION_H
#define ORR_PLANNER_SIPML_VARIABLE_ELIMINATION_H

#include "core/core.h"

enum { FACTORS_MAX_CELLS = 4096, FACTORS_MAX_SCOPE = 10 };

/* A cost of the variables of its scope; the last of them varies fastest in `cost`. */
struct factor {
    uint64_t *cost;
    uint32_t variable[FACTORS_MAX_SCOPE];
    uint32_t scope;
    bool used; /* it is part of another one */
};

struct factors {
    struct orr_arena *arena;
    uint32_t variables;
    const uint32_t *values; /* [variables] of each: 0 .. values - 1 */
    struct factor *factor;
    size_t factors, capacity;
    struct factor_use {
        uint32_t factor, next; /* next: plus one; 0: none */
    } * use;
    size_t uses, use_capacity;
    uint32_t *first_use; /* [variables] plus one */
    bool failed;         /* memory is out */
};

/* Begins a sum without costs. False when memory is out. */
bool orr_factors_init(struct factors *factors, struct orr_arena *arena, uint32_t variables,
                      const uint32_t *values);

/* Adds a cost of one variable, or of two (b UINT32_MAX: one). Returns its cells, all 0, to be
 * filled: of a and then b. NULL when memory is out (it then stays failed). */
uint64_t *orr_factors_add(struct factors *factors, uint32_t a, uint32_t b);

/* The values with the least sum into value[variables], the first ones where sums are equal. Tables
 * of more than FACTORS_MAX_CELLS are not made: a variable that would need one takes the value that
 * is best when all neighbours suit it, and *exact is false. Sums saturate. */
bool orr_factors_solve(struct factors *factors, uint32_t *value, bool *exact);

#endif
