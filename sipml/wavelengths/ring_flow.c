/* Wavelengths of a ring by flows (SiP-ML, appendix A.1, steps 1 to 4): see orr_ring_flow.
 *
 * The paper cuts the ring open and sends one unit of flow around it, over the arcs of demands and
 * dummy arcs between neighbours. Flow conservation means that the flows over every segment add up
 * to 1, where dummy arcs take the slack. So the flows of demands are those with at most 1 on any
 * segment. Both directions are one program, because they share the nodes.
 *
 * Each step ends when the first demand is served. In the end each demand has had its bytes, so its
 * mean flow is proportional to them; the steps determine how much of the ring is used. */
#include <math.h>
#include <stddef.h>

#include "core/arena.h"
#include "core/diag.h"
#include "core/rng.h"
#include "network/lp/lp.h"
#include "sipml/wavelengths/ring_private.h"

/* A smaller fraction of a demand, and a smaller flow, count as 0; the solver's own tolerance is in
 * between. */
static const double little = 1e-9, tolerance = 1e-6;

struct serving {
    struct ring_work *work;
    struct lp *lp;
    double *left;   /* [arcs] bytes left */
    double *flow;   /* [arcs] flow in the step */
    double *served; /* [arcs] flow x time */
    double time;
    struct ring_flow *how;
};

/* Makes a row of each capacity set with several arcs; sets with one arc are bounds of columns. */
static bool list_rows(struct orr_arena *arena, const struct ring_work *work,
                      struct lp_program *program)
{
    const struct wave_sets *sets = &work->sets;
    struct lp_range *row = orr_arena_array(arena, sets->sets, sizeof *row);
    struct lp_entry *entry = orr_arena_array(arena, sets->begin[sets->sets], sizeof *entry);
    if (row == NULL || entry == NULL) {
        return false;
    }
    *program = (struct lp_program){.row = row, .entry = entry};
    for (uint32_t i = 0; i < sets->sets; i++) {
        if (sets->begin[i + 1] - sets->begin[i] < 2) {
            continue;
        }
        row[program->rows] = (struct lp_range){.min = -LP_NO_BOUND, .max = 1};
        for (uint32_t k = sets->begin[i]; k < sets->begin[i + 1]; k++) {
            entry[program->entries++] =
                (struct lp_entry){.row = program->rows, .column = sets->member[k], .value = 1};
        }
        program->rows++;
    }
    return true;
}

static enum orr_status open_program(struct orr_arena *arena, struct serving *serving,
                                    struct orr_diag *diag)
{
    struct lp_program program;
    const uint32_t arcs = serving->work->problem->arcs;
    struct lp_column *column = orr_arena_array(arena, arcs, sizeof *column);
    if (column == NULL || !list_rows(arena, serving->work, &program)) {
        return orr_diag_no_memory(diag, "flows of a ring");
    }
    for (uint32_t i = 0; i < arcs; i++) {
        column[i].range.max = 1;
    }
    program.columns = arcs;
    program.column = column;
    return orr_lp_open(&serving->lp, &program, diag);
}

/* Sets the objective: 1 / bytes, in units of the smallest demand; negative for served demands. */
static bool set_gains(const struct serving *serving)
{
    const uint32_t arcs = serving->work->problem->arcs;
    double min = INFINITY;
    for (uint32_t i = 0; i < arcs; i++) {
        min = serving->left[i] > 0 && serving->left[i] < min ? serving->left[i] : min;
    }
    for (uint32_t i = 0; i < arcs; i++) {
        orr_lp_set_objective(serving->lp, i, serving->left[i] > 0 ? min / serving->left[i] : -1);
    }
    return isfinite(min);
}

/* Serves until the first demand is done; returns whether one was. */
static bool serve(struct serving *serving)
{
    const struct ring_work *work = serving->work;
    double time = INFINITY;
    for (uint32_t i = 0; i < work->problem->arcs; i++) {
        const double flow = serving->flow[i];
        if (serving->left[i] > 0 && flow > tolerance && serving->left[i] / flow < time) {
            time = serving->left[i] / flow;
        }
    }
    for (uint32_t i = 0; i < work->problem->arcs && isfinite(time); i++) {
        const double bytes = serving->flow[i] * time;
        if (serving->left[i] > 0 && serving->flow[i] > tolerance) {
            serving->served[i] += bytes;
            serving->left[i] -= bytes;
        }
        if (serving->left[i] <= little * (double)work->bytes[i]) {
            serving->left[i] = 0;
        }
    }
    serving->time += isfinite(time) ? time : 0;
    return isfinite(time);
}

static enum orr_status serve_all(struct serving *serving, struct orr_diag *diag)
{
    struct ring_flow *how = serving->how;
    const uint32_t arcs = serving->work->problem->arcs;
    const uint32_t max = how->max_steps != 0 ? how->max_steps : arcs;
    const struct lp_limits limits = {.steps = 10000 + 20 * (arcs < 1000000 ? arcs : 1000000)};
    how->steps = 0;
    for (bool ahead = true; ahead && set_gains(serving); how->steps += ahead) {
        struct lp_result result = {.end = LP_INFEASIBLE};
        if (how->steps == max) {
            break;
        }
        const enum orr_status status =
            orr_lp_solve(serving->lp, &limits, &result, serving->flow, diag);
        if (status != ORR_OK) {
            return status;
        }
        ahead = result.end == LP_OPTIMAL && serve(serving);
    }
    how->cut_short = false;
    for (uint32_t i = 0; i < arcs; i++) {
        how->cut_short = how->cut_short || serving->left[i] > 0;
        serving->served[i] += serving->left[i];
        serving->time += serving->left[i];
    }
    return ORR_OK;
}

/* The wavelengths of the mean flow, rounded down; *rest gets the remainder. */
static uint32_t round_down(const struct serving *serving, uint32_t arc, double *rest)
{
    const double wavelengths = serving->work->problem->wavelengths;
    const double exact = serving->time > 0 ? wavelengths * serving->served[arc] / serving->time : 0;
    const double is_integer = floor(exact + tolerance);
    *rest = exact > is_integer ? exact - is_integer : 0;
    return (uint32_t)is_integer;
}

/* Randomized rounding: up with the remainder as probability, if a wavelength is free. */
static void round_up(struct serving *serving)
{
    struct ring_work *work = serving->work;
    struct orr_rng rng;
    orr_rng_init(&rng, serving->how->seed, 0);
    orr_ring_count_ports(work);
    for (uint32_t i = 0; i < work->problem->arcs; i++) {
        double rest;
        (void)round_down(serving, i, &rest);
        if (orr_rng_unit(&rng) < rest && orr_ring_add_wavelength(work, i)) {
            work->count[i]++;
        }
    }
}

static bool allocate_work(struct orr_arena *arena, struct serving *serving)
{
    const struct ring_work *work = serving->work;
    serving->left = orr_arena_array(arena, work->problem->arcs, sizeof *serving->left);
    serving->flow = orr_arena_array(arena, work->problem->arcs, sizeof *serving->flow);
    serving->served = orr_arena_array(arena, work->problem->arcs, sizeof *serving->served);
    if (serving->left == NULL || serving->flow == NULL || serving->served == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < work->problem->arcs; i++) {
        serving->left[i] = (double)work->bytes[i];
    }
    return true;
}

enum orr_status orr_ring_flow(struct orr_arena *arena, const struct ring_problem *problem,
                              struct ring_flow *flow, struct ring_allocation *out,
                              struct orr_diag *diag)
{
    struct ring_work work;
    struct serving serving = {.work = &work, .how = flow};
    enum orr_status status = orr_ring_begin(arena, problem, &work, diag);
    if (status == ORR_OK) {
        status = orr_ring_bound(arena, &work, out, diag);
    }
    if (status != ORR_OK) {
        return status;
    }
    uint32_t *want = orr_arena_array(arena, problem->arcs, sizeof *want);
    if (want == NULL || !allocate_work(arena, &serving)) {
        return orr_diag_no_memory(diag, "flows of a ring");
    }
    status = open_program(arena, &serving, diag);
    if (status == ORR_OK) {
        status = serve_all(&serving, diag);
    }
    orr_lp_close(serving.lp);
    if (status != ORR_OK) {
        return status;
    }
    for (uint32_t i = 0; i < problem->arcs; i++) {
        double rest;
        want[i] = round_down(&serving, i, &rest);
    }
    out->deficit = orr_ring_color(&work, want);
    if (flow->rounding == RING_ROUND_RANDOM) {
        round_up(&serving);
    }
    orr_ring_finish(&work, flow->rounding == RING_ROUND_DOWN, out);
    return ORR_OK;
}
