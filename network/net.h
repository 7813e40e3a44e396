/* A running network: create, send, destroy. */
#ifndef ORR_NETWORK_NET_H
#define ORR_NETWORK_NET_H

#include "network/capacity_changes.h"
#include "network/link_utilization.h"
#include "network/net_backend.h"
#include "network/traffic.h"

struct net_config;
struct net_ends;
struct net_msg;
struct net_round;
struct orr_arena;
struct orr_diag;
struct orr_evq;

/* Creates the backend named config->backend. Error: an unknown name (the message lists the valid
 * ones), and those of the backend. The config must outlive the network. */
enum orr_status orr_net_create(struct net **out, const struct net_config *config,
                               struct orr_evq *queue, struct orr_arena *arena,
                               struct orr_diag *diag);

/* Records that links or ports of a dimension are busy for busy_ps in total, spread evenly over
 * [start, end); must match what stats counts in busy_ps. */
static inline void net_use(struct net *net, unsigned dim, sim_time start_ps, sim_time end_ps,
                           double busy_ps)
{
    if (__builtin_expect(net->use != NULL, 0)) {
        orr_net_link_utilization_add(net->use, dim, start_ps, end_ps, busy_ps);
    }
}

/* Sends a message. */
static inline void net_send(struct net *net, const struct net_msg *msg)
{
    if (__builtin_expect(net->traffic != NULL, 0)) {
        orr_net_traffic_add(net->traffic, msg->src.rank, msg->dst.rank, msg->bytes);
    }
    if (__builtin_expect(net->control != NULL, 0)) {
        orr_net_control_watch(net->control, msg);
    }
    net->ops->send(net, msg);
}

/* Prepares a round (net_round_ops); NULL: its messages have to be sent one by one. */
static inline struct net_round *net_round(struct net *net, const struct net_ends *pair,
                                          uint32_t count)
{
    const bool counted = net->traffic != NULL || net->use != NULL || net->control != NULL;
    return net->ops->rounds != NULL && !counted ? net->ops->rounds->prepare(net, pair, count)
                                                : NULL;
}

/* Frees what the backend holds outside the arena; NULL is fine. */
void orr_net_destroy(struct net *net);

#endif
