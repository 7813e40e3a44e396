/* Variable elimination: see variable_elimination.h. */
#include "sipml/search/variable_elimination.h"

#include "core/arena.h"
#include "core/saturate.h"

bool orr_factors_init(struct factors *factors, struct orr_arena *arena, uint32_t variables,
                      const uint32_t *values)
{
    *factors = (struct factors){
        .arena = arena,
        .variables = variables,
        .values = values,
        .first_use = orr_arena_array(arena, (size_t)variables + 1, sizeof(uint32_t))};
    factors->failed = factors->first_use == NULL;
    return !factors->failed;
}

static bool add_use(struct factors *factors, uint32_t variable, uint32_t factor)
{
    struct factor_use *grown = orr_arena_grow(factors->arena, factors->use, &factors->use_capacity,
                                              factors->uses + 1, sizeof *grown);
    if (grown == NULL) {
        return false;
    }
    factors->use = grown;
    grown[factors->uses] = (struct factor_use){factor, factors->first_use[variable]};
    factors->first_use[variable] = (uint32_t)++factors->uses;
    return true;
}

static size_t cells_of(const struct factors *factors, const uint32_t *variable, uint32_t scope)
{
    size_t cells = 1;
    for (uint32_t i = 0; i < scope && cells <= FACTORS_MAX_CELLS; i++) {
        cells *= factors->values[variable[i]];
    }
    return cells;
}

static struct factor *add_factor(struct factors *factors, const uint32_t *variable, uint32_t scope)
{
    struct factor *grown = orr_arena_grow(factors->arena, factors->factor, &factors->capacity,
                                          factors->factors + 1, sizeof *grown);
    if (grown == NULL) {
        return NULL;
    }
    factors->factor = grown;
    const uint32_t number = (uint32_t)factors->factors++;
    struct factor *factor = &grown[number];
    *factor = (struct factor){.scope = scope};
    factor->cost =
        orr_arena_array(factors->arena, cells_of(factors, variable, scope), sizeof *factor->cost);
    bool made = factor->cost != NULL;
    for (uint32_t i = 0; i < scope && made; i++) {
        factor->variable[i] = variable[i];
        made = add_use(factors, variable[i], number);
    }
    return made ? factor : NULL;
}

uint64_t *orr_factors_add(struct factors *factors, uint32_t a, uint32_t b)
{
    const uint32_t variable[2] = {a, b};
    struct factor *factor =
        factors->failed ? NULL : add_factor(factors, variable, b == UINT32_MAX ? 1 : 2);
    factors->failed |= factor == NULL;
    return factor != NULL ? factor->cost : NULL;
}

/* ---- elimination ---- */

enum { TOO_MANY = FACTORS_MAX_SCOPE };

struct step {
    uint32_t variable, scope;
    uint32_t of[FACTORS_MAX_SCOPE]; /* variables on which the best value depends */
    const uint8_t *best;
};

struct solving {
    struct factors *factors;
    uint32_t *value;
    bool *is_settled; /* [variables] the value is fixed */
    bool *is_done;    /* [variables] eliminated or settled */
    uint32_t *link;   /* [variables] the next one in its bucket, plus one */
    uint32_t bucket[TOO_MANY + 1];
    uint8_t *bucket_of; /* [variables] its bucket, plus one; 0: in none */
    struct step *step;
    uint32_t steps;
};

/* Lists the neighbors of a variable; TOO_MANY: more of them, or a table too large. Merged factors
 * are removed from the list. */
static uint32_t scope_of(struct solving *solve, uint32_t variable, uint32_t *scope)
{
    struct factors *factors = solve->factors;
    uint32_t *link = &factors->first_use[variable], count = 0;
    while (*link != 0) {
        struct factor_use *use = &factors->use[*link - 1];
        const struct factor *factor = &factors->factor[use->factor];
        if (factor->used) {
            *link = use->next;
            continue;
        }
        for (uint32_t i = 0; i < factor->scope; i++) {
            const uint32_t other = factor->variable[i];
            uint32_t k = 0;
            while (k < count && scope[k] != other) {
                k++;
            }
            if (k < count || other == variable || solve->is_settled[other]) {
                continue;
            }
            if (count == TOO_MANY - 1) {
                return TOO_MANY;
            }
            scope[count++] = other;
        }
        link = &use->next;
    }
    return cells_of(factors, scope, count) * factors->values[variable] > FACTORS_MAX_CELLS
               ? TOO_MANY
               : count;
}

static void enqueue(struct solving *solve, uint32_t variable)
{
    uint32_t scope[FACTORS_MAX_SCOPE];
    if (!solve->is_done[variable] && solve->bucket_of[variable] == 0) {
        const uint32_t size = scope_of(solve, variable, scope);
        solve->link[variable] = solve->bucket[size];
        solve->bucket[size] = variable + 1;
        solve->bucket_of[variable] = (uint8_t)(size + 1);
    }
}

/* The cost of a factor at the values of all variables. */
static uint64_t cell(const struct solving *solve, const struct factor *factor)
{
    size_t at = 0;
    for (uint32_t i = 0; i < factor->scope; i++) {
        at = at * solve->factors->values[factor->variable[i]] + solve->value[factor->variable[i]];
    }
    return factor->cost[at];
}

/* The cost of all factors of a variable at the present values. */
static uint64_t cost_of(const struct solving *solve, uint32_t variable)
{
    const struct factors *factors = solve->factors;
    uint64_t cost = 0;
    for (uint32_t u = factors->first_use[variable]; u != 0; u = factors->use[u - 1].next) {
        const struct factor *factor = &factors->factor[factors->use[u - 1].factor];
        cost = factor->used ? cost : sat_plus(cost, cell(solve, factor));
    }
    return cost;
}

/* Fills the tables of the variable's best value and cost for each value of its neighbors. */
static void fill(struct solving *solve, uint32_t variable, const uint32_t *scope, uint32_t size,
                 uint64_t *cost, uint8_t *best)
{
    const uint32_t *values = solve->factors->values;
    const size_t cells = cells_of(solve->factors, scope, size);
    for (size_t at = 0; at < cells; at++) {
        size_t rest = at;
        for (uint32_t i = size; i-- > 0;) {
            solve->value[scope[i]] = (uint32_t)(rest % values[scope[i]]);
            rest /= values[scope[i]];
        }
        cost[at] = UINT64_MAX;
        for (uint32_t v = 0; v < values[variable]; v++) {
            solve->value[variable] = v;
            const uint64_t sum = cost_of(solve, variable);
            if (v == 0 || sum < cost[at]) {
                cost[at] = sum;
                best[at] = (uint8_t)v;
            }
        }
    }
}

static void mark_used(struct factors *factors, uint32_t variable)
{
    for (uint32_t u = factors->first_use[variable]; u != 0; u = factors->use[u - 1].next) {
        factors->factor[factors->use[u - 1].factor].used = true;
    }
}

static bool eliminate(struct solving *solve, uint32_t variable)
{
    struct factors *factors = solve->factors;
    struct step *step = &solve->step[solve->steps++];
    step->variable = variable;
    step->scope = scope_of(solve, variable, step->of);
    const size_t cells = cells_of(factors, step->of, step->scope);
    uint64_t *cost = orr_arena_array(factors->arena, cells, sizeof *cost);
    uint8_t *best = orr_arena_array(factors->arena, cells, sizeof *best);
    if (cost == NULL || best == NULL) {
        return false;
    }
    fill(solve, variable, step->of, step->scope, cost, best);
    step->best = best;
    mark_used(factors, variable);
    solve->is_done[variable] = true;
    struct factor *reduced = step->scope > 0 ? add_factor(factors, step->of, step->scope) : NULL;
    if (reduced != NULL) {
        reduced->cost = cost;
    }
    for (uint32_t i = 0; i < step->scope; i++) {
        enqueue(solve, step->of[i]);
    }
    return step->scope == 0 || reduced != NULL;
}

/* The minimum of a factor with the values of a variable and of settled ones fixed. */
static uint64_t min_cost(struct solving *solve, const struct factor *factor, uint32_t variable)
{
    const uint32_t *values = solve->factors->values;
    uint64_t best = UINT64_MAX;
    const size_t cells = cells_of(solve->factors, factor->variable, factor->scope);
    for (size_t at = 0; at < cells; at++) {
        size_t rest = at;
        bool fits = true;
        for (uint32_t i = factor->scope; i-- > 0;) {
            const uint32_t of = factor->variable[i];
            const bool fixed = of == variable || solve->is_settled[of];
            fits = fits && (!fixed || solve->value[of] == rest % values[of]);
            rest /= values[of];
        }
        best = fits && factor->cost[at] < best ? factor->cost[at] : best;
    }
    return best;
}

/* Fixes a variable at the value that is best if all others suit it. */
static void settle(struct solving *solve, uint32_t variable)
{
    struct factors *factors = solve->factors;
    uint64_t min_sum = UINT64_MAX;
    uint32_t best = 0;
    for (uint32_t v = 0; v < factors->values[variable]; v++) {
        uint64_t sum = 0;
        solve->value[variable] = v;
        for (uint32_t u = factors->first_use[variable]; u != 0; u = factors->use[u - 1].next) {
            const struct factor *factor = &factors->factor[factors->use[u - 1].factor];
            sum = factor->used ? sum : sat_plus(sum, min_cost(solve, factor, variable));
        }
        best = sum < min_sum ? v : best;
        min_sum = sum < min_sum ? sum : min_sum;
    }
    solve->value[variable] = best;
    solve->is_settled[variable] = solve->is_done[variable] = true;
}

/* Settles a variable and requeues its neighbors, which have one less. */
static void settle_next(struct solving *solve, uint32_t variable)
{
    const struct factors *factors = solve->factors;
    settle(solve, variable);
    for (uint32_t u = factors->first_use[variable]; u != 0; u = factors->use[u - 1].next) {
        const struct factor *factor = &factors->factor[factors->use[u - 1].factor];
        for (uint32_t i = 0; i < factor->scope && !factor->used; i++) {
            enqueue(solve, factor->variable[i]);
        }
    }
}

/* Pops a variable of the smallest bucket; UINT32_MAX: all are empty. */
static uint32_t pop_smallest(struct solving *solve, uint32_t *size)
{
    for (*size = 0; *size <= TOO_MANY; ++*size) {
        const uint32_t first = solve->bucket[*size];
        if (first != 0) {
            solve->bucket[*size] = solve->link[first - 1];
            solve->bucket_of[first - 1] = 0;
            return first - 1;
        }
    }
    return UINT32_MAX;
}

static bool eliminate_all(struct solving *solve, bool *exact)
{
    uint32_t size, variable;
    bool made = true;
    while (made && (variable = pop_smallest(solve, &size)) != UINT32_MAX) {
        uint32_t scope[FACTORS_MAX_SCOPE];
        const uint32_t now = scope_of(solve, variable, scope);
        if (now != size) { /* its neighbors changed since it was queued */
            enqueue(solve, variable);
        } else if (now == TOO_MANY) {
            *exact = false;
            settle_next(solve, variable);
        } else {
            made = eliminate(solve, variable);
        }
    }
    return made;
}

static void back_substitute(struct solving *solve)
{
    while (solve->steps-- > 0) {
        const struct step *step = &solve->step[solve->steps];
        size_t at = 0;
        for (uint32_t i = 0; i < step->scope; i++) {
            at = at * solve->factors->values[step->of[i]] + solve->value[step->of[i]];
        }
        solve->value[step->variable] = step->best[at];
    }
}

bool orr_factors_solve(struct factors *factors, uint32_t *value, bool *exact)
{
    const size_t count = (size_t)factors->variables + 1;
    struct orr_arena *arena = factors->arena;
    struct solving solve = {.factors = factors,
                            .value = value,
                            .is_settled = orr_arena_array(arena, count, sizeof(bool)),
                            .is_done = orr_arena_array(arena, count, sizeof(bool)),
                            .link = orr_arena_array(arena, count, sizeof(uint32_t)),
                            .bucket_of = orr_arena_array(arena, count, 1),
                            .step = orr_arena_array(arena, count, sizeof(struct step))};
    *exact = true;
    if (factors->failed || solve.is_settled == NULL || solve.is_done == NULL ||
        solve.link == NULL || solve.bucket_of == NULL || solve.step == NULL) {
        return false;
    }
    for (uint32_t v = factors->variables; v-- > 0;) {
        value[v] = 0;
        enqueue(&solve, v);
    }
    const bool made = eliminate_all(&solve, exact);
    if (made) {
        back_substitute(&solve);
    }
    return made;
}
