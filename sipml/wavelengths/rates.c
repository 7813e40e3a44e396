/* Max-min rates in integer circuits: see rates.h. The threshold of one set of n demands with S
 * bytes: at rate (max - n) / S the demands need at most `max` circuits, because rounding up adds
 * less than one to each; above max / S they need more. At most 2 n thresholds m / t are in between,
 * each of which adds one circuit when the rate passes it, so the largest feasible one is found by
 * counting. */
#include "sipml/wavelengths/rates.h"

#include "core/arena.h"
#include "core/diag.h"
#include "core/divide.h"

#include <stdlib.h>

uint32_t orr_wave_needed(struct wave_rate rate, uint64_t bytes)
{
    if (rate.bytes == 0) {
        return bytes == 0 ? 0 : UINT32_MAX;
    }
    const orr_wide product = (orr_wide)rate.circuits * bytes;
    if (product <= UINT64_MAX - rate.bytes) { /* much faster than a 128-bit division */
        const uint64_t whole = ((uint64_t)product + rate.bytes - 1) / rate.bytes;
        return whole < UINT32_MAX ? (uint32_t)whole : UINT32_MAX;
    }
    const orr_wide whole = (product + rate.bytes - 1) / rate.bytes;
    return whole < UINT32_MAX ? (uint32_t)whole : UINT32_MAX;
}

struct wave_rate orr_wave_min(uint32_t demands, const uint64_t *bytes, const uint32_t *count)
{
    struct wave_rate min = {.circuits = 1, .bytes = 0};
    for (uint32_t i = 0; i < demands; i++) {
        const struct wave_rate rate = {.circuits = count[i], .bytes = bytes[i]};
        if (bytes[i] != 0 && wave_rate_is_less(rate, min)) {
            min = rate;
        }
    }
    return min;
}

/* One set of demands. */
struct one_set {
    const uint64_t *bytes;
    const uint32_t *member;
    uint32_t members, max;
};

static bool has_enough(const struct one_set *set, struct wave_rate rate)
{
    uint64_t needed = 0;
    for (uint32_t i = 0; i < set->members && needed <= set->max; i++) {
        needed += orr_wave_needed(rate, set->bytes[set->member[i]]);
    }
    return needed <= set->max;
}

static int by_rate(const void *left, const void *right)
{
    const struct wave_rate *a = left, *b = right;
    if (wave_rate_is_less(*a, *b) || wave_rate_is_less(*b, *a)) {
        return wave_rate_is_less(*a, *b) ? -1 : 1;
    }
    return a->bytes < b->bytes ? -1 : a->bytes > b->bytes;
}

/* Counts the nonzero demands of a set, and sums their bytes. */
static uint32_t sum_demands(const struct one_set *set, orr_wide *sum)
{
    uint32_t demands = 0;
    *sum = 0;
    for (uint32_t i = 0; i < set->members; i++) {
        const uint64_t bytes = set->bytes[set->member[i]];
        *sum += bytes;
        demands += bytes != 0;
    }
    return demands;
}

/* The threshold of a set with at most as many demands as circuits; scratch: thresholds[2 *
 * members]. */
static struct wave_rate threshold_of(const struct one_set *set, struct wave_rate *thresholds)
{
    orr_wide sum;
    const uint32_t demands = sum_demands(set, &sum), spare = set->max - demands;
    uint32_t found = 0, taken = 0;
    for (uint32_t i = 0; i < set->members; i++) {
        const uint64_t bytes = set->bytes[set->member[i]];
        if (bytes == 0) {
            continue;
        }
        const uint32_t highest = (uint32_t)((orr_wide)set->max * bytes / sum);
        const uint32_t lowest = (uint32_t)(((orr_wide)spare * bytes + sum - 1) / sum);
        const uint32_t first = lowest > 1 ? lowest : 1;
        taken += first;
        for (uint32_t circuits = first; circuits <= highest; circuits++) {
            thresholds[found++] = (struct wave_rate){.circuits = circuits, .bytes = bytes};
        }
    }
    qsort(thresholds, found, sizeof *thresholds, by_rate);
    ORR_ASSERT(taken <= set->max && set->max - taken < found);
    return thresholds[set->max - taken];
}

static uint32_t largest_set(const struct wave_sets *sets)
{
    uint32_t largest = 0;
    for (uint32_t i = 0; i < sets->sets; i++) {
        const uint32_t members = sets->begin[i + 1] - sets->begin[i];
        largest = members > largest ? members : largest;
    }
    return largest;
}

enum orr_status orr_wave_threshold(struct orr_arena *scratch, const uint64_t *bytes,
                                   const struct wave_sets *sets, struct wave_threshold *out,
                                   struct orr_diag *diag)
{
    struct wave_rate *thresholds =
        orr_arena_array(scratch, 2 * (size_t)largest_set(sets), sizeof *thresholds);
    if (thresholds == NULL) {
        return orr_diag_no_memory(diag, "rates of circuits");
    }
    *out = (struct wave_threshold){.rate = {.circuits = 1, .bytes = 0},
                                   .overload = {.set = WAVE_NONE}};
    for (uint32_t i = 0; i < sets->sets; i++) {
        const struct one_set set = {.bytes = bytes,
                                    .member = sets->member + sets->begin[i],
                                    .members = sets->begin[i + 1] - sets->begin[i],
                                    .max = sets->max};
        orr_wide sum;
        const uint32_t demands = sum_demands(&set, &sum);
        if (demands > set.max && demands > out->overload.demands) {
            out->overload = (struct wave_overload){.set = i, .demands = demands};
            out->rate = (struct wave_rate){.circuits = 0, .bytes = 1};
        } else if (demands != 0 && !has_enough(&set, out->rate)) {
            out->rate = threshold_of(&set, thresholds);
        }
    }
    return ORR_OK;
}

/* Whether demand a precedes b in the heap. */
static bool comes_before(const struct wave_fill *fill, uint32_t a, uint32_t b)
{
    const struct wave_rate rate_a = {.circuits = fill->count[a], .bytes = fill->bytes[a]};
    const struct wave_rate rate_b = {.circuits = fill->count[b], .bytes = fill->bytes[b]};
    if (wave_rate_is_less(rate_a, rate_b) || wave_rate_is_less(rate_b, rate_a)) {
        return wave_rate_is_less(rate_a, rate_b);
    }
    if (rate_a.circuits == 0 && rate_a.bytes != rate_b.bytes) {
        return rate_a.bytes > rate_b.bytes;
    }
    return a < b;
}

static void sink(const struct wave_fill *fill, uint32_t size, uint32_t at)
{
    uint32_t *heap = fill->heap;
    const uint32_t moved = heap[at];
    for (uint32_t child; (child = 2 * at + 1) < size; at = child) {
        child += child + 1 < size && comes_before(fill, heap[child + 1], heap[child]);
        if (!comes_before(fill, heap[child], moved)) {
            break;
        }
        heap[at] = heap[child];
    }
    heap[at] = moved;
}

void orr_wave_fill(const struct wave_fill *fill)
{
    uint32_t size = 0;
    for (uint32_t i = 0; i < fill->demands; i++) {
        if (fill->bytes[i] != 0) {
            fill->heap[size++] = i;
        }
    }
    for (uint32_t at = size / 2; at > 0; at--) {
        sink(fill, size, at - 1);
    }
    while (size != 0) {
        if (fill->take(fill->self, fill->heap[0])) {
            fill->count[fill->heap[0]]++;
        } else {
            fill->heap[0] = fill->heap[--size];
        }
        if (size != 0) {
            sink(fill, size, 0);
        }
    }
}
