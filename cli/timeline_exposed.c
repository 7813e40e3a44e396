/* Exposed time of the slices of an NPU, as in the summary of a run: an instant belongs to the first
 * activity of (compute, local memory, remote memory, communication) that the NPU is at, and within
 * it to the node that started first. */
#include <stdlib.h>

#include "cli/timeline_private.h"

static unsigned activity_of(const struct tl_slice *slice)
{
    switch (tl_resource_of(slice)) {
    case TL_COMPUTE:
    case TL_CPU:
        return 0;
    case TL_LOCAL_MEMORY:
        return 1;
    case TL_REMOTE_MEMORY:
        return 2;
    default:
        return 3;
    }
}

static int compare_activities(const void *a, const void *b)
{
    const struct tl_slice *first = a, *second = b;
    const unsigned activity = activity_of(first), other = activity_of(second);
    if (activity != other) {
        return activity < other ? -1 : 1;
    }
    if (first->start_ps != second->start_ps) {
        return first->start_ps < second->start_ps ? -1 : 1;
    }
    return (first->node > second->node) - (first->node < second->node);
}

/* Disjoint intervals, ascending: start, end, start, end, ... */
struct cover {
    int64_t *edge;
    size_t edges;
};

/* How much of [start, end) is not covered; *at moves behind what is over. */
static int64_t uncovered(const struct cover *cover, int64_t start, int64_t end, size_t *at)
{
    while (*at < cover->edges && cover->edge[*at + 1] <= start) {
        *at += 2;
    }
    int64_t left = end - start;
    for (size_t i = *at; i < cover->edges && cover->edge[i] < end; i += 2) {
        const int64_t from = cover->edge[i] > start ? cover->edge[i] : start;
        const int64_t to = cover->edge[i + 1] < end ? cover->edge[i + 1] : end;
        left -= to - from;
    }
    return left;
}

static void add_interval(struct cover *cover, int64_t start, int64_t end)
{
    if (cover->edges != 0 && start <= cover->edge[cover->edges - 1]) {
        if (end > cover->edge[cover->edges - 1]) {
            cover->edge[cover->edges - 1] = end;
        }
        return;
    }
    cover->edge[cover->edges++] = start;
    cover->edge[cover->edges++] = end;
}

/* Joins slices in the order of their starts with what is covered, into `joined`. */
static void join(const struct cover *cover, const struct tl_slice *slice, size_t count,
                 struct cover *joined)
{
    size_t old = 0, next = 0;
    joined->edges = 0;
    while (old < cover->edges || next < count) {
        if (next == count || (old < cover->edges && cover->edge[old] <= slice[next].start_ps)) {
            add_interval(joined, cover->edge[old], cover->edge[old + 1]);
            old += 2;
        } else {
            add_interval(joined, slice[next].start_ps, slice[next].end_ps);
            next++;
        }
    }
}

void tl_expose(struct tl_slice *slice, size_t count, int64_t *scratch)
{
    struct cover cover = {.edge = scratch}, joined = {.edge = scratch + 2 * count};
    qsort(slice, count, sizeof *slice, compare_activities);
    for (size_t first = 0, last; first < count; first = last) {
        size_t at = 0;
        int64_t reached = -1;
        for (last = first; last < count && activity_of(&slice[last]) == activity_of(&slice[first]);
             last++) {
            struct tl_slice *of = &slice[last];
            const int64_t start = of->start_ps > reached ? of->start_ps : reached;
            if (of->end_ps > start) {
                of->exposed_ps = uncovered(&cover, start, of->end_ps, &at);
                reached = of->end_ps;
            }
        }
        join(&cover, &slice[first], last - first, &joined);
        const struct cover swap = cover;
        cover = joined;
        joined = swap;
    }
}
