/* Hardware parts of a graph, counted link by link: see cost.h.
 *
 * A link has a transceiver and a NIC or switch port at each end, and a fibre between; or, if an
 * optical layer connects it, a fibre from each end to that layer. Ports of 100 Gb/s are summed per
 * server, because two share a card. */
#include "network/cost/cost.h"

#include "core/arena.h"
#include "core/diag.h"
#include "network/graph.h"

#include <math.h>

#define UNKNOWN UINT32_MAX

struct tally {
    const struct net_graph *graph;
    const struct net_cost_rules *rules;
    struct net_cost *cost;
    double *ports;   /* [npus + servers]: 100 Gb/s ports that share cards */
    uint32_t *level; /* [nodes]: hops from the nearest NPU or server */
    uint32_t *queue; /* [nodes] */
    int64_t *excess; /* [nodes]: one-way links in minus one-way links out of a node: receivers
                        without a transmitter */
    bool *joined;    /* [nodes]: has an interface at the optical layer */
};

static void add(const struct tally *tally, enum net_part part, double count, double dollars)
{
    struct net_cost *cost = tally->cost;
    if (part == NET_PART_FIBRE && tally->rules->without_fibres) {
        return;
    }
    const double reduced = dollars * (1 - tally->rules->discount[part]);
    cost->count[part] += (uint64_t)count;
    cost->dollars[part] += count * reduced;
    cost->total_dollars += count * reduced;
}

/* NPUs and servers have NICs. */
static bool has_nics(const struct net_graph *graph, uint32_t node)
{
    return node < graph->npus + graph->servers;
}

struct cables {
    uint32_t ends[2];
    double count, gbit_per_s;
};

/* ---- cards ---- */

static void add_interfaces(const struct tally *tally, uint32_t node, double count,
                           double gbit_per_s)
{
    const struct net_price price = orr_net_price(gbit_per_s);
    if (price.of_100_gbit && tally->rules->cards == NET_CARDS_PAIRED) {
        tally->ports[node] += count * orr_net_lanes(gbit_per_s);
    } else {
        add(tally, NET_PART_NIC, count * price.cards, price.nic / price.cards);
    }
}

static void add_shared_cards(const struct tally *tally)
{
    const struct net_graph *graph = tally->graph;
    for (uint32_t node = 0; node < graph->npus + graph->servers; node++) {
        const double pairs = floor(tally->ports[node] / 2);
        add(tally, NET_PART_NIC, pairs, orr_net_price_of_pair());
        add(tally, NET_PART_NIC, tally->ports[node] - 2 * pairs, orr_net_price(100).nic);
    }
}

/* ---- cables and circuits ---- */

/* Adds the parts at one end of the cables. */
static void add_end(const struct tally *tally, const struct cables *cables, uint32_t node)
{
    const struct net_price price = orr_net_price(cables->gbit_per_s);
    const double lanes = cables->count * orr_net_lanes(cables->gbit_per_s);
    add(tally, NET_PART_TRANSCEIVER, lanes, price.transceiver);
    if (has_nics(tally->graph, node)) {
        add_interfaces(tally, node, cables->count, cables->gbit_per_s);
    } else {
        add(tally, NET_PART_SWITCH_PORT, lanes, price.switch_port);
    }
}

/* Adds the optical parts of interfaces: two panel ports each, behind a 1x2 switch (look-ahead), or
 * one port of an optical switch. */
static void add_optics(const struct tally *tally, double interfaces)
{
    const struct net_technology *technology = orr_net_technology(tally->rules->optical);
    add(tally, NET_PART_FIBRE, interfaces, orr_net_price_of(NET_PART_FIBRE));
    if (tally->rules->optical == NET_OPTICAL_PATCH_PANEL) {
        add(tally, NET_PART_PANEL_PORT, 2 * interfaces, orr_net_price_of(NET_PART_PANEL_PORT));
        add(tally, NET_PART_1X2_SWITCH, interfaces, orr_net_price_of(NET_PART_1X2_SWITCH));
        return;
    }
    add(tally, NET_PART_OCS_PORT, interfaces,
        technology->priced ? orr_net_price_of(NET_PART_OCS_PORT) : 0);
    if (!technology->priced) {
        tally->cost->unpriced = technology->title;
    }
}

/* An optical layer connects nodes of one level, not nodes with what is below them. */
static bool is_direct(const struct tally *tally, const struct cables *cables)
{
    const uint32_t *level = tally->level;
    return tally->rules->optical != NET_OPTICAL_NONE &&
           level[cables->ends[0]] == level[cables->ends[1]];
}

/* Adds cables: a fibre for each 100 Gb/s, or both ends on fibres to the optical layer. `at` is the
 * number of interfaces at each end. */
static void add_cables(const struct tally *tally, const struct cables *cables, const double at[2])
{
    const bool direct = is_direct(tally, cables);
    for (int end = 0; end < 2; end++) {
        struct cables end_cables = *cables;
        end_cables.count = at[end];
        add_end(tally, &end_cables, cables->ends[end]);
        tally->joined[cables->ends[end]] |= direct;
    }
    if (direct) {
        add_optics(tally, at[0] + at[1]);
    } else {
        add(tally, NET_PART_FIBRE, cables->count * orr_net_lanes(cables->gbit_per_s),
            orr_net_price_of(NET_PART_FIBRE));
    }
}

/* ---- links ---- */

static bool is_one_way(const struct net_graph *graph, const struct net_link *link)
{
    return orr_net_graph_find(graph, link->to, link->from) == NET_NO_LINK;
}

static void find_excess(const struct tally *tally)
{
    const struct net_graph *graph = tally->graph;
    for (uint32_t i = 0; i < graph->links; i++) {
        const struct net_link *link = &graph->link[i];
        if (is_one_way(graph, link)) {
            tally->excess[link->to] += link->count;
            tally->excess[link->from] -= link->count;
        }
    }
}

/* Interfaces that a one-way link needs at its receiving end beyond those that also transmit. */
static double take_excess(int64_t *excess, const struct net_link *link)
{
    const int64_t left = excess[link->to] > 0 ? excess[link->to] : 0;
    const int64_t taken = left < link->count ? left : link->count;
    excess[link->to] -= taken;
    return (double)taken;
}

/* Breadth first. */
static void find_levels(const struct tally *tally)
{
    const struct net_graph *graph = tally->graph;
    uint32_t *level = tally->level, *queue = tally->queue, end = 0;
    for (uint32_t node = 0; node < graph->nodes; node++) {
        level[node] = has_nics(graph, node) ? 0 : UNKNOWN;
        if (level[node] == 0) {
            queue[end++] = node;
        }
    }
    for (uint32_t at = 0; at < end; at++) {
        const uint32_t from = queue[at];
        for (uint32_t i = graph->first_out[from]; i < graph->first_out[from + 1]; i++) {
            const uint32_t to = graph->link[i].to;
            if (level[to] == UNKNOWN) {
                level[to] = level[from] + 1;
                queue[end++] = to;
            }
        }
    }
}

static bool is_counted(const struct net_graph *graph, const struct net_link *link, uint32_t other)
{
    const uint32_t low = link->from < link->to ? link->from : link->to;
    const uint32_t high = link->from < link->to ? link->to : link->from;
    const bool inside = low < graph->npus && high >= graph->npus && has_nics(graph, high);
    const bool circuit = graph->circuits != NULL && high < graph->npus;
    return !inside && !circuit &&
           (other == NET_NO_LINK || link->from < link->to); /* a duplex link is one cable */
}

static void add_links(const struct tally *tally)
{
    const struct net_graph *graph = tally->graph;
    for (uint32_t i = 0; i < graph->links; i++) {
        const struct net_link *link = &graph->link[i];
        const uint32_t other = orr_net_graph_find(graph, link->to, link->from);
        const struct net_link *back = other == NET_NO_LINK ? link : &graph->link[other];
        if (!is_counted(graph, link, other)) {
            continue;
        }
        const double faster =
            link->bytes_per_s > back->bytes_per_s ? link->bytes_per_s : back->bytes_per_s;
        const struct cables cables = {.ends = {link->from, link->to},
                                      .count =
                                          link->count > back->count ? link->count : back->count,
                                      .gbit_per_s = faster * 8 / 1e9};
        const double at[] = {cables.count, other == NET_NO_LINK ? take_excess(tally->excess, link)
                                                                : cables.count};
        add_cables(tally, &cables, at);
    }
}

/* Adds the interfaces of NPUs with circuits that a controller moves. */
static void add_circuits(const struct tally *tally)
{
    const struct net_circuits *circuits = tally->graph->circuits;
    for (uint32_t npu = 0; circuits != NULL && npu < tally->graph->npus; npu++) {
        add_end(tally,
                &(struct cables){.count = circuits->ports,
                                 .gbit_per_s = circuits->bytes_per_s * 8 / 1e9},
                npu);
        tally->joined[npu] = true;
        if (tally->rules->optical == NET_OPTICAL_NONE) {
            tally->cost->unpriced = "what moves the circuits";
            add(tally, NET_PART_FIBRE, circuits->ports, orr_net_price_of(NET_PART_FIBRE));
        } else {
            add_optics(tally, circuits->ports);
        }
    }
}

/* ---- ideal switches ---- */

/* The link between the only switch and its first host if the graph is one switch with identical
 * links, else NULL. */
static const struct net_link *ideal_link(const struct net_graph *graph)
{
    const uint32_t first = graph->servers != 0 ? graph->npus : 0;
    const uint32_t hosts = graph->servers != 0 ? graph->servers : graph->npus;
    const uint32_t hub = graph->npus + graph->servers;
    if (graph->nodes != hub + 1 || graph->circuits != NULL ||
        graph->first_out[hub + 1] - graph->first_out[hub] != hosts) {
        return NULL;
    }
    const struct net_link *down = &graph->link[graph->first_out[hub]];
    for (uint32_t i = 0; i < hosts; i++) {
        const uint32_t up = orr_net_graph_find(graph, first + i, hub);
        if (down[i].to != first + i || down[i].count != down->count || up == NET_NO_LINK ||
            graph->link[up].count != down->count ||
            fabs(down[i].bytes_per_s - down->bytes_per_s) > 0 ||
            fabs(graph->link[up].bytes_per_s - down->bytes_per_s) > 0) {
            return NULL;
        }
    }
    return down;
}

/* Adds the share of one server in a full fat-tree of k ports (k^3/4 servers, as many links at each
 * of three levels): three links with a transceiver at each end and five switch ports. */
static void add_tree(const struct tally *tally, double count, double gbit_per_s)
{
    const struct net_price price = orr_net_price(gbit_per_s);
    const double lanes = count * orr_net_lanes(gbit_per_s);
    add(tally, NET_PART_TRANSCEIVER, 6 * lanes, price.transceiver);
    add(tally, NET_PART_SWITCH_PORT, 5 * lanes, price.switch_port);
    add(tally, NET_PART_FIBRE, 3 * lanes, orr_net_price_of(NET_PART_FIBRE));
}

static void add_ideal(const struct tally *tally, const struct net_link *link)
{
    const struct net_graph *graph = tally->graph;
    const double gbit_per_s = link->bytes_per_s * 8 / 1e9, degree = tally->rules->degree;
    for (uint32_t i = graph->first_out[graph->nodes - 1]; i < graph->links; i++) {
        if (tally->rules->ideal == NET_IDEAL_FULL_TREE) {
            add_interfaces(tally, graph->link[i].to, link->count, gbit_per_s);
            add_tree(tally, link->count, gbit_per_s);
            continue;
        }
        const double each = gbit_per_s * link->count / degree;
        const struct net_price price = orr_net_price(each);
        add(tally, NET_PART_NIC, degree * price.cards, price.nic / price.cards);
        add_tree(tally, degree, each);
    }
}

/* ---- all ---- */

static void add_watts(const struct tally *tally)
{
    struct net_cost *cost = tally->cost;
    for (size_t i = 0; i < NET_PARTS; i++) {
        cost->watts[i] = (double)cost->count[i] * tally->rules->watts[i];
        cost->total_watts += cost->watts[i];
    }
}

/* Counts the nodes at the optical layer; returns their noun for messages. */
static const char *count_joined(const struct tally *tally)
{
    const struct net_graph *graph = tally->graph;
    uint32_t switches = 0;
    for (uint32_t node = 0; node < graph->nodes; node++) {
        tally->cost->joined += tally->joined[node];
        switches += tally->joined[node] && !has_nics(graph, node);
    }
    if (switches == 0) {
        return graph->servers != 0 ? "servers" : "NPUs";
    }
    return switches == tally->cost->joined ? "switches" : "nodes";
}

static enum orr_status count_all(const struct tally *tally, struct orr_diag *diag)
{
    const struct net_cost_rules *rules = tally->rules;
    const struct net_link *ideal =
        rules->ideal == NET_IDEAL_ONE_SWITCH ? NULL : ideal_link(tally->graph);
    if (ideal == NULL) {
        find_levels(tally);
        find_excess(tally);
        add_links(tally);
        add_circuits(tally);
    } else if (rules->ideal == NET_IDEAL_PARALLEL_TREES && rules->degree == 0) {
        return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                             "cost of hardware: an ideal switch as parallel trees needs their "
                             "number, \"degree\"");
    } else {
        add_ideal(tally, ideal);
    }
    add_shared_cards(tally);
    add_watts(tally);
    if (tally->cost->unpriced != NULL) {
        tally->cost->total_dollars = 0;
    }
    const char *noun = count_joined(tally);
    return orr_net_check_optics(rules, tally->cost->joined, noun, diag);
}

enum orr_status orr_net_graph_cost(const struct net_graph *graph,
                                   const struct net_cost_rules *rules, struct net_cost *out,
                                   struct orr_diag *diag)
{
    const struct tally tally = {
        .graph = graph,
        .rules = rules,
        .cost = out,
        .ports = orr_heap_calloc(graph->npus + graph->servers, sizeof *tally.ports),
        .level = orr_heap_calloc(graph->nodes, sizeof *tally.level),
        .queue = orr_heap_calloc(graph->nodes, sizeof *tally.queue),
        .excess = orr_heap_calloc(graph->nodes, sizeof *tally.excess),
        .joined = orr_heap_calloc(graph->nodes, sizeof *tally.joined)};
    const bool is_allocated = tally.ports != NULL && tally.level != NULL && tally.queue != NULL &&
                              tally.excess != NULL && tally.joined != NULL;
    *out = (struct net_cost){.total_dollars = 0};
    const enum orr_status status =
        is_allocated ? count_all(&tally, diag) : orr_diag_no_memory(diag, "the cost of a network");
    orr_heap_free(tally.ports);
    orr_heap_free(tally.level);
    orr_heap_free(tally.queue);
    orr_heap_free(tally.excess);
    orr_heap_free(tally.joined);
    return status;
}
