/* Weighted max-min fair shares; the maths stands in maxmin.h. */
#include "network/maxmin_private.h"

#include <math.h>

/* Levels and sums that differ by less are the same: far above rounding, far below a picosecond. */
#define SAME 1e-9

/* ---- changes ---- */

/* The flow's bottleneck holds it no longer. */
static void let_go(struct maxmin *problem, struct flow *flow)
{
    if (flow->bottleneck != MAXMIN_NONE) {
        problem->link[flow->bottleneck].held--;
        flow->bottleneck = MAXMIN_NONE;
    }
}

static void touch_path(struct maxmin *problem, const struct flow *flow)
{
    for (uint32_t h = 0; h < flow->hops; h++) {
        problem->failed |= !push(&problem->dirty_links, flow->path[h]);
    }
}

uint32_t maxmin_add(struct maxmin *problem, const uint32_t *path, uint32_t hops, double weight,
                    double bound)
{
    const uint32_t handle = maxmin_handle(problem, hops);
    if (handle == MAXMIN_NONE) {
        return MAXMIN_NONE;
    }
    struct flow *flow = &problem->flow[handle];
    *flow = (struct flow){.path = path,
                          .at = flow->at,
                          .hops = hops,
                          .room = flow->room,
                          .weight = weight,
                          .bound = bound,
                          .bottleneck = MAXMIN_NONE,
                          .alive = true};
    for (uint32_t h = 0; h < hops; h++) {
        struct link *link = &problem->link[path[h]];
        if (!maxmin_link_room(link)) {
            flow->hops = h;
            maxmin_remove(problem, handle);
            return MAXMIN_NONE;
        }
        flow->at[h] = link->count;
        link->entry[link->count++] = (struct maxmin_entry){.flow = handle, .hop = h};
    }
    touch_path(problem, flow);
    return push(&problem->new_flows, handle) ? handle : MAXMIN_NONE;
}

void maxmin_set_weight(struct maxmin *problem, uint32_t handle, double weight, double bound)
{
    struct flow *flow = &problem->flow[handle];
    flow->weight = weight;
    flow->bound = bound;
    touch_path(problem, flow);
    problem->failed |= !push(&problem->new_flows, handle);
}

void maxmin_remove(struct maxmin *problem, uint32_t handle)
{
    struct flow *flow = &problem->flow[handle];
    for (uint32_t h = 0; h < flow->hops; h++) {
        struct link *link = &problem->link[flow->path[h]];
        const struct maxmin_entry last = link->entry[--link->count];
        link->entry[flow->at[h]] = last;
        problem->flow[last.flow].at[last.hop] = flow->at[h];
        link->load = link->count == 0 ? 0 : link->load - flow->rate; /* no rounding piles up */
    }
    let_go(problem, flow);
    touch_path(problem, flow);
    flow->alive = false;
    problem->failed |= !push(&problem->unused, handle);
}

void maxmin_set_capacity(struct maxmin *problem, uint32_t link, double capacity)
{
    problem->link[link].capacity = capacity;
    problem->failed |= !push(&problem->dirty_links, link);
}

bool maxmin_dirty(const struct maxmin *problem)
{
    return problem->new_flows.count + problem->dirty_links.count != 0;
}

/* ---- the heap ---- */

static void sift_down(struct item *heap, size_t count, size_t at)
{
    const struct item moved = heap[at];
    for (size_t child = 2 * at + 1; child < count; child = 2 * at + 1) {
        if (child + 1 < count && heap[child + 1].level < heap[child].level) {
            child++;
        }
        if (heap[child].level >= moved.level) {
            break;
        }
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = moved;
}

static bool heap_room(struct maxmin *problem, size_t needed)
{
    if (needed <= problem->heap_room) {
        return true;
    }
    struct item *grown = orr_heap_realloc(problem->heap, 2 * needed * sizeof *grown);
    if (grown != NULL) {
        problem->heap = grown;
        problem->heap_room = 2 * needed;
    }
    return grown != NULL;
}

/* ---- the part that is worked on ---- */

static void touch(struct maxmin *problem, uint32_t index)
{
    struct link *link = &problem->link[index];
    if (link->seen != problem->solution) {
        link->seen = problem->solution;
        problem->failed |= !push(&problem->touched, index);
    }
}

static void join(struct maxmin *problem, uint32_t handle)
{
    struct flow *flow = &problem->flow[handle];
    if (flow->seen == problem->solution || !flow->alive) {
        return;
    }
    flow->seen = problem->solution;
    problem->failed |= !push(&problem->part, handle);
    for (uint32_t h = 0; h < flow->hops; h++) {
        touch(problem, flow->path[h]);
    }
}

static void begin(struct maxmin *problem)
{
    if (++problem->solution == 0) { /* after 2^32 solutions all marks are old */
        for (size_t i = 0; i < problem->flows; i++) {
            problem->flow[i].seen = 0;
        }
        for (uint32_t i = 0; i < problem->links; i++) {
            problem->link[i].seen = 0;
        }
        problem->solution = 1;
    }
    problem->part.count = problem->touched.count = 0;
    for (size_t i = 0; i < problem->new_flows.count; i++) {
        join(problem, problem->new_flows.item[i]);
    }
    for (size_t i = 0; i < problem->dirty_links.count; i++) {
        touch(problem, problem->dirty_links.item[i]);
    }
    problem->new_flows.count = problem->dirty_links.count = 0;
    for (size_t i = 0, direct = problem->touched.count; i < direct; i++) {
        const uint32_t index = problem->touched.item[i];
        const struct link *link = &problem->link[index];
        for (uint32_t e = 0; e < link->count && link->held != 0; e++) {
            if (problem->flow[link->entry[e].flow].bottleneck == index) {
                join(problem, link->entry[e].flow);
            }
        }
    }
}

/* ---- progressive filling of the part ---- */

/* Takes the flow of S from its links, whose load is then that of the flows outside of S. */
static void lift(struct maxmin *problem, struct flow *flow)
{
    let_go(problem, flow);
    flow->filled = false;
    for (uint32_t h = 0; h < flow->hops; h++) {
        struct link *link = &problem->link[flow->path[h]];
        link->load -= flow->rate;
        link->weights += flow->weight;
        link->rising++;
    }
}

static void prepare_flows(struct maxmin *problem)
{
    for (size_t i = 0; i < problem->part.count; i++) {
        const uint32_t handle = problem->part.item[i];
        struct flow *flow = &problem->flow[handle];
        lift(problem, flow);
        if (flow->bound < INFINITY) {
            problem->heap[problem->heap_count++] =
                (struct item){.level = flow->bound / flow->weight, .what = problem->links + handle};
        }
    }
}

static void prepare(struct maxmin *problem)
{
    problem->heap_count = 0;
    for (size_t i = 0; i < problem->touched.count; i++) {
        struct link *link = &problem->link[problem->touched.item[i]];
        link->rising = 0;
        link->weights = link->highest = 0;
        link->lowest = INFINITY;
    }
    prepare_flows(problem);
    for (size_t i = 0; i < problem->touched.count; i++) {
        struct link *link = &problem->link[problem->touched.item[i]];
        link->load = link->rising == link->count ? 0 : link->load;
        link->left = link->capacity - link->load;
        if (link->rising != 0) {
            problem->heap[problem->heap_count++] =
                (struct item){.level = link->left > 0 ? link->left / link->weights : 0,
                              .what = problem->touched.item[i]};
        }
    }
    for (size_t i = problem->heap_count / 2; i-- > 0;) {
        sift_down(problem->heap, problem->heap_count, i);
    }
}

/* The flow's level is final. */
static void stop(struct maxmin *problem, struct flow *flow, double level, uint32_t bottleneck)
{
    flow->filled = true;
    flow->level = level;
    flow->rate = bottleneck == MAXMIN_NONE ? flow->bound : flow->weight * level;
    flow->bottleneck = bottleneck;
    for (uint32_t h = 0; h < flow->hops; h++) {
        struct link *link = &problem->link[flow->path[h]];
        link->rising--;
        link->left -= flow->rate;
        link->load += flow->rate;
        link->weights -= flow->weight;
        link->highest = level > link->highest ? level : link->highest;
    }
    if (bottleneck != MAXMIN_NONE) {
        struct link *link = &problem->link[bottleneck];
        link->held++;
        link->lowest = level < link->lowest ? level : link->lowest;
    }
}

static void stop_all(struct maxmin *problem, uint32_t index, double level)
{
    const struct link *link = &problem->link[index];
    for (uint32_t e = 0; e < link->count && link->rising != 0; e++) {
        struct flow *flow = &problem->flow[link->entry[e].flow];
        if (flow->seen == problem->solution && !flow->filled) {
            stop(problem, flow, level, index);
        }
    }
}

static void fill(struct maxmin *problem)
{
    struct item *heap = problem->heap;
    while (problem->heap_count > 0) {
        const struct item least = heap[0];
        const bool is_link = least.what < problem->links;
        const struct link *link = is_link ? &problem->link[least.what] : NULL;
        if (is_link && link->rising != 0) {
            const double level = link->left > 0 ? link->left / link->weights : 0;
            if (level > least.level * (1 + SAME)) { /* others stopped below their share of it */
                heap[0].level = level;
                sift_down(heap, problem->heap_count, 0);
                continue;
            }
            stop_all(problem, least.what, level > least.level ? level : least.level);
        } else if (!is_link) {
            struct flow *flow = &problem->flow[least.what - problem->links];
            if (!flow->filled) {
                stop(problem, flow, least.level, MAXMIN_NONE);
            }
        }
        heap[0] = heap[--problem->heap_count];
        sift_down(heap, problem->heap_count, 0);
    }
}

/* ---- the condition for all others ---- */

/* Flows outside of S that the link holds although it is not full or others are above them, and,
 * where the link holds flows of S, all that are above these. */
static void check_flows(struct maxmin *problem, uint32_t index, bool full, bool over)
{
    const struct link *link = &problem->link[index];
    for (uint32_t e = 0; e < link->count; e++) {
        const struct flow *flow = &problem->flow[link->entry[e].flow];
        const bool held = flow->bottleneck == index;
        if (flow->seen != problem->solution &&
            (over || (held && (!full || link->highest > flow->level * (1 + SAME))) ||
             flow->level > link->lowest * (1 + SAME))) {
            join(problem, link->entry[e].flow);
        }
    }
}

/* Flows that a link holds have one level, and it is the highest there: most links are seen to be
 * right without a look at their flows. */
static void check_link(struct maxmin *problem, uint32_t index)
{
    const struct link *link = &problem->link[index];
    const bool full = link->left <= link->capacity * SAME;
    const bool over = link->left < -link->capacity * SAME;
    const bool holds_part = link->lowest < INFINITY;
    const bool right = !over && !holds_part &&
                       (link->held == 0 || (full && link->highest <= link->level * (1 + SAME)));
    if (!right) {
        check_flows(problem, index, full, over);
    }
}

size_t maxmin_solve(struct maxmin *problem, const uint32_t **changed)
{
    begin(problem);
    for (size_t before = SIZE_MAX; before != problem->part.count && !problem->failed;) {
        if (!heap_room(problem, problem->part.count + problem->touched.count + 1)) {
            problem->failed = true;
            break;
        }
        prepare(problem);
        fill(problem);
        before = problem->part.count;
        for (size_t i = 0, all = problem->touched.count; i < all; i++) {
            check_link(problem, problem->touched.item[i]);
        }
    }
    for (size_t i = 0; i < problem->touched.count; i++) {
        struct link *link = &problem->link[problem->touched.item[i]];
        link->level = link->lowest < INFINITY ? link->lowest : link->level;
    }
    *changed = problem->part.item;
    return problem->part.count;
}

bool maxmin_failed(const struct maxmin *problem)
{
    return problem->failed;
}

/* ---- answers ---- */

double maxmin_rate(const struct maxmin *problem, uint32_t flow)
{
    return problem->flow[flow].rate;
}

uint32_t maxmin_bottleneck(const struct maxmin *problem, uint32_t flow)
{
    return problem->flow[flow].bottleneck;
}

const struct maxmin_entry *maxmin_flows(const struct maxmin *problem, uint32_t link,
                                        uint32_t *count)
{
    *count = problem->link[link].count;
    return problem->link[link].entry;
}

double maxmin_load(const struct maxmin *problem, uint32_t link)
{
    double sum = 0;
    for (uint32_t e = 0; e < problem->link[link].count; e++) {
        sum += problem->flow[problem->link[link].entry[e].flow].rate;
    }
    return sum;
}
