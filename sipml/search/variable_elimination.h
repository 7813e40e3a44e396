/* Variable (bucket) elimination: minimizes a sum of cost tables of few variables each, by
 * eliminating variables one by one, the one with the fewest neighbors first (Bertele and Brioschi,
 * Nonserial Dynamic Programming, 1972). */
#ifndef ORR_SIPML_SEARCH_VARIABLE_ELIMINATION_H
#define ORR_SIPML_SEARCH_VARIABLE_ELIMINATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct orr_arena;

enum { FACTORS_MAX_CELLS = 4096, FACTORS_MAX_SCOPE = 10 };

/* A cost table of the variables of its scope; the last one varies fastest in `cost`. */
struct factor {
    uint64_t *cost;
    uint32_t variable[FACTORS_MAX_SCOPE];
    uint32_t scope;
    bool used; /* merged into another factor */
};

struct factors {
    struct orr_arena *arena;
    uint32_t variables;
    const uint32_t *values; /* [variables] domain size: 0 .. values - 1 */
    struct factor *factor;
    size_t factors, capacity;
    struct factor_use {
        uint32_t factor, next; /* next: plus one; 0: none */
    } * use;
    size_t uses, use_capacity;
    uint32_t *first_use; /* [variables] plus one */
    bool failed;         /* memory is out */
};

/* Initializes an empty sum. False when memory is out. */
bool orr_factors_init(struct factors *factors, struct orr_arena *arena, uint32_t variables,
                      const uint32_t *values);

/* Adds a cost table of one variable, or of two (b UINT32_MAX: one). Returns its cells, all 0, to be
 * filled: index of a, then of b. NULL when memory is out (the sum then stays failed). */
uint64_t *orr_factors_add(struct factors *factors, uint32_t a, uint32_t b);

/* Writes the values with the least sum into value[variables]; ties: the first values. Tables are
 * limited to FACTORS_MAX_CELLS. A variable that would need a larger one takes the value that is
 * best if all neighbors suit it, and *exact is false. Sums saturate. */
bool orr_factors_solve(struct factors *factors, uint32_t *value, bool *exact);

#endif
