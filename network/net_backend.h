/* The interface of a backend, and the list of backends. A backend carries messages between NPUs and
 * knows nothing of collectives (docs/architecture.md; docs/models.md, sections 3 and 4). */
#ifndef ORR_NETWORK_NET_BACKEND_H
#define ORR_NETWORK_NET_BACKEND_H

#include "core/conf/keys.h"
#include "core/sum.h"
#include "network/capacity_changes.h"
#include "network/net_config.h"
#include "network/net_listener.h"
#include "network/net_message.h"

struct net_control;
struct net_flow_model;
struct net_flows;
struct net_flows_stuck;
struct net_link_utilization;
struct net_round;
struct net_traffic;
struct orr_arena;
struct orr_conf;
struct orr_diag;
struct orr_evq;

struct net_dim_stats {
    orr_sum messages,
        bytes;        /* sent on this dimension by all NPUs (not multiplied by the links crossed) */
    orr_sum busy_ps;  /* summed over ports or links */
    uint64_t servers; /* ports or links of the dimension */
};

struct net;

/* The options of a backend: keys of the network section that not every backend has, and the struct
 * of their values. Backends that share a key must define it identically. */
struct net_backend_keys {
    struct orr_key_table table; /* `owner` is not used */
    size_t bytes;               /* size of the values */
    const void *defaults;       /* values if the section has none of these keys */
    /* A check across keys, after all of them have been read; NULL: none. */
    enum orr_status (*check)(const struct orr_conf *map, void *values, struct orr_diag *diag);
    /* Returns the name of a key, among the values, that no other backend may ignore, or NULL; NULL:
     * no key is needed. */
    const char *(*needed)(const void *values);
    /* Warns about options without effect in this config; NULL: there are none. */
    void (*warn)(const struct orr_conf *map, const struct net_config *config,
                 struct orr_diag *diag);
};

/* What a backend can do that not all can: tables that are NULL in those that cannot. */

/* The network is its links: an NPU's bandwidth, where it is given per NPU, is divided among its
 * links, and the network can be a graph. */
struct net_link_ops {
    bool default_for_graphs;
    /* The number of links the network would have; at most NET_MAX_LINKS. */
    uint64_t (*count)(const struct net_config *config);
    /* Whether messages are store-and-forward over their links; NULL: never. */
    bool (*is_store_and_forward)(const struct net_config *config);
    /* Bytes carried by a link of the config's graph. */
    uint64_t (*bytes)(const struct net *net, uint32_t link);
    /* Writes the first `max` links of the path that the message would take now (by its key or
     * channel), and returns the number of all its links; 0: no path. */
    uint32_t (*path)(struct net *net, const struct net_msg *msg, uint32_t *link, uint32_t max);
};

/* Link capacities of a graph can change. Used only if orr_net_changes, as is `in_flight`. */
struct net_capacity_ops {
    void (*set)(struct net *net, const struct net_batch *batch);
    /* Bytes that a link could have carried until `time`. */
    double (*offered)(const struct net *net, uint32_t link, sim_time time);
    /* How many parallel links of a record work now. */
    uint32_t (*working)(const struct net *net, uint32_t link);
    /* Visits the messages in flight, in their present state, in no particular order. */
    void (*waiting)(struct net *net, net_waiting_fn visit, void *context);
};

/* Rounds: `prepare` makes one, which lives as long as the network; NULL result: the messages have
 * to be sent one by one, because their routes vary or single messages are observed. `send` sends
 * one: `msg` has the common fields and the first label. `delivered` is called at the last arrival,
 * `sent` never. */
struct net_round_ops {
    struct net_round *(*prepare)(struct net *net, const struct net_ends *pair, uint32_t count);
    void (*send)(struct net *net, struct net_round *round, const struct net_msg *msg);
};

/* What folding has to know. NULL: no message crosses ports of others, and order matters. */
struct net_fold_ops {
    /* The result on a flat graph (orr_net_graph_is_flat) does not depend on the order of sends
     * within an instant. Classes of its NPUs can be folded, and on other graphs those that
     * rotations map to each other. */
    bool is_order_independent;
    /* Whether messages between other NPUs can cross an NPU's links of a dimension; then the
     * dimension folds entirely or not at all. */
    bool (*has_transit)(const struct net_config *config, unsigned dim);
    /* Why these keys rule out folding, or NULL; NULL: they never do. */
    const char *(*unfoldable)(const struct net_config *config);
};

struct net_ops {
    const char *name, *summary;
    const struct net_backend_keys *own; /* NULL: none */
    /* Whether the listener's `sent` is called (never under reference timing). */
    bool reports_sent;
    /* A port sends one message at a time, so that a phase can have a port to itself, and messages
     * can set how long they occupy their port (net_msg.hold_ps). */
    bool holds_ports;
    /* Builds the network in the arena. Entities 0..NPUs-1 of the queue are the NPUs; a backend adds
     * its own (links) with orr_evq_add_entities. A backend whose messages wait at an NPU's ports
     * until the NPU's events of a round are over registers orr_evq_on_flush. */
    enum orr_status (*create)(struct net **out, const struct net_config *config,
                              struct orr_evq *queue, struct orr_arena *arena,
                              struct orr_diag *diag);
    void (*send)(struct net *net, const struct net_msg *msg);
    /* Unloaded time from the first byte sent to the first byte received. */
    sim_time (*latency)(const struct net *net, uint32_t src, uint32_t dst);
    /* Statistics per dimension, into stats[config.dims]. */
    void (*stats)(const struct net *net, struct net_dim_stats *stats);
    /* Messages that are stalled on a link without capacity; NULL: this cannot happen. */
    struct net_flows_stuck (*stuck)(const struct net *net);
    /* Frees memory outside the arena; NULL: there is none. */
    void (*destroy)(struct net *net);

    const struct net_link_ops *links;
    const struct net_capacity_ops *capacities; /* needs `links` */
    const struct net_round_ops *rounds;
    const struct net_fold_ops *folding;
    /* The flows of the network; NULL: it has none. */
    const struct net_flows *(*flows)(const struct net *net);
};

/* The base struct of every backend. */
struct net {
    const struct net_ops *ops;
    const struct net_config *config;
    struct orr_evq *queue;
    struct net_listener listener;
    struct net_traffic *traffic; /* traffic matrix; NULL: not recorded */
    struct net_link_utilization
        *use;                    /* link utilization, of the simulated NPUs; NULL: not recorded */
    struct net_control *control; /* changes capacities; NULL: they are constant */
    uint64_t in_flight;          /* messages; counted if capacities can change */
};

/* All backends; ends with NULL. */
extern const struct net_ops *const orr_net_backends[];

/* By name, or NULL; and the name of the index-th, NULL after the last. Those from outside
 * (core/extensions.h) come behind the list. */
const struct net_ops *orr_net_backend_find(const char *name);
const char *orr_net_backend_name(size_t index);

/* The default backend, of blocks or of a graph; and both as a text for messages. */
const struct net_ops *orr_net_backend_default(bool graph);
extern const char orr_net_backends_default[];

/* The names of the backends for which `does` holds, as "a, b or c" with `last` " or ". Returns
 * `text`. */
char *orr_net_backends_that(bool (*does)(const struct net_ops *ops), const char *last, char *text,
                            size_t bytes);

/* The values of the backend's options. */
static inline const void *net_backend_values(const struct net_config *config,
                                             const struct net_ops *ops)
{
    for (const struct net_backend_options *own = config->own; own != NULL && own->ops != NULL;
         own++) {
        if (own->ops == ops) {
            return own->values;
        }
    }
    return ops->own->defaults;
}

/* Sets the flow model to the section's values, over those in *flows, or over plain fluid ones if
 * the section has `fluid`. (backends/flow.c) */
void orr_net_config_flows(const struct net_config *config, struct net_flow_model *flows);

#endif
