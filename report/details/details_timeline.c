/* The digest of a timeline: one NPU of each class, a few tracks for each of its resources, at most
 * MAX_SLICES slices in all.
 *
 * The nodes of a resource, in the order of their starts, go to the first free track of at most
 * SUBTRACKS; if all are busy the node is merged into the last slice of the last track. If there are
 * too many slices, slices of a track that lie within a resolution of each other are merged; the
 * resolution doubles until there are few enough. A merged slice has the number of its nodes and the
 * name of the longest. No node is lost: counts add up to all nodes that ran. Waiting is drawn only
 * where the NPU does nothing else, as results count it. */
#include <stdlib.h>
#include <string.h>

#include "core/arena.h"
#include "orrery/orrery.h"
#include "report/details/details_parts.h"
#include "report/json_text.h"
#include "sim/time_classes.h"

enum { MAX_NPUS = 48, MAX_SLICES = 40000, SUBTRACKS = 3, FIRST_STEPS = 1 << 16, RANKS_BYTES = 64 };

enum resource { COMPUTE, CPU, LOCAL, REMOTE, COLLECTIVES, MESSAGES, WAITING, RESOURCES };

static const char *const resource_names[RESOURCES] = {
    "compute", "CPU", "local memory", "remote memory", "collectives", "messages", "waiting"};

struct slice {
    int64_t start_ps, end_ps, longest_ps;
    uint32_t node;    /* of the longest */
    uint32_t count;   /* nodes */
    uint8_t subtrack; /* resource * SUBTRACKS + track of the resource */
};

struct npu {
    uint32_t rank;
    struct slice *slice;
    size_t slices;
};

struct digest {
    const struct orrery *job;
    struct orr_classes classes;
    struct npu npu[MAX_NPUS];
    uint32_t npus;
    int64_t resolution_ps;      /* slices closer than this are merged */
    json_t *names, *name_index; /* list; name -> its index */
};

static enum resource resource_of(const struct orrery_node *node)
{
    switch (node->kind) {
    case ORRERY_NODE_COMPUTE:
        return COMPUTE;
    case ORRERY_NODE_CPU:
        return CPU;
    case ORRERY_NODE_COLLECTIVE:
        return COLLECTIVES;
    case ORRERY_NODE_SEND:
    case ORRERY_NODE_RECEIVE:
        return MESSAGES;
    default:
        return node->remote ? REMOTE : LOCAL;
    }
}

/* ---- slices of an NPU ---- */

static void add_slice(struct npu *npu, enum resource resource, int64_t start, int64_t end,
                      uint32_t node)
{
    if (end > start) {
        npu->slice[npu->slices++] = (struct slice){.start_ps = start,
                                                   .end_ps = end,
                                                   .longest_ps = end - start,
                                                   .node = node,
                                                   .count = 1,
                                                   .subtrack = (uint8_t)(resource * SUBTRACKS)};
    }
}

static int by_start(const void *a, const void *b)
{
    const struct slice *first = a, *second = b;
    if (first->start_ps != second->start_ps) {
        return first->start_ps < second->start_ps ? -1 : 1;
    }
    return (first->node > second->node) - (first->node < second->node);
}

static int by_subtrack(const void *a, const void *b)
{
    const struct slice *first = a, *second = b;
    return first->subtrack != second->subtrack ? (first->subtrack < second->subtrack ? -1 : 1)
                                               : by_start(a, b);
}

/* Index after the last slice of the track whose slices begin at `first`. */
static size_t subtrack_end(const struct npu *npu, size_t first)
{
    size_t end = first;
    while (end < npu->slices && npu->slice[end].subtrack == npu->slice[first].subtrack) {
        end++;
    }
    return end;
}

static void join(struct slice *into, const struct slice *from)
{
    into->end_ps = from->end_ps > into->end_ps ? from->end_ps : into->end_ps;
    into->count += from->count;
    if (from->longest_ps > into->longest_ps) {
        into->longest_ps = from->longest_ps;
        into->node = from->node;
    }
}

/* Assigns the slices of a resource to its tracks, in place; returns the number of slices that are
 * left. */
static size_t place_on_subtracks(struct slice *slice, size_t count, struct slice *out)
{
    size_t last[SUBTRACKS], subtracks = 0, made = 0;
    for (size_t i = 0; i < count; i++) {
        size_t subtrack = 0;
        while (subtrack < subtracks && out[last[subtrack]].end_ps > slice[i].start_ps) {
            subtrack++;
        }
        if (subtrack == SUBTRACKS) {
            join(&out[last[SUBTRACKS - 1]], &slice[i]);
            continue;
        }
        subtracks = subtrack == subtracks ? subtracks + 1 : subtracks;
        last[subtrack] = made;
        out[made] = slice[i];
        out[made++].subtrack = (uint8_t)(slice[i].subtrack + subtrack);
    }
    return made;
}

/* ---- waiting ---- */

/* Subtracts from the waits (sorted by start) the busy slices of the NPU (sorted by start) and the
 * waits before them. The remaining pieces go to the NPU; their sum is the waiting time of the
 * results. */
static void add_waits(struct npu *npu, const struct slice *busy, size_t count,
                      const struct slice *wait, size_t waits)
{
    int64_t reached = INT64_MIN, busy_until = INT64_MIN;
    size_t next = 0;
    for (size_t i = 0; i < waits; i++) {
        int64_t at = wait[i].start_ps > reached ? wait[i].start_ps : reached;
        while (at < wait[i].end_ps) {
            while (next < count && busy[next].start_ps <= at) {
                busy_until = busy[next].end_ps > busy_until ? busy[next].end_ps : busy_until;
                next++;
            }
            const int64_t free_until = next < count && busy[next].start_ps < wait[i].end_ps
                                           ? busy[next].start_ps
                                           : wait[i].end_ps;
            if (busy_until > at) {
                at = busy_until;
            } else {
                add_slice(npu, WAITING, at, free_until, wait[i].node);
                at = free_until;
            }
        }
        reached = at > reached ? at : reached;
    }
}

/* ---- an NPU ---- */

/* Writes the activities of the nodes to `busy`, which is then the NPU's own list, and their waiting
 * to `wait`; of a receive only its arrival counts, because it is posted long before. Returns the
 * number of waits. */
static size_t collect(struct digest *digest, struct npu *npu, struct slice *wait)
{
    const size_t nodes = orrery_nodes(digest->job, npu->rank);
    size_t waits = 0;
    for (size_t i = 0; i < nodes; i++) {
        struct orrery_node node;
        (void)orrery_node(digest->job, npu->rank, i, &node);
        if (node.ran && node.kind != ORRERY_NODE_OTHER) {
            add_slice(npu, resource_of(&node), node.transfer_ps, node.end_ps, (uint32_t)i);
            if (node.transfer_ps > node.start_ps) {
                wait[waits++] = (struct slice){
                    .start_ps = node.start_ps, .end_ps = node.transfer_ps, .node = (uint32_t)i};
            }
        }
    }
    return waits;
}

static void assign_subtracks(struct npu *npu)
{
    size_t made = 0;
    qsort(npu->slice, npu->slices, sizeof *npu->slice, by_subtrack);
    for (size_t first = 0, end; first < npu->slices; first = end) {
        end = subtrack_end(npu, first);
        made += place_on_subtracks(npu->slice + first, end - first, npu->slice + made);
    }
    npu->slices = made;
    qsort(npu->slice, npu->slices, sizeof *npu->slice, by_subtrack);
}

/* Merges slices of a track that lie within the resolution. */
static void coarsen(struct npu *npu, int64_t resolution_ps)
{
    size_t made = 0;
    for (size_t i = 0; i < npu->slices; i++) {
        struct slice *before = made != 0 ? &npu->slice[made - 1] : NULL;
        const struct slice *slice = &npu->slice[i];
        if (before != NULL && before->subtrack == slice->subtrack &&
            slice->end_ps - before->start_ps <= resolution_ps) {
            join(before, slice);
        } else {
            npu->slice[made++] = *slice;
        }
    }
    npu->slices = made;
}

/* Returns the memory that merging has freed; a failure does no harm. */
static void shrink(struct npu *npu)
{
    struct slice *kept = orr_heap_realloc(npu->slice, (npu->slices + 1) * sizeof *kept);
    npu->slice = kept != NULL ? kept : npu->slice;
}

/* False when memory is out. */
static bool add_npu(struct digest *digest, uint32_t rank)
{
    const size_t nodes = orrery_nodes(digest->job, rank);
    struct npu *npu = &digest->npu[digest->npus++];
    /* There are at most as many pieces of waiting as waits and busy slices. */
    npu->slice = orr_heap_calloc(3 * nodes + 1, sizeof *npu->slice);
    struct slice *wait = orr_heap_calloc(2 * nodes + 1, sizeof *wait);
    const bool good = npu->slice != NULL && wait != NULL;
    npu->rank = rank;
    if (good) {
        struct slice *busy = wait + nodes;
        const size_t waits = collect(digest, npu, wait), count = npu->slices;
        memcpy(busy, npu->slice, count * sizeof *busy);
        qsort(wait, waits, sizeof *wait, by_start);
        qsort(busy, count, sizeof *busy, by_start);
        add_waits(npu, busy, count, wait, waits);
        assign_subtracks(npu);
        coarsen(npu, digest->resolution_ps);
        shrink(npu);
    }
    orr_heap_free(wait);
    return good;
}

static size_t all_slices(const struct digest *digest)
{
    size_t slices = 0;
    for (uint32_t i = 0; i < digest->npus; i++) {
        slices += digest->npu[i].slices;
    }
    return slices;
}

/* ---- JSON ---- */

static json_t *index_of_name(struct digest *digest, const struct npu *npu, const struct slice *of)
{
    struct orrery_node node;
    (void)orrery_node(digest->job, npu->rank, of->node, &node);
    json_t *text = orr_json_text(node.name[0] != '\0'      ? node.name
                                 : node.collective != NULL ? node.collective
                                                           : "");
    json_t *index = json_object_get(digest->name_index, json_string_value(text));
    if (index == NULL) {
        index = json_integer((json_int_t)json_array_size(digest->names));
        (void)json_object_set_new(digest->name_index, json_string_value(text), index);
        (void)json_array_append(digest->names, text);
    }
    json_decref(text);
    return index;
}

/* Start, duration, name and nodes of each slice, as one flat list. */
static json_t *track_object(struct digest *digest, const struct npu *npu, size_t first, size_t end)
{
    json_t *track = json_object(), *list = json_array();
    for (size_t i = first; i < end; i++) {
        const struct slice *slice = &npu->slice[i];
        (void)json_array_append_new(list, json_integer(slice->start_ps));
        (void)json_array_append_new(list, json_integer(slice->end_ps - slice->start_ps));
        (void)json_array_append(list, index_of_name(digest, npu, slice));
        (void)json_array_append_new(list, json_integer(slice->count));
    }
    (void)json_object_set_new(track, "resource",
                              json_string(resource_names[npu->slice[first].subtrack / SUBTRACKS]));
    (void)json_object_set_new(track, "slices", list);
    return track;
}

static json_t *npu_object(struct digest *digest, const struct npu *npu,
                          const struct orr_class *class)
{
    char ranks[RANKS_BYTES];
    json_t *object = json_object(), *tracks = json_array();
    (void)orr_format_ranks(class->rank, class->members, ranks, sizeof ranks);
    (void)json_object_set_new(object, "rank", json_integer(npu->rank));
    (void)json_object_set_new(object, "ranks", json_string(ranks));
    (void)json_object_set_new(object, "count", json_integer(class->members));
    for (size_t first = 0, end; first < npu->slices; first = end) {
        end = subtrack_end(npu, first);
        (void)json_array_append_new(tracks, track_object(digest, npu, first, end));
    }
    (void)json_object_set_new(object, "tracks", tracks);
    return object;
}

static json_t *timeline_object(struct digest *digest)
{
    json_t *object = json_object(), *npus = json_array();
    for (uint32_t i = 0; i < digest->npus; i++) {
        (void)json_array_append_new(npus,
                                    npu_object(digest, &digest->npu[i], &digest->classes.item[i]));
    }
    (void)json_object_set_new(object, "npus", npus);
    (void)json_object_set(object, "names", digest->names);
    (void)json_object_set_new(object, "joined_within_ps", json_integer(digest->resolution_ps));
    (void)json_object_set_new(object, "classes", json_integer(digest->classes.count));
    return object;
}

/* Coarsens after each NPU, so that the memory never exceeds the limit by more than one NPU. */
static bool add_classes(struct digest *digest)
{
    for (uint32_t c = 0; c < digest->classes.count && c < MAX_NPUS; c++) {
        if (!add_npu(digest, digest->classes.item[c].rank[0])) {
            return false;
        }
        while (all_slices(digest) > MAX_SLICES) {
            digest->resolution_ps = digest->resolution_ps == 0
                                        ? orrery_wall_ps(digest->job) / FIRST_STEPS + 1
                                        : 2 * digest->resolution_ps;
            for (uint32_t i = 0; i < digest->npus; i++) {
                coarsen(&digest->npu[i], digest->resolution_ps);
            }
        }
    }
    return true;
}

void orr_details_timeline(const struct orr_parts *parts, const struct orr_details *of)
{
    struct digest *digest = orr_heap_calloc(1, sizeof *digest);
    if (digest == NULL || !orr_classes_init(&digest->classes, of->job)) {
        orr_heap_free(digest);
        orr_part_missing(parts, "timeline", "memory is out");
        return;
    }
    digest->job = of->job;
    digest->names = json_array();
    digest->name_index = json_object();
    if (add_classes(digest) && all_slices(digest) != 0) {
        (void)json_object_set_new(parts->details, "timeline", timeline_object(digest));
    } else {
        orr_part_missing(parts, "timeline", "no node ran, or memory is out");
    }
    for (uint32_t i = 0; i < digest->npus; i++) {
        orr_heap_free(digest->npu[i].slice);
    }
    json_decref(digest->names);
    json_decref(digest->name_index);
    orr_classes_fini(&digest->classes);
    orr_heap_free(digest);
}
