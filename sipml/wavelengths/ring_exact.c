/* The integer program of SiP-Ring (SiP-ML, appendix A.1): a binary column for each arc and
 * wavelength, and a column for the minimum rate. See orr_ring_exact. */
#include <math.h>
#include <stddef.h>

#include "core/arena.h"
#include "core/diag.h"
#include "network/lp/lp.h"
#include "sipml/wavelengths/ring_private.h"

struct exact {
    const struct ring_work *work;
    double largest; /* largest demand in bytes, the unit of demands, so that the rate is a number of
                       wavelengths */
    struct lp_range *row;
    struct lp_column *column; /* the rate, then each arc's wavelengths */
    struct lp_entry *entry;
    struct lp_program program;
};

static uint32_t column_of(const struct exact *exact, uint32_t arc, uint32_t wavelength)
{
    return 1 + arc * exact->work->problem->wavelengths + wavelength;
}

static void add_entry(struct exact *exact, uint32_t column, double value)
{
    exact->entry[exact->program.entries++] =
        (struct lp_entry){.row = exact->program.rows, .column = column, .value = value};
}

static void end_row(struct exact *exact, double min, double max)
{
    exact->row[exact->program.rows++] = (struct lp_range){.min = min, .max = max};
}

/* Capacity rows: each wavelength at most once on a segment; at most all of them at a node. */
static void add_capacity_rows(struct exact *exact)
{
    const struct ring_problem *problem = exact->work->problem;
    const struct wave_sets *sets = &exact->work->sets;
    for (uint32_t place = 0; place < sets->sets; place++) {
        const bool is_segment = place < 2 * problem->nodes;
        if (sets->begin[place + 1] - sets->begin[place] < 2) {
            continue;
        }
        for (uint32_t wavelength = 0; wavelength < problem->wavelengths; wavelength++) {
            for (uint32_t i = sets->begin[place]; i < sets->begin[place + 1]; i++) {
                add_entry(exact, column_of(exact, sets->member[i], wavelength), 1);
            }
            if (is_segment) {
                end_row(exact, -LP_NO_BOUND, 1);
            }
        }
        if (!is_segment) {
            end_row(exact, -LP_NO_BOUND, problem->wavelengths);
        }
    }
}

/* Rate rows: each arc has at least rate x bytes wavelengths. */
static void add_rates(struct exact *exact)
{
    const struct ring_problem *problem = exact->work->problem;
    for (uint32_t arc = 0; arc < problem->arcs; arc++) {
        if (exact->work->bytes[arc] == 0) {
            continue;
        }
        add_entry(exact, 0, -(double)exact->work->bytes[arc] / exact->largest);
        for (uint32_t wavelength = 0; wavelength < problem->wavelengths; wavelength++) {
            add_entry(exact, column_of(exact, arc, wavelength), 1);
        }
        end_row(exact, 0, LP_NO_BOUND);
    }
}

static bool allocate_work(struct orr_arena *arena, struct exact *exact)
{
    const struct ring_work *work = exact->work;
    const size_t wavelengths = work->problem->wavelengths, arcs = work->problem->arcs;
    const size_t columns = 1 + arcs * wavelengths;
    if (columns > INT32_MAX) {
        return false;
    }
    const size_t places = work->sets.begin[work->sets.sets];
    exact->row = orr_arena_array(arena, work->sets.sets * wavelengths + arcs, sizeof *exact->row);
    exact->column = orr_arena_array(arena, columns, sizeof *exact->column);
    exact->entry =
        orr_arena_array(arena, places * wavelengths + columns + arcs, sizeof *exact->entry);
    return exact->row != NULL && exact->column != NULL && exact->entry != NULL;
}

static void write_program(struct exact *exact, struct wave_rate bound)
{
    const struct ring_work *work = exact->work;
    const uint32_t columns = 1 + work->problem->arcs * work->problem->wavelengths;
    exact->column[0] = (struct lp_column){
        .range = {.max = exact->largest * bound.circuits / (double)bound.bytes}, .objective = 1};
    for (uint32_t i = 1; i < columns; i++) {
        const bool none = work->bytes[(i - 1) / work->problem->wavelengths] == 0;
        exact->column[i] = (struct lp_column){.range = {.max = none ? 0 : 1}, .is_integer = true};
    }
    add_capacity_rows(exact);
    add_rates(exact);
    exact->program.row = exact->row;
    exact->program.column = exact->column;
    exact->program.columns = columns;
    exact->program.entry = exact->entry;
}

/* Solves the program, and marks its solution. */
static enum orr_status solve(struct ring_work *work, const struct exact *exact, double *value,
                             const struct ring_limits *limits, struct lp_result *result,
                             struct orr_diag *diag)
{
    struct lp *lp;
    enum orr_status status = orr_lp_open(&lp, &exact->program, diag);
    if (status == ORR_OK) {
        const struct lp_limits max = {.nodes = limits->nodes, .ms = limits->ms};
        status = orr_lp_solve(lp, &max, result, value, diag);
    }
    orr_lp_close(lp);
    for (uint32_t arc = 0;
         status == ORR_OK && result->end != LP_INFEASIBLE && arc < work->problem->arcs; arc++) {
        uint64_t taken[RING_MAX_WAVELENGTHS / 64] = {0};
        for (uint32_t i = 0; i < work->problem->wavelengths; i++) {
            if (value[column_of(exact, arc, i)] > 0.5) {
                taken[i / 64] |= UINT64_C(1) << i % 64;
                work->count[arc]++;
            }
        }
        orr_ring_mark(work, arc, taken);
    }
    return status;
}

static enum orr_status find_best(struct orr_arena *arena, struct ring_work *work,
                                 const struct ring_limits *limits, struct wave_rate bound,
                                 struct lp_result *result, struct orr_diag *diag)
{
    struct exact exact = {.work = work};
    for (uint32_t i = 0; i < work->problem->arcs; i++) {
        const double bytes = (double)work->bytes[i];
        exact.largest = bytes > exact.largest ? bytes : exact.largest;
    }
    if (!allocate_work(arena, &exact)) {
        return orr_diag_no_memory(diag, "integer program of a ring");
    }
    write_program(&exact, bound);
    double *value = orr_arena_array(arena, exact.program.columns, sizeof *value);
    if (value == NULL) {
        return orr_diag_no_memory(diag, "integer program of a ring");
    }
    const enum orr_status status = solve(work, &exact, value, limits, result, diag);
    result->bound /= exact.largest;
    return status;
}

enum orr_status orr_ring_exact(struct orr_arena *arena, const struct ring_problem *problem,
                               struct ring_limits limits, struct ring_allocation *out, double *gap,
                               struct orr_diag *diag)
{
    struct ring_work work;
    struct lp_result result = {.end = LP_OPTIMAL};
    enum orr_status status = orr_ring_begin(arena, problem, &work, diag);
    if (status == ORR_OK) {
        status = orr_ring_bound(arena, &work, out, diag);
    }
    /* Nothing to solve without demands, or if a set is overloaded. */
    const bool open = status == ORR_OK && out->bound.bytes != 0 && out->bound.circuits != 0;
    if (open) {
        status = find_best(arena, &work, &limits, out->bound, &result, diag);
    }
    if (status != ORR_OK) {
        return status;
    }
    orr_ring_finish(&work, true, out);
    const double rate = (double)out->rate.circuits / (double)out->rate.bytes;
    const double bound = (double)out->bound.circuits / (double)out->bound.bytes;
    const double max = result.bound < bound ? result.bound : bound;
    *gap = result.end == LP_OPTIMAL || max <= rate ? 0 : rate > 0 ? max / rate - 1 : INFINITY;
    return ORR_OK;
}
