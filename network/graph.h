/* The network graph: NPUs, switches and directed links (docs/models.md, section 3). Nodes 0..npus-1
 * are the NPUs; the switches follow. A builder of network/topology makes it, or a file is read;
 * then it is constant. Included by network.h. */
#ifndef ORR_NETWORK_GRAPH_H
#define ORR_NETWORK_GRAPH_H

#include "core/core.h"

enum { NET_MAX_NODES = 1 << 24, NET_MAX_LINKS = 1 << 28, NET_MAX_PARALLEL = 1 << 20 };
enum { NET_MAX_DIGITS = 24 };

#define NET_NO_LINK UINT32_MAX

struct net_dim;       /* network.h */
struct net_allocated; /* allocation.h */

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

/* The builder of a graph, in the arena. It keeps a failed addition (memory, sizes), which
 * orr_net_graph_end reports. */
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

/* Adds a link in one direction, or in both. Equal links between two nodes become parallel. The
 * nodes exist and differ. Amortized O(1). */
void orr_net_graph_link(struct net_graph_builder *builder, const struct net_link *link);
void orr_net_graph_both(struct net_graph_builder *builder, const struct net_link *link);

/* Adds a ring by its jump; false if the jump is not coprime to npus, which makes no ring. */
bool orr_net_graph_ring(struct net_graph_builder *builder, uint32_t npus, int32_t jump);
/* Adds a ring by an order of positions; false if it is no permutation. O(npus). */
bool orr_net_graph_ring_of(struct net_graph_builder *builder, uint32_t npus, const uint32_t *order);

/* Adds a ring; its lists are borrowed. */
void orr_net_graph_add_ring(struct net_graph_builder *builder, const struct net_ring *ring);

/* Completes the graph. Errors: memory; parallel links of different bandwidth or latency, or more
 * than NET_MAX_PARALLEL. O(nodes + links log links). */
enum orr_status orr_net_graph_end(struct net_graph_builder *builder, struct net_graph *graph,
                                  struct orr_diag *diag);

/* Sets the graph's paths, and sorts them; `path` and `path_link` are borrowed. O(paths log paths).
 */
void orr_net_graph_set_paths(struct net_graph *graph, struct net_path *path, uint32_t paths,
                             const uint32_t *path_link);

/* The original record between two nodes, if some or all of its links have failed; else NULL. O(log
 * failed links). */
const struct net_link *orr_net_graph_failed(const struct net_graph *graph, uint32_t from,
                                            uint32_t to);

/* The link record from one node to another, or NET_NO_LINK. O(log links of the node). */
uint32_t orr_net_graph_find(const struct net_graph *graph, uint32_t from, uint32_t to);

/* Whether the graph is one switch with identical duplex links to all NPUs, and nothing else. Then
 * any permutation of the NPUs is an automorphism, and every path has two links. O(links). */
bool orr_net_graph_is_flat(const struct net_graph *graph);

/* ---- circles of products (topology/product_rings.c) ---- */

/* A ring, of two with a link each way round; or a full mesh, of two a single link. size >= 2 */
struct net_factor {
    bool clique;
    uint32_t size;
};

/* Circles through all nodes, each from node 0 on to the lower of its neighbours. */
struct net_cycles {
    uint32_t n, cycles;
    const uint32_t *order; /* [cycles * n] */
};

/* Circles through all nodes of the product of the factors, the first of which varies fastest, that
 * use no link twice: as many as half of a node's links, for any product that was tried. false: no
 * memory. O(n log n x links of a node). */
bool orr_net_product_cycles(struct orr_arena *arena, const struct net_factor *factor,
                            uint32_t factors, struct net_cycles *out);

/* ---- turns (topology/graph_rotations.c) ---- */

/* A rotation: adds `step`, modulo `size`, to the digit number / stride % size of the NPUs' numbers.
 */
struct net_rotation {
    uint32_t stride, size, step; /* step < size */
};

static inline uint32_t net_rotated(const struct net_rotation *rotation, uint32_t npu)
{
    const uint32_t own = npu / rotation->stride % rotation->size;
    const uint32_t up = own + rotation->step, to = up < rotation->size ? up : up - rotation->size;
    return npu - own * rotation->stride + to * rotation->stride;
}

/* The images of nodes and links under a rotation. */
struct net_images {
    uint32_t *node, *link; /* [nodes], [links] */
};

/* Finds the image of each link under a rotation of the NPUs, with switches mapped accordingly.
 * false: the rotation is no automorphism that keeps counts, bandwidths and latencies. The images
 * are in the arena; they are NULL if memory ran out. O(links x log links of a node), if switches
 * are distinguished by their neighbours. */
bool orr_net_graph_rotate(const struct net_graph *graph, const struct net_rotation *rotation,
                          struct orr_arena *arena, struct net_images *images);

/* The representative of each link under a fold whose digits are rotations of the graph: the lowest
 * link of its orbit, into representative[links]. Errors: ORR_ERR_MEMORY; ORR_ERR_INPUT: the digits
 * are no rotations, or an orbit of links is smaller than a class of NPUs, so that ranks of a class
 * share a link. O(digits x links). */
enum orr_status orr_net_graph_representatives(const struct net_graph *graph,
                                              const struct orr_fold *fold,
                                              uint32_t *representative);

/* Sets the digits of the NPUs' numbers: `count` sizes, of which those of 1 are left out. */
void orr_net_graph_number(struct net_graph *graph, const uint32_t *size, size_t count);

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

/* Default bandwidth and latency of links. */
struct net_link_kind {
    double bytes_per_s; /* 0: not known */
    sim_time latency_ps;
};

/* What a workload contributes to a platform's graph: its own network (`fabric: graph`), and
 * defaults for what the platform leaves out. All 0: nothing. */
struct net_workload_graph {
    /* Makes the workload's own network; `kind` overrides its links where it is set. NULL: it has no
     * network. */
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

/* Reads a graph in DOT. Nodes with kind=switch are switches, those with kind=server are switches
 * inside servers, all others are NPUs. Edges can have a bandwidth, a latency and a count; edges of
 * a digraph have one direction. Errors, with their location if known: no DOT; an unknown kind or
 * attribute; an edge from a node to itself, or without bandwidth; no NPUs. (read/graph_parse_dot.c)
 */
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

/* Named fabrics are built by orr_net_build_fabric. */

/* A stacked topology: the links of the congestion backend, with one switch for each line of a
 * switch dimension. Dimensions need a bandwidth; they are copied into the arena. Error: more than
 * NET_MAX_NODES or NET_MAX_LINKS. O(nodes + links log links). */
struct net_config;
enum orr_status orr_net_build_blocks(struct orr_arena *arena, const struct net_config *config,
                                     struct net_graph *graph, struct orr_diag *diag);

/* A level below a graph: each NPU of the graph becomes a switch with `npus` NPUs, over links of a
 * kind. The graph's own links at that switch are multiplied by `uplinks`. */
struct net_level {
    uint32_t npus, uplinks; /* >= 1 */
    bool servers;           /* the level is the inside of servers */
    bool called_servers;    /* the user named it so, even if its links are slow */
    bool rings;             /* rings of the graph's NPUs are extended to the NPUs below them */
    bool logical;           /* the NPUs below are logical servers of one server; rings too */
    struct net_link_kind kind;
};

/* Makes a graph with the level below `top`: its NPUs, then the nodes of `top`. Rings of `top` are
 * dropped, or extended: each leads through all NPUs below each of its nodes in turn, and with
 * logical servers also through the n-th of each server. Error: sizes. O(links log links + rings x
 * NPUs). (topology/fabrics/levels.c) */
enum orr_status orr_net_graph_add_level(struct orr_arena *arena, const struct net_graph *top,
                                        const struct net_level *level, struct net_graph *out,
                                        struct orr_diag *diag);

#endif
