/* One slice of the timeline: its name, its duration, and its arguments. */
#include <string.h>

#include "report/timeline/timeline_private.h"

enum { TEXT = ORR_FORMAT_BYTES, NAME_BYTES = TL_NAME_BYTES };

/* A color that the format reserves: no slice gets it by its name. */
static const char waiting_color[] = "thread_state_iowait";

static const char *const categories[] = {
    [ORRERY_NODE_COMPUTE] = "compute", [ORRERY_NODE_CPU] = "cpu",
    [ORRERY_NODE_LOAD] = "load",       [ORRERY_NODE_STORE] = "store",
    [ORRERY_NODE_SEND] = "send",       [ORRERY_NODE_RECEIVE] = "receive",
    [ORRERY_NODE_OTHER] = "other",     [ORRERY_NODE_COLLECTIVE] = "collective"};

/* A name for a nameless node: "all-reduce 25.00 MiB", "send 1.00 MiB to 3". */
static void describe(const struct orrery_node *node, char *text)
{
    char bytes[TEXT], peer[TEXT] = "";
    if (node->kind == ORRERY_NODE_SEND || node->kind == ORRERY_NODE_RECEIVE) {
        (void)snprintf(peer, sizeof peer, " %s %u", node->kind == ORRERY_NODE_SEND ? "to" : "from",
                       (unsigned)node->peer);
    }
    const char *what = node->collective != NULL ? node->collective : categories[node->kind];
    (void)snprintf(text, NAME_BYTES, "%s%s%s%s", what, node->bytes != 0 ? " " : "",
                   node->bytes != 0 ? orr_format_bytes(node->bytes, bytes, TEXT) : "", peer);
    for (char *at = strchr(text, '_'); at != NULL; at = strchr(at, '_')) {
        *at = '-';
    }
}

const char *orr_timeline_node_name(const struct orrery_node *node, char *text)
{
    if (node->name[0] != '\0') {
        return node->name;
    }
    describe(node, text);
    return text;
}

static inline void add_number(struct orr_stream *stream, const char *key, uint64_t value)
{
    orr_stream_put(stream, key);
    orr_stream_number(stream, value);
}

static inline void add_text(struct orr_stream *stream, const char *key, const char *text)
{
    orr_stream_put(stream, key);
    orr_stream_text(stream, text);
}

static const char *bytes_text(struct tl_texts *texts, uint64_t bytes)
{
    if (texts->bytes != bytes || texts->bytes_text[0] == '\0') {
        texts->bytes = bytes;
        (void)orr_format_bytes(bytes, texts->bytes_text, sizeof texts->bytes_text);
    }
    return texts->bytes_text;
}

static const char *rate_text(struct tl_texts *texts, const struct orrery_node *node, uint64_t of)
{
    const int64_t ps = node->end_ps - node->transfer_ps;
    if (texts->rate_of == of && texts->rate_ps == ps && texts->rate_kind == node->kind) {
        return texts->rate_text;
    }
    texts->rate_of = of;
    texts->rate_ps = ps;
    texts->rate_kind = node->kind;
    const double per_second = (double)of / ((double)ps * 1e-12);
    if (node->kind == ORRERY_NODE_COMPUTE) {
        (void)snprintf(texts->rate_text, sizeof texts->rate_text, "%.4g TFLOP/s",
                       per_second * 1e-12);
    } else {
        (void)orr_format_bandwidth(per_second, texts->rate_text, sizeof texts->rate_text);
    }
    return texts->rate_text;
}

/* Adds the rate, but not of a receive, which may be posted long before the send. */
static void add_rate(struct timeline *timeline, const struct orrery_node *node)
{
    const bool compute = node->kind == ORRERY_NODE_COMPUTE;
    const uint64_t of = compute ? node->flops : node->bytes;
    if (of != 0 && node->end_ps > node->transfer_ps && node->kind != ORRERY_NODE_RECEIVE) {
        add_text(&timeline->stream,
                 compute ? ",\"rate\":" : ",\"bandwidth\":", rate_text(&timeline->texts, node, of));
    }
}

static void add_details(struct timeline *timeline, const struct orrery_node *node)
{
    struct orr_stream *stream = &timeline->stream;
    if (node->bytes != 0) {
        add_text(stream, ",\"bytes\":", bytes_text(&timeline->texts, node->bytes));
    }
    if (node->flops != 0) {
        add_number(stream, ",\"flops\":", node->flops);
    }
    add_rate(timeline, node);
    if (node->kind == ORRERY_NODE_COLLECTIVE) {
        add_text(stream, ",\"collective\":", node->collective);
        add_text(stream, ",\"group\":", node->group[0] != '\0' ? node->group : "all NPUs");
        add_number(stream, ",\"group_npus\":", node->group_npus);
    }
    if (node->kind == ORRERY_NODE_SEND || node->kind == ORRERY_NODE_RECEIVE) {
        add_number(stream, ",\"peer\":", node->peer);
        add_number(stream, ",\"tag\":", node->tag);
    }
}

struct drawn {
    uint32_t rank, track;
    int64_t start_ps, end_ps, next_ps;
};

/* Writes the fields between the name and the node's number. */
static void begin_slice(struct orr_stream *stream, const struct drawn *at, const char *category,
                        uint64_t node)
{
    add_text(stream, ",\"cat\":", category);
    add_number(stream, ",\"ph\":\"X\",\"pid\":", at->rank);
    add_number(stream, ",\"tid\":", at->track);
    orr_stream_put(stream, ",\"ts\":");
    orr_stream_us(stream, at->start_ps);
    orr_stream_put(stream, ",\"dur\":");
    orr_stream_us(stream, orr_timeline_drawn_ps(at->start_ps, at->end_ps, at->next_ps));
    add_number(stream, ",\"args\":{\"node\":", node);
}

static void end_slice(struct orr_stream *stream, const struct drawn *at)
{
    const int64_t duration = at->end_ps - at->start_ps;
    if (orr_timeline_drawn_ps(at->start_ps, at->end_ps, at->next_ps) != duration) {
        orr_stream_put(stream, ",\"duration_us\":");
        orr_stream_us(stream, duration);
    }
    orr_stream_put(stream, "}}");
}

static void add_us(struct orr_stream *stream, const char *key, int64_t ps)
{
    orr_stream_put(stream, key);
    orr_stream_us(stream, ps);
}

/* Writes the time that the node waits for others, in one color. */
static void write_wait(struct timeline *timeline, const struct drawn *at,
                       const struct tl_slice *slice, const struct orrery_node *node,
                       const char *name)
{
    struct orr_stream *stream = &timeline->stream;
    orr_timeline_event(timeline, "waiting");
    add_text(stream, ",\"cname\":", waiting_color);
    begin_slice(stream, at, "waiting", node->id);
    add_text(stream, ",\"for\":", name);
    add_us(stream, ",\"exposed_us\":", slice->exposed_waiting_ps);
    end_slice(stream, at);
}

/* Adds arguments of a message: when it was posted, and that its waiting is not exposed. */
static void add_waited(struct orr_stream *stream, const struct tl_slice *slice)
{
    if (tl_is_message(slice) && slice->transfer_ps > slice->start_ps) {
        add_us(stream, ",\"asked_us\":", slice->start_ps);
        add_us(stream, ",\"waited_us\":", slice->transfer_ps - slice->start_ps);
    }
}

void orr_timeline_write_slice(struct timeline *timeline, uint32_t rank, uint32_t track,
                              const struct tl_slice *slice)
{
    struct orr_stream *stream = &timeline->stream;
    const struct drawn at = {rank, track, slice->transfer_ps, slice->end_ps, slice->next_ps};
    struct orrery_node node;
    char text[NAME_BYTES];
    (void)orrery_node(timeline->job, rank, slice->node, &node);
    const char *name = orr_timeline_node_name(&node, text);
    if (tl_resource_of(slice) == TL_WAITING) {
        write_wait(timeline, &at, slice, &node, name);
        return;
    }
    if (slice->transfer_ps > slice->start_ps && !tl_is_message(slice)) {
        const int64_t until = slice->transfer_ps;
        const struct drawn wait = {rank, track, slice->start_ps, until, until};
        write_wait(timeline, &wait, slice, &node, name);
    }
    orr_timeline_event(timeline, name);
    begin_slice(stream, &at, categories[node.kind], node.id);
    add_details(timeline, &node);
    if (node.kind != ORRERY_NODE_COMPUTE) {
        add_us(stream, ",\"exposed_us\":", slice->exposed_ps);
    }
    add_waited(stream, slice);
    end_slice(stream, &at);
}
