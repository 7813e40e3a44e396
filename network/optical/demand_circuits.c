/* Periodic demand-aware reconfiguration (SiP-ML, SIGCOMM'21, sections 3.1, 3.3 and 4.3;
 * docs/models.md, section 17). From the start of the job circuits are lit for `hold`, then dark for
 * a reconfiguration, and so on. At the end of each hold the allocator computes the next circuits
 * from the bytes offered since the last decision.
 *
 * Only demands that leave the first group are used: all groups do the same, folded or not. */
#include <inttypes.h>
#include <string.h>

#include "core/evq.h"
#include "core/fold.h"
#include "core/sum.h"
#include "core/units.h"
#include "network/allocation.h"
#include "network/capacity_changes.h"
#include "network/graph.h"
#include "network/graph_rotation.h"
#include "network/net_backend.h"
#include "network/net_message.h"
#include "network/optical/circuits.h"

/* 1 / ALWAYS of the bytes of a pair in an iteration counts always: a pair that ever sends keeps a
 * circuit, if there are enough ports. */
enum { ALWAYS = 1000 };

/* Maximum of recorded windows. */
enum { MAX_WINDOWS = 1 << 18 };

struct allocated {
    struct net *net;
    const struct net_graph *graph;
    const struct net_circuits *circuits;
    const struct net_allocated *of;
    const struct net_allocator_ops *ops;
    struct net_allocated_problem problem;
    uint32_t *present, *next;    /* [demands] circuits */
    uint64_t *offered, *waiting; /* [demands] */
    uint64_t *wanted, *posed;    /* [demands] bytes of this allocation, and of the last one */
    uint32_t
        *demand; /* [links] demand of each link; NET_NO_LINK: the link has another representative */
    uint32_t *lit;                 /* [links] lanes lit in the network */
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

/* ---- state of the network ---- */

/* Lanes of a demand that are lit while others are dark: none, or those that stay. */
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
    allocated->net->ops->capacities->set(allocated->net, &batch);
}

static void switch_over(struct allocated *allocated, sim_time now)
{
    memcpy(allocated->present, allocated->next, allocated->of->demands * sizeof(uint32_t));
    allocated->dark = false;
    allocated->set_at = now;
    set_all(allocated, false);
}

/* ---- demands ---- */

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
    allocated->net->ops->capacities->waiting(allocated->net, count_waiting, allocated);
}

/* The number of the present window; window 0 ends at the first decision. */
static uint64_t window_of(const struct allocated *allocated)
{
    return (uint64_t)((allocated->tick - allocated->of->hold_ps) / allocated->period_ps);
}

/* Whether the earlier run recorded the next window. */
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

/* Bytes of a demand by the estimate, without the part that always counts. `pressing`: with the
 * estimate by total, use the bytes waiting instead. */
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

/* Sets the bytes that each demand gets circuits for. Every pair that ever sends counts, unless only
 * `pressing` ones do, or it is silent under `literal`. Returns whether any has bytes. */
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

/* The same by the total of the job; messages without bytes count too. */
static void want_total(struct allocated *allocated)
{
    for (uint32_t i = 0; i < allocated->of->demands; i++) {
        const uint64_t total = allocated->of->total[i];
        allocated->wanted[i] = total != 0 ? total : 1;
    }
}

/* ---- allocations ---- */

/* Allocates circuits for the wanted bytes, into `next`. */
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

/* Whether a demand is left without circuits: more demands than ports, or fewer wavelengths than
 * overlapping arcs need. */
static bool is_overloaded(const struct allocated *allocated)
{
    bool all = true;
    for (uint32_t i = 0; i < allocated->of->demands && all; i++) {
        all = allocated->wanted[i] == 0 || allocated->next[i] != 0;
    }
    return !all;
}

/* Whether no demand with waiting bytes has circuits, so that nothing progresses. */
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
    while (windows->windows <= window) { /* skipped windows are empty */
        memset(windows->bytes + windows->windows++ * demands, 0, demands * sizeof(uint64_t));
    }
    windows->demands = (uint32_t)demands;
    memcpy(windows->bytes + window * demands, allocated->offered, demands * sizeof(uint64_t));
}

/* Decides the next circuits. Without offered or waiting bytes that count: as at the start. */
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

/* Skips to the last end of a hold before `now`; the phase tells whether it is dark then. */
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

/* ---- error texts ---- */

static void allocated_describe(const void *self, struct orr_diag *diag)
{
    enum { SHOWN = 8 };
    const struct allocated *allocated = self;
    char at[64];
    uint32_t count = 0, without = 0;
    orr_diag_append(diag, "\n  network.circuits (%s) last set its circuits at %s:",
                    orr_net_circuits_name(allocated->circuits->controller),
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

/* Finds the demand of each simulated link. */
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
        allocated->lit[i] = link->count; /* as in the graph */
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
