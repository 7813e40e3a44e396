/* Paths through a graph (docs/models.md, section 3: Routing). Included by network.h. */
#ifndef ORR_NETWORK_ROUTING_ROUTING_H
#define ORR_NETWORK_ROUTING_ROUTING_H

#include "network/graph.h"

enum net_routing {
    NET_ROUTE_SHORTEST,   /* fewest links; ties over the lowest nodes */
    NET_ROUTE_ECMP,       /* fewest links; at every node one of the equal next links, by the key */
    NET_ROUTE_K_SHORTEST, /* any of the k shortest loopless paths, by the key */
    NET_ROUTE_DIMENSIONS, /* dimension by dimension; SHORTEST if a link is missing or the graph has
                             no dimensions */
    NET_ROUTE_TABLE,      /* the graph's table of paths; SHORTEST for pairs without an entry */
    NET_ROUTE_PAIRS,      /* as ECMP, but keyed by source and destination */
    NET_ROUTINGS
};

enum { NET_DEFAULT_PATHS = 4, NET_MAX_PATHS = 1024 };

/* Options of a router. */
struct net_route_options {
    enum net_routing routing;
    uint32_t paths; /* K_SHORTEST: of a pair, at most NET_MAX_PATHS; 0: NET_DEFAULT_PATHS */
    uint64_t seed;  /* mixed into the key: another seed gives other choices */
    /* Ring steps use the routing like other messages, even if a link joins their ends
     * (net_msg.channel). */
    bool rings_routed;
};

/* Whether the routing may not take the link between two neighbours, so that a ring step has to name
 * it. */
static inline bool net_routes_leave_links(const struct net_route_options *options)
{
    return options->routing == NET_ROUTE_K_SHORTEST || options->routing == NET_ROUTE_TABLE;
}

/* Names by the enum: "shortest", "ecmp", "k-shortest", "dimension-order", "table", "ecmp-pairs";
 * NULL after the last. */
const char *orr_net_routing_name(size_t index);
bool orr_net_routing_find(const char *name, enum net_routing *out);

/* Parses a name, or "k-shortest:8" with the number of paths; the seed is not changed. false if it
 * is neither; *out is then unchanged. */
bool orr_net_route_options_parse(const char *text, struct net_route_options *out);

struct net_router;

/* Creates a router; the graph must outlive it. Distances and k shortest paths are computed on first
 * use and cached in the arena, one table for all NPUs of one switch. NPUs forward if the shortest
 * path leads over them. Errors: memory; dimension order for a graph without dimensions. */
enum orr_status orr_net_router_create(struct net_router **out, const struct net_graph *graph,
                                      const struct net_route_options *options,
                                      struct orr_arena *arena, struct orr_diag *diag);

/* The path from one node to another, valid until the next call; equal keys give equal paths.
 * Errors: no path (orr_net_graph_check_connected finds this before a run), memory. O(hops x links
 * of a node); the first K_SHORTEST path of a pair O(k x hops x (nodes + links) x log nodes). */
#define NET_KEY_BACKWARDS UINT64_MAX /* DIMENSIONS: rings backwards in case of ties */
enum orr_status orr_net_router_path(struct net_router *router, uint32_t src, uint32_t dst,
                                    uint64_t key, struct net_route_links *out);

/* Whether the path between two nodes depends on the key. Errors count as true. O(hops x links of a
 * node). */
bool orr_net_router_depends_on_key(struct net_router *router, uint32_t src, uint32_t dst);

/* TABLE: the path of a pair at a share (0 to below 1) of the sum of its chances, in the order of
 * the graph; false if the table has none or the routing is another. O(log paths of the source +
 * paths of the pair). */
bool orr_net_router_share(const struct net_router *router, uint32_t src, uint32_t dst, double share,
                          struct net_route_links *out);

/* Excludes the links with closed[link] from all paths. The array is kept; call again after it
 * changes. SHORTEST and ECMP only. O(nodes + links). */
enum orr_status orr_net_router_avoid(struct net_router *router, const bool *closed);

/* Stops the event queue because orr_net_router_path failed, and reports why. All NPUs are
 * connected, so the path has more links than distances can count. */
void orr_net_route_failed(const struct net_graph *graph, uint32_t src, uint32_t dst,
                          enum orr_status status, struct orr_evq *queue);

/* Fails unless every NPU reaches every other. The error names two NPUs that do not, and the number
 * of components. O(nodes + links). */
enum orr_status orr_net_graph_check_connected(const struct net_graph *graph,
                                              struct orr_arena *arena, struct orr_diag *diag);

/* Incoming links of each node (orr_net_graph_reverse), and hops from every node to `root`,
 * UINT16_MAX if unreachable; `queue` is scratch [nodes]. O(nodes + links). */
struct net_reverse {
    const uint32_t *first_in; /* [nodes + 1] */
    const uint32_t *in;       /* links */
};
enum orr_status orr_net_graph_reverse(const struct net_graph *graph, struct orr_arena *arena,
                                      struct net_reverse *out, struct orr_diag *diag);
void orr_net_graph_distances(const struct net_graph *graph, const struct net_reverse *reverse,
                             uint32_t root, uint16_t *hops, uint32_t *queue);

/* root[npus]: the switch that is the only neighbour of an NPU, or the NPU itself. O(NPUs). */
void orr_net_graph_roots(const struct net_graph *graph, const struct net_reverse *reverse,
                         uint32_t *root);

/* Builds a fabric from its notation such as "fat-tree:8", and sets the routing that suits it.
 * Levels may follow, each /NPUS[xUPLINKS][@BANDWIDTH][:tor|:server]: "circulant:1,5/4/16@50GB/s" is
 * a circulant of switches with 4 switches below each and 16 NPUs below each of these. A last level
 * faster than the links of the fabric is the inside of servers unless it is a rack (":tor"). If all
 * levels are ":tor", the fabric's rings go through all NPUs.
 *
 * Errors: an unknown fabric, with the list of forms; a number of NPUs that is no multiple; errors
 * of the builder. (topology/fabrics/fabrics.c) */
struct net_fabric {
    const char *text;
    uint32_t npus;
    struct net_link_kind kind;
    uint64_t seed; /* of random graphs */
};
enum orr_status orr_net_build_fabric(const struct net_fabric *fabric, struct orr_arena *arena,
                                     struct net_graph *graph, enum net_routing *routing,
                                     struct orr_diag *diag);

/* Reads the graph of a network section (docs/file-formats.md), and sets the routing that suits it.
 * Errors, with location: nodes, names or links that are missing or duplicate, links without
 * bandwidth, routes over no link, errors of the builders and of orr_net_graph_check_connected.
 * (read/graph_read.c) */
enum orr_status orr_net_graph_read(struct orr_arena *arena, const struct net_graph_source *source,
                                   struct net_graph *graph, enum net_routing *routing,
                                   struct orr_diag *diag);

/* The index-th form, "fat-tree[:PORTS]"; NULL after the last. */
const char *orr_net_fabric_form(size_t index);

/* Whether the text begins with the name of a fabric: "torus:4x4", "fat-tree/8". O(fabrics). */
bool orr_net_fabric_named(const char *text);
/* The fabric name nearest to the beginning of the text; NULL: none is near. */
const char *orr_net_suggest_fabric(const char *text);
/* An example of the index-th form, "fat-tree:4,2", and a fitting number of NPUs; NULL after the
 * last. */
const char *orr_net_fabric_example(size_t index, uint32_t *npus);
/* The default fabric. */
extern const char orr_net_default_fabric[];

/* Metrics of a graph. Links are counted per direction, parallel ones each. */
struct net_graph_metrics {
    uint64_t links;
    uint32_t min_degree, max_degree;         /* outgoing links of an NPU */
    double npu_bytes_per_s;                  /* outgoing bandwidth of an NPU, mean */
    double network_bytes_per_s;              /* of all links */
    double min_bytes_per_s, max_bytes_per_s; /* of a link */
    uint32_t diameter;                       /* max hops between NPUs on shortest paths */
    double hops_mean;                        /* mean over pairs of NPUs */
    /* [diameter + 1]: ordered pairs of NPUs at each distance, from the nodes searched; in the
     * arena. */
    const double *pairs;
    /* Distances were computed from `searched` of the `searchable` nodes that have NPUs: from all
     * unless that takes more than seconds; if not from all, the diameter is a lower bound. */
    uint32_t searched, searchable;
};

/* Computes the metrics. Errors: as orr_net_graph_check_connected. O(nodes with NPUs x (nodes +
 * links)), at most about 1e9 steps. (routing/graph_metrics.c) */
enum orr_status orr_net_graph_metrics(const struct net_graph *graph, struct orr_arena *arena,
                                      struct net_graph_metrics *out, struct orr_diag *diag);

/* The smallest one-way capacity found between two halves of the NPUs, floor(n / 2) and the rest.
 * Switches are on the side that minimizes the cut (maximum flow). Candidates: halves by rank,
 * dimension, distance and Fiedler vector, and these with swaps of NPUs. So it is an upper bound of
 * the bisection bandwidth. */
struct net_bisection {
    double bytes_per_s;
    uint32_t cuts; /* tried */
};

/* Requires 2 or more connected NPUs. Errors: memory. (routing/bisection.c) */
enum orr_status orr_net_graph_bisection(const struct net_graph *graph, struct orr_arena *arena,
                                        struct net_bisection *out, struct orr_diag *diag);

#endif
