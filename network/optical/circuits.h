/* Circuits: links between NPUs, of which each NPU has a few at a time, and which a controller moves
 * from pair to pair. The view of a controller, its decision, and the registry of controllers. */
#ifndef ORR_NETWORK_OPTICAL_CIRCUITS_H
#define ORR_NETWORK_OPTICAL_CIRCUITS_H

#include "network/optical/control.h"

/* A pair's demand for a circuit, in the heap of greedy.c. */
struct net_circuits_request {
    double bytes;
    uint32_t pair;
};

/* The input of a decision. Arrays are by pair: [from * nodes + to]. */
struct net_circuits_view {
    uint32_t nodes, ports; /* ports: circuits of a node in each direction */
    bool duplex;           /* a circuit has both directions, and takes a port at both ends */
    double discount;       /* network.circuits.discount */
    sim_time now;
    const double *offered;        /* bytes offered since the last decision */
    const double *waiting;        /* bytes not yet carried, from their present node */
    const double *total;          /* bytes offered since the job began */
    const uint32_t *waiting_pair; /* [waiting_pairs] pairs with waiting bytes, unordered */
    uint32_t waiting_pairs;       /* length of waiting_pair */
    const uint16_t *present;
    /* Scratch memory: `request` [pairs], `ends` [2 * nodes], `scratch` [NET_CIRCUITS_SCRATCH]. */
    struct net_circuits_request *request;
    uint32_t *ends, *scratch;
};

#define NET_CIRCUITS_SCRATCH(nodes, ports) ((size_t)(nodes) * ((size_t)(ports) + 8))

/* Bytes waiting for a circuit of the pair; with duplex circuits, the larger of both directions. */
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
    /* Decides the circuits of each pair, at most `ports` from and to each node; with duplex
     * circuits the reverse pair has as many. `set` is all 0 before. Can be called at any time.
     * NULL: it allocates. */
    void (*decide)(const struct net_circuits_view *view, uint16_t *set);
    /* The weight of `bytes` of a pair with `has` circuits for its next circuit: non-increasing in
     * `has`. NULL: all bytes. */
    double (*need)(const struct net_circuits_view *view, double bytes, uint32_t has);
    bool is_checked; /* from outside: a decision that breaks the rules is an error */
    const struct net_allocator_ops *allocator; /* for demands (network/allocation.h), or NULL */
};

/* All controllers, NULL-terminated. A new one is one file and one line in circuits_list.h. */
extern const struct net_circuits_ops *const orr_net_circuits[];
/* By index, or the name; NULL after the last. Those from outside (core/extensions.h) come behind
 * the list. */
const struct net_circuits_ops *orr_net_circuits_at(size_t index);
const char *orr_net_circuits_name(size_t index);

/* Whether a decision keeps the rules of `decide`; if not, the first broken one as a text [bytes].
 * O(nodes^2). (circuits_check.c) */
bool orr_circuits_check(const struct net_circuits_view *view, const uint16_t *set, char *text,
                        size_t bytes);

/* Greedy assignment: the pair with the largest need for another circuit gets one, while a pair with
 * a need has a port at both ends; ties go to the lower first, then second node. On ports without a
 * need, present circuits stay, lower nodes first. O(waiting_pairs + circuits log waiting_pairs +
 * nodes x nodes with free ports). (greedy.c) */
void orr_circuits_greedy(const struct net_circuits_view *view,
                         double (*need)(const struct net_circuits_view *view, double bytes,
                                        uint32_t has),
                         uint16_t *set);

/* Adds circuits on free ports and replaces two at a time, until every node reaches every other: see
 * two_edge.c. Returns whether all do; impossible with one duplex circuit of each of more than two
 * nodes. O(nodes^2 + replacements x nodes x ports). */
bool orr_circuits_connect(const struct net_circuits_view *view, const struct net_circuits_ops *ops,
                          uint16_t *set);

#endif
