/* Links of a network, from stacked blocks (block_links.h) or a graph, the path of a message over
 * them, and their statistics: shared by the backends that model links.
 *
 * Folding (blocks, and graphs with rotations: orr_net_graph_representatives): a link of an NPU that
 * represents its class represents the same link of each NPU of the class. Messages cross it once
 * for each link of the class on their path. In a graph a message counts, on every link, for the
 * first dimension in which its ends differ. */
#ifndef ORR_NETWORK_BACKENDS_LINK_NET_H
#define ORR_NETWORK_BACKENDS_LINK_NET_H

#include "core/evq.h"
#include "core/sum.h"
#include "network/flows/flow_paths.h"
#include "network/net_backend.h"
#include "network/net_message.h"
#include "network/routing/ring_detour.h"
#include "network/topology/block_links.h"

struct net_config;
struct net_graph;
struct net_ring_detour;
struct net_route_links;
struct net_router;
struct orr_arena;
struct orr_diag;

struct channel_queue; /* channel_queue.h */
struct link_capacity;

/* The base struct of such a backend. */
struct link_net {
    struct net base;
    struct orr_arena *arena;
    struct link_dim *dim;           /* [dims] of blocks */
    struct net_dim_stats *stats;    /* [dims] of the NPUs that represent their classes */
    struct net_router *router;      /* router of a graph; NULL: blocks */
    struct flow_paths paths;        /* interned paths of a graph */
    uint64_t *link_bytes;           /* [links] of a graph */
    const uint32_t *representative; /* [links] representative of each link; NULL: each is its own */
    uint32_t *folded_route;         /* representatives of the last path */
    size_t folded_route_alloc;
    /* Graphs: lanes of channels (NULL: none), and the graph for messages without a channel. */
    struct channel_queue *channels;
    const struct net_graph *rest;
    uint32_t npus, slots, links;
    struct link_capacity *changes;       /* of a graph; NULL: capacities are constant */
    bool ring_links;                     /* net_keeps_ring_links */
    uint32_t ring_link;                  /* of the last ring step */
    struct net_ring_detour *ring_detour; /* of a graph; NULL: steps without links use the routing */
};

/* Initializes the links of the base's config, at most NET_MAX_LINKS. The base is set. */
enum orr_status orr_link_net_init(struct link_net *linked, struct orr_arena *arena,
                                  struct orr_diag *diag);

/* Presents the links of blocks as a graph without nodes. */
enum orr_status orr_link_net_as_graph(const struct link_net *linked, struct net_graph *graph,
                                      struct orr_diag *diag);

/* The dimension of a message's statistics in a graph. */
unsigned orr_link_net_dim(const struct link_net *linked, uint32_t src, uint32_t dst);

/* Counts a message that enters the dimension; counts bytes over a link of it, which take busy_ps
 * there. */
static inline void link_net_count_message(struct link_net *linked, unsigned d, uint64_t bytes)
{
    linked->stats[d].messages++;
    linked->stats[d].bytes += bytes;
}
static inline void link_net_count_link(struct link_net *linked, unsigned d, uint32_t link,
                                       uint64_t bytes, sim_time busy_ps)
{
    linked->stats[d].busy_ps += busy_ps;
    if (linked->link_bytes != NULL) {
        linked->link_bytes[link] = orr_capped_sum(linked->link_bytes[link], bytes);
    }
}

/* Posts the arrival of a message, an event of a kind whose handler is orr_link_net_on_arrival,
 * which calls the listener. The context is the backend. */
void orr_link_net_post_arrival(struct link_net *linked, const struct net_msg *msg, uint16_t kind,
                               sim_time time, uint8_t part);
void orr_link_net_on_arrival(void *context, const struct orr_event *event);

/* The path of a message through a graph, interned. ORR_ERR_MEMORY; ORR_ERR_INPUT: there is none.
 * O(hops) if it is known. */
enum orr_status orr_link_net_path(struct link_net *linked, const struct net_msg *msg,
                                  struct net_route_links *out);

/* Whether messages between the two with that channel always take the same path (while no link
 * changes). */
bool orr_link_net_is_fixed(struct link_net *linked, const struct net_msg *msg);

/* The message's path from a node to its destination, around closed links, interned; false: there is
 * none. */
bool orr_link_net_detour(struct link_net *linked, uint32_t from, const struct net_msg *msg,
                         struct net_route_links *out);

/* As orr_link_net_path, but not interned, and without a diagnostic if there is no path. */
enum orr_status orr_link_net_find(struct link_net *linked, const struct net_msg *msg,
                                  struct net_route_links *out);

/* Functions of net_ops: number of links; sum of latencies on the path between two NPUs, without
 * serialization; statistics of all NPUs; present path; bytes over a link of a graph; transit
 * (always true); end. */
uint64_t orr_link_net_links(const struct net_config *config);
sim_time orr_link_net_latency(const struct net *net, uint32_t src, uint32_t dst);
void orr_link_net_stats(const struct net *net, struct net_dim_stats *stats);
uint32_t orr_link_net_current_path(struct net *net, const struct net_msg *msg, uint32_t *link,
                                   uint32_t max);
uint64_t orr_link_net_link_bytes(const struct net *net, uint32_t link);
bool orr_link_net_is_passed(const struct net_config *config, unsigned dim);
void orr_link_net_destroy(struct net *net);

#endif
