/* Cost and power of the hardware of a graph (TopoOpt, NSDI'23, section 5.2, Tables 1 and 2,
 * appendix G; the counting is in docs/models.md, section 3). */
#ifndef ORR_NETWORK_COST_COST_H
#define ORR_NETWORK_COST_COST_H

#include <stddef.h>

#include "core/status.h"
#include "core/time.h"

struct net_graph;
struct orr_conf;
struct orr_diag;

enum net_part {
    NET_PART_NIC, /* cards */
    NET_PART_TRANSCEIVER,
    NET_PART_SWITCH_PORT, /* electrical */
    NET_PART_PANEL_PORT,  /* of a reconfigurable optical patch panel */
    NET_PART_OCS_PORT,    /* of an optical switch of another technology */
    NET_PART_1X2_SWITCH,  /* optical: between the two panels of the look-ahead design */
    NET_PART_FIBRE,       /* 500 m on average */
    NET_PARTS
};

/* The optical layer of direct links: links between two NPUs, two servers, or two switches of the
 * same level (section 3, Table 1). */
enum net_optical {
    NET_OPTICAL_NONE,
    NET_OPTICAL_PATCH_PANEL,
    NET_OPTICAL_OCS, /* 3D MEMS */
    NET_OPTICAL_2D_MEMS,
    NET_OPTICAL_SILICON_PHOTONICS,
    NET_OPTICAL_TUNABLE_LASERS,
    NET_OPTICAL_ROTORNET,
    NET_OPTICALS
};

/* A technology of optical switching, from Table 1. */
struct net_technology {
    const char *name;      /* in keys and options */
    const char *title;     /* in messages: "patch panel" */
    uint32_t ports;        /* 0: no optics */
    const char *latency;   /* reconfiguration latency: "10 ms"; of panels "minutes" */
    sim_time latency_ps;   /* the same; "minutes" is 1 minute */
    double min_db, max_db; /* insertion loss */
    enum net_part part;    /* part that an interface takes ports of */
    bool priced;           /* false: not commercially available */
};

/* Cards for 100 Gb/s ports of a server: two ports per card, or one card per interface. */
enum net_cards { NET_CARDS_PAIRED, NET_CARDS_SINGLE, NET_CARDS };

/* How an ideal switch is priced: one full-bisection fat-tree of its bandwidth; `degree` parallel
 * fat-trees with their own interfaces and cards; or one switch with as many ports. */
enum net_ideal { NET_IDEAL_FULL_TREE, NET_IDEAL_PARALLEL_TREES, NET_IDEAL_ONE_SWITCH, NET_IDEALS };

/* Rules of counting and pricing; all 0 is the default. */
struct net_cost_rules {
    enum net_optical optical;
    enum net_cards cards;
    enum net_ideal ideal;
    uint32_t degree;        /* of NET_IDEAL_PARALLEL_TREES, which needs it */
    bool without_fibres;    /* fibres are not counted */
    uint32_t optical_ports; /* ports of each panel or optical switch; 0: from Table 1 */
    bool has_loss_budget;
    double loss_budget_db;      /* maximum loss of a circuit */
    double discount[NET_PARTS]; /* 0 to 1 */
    bool has_watts;
    double watts[NET_PARTS];    /* per part; optics take none */
    const struct orr_conf *map; /* mapping they were read from, for messages; or NULL */
};

struct net_cost {
    uint64_t count[NET_PARTS];
    double dollars[NET_PARTS];
    double total_dollars;
    /* Technology without a price, or NULL. Its part (NET_PART_OCS_PORT) and the total then have 0
     * dollars. */
    const char *unpriced;
    double watts[NET_PARTS]; /* 0 without has_watts */
    double total_watts;
    uint32_t joined; /* nodes with an interface at the optical layer */
};

/* Counts and prices the parts of all links except those inside servers. Links need bandwidths.
 * Errors: more nodes than ports of a panel or optical switch; loss over the budget; no degree for
 * an ideal switch as parallel trees; memory. O(links log links). */
enum orr_status orr_net_graph_cost(const struct net_graph *graph,
                                   const struct net_cost_rules *rules, struct net_cost *out,
                                   struct orr_diag *diag);

/* ---- optics (optics.c) ---- */

const struct net_technology *orr_net_technology(enum net_optical optical);

/* Maximum insertion loss of a circuit: one panel and a 1x2 switch at each end, or one optical
 * switch. 0 without optics. */
double orr_net_circuit_loss_db(enum net_optical optical);

/* Fails if panels or optical switches lack a port for each of the `joined` nodes, or if the loss
 * exceeds the budget. `noun` names the nodes. */
enum orr_status orr_net_check_optics(const struct net_cost_rules *rules, uint32_t joined,
                                     const char *noun, struct orr_diag *diag);

/* ---- prices (prices.c) ---- */

/* Lanes of a link: ceil(bandwidth / 100 Gb/s), at least 1. A lane has a transceiver, a switch port
 * and a fibre. */
double orr_net_lanes(double gbit_per_s);

/* Prices per lane of a transceiver and a switch port, and of the cards of an interface with cards
 * of its own. From the row of Table 2 with the next higher bandwidth. */
struct net_price {
    double transceiver, switch_port, nic;
    double cards;     /* cards of an interface */
    bool of_100_gbit; /* lanes are 100 Gb/s ports, which may share a card */
};
struct net_price orr_net_price(double gbit_per_s);

/* Price of the card with two 100 Gb/s ports; of the other parts; without discount. */
double orr_net_price_of_pair(void);
double orr_net_price_of(enum net_part part);

/* Names by the enums; NULL after the last: "NICs", ...; in keys and options "nic", ...; "none",
 * "patch-panel", "ocs", ...; "paired", "single"; "full-tree", ... */
const char *orr_net_part_name(size_t index);
const char *orr_net_part_key(size_t index);
const char *orr_net_optical_name(size_t index);
const char *orr_net_cards_name(size_t index);
const char *orr_net_ideal_name(size_t index);

#endif
