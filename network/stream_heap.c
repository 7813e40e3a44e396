/* See stream_heap.h. */
#include "network/stream_heap.h"

#define NONE UINT32_MAX

/* ---- the table ---- */

static bool grow(struct stream_heap *streams)
{
    const size_t room = streams->room == 0 ? 64 : streams->room * 2;
    struct stream *stream = orr_heap_realloc(streams->stream, room * sizeof *stream);
    streams->stream = stream != NULL ? stream : streams->stream;
    uint32_t *heap = orr_heap_realloc(streams->heap, room * sizeof *heap);
    streams->heap = heap != NULL ? heap : streams->heap;
    uint32_t *unused = orr_heap_realloc(streams->unused, room * sizeof *unused);
    streams->unused = unused != NULL ? unused : streams->unused;
    if (stream == NULL || heap == NULL || unused == NULL) {
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
    orr_heap_free(streams->unused);
}

/* ---- by time ---- */

static void put(struct stream_heap *streams, size_t at, uint32_t index)
{
    streams->heap[at] = index;
    streams->stream[index].place = (uint32_t)at;
}

/* Of streams whose events are at the same time, the one with the lower index comes first: the order
 * in which shares were worked out does not matter. */
static bool before(const struct stream_heap *streams, uint32_t one, uint32_t other)
{
    const sim_time next = streams->stream[one].next, then = streams->stream[other].next;
    return next < then || (next == then && one < other);
}

static void sift_up(struct stream_heap *streams, size_t at)
{
    const uint32_t index = streams->heap[at];
    while (at > 0 && before(streams, index, streams->heap[(at - 1) / 2])) {
        put(streams, at, streams->heap[(at - 1) / 2]);
        at = (at - 1) / 2;
    }
    put(streams, at, index);
}

static void sift_down(struct stream_heap *streams, size_t at)
{
    const uint32_t index = streams->heap[at];
    for (size_t child = 2 * at + 1; child < streams->heap_count; child = 2 * at + 1) {
        if (child + 1 < streams->heap_count &&
            before(streams, streams->heap[child + 1], streams->heap[child])) {
            child++;
        }
        if (!before(streams, streams->heap[child], index)) {
            break;
        }
        put(streams, at, streams->heap[child]);
        at = child;
    }
    put(streams, at, index);
}

static void take_out(struct stream_heap *streams, size_t at)
{
    const uint32_t last = streams->heap[--streams->heap_count];
    streams->stream[streams->heap[at]].place = NONE;
    if (at < streams->heap_count) {
        put(streams, at, last);
        sift_up(streams, at);
        sift_down(streams, streams->stream[last].place);
    }
}

void stream_heap_set(struct stream_heap *streams, uint32_t index, sim_time next)
{
    struct stream *stream = &streams->stream[index];
    stream->next = next;
    if (next == ORR_TIME_MAX) {
        if (stream->place != NONE) {
            take_out(streams, stream->place);
        }
        return;
    }
    if (stream->place == NONE) {
        put(streams, streams->heap_count++, index);
    }
    sift_up(streams, stream->place);
    sift_down(streams, stream->place);
}

uint32_t stream_heap_top(const struct stream_heap *streams)
{
    return streams->heap[0];
}

sim_time stream_heap_next(const struct stream_heap *streams)
{
    return streams->heap_count == 0 ? ORR_TIME_MAX : streams->stream[streams->heap[0]].next;
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
