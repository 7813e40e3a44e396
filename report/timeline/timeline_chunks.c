/* Chunks of collectives on user-defined trees: up, at the root, down. A chunk that an NPU sends to
 * another is a slice of its own, from when it has the link between the two until it arrives. Chunks
 * that are forwarded by a third NPU overlap: two are in flight by turns. */
#include "report/timeline/timeline_private.h"
#include "sim/api_call.h"

struct edge {
    uint32_t dst;
    bool any;
    int64_t free_ps[2]; /* arrival time of each of the two that may be in flight */
};

const char *orr_timeline_chunk_name(const struct orr_chunk *chunk, char *text)
{
    (void)snprintf(text, TL_NAME_BYTES, "chunk %u %s", (unsigned)chunk->chunk,
                   chunk->up      ? "up"
                   : chunk->turns ? "turns at the root"
                                  : "down");
    return text;
}

void orr_timeline_write_chunk(struct timeline *timeline, uint32_t rank, uint32_t track,
                              const struct tl_slice *slice)
{
    struct orr_stream *stream = &timeline->stream;
    struct orr_chunk chunk;
    char name[TL_NAME_BYTES], bytes[ORR_FORMAT_BYTES];
    (void)orr_chunk_message(timeline->job, slice->node, &chunk);
    orr_timeline_event(timeline, orr_timeline_chunk_name(&chunk, name));
    orr_stream_put(stream, ",\"cat\":\"chunk\",\"ph\":\"X\",\"pid\":");
    orr_stream_number(stream, rank);
    orr_stream_put(stream, ",\"tid\":");
    orr_stream_number(stream, track);
    orr_stream_put(stream, ",\"ts\":");
    orr_stream_us(stream, slice->start_ps);
    orr_stream_put(stream, ",\"dur\":");
    orr_stream_us(stream, orr_timeline_drawn_ps(slice->start_ps, slice->end_ps, slice->next_ps));
    orr_stream_put(stream, ",\"args\":{\"bytes\":");
    orr_stream_text(stream, orr_format_bytes(chunk.bytes, bytes, sizeof bytes));
    orr_stream_put(stream, ",\"peer\":");
    orr_stream_number(stream, chunk.dst);
    orr_stream_put(stream, ",\"waited_us\":");
    orr_stream_us(stream, slice->start_ps - chunk.sent_ps);
    orr_stream_put(stream, "}}");
}

static bool add_chunk(struct tl_slices *slices, struct edge *edge, const struct orr_chunk *chunk,
                      size_t index)
{
    const unsigned turn = chunk->through && edge->free_ps[1] < edge->free_ps[0] ? 1 : 0;
    const int64_t free_ps = edge->free_ps[turn];
    const bool follows = chunk->sent_ps < free_ps && free_ps < chunk->there_ps;
    const int64_t start = follows ? free_ps : chunk->sent_ps;
    const struct tl_slice slice = {.start_ps = start,
                                   .transfer_ps = start,
                                   .end_ps = chunk->there_ps,
                                   .resource = (uint64_t)TL_CHUNKS << 32 | chunk->dst,
                                   .node = (uint32_t)index};
    edge->free_ps[turn] = chunk->there_ps;
    return orr_timeline_add_slice(slices, &slice);
}

bool orr_timeline_add_chunks(struct timeline *timeline, uint32_t rank, struct tl_slices *slices)
{
    struct edge edge = {.any = false};
    struct orr_chunk chunk;
    bool ok = true;
    for (;
         ok && orr_chunk_message(timeline->job, timeline->next_chunk, &chunk) && chunk.src <= rank;
         timeline->next_chunk++) {
        if (chunk.src < rank) {
            continue; /* the sender is not drawn */
        }
        if (!edge.any || edge.dst != chunk.dst) {
            edge = (struct edge){.dst = chunk.dst, .any = true};
        }
        ok = add_chunk(slices, &edge, &chunk, timeline->next_chunk);
    }
    return ok;
}
