/* Weighted max-min fair shares; the maths stands in maxmin.h. */
#include "network/flows/maxmin_private.h"

#include <math.h>

/* Levels and sums that differ by less are the same: far above rounding. */
#define SAME 1e-11

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

uint32_t orr_maxmin_add(struct maxmin *problem, const uint32_t *path, uint32_t hops, double weight,
                        double bound)
{
    const uint32_t handle = orr_maxmin_handle(problem, hops);
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
        if (!orr_maxmin_link_room(link)) {
            flow->hops = h;
            orr_maxmin_remove(problem, handle);
            return MAXMIN_NONE;
        }
        flow->at[h] = link->count;
        link->entry[link->count++] = (struct maxmin_entry){.flow = handle, .hop = h};
    }
    touch_path(problem, flow);
    return push(&problem->new_flows, handle) ? handle : MAXMIN_NONE;
}

void orr_maxmin_set_weight(struct maxmin *problem, uint32_t handle, double weight, double bound)
{
    struct flow *flow = &problem->flow[handle];
    flow->weight = weight;
    flow->bound = bound;
    touch_path(problem, flow);
    problem->failed |= !push(&problem->new_flows, handle);
}

void orr_maxmin_remove(struct maxmin *problem, uint32_t handle)
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

void orr_maxmin_set_capacity(struct maxmin *problem, uint32_t link, double capacity)
{
    problem->link[link].capacity = capacity;
    problem->failed |= !push(&problem->dirty_links, link);
}

double orr_maxmin_capacity(const struct maxmin *problem, uint32_t link)
{
    return problem->link[link].capacity;
}

bool orr_maxmin_dirty(const struct maxmin *problem)
{
    return problem->new_flows.count + problem->dirty_links.count != 0;
}

/* ---- links that are looked at ---- */

/* The level at which the link is full, as long as the flows outside of S stay. */
static double full_at(const struct link *link)
{
    const double left = link->capacity - link->load - link->used;
    if (link->rising != 0) {
        return left > 0 && link->capacity > 0 ? left / link->weights : 0;
    }
    return left < -link->capacity * SAME ? 0 : INFINITY;
}

/* When something happens there: it is full, or the level comes to that of the flows it holds. */
static double next_at(const struct link *link)
{
    const double full = full_at(link);
    return link->watched && link->level < full ? link->level : full;
}

static void unwatch(struct maxmin *problem, struct link *link)
{
    problem->watched -= link->watched ? 1 : 0;
    link->watched = false;
}

static void touch(struct maxmin *problem, uint32_t index)
{
    struct link *link = &problem->link[index];
    if (link->seen != problem->solution) {
        link->seen = problem->solution;
        link->inside = link->rising = 0;
        link->weights = link->used = 0;
        link->watched = link->held != 0;
        link->pending = false;
        problem->watched += link->watched ? 1 : 0;
        problem->failed |= !push(&problem->touched, index);
    }
    if (!link->pending) {
        link->pending = true;
        problem->failed |= !push(&problem->pending, index);
    }
}

static void place_links(struct maxmin *problem)
{
    for (size_t i = 0; i < problem->pending.count; i++) {
        const uint32_t index = problem->pending.item[i];
        const double level = next_at(&problem->link[index]);
        problem->link[index].pending = false;
        if (level < INFINITY) {
            orr_maxmin_link_at(problem, index, level);
        }
    }
    problem->pending.count = 0;
}

/* ---- flows that join S, and leave it with a level ---- */

/* From now on the flow's level rises with the others'. */
static void join(struct maxmin *problem, uint32_t handle)
{
    struct flow *flow = &problem->flow[handle];
    flow->seen = problem->solution;
    flow->filled = false;
    problem->failed |= !push(&problem->part, handle);
    problem->rising++;
    for (uint32_t h = 0; h < flow->hops; h++) {
        struct link *link = &problem->link[flow->path[h]];
        touch(problem, flow->path[h]);
        link->rising++;
        link->weights += flow->weight;
        link->load = ++link->inside == link->count ? 0 : link->load - flow->rate;
    }
    if (flow->bottleneck != MAXMIN_NONE) {
        struct link *link = &problem->link[flow->bottleneck];
        let_go(problem, flow);
        if (link->held == 0) {
            unwatch(problem, link);
        }
    }
    if (flow->bound < INFINITY) {
        orr_maxmin_bound_at(problem, handle, flow->bound / flow->weight);
    }
}

/* The flow's level is found. */
static void stop(struct maxmin *problem, struct flow *flow, double level, uint32_t bottleneck)
{
    flow->filled = true;
    flow->level = level;
    flow->rate = bottleneck == MAXMIN_NONE ? flow->bound : flow->weight * level;
    flow->bottleneck = bottleneck;
    problem->rising--;
    for (uint32_t h = 0; h < flow->hops; h++) {
        struct link *link = &problem->link[flow->path[h]];
        link->used += flow->rate;
        link->weights = --link->rising == 0 ? 0 : link->weights - flow->weight;
    }
}

static void stop_all(struct maxmin *problem, uint32_t index, double level)
{
    struct link *link = &problem->link[index];
    for (uint32_t e = 0; e < link->count && link->rising != 0; e++) {
        expect_flow(problem, link, e);
        struct flow *flow = &problem->flow[link->entry[e].flow];
        if (flow->seen == problem->solution && !flow->filled) {
            stop(problem, flow, level, index);
            link->held++;
        }
    }
    link->level = level;
    unwatch(problem, link);
    orr_maxmin_top_link_out(problem);
}

static void join_held(struct maxmin *problem, uint32_t index)
{
    struct link *link = &problem->link[index];
    touch(problem, index);
    for (uint32_t e = 0; e < link->count && link->watched; e++) {
        expect_flow(problem, link, e);
        if (e + 4 < link->count) {
            __builtin_prefetch(problem->flow[link->entry[e + 4].flow].path);
        }
        if (problem->flow[link->entry[e].flow].bottleneck == index) {
            join(problem, link->entry[e].flow);
        }
    }
}

/* Flows outside of S that have more than the flows of S can get on a link; false: none. */
static bool join_above(struct maxmin *problem, uint32_t index, double level)
{
    const struct link *link = &problem->link[index];
    const size_t before = problem->part.count;
    for (uint32_t e = 0; e < link->count && link->inside != link->count; e++) {
        expect_flow(problem, link, e);
        const struct flow *flow = &problem->flow[link->entry[e].flow];
        if (flow->seen != problem->solution && flow->level > level * (1 + SAME)) {
            join(problem, link->entry[e].flow);
        }
    }
    return problem->part.count != before;
}

/* ---- the sweep ---- */

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
    problem->part.count = problem->touched.count = problem->bounds.count = 0;
    problem->rising = problem->watched = 0;
    problem->sweep = 0;
    for (size_t i = 0; i < problem->dirty_links.count; i++) {
        touch(problem, problem->dirty_links.item[i]);
    }
    for (size_t i = 0; i < problem->new_flows.count; i++) {
        const struct flow *flow = &problem->flow[problem->new_flows.item[i]];
        if (flow->alive && flow->seen != problem->solution) {
            join(problem, problem->new_flows.item[i]);
        }
    }
    for (size_t i = 0; i < problem->dirty_links.count; i++) {
        const struct link *link = &problem->link[problem->dirty_links.item[i]];
        if (link->held == 0 && link->rising == 0 && full_at(link) < INFINITY) {
            (void)join_above(problem, problem->dirty_links.item[i], 0); /* it lost capacity */
        }
    }
    problem->new_flows.count = problem->dirty_links.count = 0;
    place_links(problem);
}

/* The level has come to where something happens to the link at the top. */
static void take_link(struct maxmin *problem)
{
    const struct item top = problem->link_heap.item[0];
    struct link *link = &problem->link[top.what];
    const double next = next_at(link), full = full_at(link);
    if (next > top.level * (1 + SAME)) { /* flows of S stopped elsewhere since */
        next < INFINITY ? orr_maxmin_top_link_at(problem, next) : orr_maxmin_top_link_out(problem);
        return;
    }
    problem->sweep = next > problem->sweep ? next : problem->sweep;
    if (link->watched && full > link->level * (1 + SAME)) {
        const double left = link->capacity - link->load - link->used;
        if (link->rising == 0 && left <= link->capacity * SAME) { /* they may stay */
            unwatch(problem, link);
            orr_maxmin_top_link_out(problem);
        } else {
            join_held(problem, top.what);
        }
    } else if (link->watched && link->level > full * (1 + SAME)) {
        join_held(problem, top.what);
    } else if (!join_above(problem, top.what, problem->sweep)) {
        /* Beside flows that keep their level, just that: rounding does not pile up. */
        stop_all(problem, top.what, link->watched ? link->level : problem->sweep);
    }
}

static void take_bound(struct maxmin *problem)
{
    const struct item top = problem->bounds.item[0];
    struct flow *flow = &problem->flow[top.what];
    orr_maxmin_top_bound_out(problem);
    if (!flow->filled) {
        problem->sweep = top.level > problem->sweep ? top.level : problem->sweep;
        stop(problem, flow, top.level, MAXMIN_NONE);
    }
}

static void end(struct maxmin *problem)
{
    for (size_t i = 0; i < problem->touched.count; i++) {
        struct link *link = &problem->link[problem->touched.item[i]];
        link->load += link->used;
        link->place = MAXMIN_NONE;
    }
    problem->link_heap.count = 0;
}

size_t orr_maxmin_solve(struct maxmin *problem, const uint32_t **changed)
{
    begin(problem);
    while ((problem->rising != 0 || problem->watched != 0) && problem->link_heap.count != 0 &&
           !problem->failed) {
        if (problem->bounds.count != 0 &&
            problem->bounds.item[0].level < problem->link_heap.item[0].level) {
            take_bound(problem);
        } else {
            take_link(problem);
            place_links(problem);
        }
    }
    end(problem);
    *changed = problem->part.item;
    return problem->part.count;
}

bool orr_maxmin_failed(const struct maxmin *problem)
{
    return problem->failed;
}

/* ---- answers ---- */

double orr_maxmin_rate(const struct maxmin *problem, uint32_t flow)
{
    return problem->flow[flow].rate;
}

uint32_t orr_maxmin_bottleneck(const struct maxmin *problem, uint32_t flow)
{
    return problem->flow[flow].bottleneck;
}

const struct maxmin_entry *orr_maxmin_flows(const struct maxmin *problem, uint32_t link,
                                            uint32_t *count)
{
    *count = problem->link[link].count;
    return problem->link[link].entry;
}

double orr_maxmin_load(const struct maxmin *problem, uint32_t link)
{
    double sum = 0;
    for (uint32_t e = 0; e < problem->link[link].count; e++) {
        sum += problem->flow[problem->link[link].entry[e].flow].rate;
    }
    return sum;
}
