/* Designs as fabrics: see network/design.h. TopoOpt section 5.1 defines the designs and section 3
 * the layers of switches; the electrical designs are from SiP-ML, section 4.1. */
#include "network/design.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/arena.h"
#include "core/diag.h"
#include "core/units.h"
#include "network/cost/cost.h"
#include "network/fabric_build.h"
#include "network/graph.h"
#include "network/graph_build.h"
#include "network/permutations/permutations.h"
#include "network/route_options.h"

enum { FABRIC_BYTES = 1024 };

const char *const orr_net_design_names[] = {
    "topoopt",       "ideal-switch",   "fat-tree",     "oversubscribed-fat-tree",
    "expander",      "sip-appendix-f", "ocs-reconfig", "elect-flat",
    "elect-cluster", "sip-ocs",        "sip-ring",     NULL};
const char *const orr_net_fat_tree_rules[] = {"paper", "affordable", "undivided", NULL};
const char *const orr_net_design_layers[] = {"server", "tor", "spine", NULL};

char *orr_net_design_bandwidth(double bytes_per_s, char *text)
{
    double back = 0;
    (void)snprintf(text, NET_BANDWIDTH_BYTES, "%.9gGb/s", bytes_per_s * 8 / 1e9);
    if (!orr_parse_bandwidth(text, &back) || back < bytes_per_s || back > bytes_per_s) {
        (void)snprintf(text, NET_BANDWIDTH_BYTES, "%.17gB/s", bytes_per_s);
    }
    return text;
}

/* A design being worked out. */
struct draft {
    struct orr_arena *arena;
    const struct net_design *of;
    struct net_design_parts *out;
    struct orr_diag *diag;
    uint32_t ends;           /* nodes that the optical layer connects */
    char text[FABRIC_BYTES]; /* notation of the fabric so far */
    size_t length;
};

static enum orr_status no_memory(const struct draft *draft)
{
    return orr_diag_no_memory(draft->diag, "a design");
}

/* Fails with the error of a key; the message says what was expected. */
ORR_PRINTF(3, 4)
static enum orr_status fail(const struct draft *draft, const char *key, const char *format, ...)
{
    char why[FABRIC_BYTES];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(why, sizeof why, format, arguments);
    va_end(arguments);
    draft->out->key = key;
    return orr_diag_fail(draft->diag, ORR_ERR_INPUT, NULL, "network.design.%s: %s", key, why);
}

ORR_PRINTF(2, 3)
static void add(struct draft *draft, const char *format, ...)
{
    const size_t bytes_left = FABRIC_BYTES - draft->length;
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(draft->text + draft->length, bytes_left, format, arguments);
    va_end(arguments);
    draft->length += length > 0 && (size_t)length < bytes_left ? (size_t)length : 0;
}

/* Fails: fewer than `min` servers or switches below the optical layer. */
static enum orr_status fail_too_few(const struct draft *draft, uint32_t min)
{
    static const char *const key[] = {"servers", "servers_per_tor", "tors_per_spine"};
    static const char *const what[] = {"servers", "ToR switches", "spine switches"};
    const enum net_design_layer layer = draft->of->layer;
    return fail(draft, key[layer],
                "expected %" PRIu32 " or more %s for the optical layer to join%s, got %" PRIu32,
                min, what[layer],
                min > 2 ? " by jumps of duplex links (links: one-way takes 2)" : "", draft->ends);
}

/* ---- jumps ---- */

static enum orr_status select_jumps(const struct draft *draft, uint32_t wanted,
                                    struct net_jumps *out)
{
    const struct net_design *design = draft->of;
    const struct net_jump_choice choice = {.servers = draft->ends,
                                           .positions = draft->ends,
                                           .wanted = wanted,
                                           .links = design->one_way ? NET_ONE_WAY : NET_DUPLEX,
                                           .select = NET_GEOMETRIC};
    struct net_jumps all;
    if (design->jumps == NET_JUMPS_PUBLISHED) {
        return orr_net_select_published(draft->arena, draft->ends, wanted, out) ? ORR_OK
                                                                                : no_memory(draft);
    }
    return orr_net_totient_perms(draft->arena, draft->ends, choice.links, false, &all) &&
                   orr_net_select(draft->arena, &all, &choice, out)
               ? ORR_OK
               : no_memory(draft);
}

/* Interfaces that a jump takes: 1 if one-way or if the jump is its own reverse, else 2. */
static uint32_t interfaces_of(const struct draft *draft, uint32_t jump)
{
    return draft->of->one_way || 2 * (uint64_t)jump == draft->ends ? 1 : 2;
}

static enum orr_status find_jumps(struct draft *draft, struct net_jumps *out)
{
    const struct net_design *design = draft->of;
    uint32_t left = design->degree;
    enum orr_status status = ORR_OK;
    if (design->jumps == NET_JUMPS_LISTED) {
        *out = (struct net_jumps){.jump = design->jump, .jumps = (uint32_t)design->jump_count};
    } else if (!design->one_way && draft->ends < 3) {
        return fail_too_few(draft, 3);
    } else if (design->one_way || design->degree % 2 == 0) {
        status = select_jumps(draft, design->one_way ? design->degree : design->degree / 2, out);
    } else {
        return fail(
            draft, "degree",
            "expected an even degree for jumps of duplex links, which take two interfaces each "
            "(links: one-way takes one, and jumps may be given), got %" PRIu32,
            design->degree);
    }
    for (uint32_t i = 0; i < out->jumps && status == ORR_OK; i++) {
        const uint32_t taken = interfaces_of(draft, out->jump[i]);
        if (taken > left) {
            return fail(draft, "jumps",
                        "expected jumps for %" PRIu32 " interfaces, %s each, got %" PRIu32 " jumps",
                        design->degree, design->one_way ? "one" : "two", out->jumps);
        }
        left -= taken;
    }
    draft->out->idle = left;
    return status;
}

/* Finds a jump with cycles of odd length. A cable uses the same interface index at both ends, so a
 * panel holds a matching. A cycle of even length is two matchings; an odd cycle needs three. */
static void find_odd_cycle(struct draft *draft, const struct net_jumps *jumps)
{
    for (uint32_t i = 0; i < jumps->jumps && !draft->of->one_way; i++) {
        uint32_t divisor = draft->ends, rest = jumps->jump[i] % draft->ends;
        while (rest != 0) {
            const uint32_t next = divisor % rest;
            divisor = rest;
            rest = next;
        }
        const uint32_t cycle = draft->ends / divisor;
        if (cycle > 1 && cycle % 2 != 0 && draft->out->odd_cycle == 0) {
            draft->out->odd_jump = jumps->jump[i];
            draft->out->odd_cycle = cycle;
        }
    }
}

static enum orr_status make_topoopt(struct draft *draft)
{
    struct net_jumps jumps = {.jumps = 0};
    const enum orr_status status = find_jumps(draft, &jumps);
    add(draft, "circulant:");
    for (uint32_t i = 0; i < jumps.jumps && status == ORR_OK; i++) {
        add(draft, "%s%s%" PRIu32, i > 0 ? "," : "", draft->of->one_way ? "+" : "", jumps.jump[i]);
    }
    draft->out->optical = true;
    if (status == ORR_OK) {
        find_odd_cycle(draft, &jumps);
    }
    return status;
}

/* ---- fat-trees ---- */

/* The price rules of the network; all other rules at their defaults. */
static struct net_cost_rules price_rules(const struct draft *draft)
{
    struct net_cost_rules rules = {.optical = NET_OPTICAL_NONE};
    const struct net_cost_rules *prices = draft->of->prices;
    if (prices != NULL) {
        rules.cards = prices->cards;
        rules.without_fibres = prices->without_fibres;
        memcpy(rules.discount, prices->discount, sizeof rules.discount);
    }
    return rules;
}

/* Price of `degree` interfaces per server behind patch panels with a port for each. */
static enum orr_status price_interfaces(const struct draft *draft, double *dollars)
{
    const uint32_t servers = draft->of->servers;
    struct net_cost_rules rules = price_rules(draft);
    struct net_graph_builder builder;
    struct net_graph graph;
    struct net_cost cost = {.total_dollars = 0};
    rules.optical = NET_OPTICAL_PATCH_PANEL;
    rules.optical_ports = NET_MAX_NODES;
    orr_net_graph_begin(&builder, draft->arena, servers, 0);
    for (uint32_t i = 0; i < servers; i++) {
        orr_net_graph_link(&builder, &(struct net_link){.from = i,
                                                        .to = (i + 1) % servers,
                                                        .count = draft->of->degree,
                                                        .bytes_per_s = draft->of->bytes_per_s});
    }
    enum orr_status status = orr_net_graph_end(&builder, &graph, draft->diag);
    if (status == ORR_OK) {
        status = orr_net_graph_cost(&graph, &rules, &cost, draft->diag);
    }
    *dollars = cost.total_dollars;
    return status;
}

static enum orr_status price_fat_tree(const struct draft *draft, double bytes_per_s,
                                      double *dollars)
{
    const struct net_fabric fabric = {
        .text = "fat-tree", .npus = draft->of->servers, .kind = {.bytes_per_s = bytes_per_s}};
    const struct net_cost_rules rules = price_rules(draft);
    struct net_graph graph;
    const struct net_routing *routing;
    struct net_cost cost = {.total_dollars = 0};
    enum orr_status status =
        orr_net_build_fabric(&fabric, draft->arena, &graph, &routing, draft->diag);
    if (status == ORR_OK) {
        status = orr_net_graph_cost(&graph, &rules, &cost, draft->diag);
    }
    *dollars = cost.total_dollars;
    return status;
}

/* Sets the bandwidth to the fastest row of Table 2 whose fat-tree costs no more than the interfaces
 * behind patch panels. */
static enum orr_status find_affordable(struct draft *draft)
{
    static const double gbit_per_s[] = {200, 100, 40, 25, 10};
    double max = 0, dollars = 0;
    enum orr_status status = draft->of->servers > 1
                                 ? price_interfaces(draft, &max)
                                 : fail(draft, "servers", "expected 2 or more servers, got 1");
    for (size_t i = 0; i < sizeof gbit_per_s / sizeof *gbit_per_s && status == ORR_OK; i++) {
        draft->out->bytes_per_s = gbit_per_s[i] * 1e9 / 8;
        status = price_fat_tree(draft, draft->out->bytes_per_s, &dollars);
        if (status == ORR_OK && dollars <= max) {
            return ORR_OK;
        }
    }
    return status == ORR_OK
               ? fail(draft, "rule",
                      "expected interfaces that cost as much as a fat-tree of 10 Gb/s or more: "
                      "they cost %.0f dollars behind patch panels, the fat-tree %.0f",
                      max, dollars)
               : status;
}

static enum orr_status make_fat_tree(struct draft *draft)
{
    draft->out->bytes_per_s *=
        draft->of->rule == NET_FAT_TREE_PAPER ? draft->of->degree / 4.0 : (double)draft->of->degree;
    add(draft, "fat-tree");
    return draft->of->rule == NET_FAT_TREE_AFFORDABLE ? find_affordable(draft) : ORR_OK;
}

/* The smallest fat-tree (fewest ports per switch) with enough hosts. */
static enum orr_status make_oversubscribed(struct draft *draft)
{
    uint64_t ports = 2;
    while (ports * ports * ports / 4 < draft->of->servers) {
        ports += 2;
    }
    draft->out->bytes_per_s *= draft->of->degree;
    add(draft, "fat-tree:%" PRIu64 ",2", ports);
    return ORR_OK;
}

/* ---- the others ---- */

static enum orr_status make_ideal(struct draft *draft)
{
    draft->out->bytes_per_s *= draft->of->degree;
    add(draft, "ideal-switch");
    return ORR_OK;
}

static enum orr_status make_expander(struct draft *draft)
{
    add(draft, "expander:%" PRIu32, draft->of->degree);
    return ORR_OK;
}

static enum orr_status make_circuits(struct draft *draft)
{
    (void)draft;
    return ORR_OK;
}

static enum orr_status make_flat(struct draft *draft)
{
    add(draft, "ideal-switch");
    return ORR_OK;
}

/* GPUs have their bandwidth to the switch inside the server; each server has one link upwards. */
static enum orr_status make_cluster(struct draft *draft)
{
    const struct net_design *design = draft->of;
    char bandwidth[NET_BANDWIDTH_BYTES];
    if (design->servers % design->gpus_per_server != 0) {
        return fail(draft, "servers",
                    "expected a multiple of %" PRIu32 " GPUs (gpus_per_server), got %" PRIu32,
                    design->gpus_per_server, design->servers);
    }
    add(draft, "ideal-switch/%" PRIu32 "@%s:server", design->gpus_per_server,
        orr_net_design_bandwidth(design->bytes_per_s, bandwidth));
    draft->out->bytes_per_s = design->server_bytes_per_s;
    return ORR_OK;
}

/* Circuits share the bandwidth of a GPU evenly. */
static enum orr_status make_allocated(struct draft *draft)
{
    draft->out->bytes_per_s /= draft->of->degree;
    return ORR_OK;
}

static const struct {
    enum orr_status (*make)(struct draft *draft);
    bool layered; /* supports switches below the optical layer */
} design_kinds[NET_DESIGNS] = {
    [NET_DESIGN_TOPOOPT] = {make_topoopt, true},
    [NET_DESIGN_IDEAL_SWITCH] = {make_ideal, false},
    [NET_DESIGN_FAT_TREE] = {make_fat_tree, false},
    [NET_DESIGN_OVERSUBSCRIBED] = {make_oversubscribed, false},
    [NET_DESIGN_EXPANDER] = {make_expander, true},
    [NET_DESIGN_SIP] = {make_circuits, false},
    [NET_DESIGN_OCS] = {make_circuits, false},
    [NET_DESIGN_FLAT] = {make_flat, false},
    [NET_DESIGN_CLUSTER] = {make_cluster, false},
    [NET_DESIGN_SIP_OCS] = {make_allocated, false},
    [NET_DESIGN_SIP_RING] = {make_allocated, false},
};

/* ---- layers ---- */

/* Divides the ends by the number of nodes below one switch, the value of `key`. */
static enum orr_status divide_ends(struct draft *draft, const char *key, uint32_t below,
                                   const char *what)
{
    if (below == 0) {
        return fail(draft, key, "expected how many %s, as layer: %s needs it", what,
                    orr_net_design_layers[draft->of->layer]);
    }
    if (draft->ends % below != 0) {
        return fail(draft, key, "expected a divisor of %" PRIu32 ", got %" PRIu32, draft->ends,
                    below);
    }
    draft->ends /= below;
    return ORR_OK;
}

static enum orr_status find_ends(struct draft *draft)
{
    const struct net_design *design = draft->of;
    draft->ends = design->servers;
    if (design->layer == NET_LAYER_SERVER) {
        return ORR_OK;
    }
    if (!design_kinds[design->name].layered) {
        return fail(draft, "layer",
                    "expected server: in a design %s no optical layer joins switches, got %s",
                    orr_net_design_names[design->name], orr_net_design_layers[design->layer]);
    }
    enum orr_status status = divide_ends(draft, "servers_per_tor", design->servers_per_tor,
                                         "servers are below a ToR switch");
    if (status == ORR_OK && design->layer == NET_LAYER_SPINE) {
        status = divide_ends(draft, "tors_per_spine", design->tors_per_spine,
                             "ToR switches are below a spine switch");
    }
    return status;
}

/* Adds the levels of switches below the optical layer; rings of the optical layer go through all
 * servers. */
static void add_levels(struct draft *draft)
{
    const struct net_design *design = draft->of;
    char bandwidth[NET_BANDWIDTH_BYTES];
    if (design->layer == NET_LAYER_SPINE) {
        add(draft, "/%" PRIu32 "@%s:tor", design->tors_per_spine,
            orr_net_design_bandwidth(design->uplink_bytes_per_s, bandwidth));
    }
    if (design->layer != NET_LAYER_SERVER) {
        add(draft, "/%" PRIu32, design->servers_per_tor);
        if (design->layer == NET_LAYER_SPINE && design->uplinks > 1) {
            add(draft, "x%" PRIu32, design->uplinks);
        }
        add(draft, "@%s:tor", orr_net_design_bandwidth(design->server_bytes_per_s, bandwidth));
    }
}

enum orr_status orr_net_design_parts(struct orr_arena *arena, const struct net_design *design,
                                     struct net_design_parts *out, struct orr_diag *diag)
{
    struct draft draft = {.arena = arena, .of = design, .out = out, .diag = diag};
    *out = (struct net_design_parts){.bytes_per_s = design->bytes_per_s};
    enum orr_status status = find_ends(&draft);
    const bool allocated = net_design_is_allocated(design->name);
    const uint32_t max = allocated ? NET_DESIGN_MAX_CIRCUITS : NET_DESIGN_MAX_DEGREE;
    if (status == ORR_OK && !net_design_is_electrical(design->name) &&
        (design->degree < 1 || design->degree > max)) {
        status = fail(&draft, "degree", "expected 1 to %" PRIu32 " %s, got %" PRIu32, max,
                      design->name == NET_DESIGN_SIP_OCS    ? "optical switches"
                      : design->name == NET_DESIGN_SIP_RING ? "wavelengths"
                                                            : "interfaces",
                      design->degree);
    }
    if (status == ORR_OK && allocated && draft.ends < 2) {
        status = fail_too_few(&draft, 2);
    }
    if (status == ORR_OK && design_kinds[design->name].layered && draft.ends < 2) {
        status = fail_too_few(&draft, 2);
    }
    out->ends = draft.ends;
    if (status == ORR_OK) {
        status = design_kinds[design->name].make(&draft);
    }
    if (status == ORR_OK && draft.length != 0) {
        add_levels(&draft);
        out->fabric = orr_arena_strdup(arena, draft.text);
        status = out->fabric != NULL ? ORR_OK : no_memory(&draft);
    }
    return status;
}
