/* The clock of circuits that are set for demands (SiP-ML, SIGCOMM'21, sections 3.1, 3.3 and 4.3;
 * docs/models.md, section 17): they are lit for `hold`, then dark for a reconfiguration, and so on
 * from the beginning of the job. At the end of each hold the allocator is asked for what the next
 * ones are to be, by what was offered since it was last asked.
 *
 * Only demands that leave NPUs of the first group are looked at: all groups do the same, whether or
 * not they are folded. */
#include <inttypes.h>
#include <string.h>

#include "network/network.h"
#include "network/optical/circuits.h"

/* Of what the job offers between a pair in an iteration, so much counts always: a pair that ever
 * talks keeps a circuit, where there are ports enough. */
enum { ALWAYS = 1000 };

/* Windows that are written at most. */
enum { MAX_WINDOWS = 1 << 18 };

struct allocated {
    struct net *net;
    const struct net_graph *graph;
    const struct net_circuits *circuits;
    const struct net_allocated *of;
    const struct net_allocator_ops *ops;
    struct net_allocated_problem problem;
    uint32_t *present, *next;      /* [demands] circuits */
    uint64_t *offered, *waiting;   /* [demands] */
    uint64_t *wanted, *posed;      /* [demands] of this allocation, and of the last one */
    uint32_t *demand;              /* [links] that a link is of; NET_NO_LINK: another stands
                                      for it */
    uint32_t *lit;                 /* [links] lanes that the network has */
    struct net_capacity *capacity; /* [links] */
    struct orr_arena *scratch;
    bool begun, dark, any_offered;
    sim_time period_ps, tick, resume, set_at;
};

static sim_time allocated_next(const void *self)
{
    const struct allocated *allocated = self;
    return !allocated->begun ? 0 : allocated->dark ? allocated->resume : allocated->tick;
}

/* ---- what the network has ---- */

/* Lanes of a demand's circuits in the dark: none, or those that stay. */
static uint32_t in_the_dark(const struct allocated *allocated, uint32_t demand)
{
    const uint32_t now = allocated->present[demand], later = allocated->next[demand];
    return !allocated->of->keeps_lit ? 0 : now < later ? now : later;
}

static void set_all(struct allocated *allocated, bool dark)
{
    struct net_batch batch = {.capacity = allocated->capacity};
    for (uint32_t link = 0; link < allocated->graph->links; link++) {
        const uint32_t demand = allocated->demand[link];
        if (demand == NET_NO_LINK) {
            continue;
        }
        const uint32_t lanes = dark ? in_the_dark(allocated, demand) : allocated->present[demand];
        if (lanes != allocated->lit[link]) {
            allocated->capacity[batch.count++] =
                (struct net_capacity){.link = link,
                                      .lanes = lanes,
                                      .bytes_per_s = allocated->graph->link[link].bytes_per_s};
            allocated->lit[link] = lanes;
        }
    }
    allocated->net->ops->set_capacities(allocated->net, &batch);
}

static void switch_over(struct allocated *allocated, sim_time now)
{
    memcpy(allocated->present, allocated->next, allocated->of->demands * sizeof(uint32_t));
    allocated->dark = false;
    allocated->set_at = now;
    set_all(allocated, false);
}

/* ---- what is wanted ---- */

static void count_waiting(void *context, uint32_t at, uint32_t dst, double bytes)
{
    struct allocated *allocated = context;
    if (at >= allocated->of->group) {
        return;
    }
    const uint32_t demand = orr_net_graph_find(allocated->graph, at, dst);
    if (demand != NET_NO_LINK) {
        const uint64_t whole = bytes > 1 ? (uint64_t)(bytes + 0.5) : 1;
        allocated->waiting[demand] = orr_capped_sum(allocated->waiting[demand], whole);
    }
}

static void update_waiting(struct allocated *allocated)
{
    memset(allocated->waiting, 0, allocated->of->demands * sizeof(uint64_t));
    allocated->net->ops->waiting(allocated->net, count_waiting, allocated);
}

/* The windows between decisions are numbered from that up to the first one. */
static uint64_t window_of(const struct allocated *allocated)
{
    return (uint64_t)((allocated->tick - allocated->of->hold_ps) / allocated->period_ps);
}

/* Whether an earlier run had windows beyond the next one. */
static bool has_next_window(const struct allocated *allocated)
{
    const struct net_windows *next = allocated->of->next;
    return next != NULL && window_of(allocated) + 1 < next->windows;
}

static uint64_t offered_next(const struct allocated *allocated, uint32_t demand)
{
    const struct net_windows *next = allocated->of->next;
    const uint64_t window = window_of(allocated) + 1;
    return window >= next->windows ? 0 : next->bytes[window * next->demands + demand];
}

/* What a demand counts for by the estimate, without what always counts; `pressing`: where the total
 * of the job would be it, what is there to be sent is. */
static uint64_t bytes_of(const struct allocated *allocated, uint32_t demand, bool pressing)
{
    const struct net_allocated *of = allocated->of;
    const uint64_t waiting = of->literal ? 0 : allocated->waiting[demand];
    uint64_t offered = allocated->offered[demand];
    if (of->estimate == NET_ESTIMATE_TOTAL && !pressing) {
        return of->total[demand];
    }
    if (of->estimate == NET_ESTIMATE_NEXT && of->next != NULL) {
        offered = offered_next(allocated, demand);
    }
    return offered > waiting ? offered : waiting;
}

/* What each demand is to have circuits for. A pair that ever talks always has one, unless
 * `pressing` ones alone have, or it is silent, literally. Whether anybody has. */
static bool want(struct allocated *allocated, bool pressing)
{
    const bool always = !pressing && !allocated->of->literal;
    bool any = false;
    for (uint32_t i = 0; i < allocated->of->demands; i++) {
        const uint64_t kept = allocated->of->total[i] / ALWAYS;
        const uint64_t bytes = bytes_of(allocated, i, pressing);
        allocated->wanted[i] = always ? orr_capped_sum(bytes, kept != 0 ? kept : 1) : bytes;
        any = any || allocated->wanted[i] != 0;
    }
    return any;
}

/* By the total of the job; messages without bytes have to get through too. */
static void want_total(struct allocated *allocated)
{
    for (uint32_t i = 0; i < allocated->of->demands; i++) {
        const uint64_t total = allocated->of->total[i];
        allocated->wanted[i] = total != 0 ? total : 1;
    }
}

/* ---- allocations ---- */

/* The circuits for what is wanted, into `next`. */
static enum orr_status allocate(struct allocated *allocated, struct orr_diag *diag)
{
    const size_t bytes = allocated->of->demands * sizeof(uint64_t);
    struct net_allocation found_circuit;
    if (memcmp(allocated->wanted, allocated->posed, bytes) == 0) {
        return ORR_OK;
    }
    orr_arena_reset(allocated->scratch);
    const enum orr_status status = allocated->ops->allocate(
        allocated->scratch, &allocated->problem, allocated->wanted, &found_circuit, diag);
    if (status == ORR_OK) {
        memcpy(allocated->posed, allocated->wanted, bytes);
        memcpy(allocated->next, found_circuit.circuits, allocated->of->demands * sizeof(uint32_t));
    }
    return status;
}

/* Somebody who wants circuits has none: there are more demands in a place than it has ports, or
 * fewer wavelengths than arcs that overlap need. */
static bool is_overloaded(const struct allocated *allocated)
{
    bool all = true;
    for (uint32_t i = 0; i < allocated->of->demands && all; i++) {
        all = allocated->wanted[i] == 0 || allocated->next[i] != 0;
    }
    return !all;
}

/* Nobody for whom bytes wait has circuits, so that nothing gets ahead. */
static bool is_stuck(const struct allocated *allocated)
{
    bool stuck = true;
    for (uint32_t i = 0; i < allocated->of->demands && stuck; i++) {
        stuck = allocated->waiting[i] == 0 || allocated->present[i] == 0;
    }
    return stuck;
}

static void record(struct allocated *allocated)
{
    struct net_windows *windows = allocated->of->record;
    const uint64_t window = window_of(allocated);
    if (windows == NULL || windows->no_memory || window >= MAX_WINDOWS) {
        return;
    }
    const size_t demands = allocated->of->demands;
    if (window >= windows->windows_alloc) {
        const size_t windows_alloc = 2 * window + 64;
        uint64_t *grown = orr_heap_realloc(windows->bytes, windows_alloc * demands * sizeof *grown);
        windows->no_memory = grown == NULL;
        if (grown == NULL) {
            return;
        }
        windows->bytes = grown;
        windows->windows_alloc = (uint32_t)windows_alloc;
    }
    while (windows->windows <= window) { /* those that were skipped had nothing */
        memset(windows->bytes + windows->windows++ * demands, 0, demands * sizeof(uint64_t));
    }
    windows->demands = (uint32_t)demands;
    memcpy(windows->bytes + window * demands, allocated->offered, demands * sizeof(uint64_t));
}

/* What is to be lit next. Nothing was offered or waits, as far as that counts: as at first. */
static void decide(struct allocated *allocated)
{
    struct orr_diag diag;
    orr_diag_init(&diag);
    record(allocated);
    if (!want(allocated, false)) {
        want_total(allocated);
    }
    enum orr_status status = allocate(allocated, &diag);
    if (status == ORR_OK && is_overloaded(allocated) && !allocated->of->literal &&
        want(allocated, true)) {
        status = allocate(allocated, &diag);
    }
    if (status != ORR_OK) {
        orr_evq_stop(allocated->net->queue, status);
    }
    memset(allocated->offered, 0, allocated->of->demands * sizeof(uint64_t));
    allocated->any_offered = false;
}

static void begin(struct allocated *allocated)
{
    allocated->begun = true;
    allocated->tick = allocated->of->hold_ps;
    switch_over(allocated, 0);
}

static bool allocated_act(void *self, sim_time now)
{
    struct allocated *allocated = self;
    if (!allocated->begun) {
        begin(allocated);
        return true;
    }
    if (allocated->dark) {
        switch_over(allocated, now);
        return true;
    }
    update_waiting(allocated);
    const size_t demands = allocated->of->demands;
    const bool more = allocated->net->in_flight != 0 && has_next_window(allocated);
    const bool goes_on = allocated->any_offered || more || !is_stuck(allocated);
    decide(allocated);
    allocated->tick = orr_time_add(allocated->tick, allocated->period_ps);
    const bool moved = memcmp(allocated->present, allocated->next, demands * sizeof(uint32_t)) != 0;
    allocated->resume = orr_time_add(now, allocated->circuits->dark_ps);
    allocated->dark = true;
    if (allocated->circuits->dark_ps == 0) {
        switch_over(allocated, now);
    } else {
        set_all(allocated, true);
    }
    return moved || goes_on;
}

/* To the last of the ends of holds up to then: whether it is dark at that time lies in its phase.
 */
static void allocated_skip(void *self, sim_time now)
{
    struct allocated *allocated = self;
    if (!allocated->begun || allocated->tick > now || allocated->tick == ORR_TIME_MAX) {
        return;
    }
    if (allocated->dark) {
        switch_over(allocated, allocated->resume);
    }
    allocated->tick += (now - allocated->tick) / allocated->period_ps * allocated->period_ps;
}

static void allocated_offered(void *self, const struct net_msg *msg)
{
    struct allocated *allocated = self;
    const uint32_t demand = msg->src.rank < allocated->of->group
                                ? orr_net_graph_find(allocated->graph, msg->src.rank, msg->dst.rank)
                                : NET_NO_LINK;
    if (demand != NET_NO_LINK) {
        allocated->offered[demand] = orr_capped_sum(allocated->offered[demand], msg->bytes);
        allocated->any_offered = true;
    }
}

/* ---- what it tells ---- */

static void allocated_describe(const void *self, struct orr_diag *diag)
{
    enum { SHOWN = 8 };
    const struct allocated *allocated = self;
    char at[64];
    uint32_t count = 0, without = 0;
    orr_diag_append(diag, "\n  network.circuits (%s) last set its circuits at %s:",
                    orr_net_circuits[allocated->circuits->controller]->name,
                    orr_format_time(allocated->set_at, at, sizeof at));
    for (uint32_t i = 0; i < allocated->of->demands; i++) {
        char from[NET_NODE_BYTES], to[NET_NODE_BYTES];
        const struct net_link *link = &allocated->graph->link[i];
        without += allocated->present[i] == 0;
        if (allocated->present[i] != 0 && count++ < SHOWN) {
            orr_diag_append(diag, "%s %s-%s x %" PRIu32, count == 1 ? "" : ",",
                            orr_net_node_name(allocated->graph, link->from, from),
                            orr_net_node_name(allocated->graph, link->to, to),
                            allocated->present[i]);
        }
    }
    if (count > SHOWN) {
        orr_diag_append(diag, " and %" PRIu32 " more", count - SHOWN);
    }
    orr_diag_append(diag, "%s; %" PRIu32 " of %" PRIu32 " pairs have none",
                    count == 0 ? " none" : "", without, allocated->of->demands);
}

static void allocated_fini(void *self)
{
    struct allocated *allocated = self;
    orr_arena_destroy(allocated->scratch);
}

static const struct net_controller_ops allocated_ops = {.name = "allocated circuits",
                                                        .next = allocated_next,
                                                        .act = allocated_act,
                                                        .skip = allocated_skip,
                                                        .offered = allocated_offered,
                                                        .describe = allocated_describe,
                                                        .fini = allocated_fini};

/* ---- creation ---- */

static bool allocate_arrays(struct allocated *allocated, struct orr_arena *arena)
{
    const size_t demands = (size_t)allocated->of->demands + 1;
    const size_t links = (size_t)allocated->graph->links + 1;
    uint64_t **const bytes[] = {&allocated->offered, &allocated->waiting, &allocated->wanted,
                                &allocated->posed};
    bool found_circuit = true;
    for (size_t i = 0; i < sizeof bytes / sizeof *bytes; i++) {
        *bytes[i] = orr_arena_array(arena, demands, sizeof(uint64_t));
        found_circuit = found_circuit && *bytes[i] != NULL;
    }
    allocated->present = orr_arena_array(arena, demands, sizeof(uint32_t));
    allocated->next = orr_arena_array(arena, demands, sizeof(uint32_t));
    allocated->demand = orr_arena_array(arena, links, sizeof(uint32_t));
    allocated->lit = orr_arena_array(arena, links, sizeof(uint32_t));
    allocated->capacity = orr_arena_array(arena, links, sizeof *allocated->capacity);
    allocated->scratch = orr_arena_create();
    return found_circuit && allocated->present != NULL && allocated->next != NULL &&
           allocated->demand != NULL && allocated->lit != NULL && allocated->capacity != NULL &&
           allocated->scratch != NULL;
}

/* Which demand each link is of, of those that are simulated. */
static enum orr_status find_links(struct allocated *allocated, struct orr_diag *diag)
{
    const struct net_graph *graph = allocated->graph;
    const struct orr_fold *fold = allocated->net->config->fold;
    const uint32_t group = allocated->of->group;
    enum orr_status status = ORR_OK;
    if (fold != NULL && !fold->none) {
        status = orr_net_graph_representatives(graph, fold, allocated->demand);
    }
    for (uint32_t i = 0; i < graph->links && status == ORR_OK; i++) {
        const struct net_link *link = &graph->link[i];
        const bool stands = fold == NULL || fold->none || allocated->demand[i] == i;
        const uint32_t first = link->from / group * group;
        const uint32_t to = link->to >= first ? link->to - first : link->to + graph->npus - first;
        allocated->demand[i] =
            stands ? orr_net_graph_find(graph, link->from - first, to) : NET_NO_LINK;
        allocated->lit[i] = link->count; /* as the graph has them */
    }
    return status == ORR_OK ? ORR_OK : orr_diag_no_memory(diag, "the circuits of the network");
}

enum orr_status orr_net_allocated_create(struct net_controller *out, struct net *net,
                                         struct orr_arena *arena, struct orr_diag *diag)
{
    const struct net_graph *graph = net->config->graph;
    if (!orr_net_is_allocated(graph)) {
        return ORR_OK;
    }
    struct allocated *allocated = orr_arena_alloc(arena, sizeof *allocated);
    if (allocated == NULL) {
        return orr_diag_no_memory(diag, "the circuits of the network");
    }
    const struct net_circuits *circuits = graph->circuits;
    const struct net_allocated *of = circuits->allocated;
    *allocated = (struct allocated){
        .net = net,
        .graph = graph,
        .circuits = circuits,
        .of = of,
        .ops = orr_net_allocator(circuits->controller),
        .problem = {graph->npus, of->group, circuits->ports, of->demands, graph->link, of->rules},
        .period_ps = orr_time_add(of->hold_ps, circuits->dark_ps)};
    *out = (struct net_controller){.ops = &allocated_ops, .self = allocated};
    if (!allocate_arrays(allocated, arena)) {
        return orr_diag_no_memory(diag, "the circuits of the network");
    }
    want_total(allocated);
    const enum orr_status status = find_links(allocated, diag);
    return status == ORR_OK ? allocate(allocated, diag) : status;
}
