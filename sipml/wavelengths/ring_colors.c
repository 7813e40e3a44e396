/* Wavelength assignment on a ring, with no wavelength twice on a segment of a fibre: coloring of a
 * circular-arc graph, NP-hard to minimize. Around a segment without arcs it is interval coloring,
 * and easy: in the order of their starts, any free color works. So the ring is cut at segments with
 * few arcs. The arcs over the cut are colored first. Among free colors, one whose neighbouring
 * segments are busy is preferred, so that gaps stay long. See ring_private.h. */
#include <string.h>

#include "sipml/wavelengths/ring_private.h"

enum {
    TRIES = 3,             /* colorings from one cut */
    MAX_CUTS = 16,         /* cuts that are tried */
    MAX_ASSIGNED = 1 << 14 /* arcs colored in total, before the last cut */
};

static uint64_t *busy_on(const struct ring_work *work, bool down, uint32_t segment)
{
    return &work->busy[((size_t)(down ? work->problem->nodes : 0) + segment) * work->words];
}

static uint32_t next_segment(const struct ring_work *work, uint32_t segment)
{
    return segment + 1 < work->problem->nodes ? segment + 1 : 0;
}

/* Finds the wavelengths that are free on all segments of an arc. */
static void find_free(const struct ring_work *work, uint32_t index, uint64_t *free)
{
    const struct ring_arc *arc = &work->problem->arc[index];
    const uint32_t last = work->problem->wavelengths % 64;
    memset(free, 0, work->words * sizeof *free);
    uint32_t segment = orr_ring_first_segment(work->problem, arc);
    for (uint32_t i = 0; i < arc->length; i++) {
        const uint64_t *busy = busy_on(work, arc->down, segment);
        for (uint32_t word = 0; word < work->words; word++) {
            free[word] |= busy[word];
        }
        segment = next_segment(work, segment);
    }
    for (uint32_t word = 0; word < work->words; word++) {
        free[word] = ~free[word];
    }
    if (last != 0) {
        free[work->words - 1] &= (UINT64_C(1) << last) - 1;
    }
}

/* The lowest `max` set bits. */
static uint64_t lowest_bits(uint64_t bits, uint32_t max)
{
    uint64_t taken = 0;
    for (; bits != 0 && max != 0; max--) {
        const uint64_t lowest = bits & (~bits + 1);
        taken |= lowest;
        bits ^= lowest;
    }
    return taken;
}

static uint32_t count_bits(uint64_t bits)
{
    uint32_t count = 0;
    for (; bits != 0; bits &= bits - 1) {
        count++;
    }
    return count;
}

void orr_ring_mark(struct ring_work *work, uint32_t index, const uint64_t *taken)
{
    const struct ring_arc *arc = &work->problem->arc[index];
    uint32_t segment = orr_ring_first_segment(work->problem, arc);
    for (uint32_t i = 0; i < arc->length; i++) {
        uint64_t *busy = busy_on(work, arc->down, segment);
        for (uint32_t word = 0; word < work->words; word++) {
            busy[word] |= taken[word];
        }
        segment = next_segment(work, segment);
    }
    for (uint32_t word = 0; word < work->words; word++) {
        work->mask[(size_t)index * work->words + word] |= taken[word];
    }
}

uint32_t orr_ring_assign(struct ring_work *work, uint32_t index, uint32_t max)
{
    const struct ring_arc *arc = &work->problem->arc[index];
    const uint32_t nodes = work->problem->nodes, words = work->words;
    const uint32_t first = orr_ring_first_segment(work->problem, arc);
    const uint64_t *before = busy_on(work, arc->down, first > 0 ? first - 1 : nodes - 1);
    const uint64_t *behind =
        busy_on(work, arc->down, (uint32_t)(((uint64_t)first + arc->length) % nodes));
    uint64_t free[RING_MAX_WAVELENGTHS / 64], taken[RING_MAX_WAVELENGTHS / 64] = {0};
    uint32_t placed = 0;
    find_free(work, index, free);
    for (uint32_t neighbours = 3; neighbours-- > 0 && placed < max;) {
        for (uint32_t word = 0; word < words && placed < max; word++) {
            const uint64_t both = before[word] & behind[word], any = before[word] | behind[word];
            const uint64_t kind = neighbours == 2 ? both : neighbours == 1 ? any : ~UINT64_C(0);
            const uint64_t bits = lowest_bits(free[word] & kind & ~taken[word], max - placed);
            taken[word] |= bits;
            placed += count_bits(bits);
        }
    }
    if (placed != 0) {
        orr_ring_mark(work, index, taken);
    }
    return placed;
}

/* The arcs of one direction, by first segment. */
struct direction {
    bool down;
    uint32_t begin, end; /* in `sorted` */
};

static bool is_over(const struct ring_work *work, uint32_t index, uint32_t segment)
{
    const uint32_t nodes = work->problem->nodes;
    const struct ring_arc *arc = &work->problem->arc[index];
    const uint32_t first = orr_ring_first_segment(work->problem, arc);
    const uint32_t ahead = segment >= first ? segment - first : segment + (nodes - first);
    return ahead < arc->length;
}

/* Colors the arcs of one kind: urgent, over the cut, others. */
static void assign_kind(struct ring_work *work, const struct direction *direction, uint32_t kind,
                        const uint32_t *want, uint32_t cut)
{
    const uint32_t arcs = direction->end - direction->begin;
    uint32_t at = 0; /* the first arc after the cut */
    while (at < arcs &&
           orr_ring_first_segment(
               work->problem, &work->problem->arc[work->sorted[direction->begin + at]]) <= cut) {
        at++;
    }
    for (uint32_t i = 0; i < arcs; i++, at++) {
        const uint32_t index = work->sorted[direction->begin + (at < arcs ? at : at - arcs)];
        const uint32_t of = work->urgent[index] ? 0 : is_over(work, index, cut) ? 1 : 2;
        if (of == kind && want[index] != 0) {
            work->count[index] = orr_ring_assign(work, index, want[index]);
        }
    }
}

static void clear(struct ring_work *work, const struct direction *direction)
{
    const size_t row = work->words * sizeof *work->mask;
    memset(busy_on(work, direction->down, 0), 0, work->problem->nodes * row);
    for (uint32_t i = direction->begin; i < direction->end; i++) {
        work->count[work->sorted[i]] = 0;
        memset(&work->mask[(size_t)work->sorted[i] * work->words], 0, row);
    }
}

/* One coloring; arcs with too few wavelengths become urgent. Returns the number missing. */
static uint32_t color_once(struct ring_work *work, const struct direction *direction,
                           const uint32_t *want, uint32_t cut)
{
    uint32_t missing = 0;
    clear(work, direction);
    for (uint32_t kind = 0; kind < 3; kind++) {
        assign_kind(work, direction, kind, want, cut);
    }
    for (uint32_t i = direction->begin; i < direction->end; i++) {
        const uint32_t index = work->sorted[i];
        missing += want[index] - work->count[index];
        work->urgent[index] = work->urgent[index] || work->count[index] < want[index];
    }
    return missing;
}

/* Copies a direction's counts and masks between the present and the best coloring. */
static void keep(const struct ring_work *work, const struct direction *direction, bool back)
{
    const size_t words = work->words;
    for (uint32_t i = direction->begin; i < direction->end; i++) {
        const uint32_t arc = work->sorted[i];
        uint64_t *mask = &work->mask[arc * words], *best = &work->best_mask[arc * words];
        uint32_t *count = &work->count[arc], *kept = &work->best[arc];
        *(back ? count : kept) = *(back ? kept : count);
        memcpy(back ? mask : best, back ? best : mask, words * sizeof *mask);
    }
}

/* Restores the best coloring so far. */
static void restore(struct ring_work *work, const struct direction *direction)
{
    clear(work, direction);
    keep(work, direction, true);
    for (uint32_t i = direction->begin; i < direction->end; i++) {
        orr_ring_mark(work, work->sorted[i], &work->mask[(size_t)work->sorted[i] * work->words]);
    }
}

/* Sorts a direction's segments by load, ties by number: the `max` with the lowest load. */
static void sort_segments(struct ring_work *work, const struct direction *direction,
                          const uint32_t *want, uint32_t max)
{
    const uint32_t nodes = work->problem->nodes, fiber = direction->down ? nodes : 0;
    uint32_t *segment = work->segment + fiber, *load = work->load + fiber;
    for (uint32_t i = 0; i < nodes; i++) {
        segment[i] = i;
        load[i] = 0;
        for (uint32_t k = work->sets.begin[fiber + i]; k < work->sets.begin[fiber + i + 1]; k++) {
            load[i] += want[work->sets.member[k]];
        }
    }
    for (uint32_t i = 0; i < max; i++) {
        uint32_t min = i;
        for (uint32_t k = i + 1; k < nodes; k++) {
            const bool same = load[segment[k]] == load[segment[min]];
            min = load[segment[k]] < load[segment[min]] || (same && segment[k] < segment[min])
                      ? k
                      : min;
        }
        const uint32_t moved = segment[i];
        segment[i] = segment[min];
        segment[min] = moved;
    }
}

static uint32_t color_direction(struct ring_work *work, const struct direction *direction,
                                const uint32_t *want)
{
    const uint32_t nodes = work->problem->nodes;
    const uint32_t cuts = nodes < MAX_CUTS ? nodes : MAX_CUTS;
    uint32_t min = UINT32_MAX, placed = 0;
    sort_segments(work, direction, want, cuts);
    for (uint32_t i = 0; i < cuts && min != 0 && placed < MAX_ASSIGNED; i++) {
        for (uint32_t k = direction->begin; k < direction->end; k++) {
            work->urgent[work->sorted[k]] = false;
        }
        for (uint32_t try = 0; try < TRIES && min != 0; try++) {
            const uint32_t cut = work->segment[(direction->down ? nodes : 0) + i];
            const uint32_t missing = color_once(work, direction, want, cut);
            placed += direction->end - direction->begin;
            if (missing < min) {
                min = missing;
                keep(work, direction, false);
            }
        }
    }
    if (min != 0) { /* otherwise the last coloring is the best */
        restore(work, direction);
    }
    return min;
}

uint32_t orr_ring_color(struct ring_work *work, const uint32_t *want)
{
    const struct ring_problem *problem = work->problem;
    uint32_t middle = 0;
    while (middle < problem->arcs && !problem->arc[work->sorted[middle]].down) {
        middle++;
    }
    const struct direction up = {.down = false, .begin = 0, .end = middle};
    const struct direction down = {.down = true, .begin = middle, .end = problem->arcs};
    uint32_t missing = middle == 0 ? 0 : color_direction(work, &up, want);
    missing += middle == problem->arcs ? 0 : color_direction(work, &down, want);
    return missing;
}

bool orr_ring_add_wavelength(void *self, uint32_t index)
{
    struct ring_work *work = self;
    const struct ring_arc *arc = &work->problem->arc[index];
    uint32_t *sends = &work->port[arc->from];
    uint32_t *receives = &work->port[work->problem->nodes + orr_ring_end(work->problem, arc)];
    if (*sends == 0 || *receives == 0 || orr_ring_assign(work, index, 1) == 0) {
        return false;
    }
    --*sends;
    --*receives;
    return true;
}

void orr_ring_count_ports(struct ring_work *work)
{
    const struct ring_problem *problem = work->problem;
    for (uint32_t i = 0; i < 2 * problem->nodes; i++) {
        work->port[i] = problem->wavelengths;
    }
    for (uint32_t i = 0; i < problem->arcs; i++) {
        const uint32_t end = orr_ring_end(problem, &problem->arc[i]);
        uint32_t *ports[] = {&work->port[problem->arc[i].from], &work->port[problem->nodes + end]};
        for (uint32_t k = 0; k < 2; k++) { /* a solver's tolerance can exceed them */
            *ports[k] -= *ports[k] < work->count[i] ? *ports[k] : work->count[i];
        }
    }
}

void orr_ring_finish(struct ring_work *work, bool fill, struct ring_allocation *out)
{
    const struct ring_problem *problem = work->problem;
    orr_ring_count_ports(work);
    const struct wave_fill left = {.demands = fill ? problem->arcs : 0,
                                   .bytes = work->bytes,
                                   .count = work->count,
                                   .heap = work->heap,
                                   .take = orr_ring_add_wavelength,
                                   .self = work};
    orr_wave_fill(&left);
    out->count = work->count;
    out->mask = work->mask;
    out->words = work->words;
    out->rate = orr_wave_min(problem->arcs, work->bytes, work->count);
}
