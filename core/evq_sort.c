/* Sorts a round by (entity, label): a stable counting sort on the entity, at most 11 bits per pass,
 * then insertion sort of each entity's few events by label, or heap sort of many. */
#include "core/evq_private.h"

#include <string.h>

enum { DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS, SMALL = 24 };

static bool comes_before(const struct evq_slot *slots, uint64_t a, uint64_t b)
{
    const uint32_t entity[2] = {evq_round_entity(a), evq_round_entity(b)};
    return entity[0] != entity[1]
               ? entity[0] < entity[1]
               : slots[evq_round_slot(a)].event.label < slots[evq_round_slot(b)].event.label;
}

static void insertion_sort(const struct evq_slot *slots, uint64_t *round, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        const uint64_t item = round[i];
        uint32_t at = i;
        while (at > 0 && comes_before(slots, item, round[at - 1])) {
            round[at] = round[at - 1];
            at--;
        }
        round[at] = item;
    }
}

/* Counting sort by `bits` bits of the entity from bit `shift`. */
static void counting_pass(const uint64_t *from, uint64_t *to, uint32_t count, unsigned shift,
                          unsigned bits)
{
    const uint32_t digits = UINT32_C(1) << bits;
    uint32_t offsets[DIGITS];
    memset(offsets, 0, digits * sizeof *offsets);
    for (uint32_t i = 0; i < count; i++) {
        offsets[evq_round_entity(from[i]) >> shift & (digits - 1)]++;
    }
    uint32_t total = 0;
    for (uint32_t digit = 0; digit < digits; digit++) {
        const uint32_t here = offsets[digit];
        offsets[digit] = total;
        total += here;
    }
    for (uint32_t i = 0; i < count; i++) {
        to[offsets[evq_round_entity(from[i]) >> shift & (digits - 1)]++] = from[i];
    }
}

/* A long run (a hub with many messages) is heap-sorted. Its labels are copied out of the scattered
 * slots and move with the items. */
struct labelled {
    uint64_t *item, *label;
};

static bool is_before(const struct labelled *run, uint64_t item, uint64_t label, uint32_t other)
{
    const uint32_t entity[2] = {evq_round_entity(item), evq_round_entity(run->item[other])};
    return entity[0] != entity[1] ? entity[0] < entity[1] : label < run->label[other];
}

/* Sifts an item down from a hole of the heap. */
static void sift(const struct labelled *run, uint64_t item, uint64_t label, uint32_t at,
                 uint32_t count)
{
    while (2 * at + 1 < count) {
        uint32_t child = 2 * at + 1;
        if (child + 1 < count && is_before(run, run->item[child], run->label[child], child + 1)) {
            child++;
        }
        if (!is_before(run, item, label, child)) {
            break;
        }
        run->item[at] = run->item[child];
        run->label[at] = run->label[child];
        at = child;
    }
    run->item[at] = item;
    run->label[at] = label;
}

static void heap_sort(const struct labelled *run, uint32_t count)
{
    for (uint32_t i = count / 2; i-- > 0;) {
        sift(run, run->item[i], run->label[i], i, count);
    }
    for (uint32_t end = count; end-- > 1;) {
        const uint64_t item = run->item[end], label = run->label[end];
        run->item[end] = run->item[0];
        run->label[end] = run->label[0];
        sift(run, item, label, 0, end);
    }
}

/* Copies the labels. Returns whether the run is already sorted without equal labels. */
static bool read_labels(const struct evq_slot *slots, const struct labelled *run, uint32_t count)
{
    bool ordered = true;
    for (uint32_t i = 0; i < count; i++) {
        run->label[i] = slots[evq_round_slot(run->item[i])].event.label;
        ordered = ordered && (i == 0 || is_before(run, run->item[i - 1], run->label[i - 1], i));
    }
    return ordered;
}

static void sort_run(const struct evq_slot *slots, uint64_t *round, uint64_t *scratch,
                     uint32_t count)
{
    const struct labelled run = {.item = round, .label = scratch};
    if (count <= SMALL) {
        insertion_sort(slots, round, count);
    } else if (!read_labels(slots, &run, count)) {
        heap_sort(&run, count);
    }
}

static bool is_ordered(const uint64_t *round, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        if (evq_round_entity(round[i - 1]) > evq_round_entity(round[i])) {
            return false;
        }
    }
    return true;
}

static void sort_by_entity(uint64_t *round, uint64_t *scratch, uint32_t count, uint32_t entities)
{
    unsigned bits = 1;
    while (bits < 32 && (entities - 1) >> bits != 0) {
        bits++;
    }
    const unsigned passes = (bits + DIGIT_BITS - 1) / DIGIT_BITS;
    const unsigned each = (bits + passes - 1) / passes;
    uint64_t *from = round, *to = scratch;
    for (unsigned pass = 0; pass < passes; pass++) {
        counting_pass(from, to, count, pass * each, each);
        uint64_t *swap = from;
        from = to;
        to = swap;
    }
    if (from != round) {
        memcpy(round, from, count * sizeof *round);
    }
}

void orr_evq_sort(const struct evq_slot *slots, uint64_t *round, uint64_t *scratch, uint32_t count,
                  uint32_t entities)
{
    if (count <= 4 * SMALL) {
        sort_run(slots, round, scratch, count);
        return;
    }
    if (!is_ordered(round, count)) {
        sort_by_entity(round, scratch, count, entities);
    }
    for (uint32_t start = 0; start < count;) {
        const uint32_t entity = evq_round_entity(round[start]);
        uint32_t end = start + 1;
        while (end < count && evq_round_entity(round[end]) == entity) {
            end++;
        }
        if (end - start > 1) {
            sort_run(slots, round + start, scratch, end - start);
        }
        start = end;
    }
}
