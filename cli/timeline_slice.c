/* One slice of the timeline: what it is called, how long it is, and what is said of it. */
#include <string.h>

#include "cli/timeline_private.h"
#include "core/core.h"

enum { TEXT = ORR_FORMAT_BYTES, NAME_BYTES = 128 };

static const char *const categories[] = {
    [ORRERY_NODE_COMPUTE] = "compute", [ORRERY_NODE_CPU] = "cpu",
    [ORRERY_NODE_LOAD] = "load",       [ORRERY_NODE_STORE] = "store",
    [ORRERY_NODE_SEND] = "send",       [ORRERY_NODE_RECEIVE] = "receive",
    [ORRERY_NODE_OTHER] = "other",     [ORRERY_NODE_COLLECTIVE] = "collective"};

/* A name for a node that has none: "all-reduce 25.00 MiB", "send 1.00 MiB to 3". */
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

/* Perfetto rounds start and duration to ns, each for itself, and drops a slice that then begins
 * before the one before it is over. So a slice is drawn shorter, by at most 1 ns, where the next
 * one on its track would be lost. Halves are taken to be rounded in the worse direction. */
int64_t tl_drawn_ps(const struct tl_slice *slice)
{
    enum { NS = 1000, HALF = NS / 2 };
    const int64_t duration = slice->end_ps - slice->start_ps;
    if (slice->next_ps - slice->end_ps >= 2 * NS) {
        return duration;
    }
    const int64_t start_ns = (slice->start_ps + HALF) / NS;
    const int64_t next_ns = (slice->next_ps + HALF - 1) / NS;
    if (start_ns + (duration + HALF) / NS <= next_ns) {
        return duration;
    }
    return next_ns > start_ns ? (next_ns - start_ns) * NS : 0;
}

static void add_number(struct orr_stream *stream, const char *key, uint64_t value)
{
    orr_stream_put(stream, key);
    orr_stream_number(stream, value);
}

static void add_text(struct orr_stream *stream, const char *key, const char *text)
{
    orr_stream_put(stream, key);
    orr_stream_text(stream, text);
}

static void add_rate(struct orr_stream *stream, const struct orrery_node *node)
{
    char text[TEXT];
    const double seconds = (double)(node->end_ps - node->start_ps) * 1e-12;
    if (seconds <= 0) {
        return;
    }
    if (node->kind == ORRERY_NODE_COMPUTE && node->flops != 0) {
        (void)snprintf(text, sizeof text, "%.4g TFLOP/s", (double)node->flops / seconds * 1e-12);
        add_text(stream, ",\"rate\":", text);
    } else if (node->bytes != 0 && node->kind != ORRERY_NODE_RECEIVE &&
               node->kind != ORRERY_NODE_COMPUTE) {
        add_text(stream, ",\"bandwidth\":",
                 orr_format_bandwidth((double)node->bytes / seconds, text, TEXT));
    }
}

static void add_details(struct orr_stream *stream, const struct orrery_node *node)
{
    char text[TEXT];
    if (node->bytes != 0) {
        add_text(stream, ",\"bytes\":", orr_format_bytes(node->bytes, text, TEXT));
    }
    if (node->flops != 0) {
        add_number(stream, ",\"flops\":", node->flops);
    }
    add_rate(stream, node);
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

void tl_write_slice(struct timeline *timeline, uint32_t rank, uint32_t track,
                    const struct tl_slice *slice)
{
    struct orr_stream *stream = &timeline->stream;
    struct orrery_node node;
    char name[NAME_BYTES];
    (void)orrery_node(timeline->job, rank, slice->node, &node);
    if (node.name[0] == '\0') {
        describe(&node, name);
    }
    const int64_t drawn = tl_drawn_ps(slice);
    tl_event(timeline, node.name[0] != '\0' ? node.name : name);
    add_text(stream, ",\"cat\":", categories[node.kind]);
    add_number(stream, ",\"ph\":\"X\",\"pid\":", rank);
    add_number(stream, ",\"tid\":", track);
    orr_stream_put(stream, ",\"ts\":");
    orr_stream_us(stream, slice->start_ps);
    orr_stream_put(stream, ",\"dur\":");
    orr_stream_us(stream, drawn);
    add_number(stream, ",\"args\":{\"node\":", node.id);
    add_details(stream, &node);
    if (node.kind != ORRERY_NODE_COMPUTE && node.kind != ORRERY_NODE_CPU) {
        orr_stream_put(stream, ",\"exposed_us\":");
        orr_stream_us(stream, slice->exposed_ps);
    }
    if (drawn != slice->end_ps - slice->start_ps) {
        orr_stream_put(stream, ",\"duration_us\":");
        orr_stream_us(stream, slice->end_ps - slice->start_ps);
    }
    orr_stream_put(stream, "}}");
}
