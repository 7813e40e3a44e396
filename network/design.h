/* Designs: network families of two papers, each defined by a few numbers. TopoOpt (NSDI'23,
 * sections 3 and 5.1, appendix F): servers, interfaces of each and their bandwidth. SiP-ML
 * (SIGCOMM'21, section 4.1): GPUs and the bandwidth of each. */
#ifndef ORR_NETWORK_DESIGN_H
#define ORR_NETWORK_DESIGN_H

#include <stddef.h>

#include "network/cost/cost.h"

struct orr_arena;
struct orr_diag;

enum net_design_name {
    NET_DESIGN_TOPOOPT,        /* a circulant of servers: all-reduces use its jumps as rings */
    NET_DESIGN_IDEAL_SWITCH,   /* one switch; a link has the bandwidth of all interfaces */
    NET_DESIGN_FAT_TREE,       /* full bisection, one interface a server; link bandwidth by
                                  net_fat_tree_rule */
    NET_DESIGN_OVERSUBSCRIBED, /* a fat-tree of the ideal switch's links, with half of the uplinks
                                */
    NET_DESIGN_EXPANDER,       /* a random regular graph */
    NET_DESIGN_SIP,            /* circuits only, moved by Algorithm 5 without discount */
    NET_DESIGN_OCS,            /* circuits only, moved by all of Algorithm 5 */
    NET_DESIGN_FLAT,           /* electrical: one switch, a link a GPU */
    NET_DESIGN_CLUSTER,        /* the same inside each server, and one switch above the servers */
    NET_DESIGN_SIP_OCS,        /* circuits on optical switches, allocated to a job's demands */
    NET_DESIGN_SIP_RING,       /* wavelengths around a ring, allocated likewise */
    NET_DESIGNS
};

/* The link bandwidth of a full fat-tree, from d interfaces of B each. */
enum net_fat_tree_rule {
    NET_FAT_TREE_PAPER,      /* d B / 4, which reproduces section 5 of the paper */
    NET_FAT_TREE_AFFORDABLE, /* the fastest of Table 2 that costs no more than TopoOpt's panels */
    NET_FAT_TREE_UNDIVIDED   /* d B */
};

/* Whether the design is one of SiP-ML's electrical networks: its servers are GPUs with one link
 * each, the latency is that of an entire path, and flows are fluid. */
static inline bool net_design_is_electrical(enum net_design_name name)
{
    return name == NET_DESIGN_FLAT || name == NET_DESIGN_CLUSTER;
}

/* Whether the design is one of SiP-ML's optical networks: GPUs whose bandwidth is divided into
 * circuits. */
static inline bool net_design_is_allocated(enum net_design_name name)
{
    return name == NET_DESIGN_SIP_OCS || name == NET_DESIGN_SIP_RING;
}

/* Whether all links are circuits, moved or allocated. */
static inline bool net_design_is_circuits(enum net_design_name name)
{
    return name == NET_DESIGN_SIP || name == NET_DESIGN_OCS || net_design_is_allocated(name);
}

/* The nodes that the optical layer connects. */
enum net_design_layer { NET_LAYER_SERVER, NET_LAYER_TOR, NET_LAYER_SPINE };

enum net_design_jumps {
    NET_JUMPS_SELECTED,  /* SelectPermutations (Algorithm 3) */
    NET_JUMPS_PUBLISHED, /* as the published code selects them */
    NET_JUMPS_LISTED
};

enum { NET_DESIGN_MAX_DEGREE = 128, NET_DESIGN_MAX_CIRCUITS = 1024, NET_DESIGN_MAX_JUMPS = 64 };

struct net_design {
    enum net_design_name name;
    uint32_t servers, degree; /* interfaces of a node of the optical layer */
    double bytes_per_s;       /* of an interface, one way; of a GPU, of those of SiP-ML */
    bool one_way;             /* a jump, or a circuit, takes one interface, and not two */
    enum net_design_jumps jumps;
    const uint32_t *jump; /* [jump_count], for NET_JUMPS_LISTED */
    size_t jump_count;
    enum net_fat_tree_rule rule;
    const struct net_cost_rules
        *prices; /* prices for NET_FAT_TREE_AFFORDABLE: discounts, NICs, fibres; or NULL */
    enum net_design_layer layer;
    uint32_t servers_per_tor, tors_per_spine;
    double server_bytes_per_s; /* layers, clusters: of a server's link to the switch above */
    uint32_t gpus_per_server;  /* clusters */
    uint32_t uplinks;          /* of a ToR to its spine switch, */
    double uplink_bytes_per_s; /* bandwidth of each of these uplinks */
    bool forwards;             /* ocs-reconfig: servers forward messages without a direct circuit */
    sim_time dark_ps;          /* ocs-reconfig */
};

/* A design as the parameters of a graph builder, or as circuits between servers without links. */
struct net_design_parts {
    const char *fabric; /* an argument of orr_net_build_fabric; NULL: only servers and circuits */
    double bytes_per_s; /* of its links */
    bool optical;       /* its links go through patch panels */
    uint32_t idle;      /* interfaces without a jump */
    /* The first jump of duplex links whose cycles have odd length, and this length. Two panels
     * cannot hold an odd cycle. 0: all cycles are even. */
    uint32_t odd_jump, odd_cycle;
    uint32_t ends;   /* nodes of the optical layer */
    const char *key; /* on an error: the design's key that does not fit */
};

/* Defaults for circuits of appendix F: dark time, and period of decisions. */
#define NET_SIP_DARK "25 us"
#define NET_SIP_PERIOD "125 us"
/* Defaults of a cluster: bandwidth out of a server, and GPUs of a server. */
#define NET_CLUSTER_BANDWIDTH 50e9 /* 400 Gb/s */
enum { NET_CLUSTER_GPUS = 8 };

/* Defaults for wavelengths of section 4.1: bandwidth of one, time lit, time dark. */
#define NET_SIP_WAVELENGTH 3.125e9 /* 25 Gb/s */
#define NET_SIP_RING_HOLD "100 us"
#define NET_SIP_RING_DARK "25 us"

/* Default dark time of circuits of section 5.7: Table 1's 3D MEMS. */
#define NET_OCS_DARK "10 ms"

/* Names by enum ("topoopt"; "paper"; "server"), NULL-terminated. */
extern const char *const orr_net_design_names[], *const orr_net_fat_tree_rules[],
                                                     *const orr_net_design_layers[];

/* Formats a bandwidth in the form that the reader accepts, "100Gb/s". `text` holds
 * NET_BANDWIDTH_BYTES. Returns `text`. */
enum { NET_BANDWIDTH_BYTES = 40 };
char *orr_net_design_bandwidth(double bytes_per_s, char *text);

/* Computes the parts of a design, in the arena. Errors, with out->key set: servers that are no
 * multiple of those below a switch; a layer of switches in a design without switches; too few nodes
 * for the optical layer; jumps without interfaces; no fat-tree that is cheap enough. O(servers x
 * degree). (topology/designs.c) */
enum orr_status orr_net_design_parts(struct orr_arena *arena, const struct net_design *design,
                                     struct net_design_parts *out, struct orr_diag *diag);

#endif
