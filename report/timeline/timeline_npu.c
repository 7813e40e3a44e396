/* The timeline of one NPU: its nodes, its waiting and the chunks that it sends, as slices on the
 * tracks that timeline_tracks.c assigned. */
#include <string.h>

#include "core/arena.h"
#include "orrery/prefix.h"
#include "report/timeline/timeline_private.h"

enum { TEXT = 64, NAME_BYTES = 256 };

/* ---- slices ---- */

static uint64_t resource_key(const struct orrery_node *node)
{
    switch (node->kind) {
    case ORRERY_NODE_COMPUTE:
        return (uint64_t)TL_COMPUTE << 32;
    case ORRERY_NODE_CPU:
        return (uint64_t)TL_CPU << 32;
    case ORRERY_NODE_COLLECTIVE:
        return (uint64_t)TL_COLLECTIVES << 32 | node->group_id;
    case ORRERY_NODE_SEND:
        return (uint64_t)TL_SENDS << 32 | node->peer;
    case ORRERY_NODE_RECEIVE:
        return (uint64_t)TL_RECEIVES << 32;
    default:
        return (uint64_t)(node->remote ? TL_REMOTE_MEMORY : TL_LOCAL_MEMORY) << 32;
    }
}

static bool collect(const struct timeline *timeline, uint32_t rank, struct tl_slices *slices)
{
    const size_t nodes = orrery_nodes(timeline->job, rank);
    bool ok = true;
    for (size_t i = 0; ok && i < nodes; i++) {
        struct orrery_node node;
        (void)orrery_node(timeline->job, rank, i, &node);
        if (node.ran && node.kind != ORRERY_NODE_OTHER) {
            const struct tl_slice slice = {.start_ps = node.start_ps,
                                           .transfer_ps = node.transfer_ps,
                                           .end_ps = node.end_ps,
                                           .resource = resource_key(&node),
                                           .node = (uint32_t)i};
            ok = orr_timeline_add_slice(slices, &slice);
        }
    }
    return ok;
}

/* ---- tracks of a resource ---- */

/* Name of the group of collectives, unless the track has those of all groups. */
static void format_group(const struct orrery_node *node, char *text)
{
    if (node->group[0] == '\0') {
        (void)snprintf(text, NAME_BYTES, "collectives: all NPUs");
    } else {
        const bool number = node->group[strspn(node->group, "0123456789")] == '\0';
        (void)snprintf(text, NAME_BYTES, "collectives: %s%.200s", number ? "group " : "",
                       node->group);
    }
}

static void format_resource(const struct timeline *timeline, uint32_t rank,
                            const struct tl_slice *slice, char *text)
{
    static const char *const names[TL_RESOURCES] = {[TL_COMPUTE] = "compute",
                                                    [TL_WAITING] = "waiting for messages",
                                                    [TL_CPU] = "CPU",
                                                    [TL_LOCAL_MEMORY] = "local memory",
                                                    [TL_REMOTE_MEMORY] = "remote memory",
                                                    [TL_COLLECTIVES] = "collectives",
                                                    [TL_SENDS] = "sends",
                                                    [TL_RECEIVES] = "receives",
                                                    [TL_CHUNKS] = "chunks"};
    const enum tl_resource resource = tl_resource_of(slice);
    const uint32_t of = (uint32_t)slice->resource;
    if (resource == TL_COLLECTIVES && of != TL_ALL) {
        struct orrery_node node;
        (void)orrery_node(timeline->job, rank, slice->node, &node);
        format_group(&node, text);
    } else if ((resource == TL_SENDS || resource == TL_CHUNKS) && of != TL_ALL) {
        (void)snprintf(text, NAME_BYTES, "%s to NPU %u", names[resource], (unsigned)of);
    } else {
        (void)snprintf(text, NAME_BYTES, "%s", names[resource]);
    }
}

static void name_tracks(struct timeline *timeline, uint32_t rank, const struct tl_slice *slice,
                        uint32_t subtracks)
{
    char name[NAME_BYTES], numbered[NAME_BYTES + TEXT];
    format_resource(timeline, rank, slice, name);
    for (uint32_t subtrack = 0; subtrack < subtracks; subtrack++) {
        const uint32_t tid = timeline->next_track + subtrack;
        (void)snprintf(numbered, sizeof numbered, "%s %u", name, (unsigned)(subtrack + 1));
        orr_timeline_names(timeline, rank, &tid, subtrack == 0 ? name : numbered);
    }
}

static bool keep_end(struct timeline *timeline, uint32_t rank, uint32_t track,
                     const struct tl_slice *slice)
{
    if (!tl_is_message(slice)) {
        return true;
    }
    struct orrery_node node;
    (void)orrery_node(timeline->job, rank, slice->node, &node);
    const int64_t drawn = orr_timeline_drawn_ps(slice->transfer_ps, slice->end_ps, slice->next_ps);
    const struct tl_end end = {.start_ps = slice->start_ps,
                               .from_ps = slice->transfer_ps,
                               .end_ps = slice->transfer_ps + drawn,
                               .rank = rank,
                               .track = track,
                               .node = slice->node};
    return orr_timeline_add_end(timeline, &node, &end);
}

static void write_one(struct timeline *timeline, uint32_t rank, uint32_t track,
                      const struct tl_slice *slice)
{
    if (slice->more != 0) {
        orr_timeline_write_merged(timeline, rank, track, slice);
    } else if (tl_resource_of(slice) == TL_CHUNKS) {
        orr_timeline_write_chunk(timeline, rank, track, slice);
    } else {
        orr_timeline_write_slice(timeline, rank, track, slice);
    }
}

/* Writes a slice on its track. False: no memory. */
static bool write_placed(struct timeline *timeline, uint32_t rank, const struct tl_slice *slice)
{
    const uint32_t track = timeline->next_track + slice->subtrack;
    const enum tl_resource resource = tl_resource_of(slice);
    if (!slice->joined) {
        write_one(timeline, rank, track, slice);
    }
    if (timeline->track_of != NULL && resource != TL_CHUNKS && resource != TL_WAITING) {
        timeline->track_of[slice->node] = track;
    }
    return keep_end(timeline, rank, track, slice);
}

/* Writes the tracks of the resource of the first slice; returns the number of its slices, 0: no
 * memory. */
static size_t write_resource(struct timeline *timeline, uint32_t rank, const struct tl_slice *slice,
                             size_t count)
{
    size_t of_resource = 0;
    uint32_t subtracks = 0;
    while (of_resource < count && slice[of_resource].resource == slice[0].resource) {
        const uint32_t subtrack = slice[of_resource++].subtrack;
        subtracks = subtrack >= subtracks ? subtrack + 1 : subtracks;
    }
    name_tracks(timeline, rank, slice, subtracks);
    for (size_t i = 0; i < of_resource; i++) {
        if (!write_placed(timeline, rank, &slice[i])) {
            return 0;
        }
    }
    timeline->next_track += subtracks;
    return of_resource;
}

/* ---- the NPU ---- */

static void name_npu(struct timeline *timeline, uint32_t rank)
{
    const struct orr_class *class = &timeline->classes.item[timeline->class_of[rank]];
    char ranks[TEXT], name[2 * TEXT];
    (void)orr_format_ranks(class->rank, class->members, ranks, sizeof ranks);
    (void)snprintf(name, sizeof name, class->members > 1 ? "NPU %u (class %s)" : "NPU %u",
                   (unsigned)rank, ranks);
    orr_timeline_names(timeline, rank, NULL, name);
}

/* Writes the counter of local memory in use, if the platform tracks it. */
static void write_memory(struct timeline *timeline, uint32_t rank)
{
    struct orrery_memory_use use;
    if (orrery_memory_trace_name(timeline->job) == NULL ||
        orrery_memory_use(timeline->job, rank, &use) != ORRERY_OK) {
        return;
    }
    for (size_t i = 0; i < use.steps; i++) {
        orr_timeline_event(timeline, "local memory in use");
        orr_stream_put(&timeline->stream, ",\"ph\":\"C\",\"pid\":");
        orr_stream_number(&timeline->stream, rank);
        orr_stream_put(&timeline->stream, ",\"ts\":");
        orr_stream_us(&timeline->stream, use.step[i].at_ps);
        orr_stream_put(&timeline->stream, ",\"args\":{\"bytes\":");
        orr_stream_number(&timeline->stream, use.step[i].bytes);
        orr_stream_put(&timeline->stream, "}}");
    }
}

static bool write_slices(struct timeline *timeline, uint32_t rank, const struct tl_slices *slices)
{
    const size_t nodes = orrery_nodes(timeline->job, rank);
    const bool parts = orrery_prefixes(timeline->job, rank) != 0;
    timeline->track_of = parts ? orr_heap_calloc(nodes, sizeof *timeline->track_of) : NULL;
    bool ok = !parts || timeline->track_of != NULL;
    for (size_t first = 0, of_one; ok && first < slices->count; first += of_one) {
        of_one = write_resource(timeline, rank, &slices->item[first], slices->count - first);
        ok = of_one != 0;
    }
    if (ok && parts) {
        orr_timeline_write_parts(timeline, rank);
    }
    orr_heap_free(timeline->track_of);
    timeline->track_of = NULL;
    return ok;
}

/* Collects nodes, with their exposed times, and all other slices, each with its track. */
static bool make_slices(struct timeline *timeline, uint32_t rank, struct tl_slices *slices)
{
    const size_t nodes = orrery_nodes(timeline->job, rank) + 1;
    struct tl_part *part = orr_heap_calloc(nodes, 2 * sizeof *part);
    int64_t *scratch = orr_heap_calloc(nodes, 8 * sizeof *scratch);
    const bool ok = part != NULL && scratch != NULL && collect(timeline, rank, slices) &&
                    orr_timeline_expose(slices, part, scratch) &&
                    orr_timeline_add_chunks(timeline, rank, slices);
    orr_heap_free(part);
    orr_heap_free(scratch);
    if (ok) {
        orr_timeline_assign_tracks(slices);
    }
    return ok;
}

bool orr_timeline_write_npu(struct timeline *timeline, uint32_t rank)
{
    struct tl_slices slices = {.count = 0};
    name_npu(timeline, rank);
    const bool ok = make_slices(timeline, rank, &slices) && write_slices(timeline, rank, &slices);
    write_memory(timeline, rank);
    orr_heap_free(slices.item);
    return ok;
}
