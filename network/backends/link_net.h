/* The links that a network has, those of stacked blocks (block_links.h) or of a graph, the way
 * of a message over them, and what is counted on the way: what backends that know links share.
 *
 * With a fold, which blocks have and graphs that it turns (orr_net_graph_representatives), a link
 * of an NPU that stands for its class stands for the same link of each NPU of the class: messages
 * take it once for each link of the class on their way. In a graph a message counts for the first
 * dimension in which its ends differ, on every link. */
#ifndef ORR_NETWORK_BACKENDS_LINK_NET_H
#define ORR_NETWORK_BACKENDS_LINK_NET_H

#include "network/flows/flow_paths.h"
#include "network/routing/ring_detour.h"
#include "network/topology/block_links.h"

struct channel_queue; /* channel_queue.h */
struct link_capacity;

/* What such a backend begins with, so that its struct net is one of these. */
struct link_net {
    struct net base;
    struct orr_arena *arena;
    struct link_dim *dim;           /* [dims], of blocks */
    struct net_dim_stats *stats;    /* [dims], of the NPUs that stand for their classes */
    struct net_router *router;      /* of a graph; NULL: blocks */
    struct flow_paths paths;        /* of a graph, each once */
    uint64_t *link_bytes;           /* [links], of a graph, */
    const uint32_t *representative; /* [links], and which one stands for each; NULL: itself */
    uint32_t *folded_route;         /* of the way that was asked for last */
    size_t folded_route_alloc;
    /* Of a graph: lanes that messages name, NULL: none; and what is left for messages that do not.
     */
    struct channel_queue *channels;
    const struct net_graph *rest;
    uint32_t npus, slots, links;
    struct link_capacity *changes;       /* of a graph; NULL: capacities stay */
    bool ring_links;                     /* net_keeps_ring_links */
    uint32_t ring_link;                  /* of the step that was asked for last */
    struct net_ring_detour *ring_detour; /* of a graph; NULL: steps without links go by routes */
};

/* The links of the base's config, at most NET_MAX_LINKS, and no way asked for yet. The base is set.
 */
enum orr_status orr_link_net_init(struct link_net *linked, struct orr_arena *arena,
                                  struct orr_diag *diag);

/* The links of blocks as those of a graph without nodes. */
enum orr_status orr_link_net_as_graph(const struct link_net *linked, struct net_graph *graph,
                                      struct orr_diag *diag);

/* The dimension that a message counts for in a graph. */
unsigned orr_link_net_dim(const struct link_net *linked, uint32_t src, uint32_t dst);

/* Counts a message that enters the dimension, or bytes over a link of it that are to take busy_ps
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

/* The event of a message that arrives, of a kind whose handler is orr_link_net_on_arrival; it tells
 * the listener. The context is the backend. */
void orr_link_net_post_arrival(struct link_net *linked, const struct net_msg *msg, uint16_t kind,
                               sim_time time, uint8_t part);
void orr_link_net_on_arrival(void *context, const struct orr_event *event);

/* The way of a message through a graph, kept for good; ORR_ERR_MEMORY, ORR_ERR_INPUT: there is
 * none. O(hops) where it was asked for before. */
enum orr_status orr_link_net_path(struct link_net *linked, const struct net_msg *msg,
                                  struct net_route_links *out);

/* Whether messages between the two with that channel always go the same way (no link changes). */
bool orr_link_net_is_fixed(struct link_net *linked, const struct net_msg *msg);

/* The rest of its way from a node, around what is closed; false: there is none. Kept as well. */
bool orr_link_net_detour(struct link_net *linked, uint32_t from, const struct net_msg *msg,
                         struct net_route_links *out);

/* The same without keeping it, and without a word when there is none. */
enum orr_status orr_link_net_find(struct link_net *linked, const struct net_msg *msg,
                                  struct net_route_links *out);

/* Of net_ops: how many links there are; the sum of the latencies on the way from one NPU to
 * another, without serialization; the counts, of all NPUs; bytes over a link of a graph; and the
 * end. */
uint64_t orr_link_net_links(const struct net_config *config);
sim_time orr_link_net_latency(const struct net *net, uint32_t src, uint32_t dst);
void orr_link_net_stats(const struct net *net, struct net_dim_stats *stats);
uint32_t orr_link_net_current_path(struct net *net, const struct net_msg *msg, uint32_t *link,
                                   uint32_t max);
uint64_t orr_link_net_link_bytes(const struct net *net, uint32_t link);
bool orr_link_net_is_passed(const struct net_config *config, unsigned dim); /* always */
void orr_link_net_destroy(struct net *net);

#endif
