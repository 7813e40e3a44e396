/* Circuits: links between NPUs of which each NPU has a few at a time, and which a controller moves
 * from pair to pair. What a controller sees and sets, and the registry of controllers. */
#ifndef ORR_NETWORK_OPTICAL_CIRCUITS_H
#define ORR_NETWORK_OPTICAL_CIRCUITS_H

#include "network/optical/control.h"

/* What a controller may want for a pair. */
struct net_circuits_request {
    double bytes;
    uint32_t pair;
};

/* Of each pair [from * nodes + to]. */
struct net_circuits_view {
    uint32_t nodes, ports; /* each node sends and receives by so many circuits */
    bool duplex;           /* a circuit is one each way, and takes a port at both ends */
    double discount;       /* network.circuits.discount */
    sim_time now;
    const double *offered;        /* bytes, since it was asked last */
    const double *waiting;        /* bytes that are not carried yet, from where they are */
    const double *total;          /* bytes offered since the job began */
    const uint32_t *waiting_pair; /* the pairs for which bytes wait, each once, in no order */
    uint32_t waiting_pairs;       /* of them */
    const uint16_t *present;
    /* Room to work in, whatever is in it: [pairs]; two for each node; and NET_CIRCUITS_SCRATCH. */
    struct net_circuits_request *request;
    uint32_t *ends, *scratch;
};

#define NET_CIRCUITS_SCRATCH(nodes, ports) ((size_t)(nodes) * ((size_t)(ports) + 8))

/* What waits for a circuit between the two: with duplex ones, where most does. */
static inline double net_circuits_demand(const struct net_circuits_view *view, uint32_t pair)
{
    const double forth = view->waiting[pair];
    if (!view->duplex) {
        return forth;
    }
    const double back =
        view->waiting[(size_t)(pair % view->nodes) * view->nodes + pair / view->nodes];
    return forth > back ? forth : back;
}

struct net_circuits_ops {
    const char *name, *summary;
    /* The circuits of each pair from now on, at most `ports` from and to each node, and as many
     * back where they are duplex; `set` is all 0. May be asked at any time. NULL: it allocates. */
    void (*decide)(const struct net_circuits_view *view, uint16_t *set);
    /* What so many bytes for a pair with `has` circuits count for when it comes to another one:
     * never more than for one with fewer. NULL: all of them. */
    double (*need)(const struct net_circuits_view *view, double bytes, uint32_t has);
    const struct net_allocator_ops *allocator; /* for demands (network/allocation.h), or NULL */
};

/* All of them; ends with NULL. A new one is one file and one line in circuits_list.h. */
extern const struct net_circuits_ops *const orr_net_circuits[];
const char *orr_net_circuits_name(size_t index); /* NULL behind the last */

/* The pair that needs another circuit most gets it, again and again, as long as any pair that needs
 * one has a port at both ends; of equal ones the lower first, then second node. Of the ports that
 * nobody has a need for, present circuits keep what they have, lower nodes first. O(asking +
 * circuits log asking + nodes x those with free ports). (greedy.c) */
void orr_circuits_greedy(const struct net_circuits_view *view,
                         double (*need)(const struct net_circuits_view *view, double bytes,
                                        uint32_t has),
                         uint16_t *set);

/* Adds circuits on free ports and replaces two at a time until every node reaches every other:
 * see two_edge.c. Whether they all do: not, with one duplex circuit of each of more than two nodes.
 * O(nodes^2 + replacements x nodes x ports). */
bool orr_circuits_connect(const struct net_circuits_view *view, const struct net_circuits_ops *ops,
                          uint16_t *set);

#endif
