/* Circuits: links between NPUs of which each NPU has a few at a time, and which a controller moves
 * from pair to pair. What a controller sees and sets, and the registry of controllers. */
#ifndef ORR_NETWORK_OPTICAL_CIRCUITS_H
#define ORR_NETWORK_OPTICAL_CIRCUITS_H

#include "network/optical/control.h"

/* What a controller may want for a pair. */
struct net_circuits_wish {
    double bytes;
    uint32_t pair;
};

/* Of each pair [from * nodes + to]. */
struct net_circuits_view {
    uint32_t nodes, ports; /* each node sends and receives by so many circuits */
    double discount;       /* network.circuits.discount */
    sim_time now;
    const double *offered; /* bytes, since it was asked last */
    const double *waiting; /* bytes that are not carried yet, from where they are */
    const double *total;   /* bytes offered since the job began */
    const uint16_t *present;
    /* Room to work in, whatever is in it: [pairs], and two for each node. */
    struct net_circuits_wish *wish;
    uint32_t *ends;
};

struct net_circuits_ops {
    const char *name, *summary;
    /* The circuits of each pair from now on, at most `ports` from and to each node; `set` is all 0.
     * May be asked at any time. */
    void (*decide)(const struct net_circuits_view *view, uint16_t *set);
};

/* All of them; ends with NULL. A new one is one file and one line in circuits_list.h. */
extern const struct net_circuits_ops *const orr_net_circuits[];
const char *orr_net_circuits_name(size_t index); /* NULL behind the last */

#endif
