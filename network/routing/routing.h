/* Paths through a graph (docs/models.md, section 3: Routing). Included by network.h. */
#ifndef ORR_NETWORK_ROUTING_ROUTING_H
#define ORR_NETWORK_ROUTING_ROUTING_H

#include "network/graph.h"

enum net_routing {
    NET_ROUTE_SHORTEST,   /* fewest links; of equal ones the one over the lowest nodes */
    NET_ROUTE_ECMP,       /* fewest links; at every node any of the equal ways, by the key */
    NET_ROUTE_K_SHORTEST, /* any of the k shortest loopless paths, by the key */
    NET_ROUTE_DIMENSIONS, /* one dimension of the graph after the other; SHORTEST where a link is
                             missing or the graph has none */
    NET_ROUTE_TABLE,      /* the graph's own paths; SHORTEST where it has none */
    NET_ROUTE_PAIRS,      /* as ECMP, but by source and destination instead of the key */
    NET_ROUTINGS
};

enum { NET_DEFAULT_PATHS = 4, NET_MAX_PATHS = 1024 };

/* How a router chooses. */
struct net_route_options {
    enum net_routing routing;
    uint32_t paths; /* K_SHORTEST: of a pair, at most NET_MAX_PATHS; 0: NET_DEFAULT_PATHS */
    uint64_t seed;  /* what equal keys do in another run */
    /* Steps of rings go as all messages do, also where a link joins their ends (net_msg.channel).
     */
    bool rings_routed;
};

/* Whether the link between two neighbours might not be the way that the routing takes, so that a
 * step of a ring has to name it. */
static inline bool net_routes_leave_links(const struct net_route_options *options)
{
    return options->routing == NET_ROUTE_K_SHORTEST || options->routing == NET_ROUTE_TABLE;
}

/* "shortest", "ecmp", "k-shortest", "dimension-order", "table", "ecmp-pairs"; NULL behind the last.
 */
const char *orr_net_routing_name(size_t index);
bool orr_net_routing_find(const char *name, enum net_routing *out);

/* A name, or "k-shortest:8" with the number of paths; the seed is left alone. false: it is neither;
 * *out is then unchanged. */
bool orr_net_route_options_parse(const char *text, struct net_route_options *out);

struct net_router;

/* A router of the graph, which must outlive it. Distances and k shortest paths are worked out when
 * first asked for and kept in the arena, one table for all NPUs that hang on one node. NPUs forward
 * where the shortest way leads over them. Errors: memory, dimension order of a graph that has no
 * dimensions. */
enum orr_status orr_net_router_create(struct net_router **out, const struct net_graph *graph,
                                      const struct net_route_options *options,
                                      struct orr_arena *arena, struct orr_diag *diag);

/* The path from one node to another, without hops from a node to itself, and good until the next
 * call; `key` names the flow: equal keys give equal paths. Errors: no
 * path (which orr_net_graph_check_connected tells before a run), memory. O(hops x links of a node);
 * the first of K_SHORTEST between two nodes O(k x hops x (nodes + links) x log nodes). */
#define NET_KEY_BACKWARDS UINT64_MAX /* DIMENSIONS: of equal ways around a ring, this one */
enum orr_status orr_net_router_path(struct net_router *router, uint32_t src, uint32_t dst,
                                    uint64_t key, struct net_route_links *out);

/* Whether the key makes a difference to the path between two nodes: whether there may be another.
 * Errors count as such. O(hops x links of a node). */
bool orr_net_router_depends_on_key(struct net_router *router, uint32_t src, uint32_t dst);

/* TABLE: of the paths that the graph has for two nodes the one at a share, 0 to below 1, of their
 * chances, in the order of the graph; false: it has none, or ways are not by table. O(log paths of
 * the source + those of the pair). */
bool orr_net_router_share(const struct net_router *router, uint32_t src, uint32_t dst, double share,
                          struct net_route_links *out);

/* From now on the router knows ways without the closed links only, closed[links], which must stay;
 * to be called again when they have changed. Only where ways are SHORTEST or ECMP. O(nodes +
 * links). */
enum orr_status orr_net_router_avoid(struct net_router *router, const bool *closed);

/* Ends the run of a queue for whose message orr_net_router_path failed, and says why: all NPUs are
 * connected, so that it is over more links than distances count. */
void orr_net_route_failed(const struct net_graph *graph, uint32_t src, uint32_t dst,
                          enum orr_status status, struct orr_evq *queue);

/* Whether every NPU reaches every other; the error names two that do not, and the parts that the
 * graph falls into. O(nodes + links). */
enum orr_status orr_net_graph_check_connected(const struct net_graph *graph,
                                              struct orr_arena *arena, struct orr_diag *diag);

/* Hops from every node to `root`, UINT16_MAX where there is no way; `queue` has room for all nodes.
 * `in` and `in_link` list the links that enter each node (orr_net_graph_reverse). O(nodes + links).
 */
struct net_reverse {
    const uint32_t *first_in; /* [nodes + 1] */
    const uint32_t *in;       /* links */
};
enum orr_status orr_net_graph_reverse(const struct net_graph *graph, struct orr_arena *arena,
                                      struct net_reverse *out, struct orr_diag *diag);
void orr_net_graph_distances(const struct net_graph *graph, const struct net_reverse *reverse,
                             uint32_t root, uint16_t *hops, uint32_t *queue);

/* For each NPU the switch that is its only neighbour, or the NPU itself; root[npus]. O(NPUs). */
void orr_net_graph_roots(const struct net_graph *graph, const struct net_reverse *reverse,
                         uint32_t *root);

/* A builder by a text such as "fat-tree:8", with the routes that fit it. Levels may follow,
 * /NPUS[xUPLINKS][@BANDWIDTH][:tor|:server] each: "circulant:1,5/4/16@50GB/s" has a circulant of
 * switches, with 4 switches below each, and 16 NPUs below each of these. A last level that is
 * faster than the fabric's links is the inside of servers, unless it is a rack's (":tor"). Below
 * switches that are all ":tor" the fabric's rings lead through all NPUs. Errors: an unknown one,
 * which lists the forms, NPUs that are no multiple, and those of the builder.
 * (topology/fabrics/fabrics.c) */
struct net_fabric {
    const char *text;
    uint32_t npus;
    struct net_link_kind kind;
    uint64_t seed; /* of random graphs */
};
enum orr_status orr_net_build_fabric(const struct net_fabric *fabric, struct orr_arena *arena,
                                     struct net_graph *graph, enum net_routing *routing,
                                     struct orr_diag *diag);

/* Reads a graph from a file (docs/file-formats.md), with the routes that fit it. Errors, with their
 * place: nodes, names or links that are not there or given twice, links without bandwidth, routes
 * over no link, and those of the builders and of orr_net_graph_check_connected. (read/graph_read.c)
 */
enum orr_status orr_net_graph_read(struct orr_arena *arena, const struct net_graph_source *source,
                                   struct net_graph *graph, enum net_routing *routing,
                                   struct orr_diag *diag);

/* The index-th form, "fat-tree[:PORTS]"; NULL behind the last. */
const char *orr_net_fabric_form(size_t index);

/* Whether the text begins with the name of such a network: "torus:4x4", "fat-tree/8". O(networks).
 */
bool orr_net_fabric_named(const char *text);
/* The name of the network that a text begins with, or may mean; NULL: none is near. */
const char *orr_net_suggest_fabric(const char *text);
/* One of that form, "fat-tree:4,2", and a number of NPUs that it is of; NULL behind the last. */
const char *orr_net_fabric_example(size_t index, uint32_t *npus);
/* What is used where none is named. */
extern const char orr_net_default_fabric[];

/* What a graph is like. Links are counted one way, parallel ones each. */
struct net_graph_metrics {
    uint64_t links;
    uint32_t min_degree, max_degree;         /* links by which an NPU sends */
    double npu_bytes_per_s;                  /* of all of these, on average */
    double network_bytes_per_s;              /* of all links */
    double min_bytes_per_s, max_bytes_per_s; /* of a link */
    uint32_t diameter;                       /* hops between NPUs, by the shortest ways */
    double hops_mean;                        /* to another NPU */
    /* [diameter + 1]: how many ordered pairs of NPUs are so far apart, of those that were searched;
     * in the arena. */
    const double *pairs;
    /* Distances were searched from so many of that many nodes that NPUs are at, which are all of
     * them in graphs where that takes seconds; if not, the diameter is a least one. */
    uint32_t searched, searchable;
};

/* Errors: as orr_net_graph_check_connected. O(nodes that NPUs hang on x (nodes + links)), at most
 * about 1e9 steps. (routing/graph_metrics.c) */
enum orr_status orr_net_graph_metrics(const struct net_graph *graph, struct orr_arena *arena,
                                      struct net_graph_metrics *out, struct orr_diag *diag);

/* The least capacity found that joins two halves of the NPUs one way: n / 2 and the rest, of n. The
 * switches stand where they cut least (maximum flow). The cuts that are tried are halves by rank,
 * along dimensions, by distance, by the Fiedler vector, and these with pairs of NPUs swapped: so it
 * is at most that much. */
struct net_bisection {
    double bytes_per_s;
    uint32_t cuts; /* tried */
};

/* 2 NPUs or more, and all joined. Errors: memory. (routing/bisection.c) */
enum orr_status orr_net_graph_bisection(const struct net_graph *graph, struct orr_arena *arena,
                                        struct net_bisection *out, struct orr_diag *diag);

#endif
