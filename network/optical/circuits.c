/* Periodic reconfiguration of circuits (docs/models.md, section 4: Circuits). Every period the
 * controller decides on the circuits. If they differ from the present ones, all circuits are dark
 * for the time of a reconfiguration, and then the new ones are lit. */
#include "network/optical/circuits.h"

#include <inttypes.h>
#include <string.h>

#include "core/extensions.h"
#include "core/units.h"
#include "network/capacity_changes.h"
#include "network/graph.h"
#include "network/net_backend.h"
#include "network/net_message.h"
#include "network/optical/livelock.h"

enum { RULE_BYTES = 160 };

#define ORR_CIRCUITS(name) extern const struct net_circuits_ops name;
#include "network/optical/circuits_list.h"
#undef ORR_CIRCUITS

const struct net_circuits_ops *const orr_net_circuits[] = {
#define ORR_CIRCUITS(name) &name,
#include "network/optical/circuits_list.h"
#undef ORR_CIRCUITS
    NULL};

const struct net_circuits_ops *orr_net_circuits_at(size_t index)
{
    enum { CONTROLLERS = sizeof orr_net_circuits / sizeof *orr_net_circuits - 1 };
    return index < CONTROLLERS ? orr_net_circuits[index]
                               : orr_extension_at(ORR_EXTENSION_CONTROLLER, index - CONTROLLERS);
}

const char *orr_net_circuits_name(size_t index)
{
    const struct net_circuits_ops *ops = orr_net_circuits_at(index);
    return ops != NULL ? ops->name : NULL;
}

const struct net_allocator_ops *orr_net_allocator(unsigned controller)
{
    return orr_net_circuits_at(controller)->allocator;
}

unsigned orr_net_controller_number(const char *controller)
{
    unsigned number = 0;
    const char *name;
    while ((name = orr_net_circuits_name(number)) != NULL && strcmp(name, controller) != 0) {
        number++;
    }
    return number;
}

const struct net_allocator_ops *orr_net_allocator_find(const char *controller)
{
    const struct net_circuits_ops *found_circuit =
        orr_net_circuits_at(orr_net_controller_number(controller));
    return found_circuit != NULL ? found_circuit->allocator : NULL;
}

/* Bytes of each pair, and the list of pairs that have any. */
struct pair_sums {
    double *bytes;  /* [pairs] */
    uint32_t *pair; /* [pairs] */
    uint32_t count;
};

struct circuits {
    struct net *net;
    const struct net_graph *graph;
    const struct net_circuits *of;
    const struct net_circuits_ops *ops;
    uint32_t pairs;
    uint16_t *present, *next, *none;           /* [pairs] */
    uint16_t *lit;                             /* [pairs] circuits that are lit in the network */
    struct pair_sums offered, waiting, before; /* before: waiting at the last decision */
    double *total;
    struct net_capacity *capacity; /* [pairs] */
    struct net_circuits_request *request;
    uint32_t *ends, *scratch;
    struct circuits_livelock livelock;
    bool begun, dark, any_offered;
    bool is_quiescent; /* nothing changed between the last two decisions, and no circuit moved */
    bool stalled;      /* livelock: the controller has stopped */
    sim_time tick, resume, set_at;
};

static void add_to(struct pair_sums *sums, uint32_t pair, double bytes)
{
    if (!(sums->bytes[pair] > 0) && bytes > 0) {
        sums->pair[sums->count++] = pair;
    }
    sums->bytes[pair] += bytes;
}

static void clear(struct pair_sums *sums)
{
    for (uint32_t i = 0; i < sums->count; i++) {
        sums->bytes[sums->pair[i]] = 0;
    }
    sums->count = 0;
}

static bool are_equal(const struct pair_sums *sums, const struct pair_sums *others)
{
    for (uint32_t i = 0; i < sums->count; i++) {
        const uint32_t pair = sums->pair[i];
        if (sums->bytes[pair] < others->bytes[pair] || sums->bytes[pair] > others->bytes[pair]) {
            return false;
        }
    }
    return sums->count == others->count;
}

static sim_time circuits_next(const void *self)
{
    const struct circuits *circuits = self;
    if (circuits->stalled) {
        return ORR_TIME_MAX;
    }
    return !circuits->begun ? 0 : circuits->dark ? circuits->resume : circuits->tick;
}

/* Whether the wanted circuits of any of these pairs differ. */
static bool differ(const struct circuits *circuits, const uint16_t *wanted, uint32_t pair,
                   uint32_t count)
{
    return memcmp(circuits->lit + pair, wanted + pair, count * sizeof *wanted) != 0;
}

static void set_pair(struct circuits *circuits, struct net_batch *batch, uint32_t pair,
                     uint16_t lanes)
{
    const uint32_t link = circuits->of->link[pair];
    if (link != NET_NO_LINK && circuits->lit[pair] != lanes) {
        circuits->capacity[batch->count++] = (struct net_capacity){
            .link = link, .lanes = lanes, .bytes_per_s = circuits->graph->link[link].bytes_per_s};
    }
    circuits->lit[pair] = lanes;
}

/* Sets all circuits that differ from before; dark: none is lit. */
static void set_all(struct circuits *circuits, bool dark)
{
    enum { AT_ONCE = 64 };
    const bool reroutes = circuits->graph->reroutes && !dark;
    struct net_batch batch = {.capacity = circuits->capacity,
                              .reroutes = reroutes,
                              .shortest = reroutes && circuits->of->shortest};
    const uint16_t *wanted = dark ? circuits->none : circuits->present;
    for (uint32_t first = 0; first < circuits->pairs; first += AT_ONCE) {
        const uint32_t left = circuits->pairs - first, count = left < AT_ONCE ? left : AT_ONCE;
        for (uint32_t i = 0; i < count && differ(circuits, wanted, first, count); i++) {
            set_pair(circuits, &batch, first + i, wanted[first + i]);
        }
    }
    circuits->net->ops->capacities->set(circuits->net, &batch);
}

static void begin_one_way(struct circuits *circuits)
{
    const uint32_t nodes = circuits->graph->npus;
    for (uint32_t i = 0; i < nodes * circuits->of->ports; i++) {
        const uint32_t from = i % nodes, step = 1 + i / nodes % (nodes - 1);
        circuits->present[from * nodes + (from + step) % nodes]++;
    }
}

/* The initial duplex circuits: two ports for each step ahead, which is a step back for the other
 * node, or one for a step halfway around; a remaining port connects neighbours in pairs. */
static void begin_duplex(struct circuits *circuits)
{
    const uint32_t nodes = circuits->graph->npus;
    uint32_t left = circuits->of->ports, step = 0;
    while (left > 0) {
        step = step < nodes / 2 ? step + 1 : 1;
        const bool half = 2 * step == nodes, pairs = !half && left == 1;
        step = pairs ? 1 : step;
        for (uint32_t from = 0; from < (half    ? step
                                        : pairs ? nodes - 1
                                                : nodes);
             from += pairs ? 2 : 1) {
            const uint32_t to = (from + step) % nodes;
            circuits->present[from * nodes + to]++;
            circuits->present[to * nodes + from]++;
        }
        left -= half || pairs ? 1 : 2;
    }
}

/* The initial circuits, from the first message on: each node to the nodes after it. */
static void begin(struct circuits *circuits)
{
    if (circuits->of->duplex) {
        begin_duplex(circuits);
    } else {
        begin_one_way(circuits);
    }
    for (uint32_t pair = 0; pair < circuits->pairs; pair++) {
        circuits->lit[pair] = (uint16_t)circuits->of->ports; /* as in the graph */
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
    struct circuits *circuits = context;
    if (at < circuits->graph->npus) {
        /* a message without bytes also needs a circuit */
        add_to(&circuits->waiting, at * circuits->graph->npus + dst, bytes > 1 ? bytes : 1);
    }
}

static struct net_circuits_view view_of(const struct circuits *circuits, sim_time now)
{
    return (struct net_circuits_view){.nodes = circuits->graph->npus,
                                      .ports = circuits->of->ports,
                                      .duplex = circuits->of->duplex,
                                      .discount = circuits->of->discount,
                                      .now = now,
                                      .offered = circuits->offered.bytes,
                                      .waiting = circuits->waiting.bytes,
                                      .total = circuits->total,
                                      .waiting_pair = circuits->waiting.pair,
                                      .waiting_pairs = circuits->waiting.count,
                                      .present = circuits->present,
                                      .request = circuits->request,
                                      .ends = circuits->ends,
                                      .scratch = circuits->scratch};
}

/* Updates the waiting bytes; those of the last decision become `before`. */
static void update_waiting(struct circuits *circuits)
{
    const struct pair_sums before = circuits->waiting;
    circuits->waiting = circuits->before;
    circuits->before = before;
    clear(&circuits->waiting);
    circuits->net->ops->capacities->waiting(circuits->net, count_waiting, circuits);
}

/* A broken rule ends the run; until then the circuits stay. */
static void check_decision(struct circuits *circuits, const struct net_circuits_view *view)
{
    char text[RULE_BYTES];
    if (!orr_circuits_check(view, circuits->next, text, sizeof text)) {
        orr_evq_fail(circuits->net->queue, "network.circuits.controller: %s: %s",
                     circuits->ops->name, text);
        memcpy(circuits->next, circuits->present, circuits->pairs * sizeof *circuits->next);
    }
}

static void decide(struct circuits *circuits, const struct net_circuits_view *view)
{
    memset(circuits->next, 0, circuits->pairs * sizeof *circuits->next);
    circuits->ops->decide(view, circuits->next);
    if (circuits->ops->is_checked) {
        check_decision(circuits, view);
    }
    if (circuits->of->connects && circuits->graph->reroutes) {
        (void)orr_circuits_connect(view, circuits->ops, circuits->next);
    }
    clear(&circuits->offered);
    circuits->any_offered = false;
}

static bool stop(struct circuits *circuits)
{
    circuits->stalled = true;
    circuits->dark = true;
    set_all(circuits, true);
    return true;
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
    update_waiting(circuits);
    const struct net_circuits_view view = view_of(circuits, now);
    const bool offered = circuits->any_offered;
    const bool same = are_equal(&circuits->waiting, &circuits->before);
    if (orr_circuits_livelocked(&circuits->livelock, &view, circuits->net, offered)) {
        return stop(circuits);
    }
    decide(circuits, &view);
    circuits->tick = orr_time_add(circuits->tick, circuits->of->period_ps);
    const bool moved =
        memcmp(circuits->present, circuits->next, circuits->pairs * sizeof *circuits->next) != 0;
    circuits->is_quiescent = !moved && !offered && same;
    /* Without progress and without a move, going dark would only repeat itself. */
    if (!moved && !(circuits->of->always_dark && (offered || !same))) {
        return offered; /* the next window has less */
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

/* Whether no two waiting pairs have an end in common, so that the amounts do not matter. */
static bool is_alone(const struct circuits *circuits)
{
    const uint32_t nodes = circuits->graph->npus;
    uint32_t *sends = circuits->ends, *receives = circuits->ends + nodes;
    memset(circuits->ends, 0, 2 * nodes * sizeof *circuits->ends);
    for (uint32_t i = 0; i < circuits->waiting.count; i++) {
        const uint32_t from = circuits->waiting.pair[i] / nodes;
        const uint32_t to = circuits->waiting.pair[i] % nodes;
        if (sends[from]++ != 0 || receives[to]++ != 0 || circuits->of->duplex ||
            circuits->of->connects) {
            return false;
        }
    }
    return true;
}

/* Only for decisions that depend on the waiting bytes alone (net_circuits_ops.need). */
static bool circuits_is_quiescent(const void *self)
{
    const struct circuits *circuits = self;
    return !circuits->dark && circuits->ops->need != NULL &&
           (circuits->is_quiescent || is_alone(circuits));
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
    add_to(&circuits->offered, pair, (double)msg->bytes);
    circuits->total[pair] += (double)msg->bytes;
    circuits->any_offered = true;
}

/* ---- error texts ---- */

enum { SHOWN = 8 };

/* Appends the count-th pair, from 1 on, up to SHOWN. */
static void describe_pair(const struct circuits *circuits, uint32_t pair, uint32_t count,
                          struct orr_diag *diag)
{
    const uint32_t nodes = circuits->graph->npus;
    char from[NET_NODE_BYTES], to[NET_NODE_BYTES];
    if (count <= SHOWN) {
        orr_diag_append(diag, "%s %s-%s", count == 1 ? "" : ",",
                        orr_net_node_name(circuits->graph, pair / nodes, from),
                        orr_net_node_name(circuits->graph, pair % nodes, to));
    }
}

static void describe_rest(uint32_t count, struct orr_diag *diag)
{
    if (count == 0) {
        orr_diag_append(diag, " none");
    }
    if (count > SHOWN) {
        orr_diag_append(diag, " and %" PRIu32 " more", count - SHOWN);
    }
}

static void describe_livelock(const struct circuits *circuits, struct orr_diag *diag)
{
    char since[64], kept[64];
    uint32_t count = 0;
    orr_diag_append(diag,
                    "\n  livelock, circuits would move for ever: no message has come or arrived "
                    "since %s, and circuits and waiting bytes are as at %s; pairs that wait:",
                    orr_format_time(circuits->livelock.since, since, sizeof since),
                    orr_format_time(circuits->livelock.kept_at, kept, sizeof kept));
    for (uint32_t pair = 0; pair < circuits->pairs; pair++) {
        if (circuits->waiting.bytes[pair] > 0) {
            describe_pair(circuits, pair, ++count, diag);
            if (count <= SHOWN) {
                orr_diag_append(diag, " (%.6g bytes)", circuits->waiting.bytes[pair]);
            }
        }
    }
    describe_rest(count, diag);
}

static void circuits_describe(const void *self, struct orr_diag *diag)
{
    const struct circuits *circuits = self;
    char at[64];
    uint32_t count = 0;
    orr_diag_append(diag,
                    "\n  network.circuits (%s) last set its circuits at %s:", circuits->ops->name,
                    orr_format_time(circuits->set_at, at, sizeof at));
    for (uint32_t pair = 0; pair < circuits->pairs; pair++) {
        if (circuits->present[pair] != 0) {
            describe_pair(circuits, pair, ++count, diag);
        }
    }
    describe_rest(count, diag);
    if (circuits->stalled) {
        describe_livelock(circuits, diag);
    }
}

static const struct net_controller_ops circuits_ops = {.name = "circuits",
                                                       .next = circuits_next,
                                                       .act = circuits_act,
                                                       .skip = circuits_skip,
                                                       .is_quiescent = circuits_is_quiescent,
                                                       .offered = circuits_offered,
                                                       .describe = circuits_describe};

static bool init_sums(struct pair_sums *sums, struct orr_arena *arena, uint32_t pairs)
{
    sums->bytes = orr_arena_array(arena, pairs, sizeof *sums->bytes);
    sums->pair = orr_arena_array(arena, pairs, sizeof *sums->pair);
    return sums->bytes != NULL && sums->pair != NULL;
}

static bool allocate_arrays(struct circuits *circuits, struct orr_arena *arena)
{
    const uint32_t pairs = circuits->pairs, nodes = circuits->graph->npus;
    circuits->present = orr_arena_array(arena, pairs, sizeof(uint16_t));
    circuits->next = orr_arena_array(arena, pairs, sizeof(uint16_t));
    circuits->none = orr_arena_array(arena, pairs, sizeof(uint16_t));
    circuits->lit = orr_arena_array(arena, pairs, sizeof(uint16_t));
    circuits->total = orr_arena_array(arena, pairs, sizeof(double));
    circuits->capacity = orr_arena_array(arena, pairs, sizeof *circuits->capacity);
    circuits->request = orr_arena_array(arena, pairs, sizeof *circuits->request);
    circuits->ends = orr_arena_array(arena, 2 * (size_t)nodes, sizeof *circuits->ends);
    circuits->scratch = orr_arena_array(arena, NET_CIRCUITS_SCRATCH(nodes, circuits->of->ports),
                                        sizeof *circuits->scratch);
    return init_sums(&circuits->offered, arena, pairs) &&
           init_sums(&circuits->waiting, arena, pairs) &&
           init_sums(&circuits->before, arena, pairs) &&
           orr_circuits_livelock_init(&circuits->livelock, arena, pairs) &&
           circuits->present != NULL && circuits->next != NULL && circuits->none != NULL &&
           circuits->lit != NULL && circuits->total != NULL && circuits->capacity != NULL &&
           circuits->request != NULL && circuits->ends != NULL && circuits->scratch != NULL;
}

enum orr_status orr_net_circuits_create(struct net_controller *out, struct net *net,
                                        struct orr_arena *arena, struct orr_diag *diag)
{
    const struct net_graph *graph = net->config->graph;
    if (graph->circuits == NULL || graph->circuits->allocated != NULL) {
        return ORR_OK;
    }
    struct circuits *circuits = orr_arena_alloc(arena, sizeof *circuits);
    if (circuits == NULL) {
        return orr_diag_no_memory(diag, "the circuits of the network");
    }
    *circuits = (struct circuits){.net = net,
                                  .graph = graph,
                                  .of = graph->circuits,
                                  .ops = orr_net_circuits_at(graph->circuits->controller),
                                  .pairs = graph->npus * graph->npus};
    if (!allocate_arrays(circuits, arena)) {
        return orr_diag_no_memory(diag, "the circuits of the network");
    }
    *out = (struct net_controller){.ops = &circuits_ops, .self = circuits};
    return ORR_OK;
}
