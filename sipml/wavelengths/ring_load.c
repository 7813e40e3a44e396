/* Wavelengths of a ring by load: see orr_ring_allocate. The load bound is a threshold (rates.h);
 * the rate is lowered while colors do not suffice for it. */
#include <stddef.h>

#include "core/arena.h"
#include "core/diag.h"
#include "sipml/wavelengths/ring_private.h"

enum { STEPS = 16, HALVINGS = 24 }; /* one threshold at a time, then by bisection */

struct lowering {
    struct ring_work *work;
    uint32_t *want; /* [arcs] */
};

static uint32_t color_at(const struct lowering *lowering, struct wave_rate rate)
{
    const struct ring_work *work = lowering->work;
    for (uint32_t i = 0; i < work->problem->arcs; i++) {
        lowering->want[i] = orr_wave_needed(rate, work->bytes[i]);
    }
    return orr_ring_color(lowering->work, lowering->want);
}

/* The largest threshold below the rate; 0 circuits: none. */
static struct wave_rate next_below(const struct ring_work *work, struct wave_rate rate)
{
    struct wave_rate next = {.circuits = 0, .bytes = 1};
    for (uint32_t i = 0; i < work->problem->arcs; i++) {
        const uint32_t needed = orr_wave_needed(rate, work->bytes[i]);
        const struct wave_rate below = {.circuits = needed - 1, .bytes = work->bytes[i]};
        if (needed != 0 && wave_rate_is_less(next, below)) {
            next = below;
        }
    }
    return next;
}

/* The threshold just below or at the rate. */
static struct wave_rate snap(const struct lowering *lowering, double rate)
{
    const struct ring_work *work = lowering->work;
    for (uint32_t i = 0; i < work->problem->arcs; i++) {
        const double needed = rate * (double)work->bytes[i];
        const uint32_t whole = (uint32_t)needed + (needed > (double)(uint32_t)needed);
        lowering->want[i] = work->bytes[i] == 0 ? 0 : whole > 0 ? whole : 1;
    }
    return orr_wave_min(work->problem->arcs, work->bytes, lowering->want);
}

static double value(struct wave_rate rate)
{
    return (double)rate.circuits / (double)rate.bytes;
}

/* Bisection below an infeasible rate; in the end one wavelength each. */
static void halve(const struct lowering *lowering, double high)
{
    struct wave_rate best = snap(lowering, 0);
    double low = 0;
    for (uint32_t i = 0; i < HALVINGS && high - low > 1e-9 * high; i++) {
        const double middle = low + (high - low) / 2;
        const struct wave_rate rate = snap(lowering, middle);
        if (color_at(lowering, rate) == 0) {
            best = rate;
            low = value(rate) > middle ? value(rate) : middle;
        } else {
            high = middle;
        }
    }
    (void)color_at(lowering, best);
}

static void lower(const struct lowering *lowering, struct wave_rate rate)
{
    for (uint32_t i = 0; i < STEPS; i++) {
        const struct wave_rate next = next_below(lowering->work, rate);
        if (next.circuits == 0) {
            return; /* one each is infeasible: as many arcs as possible have one */
        }
        rate = next;
        if (color_at(lowering, rate) == 0) {
            return;
        }
    }
    halve(lowering, value(rate));
}

enum orr_status orr_ring_allocate(struct orr_arena *arena, const struct ring_problem *problem,
                                  struct ring_allocation *out, struct orr_diag *diag)
{
    struct ring_work work;
    enum orr_status status = orr_ring_begin(arena, problem, &work, diag);
    if (status == ORR_OK) {
        status = orr_ring_bound(arena, &work, out, diag);
    }
    if (status != ORR_OK) {
        return status;
    }
    const struct lowering lowering = {
        .work = &work, .want = orr_arena_array(arena, problem->arcs, sizeof *lowering.want)};
    if (lowering.want == NULL) {
        return orr_diag_no_memory(diag, "wavelengths of a ring");
    }
    if (out->bound.bytes != 0) {
        out->deficit = color_at(&lowering, out->bound);
    }
    if (out->deficit != 0) {
        lower(&lowering, out->bound);
    }
    orr_ring_finish(&work, true, out);
    return ORR_OK;
}
