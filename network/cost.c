/* Prices of network hardware: see cost.h.
 *
 * Table 2 of TopoOpt has prices for links of 10, 25, 40, 100 and 200 Gb/s. A link of another
 * bandwidth takes the next faster row; above 100 Gb/s a link has a transceiver, a switch port and a
 * fibre for every 100 Gb/s begun (as the table's own row of 200 Gb/s), and a NIC for every 200
 * Gb/s. Optical ports do not depend on the bandwidth. Fibres cost 0.30 dollars a metre, and are
 * between 0 and 1000 m long, evenly spread: 150 dollars on average. */
#include "network/cost.h"

#include <math.h>

struct price {
    double gbit_per_s, transceiver, nic, switch_port;
};

static const struct price prices[] = {
    {10, 20, 185, 94}, {25, 39, 185, 144}, {40, 39, 354, 144}, {100, 99, 678, 187}};
enum { PRICES = sizeof prices / sizeof *prices };

static const double nic_of_200_gbit = 815, panel_port = 100, ocs_port = 520, one_by_two = 25;
static const double fibre = 0.30 * (0 + 1000) / 2;

static const char *const names[NET_PARTS] = {"NICs",          "transceivers", "switch ports",
                                             "panel ports",   "OCS ports",    "1x2 switches",
                                             "optical fibres"};
static const char *const opticals[NET_OPTICALS] = {"none", "patch-panel", "ocs"};

const char *orr_net_part_name(size_t index)
{
    return index < NET_PARTS ? names[index] : NULL;
}

const char *orr_net_optical_name(size_t index)
{
    return index < NET_OPTICALS ? opticals[index] : NULL;
}

static void add(struct net_cost *cost, enum net_part part, double count, double dollars)
{
    cost->count[part] += (uint64_t)count;
    cost->dollars[part] += count * dollars;
    cost->total_dollars += count * dollars;
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

/* What is at one end of the cables. */
static void add_end(const struct net_graph *graph, const struct cables *cables, uint32_t node,
                    struct net_cost *cost)
{
    const double rounded = ceil(cables->gbit_per_s / 100 - 1e-9);
    const double hundreds = rounded > 1 ? rounded : 1;
    const struct price *price = &prices[PRICES - 1];
    while (price > prices && price[-1].gbit_per_s * (1 + 1e-9) >= cables->gbit_per_s) {
        price--;
    }
    add(cost, NET_PART_TRANSCEIVER, cables->count * hundreds, price->transceiver);
    if (!has_nics(graph, node)) {
        add(cost, NET_PART_SWITCH_PORT, cables->count * hundreds, price->switch_port);
    } else if (hundreds > 1) {
        add(cost, NET_PART_NIC, cables->count * ceil(hundreds / 2), nic_of_200_gbit);
    } else {
        add(cost, NET_PART_NIC, cables->count, price->nic);
    }
}

/* Interfaces on fibres to the optical layer: to two panels each by a 1x2 switch, or to one circuit
 * switch. */
static void add_optics(double interfaces, enum net_optical optical, struct net_cost *cost)
{
    add(cost, NET_PART_FIBRE, interfaces, fibre);
    if (optical == NET_OPTICAL_OCS) {
        add(cost, NET_PART_OCS_PORT, interfaces, ocs_port);
    } else {
        add(cost, NET_PART_PANEL_PORT, 2 * interfaces, panel_port);
        add(cost, NET_PART_1X2_SWITCH, interfaces, one_by_two);
    }
}

/* A cable as a fibre for each 100 Gb/s, or each of its ends on a fibre to the optical layer; `at`
 * interfaces at its two ends. */
static void add_cables(const struct net_graph *graph, const struct cables *cables,
                       const double at[2], enum net_optical optical, struct net_cost *cost)
{
    for (int end = 0; end < 2; end++) {
        struct cables own = *cables;
        own.count = at[end];
        add_end(graph, &own, cables->ends[end], cost);
    }
    if (optical != NET_OPTICAL_NONE &&
        has_nics(graph, cables->ends[0]) == has_nics(graph, cables->ends[1])) {
        add_optics(at[0] + at[1], optical, cost);
        return;
    }
    const double hundreds = ceil(cables->gbit_per_s / 100 - 1e-9);
    add(cost, NET_PART_FIBRE, cables->count * (hundreds > 1 ? hundreds : 1), fibre);
}

static bool is_one_way(const struct net_graph *graph, const struct net_link *link)
{
    return orr_net_graph_find(graph, link->to, link->from) == NET_NO_LINK;
}

/* [nodes]: links one way that enter a node beyond those that leave it, whose interfaces receive as
 * well as they send. NULL: memory is out. */
static int64_t *excess_of(const struct net_graph *graph)
{
    int64_t *excess = orr_heap_calloc(graph->nodes, sizeof *excess);
    for (uint32_t i = 0; excess != NULL && i < graph->links; i++) {
        const struct net_link *link = &graph->link[i];
        if (is_one_way(graph, link)) {
            excess[link->to] += link->count;
            excess[link->from] -= link->count;
        }
    }
    return excess;
}

/* The interfaces that a link one way takes at its end, which those that leave do not have. */
static double take_excess(int64_t *excess, const struct net_link *link)
{
    if (excess == NULL) {
        return link->count;
    }
    const int64_t left = excess[link->to] > 0 ? excess[link->to] : 0;
    const int64_t taken = left < link->count ? left : link->count;
    excess[link->to] -= taken;
    return (double)taken;
}

void orr_net_graph_cost(const struct net_graph *graph, enum net_optical optical,
                        struct net_cost *out)
{
    int64_t *excess = excess_of(graph);
    *out = (struct net_cost){.total_dollars = 0};
    for (uint32_t i = 0; i < graph->links; i++) {
        const struct net_link *link = &graph->link[i];
        const uint32_t other = orr_net_graph_find(graph, link->to, link->from);
        const struct net_link *back = other == NET_NO_LINK ? link : &graph->link[other];
        const uint32_t low = link->from < link->to ? link->from : link->to;
        const uint32_t high = link->from < link->to ? link->to : link->from;
        const bool inside = low < graph->npus && high >= graph->npus && has_nics(graph, high);
        if (inside || (other != NET_NO_LINK && link->from > link->to)) {
            continue; /* both ways are one cable */
        }
        const double faster =
            link->bytes_per_s > back->bytes_per_s ? link->bytes_per_s : back->bytes_per_s;
        const struct cables cables = {.ends = {link->from, link->to},
                                      .count =
                                          link->count > back->count ? link->count : back->count,
                                      .gbit_per_s = faster * 8 / 1e9};
        const double at[] = {cables.count,
                             other == NET_NO_LINK ? take_excess(excess, link) : cables.count};
        add_cables(graph, &cables, at, optical, out);
    }
    orr_heap_free(excess);
}
