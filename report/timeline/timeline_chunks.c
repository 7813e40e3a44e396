/* Chunks of collectives on their way along trees that are given: up, at the root, down. Those that
 * an NPU sends to another are on a track of their own, from when the link between the two is theirs
 * until they are there. Those that go on over a third NPU overlap, and take two tracks in turns. */
#include "report/timeline/timeline_private.h"

enum { TEXT = 64 };

struct edge {
    uint32_t rank, dst;
    uint32_t tracks;    /* 1, or 2 */
    int64_t free_ps[2]; /* when each is free */
};

static void name_tracks(struct timeline *timeline, const struct edge *edge)
{
    for (uint32_t t = 0; t < edge->tracks; t++) {
        char name[TEXT];
        const uint32_t tid = timeline->next_track + t;
        (void)snprintf(name, sizeof name, t == 0 ? "chunks to NPU %u" : "chunks to NPU %u 2",
                       (unsigned)edge->dst);
        orr_timeline_names(timeline, edge->rank, &tid, name);
    }
}

static void write_chunk(struct timeline *timeline, struct edge *edge, const struct orr_chunk *chunk)
{
    struct orr_stream *stream = &timeline->stream;
    const uint32_t track = edge->tracks == 2 && edge->free_ps[1] < edge->free_ps[0] ? 1 : 0;
    const int64_t start =
        chunk->asked_ps > edge->free_ps[track] ? chunk->asked_ps : edge->free_ps[track];
    char name[TEXT], bytes[ORR_FORMAT_BYTES];
    (void)snprintf(name, sizeof name, "chunk %u %s", (unsigned)chunk->chunk,
                   chunk->up      ? "up"
                   : chunk->turns ? "turns at the root"
                                  : "down");
    orr_timeline_event(timeline, name);
    orr_stream_put(stream, ",\"cat\":\"chunk\",\"ph\":\"X\",\"pid\":");
    orr_stream_number(stream, edge->rank);
    orr_stream_put(stream, ",\"tid\":");
    orr_stream_number(stream, timeline->next_track + track);
    orr_stream_put(stream, ",\"ts\":");
    orr_stream_us(stream, start);
    orr_stream_put(stream, ",\"dur\":");
    /* The next one may begin at once. */
    orr_stream_us(stream, orr_timeline_drawn_ps(start, chunk->there_ps, chunk->there_ps));
    orr_stream_put(stream, ",\"args\":{\"bytes\":");
    orr_stream_text(stream, orr_format_bytes(chunk->bytes, bytes, sizeof bytes));
    orr_stream_put(stream, ",\"waited_us\":");
    orr_stream_us(stream, start - chunk->asked_ps);
    orr_stream_put(stream, "}}");
    edge->free_ps[track] = chunk->there_ps;
}

void orr_timeline_write_chunks(struct timeline *timeline, uint32_t rank)
{
    struct edge edge = {.rank = rank};
    struct orr_chunk chunk;
    for (; orr_chunk_message(timeline->job, timeline->next_chunk, &chunk) && chunk.src <= rank;
         timeline->next_chunk++) {
        if (chunk.src < rank) {
            continue; /* of one that is not drawn */
        }
        if (edge.tracks == 0 || edge.dst != chunk.dst) {
            timeline->next_track += edge.tracks;
            edge = (struct edge){.rank = rank, .dst = chunk.dst, .tracks = chunk.through ? 2 : 1};
            name_tracks(timeline, &edge);
        }
        write_chunk(timeline, &edge, &chunk);
    }
    timeline->next_track += edge.tracks;
}
