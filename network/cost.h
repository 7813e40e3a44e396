/* What the hardware of a graph costs (TopoOpt, NSDI'23, section 5.2, Table 2 and appendix G; the
 * counting is in docs/models.md, section 3). Included by network.h. */
#ifndef ORR_NETWORK_COST_H
#define ORR_NETWORK_COST_H

#include "network/graph.h"

enum net_part {
    NET_PART_NIC,
    NET_PART_TRANSCEIVER,
    NET_PART_SWITCH_PORT, /* electrical */
    NET_PART_PANEL_PORT,  /* of a reconfigurable optical patch panel */
    NET_PART_OCS_PORT,    /* of an optical circuit switch */
    NET_PART_1X2_SWITCH,  /* optical: between the two panels of the look-ahead design */
    NET_PART_FIBRE,       /* 500 m on average */
    NET_PARTS
};

/* What joins the ends of the links that are not between an NPU and a switch. */
enum net_optical { NET_OPTICAL_NONE, NET_OPTICAL_PATCH_PANEL, NET_OPTICAL_OCS, NET_OPTICALS };

struct net_cost {
    uint64_t count[NET_PARTS];
    double dollars[NET_PARTS];
    double total_dollars;
};

/* Counts and adds up the parts of all links but those inside servers. Links need bandwidths.
 * O(links log links). */
void orr_net_graph_cost(const struct net_graph *graph, enum net_optical optical,
                        struct net_cost *out);

/* "NICs"; "none", "patch-panel", "ocs"; NULL behind the last. */
const char *orr_net_part_name(size_t index);
const char *orr_net_optical_name(size_t index);

#endif
