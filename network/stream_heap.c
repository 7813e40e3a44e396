/* See stream_heap.h. */
#include "network/stream_heap.h"

#define NONE UINT32_MAX

/* ---- the table ---- */

static bool grow(struct stream_heap *streams)
{
    const size_t room = streams->room == 0 ? 64 : streams->room * 2;
    struct stream *stream = orr_heap_realloc(streams->stream, room * sizeof *stream);
    streams->stream = stream != NULL ? stream : streams->stream;
    struct stream_due *heap = orr_heap_realloc(streams->heap, room * sizeof *heap);
    streams->heap = heap != NULL ? heap : streams->heap;
    uint32_t *place = orr_heap_realloc(streams->place, room * sizeof *place);
    streams->place = place != NULL ? place : streams->place;
    sim_time *next = orr_heap_realloc(streams->next, room * sizeof *next);
    streams->next = next != NULL ? next : streams->next;
    uint32_t *unused = orr_heap_realloc(streams->unused, room * sizeof *unused);
    streams->unused = unused != NULL ? unused : streams->unused;
    if (stream == NULL || heap == NULL || place == NULL || next == NULL || unused == NULL) {
        return false;
    }
    streams->room = room;
    return true;
}

uint32_t stream_heap_new(struct stream_heap *streams)
{
    if (streams->unused_count > 0) {
        return streams->unused[--streams->unused_count];
    }
    if (streams->count == streams->room && (streams->count >= NONE / 2 || !grow(streams))) {
        return NONE;
    }
    streams->place[streams->count] = NONE;
    return (uint32_t)streams->count++;
}

void stream_heap_free(struct stream_heap *streams, uint32_t index)
{
    streams->unused[streams->unused_count++] = index;
}

void stream_heap_fini(struct stream_heap *streams)
{
    orr_heap_free(streams->stream);
    orr_heap_free(streams->heap);
    orr_heap_free(streams->place);
    orr_heap_free(streams->next);
    orr_heap_free(streams->unused);
}

/* ---- by time ---- */

enum { BELOW = 4 };

/* Of streams whose events are at the same time, the one with the lower number comes first: the
 * order in which shares were worked out does not matter. */
static inline bool before(struct stream_due one, struct stream_due other)
{
    return one.next < other.next || (one.next == other.next && one.stream < other.stream);
}

static inline void put(struct stream_heap *streams, size_t at, struct stream_due due)
{
    streams->heap[at] = due;
    streams->place[due.stream] = (uint32_t)at;
}

static size_t sift_up(struct stream_heap *streams, size_t at, struct stream_due due)
{
    while (at > 0 && before(due, streams->heap[(at - 1) / BELOW])) {
        put(streams, at, streams->heap[(at - 1) / BELOW]);
        at = (at - 1) / BELOW;
    }
    return at;
}

static size_t sift_down(struct stream_heap *streams, size_t at, struct stream_due due)
{
    const struct stream_due *heap = streams->heap;
    for (size_t child = BELOW * at + 1; child < streams->heap_count; child = BELOW * at + 1) {
        const size_t end =
            child + BELOW < streams->heap_count ? child + BELOW : streams->heap_count;
        size_t first = child;
        for (size_t other = child + 1; other < end; other++) {
            first = before(heap[other], heap[first]) ? other : first;
        }
        if (!before(heap[first], due)) {
            break;
        }
        put(streams, at, heap[first]);
        at = first;
    }
    return at;
}

static void settle(struct stream_heap *streams, size_t at, struct stream_due due)
{
    const size_t up = sift_up(streams, at, due);
    put(streams, up < at ? up : sift_down(streams, at, due), due);
}

static void take_out(struct stream_heap *streams, size_t at)
{
    const struct stream_due last = streams->heap[--streams->heap_count];
    streams->place[streams->heap[at].stream] = NONE;
    if (at < streams->heap_count) {
        settle(streams, at, last);
    }
}

/* A time that moves on does so in the heap only when it comes to the top: most move many times
 * before. */
void stream_heap_set(struct stream_heap *streams, uint32_t index, sim_time next)
{
    const uint32_t place = streams->place[index];
    streams->next[index] = next;
    if (next == ORR_TIME_MAX) {
        if (place != NONE) {
            take_out(streams, place);
        }
    } else if (place == NONE || next < streams->heap[place].next) {
        settle(streams, place == NONE ? streams->heap_count++ : place,
               (struct stream_due){.next = next, .stream = index});
    }
}

sim_time stream_heap_next(struct stream_heap *streams)
{
    if (streams->heap_count == 0) {
        return ORR_TIME_MAX;
    }
    struct stream_due top = streams->heap[0];
    while (streams->next[top.stream] != top.next) {
        top.next = streams->next[top.stream];
        put(streams, sift_down(streams, 0, top), top);
        top = streams->heap[0];
    }
    return top.next;
}

uint32_t stream_heap_top(const struct stream_heap *streams)
{
    return streams->heap[0].stream;
}

/* ---- the flows of a stream ---- */

uint32_t stream_meld(const struct orr_slab *records, uint32_t first, uint32_t other)
{
    if (first == NONE || other == NONE) {
        return first == NONE ? other : first;
    }
    struct flow_record *a = stream_record(records, first), *b = stream_record(records, other);
    if (b->target < a->target) {
        a->sibling = b->child;
        b->child = first;
        return other;
    }
    b->sibling = a->child;
    a->child = other;
    return first;
}

/* Melds the children in pairs from the first on, then the pairs from the last on. */
uint32_t stream_pop(const struct orr_slab *records, uint32_t top)
{
    uint32_t pairs = NONE, rest = stream_record(records, top)->child;
    while (rest != NONE) {
        const uint32_t first = rest, second = stream_record(records, first)->sibling;
        rest = second == NONE ? NONE : stream_record(records, second)->sibling;
        const uint32_t pair = stream_meld(records, first, second);
        stream_record(records, pair)->sibling = pairs;
        pairs = pair;
    }
    uint32_t heap = NONE;
    while (pairs != NONE) {
        const uint32_t next = stream_record(records, pairs)->sibling;
        heap = stream_meld(records, pairs, heap);
        pairs = next;
    }
    return heap;
}
