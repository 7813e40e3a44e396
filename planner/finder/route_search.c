/* The search for routes that minimize the maximum load; see routes.h.
 *
 * 1. In turn, the flow with the most bytes first, each flow takes the cheapest of its shortest
 *    paths. The cost of a link is the increase of the sum of all loads^8, which is dominated by the
 *    maximum load. This is repeated until the maximum load does not fall any more.
 * 2. Flows on links above a limit slightly below the maximum load move to the shortest path that
 *    stays below the limit, as long as the maximum load falls by more than the mean load rises. */
#include <math.h>
#include <string.h>

#include "core/arena.h"
#include "network/graph.h"
#include "planner/finder/route_private.h"

enum { MAX_ROUNDS = 24, FIRST_STEP = 64, LAST_STEP = 2048 };

/* The links that a path may use. */
struct rule {
    bool nearer; /* only links that lead nearer to the destination */
    double max;  /* upper bound of the load of a link */
};

static const struct rule min_length = {.nearer = true, .max = INFINITY};

/* ---- one path ---- */

static bool is_allowed(const struct routing *routing, const struct route_flow *flow,
                       const struct rule *rule, uint32_t index)
{
    const struct net_link *link = &routing->graph->link[index];
    const uint16_t *hops = routing->hops[flow->to];
    return (!rule->nearer || hops[link->to] + 1 == hops[link->from]) &&
           routing->load[index] + flow->bytes * routing->per_byte[index] <= rule->max;
}

/* Increase of the sum of loads^8, by the derivative at the midpoint. */
static double cost_of(const struct routing *routing, const struct route_flow *flow, uint32_t link)
{
    const double adds = flow->bytes * routing->per_byte[link] / routing->scale;
    const double x = routing->load[link] / routing->scale + adds / 2;
    const double cube = x * x * x;
    return cube * cube * x * adds;
}

static void reach(struct route_walk *walk, uint32_t node, uint32_t depth, double cost, uint32_t via)
{
    const bool fresh = walk->visited_by[node] != walk->number;
    if (fresh) {
        walk->next[walk->nexts++] = node;
    } else if (walk->depth[node] != depth || walk->cost[node] <= cost) {
        return;
    }
    walk->visited_by[node] = walk->number;
    walk->depth[node] = depth;
    walk->cost[node] = cost;
    walk->via[node] = via;
}

static void next_depth(struct route_walk *walk)
{
    uint32_t *swap = walk->frontier;
    walk->frontier = walk->next;
    walk->next = swap;
    walk->frontiers = walk->nexts;
    walk->nexts = 0;
}

static void expand(struct routing *routing, const struct route_flow *flow, const struct rule *rule,
                   uint32_t depth)
{
    struct route_walk *walk = &routing->walk;
    const struct net_graph *graph = routing->graph;
    for (uint32_t i = 0; i < walk->frontiers; i++) {
        const uint32_t node = walk->frontier[i];
        for (uint32_t l = graph->first_out[node]; l < graph->first_out[node + 1]; l++) {
            if (is_allowed(routing, flow, rule, l)) {
                reach(walk, graph->link[l].to, depth, walk->cost[node] + cost_of(routing, flow, l),
                      l);
            }
        }
    }
}

/* Searches the cheapest of the shortest paths that the rule allows. Returns its hops; 0: there is
 * none. */
static uint32_t walk_to(struct routing *routing, const struct route_flow *flow,
                        const struct rule *rule)
{
    struct route_walk *walk = &routing->walk;
    uint32_t depth = 0;
    walk->number++;
    walk->nexts = 0;
    reach(walk, flow->from, 0, 0, NET_NO_LINK);
    next_depth(walk);
    while (walk->frontiers != 0 && walk->visited_by[flow->to] != walk->number &&
           depth < UINT16_MAX - 1) {
        expand(routing, flow, rule, ++depth);
        next_depth(walk);
    }
    return walk->visited_by[flow->to] == walk->number ? depth : 0;
}

/* ---- a flow ---- */

static void add_load(struct routing *routing, const struct route_flow *flow, double times)
{
    for (uint32_t h = 0; h < flow->hops; h++) {
        routing->load[flow->link[h]] += times * flow->bytes * routing->per_byte[flow->link[h]];
    }
}

static bool reserve_path(struct routing *routing, struct route_flow *flow, uint32_t hops)
{
    if (hops <= flow->alloc) {
        return true;
    }
    uint32_t *link = orr_arena_array(routing->scratch, hops, sizeof *link);
    if (link == NULL) {
        routing->no_memory = true;
        return false;
    }
    flow->link = link;
    flow->alloc = hops;
    return true;
}

/* Sets the path that the walk found. */
static bool set_path(struct routing *routing, struct route_flow *flow, uint32_t hops)
{
    if (!reserve_path(routing, flow, hops)) {
        return false;
    }
    uint32_t node = flow->to;
    for (uint32_t h = hops; h-- > 0;) {
        flow->link[h] = routing->walk.via[node];
        node = routing->graph->link[flow->link[h]].from;
    }
    flow->hops = hops;
    return true;
}

/* Reroutes all flows, one by one. */
static bool route_all(struct routing *routing)
{
    for (size_t i = 0; i < routing->flows; i++) {
        struct route_flow *flow = &routing->flow[i];
        add_load(routing, flow, -1);
        const uint32_t hops = walk_to(routing, flow, &min_length);
        if (hops == 0 || !set_path(routing, flow, hops)) {
            flow->hops = 0;
            return false;
        }
        add_load(routing, flow, 1);
    }
    return true;
}

/* ---- below a limit ---- */

struct load {
    double max, mean;
};

static struct load load_of(const struct routing *routing)
{
    struct load load = {0, 0};
    for (uint32_t l = 0; l < routing->graph->links; l++) {
        load.max = fmax(load.max, routing->load[l]);
        load.mean += routing->load[l] / routing->graph->links;
    }
    return load;
}

/* Previous paths of moved flows, for restoring. */
struct old_path {
    size_t flow;
    uint32_t first, hops;
};

struct journal {
    struct old_path *old_path;
    uint32_t *link;
    size_t old_paths, old_path_alloc, links, link_alloc;
};

static bool save_path(struct routing *routing, struct journal *journal, size_t index)
{
    const struct route_flow *flow = &routing->flow[index];
    struct old_path *old_path =
        orr_arena_grow(routing->scratch, journal->old_path, &journal->old_path_alloc,
                       journal->old_paths + 1, sizeof *old_path);
    uint32_t *link = orr_arena_grow(routing->scratch, journal->link, &journal->link_alloc,
                                    journal->links + flow->hops, sizeof *link);
    if (old_path == NULL || link == NULL) {
        routing->no_memory = true;
        return false;
    }
    journal->old_path = old_path;
    journal->link = link;
    old_path[journal->old_paths++] =
        (struct old_path){.flow = index, .first = (uint32_t)journal->links, .hops = flow->hops};
    memcpy(link + journal->links, flow->link, flow->hops * sizeof *link);
    journal->links += flow->hops;
    return true;
}

static void restore_paths(struct routing *routing, const struct journal *journal)
{
    for (size_t i = journal->old_paths; i-- > 0;) {
        const struct old_path *old_path = &journal->old_path[i];
        struct route_flow *flow = &routing->flow[old_path->flow];
        add_load(routing, flow, -1);
        memcpy(flow->link, journal->link + old_path->first, old_path->hops * sizeof *flow->link);
        flow->hops = old_path->hops;
        add_load(routing, flow, 1);
    }
}

static bool is_above(const struct routing *routing, const struct route_flow *flow, double max)
{
    uint32_t h = 0;
    while (h < flow->hops && routing->load[flow->link[h]] <= max) {
        h++;
    }
    return h < flow->hops;
}

/* Moves the flow below the limit if there is such a path. */
static bool move(struct routing *routing, struct journal *journal, size_t index,
                 const struct rule *rule)
{
    struct route_flow *flow = &routing->flow[index];
    add_load(routing, flow, -1);
    const uint32_t hops = walk_to(routing, flow, rule);
    const bool done =
        hops == 0 || (save_path(routing, journal, index) && set_path(routing, flow, hops));
    add_load(routing, flow, 1);
    return done;
}

/* Lowers the maximum load to the limit, if that is worth the additional load. Otherwise restores
 * all paths and returns false. */
static bool lower_to(struct routing *routing, struct journal *journal, const struct rule *rule)
{
    const struct load before = load_of(routing);
    journal->old_paths = journal->links = 0;
    for (size_t i = routing->flows; i-- > 0 && !routing->no_memory;) { /* smallest flows first */
        if (is_above(routing, &routing->flow[i], rule->max)) {
            (void)move(routing, journal, i, rule);
        }
    }
    const struct load after = load_of(routing);
    if (after.max <= rule->max && before.max - after.max > after.mean - before.mean) {
        return true;
    }
    restore_paths(routing, journal);
    return false;
}

static void lower(struct routing *routing, bool longer)
{
    struct journal journal = {.old_paths = 0};
    for (int step = FIRST_STEP; step <= LAST_STEP && !routing->no_memory;) {
        const struct rule rule = {.nearer = !longer,
                                  .max = load_of(routing).max * (1 - 1.0 / step)};
        if (!lower_to(routing, &journal, &rule)) {
            step *= 2;
        }
    }
}

bool orr_route_search(struct routing *routing, bool longer)
{
    double before = INFINITY;
    for (int round = 0; round < MAX_ROUNDS; round++) {
        if (!route_all(routing)) {
            return false;
        }
        const double max = load_of(routing).max;
        if (max >= before * (1 - 1.0 / LAST_STEP)) {
            break;
        }
        before = max;
    }
    lower(routing, false);
    if (longer) {
        lower(routing, true);
    }
    return !routing->no_memory;
}
