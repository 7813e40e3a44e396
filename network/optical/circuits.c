/* The clock of circuits: every period the controller is asked which circuits there are to be; if
 * they are others, all are dark for the time of a reconfiguration, and the new ones are there after
 * it (docs/models.md, section 4: Circuits). */
#include "network/optical/circuits.h"

#include <inttypes.h>
#include <string.h>

#define ORR_CIRCUITS(name) extern const struct net_circuits_ops name;
#include "network/optical/circuits_list.h"
#undef ORR_CIRCUITS

const struct net_circuits_ops *const orr_net_circuits[] = {
#define ORR_CIRCUITS(name) &name,
#include "network/optical/circuits_list.h"
#undef ORR_CIRCUITS
    NULL};

const char *orr_net_circuits_name(size_t index)
{
    return orr_net_circuits[index] != NULL ? orr_net_circuits[index]->name : NULL;
}

struct circuits {
    struct net *net;
    const struct net_graph *graph;
    const struct net_circuits *of;
    const struct net_circuits_ops *ops;
    uint32_t pairs;
    uint16_t *present, *next; /* [pairs] */
    double *offered, *waiting, *total;
    struct net_capacity *capacity; /* room for all pairs */
    uint16_t *lit;                 /* [pairs] what the network has */
    struct net_circuits_wish *wish;
    uint32_t *ends;
    bool begun, dark, any_offered;
    double left; /* bytes that waited at the last decision */
    sim_time tick, resume, set_at;
};

static sim_time circuits_next(const void *self)
{
    const struct circuits *circuits = self;
    return !circuits->begun ? 0 : circuits->dark ? circuits->resume : circuits->tick;
}

/* All circuits at once, as far as they are others than before; dark: there are none. */
static void set_all(struct circuits *circuits, bool dark)
{
    struct net_batch batch = {.capacity = circuits->capacity,
                              .reroutes = circuits->graph->reroutes && !dark};
    for (uint32_t pair = 0; pair < circuits->pairs; pair++) {
        const uint16_t lanes = dark ? 0 : circuits->present[pair];
        if (circuits->of->link[pair] != NET_NO_LINK && circuits->lit[pair] != lanes) {
            circuits->capacity[batch.count++] = (struct net_capacity){
                .link = circuits->of->link[pair],
                .lanes = lanes,
                .bytes_per_s = circuits->graph->link[circuits->of->link[pair]].bytes_per_s};
            circuits->lit[pair] = lanes;
        }
    }
    circuits->net->ops->set_capacities(circuits->net, &batch);
}

/* From the first message on, each node to those behind it. */
static void begin(struct circuits *circuits)
{
    const uint32_t nodes = circuits->graph->npus;
    for (uint32_t i = 0; i < nodes * circuits->of->ports; i++) {
        const uint32_t from = i % nodes, step = 1 + i / nodes % (nodes - 1);
        circuits->present[from * nodes + (from + step) % nodes]++;
    }
    for (uint32_t pair = 0; pair < circuits->pairs; pair++) {
        circuits->lit[pair] = (uint16_t)circuits->of->ports; /* as the graph has them */
    }
    circuits->begun = true;
    circuits->tick = circuits->of->period_ps;
    set_all(circuits, false);
}

static void switch_over(struct circuits *circuits, sim_time now)
{
    memcpy(circuits->present, circuits->next, circuits->pairs * sizeof *circuits->next);
    circuits->dark = false;
    circuits->set_at = now;
    set_all(circuits, false);
}

static void count_waiting(void *context, uint32_t at, uint32_t dst, double bytes)
{
    const struct circuits *circuits = context;
    if (at < circuits->graph->npus) {
        /* A message without bytes needs a circuit too. */
        circuits->waiting[at * circuits->graph->npus + dst] += bytes > 1 ? bytes : 1;
    }
}

static void decide(struct circuits *circuits, sim_time now)
{
    const struct net_circuits_view view = {.nodes = circuits->graph->npus,
                                           .ports = circuits->of->ports,
                                           .discount = circuits->of->discount,
                                           .now = now,
                                           .offered = circuits->offered,
                                           .waiting = circuits->waiting,
                                           .total = circuits->total,
                                           .present = circuits->present,
                                           .wish = circuits->wish,
                                           .ends = circuits->ends};
    memset(circuits->waiting, 0, circuits->pairs * sizeof *circuits->waiting);
    memset(circuits->next, 0, circuits->pairs * sizeof *circuits->next);
    circuits->net->ops->waiting(circuits->net, count_waiting, circuits);
    circuits->ops->decide(&view, circuits->next);
    memset(circuits->offered, 0, circuits->pairs * sizeof *circuits->offered);
}

/* Whether anything was carried or came since the last decision: if nothing did and nothing is
 * moved, a pause would only repeat itself. */
static bool went_on(struct circuits *circuits, bool offered)
{
    const double before = circuits->left;
    circuits->left = 0;
    for (uint32_t pair = 0; pair < circuits->pairs; pair++) {
        circuits->left += circuits->waiting[pair];
    }
    return offered || circuits->left < before || circuits->left > before;
}

static bool circuits_act(void *self, sim_time now)
{
    struct circuits *circuits = self;
    if (!circuits->begun) {
        begin(circuits);
        return true;
    }
    if (circuits->dark) {
        switch_over(circuits, now);
        return true;
    }
    const bool offered = circuits->any_offered;
    decide(circuits, now);
    circuits->any_offered = false;
    circuits->tick = orr_time_add(circuits->tick, circuits->of->period_ps);
    const bool moved =
        memcmp(circuits->present, circuits->next, circuits->pairs * sizeof *circuits->next) != 0;
    if (!moved && !(circuits->of->always_dark && went_on(circuits, offered))) {
        return offered; /* the next window has less in it */
    }
    circuits->dark = true;
    circuits->resume = orr_time_add(now, circuits->of->dark_ps);
    if (circuits->of->dark_ps == 0) {
        switch_over(circuits, now);
    } else {
        set_all(circuits, true);
    }
    return true;
}

static void circuits_skip(void *self, sim_time now)
{
    struct circuits *circuits = self;
    if (circuits->begun && !circuits->dark && circuits->tick < now) {
        circuits->tick +=
            (now - circuits->tick) / circuits->of->period_ps * circuits->of->period_ps;
    }
}

static void circuits_offered(void *self, const struct net_msg *msg)
{
    struct circuits *circuits = self;
    const uint32_t pair = msg->src.rank * circuits->graph->npus + msg->dst.rank;
    circuits->offered[pair] += (double)msg->bytes;
    circuits->total[pair] += (double)msg->bytes;
    circuits->any_offered = true;
}

static void circuits_tell(const void *self, struct orr_diag *diag)
{
    enum { SHOWN = 8 };
    const struct circuits *circuits = self;
    const uint32_t nodes = circuits->graph->npus;
    char at[64], from[NET_NODE_BYTES], to[NET_NODE_BYTES];
    uint32_t count = 0;
    orr_diag_append(diag,
                    "\n  network.circuits (%s) last set its circuits at %s:", circuits->ops->name,
                    orr_format_time(circuits->set_at, at, sizeof at));
    for (uint32_t pair = 0; pair < circuits->pairs; pair++) {
        if (circuits->present[pair] != 0 && count++ < SHOWN) {
            orr_diag_append(diag, "%s %s-%s", count == 1 ? "" : ",",
                            orr_net_node_name(circuits->graph, pair / nodes, from),
                            orr_net_node_name(circuits->graph, pair % nodes, to));
        }
    }
    if (count == 0) {
        orr_diag_append(diag, " none");
    }
    if (count > SHOWN) {
        orr_diag_append(diag, " and %" PRIu32 " more", count - SHOWN);
    }
}

static const struct net_controller_ops circuits_ops = {.name = "circuits",
                                                       .next = circuits_next,
                                                       .act = circuits_act,
                                                       .skip = circuits_skip,
                                                       .offered = circuits_offered,
                                                       .tell = circuits_tell};

enum orr_status orr_net_circuits_create(struct net_controller *out, struct net *net,
                                        struct orr_arena *arena, struct orr_diag *diag)
{
    const struct net_graph *graph = net->config->graph;
    if (graph->circuits == NULL) {
        return ORR_OK;
    }
    const uint32_t pairs = graph->npus * graph->npus;
    struct circuits *circuits = orr_arena_alloc(arena, sizeof *circuits);
    if (circuits == NULL) {
        return orr_diag_no_memory(diag, "the circuits of the network");
    }
    *circuits = (struct circuits){
        .net = net,
        .graph = graph,
        .of = graph->circuits,
        .ops = orr_net_circuits[graph->circuits->controller],
        .pairs = pairs,
        .present = orr_arena_array(arena, pairs, sizeof(uint16_t)),
        .next = orr_arena_array(arena, pairs, sizeof(uint16_t)),
        .offered = orr_arena_array(arena, pairs, sizeof(double)),
        .waiting = orr_arena_array(arena, pairs, sizeof(double)),
        .total = orr_arena_array(arena, pairs, sizeof(double)),
        .capacity = orr_arena_array(arena, pairs, sizeof(struct net_capacity)),
        .lit = orr_arena_array(arena, pairs, sizeof(uint16_t)),
        .wish = orr_arena_array(arena, pairs, sizeof *circuits->wish),
        .ends = orr_arena_array(arena, 2 * (size_t)graph->npus, sizeof *circuits->ends)};
    if (circuits->present == NULL || circuits->next == NULL || circuits->offered == NULL ||
        circuits->waiting == NULL || circuits->total == NULL || circuits->capacity == NULL ||
        circuits->lit == NULL || circuits->wish == NULL || circuits->ends == NULL) {
        return orr_diag_no_memory(diag, "the circuits of the network");
    }
    *out = (struct net_controller){.ops = &circuits_ops, .self = circuits};
    return ORR_OK;
}
