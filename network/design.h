/* Fabrics by the names of TopoOpt (NSDI'23, sections 3 and 5.1, appendix F), from what its figures
 * have in common: servers, interfaces of each and their bandwidth; and by those of SiP-ML
 * (SIGCOMM'21, section 4.1): GPUs and the bandwidth of each. Included by network.h. */
#ifndef ORR_NETWORK_DESIGN_H
#define ORR_NETWORK_DESIGN_H

#include "core/core.h"
#include "network/cost/cost.h"

enum net_design_name {
    NET_DESIGN_TOPOOPT,        /* a circulant of servers: all-reduces go around its jumps */
    NET_DESIGN_IDEAL_SWITCH,   /* one switch, by a link with the bandwidth of all interfaces */
    NET_DESIGN_FAT_TREE,       /* a full one, of an interface a server; its links by a rule */
    NET_DESIGN_OVERSUBSCRIBED, /* with the links of the ideal switch and half of the uplinks */
    NET_DESIGN_EXPANDER,       /* a random regular graph */
    NET_DESIGN_SIP,            /* circuits only, moved by Algorithm 5 without discount */
    NET_DESIGN_OCS,            /* circuits only, moved by all of Algorithm 5 */
    NET_DESIGN_FLAT,           /* electrical: one switch, a link a GPU */
    NET_DESIGN_CLUSTER,        /* the same inside servers of GPUs, and one switch above them */
    NET_DESIGN_SIP_OCS,        /* circuits on optical switches, set for a job's demands */
    NET_DESIGN_SIP_RING,       /* wavelengths around a ring, likewise */
    NET_DESIGNS
};

/* The bandwidth of a full fat-tree's links, from that of d interfaces of B each. */
enum net_fat_tree_rule {
    NET_FAT_TREE_PAPER,      /* d B / 4, with which section 5 of the paper comes out */
    NET_FAT_TREE_AFFORDABLE, /* the fastest of Table 2 that costs no more than TopoOpt's panels */
    NET_FAT_TREE_UNDIVIDED   /* d B */
};

/* Whether it is one of SiP-ML's electrical ones: its servers are GPUs with one link each, a latency
 * is that of a whole way, and flows are fluid. */
static inline bool net_design_is_electrical(enum net_design_name name)
{
    return name == NET_DESIGN_FLAT || name == NET_DESIGN_CLUSTER;
}

/* Whether it is one of SiP-ML's optical ones: GPUs whose bandwidth is divided into circuits. */
static inline bool net_design_is_allocated(enum net_design_name name)
{
    return name == NET_DESIGN_SIP_OCS || name == NET_DESIGN_SIP_RING;
}

/* What the optical layer joins. */
enum net_design_layer { NET_LAYER_SERVER, NET_LAYER_TOR, NET_LAYER_SPINE };

enum net_design_jumps {
    NET_JUMPS_SELECTED,  /* SelectPermutations (Algorithm 3) */
    NET_JUMPS_PUBLISHED, /* as the published code selects them */
    NET_JUMPS_LISTED
};

enum { NET_DESIGN_MAX_DEGREE = 128, NET_DESIGN_MAX_CIRCUITS = 1024, NET_DESIGN_MAX_JUMPS = 64 };

struct net_design {
    enum net_design_name name;
    uint32_t servers, degree; /* interfaces of what the optical layer joins */
    double bytes_per_s;       /* of an interface, one way; of a GPU, of those of SiP-ML */
    bool one_way;             /* a jump, or a circuit, takes one interface, and not two */
    enum net_design_jumps jumps;
    const uint32_t *jump; /* those given */
    size_t jump_count;
    enum net_fat_tree_rule rule;
    const struct net_cost_rules *prices; /* that it affords by: discounts, cards, fibres; or NULL */
    enum net_design_layer layer;
    uint32_t servers_per_tor, tors_per_spine;
    double server_bytes_per_s; /* layers, clusters: of a server's link to the switch above */
    uint32_t gpus_per_server;  /* clusters */
    uint32_t uplinks;          /* of a ToR to its spine switch, */
    double uplink_bytes_per_s; /* with so much each */
    bool forwards;             /* ocs-reconfig: servers pass on what has no circuit of its own */
    sim_time dark_ps;          /* ocs-reconfig */
};

/* What it is made of: a builder of graphs, or circuits between servers that have no links. */
struct net_design_parts {
    const char *fabric; /* as orr_net_build_fabric takes it; NULL: the servers only, and circuits */
    double bytes_per_s; /* of its links */
    bool optical;       /* its links go through patch panels */
    uint32_t idle;      /* interfaces for which there is no jump */
    /* The first jump of duplex links whose cycles have an odd length, which no two panels hold, and
     * this length; 0: all have an even one. */
    uint32_t odd_jump, odd_cycle;
    uint32_t ends;   /* that the optical layer joins */
    const char *key; /* of an error: the key of the design that does not fit */
};

/* Circuits of appendix F: how long they are dark, how often they are decided. */
#define NET_SIP_DARK "25 us"
#define NET_SIP_PERIOD "125 us"
/* What leads out of a server of a cluster, where nobody says, and how many GPUs it has. */
#define NET_CLUSTER_BANDWIDTH 50e9 /* 400 Gb/s */
enum { NET_CLUSTER_GPUS = 8 };

/* Wavelengths of section 4.1: how much each carries, how long they are lit, then dark. */
#define NET_SIP_WAVELENGTH 3.125e9 /* 25 Gb/s */
#define NET_SIP_RING_HOLD "100 us"
#define NET_SIP_RING_DARK "25 us"

/* Circuits of 5.7: how long they are dark where nobody says, Table 1's 3D MEMS. */
#define NET_OCS_DARK "10 ms"

/* "topoopt"; "paper"; "server"; by their enums, NULL behind the last. */
extern const char *const orr_net_design_names[], *const orr_net_fat_tree_rules[],
                                                     *const orr_net_design_layers[];

/* A bandwidth as it is read again, "100Gb/s"; `text` holds NET_BANDWIDTH_BYTES. Returns it. */
enum { NET_BANDWIDTH_BYTES = 40 };
char *orr_net_design_bandwidth(double bytes_per_s, char *text);

/* Works out the parts of a design, which live in the arena. Errors, whose key is then in the parts:
 * servers that are no multiple of those below a switch, a layer of switches in a design that has
 * none, too few ends for the optical layer to join, jumps for which interfaces are missing, no
 * fat-tree that is cheap enough. O(servers x degree). (topology/designs.c) */
enum orr_status orr_net_design_parts(struct orr_arena *arena, const struct net_design *design,
                                     struct net_design_parts *out, struct orr_diag *diag);

#endif
