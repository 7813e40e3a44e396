/* Track assignment by interval partitioning.
 *
 * Slices on a track must not overlap. So the slices of a resource, in the order of their starts,
 * each go to the first free track, and to a new one if all are busy: as few tracks as slices
 * overlap. An NPU has at most TL_MAX_TRACKS. If its resources alone exceed that, all peers are
 * merged into one resource, then all groups. Then each resource has one track, and the rest are
 * dealt out in turn to resources that need more. A slice that finds no free track is merged with
 * the slice that ends first. */
#include <stdlib.h>

#include "core/arena.h"
#include "core/diag.h"
#include "report/timeline/timeline_private.h"

static int compare_slices(const void *a, const void *b)
{
    const struct tl_slice *first = a, *second = b;
    if (first->resource != second->resource) {
        return first->resource < second->resource ? -1 : 1;
    }
    if (tl_drawn_from(first) != tl_drawn_from(second)) {
        return tl_drawn_from(first) < tl_drawn_from(second) ? -1 : 1;
    }
    if (first->end_ps != second->end_ps) {
        return first->end_ps < second->end_ps ? -1 : 1;
    }
    return (first->node > second->node) - (first->node < second->node);
}

static void sort(const struct tl_slices *slices)
{
    if (slices->count != 0) {
        qsort(slices->item, slices->count, sizeof *slices->item, compare_slices);
    }
}

bool orr_timeline_add_slice(struct tl_slices *slices, const struct tl_slice *slice)
{
    if (!orr_heap_reserve(&slices->item, &slices->capacity, slices->count + 1,
                          sizeof *slices->item)) {
        return false;
    }
    slices->item[slices->count++] = *slice;
    return true;
}

/* ---- tracks of a resource ---- */

/* A track: when it becomes free, and the first and the last slice of the merged slice on it. */
struct subtrack {
    int64_t end_ps;
    size_t first, last;
};

/* The first free track; else the one that becomes free first. */
static uint32_t find_subtrack(const struct subtrack *subtrack, uint32_t subtracks, int64_t start_ps)
{
    uint32_t best = 0;
    for (uint32_t i = 0; i < subtracks; i++) {
        if (subtrack[i].end_ps <= start_ps) {
            return i;
        }
        best = subtrack[i].end_ps < subtrack[best].end_ps ? i : best;
    }
    return best;
}

static void join(struct tl_slice *slice, struct subtrack *subtrack, size_t i)
{
    slice[i].joined = true;
    slice[subtrack->last].more = (uint32_t)(i - subtrack->last);
    subtrack->last = i;
    subtrack->end_ps = slice[i].end_ps > subtrack->end_ps ? slice[i].end_ps : subtrack->end_ps;
}

/* Assigns each slice of a resource a track, of at most `max`; returns the number of tracks. */
static uint32_t assign_subtracks(struct tl_slice *slice, size_t count, uint32_t max)
{
    struct subtrack subtrack[TL_MAX_TRACKS];
    uint32_t subtracks = 0;
    for (size_t i = 0; i < count; i++) {
        const int64_t start = tl_drawn_from(&slice[i]);
        uint32_t to = find_subtrack(subtrack, subtracks, start);
        const bool is_free = to < subtracks && subtrack[to].end_ps <= start;
        slice[i].more = 0;
        slice[i].joined = false;
        slice[i].next_ps = INT64_MAX;
        to = !is_free && subtracks < max ? subtracks : to;
        slice[i].subtrack = to;
        if (!is_free && subtracks == max) {
            join(slice, &subtrack[to], i);
            continue;
        }
        if (is_free) {
            slice[subtrack[to].first].next_ps = start;
        }
        subtracks += to == subtracks;
        subtrack[to] = (struct subtrack){.end_ps = slice[i].end_ps, .first = i, .last = i};
    }
    return subtracks;
}

/* ---- all resources */

/* End of the resource that begins at `first`. */
static size_t resource_end(const struct tl_slices *slices, size_t first)
{
    size_t end = first;
    while (end < slices->count && slices->item[end].resource == slices->item[first].resource) {
        end++;
    }
    return end;
}

static size_t count_resources(const struct tl_slices *slices)
{
    size_t count = 0;
    for (size_t first = 0; first < slices->count; first = resource_end(slices, first)) {
        count++;
    }
    return count;
}

/* Merges peers or groups, kind by kind, until there are few enough resources. */
static void merge_resources(struct tl_slices *slices)
{
    static const enum tl_resource order[] = {TL_SENDS, TL_CHUNKS, TL_COLLECTIVES};
    for (size_t k = 0; k < sizeof order / sizeof *order && count_resources(slices) > TL_MAX_TRACKS;
         k++) {
        for (size_t i = 0; i < slices->count; i++) {
            if (tl_resource_of(&slices->item[i]) == order[k]) {
                slices->item[i].resource = (uint64_t)order[k] << 32 | TL_ALL;
            }
        }
        sort(slices);
    }
}

/* Divides the tracks among the resources, given how many each needs. */
static void share_subtracks(const uint32_t *need, size_t resources, uint32_t *has)
{
    size_t left = TL_MAX_TRACKS - resources;
    bool given = true;
    for (size_t r = 0; r < resources; r++) {
        has[r] = 1;
    }
    while (given) {
        given = false;
        for (size_t r = 0; r < resources && left > 0; r++) {
            if (has[r] < need[r]) {
                has[r]++;
                left--;
                given = true;
            }
        }
    }
}

void orr_timeline_assign_tracks(struct tl_slices *slices)
{
    uint32_t need[TL_MAX_TRACKS], has[TL_MAX_TRACKS], sum = 0;
    size_t resources = 0;
    sort(slices);
    merge_resources(slices);
    for (size_t first = 0, end; first < slices->count; first = end) {
        end = resource_end(slices, first);
        ORR_ASSERT(resources < TL_MAX_TRACKS);
        need[resources] = assign_subtracks(&slices->item[first], end - first, TL_MAX_TRACKS);
        sum += need[resources++];
    }
    if (sum <= TL_MAX_TRACKS) {
        return;
    }
    share_subtracks(need, resources, has);
    resources = 0;
    for (size_t first = 0, end; first < slices->count; first = end) {
        end = resource_end(slices, first);
        (void)assign_subtracks(&slices->item[first], end - first, has[resources++]);
    }
}
