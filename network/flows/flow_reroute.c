/* Flows that go on over another path with the bytes that they have left, when theirs has a link
 * that is closed: see flows.h. */
#include "network/flows/flows_private.h"

#define NONE UINT32_MAX

static bool is_closed(const struct net_flows *flows, uint32_t path)
{
    const struct flow_path *of = &flows->paths.path[path];
    for (uint32_t h = 0; h < of->hops; h++) {
        if (flows->around->closed[of->link[h]]) {
            return true;
        }
    }
    return false;
}

/* Another path for it; false: it stays where it is. */
static bool find(struct net_flows *flows, struct flow_record *record, double bytes)
{
    const struct net_flows_around *around = flows->around;
    struct net_route_links links;
    if (!around->find(around->context, record->cookie, bytes, &links)) {
        return false;
    }
    const uint32_t path = orr_flow_paths_intern(&flows->paths, &links);
    if (path == NONE) {
        orr_flows_no_memory(flows);
        return false;
    }
    struct flow_path *before = &flows->paths.path[record->path];
    const uint64_t moved = bytes > (double)before->bytes ? before->bytes : (uint64_t)bytes;
    before->bytes -= moved;
    flows->paths.path[path].bytes += moved;
    flows->paths.path[path].flows++;
    record->path = path;
    return true;
}

void orr_flows_look_around(struct net_flows *flows, uint32_t handle)
{
    struct flow_record *record = stream_record(&flows->records, handle);
    if (is_closed(flows, record->path)) {
        (void)find(flows, record, record->bytes);
    }
}

/* All flows of a stream leave it that find another path. The stream is asked for anew, since those
 * that join may make streams. */
static void move_stream(struct net_flows *flows, uint32_t index)
{
    struct stream *stream = stream_at(&flows->streams, index);
    const uint32_t before = stream->count;
    uint32_t stay = NONE;
    stream_advance(stream, orr_evq_now(flows->config.queue));
    while (stream->top != NONE) {
        const uint32_t handle = stream->top;
        struct flow_record *record = stream_record(&flows->records, handle);
        const double left = record->target - stream->served;
        stream->top = orr_stream_pop(&flows->records, handle);
        record->child = record->sibling = NONE;
        if (left > 2 * ROUNDING_PS * stream->rate && find(flows, record, left)) {
            stream->count--;
            record->bytes = left;
            orr_flows_join(flows, handle);
            stream = stream_at(&flows->streams, index);
        } else {
            stay = orr_stream_meld(&flows->records, stay, handle);
        }
    }
    stream->top = stay;
    if (stream->count != before) {
        orr_flows_left(flows, index, before);
        orr_flows_post_settle(flows);
    }
}

void orr_net_flows_reroute(struct net_flows *flows, const struct net_flows_around *around)
{
    const size_t streams = flows->streams.count;
    flows->around = around;
    for (size_t index = 0; index < streams; index++) {
        const struct stream *stream = stream_at(&flows->streams, (uint32_t)index);
        if (stream->count != 0 && is_closed(flows, stream->path)) {
            move_stream(flows, (uint32_t)index);
        }
    }
}

void orr_net_flows_visit(struct net_flows *flows,
                         void (*visit)(void *context, uint64_t cookie, double bytes), void *context)
{
    for (size_t index = 0; index < flows->streams.count; index++) {
        struct stream *stream = stream_at(&flows->streams, (uint32_t)index);
        if (stream->count == 0) {
            continue;
        }
        stream_advance(stream, orr_evq_now(flows->config.queue));
        uint32_t kept = NONE;
        while (stream->top != NONE) { /* taken out by their ends, and put together again */
            const uint32_t handle = stream->top;
            struct flow_record *record = stream_record(&flows->records, handle);
            stream->top = orr_stream_pop(&flows->records, handle);
            record->child = record->sibling = NONE;
            visit(context, record->cookie, record->target - stream->served);
            kept = orr_stream_meld(&flows->records, kept, handle);
        }
        stream->top = kept;
    }
}
