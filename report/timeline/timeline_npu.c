/* The timeline of one NPU: its nodes as slices on tracks.
 *
 * Slices on a track must not overlap. So the nodes of a resource, in the order of their starts,
 * each go to the track that is free first, and to a new one when all are busy: as few tracks as
 * there are nodes at a time. */
#include <stdlib.h>
#include <string.h>

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

static size_t collect(const struct timeline *timeline, uint32_t rank, struct tl_slice *slice)
{
    const size_t nodes = orrery_nodes(timeline->job, rank);
    size_t count = 0;
    for (size_t i = 0; i < nodes; i++) {
        struct orrery_node node;
        (void)orrery_node(timeline->job, rank, i, &node);
        if (node.ran && node.kind != ORRERY_NODE_OTHER) {
            slice[count++] = (struct tl_slice){.start_ps = node.start_ps,
                                               .transfer_ps = node.transfer_ps,
                                               .end_ps = node.end_ps,
                                               .next_ps = INT64_MAX,
                                               .resource = resource_key(&node),
                                               .node = (uint32_t)i};
        }
    }
    return count;
}

static int compare_places(const void *a, const void *b)
{
    const struct tl_slice *first = a, *second = b;
    if (first->resource != second->resource) {
        return first->resource < second->resource ? -1 : 1;
    }
    if (first->start_ps != second->start_ps) {
        return first->start_ps < second->start_ps ? -1 : 1;
    }
    if (first->end_ps != second->end_ps) {
        return first->end_ps < second->end_ps ? -1 : 1;
    }
    return (first->node > second->node) - (first->node < second->node);
}

/* ---- tracks of a resource ---- */

/* A track with its last slice; a heap of them has the one that is free first on top. */
struct lane {
    int64_t end_ps;
    uint32_t number;
    size_t last;
};

static bool frees_before(const struct lane *a, const struct lane *b)
{
    return a->end_ps != b->end_ps ? a->end_ps < b->end_ps : a->number < b->number;
}

static void sift_down(struct lane *heap, size_t count)
{
    const struct lane moved = heap[0];
    size_t at = 0;
    while (2 * at + 1 < count) {
        size_t child = 2 * at + 1;
        if (child + 1 < count && frees_before(&heap[child + 1], &heap[child])) {
            child++;
        }
        if (!frees_before(&heap[child], &moved)) {
            break;
        }
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = moved;
}

static void sift_up(struct lane *heap, size_t at)
{
    const struct lane moved = heap[at];
    while (at > 0 && frees_before(&moved, &heap[(at - 1) / 2])) {
        heap[at] = heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    heap[at] = moved;
}

/* Gives each slice of a resource its track; returns how many there are. `heap` has room for as many
 * as there are slices. */
static uint32_t assign_lanes(struct tl_slice *slice, size_t count, struct lane *heap)
{
    size_t lanes = 0;
    for (size_t i = 0; i < count; i++) {
        if (lanes != 0 && heap[0].end_ps <= slice[i].start_ps) {
            slice[heap[0].last].next_ps = slice[i].start_ps;
            slice[i].lane = heap[0].number;
            heap[0].end_ps = slice[i].end_ps;
            heap[0].last = i;
            sift_down(heap, lanes);
        } else {
            slice[i].lane = (uint32_t)lanes;
            heap[lanes] = (struct lane){slice[i].end_ps, (uint32_t)lanes, i};
            sift_up(heap, lanes++);
        }
    }
    return (uint32_t)lanes;
}

static void format_resource(const struct timeline *timeline, uint32_t rank,
                            const struct tl_slice *slice, char *text)
{
    static const char *const names[] = {[TL_COMPUTE] = "compute",
                                        [TL_CPU] = "CPU",
                                        [TL_LOCAL_MEMORY] = "local memory",
                                        [TL_REMOTE_MEMORY] = "remote memory",
                                        [TL_RECEIVES] = "receives"};
    struct orrery_node node;
    (void)orrery_node(timeline->job, rank, slice->node, &node);
    if (tl_resource_of(slice) == TL_SENDS) {
        (void)snprintf(text, NAME_BYTES, "sends to NPU %u", (unsigned)node.peer);
    } else if (tl_resource_of(slice) != TL_COLLECTIVES) {
        (void)snprintf(text, NAME_BYTES, "%s", names[tl_resource_of(slice)]);
    } else if (node.group[0] == '\0') {
        (void)snprintf(text, NAME_BYTES, "collectives: all NPUs");
    } else {
        const bool number = node.group[strspn(node.group, "0123456789")] == '\0';
        (void)snprintf(text, NAME_BYTES, "collectives: %s%.200s", number ? "group " : "",
                       node.group);
    }
}

void orr_timeline_names(struct timeline *timeline, uint32_t rank, const uint32_t *tid,
                        const char *name)
{
    struct orr_stream *stream = &timeline->stream;
    for (int sort = 0; sort < 2; sort++) {
        orr_timeline_event(timeline, tid == NULL
                                         ? (sort != 0 ? "process_sort_index" : "process_name")
                                         : (sort != 0 ? "thread_sort_index" : "thread_name"));
        orr_stream_put(stream, ",\"ph\":\"M\",\"pid\":");
        orr_stream_number(stream, rank);
        if (tid != NULL) {
            orr_stream_put(stream, ",\"tid\":");
            orr_stream_number(stream, *tid);
        }
        if (sort != 0) {
            orr_stream_put(stream, ",\"args\":{\"sort_index\":");
            orr_stream_number(stream, tid != NULL ? *tid : rank);
        } else {
            orr_stream_put(stream, ",\"args\":{\"name\":");
            orr_stream_text(stream, name);
        }
        orr_stream_put(stream, "}}");
    }
}

static void name_tracks(struct timeline *timeline, uint32_t rank, const struct tl_slice *slice,
                        uint32_t lanes)
{
    char name[NAME_BYTES], numbered[NAME_BYTES + TEXT];
    format_resource(timeline, rank, slice, name);
    for (uint32_t lane = 0; lane < lanes; lane++) {
        const uint32_t tid = timeline->next_track + lane;
        (void)snprintf(numbered, sizeof numbered, "%s %u", name, (unsigned)(lane + 1));
        orr_timeline_names(timeline, rank, &tid, lane == 0 ? name : numbered);
    }
}

static bool keep_end(struct timeline *timeline, uint32_t rank, uint32_t track,
                     const struct tl_slice *slice)
{
    if (tl_resource_of(slice) != TL_SENDS && tl_resource_of(slice) != TL_RECEIVES) {
        return true;
    }
    struct orrery_node node;
    (void)orrery_node(timeline->job, rank, slice->node, &node);
    const int64_t drawn = orr_timeline_drawn_ps(slice->transfer_ps, slice->end_ps, slice->next_ps);
    const struct tl_end end = {.start_ps = slice->start_ps,
                               .end_ps = slice->transfer_ps + drawn,
                               .rank = rank,
                               .track = track,
                               .node = slice->node};
    return orr_timeline_add_end(timeline, &node, &end);
}

/* The tracks of the resource of the first slice; returns how many slices it has, 0 when memory is
 * out. */
static size_t write_resource(struct timeline *timeline, uint32_t rank, struct tl_slice *slice,
                             size_t count, struct lane *heap)
{
    size_t of_resource = 1;
    while (of_resource < count && slice[of_resource].resource == slice[0].resource) {
        of_resource++;
    }
    const uint32_t lanes = assign_lanes(slice, of_resource, heap);
    name_tracks(timeline, rank, slice, lanes);
    for (size_t i = 0; i < of_resource; i++) {
        const uint32_t track = timeline->next_track + slice[i].lane;
        orr_timeline_write_slice(timeline, rank, track, &slice[i]);
        if (timeline->track_of != NULL) {
            timeline->track_of[slice[i].node] = track;
        }
        if (!keep_end(timeline, rank, track, &slice[i])) {
            return 0;
        }
    }
    timeline->next_track += lanes;
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

/* Local memory in use, where the platform tracks it. */
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

static bool write_slices(struct timeline *timeline, uint32_t rank, struct tl_slice *slice,
                         size_t count, struct lane *heap)
{
    const size_t nodes = orrery_nodes(timeline->job, rank);
    const bool parts = orrery_prefixes(timeline->job, rank) != 0;
    timeline->track_of = parts ? orr_heap_calloc(nodes, sizeof *timeline->track_of) : NULL;
    bool ok = !parts || timeline->track_of != NULL;
    for (size_t first = 0, of_one; ok && first < count; first += of_one) {
        of_one = write_resource(timeline, rank, &slice[first], count - first, heap);
        ok = of_one != 0;
    }
    if (ok && parts) {
        orr_timeline_write_parts(timeline, rank);
    }
    orr_heap_free(timeline->track_of);
    timeline->track_of = NULL;
    return ok;
}

bool orr_timeline_write_npu(struct timeline *timeline, uint32_t rank)
{
    const size_t nodes = orrery_nodes(timeline->job, rank) + 1;
    struct tl_slice *slice = orr_heap_calloc(nodes, sizeof *slice);
    struct tl_part *part = orr_heap_calloc(nodes, 2 * sizeof *part);
    int64_t *scratch = orr_heap_calloc(nodes, 8 * sizeof *scratch);
    _Static_assert(sizeof(struct lane) <= 8 * sizeof *scratch, "room for a heap of lanes");
    bool ok = slice != NULL && part != NULL && scratch != NULL;
    if (ok) {
        name_npu(timeline, rank);
        const size_t count = collect(timeline, rank, slice);
        orr_timeline_expose(slice, count, part, scratch);
        qsort(slice, count, sizeof *slice, compare_places);
        ok = write_slices(timeline, rank, slice, count, (void *)scratch);
        orr_timeline_write_chunks(timeline, rank);
        write_memory(timeline, rank);
    }
    orr_heap_free(slice);
    orr_heap_free(part);
    orr_heap_free(scratch);
    return ok;
}
