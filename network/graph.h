/* Graphs of NPUs, switches and directed links (docs/models.md, section 3). Nodes 0..npus-1 are the
 * NPUs, the switches come behind them. Built by a builder of network/topology or read from a file;
 * then they do not change. Included by network.h. */
#ifndef ORR_NETWORK_GRAPH_H
#define ORR_NETWORK_GRAPH_H

#include "core/core.h"

enum { NET_MAX_NODES = 1 << 24, NET_MAX_LINKS = 1 << 28, NET_MAX_PARALLEL = 1 << 20 };
enum { NET_MAX_DIGITS = 24 };

#define NET_NO_LINK UINT32_MAX

struct net_dim;       /* network.h */
struct net_allocated; /* allocation.h */

/* `count` parallel links one way. Between two nodes there is at most one such record each way. */
struct net_link {
    uint32_t from, to, count;
    double bytes_per_s; /* of one of them */
    sim_time latency_ps;
};

/* A given path from the first of its nodes to the last, taken with a probability in proportion to
 * its chance among the paths of the same two nodes. */
struct net_path {
    uint32_t from, to;
    double chance;
    uint32_t first_link, hops; /* into path_link */
};

/* Links one behind the other; as the answer of a router good until its next one. */
struct net_route_links {
    const uint32_t *link;
    uint32_t hops; /* 0: none are needed, or given */
};

/* A ring for all-reduces of groups of `npus`: every step adds `jump` to the place in the group; or
 * it goes from `order[i]` to `order[i + 1]`, where `at` is the inverse. One with members is for the
 * group of these NPUs only, and goes from member[i] to member[i + 1]. */
struct net_ring {
    uint32_t npus;
    int32_t jump;
    const uint32_t *order, *at; /* [npus], places; NULL: by the jump */
    const uint32_t *member;     /* [npus], NPUs; NULL: any group of so many */
    /* 1 + the index among the graph's ways of that of the first step, before those of the others;
     * 0: steps go by routes. */
    uint32_t way;
};

/* What an all-reduce does where a step of one of the group's rings has no link any more. */
enum net_ring_recovery {
    NET_RECOVER_PATH,   /* the step goes by routes, as any message */
    NET_RECOVER_DETOUR, /* over links that no ring goes over, where there are some */
    NET_RECOVER_SHARE   /* the ring is left out, and the others carry its bytes as well */
};
extern const char *const orr_net_ring_recoveries[]; /* "path", ..., by the enum; ends with NULL */

/* From a time on so many of a link record's links work, with another bandwidth each; 0 of either:
 * they carry nothing. */
struct net_change {
    sim_time time_ps;
    uint32_t link, working;
    double bytes_per_s;
};

/* Circuits between the NPUs, which a controller moves (optical/circuits.h): each pair has a record
 * of as many links as an NPU has ports. */
struct net_circuits {
    uint32_t ports;
    unsigned controller; /* number in the registry */
    double bytes_per_s;  /* of one */
    sim_time latency_ps; /* of one */
    double discount;     /* in (0, 1]: what a pair's demand counts for another one */
    bool always_dark;    /* at every decision, not only where some are moved */
    bool duplex;         /* one each way, which takes a port at both ends */
    bool connects;       /* two-edge replacement joins all NPUs, where messages go around */
    bool shortest;       /* then those under way take the shortest ways there are now */
    sim_time period_ps, dark_ps;
    const uint32_t *link; /* [npus * npus]; NET_NO_LINK: of no pair; NULL: it allocates */
    /* The controller allocates, and the graph has records for the demands alone, once they are
     * known (allocation.h); NULL: it decides on pairs. */
    const struct net_allocated *allocated;
};

struct net_graph {
    uint32_t npus, nodes, links;
    uint32_t servers; /* the first switches are inside servers, such as an NVSwitch */
    uint32_t logical; /* each of these is so many logical servers, the NPUs; 0: none is */
    const struct net_link *link; /* [links], by (from, to) */
    const uint32_t *first_out;   /* [nodes + 1]: the links that leave a node */
    const char *const *name;     /* [nodes], or NULL: nodes have numbers only */
    uint32_t paths;
    const struct net_path *path; /* [paths], by (from, to), otherwise in the order given */
    const uint32_t *path_link;
    uint32_t rings;
    const struct net_ring *ring;
    /* So many rings of TotientPerms for each group, whatever its size, that has no ring of its
     * members (orr_net_totient_rings), in place of those for so many NPUs; 0: none. */
    uint32_t totient;
    uint32_t ways; /* that messages may name (net_msg.channel), of steps of rings */
    const struct net_route_links *way;
    /* The dimensions of a stacked topology, whose ranks are the nodes from first_in_dims on; what
     * hangs below them has one way up. A dimension's switches follow the ranks, line by line. */
    unsigned dims; /* 0: none */
    const struct net_dim *dim;
    uint32_t first_in_dims;
    /* What its builder numbers the NPUs by, the lowest first: where any of these digits of all
     * numbers goes up by one, around, links stay links. Nobody relies on it without a look
     * (net_rotation). 0: not said, all NPUs are one digit. */
    unsigned digits;
    uint32_t digit[NET_MAX_DIGITS];
    /* Records of which all links, or some, were taken out (network.failures), as they were, by
     * (from, to). */
    uint32_t failed_links;
    const struct net_link *failed_link; /* [failed_links] */
    enum net_ring_recovery recovery;
    uint32_t changes;
    const struct net_change *change;     /* [changes], by time (optical/schedule.c) */
    const struct net_circuits *circuits; /* NULL: none */
    bool reroutes; /* messages go around links that carry nothing, where they can */
};

/* Whether all-reduces go around rings that it says. */
static inline bool net_graph_has_rings(const struct net_graph *graph)
{
    return graph->rings != 0 || graph->totient != 0;
}

/* Warns, beginning with `key`, where a group of all NPUs has fewer rings than graph->totient.
 * O(NPUs log NPUs). */
void orr_net_graph_warn_totient(const struct net_graph *graph, const struct orr_location *place,
                                const char *key, struct orr_diag *diag);

/* Collects what a graph is made of; the memory is the arena's. A failed addition (memory, sizes)
 * is kept and told by orr_net_graph_end. */
struct net_graph_builder {
    struct orr_arena *arena;
    uint32_t npus, nodes;
    size_t links, link_alloc, rings, ring_alloc;
    struct net_link *link;
    struct net_ring *ring;
    const char *const *name;
    bool no_memory;
};

/* `npus` >= 1 and `switches`, together at most NET_MAX_NODES. */
void orr_net_graph_begin(struct net_graph_builder *builder, struct orr_arena *arena, uint32_t npus,
                         uint32_t switches);

/* Adds the link one way, or both ways. Equal links between two nodes become parallel ones; the
 * nodes exist and differ. Amortized O(1). */
void orr_net_graph_link(struct net_graph_builder *builder, const struct net_link *link);
void orr_net_graph_both(struct net_graph_builder *builder, const struct net_link *link);

/* Adds a ring; one with a jump that shares a divisor with npus is none and left out: false. */
bool orr_net_graph_ring(struct net_graph_builder *builder, uint32_t npus, int32_t jump);
/* Adds one in the order of places; false: not each of them once. O(npus). */
bool orr_net_graph_ring_of(struct net_graph_builder *builder, uint32_t npus, const uint32_t *order);

/* Adds a ring as it is; its lists stay where they are. */
void orr_net_graph_add_ring(struct net_graph_builder *builder, const struct net_ring *ring);

/* Makes the graph. Errors: memory; parallel links of different bandwidth or latency, or more than
 * NET_MAX_PARALLEL. O(nodes +
 * links log links). */
enum orr_status orr_net_graph_end(struct net_graph_builder *builder, struct net_graph *graph,
                                  struct orr_diag *diag);

/* Gives the graph its paths, which it sorts; they and their links stay where they are. O(paths log
 * paths). */
void orr_net_graph_set_paths(struct net_graph *graph, struct net_path *path, uint32_t paths,
                             const uint32_t *path_link);

/* The record as it was of which all links, or some, have failed, or NULL. O(log failed links). */
const struct net_link *orr_net_graph_failed(const struct net_graph *graph, uint32_t from,
                                            uint32_t to);

/* The link from one node to another, or NET_NO_LINK. O(log links of the node). */
uint32_t orr_net_graph_find(const struct net_graph *graph, uint32_t from, uint32_t to);

/* Whether all NPUs are linked to one switch, both ways and all alike, and nothing else is there:
 * then any permutation of the NPUs is one of the links, and every way is two links long. O(links).
 */
bool orr_net_graph_is_flat(const struct net_graph *graph);

/* ---- turns (topology/graph_rotations.c) ---- */

/* A digit of the NPUs' numbers, number / stride % size, goes up by a step, around. */
struct net_rotation {
    uint32_t stride, size, step; /* step < size */
};

static inline uint32_t net_rotated(const struct net_rotation *rotation, uint32_t npu)
{
    const uint32_t own = npu / rotation->stride % rotation->size;
    const uint32_t up = own + rotation->step, to = up < rotation->size ? up : up - rotation->size;
    return npu - own * rotation->stride + to * rotation->stride;
}

/* Where a turn takes nodes and links. */
struct net_images {
    uint32_t *node, *link; /* [nodes], [links] */
};

/* Finds where a turn takes each link, with the switches moved along: to one of as many parallel
 * links, as fast and as long. false: it does not. Memory is the arena's, NULL images: there is
 * none. O(links x log links of a node) where switches are told apart by what hangs on them. */
bool orr_net_graph_rotate(const struct net_graph *graph, const struct net_rotation *rotation,
                          struct orr_arena *arena, struct net_images *images);

/* The link that stands for each under a fold whose digits are turns of the graph: the first of
 * those that these take to each other; stands[links]. Errors: ORR_ERR_MEMORY, ORR_ERR_INPUT: they
 * are no turns, or a link stands for fewer than an NPU does, so that ranks of a class share it.
 * O(digits x links). */
enum orr_status orr_net_graph_representatives(const struct net_graph *graph,
                                              const struct orr_fold *fold,
                                              uint32_t *representative);

/* Says what the NPUs are numbered by: `count` digits of these sizes, those of 1 left out. */
void orr_net_graph_number(struct net_graph *graph, const uint32_t *size, size_t count);

/* All of the parallel links of a record together. */
static inline double net_link_capacity(const struct net_link *link)
{
    return link->bytes_per_s * link->count;
}

/* What a link can carry until `time_ps`, in bytes, with the graph's changes. O(changes). */
double orr_net_link_offered(const struct net_graph *graph, uint32_t link, sim_time time_ps);

/* "3" or its name; `text` holds NET_NODE_BYTES. Returns a text. */
enum { NET_NODE_BYTES = 16 };
const char *orr_net_node_name(const struct net_graph *graph, uint32_t node, char *text);

/* What all links have that do not say otherwise. */
struct net_link_kind {
    double bytes_per_s; /* 0: not known */
    sim_time latency_ps;
};

/* What a network section says of its graph. */
/* What a workload brings for the graph of a platform: a network of its own (`fabric: graph`), and
 * what holds where the platform does not say. All 0: nothing. */
struct net_workload_graph {
    /* Makes its own network, with links of the kind where that says; NULL: there is none. */
    enum orr_status (*make)(const void *context, struct orr_arena *arena, struct net_link_kind kind,
                            struct net_graph *out, struct orr_diag *diag);
    const void *context;
    uint32_t npus;             /* of fabrics */
    struct net_link_kind kind; /* of links */
};

struct net_graph_source {
    const struct orr_conf *graph;  /* the key's mapping */
    struct orr_conf_list failures; /* const char * */
    const struct orr_conf *failures_at;
    struct orr_conf_list changes; /* mappings */
    const struct orr_conf *changes_at;
    const struct orr_conf *circuits; /* a mapping, or NULL */
    bool reroutes;
    enum net_ring_recovery recovery;
    uint64_t seed; /* of random graphs */
    struct net_workload_graph own;
};
extern const struct orr_key_table orr_net_graph_key_table, orr_net_change_key_table,
    orr_net_circuits_key_table;

/* Reads a graph in DOT: nodes with kind=switch are switches, with kind=server those inside servers,
 * all others NPUs; edges may have a bandwidth, a latency and a count, those of a digraph are one
 * way. Errors, with their place where it is known: no DOT, a kind or an attribute that is none,
 * edges from a node to itself or without bandwidth, no NPUs. (read/graph_parse_dot.c) */
enum orr_status orr_net_graph_read_dot(struct orr_arena *arena, const char *path,
                                       struct net_link_kind kind, struct net_graph *graph,
                                       struct orr_diag *diag);

/* The same from memory; `file` is the name in messages. */
struct net_dot {
    const char *file, *text;
    size_t bytes;
    struct net_link_kind kind;
};
enum orr_status orr_net_graph_parse_dot(struct orr_arena *arena, const struct net_dot *from,
                                        struct net_graph *graph, struct orr_diag *diag);

/* Whether the name of a file ends in .dot or .gv. */
bool orr_net_graph_is_dot(const char *path);

/* ---- builders (topology/) ---- */

/* Those that have a name are asked for by it (orr_net_build_fabric). */

/* A stacked topology: the links of the congestion backend, a switch for each line of a switch
 * dimension. Dimensions need a bandwidth; they live in the arena as copies. Error: more than
 * NET_MAX_NODES or NET_MAX_LINKS. O(nodes + links log links). */
struct net_config;
enum orr_status orr_net_build_blocks(struct orr_arena *arena, const struct net_config *config,
                                     struct net_graph *graph, struct orr_diag *diag);

/* What hangs below each NPU of a graph, which becomes a switch: so many NPUs by links of a kind;
 * the graph's own links at it are `uplinks` times as many. */
struct net_level {
    uint32_t npus, uplinks; /* >= 1 */
    bool servers;           /* this is the inside of servers, */
    bool called_servers;    /* and it was said to be, however slow */
    bool rings;             /* rings of the graph's NPUs become those of all NPUs below them */
    bool logical;           /* which are so many logical servers each; rings too */
    struct net_link_kind kind;
};

/* A new graph with the level below `top`: its NPUs, then the nodes of `top`. Rings of `top` are of
 * other NPUs and not kept; or they lead through all NPUs below each of their own, one after the
 * other, and of logical servers through the n-th of each server too. Error: sizes. O(links log
 * links + rings x NPUs). (topology/fabrics/levels.c) */
enum orr_status orr_net_graph_add_level(struct orr_arena *arena, const struct net_graph *top,
                                        const struct net_level *level, struct net_graph *out,
                                        struct orr_diag *diag);

#endif
