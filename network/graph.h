/* The network graph: NPUs, switches and directed links (docs/models.md, section 3). Nodes 0..npus-1
 * are the NPUs; the switches follow. A builder of network/topology makes it, or a file is read;
 * then it is constant. */
#ifndef ORR_NETWORK_GRAPH_H
#define ORR_NETWORK_GRAPH_H

#include <stddef.h>

#include "core/time.h"

struct orr_diag;
struct orr_location;

enum { NET_MAX_NODES = 1 << 24, NET_MAX_LINKS = 1 << 28, NET_MAX_PARALLEL = 1 << 20 };
enum { NET_MAX_DIGITS = 24 };

#define NET_NO_LINK UINT32_MAX

struct net_dim;
struct net_allocated;

/* `count` parallel links in one direction. Each ordered pair of nodes has at most one record. */
struct net_link {
    uint32_t from, to, count;
    double bytes_per_s; /* of one parallel link */
    sim_time latency_ps;
};

/* A routing-table entry: a path, taken with a probability proportional to its `chance` among the
 * paths of the same two nodes. */
struct net_path {
    uint32_t from, to;
    double chance;
    uint32_t first_link, hops; /* into path_link */
};

/* Consecutive links. A router's result is valid until its next one. */
struct net_route_links {
    const uint32_t *link;
    uint32_t hops; /* 0: none needed, or none given */
};

/* A ring for all-reduces of groups of `npus` members: each step adds `jump` to the position in the
 * group, or leads from `order[i]` to `order[i + 1]` (`at` is the inverse of `order`). With `member`
 * the ring is for the group of these NPUs only, from member[i] to member[i + 1]. */
struct net_ring {
    uint32_t npus;
    int32_t jump;
    const uint32_t *order, *at; /* [npus] positions; NULL: by the jump */
    const uint32_t *member;     /* [npus] NPUs; NULL: any group of this size */
    /* 1 + the index, among the graph's ring routes, of the first step's route; those of the other
     * steps follow. 0: steps use the routing. */
    uint32_t way;
};

/* Failover of an all-reduce: what it does if a step of one of the group's rings has lost its link.
 */
enum net_ring_recovery {
    NET_RECOVER_PATH,   /* the step uses the routing, like any message */
    NET_RECOVER_DETOUR, /* over links that no ring uses, if there is such a path */
    NET_RECOVER_SHARE   /* the ring is dropped, and the other rings carry its bytes */
};
extern const char *const orr_net_ring_recoveries[]; /* names by enum, NULL-terminated */

/* From time_ps on, `working` of the record's links work, each with bytes_per_s; 0 of either: the
 * record carries nothing. */
struct net_change {
    sim_time time_ps;
    uint32_t link, working;
    double bytes_per_s;
};

/* Circuits between NPUs, moved by a controller (optical/circuits.h). Each pair has a record of as
 * many links as an NPU has ports. */
struct net_circuits {
    uint32_t ports;
    unsigned controller; /* number in the registry */
    double bytes_per_s;  /* of one */
    sim_time latency_ps; /* of one */
    double discount;     /* in (0, 1]: weight factor of a pair's demand for each circuit it has */
    bool always_dark;    /* dark at every decision, not only if circuits are moved */
    bool duplex;         /* a circuit is one in each direction, and takes a port at both ends */
    bool connects; /* two-edge replacement connects all NPUs, so that messages can be rerouted */
    bool shortest; /* after a move, messages in flight take the shortest paths of now */
    sim_time period_ps, dark_ps;
    const uint32_t *link; /* [npus * npus]; NET_NO_LINK: no pair; NULL: it allocates */
    /* Set if the controller allocates: the graph then has records for the demands only, once they
     * are known (allocation.h). NULL: the controller decides on pairs. */
    const struct net_allocated *allocated;
};

/* What all-reduces go around on a graph that has no rings (network.graph.rings). */
enum net_ring_choice {
    NET_RINGS_AUTO, /* rings on links among its members that no other of them uses, as many as are
                       found; else one in the group's own order */
    NET_RINGS_OWN   /* one, in the group's own order; a fabric's rings are left out */
};

struct net_graph {
    uint32_t npus, nodes, links;
    uint32_t servers; /* the first `servers` switches are inside servers, such as an NVSwitch */
    uint32_t logical; /* logical servers per server, which are the NPUs; 0: not divided */
    const struct net_link *link; /* [links], by (from, to) */
    const uint32_t *first_out;   /* [nodes + 1]: the links that leave a node */
    const char *const *name;     /* [nodes]; NULL: nodes have numbers only */
    uint32_t paths;
    const struct net_path *path; /* [paths] by (from, to), then in input order */
    const uint32_t *path_link;
    uint32_t rings;
    const struct net_ring *ring;
    enum net_ring_choice ring_choice;
    uint32_t asked_rings; /* NET_RINGS_AUTO: at most so many, which a group of all NPUs must have;
                             0: all that are found */
    /* So many rings of TotientPerms for each group, whatever its size, that has no ring of its
     * members (orr_net_totient_rings), in place of those for so many NPUs; 0: none. */
    uint32_t totient;
    uint32_t ways; /* routes of ring steps, which messages can name (net_msg.channel) */
    const struct net_route_links *way;
    /* The dimensions of a stacked topology. Its ranks are the nodes from first_in_dims on; nodes
     * below them have one path up. A dimension's switches follow the ranks, one line after the
     * other. */
    unsigned dims; /* 0: none */
    const struct net_dim *dim;
    uint32_t first_in_dims;
    /* The mixed radix of the builder's NPU numbers, lowest digit first: adding one to one digit,
     * cyclically, is meant to be a graph automorphism. Users check that (net_rotation). 0: not set,
     * all NPUs are one digit. */
    unsigned digits;
    uint32_t digit[NET_MAX_DIGITS];
    /* Records that lost all or some links (network.failures), as they were before, by (from, to).
     */
    uint32_t failed_links;
    const struct net_link *failed_link; /* [failed_links] */
    enum net_ring_recovery recovery;
    uint32_t changes;
    const struct net_change *change;     /* [changes], by time (optical/schedule.c) */
    const struct net_circuits *circuits; /* NULL: none */
    bool reroutes;                       /* messages avoid links that carry nothing, if they can */
};

/* Whether the graph defines rings for all-reduces. */
static inline bool net_graph_has_rings(const struct net_graph *graph)
{
    return graph->rings != 0 || graph->totient != 0;
}

/* Whether rings are looked for on its links: it has none, and no circuits that move. */
static inline bool net_graph_finds_rings(const struct net_graph *graph)
{
    return graph->ring_choice == NET_RINGS_AUTO && !net_graph_has_rings(graph) &&
           graph->circuits == NULL;
}

/* Reads what says rings in a word: "auto", "auto:4", "own" or "totient:4". false: it is none of
 * them. (read/ring_choice.c) */
bool orr_net_graph_choose_rings(struct net_graph *graph, const char *text);
#define NET_RING_CHOICE_EXPECTED                                                                   \
    "auto, auto:RINGS (so many of all NPUs), own (one, in the order of the group) or "             \
    "totient:RINGS, with 1 to 1024 rings"

/* Warns, beginning with `key`, where a group of all NPUs has fewer rings than graph->totient.
 * O(NPUs log NPUs). */
void orr_net_graph_warn_totient(const struct net_graph *graph, const struct orr_location *place,
                                const char *key, struct orr_diag *diag);

/* The original record between two nodes, if some or all of its links have failed; else NULL. O(log
 * failed links). */
const struct net_link *orr_net_graph_failed(const struct net_graph *graph, uint32_t from,
                                            uint32_t to);

/* The link record from one node to another, or NET_NO_LINK. O(log links of the node). */
uint32_t orr_net_graph_find(const struct net_graph *graph, uint32_t from, uint32_t to);

/* Whether the graph is one switch with identical duplex links to all NPUs, and nothing else. Then
 * any permutation of the NPUs is an automorphism, and every path has two links. O(links). */
bool orr_net_graph_is_flat(const struct net_graph *graph);

/* Bytes/s of all parallel links of a record. */
static inline double net_link_capacity(const struct net_link *link)
{
    return link->bytes_per_s * link->count;
}

/* Bytes that a link can carry until `time_ps`, with the graph's changes. O(changes). */
double orr_net_link_offered(const struct net_graph *graph, uint32_t link, sim_time time_ps);

/* The node's name, or its number as text; `text` holds NET_NODE_BYTES. Returns a text. */
enum { NET_NODE_BYTES = 16 };
const char *orr_net_node_name(const struct net_graph *graph, uint32_t node, char *text);

/* Describes the NPUs whose flag is `in` as ranges, "0-3,8", cut to `bytes`; returns `text`. */
enum { NET_NPUS_BYTES = 160 };
struct net_npu_flags {
    const bool *flag; /* [npus] */
    uint32_t npus;
};
const char *orr_net_describe_npus(struct net_npu_flags flags, bool in, char *text, size_t bytes);

#endif
