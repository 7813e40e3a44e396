/* Prices of network hardware: see cost.h.
 *
 * Table 2 of TopoOpt prices links of 10, 25, 40, 100 and 200 Gb/s. Another bandwidth takes the next
 * higher row. Above 100 Gb/s a link has a transceiver, a switch port and a fibre for every 100 Gb/s
 * begun, as in the table's row of 200 Gb/s, whose NIC is a card with two ports of 100 Gb/s. Optical
 * ports do not depend on the bandwidth. A fibre costs 0.30 dollars a metre; lengths are uniform
 * from 0 to 1000 m, so 150 dollars on average. */
#include "network/cost/cost.h"

#include <math.h>

struct row {
    double gbit_per_s, transceiver, nic, switch_port;
};

static const struct row rows[] = {
    {10, 20, 185, 94}, {25, 39, 185, 144}, {40, 39, 354, 144}, {100, 99, 678, 187}};
enum { ROWS = sizeof rows / sizeof *rows };

static const double card_of_two_ports = 815;
static const double unit_price[NET_PARTS] = {[NET_PART_PANEL_PORT] = 100,
                                             [NET_PART_OCS_PORT] = 520,
                                             [NET_PART_1X2_SWITCH] = 25,
                                             [NET_PART_FIBRE] = 0.30 * (0 + 1000) / 2};

static const char *const names[NET_PARTS] = {"NICs",          "transceivers", "switch ports",
                                             "panel ports",   "OCS ports",    "1x2 switches",
                                             "optical fibres"};
static const char *const keys[NET_PARTS] = {
    "nic", "transceiver", "switch_port", "panel_port", "ocs_port", "one_by_two_switch", "fibre"};
static const char *const cards[NET_CARDS] = {"paired", "single"};
static const char *const ideals[NET_IDEALS] = {"full-tree", "parallel-trees", "one-switch"};

double orr_net_lanes(double gbit_per_s)
{
    const double rounded = ceil(gbit_per_s / 100 - 1e-9);
    return rounded > 1 ? rounded : 1;
}

struct net_price orr_net_price(double gbit_per_s)
{
    const double lanes = orr_net_lanes(gbit_per_s);
    const struct row *row = &rows[ROWS - 1];
    while (row > rows && row[-1].gbit_per_s * (1 + 1e-9) >= gbit_per_s) {
        row--;
    }
    const double card_count = lanes > 1 ? ceil(lanes / 2) : 1;
    return (struct net_price){.transceiver = row->transceiver,
                              .switch_port = row->switch_port,
                              .nic = lanes > 1 ? card_count * card_of_two_ports : row->nic,
                              .cards = card_count,
                              .of_100_gbit = row == &rows[ROWS - 1]};
}

double orr_net_price_of_pair(void)
{
    return card_of_two_ports;
}

double orr_net_price_of(enum net_part part)
{
    return unit_price[part];
}

const char *orr_net_part_name(size_t index)
{
    return index < NET_PARTS ? names[index] : NULL;
}

const char *orr_net_part_key(size_t index)
{
    return index < NET_PARTS ? keys[index] : NULL;
}

const char *orr_net_cards_name(size_t index)
{
    return index < NET_CARDS ? cards[index] : NULL;
}

const char *orr_net_ideal_name(size_t index)
{
    return index < NET_IDEALS ? ideals[index] : NULL;
}
