/* Ordering one round by (entity, label): a stable counting sort on the entity, 11 bits a pass, then
 * insertion sort of each entity's few events by label. */
#include "core/evq_private.h"

#include <string.h>

enum { DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS, SMALL = 24 };

static bool before(const struct orr_event *a, const struct orr_event *b)
{
    return a->entity != b->entity ? a->entity < b->entity : a->label < b->label;
}

static void insertion_sort(const struct evq_slot *slots, uint32_t *handles, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        const uint32_t handle = handles[i];
        uint32_t at = i;
        while (at > 0 && before(&slots[handle].event, &slots[handles[at - 1]].event)) {
            handles[at] = handles[at - 1];
            at--;
        }
        handles[at] = handle;
    }
}

static void counting_pass(const struct evq_slot *slots, const uint32_t *from, uint32_t *to,
                          uint32_t count, unsigned shift)
{
    uint32_t offsets[DIGITS];
    memset(offsets, 0, sizeof offsets);
    for (uint32_t i = 0; i < count; i++) {
        offsets[slots[from[i]].event.entity >> shift & (DIGITS - 1)]++;
    }
    uint32_t total = 0;
    for (unsigned digit = 0; digit < DIGITS; digit++) {
        const uint32_t here = offsets[digit];
        offsets[digit] = total;
        total += here;
    }
    for (uint32_t i = 0; i < count; i++) {
        to[offsets[slots[from[i]].event.entity >> shift & (DIGITS - 1)]++] = from[i];
    }
}

/* Sorts runs of one entity; a long run (a hub of many messages) falls back to heap order. */
static void sift(const struct evq_slot *slots, uint32_t *handles, uint32_t at, uint32_t count)
{
    const uint32_t handle = handles[at];
    while (2 * at + 1 < count) {
        uint32_t child = 2 * at + 1;
        if (child + 1 < count &&
            before(&slots[handles[child]].event, &slots[handles[child + 1]].event)) {
            child++;
        }
        if (!before(&slots[handle].event, &slots[handles[child]].event)) {
            break;
        }
        handles[at] = handles[child];
        at = child;
    }
    handles[at] = handle;
}

static void heap_sort(const struct evq_slot *slots, uint32_t *handles, uint32_t count)
{
    for (uint32_t i = count / 2; i-- > 0;) {
        sift(slots, handles, i, count);
    }
    for (uint32_t end = count; end-- > 1;) {
        const uint32_t largest = handles[0];
        handles[0] = handles[end];
        handles[end] = largest;
        sift(slots, handles, 0, end);
    }
}

static void sort_run(const struct evq_slot *slots, uint32_t *handles, uint32_t count)
{
    if (count <= SMALL) {
        insertion_sort(slots, handles, count);
    } else {
        heap_sort(slots, handles, count);
    }
}

void evq_sort(const struct evq_slot *slots, uint32_t *handles, uint32_t *scratch, uint32_t count,
              uint32_t entities)
{
    if (count <= 4 * SMALL) {
        sort_run(slots, handles, count);
        return;
    }
    uint32_t *from = handles, *to = scratch;
    for (unsigned shift = 0; shift < 32 && (entities - 1) >> shift != 0; shift += DIGIT_BITS) {
        counting_pass(slots, from, to, count, shift);
        uint32_t *swap = from;
        from = to;
        to = swap;
    }
    if (from != handles) {
        memcpy(handles, from, count * sizeof *handles);
    }
    for (uint32_t start = 0; start < count;) {
        uint32_t end = start + 1;
        while (end < count &&
               slots[handles[end]].event.entity == slots[handles[start]].event.entity) {
            end++;
        }
        sort_run(slots, handles + start, end - start);
        start = end;
    }
}
