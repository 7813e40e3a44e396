/* Arcs of a ring, and the capacity sets where they compete: see wavelengths.h. */
#include <inttypes.h>
#include <stddef.h>

#include "core/arena.h"
#include "core/diag.h"
#include "sipml/wavelengths/ring_private.h"

bool orr_ring_route(uint32_t nodes, uint32_t reach, const struct ocs_demand *demand,
                    struct ring_arc *arc)
{
    const uint32_t up =
        demand->to > demand->from ? demand->to - demand->from : nodes - demand->from + demand->to;
    const bool down = nodes - up < up;
    *arc = (struct ring_arc){.from = demand->from,
                             .length = down ? nodes - up : up,
                             .down = down,
                             .bytes = demand->bytes};
    return reach == 0 || arc->length <= reach;
}

uint32_t orr_ring_reach(double budget_db, double coupler_db, double ring_db)
{
    /* Rounding tolerance: 10 / 0.1 must give 100. */
    const double nodes = budget_db / (coupler_db + ring_db) * (1 + 1e-12);
    return nodes >= (double)UINT32_MAX ? UINT32_MAX : (uint32_t)(nodes > 0 ? nodes : 0);
}

uint32_t orr_ring_first_segment(const struct ring_problem *problem, const struct ring_arc *arc)
{
    if (!arc->down) {
        return arc->from;
    }
    return arc->from >= arc->length ? arc->from - arc->length
                                    : arc->from + (problem->nodes - arc->length);
}

uint32_t orr_ring_end(const struct ring_problem *problem, const struct ring_arc *arc)
{
    if (arc->down) {
        return orr_ring_first_segment(problem, arc);
    }
    const uint32_t rest = problem->nodes - arc->from; /* because a sum could overflow */
    return arc->length >= rest ? arc->length - rest : arc->from + arc->length;
}

static enum orr_status check(const struct ring_problem *problem, struct orr_diag *diag)
{
    if (problem->wavelengths == 0 || problem->wavelengths > RING_MAX_WAVELENGTHS ||
        problem->nodes > WAVE_MAX_NODES) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                             "ring: expected 1 to %d wavelengths and at most %d nodes, got "
                             "%" PRIu32 " and %" PRIu32,
                             RING_MAX_WAVELENGTHS, WAVE_MAX_NODES, problem->wavelengths,
                             problem->nodes);
    }
    for (uint32_t i = 0; i < problem->arcs; i++) {
        const struct ring_arc *arc = &problem->arc[i];
        if (arc->from >= problem->nodes || arc->length == 0 || arc->length > problem->nodes) {
            return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                                 "ring: arc %" PRIu32 ": expected one from a node of %" PRIu32
                                 " over 1 to %" PRIu32 " segments, got %" PRIu32 " over %" PRIu32,
                                 i, problem->nodes, problem->nodes, arc->from, arc->length);
        }
    }
    return ORR_OK;
}

/* Enters an arc into a set; `member` gets it at the set's slot, NULL: only count. */
static void enter(uint32_t *slot, uint32_t arc, uint32_t *member)
{
    if (member != NULL) {
        member[*slot] = arc;
    }
    ++*slot;
}

/* Enters an arc into all its sets. */
static void enter_all(const struct ring_problem *problem, uint32_t index, uint32_t *slot,
                      uint32_t *member)
{
    const struct ring_arc *arc = &problem->arc[index];
    const uint32_t nodes = problem->nodes, fiber = arc->down ? nodes : 0;
    uint32_t segment = orr_ring_first_segment(problem, arc);
    for (uint32_t i = 0; i < arc->length; i++) {
        enter(&slot[fiber + segment], index, member);
        segment = segment + 1 < nodes ? segment + 1 : 0;
    }
    enter(&slot[2 * nodes + arc->from], index, member);
    enter(&slot[3 * nodes + orr_ring_end(problem, arc)], index, member);
}

static bool sort_out(struct orr_arena *arena, const struct ring_problem *problem,
                     struct wave_sets *sets)
{
    const size_t places = 4 * (size_t)problem->nodes;
    uint64_t members = 0;
    for (uint32_t i = 0; i < problem->arcs; i++) {
        members += (uint64_t)problem->arc[i].length + 2;
    }
    uint32_t *begin = orr_arena_array(arena, places + 2, sizeof *begin);
    uint32_t *member = orr_arena_array(arena, (size_t)members, sizeof *member);
    if (begin == NULL || member == NULL || members >= UINT32_MAX) {
        return false;
    }
    for (uint32_t i = 0; i < problem->arcs; i++) {
        enter_all(problem, i, begin + 2, NULL);
    }
    for (size_t i = 2; i < places + 2; i++) {
        begin[i] += begin[i - 1];
    }
    for (uint32_t i = 0; i < problem->arcs; i++) {
        enter_all(problem, i, begin + 1, member);
    }
    *sets = (struct wave_sets){
        .sets = (uint32_t)places, .max = problem->wavelengths, .begin = begin, .member = member};
    return true;
}

static bool allocate_work(struct orr_arena *arena, struct ring_work *work)
{
    const size_t arcs = work->problem->arcs, nodes = work->problem->nodes;
    work->bytes = orr_arena_array(arena, arcs, sizeof *work->bytes);
    work->heap = orr_arena_array(arena, arcs, sizeof *work->heap);
    work->busy = orr_arena_array(arena, 2 * nodes * work->words, sizeof *work->busy);
    work->count = orr_arena_array(arena, arcs, sizeof *work->count);
    work->mask = orr_arena_array(arena, arcs * work->words, sizeof *work->mask);
    work->port = orr_arena_array(arena, 2 * nodes, sizeof *work->port);
    work->sorted = orr_arena_array(arena, arcs, sizeof *work->sorted);
    work->segment = orr_arena_array(arena, 2 * nodes, sizeof *work->segment);
    work->load = orr_arena_array(arena, 2 * nodes, sizeof *work->load);
    work->urgent = orr_arena_array(arena, arcs, sizeof *work->urgent);
    work->best = orr_arena_array(arena, arcs, sizeof *work->best);
    work->best_mask = orr_arena_array(arena, arcs * work->words, sizeof *work->best_mask);
    return work->bytes != NULL && work->heap != NULL && work->busy != NULL && work->count != NULL &&
           work->mask != NULL && work->port != NULL && work->sorted != NULL &&
           work->segment != NULL && work->load != NULL && work->urgent != NULL &&
           work->best != NULL && work->best_mask != NULL;
}

/* Sorts by direction and first segment, longer arcs first: the arcs of a segment are contiguous in
 * its set, except those that start before it. */
static void sort_arcs(struct ring_work *work)
{
    const struct ring_problem *problem = work->problem;
    uint32_t *sorted = work->sorted, found = 0;
    for (uint32_t place = 0; place < 2 * problem->nodes; place++) {
        const uint32_t start = found, segment = place % problem->nodes;
        for (uint32_t i = work->sets.begin[place]; i < work->sets.begin[place + 1]; i++) {
            const struct ring_arc *arc = &problem->arc[work->sets.member[i]];
            if (orr_ring_first_segment(problem, arc) != segment) {
                continue;
            }
            uint32_t at = found++;
            for (; at > start && problem->arc[sorted[at - 1]].length < arc->length; at--) {
                sorted[at] = sorted[at - 1];
            }
            sorted[at] = work->sets.member[i];
        }
    }
}

enum orr_status orr_ring_begin(struct orr_arena *arena, const struct ring_problem *problem,
                               struct ring_work *work, struct orr_diag *diag)
{
    const enum orr_status status = check(problem, diag);
    if (status != ORR_OK) {
        return status;
    }
    *work = (struct ring_work){.problem = problem, .words = (problem->wavelengths + 63) / 64};
    if (!allocate_work(arena, work) || !sort_out(arena, problem, &work->sets)) {
        return orr_diag_no_memory(diag, "wavelengths of a ring");
    }
    for (uint32_t i = 0; i < problem->arcs; i++) {
        work->bytes[i] = problem->arc[i].bytes;
    }
    sort_arcs(work);
    return ORR_OK;
}

enum orr_status orr_ring_bound(struct orr_arena *arena, const struct ring_work *work,
                               struct ring_allocation *out, struct orr_diag *diag)
{
    struct wave_threshold threshold;
    const enum orr_status status =
        orr_wave_threshold(arena, work->bytes, &work->sets, &threshold, diag);
    if (status == ORR_OK) {
        *out = (struct ring_allocation){.bound = threshold.rate, .overload = threshold.overload};
    }
    return status;
}

void orr_ring_describe_overload(const struct ring_problem *problem,
                                const struct ring_allocation *allocation, struct orr_diag *diag)
{
    const uint32_t nodes = problem->nodes, node = allocation->overload.set % nodes,
                   kind = allocation->overload.set / nodes;
    const uint32_t next = node + 1 < nodes ? node + 1 : 0;
    if (kind < 2) {
        orr_diag_append(diag, "the segment from %" PRIu32 " to %" PRIu32 " is part of ",
                        kind == 0 ? node : next, kind == 0 ? next : node);
    } else {
        orr_diag_append(diag, "GPU %" PRIu32 " %s by ", node, kind == 2 ? "sends" : "receives");
    }
    orr_diag_append(diag, "%" PRIu32 " arcs, for which there %s %" PRIu32 " wavelength%s",
                    allocation->overload.demands, problem->wavelengths == 1 ? "is" : "are",
                    problem->wavelengths, problem->wavelengths == 1 ? "" : "s");
}
