/* Arrows of the timeline.
 *
 * From a collective to a node that waited for a part of it: from the time when that part was
 * delivered to the start of the node. From a send to its matching receive: the k-th of (source,
 * destination, tag, bytes) to the k-th.
 *
 * If the destination is not drawn, the representative of its class stands for it: the receive from
 * a source at the same distance, if it ran at the same time as the real one. */
#include <stdlib.h>

#include "core/arena.h"
#include "orrery/prefix.h"
#include "report/timeline/timeline_private.h"

enum { FIRST_ENDS = 256 };

static int compare_keys(const struct tl_end *a, const struct tl_end *b)
{
    if (a->src != b->src) {
        return a->src < b->src ? -1 : 1;
    }
    if (a->dst != b->dst) {
        return a->dst < b->dst ? -1 : 1;
    }
    if (a->tag != b->tag) {
        return a->tag < b->tag ? -1 : 1;
    }
    return (a->bytes > b->bytes) - (a->bytes < b->bytes);
}

static int compare_ends(const void *a, const void *b)
{
    const struct tl_end *first = a, *second = b;
    const int order = compare_keys(first, second);
    if (order != 0) {
        return order;
    }
    if (first->start_ps != second->start_ps) {
        return first->start_ps < second->start_ps ? -1 : 1;
    }
    return (first->node > second->node) - (first->node < second->node);
}

/* a - b + c modulo the number of ranks. */
static uint32_t shifted(uint32_t a, uint32_t b, uint32_t c, uint32_t npus)
{
    return (uint32_t)(((uint64_t)a + npus - b + c) % npus);
}

/* The source and destination of the send if the peer's representative replaced the peer; false if
 * no such send exists. */
static bool stand_in(const struct timeline *timeline, uint32_t peer, struct tl_end *send)
{
    const uint32_t npus = orrery_npus(timeline->job);
    const struct orr_class *classes = timeline->classes.item;
    send->dst = classes[timeline->class_of[peer]].rank[0];
    send->src = shifted(send->dst, peer, send->rank, npus);
    return timeline->drawn[send->dst] && !timeline->drawn[send->src] &&
           timeline->class_of[send->src] == timeline->class_of[send->rank] &&
           classes[timeline->class_of[send->rank]].rank[0] == send->rank;
}

bool orr_timeline_add_end(struct timeline *timeline, const struct orrery_node *node,
                          const struct tl_end *drawn)
{
    const bool is_send = node->kind == ORRERY_NODE_SEND;
    struct tl_ends *ends = is_send ? &timeline->sends : &timeline->receives;
    struct tl_end end = *drawn;
    end.src = is_send ? end.rank : node->peer;
    end.dst = is_send ? node->peer : end.rank;
    end.tag = node->tag;
    end.bytes = node->bytes;
    if (node->peer >= orrery_npus(timeline->job) ||
        (is_send && !timeline->drawn[node->peer] && !stand_in(timeline, node->peer, &end))) {
        return true;
    }
    if (!orr_heap_reserve(&ends->item, &ends->capacity, ends->count + 1, sizeof *ends->item)) {
        return false;
    }
    ends->item[ends->count++] = end;
    return true;
}

/* True if the send's real receive, at an NPU that is not drawn, equals the drawn receive. */
static bool is_equivalent(const struct timeline *timeline, const struct tl_end *send,
                          const struct tl_end *receive)
{
    if (send->rank == send->src) {
        return true;
    }
    struct orrery_node drawn, real;
    const uint32_t peer = shifted(send->dst, send->src, send->rank, orrery_npus(timeline->job));
    return orrery_node(timeline->job, receive->rank, receive->node, &drawn) == ORRERY_OK &&
           orrery_node(timeline->job, peer, receive->node, &real) == ORRERY_OK &&
           real.kind == ORRERY_NODE_RECEIVE && real.peer == send->rank && real.tag == drawn.tag &&
           real.bytes == drawn.bytes && real.start_ps == drawn.start_ps &&
           real.end_ps == drawn.end_ps;
}

/* One end of an arrow between two slices: its kind, "s" or "f". */
struct tl_arrow {
    const char *name, *phase;
    uint64_t id;
    uint32_t rank, track;
    int64_t at_ps;
};

static void write_arrow(struct timeline *timeline, const struct tl_arrow *arrow)
{
    struct orr_stream *stream = &timeline->stream;
    orr_timeline_event(timeline, arrow->name);
    orr_stream_put(stream, ",\"cat\":\"");
    orr_stream_put(stream, arrow->name);
    orr_stream_put(stream, "\",\"ph\":");
    orr_stream_put(stream, arrow->phase);
    orr_stream_put(stream, ",\"id\":");
    orr_stream_number(stream, arrow->id);
    orr_stream_put(stream, ",\"pid\":");
    orr_stream_number(stream, arrow->rank);
    orr_stream_put(stream, ",\"tid\":");
    orr_stream_number(stream, arrow->track);
    orr_stream_put(stream, ",\"ts\":");
    orr_stream_us(stream, arrow->at_ps);
    orr_stream_put(stream, "}");
}

static void write_end(struct timeline *timeline, const struct tl_end *end, const char *phase,
                      uint64_t id, int64_t at_ps)
{
    const struct tl_arrow arrow = {"message", phase, id, end->rank, end->track, at_ps};
    write_arrow(timeline, &arrow);
}

void orr_timeline_write_flows(struct timeline *timeline)
{
    struct tl_ends *sends = &timeline->sends, *receives = &timeline->receives;
    if (sends->count == 0 || receives->count == 0) {
        return;
    }
    qsort(sends->item, sends->count, sizeof *sends->item, compare_ends);
    qsort(receives->item, receives->count, sizeof *receives->item, compare_ends);
    uint64_t id = 0;
    for (size_t s = 0, r = 0; s < sends->count && r < receives->count;) {
        const struct tl_end *send = &sends->item[s], *receive = &receives->item[r];
        const int order = compare_keys(send, receive);
        s += order <= 0 ? 1 : 0;
        r += order >= 0 ? 1 : 0;
        if (order == 0 && receive->end_ps >= send->from_ps &&
            is_equivalent(timeline, send, receive)) {
            id++;
            write_end(timeline, send, "\"s\"", id, send->from_ps);
            write_end(timeline, receive, "\"f\",\"bp\":\"e\"", id,
                      receive->from_ps > send->from_ps ? receive->from_ps : send->from_ps);
        }
    }
}

/* ---- parts of collectives ---- */

static void write_part(struct timeline *timeline, uint32_t rank, const struct orrery_prefix *prefix)
{
    struct orrery_node node;
    const uint32_t from = timeline->track_of[prefix->collective];
    const uint32_t to = timeline->track_of[prefix->node];
    if (prefix->there_ps < 0 || from == 0 || to == 0 ||
        orrery_node(timeline->job, rank, prefix->node, &node) != ORRERY_OK) {
        return;
    }
    const uint64_t id = ++timeline->part_arrows;
    const struct tl_arrow start = {"part", "\"s\"", id, rank, from, prefix->there_ps};
    const bool message = node.kind == ORRERY_NODE_SEND || node.kind == ORRERY_NODE_RECEIVE;
    const int64_t at_ps = message ? node.transfer_ps : node.start_ps;
    const struct tl_arrow end = {"part", "\"f\",\"bp\":\"e\"", id, rank, to, at_ps};
    write_arrow(timeline, &start);
    write_arrow(timeline, &end);
}

void orr_timeline_write_parts(struct timeline *timeline, uint32_t rank)
{
    const size_t count = orrery_prefixes(timeline->job, rank);
    for (size_t i = 0; i < count; i++) {
        struct orrery_prefix prefix;
        if (orrery_prefix(timeline->job, rank, i, &prefix) == ORRERY_OK) {
            write_part(timeline, rank, &prefix);
        }
    }
}
