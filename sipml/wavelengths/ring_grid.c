/* Rows and columns of rings (SiP-ML, section 3.3): each ring is solved by ring_load.c, and every
 * GPU's wavelengths are divided between its two rings. A larger share of the rows raises their
 * bound and lowers that of the columns, so the best share is where the bounds meet. See
 * orr_ring_grid. */
#include <inttypes.h>
#include <stddef.h>

#include "core/arena.h"
#include "core/diag.h"
#include "sipml/wavelengths/ring_private.h"

struct grid_work {
    const struct ring_grid *grid;
    struct orr_arena *scratch; /* reset for each ring */
    uint32_t *begin;           /* [rings + 1] first entry of each ring in `member`, rows first */
    uint32_t *member;          /* [demands] */
    struct ring_arc *arc;      /* [demands] in the order of `member` */
};

/* The ring of two nodes, and the arc between them on it. */
static uint32_t ring_of(const struct ring_grid *grid, const struct ocs_demand *demand,
                        struct ring_arc *arc)
{
    const uint32_t row = demand->from / grid->columns, column = demand->from % grid->columns;
    const uint32_t to_row = demand->to / grid->columns, to_column = demand->to % grid->columns;
    const bool across = row == to_row;
    if (demand->from == demand->to || (!across && column != to_column)) {
        return WAVE_NONE;
    }
    const struct ocs_demand inside = {
        .from = across ? column : row, .to = across ? to_column : to_row, .bytes = demand->bytes};
    const uint32_t nodes = across ? grid->columns : grid->rows;
    if (!orr_ring_route(nodes, grid->reach, &inside, arc)) {
        return WAVE_NONE;
    }
    return across ? row : grid->rows + column;
}

static enum orr_status check(const struct ring_grid *grid, struct orr_diag *diag)
{
    if (grid->rows == 0 || grid->columns == 0 ||
        (uint64_t)grid->rows * grid->columns > WAVE_MAX_NODES) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                             "rings: expected at least one row and one column, and at most %d "
                             "nodes, got %" PRIu32 " x %" PRIu32,
                             WAVE_MAX_NODES, grid->rows, grid->columns);
    }
    if (grid->wavelengths < 2 || grid->wavelengths > RING_MAX_WAVELENGTHS ||
        grid->across >= grid->wavelengths) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                             "rings: expected 2 to %d wavelengths, of which rows and columns have "
                             "at least one each, got %" PRIu32 " of %" PRIu32 " for the rows",
                             RING_MAX_WAVELENGTHS, grid->across, grid->wavelengths);
    }
    for (uint32_t i = 0; i < grid->demands; i++) {
        const struct ocs_demand *demand = &grid->demand[i];
        if (demand->from >= grid->rows * grid->columns ||
            demand->to >= grid->rows * grid->columns) {
            return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                                 "rings: demand %" PRIu32 ": expected nodes of %" PRIu32
                                 " x %" PRIu32 ", got %" PRIu32 " and %" PRIu32,
                                 i, grid->rows, grid->columns, demand->from, demand->to);
        }
    }
    return ORR_OK;
}

static bool sort_out(struct orr_arena *arena, struct grid_work *work,
                     struct ring_grid_allocation *out)
{
    const struct ring_grid *grid = work->grid;
    const size_t rings = (size_t)grid->rows + grid->columns;
    work->begin = orr_arena_array(arena, rings + 2, sizeof *work->begin);
    work->member = orr_arena_array(arena, grid->demands, sizeof *work->member);
    work->arc = orr_arena_array(arena, grid->demands, sizeof *work->arc);
    out->count = orr_arena_array(arena, grid->demands, sizeof *out->count);
    if (work->begin == NULL || work->member == NULL || work->arc == NULL || out->count == NULL) {
        return false;
    }
    struct ring_arc arc;
    for (uint32_t i = 0; i < grid->demands; i++) {
        const uint32_t ring = ring_of(grid, &grid->demand[i], &arc);
        if (ring != WAVE_NONE) {
            work->begin[ring + 2]++;
        } else if (grid->demand[i].bytes != 0) {
            out->first_unreachable = out->unreachable++ == 0 ? i : out->first_unreachable;
        }
    }
    for (size_t i = 2; i < rings + 2; i++) {
        work->begin[i] += work->begin[i - 1];
    }
    for (uint32_t i = 0; i < grid->demands; i++) {
        const uint32_t ring = ring_of(grid, &grid->demand[i], &arc);
        if (ring != WAVE_NONE) {
            work->arc[work->begin[ring + 1]] = arc;
            work->member[work->begin[ring + 1]++] = i;
        }
    }
    return true;
}

static struct ring_problem problem_of(const struct grid_work *work, uint32_t ring, uint32_t across)
{
    const struct ring_grid *grid = work->grid;
    const bool is_row = ring < grid->rows;
    return (struct ring_problem){.nodes = is_row ? grid->columns : grid->rows,
                                 .wavelengths = is_row ? across : grid->wavelengths - across,
                                 .arcs = work->begin[ring + 1] - work->begin[ring],
                                 .arc = work->arc + work->begin[ring]};
}

/* The minimum bound of the rows, or of the columns. */
static enum orr_status bound_of(const struct grid_work *work, bool rows, uint32_t across,
                                struct wave_rate *min, struct orr_diag *diag)
{
    const uint32_t first = rows ? 0 : work->grid->rows;
    const uint32_t end = rows ? work->grid->rows : work->grid->rows + work->grid->columns;
    enum orr_status status = ORR_OK;
    *min = (struct wave_rate){.circuits = 1, .bytes = 0};
    for (uint32_t ring = first; ring < end && status == ORR_OK; ring++) {
        const struct ring_problem problem = problem_of(work, ring, across);
        struct ring_work inside;
        struct ring_allocation found = {.bound = *min};
        orr_arena_reset(work->scratch);
        status =
            problem.arcs == 0 ? ORR_OK : orr_ring_begin(work->scratch, &problem, &inside, diag);
        if (status == ORR_OK && problem.arcs != 0) {
            status = orr_ring_bound(work->scratch, &inside, &found, diag);
        }
        if (wave_rate_is_less(found.bound, *min)) {
            *min = found.bound;
        }
    }
    return status;
}

struct share {
    struct wave_rate rows, columns;
};

static enum orr_status try_share(const struct grid_work *work, uint32_t across, struct share *share,
                                 struct orr_diag *diag)
{
    const enum orr_status status = bound_of(work, true, across, &share->rows, diag);
    return status == ORR_OK ? bound_of(work, false, across, &share->columns, diag) : status;
}

static struct wave_rate lower_of(const struct share *share)
{
    return wave_rate_is_less(share->rows, share->columns) ? share->rows : share->columns;
}

/* Finds the share with the largest bound: the first one where the rows' bound is not the smaller,
 * or the one before it. */
static enum orr_status choose_share(const struct grid_work *work, struct ring_grid_allocation *out,
                                    struct orr_diag *diag)
{
    uint32_t low = 1, high = work->grid->wavelengths - 1; /* the first one is in [low, high] */
    struct share at, before;
    enum orr_status status = ORR_OK;
    while (low < high && status == ORR_OK) {
        const uint32_t middle = low + (high - low) / 2;
        status = try_share(work, middle, &at, diag);
        const bool behind = status == ORR_OK && wave_rate_is_less(at.rows, at.columns);
        *(behind ? &low : &high) = behind ? middle + 1 : middle;
    }
    if (status == ORR_OK) {
        status = try_share(work, low, &at, diag);
    }
    if (status == ORR_OK && low > 1) {
        status = try_share(work, low - 1, &before, diag);
        low -= status == ORR_OK && wave_rate_is_less(lower_of(&at), lower_of(&before));
    }
    out->across = low;
    return status;
}

static enum orr_status allocate_all(const struct grid_work *work, struct ring_grid_allocation *out,
                                    struct orr_diag *diag)
{
    const uint32_t rings = work->grid->rows + work->grid->columns;
    enum orr_status status = ORR_OK;
    out->rate = out->bound = (struct wave_rate){.circuits = 1, .bytes = 0};
    for (uint32_t ring = 0; ring < rings && status == ORR_OK; ring++) {
        const struct ring_problem problem = problem_of(work, ring, out->across);
        struct ring_allocation found;
        orr_arena_reset(work->scratch);
        status = orr_ring_allocate(work->scratch, &problem, &found, diag);
        for (uint32_t i = 0; status == ORR_OK && i < problem.arcs; i++) {
            out->count[work->member[work->begin[ring] + i]] = found.count[i];
        }
        if (status == ORR_OK) {
            out->rate = wave_rate_is_less(found.rate, out->rate) ? found.rate : out->rate;
            out->bound = wave_rate_is_less(found.bound, out->bound) ? found.bound : out->bound;
            out->deficit += found.deficit;
        }
    }
    return status;
}

static enum orr_status divide(const struct grid_work *work, struct ring_grid_allocation *out,
                              struct orr_diag *diag)
{
    const enum orr_status status = work->grid->across == 0 ? choose_share(work, out, diag) : ORR_OK;
    return status == ORR_OK ? allocate_all(work, out, diag) : status;
}

enum orr_status orr_ring_grid(struct orr_arena *arena, const struct ring_grid *grid,
                              struct ring_grid_allocation *out, struct orr_diag *diag)
{
    struct grid_work work = {.grid = grid};
    enum orr_status status = check(grid, diag);
    if (status != ORR_OK) {
        return status;
    }
    *out = (struct ring_grid_allocation){.across = grid->across, .first_unreachable = WAVE_NONE};
    work.scratch = orr_arena_create();
    status = work.scratch != NULL && sort_out(arena, &work, out)
                 ? divide(&work, out, diag)
                 : orr_diag_no_memory(diag, "rings");
    orr_arena_destroy(work.scratch);
    return status;
}
