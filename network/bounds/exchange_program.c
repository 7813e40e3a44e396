/* The program of an all-to-all by column generation; see exchange_private.h.
 *
 *     minimize T    subject to   sum over columns of load x - (capacity) T <= 0   for each class of
 * arcs sum of the x of a class of NPUs = 1              for each of these
 *
 * A column routes all that a class of NPUs sends. The duals of the first rows are lengths of arcs;
 * a column that is shorter by these than what its class pays now is added. Lengths halfway between
 * these and the best so far are tried first, which keeps them from swinging (Wentges 1997). */
#include "core/arena.h"
#include "core/diag.h"
#include "network/bounds/exchange_private.h"
#include "network/lp/lp.h"

enum { MAX_ROUNDS = 2000 };

struct program {
    struct exchange *exchange;
    struct lp *lp;
    double *capacity; /* [classes] of all its arcs */
    double *share;    /* [classes] load of the column in the making, by capacity; scratch */
    double *dual;     /* [classes + sources] */
    double *value;    /* [columns] */
    size_t value_alloc, columns;
    struct lp_entry *entry; /* [classes + sources] */
};

/* ---- columns ---- */

/* Shares of the last search's even split, for all NPUs of the class. */
static void take_load(struct program *program, uint32_t source)
{
    struct exchange *exchange = program->exchange;
    const struct link_classes *classes = &exchange->classes;
    for (uint32_t i = 0; i < exchange->graph.arcs; i++) {
        exchange->load[i] = 0;
    }
    orr_even_paths_add_load(&exchange->paths, exchange->length, exchange->load);
    for (uint32_t k = 0; k < classes->classes; k++) {
        program->share[k] = 0;
    }
    for (uint32_t i = 0; i < exchange->graph.arcs; i++) {
        program->share[classes->class_of[i]] += exchange->load[i] * classes->members[source];
    }
    for (uint32_t k = 0; k < classes->classes; k++) {
        program->share[k] /= program->capacity[k];
    }
}

/* Adds the column in the making; T is column 0. */
static enum orr_status add_column(struct program *program, uint32_t source)
{
    const struct link_classes *classes = &program->exchange->classes;
    const struct lp_column column = {.range = {0, LP_NO_BOUND}};
    struct orr_arena *arena = program->exchange->arena;
    uint32_t entries = 0;
    for (uint32_t k = 0; k < classes->classes; k++) {
        if (program->share[k] > 0) {
            program->entry[entries++] = (struct lp_entry){.row = k, .value = program->share[k]};
        }
    }
    program->entry[entries++] = (struct lp_entry){.row = classes->classes + source, .value = 1};
    double *value = orr_arena_grow(arena, program->value, &program->value_alloc,
                                   program->columns + 1, sizeof *value);
    if (value == NULL) {
        return orr_diag_no_memory(program->exchange->diag, "the flows of an all-to-all");
    }
    program->value = value;
    program->columns++;
    return orr_lp_add_column(program->lp, &column, program->entry, entries,
                             program->exchange->diag);
}

/* What the column in the making costs by the duals. */
static double cost_of(const struct program *program)
{
    double cost = 0;
    for (uint32_t k = 0; k < program->exchange->classes.classes; k++) {
        cost += program->share[k] * program->dual[k];
    }
    return cost;
}

/* Searches from each class of NPUs by the lengths, and adds the columns that cost less than their
 * class pays; all of them if `any`. Returns how many were added, in *added. */
static enum orr_status price(struct program *program, bool any, uint32_t *added)
{
    struct exchange *exchange = program->exchange;
    const struct link_classes *classes = &exchange->classes;
    enum orr_status status = ORR_OK;
    double distances = 0;
    *added = 0;
    for (uint32_t s = 0; s < classes->sources && status == ORR_OK; s++) {
        distances += classes->members[s] *
                     orr_even_paths_search(&exchange->paths, classes->source[s], exchange->length);
        take_load(program, s);
        const double pays = program->dual[classes->classes + s];
        if (any || cost_of(program) < pays - 1e-11 * fabs(pays)) {
            status = add_column(program, s);
            ++*added;
        }
    }
    orr_exchange_try_lengths(exchange, distances);
    return status;
}

/* Lengths of arcs by the duals, mixed with the best so far. Arcs of a class have one length: an NPU
 * stands for its class only by such lengths. The best so far may be others; their mean is as good.
 */
static void set_lengths(struct program *program, double of_best)
{
    struct exchange *exchange = program->exchange;
    const struct link_classes *classes = &exchange->classes;
    double volume = 0;
    for (uint32_t k = 0; k < classes->classes; k++) {
        program->share[k] = 0;
    }
    for (uint32_t i = 0; i < exchange->graph.arcs; i++) {
        const double of_arc = (double)exchange->graph.arc[i].capacity * exchange->best[i];
        program->share[classes->class_of[i]] += of_arc;
        volume += of_arc;
    }
    for (uint32_t i = 0; i < exchange->graph.arcs; i++) {
        const uint32_t k = classes->class_of[i];
        exchange->length[i] =
            ((1 - of_best) * program->dual[k] + of_best * program->share[k] / volume) /
            program->capacity[k];
    }
}

/* ---- the program ---- */

/* Solves the program of the columns so far. */
static enum orr_status solve_columns(struct program *program)
{
    struct exchange *exchange = program->exchange;
    const struct link_classes *classes = &exchange->classes;
    const struct lp_limits none = {0};
    struct lp_result result;
    const enum orr_status status =
        orr_lp_solve(program->lp, &none, &result, program->value, exchange->diag);
    if (status != ORR_OK || result.end != LP_OPTIMAL) {
        return status != ORR_OK ? status
                                : orr_diag_fail(exchange->diag, ORR_ERR_INTERNAL, NULL,
                                                "the flows of an all-to-all have no optimum");
    }
    exchange->most = fmin(exchange->most, -result.objective);
    for (uint32_t r = 0; r < classes->classes + classes->sources; r++) {
        const double dual = orr_lp_row_dual(program->lp, r);
        program->dual[r] = r < classes->classes ? fmax(0, dual) : -dual;
    }
    return ORR_OK;
}

/* Adds columns until none is cheaper. */
static enum orr_status generate(struct program *program)
{
    uint32_t added = 0;
    set_lengths(program, 1);
    enum orr_status status = price(program, true, &added);
    for (int round = 0; round < MAX_ROUNDS && status == ORR_OK && added > 0; round++) {
        status = solve_columns(program);
        if (status != ORR_OK || orr_exchange_is_solved(program->exchange)) {
            break;
        }
        set_lengths(program, 0.5);
        status = price(program, false, &added);
        if (status == ORR_OK && added == 0) {
            set_lengths(program, 0);
            status = price(program, false, &added);
        }
    }
    return status;
}

static enum orr_status open_program(struct program *program)
{
    struct exchange *exchange = program->exchange;
    const struct link_classes *classes = &exchange->classes;
    const uint32_t rows = classes->classes + classes->sources;
    struct lp_range *row = orr_arena_array(exchange->arena, rows, sizeof *row);
    if (row == NULL) {
        return orr_diag_no_memory(exchange->diag, "the flows of an all-to-all");
    }
    for (uint32_t r = 0; r < rows; r++) {
        const bool is_link = r < classes->classes;
        row[r] = is_link ? (struct lp_range){-LP_NO_BOUND, 0} : (struct lp_range){1, 1};
        program->entry[r] = (struct lp_entry){.row = r, .column = 0, .value = -1};
    }
    for (uint32_t i = 0; i < exchange->graph.arcs; i++) {
        program->capacity[classes->class_of[i]] += (double)exchange->graph.arc[i].capacity;
    }
    const struct lp_column time = {.range = {0, LP_NO_BOUND}, .objective = -1};
    const struct lp_program opened = {.rows = rows,
                                      .columns = 1,
                                      .entries = classes->classes,
                                      .row = row,
                                      .column = &time,
                                      .entry = program->entry};
    program->columns = 1;
    return orr_lp_open(&program->lp, &opened, exchange->diag);
}

enum orr_status orr_exchange_solve(struct exchange *exchange)
{
    const struct link_classes *classes = &exchange->classes;
    const uint32_t rows = classes->classes + classes->sources;
    struct program program = {
        .exchange = exchange,
        .capacity = orr_arena_array(exchange->arena, rows, sizeof(double)),
        .share = orr_arena_array(exchange->arena, rows, sizeof(double)),
        .dual = orr_arena_array(exchange->arena, rows, sizeof(double)),
        .entry = orr_arena_array(exchange->arena, rows + 1, sizeof(struct lp_entry))};
    if (program.capacity == NULL || program.share == NULL || program.dual == NULL ||
        program.entry == NULL) {
        return orr_diag_no_memory(exchange->diag, "the flows of an all-to-all");
    }
    enum orr_status status = open_program(&program);
    status = status == ORR_OK ? generate(&program) : status;
    orr_lp_close(program.lp);
    return status;
}
