/* Slices that find no free track, merged into one: their number, their totals, and each of them
 * with its times. */
#include "core/sum.h"
#include "report/timeline/timeline_private.h"
#include "sim/api_call.h"

enum { TEXT = 64 };

/* The label of a slice: of a node, or of a chunk. */
struct slice_label {
    uint64_t id, bytes;
    const char *name;
    char text[TL_NAME_BYTES];
};

static struct slice_label *describe_slice(const struct timeline *timeline, uint32_t rank,
                                          const struct tl_slice *slice,
                                          struct slice_label *slice_label)
{
    struct orrery_node node;
    struct orr_chunk chunk;
    if (tl_resource_of(slice) == TL_CHUNKS) {
        (void)orr_chunk_message(timeline->job, slice->node, &chunk);
        slice_label->id = chunk.chunk;
        slice_label->bytes = chunk.bytes;
        slice_label->name = orr_timeline_chunk_name(&chunk, slice_label->text);
    } else {
        (void)orrery_node(timeline->job, rank, slice->node, &node);
        slice_label->id = node.id;
        slice_label->bytes = node.bytes;
        slice_label->name = orr_timeline_node_name(&node, slice_label->text);
    }
    return slice_label;
}

struct total {
    uint32_t count;
    uint64_t bytes;
    int64_t end_ps, exposed_ps, exposed_waiting_ps;
};

static const struct tl_slice *after(const struct tl_slice *slice)
{
    return slice->more != 0 ? slice + slice->more : NULL;
}

static struct total total_of(const struct timeline *timeline, uint32_t rank,
                             const struct tl_slice *first)
{
    struct total total = {.count = 0};
    for (const struct tl_slice *slice = first; slice != NULL; slice = after(slice)) {
        struct slice_label slice_label;
        total.count++;
        total.bytes =
            orr_capped_sum(total.bytes, describe_slice(timeline, rank, slice, &slice_label)->bytes);
        total.end_ps = slice->end_ps > total.end_ps ? slice->end_ps : total.end_ps;
        total.exposed_ps += slice->exposed_ps;
        /* Waiting for messages has a track of its own. */
        total.exposed_waiting_ps += tl_is_message(slice) ? 0 : slice->exposed_waiting_ps;
    }
    return total;
}

static void add_us(struct orr_stream *stream, const char *key, int64_t ps)
{
    orr_stream_put(stream, key);
    orr_stream_us(stream, ps);
}

static void write_all(struct timeline *timeline, uint32_t rank, const struct tl_slice *first)
{
    struct orr_stream *stream = &timeline->stream;
    orr_stream_put(stream, ",\"joined\":[");
    for (const struct tl_slice *slice = first; slice != NULL; slice = after(slice)) {
        struct slice_label slice_label;
        orr_stream_put(stream, slice == first ? "{\"name\":" : ",{\"name\":");
        orr_stream_text(stream, describe_slice(timeline, rank, slice, &slice_label)->name);
        orr_stream_put(stream, tl_resource_of(slice) == TL_CHUNKS ? ",\"chunk\":" : ",\"node\":");
        orr_stream_number(stream, slice_label.id);
        add_us(stream, ",\"start_us\":", slice->start_ps);
        add_us(stream, ",\"transfer_us\":", slice->transfer_ps);
        add_us(stream, ",\"end_us\":", slice->end_ps);
        orr_stream_put(stream, "}");
    }
    orr_stream_put(stream, "]");
}

static void write_totals(struct timeline *timeline, const struct tl_slice *first,
                         const struct total *total)
{
    struct orr_stream *stream = &timeline->stream;
    char bytes[ORR_FORMAT_BYTES];
    orr_stream_put(stream, ",\"args\":{\"count\":");
    orr_stream_number(stream, total->count);
    orr_stream_put(stream, ",\"bytes\":");
    orr_stream_text(stream, orr_format_bytes(total->bytes, bytes, sizeof bytes));
    if (tl_resource_of(first) != TL_COMPUTE && tl_resource_of(first) != TL_CHUNKS) {
        add_us(stream, ",\"exposed_us\":", total->exposed_ps);
        add_us(stream, ",\"exposed_waiting_us\":", total->exposed_waiting_ps);
    }
}

void orr_timeline_write_merged(struct timeline *timeline, uint32_t rank, uint32_t track,
                               const struct tl_slice *first)
{
    static const struct {
        const char *category, *what;
    } words[TL_RESOURCES] = {[TL_COMPUTE] = {"compute", "computations"},
                             [TL_WAITING] = {"waiting", "waits"},
                             [TL_CPU] = {"cpu", "CPU operations"},
                             [TL_LOCAL_MEMORY] = {"load", "loads and stores"},
                             [TL_REMOTE_MEMORY] = {"load", "loads and stores"},
                             [TL_COLLECTIVES] = {"collective", "collectives"},
                             [TL_SENDS] = {"send", "sends"},
                             [TL_RECEIVES] = {"receive", "receives"},
                             [TL_CHUNKS] = {"chunk", "chunks"}};
    struct orr_stream *stream = &timeline->stream;
    const enum tl_resource resource = tl_resource_of(first);
    const struct total total = total_of(timeline, rank, first);
    const int64_t start = tl_drawn_from(first), duration = total.end_ps - start;
    const int64_t drawn = orr_timeline_drawn_ps(start, total.end_ps, first->next_ps);
    char name[TEXT];
    (void)snprintf(name, sizeof name, "%u %s", (unsigned)total.count, words[resource].what);
    orr_timeline_event(timeline, name);
    orr_stream_put(stream, ",\"cat\":");
    orr_stream_text(stream, words[resource].category);
    orr_stream_put(stream, ",\"ph\":\"X\",\"pid\":");
    orr_stream_number(stream, rank);
    orr_stream_put(stream, ",\"tid\":");
    orr_stream_number(stream, track);
    add_us(stream, ",\"ts\":", start);
    add_us(stream, ",\"dur\":", drawn);
    write_totals(timeline, first, &total);
    write_all(timeline, rank, first);
    if (drawn != duration) {
        add_us(stream, ",\"duration_us\":", duration);
    }
    orr_stream_put(stream, "}}");
}
