/* Exposed time of the slices of an NPU, as in the summary of a run: an instant belongs to the first
 * of the NPU's activities in the order (compute, CPU, local memory, remote memory, communication,
 * waiting), and within an activity to the node that started it first. */
#include <stdlib.h>

#include "report/timeline/timeline_private.h"

enum { WAITING = 5 };

static unsigned activity_of(const struct tl_slice *slice)
{
    switch (tl_resource_of(slice)) {
    case TL_COMPUTE:
        return 0;
    case TL_CPU:
        return 1;
    case TL_LOCAL_MEMORY:
        return 2;
    case TL_REMOTE_MEMORY:
        return 3;
    default:
        return 4;
    }
}

static int compare_parts(const void *a, const void *b)
{
    const struct tl_part *first = a, *second = b;
    if (first->activity != second->activity) {
        return first->activity < second->activity ? -1 : 1;
    }
    if (first->start_ps != second->start_ps) {
        return first->start_ps < second->start_ps ? -1 : 1;
    }
    return (first->node > second->node) - (first->node < second->node);
}

/* Lists the parts in the order in which they are exposed; returns their number. */
static size_t list_parts(const struct tl_slice *slice, size_t count, struct tl_part *part)
{
    size_t parts = 0;
    for (size_t i = 0; i < count; i++) {
        part[parts++] = (struct tl_part){.start_ps = slice[i].transfer_ps,
                                         .end_ps = slice[i].end_ps,
                                         .slice = i,
                                         .node = slice[i].node,
                                         .activity = activity_of(&slice[i])};
        if (slice[i].transfer_ps > slice[i].start_ps) {
            part[parts++] = (struct tl_part){.start_ps = slice[i].start_ps,
                                             .end_ps = slice[i].transfer_ps,
                                             .slice = i,
                                             .node = slice[i].node,
                                             .activity = WAITING};
        }
    }
    qsort(part, parts, sizeof *part, compare_parts);
    return parts;
}

/* Disjoint intervals, ascending: start, end, start, end, ... */
struct cover {
    int64_t *edge;
    size_t edges;
};

/* The part of [start, end) that is not covered, in ps; *at moves past intervals that have ended. */
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

/* Merges parts, sorted by start, with the covered intervals, into `joined`. */
static void join(const struct cover *cover, const struct tl_part *part, size_t count,
                 struct cover *joined)
{
    size_t old = 0, next = 0;
    joined->edges = 0;
    while (old < cover->edges || next < count) {
        if (next == count || (old < cover->edges && cover->edge[old] <= part[next].start_ps)) {
            add_interval(joined, cover->edge[old], cover->edge[old + 1]);
            old += 2;
        } else {
            add_interval(joined, part[next].start_ps, part[next].end_ps);
            next++;
        }
    }
}

static bool add_wait(struct tl_slices *slices, uint32_t node, int64_t start, int64_t end)
{
    const struct tl_slice wait = {.start_ps = start,
                                  .transfer_ps = start,
                                  .end_ps = end,
                                  .exposed_waiting_ps = end - start,
                                  .next_ps = INT64_MAX,
                                  .resource = (uint64_t)TL_WAITING << 32,
                                  .node = node};
    return start >= end || orr_timeline_add_slice(slices, &wait);
}

/* Adds the uncovered parts of [start, end) as slices; intervals before `at` do not matter. */
static bool add_waits(struct tl_slices *slices, uint32_t node, const struct cover *cover, size_t at,
                      int64_t start, int64_t end)
{
    bool ok = true;
    for (size_t i = at; ok && i < cover->edges && cover->edge[i] < end; i += 2) {
        ok = add_wait(slices, node, start, cover->edge[i]);
        start = cover->edge[i + 1] > start ? cover->edge[i + 1] : start;
    }
    return ok && add_wait(slices, node, start, end);
}

/* Exposes the parts of an activity, given the intervals that the activities before it cover. */
static bool expose_activity(struct tl_slices *slices, const struct tl_part *part, size_t count,
                            const struct cover *cover)
{
    size_t at = 0;
    int64_t reached = -1;
    bool ok = true;
    for (size_t i = 0; ok && i < count; i++) {
        const int64_t start = part[i].start_ps > reached ? part[i].start_ps : reached;
        if (part[i].end_ps > start) {
            struct tl_slice *of = &slices->item[part[i].slice];
            const bool waits = part[i].activity == WAITING;
            *(waits ? &of->exposed_waiting_ps : &of->exposed_ps) =
                uncovered(cover, start, part[i].end_ps, &at);
            ok = !waits || !tl_is_message(of) ||
                 add_waits(slices, part[i].node, cover, at, start, part[i].end_ps);
            reached = part[i].end_ps;
        }
    }
    return ok;
}

bool orr_timeline_expose(struct tl_slices *slices, struct tl_part *part, int64_t *scratch)
{
    const size_t count = slices->count;
    const size_t parts = list_parts(slices->item, count, part);
    bool ok = true;
    struct cover cover = {.edge = scratch}, joined = {.edge = scratch + 4 * count};
    for (size_t first = 0, last; ok && first < parts; first = last) {
        for (last = first; last < parts && part[last].activity == part[first].activity;) {
            last++;
        }
        ok = expose_activity(slices, &part[first], last - first, &cover);
        join(&cover, &part[first], last - first, &joined);
        const struct cover swap = cover;
        cover = joined;
        joined = swap;
    }
    return ok;
}
