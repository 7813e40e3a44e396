/* Flow classes with DCTCP weights (dctcp_weights.c): see dctcp_private.h. A class knows the bytes
 * served to each of its members, and when it ends or its window is updated. A heap of these times
 * is behind a single event of the queue: all changes of an instant are processed, then the shares
 * are solved once. */
#include <math.h>

#include "network/flows/dctcp_private.h"

#define NONE DCTCP_NONE

/* ---- events ---- */

static void post_tick(struct net_flows *flows)
{
    orr_flows_post_tick(flows, orr_due_heap_next(&flows->dctcp->due));
}

static bool is_dirty(const struct net_flows *flows)
{
    return orr_maxmin_dirty(flows->dctcp->shares);
}

/* Ends of flows are rounded up to integer ps, except for rounding errors. */
static void schedule(struct net_flows *flows, const struct dctcp_flow_class *class)
{
    const double mark = class->update_at < class->target ? class->update_at : class->target;
    const double left = mark - class->served;
    const double ps = class->rate > 0 ? left / class->rate - ROUNDING_PS : INFINITY;
    sim_time next = ORR_TIME_MAX;
    if (ps < 9e18) {
        const sim_time below = ps > 0 ? (sim_time)ps : 0;
        next = orr_time_add(class->since, (double)below < ps ? below + 1 : below);
    }
    orr_due_heap_set(&flows->dctcp->due, class->first, next);
}

/* ---- joining ---- */

/* Storage of a class; NULL: out of memory. Can move the others. */
static struct dctcp_flow_class *reserve_class(struct dctcp_flows *dctcp, uint32_t index)
{
    return orr_heap_reserve(&dctcp->class, &dctcp->class_alloc, (size_t)index + 1,
                            sizeof *dctcp->class)
               ? &dctcp->class[index]
               : NULL;
}

static bool reserve_member(struct dctcp_flows *dctcp, uint32_t member)
{
    if (member < dctcp->member_alloc) {
        return true;
    }
    const size_t alloc = 2 * ((size_t)member + 32);
    struct dctcp_member *grown = orr_heap_realloc(dctcp->member, alloc * sizeof *grown);
    dctcp->member = grown != NULL ? grown : dctcp->member;
    if (grown == NULL || !orr_due_heap_grow(&dctcp->due, alloc)) {
        return false;
    }
    dctcp->member_alloc = alloc;
    return true;
}

/* Inserts the member into its class's list by number; numbers mostly ascend or descend. */
static void append_member(struct dctcp_flows *dctcp, struct dctcp_flow_class *class,
                          uint32_t member)
{
    uint32_t *at = &class->first;
    if (class->members != 0 && class->last < member) {
        at = &dctcp->member[class->last].next;
    }
    while (*at != NONE && *at < member) {
        at = &dctcp->member[*at].next;
    }
    dctcp->member[member].next = *at;
    *at = member;
    class->last = dctcp->member[member].next == NONE ? member : class->last;
    class->members++;
}

static bool has_link_twice(struct net_route_links path_links)
{
    for (uint32_t h = 0; h < path_links.hops; h++) {
        for (uint32_t i = 0; i < h; i++) {
            if (path_links.link[h] == path_links.link[i]) {
                return true;
            }
        }
    }
    return false;
}

/* Whether the class is a fresh one of the path. */
static bool is_fresh(const struct net_flows *flows, uint32_t index, uint32_t path)
{
    const struct dctcp_flow_class *class = &flows->dctcp->class[index];
    return class->members != 0 && class->fresh && class->path == path;
}

/* The class that the flow can join; NONE: it starts one. There are few candidates. */
static uint32_t find_class(const struct net_flows *flows, const struct flow_record *record)
{
    enum { LOOKED_AT = 8, MAX_MEMBERS = 256 };
    uint32_t index = flow_path_at(&flows->paths, record->path)->class;
    for (int i = 0; i < LOOKED_AT && index != NONE && is_fresh(flows, index, record->path); i++) {
        const struct dctcp_flow_class *class = &flows->dctcp->class[index];
        if (class->target == record->bytes && class->factor == record->weight &&
            class->members < MAX_MEMBERS) {
            return flows->dctcp->twice ? NONE : index;
        }
        index = class->older;
    }
    return NONE;
}

/* Starts a class of one flow; returns its member, NONE: out of memory. */
static uint32_t begin_class(struct net_flows *flows, const struct flow_record *record)
{
    struct dctcp_flows *dctcp = flows->dctcp;
    struct flow_path *path = flow_path_at(&flows->paths, record->path);
    struct dctcp_flow_class class = {.path = record->path,
                                     .path_links = flow_path_links(&flows->paths, path),
                                     .round_trip_ps =
                                         flow_path_times(&flows->paths, path)->round_trip_ps,
                                     .target = record->bytes,
                                     .factor = record->weight,
                                     .since = orr_evq_now(flows->config.queue),
                                     .first = NONE,
                                     .last = NONE,
                                     .older = NONE,
                                     .fresh = true};
    if (path->class == NONE) {
        dctcp->twice |= has_link_twice(class.path_links);
    } else if (is_fresh(flows, path->class, record->path)) {
        class.older = path->class;
    }
    orr_dctcp_weights_begin(flows, &class);
    const uint32_t member =
        orr_maxmin_add(dctcp->shares, class.path_links.link, class.path_links.hops,
                       class.weight * class.factor, class.bound);
    if (member == NONE) {
        return NONE;
    }
    path->class = orr_maxmin_flow(dctcp->shares, member);
    struct dctcp_flow_class *position = reserve_class(dctcp, path->class);
    if (position == NULL) {
        return NONE;
    }
    *position = class;
    return member;
}

static void join(struct net_flows *flows, uint32_t handle)
{
    struct dctcp_flows *dctcp = flows->dctcp;
    struct flow_record *record = flow_record_at(&flows->records, handle);
    const uint32_t found = find_class(flows, record);
    const uint32_t member =
        found == NONE ? begin_class(flows, record) : orr_maxmin_more(dctcp->shares, found);
    if (member == NONE || !reserve_member(dctcp, member)) {
        orr_flows_no_memory(flows);
        return;
    }
    dctcp->member[member].record = handle;
    record->child = member; /* unused as long as it is on its path */
    struct dctcp_flow_class *class = &dctcp->class[orr_maxmin_flow(dctcp->shares, member)];
    append_member(dctcp, class, member);
    orr_flows_post_settle(flows);
}

/* ---- ending ---- */

/* Removes the first member of a class; the next one inherits its event time. */
static void leave(struct net_flows *flows, uint32_t index)
{
    struct dctcp_flows *dctcp = flows->dctcp;
    struct dctcp_flow_class *class = &dctcp->class[index];
    const uint32_t member = class->first;
    const sim_time due = dctcp->due.time[member];
    class->first = dctcp->member[member].next;
    class->members--;
    orr_maxmin_remove(dctcp->shares, member);
    orr_due_heap_set(&dctcp->due, member, ORR_TIME_MAX);
    if (class->members != 0) {
        orr_due_heap_set(&dctcp->due, class->first, due);
    }
}

/* Makes every member a class of its own; the first one keeps its number. False: out of memory. */
static bool split_class(struct net_flows *flows, uint32_t index)
{
    struct dctcp_flows *dctcp = flows->dctcp;
    const uint32_t first = dctcp->class[index].first;
    const sim_time due = dctcp->due.time[first];
    uint32_t member = dctcp->member[first].next;
    dctcp->class[index].fresh = false;
    dctcp->class[index].members = 1;
    dctcp->class[index].last = first;
    dctcp->member[first].next = NONE;
    while (member != NONE) {
        const uint32_t next = dctcp->member[member].next;
        const uint32_t other = orr_maxmin_split(dctcp->shares, member);
        struct dctcp_flow_class *class = other == NONE ? NULL : reserve_class(dctcp, other);
        if (class == NULL) {
            orr_flows_no_memory(flows);
            return false;
        }
        *class = dctcp->class[index];
        class->first = class->last = member;
        dctcp->member[member].next = NONE;
        orr_due_heap_set(&dctcp->due, member, due);
        member = next;
    }
    return true;
}

static void set_weight(struct net_flows *flows, uint32_t handle, uint16_t weight)
{
    struct dctcp_flows *dctcp = flows->dctcp;
    struct flow_record *record = flow_record_at(&flows->records, handle);
    const uint32_t index = orr_maxmin_flow(dctcp->shares, record->child);
    record->weight = weight;
    if (dctcp->class[index].members != 1 && !split_class(flows, index)) {
        return;
    }
    const struct maxmin_entry own = {.flow = orr_maxmin_flow(dctcp->shares, record->child),
                                     .member = record->child};
    struct dctcp_flow_class *class = &dctcp->class[own.flow];
    class->fresh = false;
    class->factor = weight;
    orr_maxmin_set_weight(dctcp->shares, own.flow, class->weight * class->factor, class->bound);
    orr_maxmin_recompute(dctcp->shares, &own, 1);
    orr_flows_post_settle(flows);
}

/* Processes the due event of a class, given its first member. */
static void process_due(struct net_flows *flows, uint32_t member)
{
    struct dctcp_flows *dctcp = flows->dctcp;
    const uint32_t index = orr_maxmin_flow(dctcp->shares, member);
    struct dctcp_flow_class *class = &dctcp->class[index];
    dctcp_advance(class, orr_evq_now(flows->config.queue));
    if (class->target <= class->served + 2 * ROUNDING_PS * class->rate) {
        orr_flows_end(flows, dctcp->member[member].record);
        leave(flows, index);
    } else if (class->members == 1 || split_class(flows, index)) {
        class = &dctcp->class[index];
        orr_dctcp_weights_follow(flows, class);
        schedule(flows, class);
    }
}

static void tick(struct net_flows *flows)
{
    const sim_time now = orr_evq_now(flows->config.queue);
    struct dctcp_flows *dctcp = flows->dctcp;
    while (orr_due_heap_next(&dctcp->due) <= now) {
        process_due(flows, orr_due_heap_top(&dctcp->due));
    }
    orr_flows_post_settle(flows);
    post_tick(flows);
}

static void settle(struct net_flows *flows)
{
    const sim_time now = orr_evq_now(flows->config.queue);
    struct dctcp_flows *dctcp = flows->dctcp;
    const uint32_t *changed = NULL;
    const size_t count = orr_maxmin_solve(dctcp->shares, &changed);
    flows->counts.solutions++;
    flows->counts.shares += count;
    if (orr_maxmin_failed(dctcp->shares)) {
        orr_flows_no_memory(flows);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        struct dctcp_flow_class *class = &dctcp->class[changed[i]];
        dctcp_advance(class, now);
        class->rate = orr_maxmin_rate(dctcp->shares, changed[i]) / PS_PER_S;
        class->fresh = false;
        schedule(flows, class);
    }
    post_tick(flows);
}

/* ---- the engine ---- */

static bool create(struct net_flows *flows)
{
    const struct net_graph *graph = flows->config.graph;
    struct dctcp_flows *dctcp = orr_heap_calloc(1, sizeof *dctcp);
    double *capacity = orr_heap_calloc((size_t)graph->links + 1, sizeof *capacity);
    flows->dctcp = dctcp;
    if (dctcp != NULL && capacity != NULL) {
        for (uint32_t i = 0; i < graph->links; i++) {
            capacity[i] = flows_capacity(&graph->link[i]);
        }
        dctcp->shares = orr_maxmin_create(graph->links, capacity);
    }
    orr_heap_free(capacity);
    return dctcp != NULL && dctcp->shares != NULL;
}

static void destroy(struct net_flows *flows)
{
    struct dctcp_flows *dctcp = flows->dctcp;
    if (dctcp != NULL) {
        orr_maxmin_destroy(dctcp->shares);
        orr_due_heap_fini(&dctcp->due);
        orr_heap_free(dctcp->class);
        orr_heap_free(dctcp->member);
        orr_heap_free(dctcp);
    }
}

static double capacity_of(const struct net_flows *flows, uint32_t link)
{
    return orr_maxmin_capacity(flows->dctcp->shares, link);
}

static void set_capacity(struct net_flows *flows, uint32_t link, double bytes_per_s)
{
    orr_maxmin_set_capacity(flows->dctcp->shares, link, bytes_per_s);
}

/* Counts each flow once, at its bottleneck. */
static void find_stuck(const struct net_flows *flows, struct net_flows_stuck *stuck)
{
    const struct dctcp_flows *dctcp = flows->dctcp;
    for (uint32_t link = 0; link < flows->config.graph->links; link++) {
        const uint32_t held = orr_maxmin_held(dctcp->shares, link);
        if (held != 0 && orr_maxmin_capacity(dctcp->shares, link) == 0) {
            uint32_t count = 0;
            const struct maxmin_entry *entry = orr_maxmin_flows(dctcp->shares, link, &count);
            while (orr_maxmin_bottleneck(dctcp->shares, entry->flow) != link) {
                entry++;
            }
            flows_stuck_at(flows, stuck, link, dctcp->member[entry->member].record);
            stuck->flows += held;
        }
    }
}

/* ---- rerouting ---- */

/* Moves a class of one flow to another path, if it finds one for its remaining bytes. It joins
 * there after it has left. */
static void move(struct net_flows *flows, uint32_t index)
{
    struct dctcp_flows *dctcp = flows->dctcp;
    struct dctcp_flow_class *class = &dctcp->class[index];
    const uint32_t handle = dctcp->member[class->first].record;
    struct flow_record *record = flow_record_at(&flows->records, handle);
    dctcp_advance(class, orr_evq_now(flows->config.queue));
    const double left = class->target - class->served;
    const bool ends = class->rate > 0 && left <= 2 * ROUNDING_PS * class->rate;
    if (!ends && orr_flows_find_around(flows, record, left)) {
        record->bytes = left;
        leave(flows, index);
        orr_flows_post_settle(flows);
        join(flows, handle);
    }
}

static void reroute(struct net_flows *flows)
{
    struct dctcp_flows *dctcp = flows->dctcp;
    const uint32_t members = orr_maxmin_members(dctcp->shares);
    for (uint32_t member = 0; member < members; member++) {
        const uint32_t index = orr_maxmin_flow(dctcp->shares, member);
        if (index != NONE && orr_flows_closed(flows, dctcp->class[index].path) &&
            (dctcp->class[index].members == 1 || split_class(flows, index))) {
            move(flows, orr_maxmin_flow(dctcp->shares, member));
        }
    }
}

static void visit_all(struct net_flows *flows, net_flow_visit visit, void *context)
{
    struct dctcp_flows *dctcp = flows->dctcp;
    for (uint32_t member = 0; member < orr_maxmin_members(dctcp->shares); member++) {
        const uint32_t index = orr_maxmin_flow(dctcp->shares, member);
        if (index != NONE) {
            struct dctcp_flow_class *class = &dctcp->class[index];
            dctcp_advance(class, orr_evq_now(flows->config.queue));
            visit(context, flow_record_at(&flows->records, dctcp->member[member].record)->cookie,
                  class->target - class->served);
        }
    }
}

const struct flows_engine orr_dctcp_flows = {.create = create,
                                             .destroy = destroy,
                                             .join = join,
                                             .set_weight = set_weight,
                                             .wait = orr_dctcp_weights_wait,
                                             .dirty = is_dirty,
                                             .tick = tick,
                                             .settle = settle,
                                             .capacity = capacity_of,
                                             .set_capacity = set_capacity,
                                             .stuck = find_stuck,
                                             .reroute = reroute,
                                             .visit = visit_all};
