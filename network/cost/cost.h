/* What the hardware of a graph costs, and the power that it takes (TopoOpt, NSDI'23, section 5.2,
 * Tables 1 and 2, appendix G; the counting is in docs/models.md, section 3). Included by
 * network.h. */
#ifndef ORR_NETWORK_COST_COST_H
#define ORR_NETWORK_COST_COST_H

#include "network/graph.h"

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

/* What joins the ends of direct links: those between two NPUs, two servers, or two switches as far
 * from them (section 3, Table 1). */
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

/* A technology as Table 1 has it. */
struct net_technology {
    const char *name;      /* as keys and options have it */
    const char *title;     /* as messages name one of them: "patch panel" */
    uint32_t ports;        /* 0: no optics */
    const char *latency;   /* of a reconfiguration: "10 ms"; of panels only "minutes" is known */
    sim_time latency_ps;   /* the same, at least */
    double min_db, max_db; /* insertion loss */
    enum net_part part;    /* what an interface takes ports of */
    bool priced;           /* else it is not commercial */
};

/* Whether the ports of 100 Gb/s of a server are bought two on a card, or each interface has a card
 * of its own. */
enum net_cards { NET_CARDS_PAIRED, NET_CARDS_SINGLE, NET_CARDS };

/* What an ideal switch is priced as: a full-bisection fat-tree of its bandwidth, `degree` of them
 * beside each other with interfaces and cards of their own, or one switch with as many ports. */
enum net_ideal { NET_IDEAL_FULL_TREE, NET_IDEAL_PARALLEL_TREES, NET_IDEAL_ONE_SWITCH, NET_IDEALS };

/* How parts are counted and priced; all 0 is the default. */
struct net_cost_rules {
    enum net_optical optical;
    enum net_cards cards;
    enum net_ideal ideal;
    uint32_t degree;        /* of NET_IDEAL_PARALLEL_TREES, which needs it */
    bool without_fibres;    /* these are left out */
    uint32_t optical_ports; /* of each panel or optical switch; 0: as Table 1 */
    bool has_loss_budget;
    double loss_budget_db;      /* that a circuit may lose */
    double discount[NET_PARTS]; /* 0 to 1 */
    bool has_watts;
    double watts[NET_PARTS];    /* of one; optics have none */
    const struct orr_conf *map; /* that they were read from, for messages; or NULL */
};

struct net_cost {
    uint64_t count[NET_PARTS];
    double dollars[NET_PARTS];
    double total_dollars;
    /* What has no price, so that neither its part (NET_PART_OCS_PORT) nor the total has dollars:
     * these are 0 then. NULL: all have one. */
    const char *unpriced;
    double watts[NET_PARTS]; /* 0 without has_watts */
    double total_watts;
    uint32_t joined; /* nodes with an interface at the optical layer */
};

/* Counts and adds up the parts of all links but those inside servers. Links need bandwidths.
 * Errors: more nodes joined than a panel or optical switch has ports; a loss beyond the budget; no
 * degree for an ideal switch as parallel trees; memory. O(links log links). */
enum orr_status orr_net_graph_cost(const struct net_graph *graph,
                                   const struct net_cost_rules *rules, struct net_cost *out,
                                   struct orr_diag *diag);

/* ---- optics (optics.c) ---- */

const struct net_technology *orr_net_technology(enum net_optical optical);

/* What a circuit loses at most: by one panel and the 1x2 switch at each of its ends, or by one
 * optical switch. 0: no optics. */
double orr_net_circuit_loss_db(enum net_optical optical);

/* Whether panels or optical switches have a port for each node, and the loss keeps to the budget
 * where they join any. `noun` names the nodes. */
enum orr_status orr_net_check_optics(const struct net_cost_rules *rules, uint32_t joined,
                                     const char *noun, struct orr_diag *diag);

/* ---- prices (prices.c) ---- */

/* 1, or above 100 Gb/s one for every 100 begun: transceivers, switch ports and fibres of a link. */
double orr_net_lanes(double gbit_per_s);

/* The prices of a transceiver and a switch port of a lane, and of the cards of an interface that
 * has them for itself. The bandwidth takes its row of Table 2, or the next faster one's. */
struct net_price {
    double transceiver, switch_port, nic;
    double cards;     /* an interface has */
    bool of_100_gbit; /* its lanes are ports of 100 Gb/s, which may share a card */
};
struct net_price orr_net_price(double gbit_per_s);

/* Of the card with two ports of 100 Gb/s; of the other parts, without discount. */
double orr_net_price_of_pair(void);
double orr_net_price_of(enum net_part part);

/* "NICs"; the same as keys and options have it, "nic"; "none", "patch-panel", "ocs", ...; "paired",
 * "single"; "full-tree", ...; NULL behind the last. */
const char *orr_net_part_name(size_t index);
const char *orr_net_part_key(size_t index);
const char *orr_net_optical_name(size_t index);
const char *orr_net_cards_name(size_t index);
const char *orr_net_ideal_name(size_t index);

#endif
