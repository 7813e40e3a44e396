/* The capacities of a graph's links where they change while a job runs, and the ways around links
 * that carry nothing: what backends that know links share (link_capacity.c). */
#ifndef ORR_NETWORK_BACKENDS_LINK_CAPACITY_H
#define ORR_NETWORK_BACKENDS_LINK_CAPACITY_H

#include "network/backends/link_net.h"

struct link_capacity {
    double *bytes_per_s;        /* [links], of a record's links together, now */
    double *offered;            /* [links]: bytes that it could have carried until `since` */
    sim_time *since;            /* [links] */
    uint32_t *working;          /* [links]: of a record, now; 0 with a bandwidth of 0 too */
    bool *closed;               /* [links]: routes go around it */
    uint32_t closed_links;      /* of them */
    struct net_router *detours; /* ways without closed links; NULL: routes stay as they are */
};

enum orr_status orr_link_capacity_create(struct link_net *linked, struct orr_diag *diag);

/* What a link carries from now on. O(1). */
void orr_link_capacity_set(struct link_net *linked, const struct net_capacity *capacity);

/* Of net_ops: bytes that the link could have carried until `time`. */
double orr_link_capacity_offered(const struct net *net, uint32_t link, sim_time time);

/* Of net_ops: how many of a record's links work now. */
uint32_t orr_link_capacity_working(const struct net *net, uint32_t link);

/* Closes the links that carry nothing now and opens the others, where routes may go around them.
 * Whether any is closed or opened; memory that runs out ends the run. O(links + nodes). */
bool orr_link_capacity_reroute(struct link_net *linked);

static inline bool link_capacity_any_closed(const struct link_capacity *changes,
                                            const uint32_t *link, uint32_t hops)
{
    for (uint32_t h = 0; h < hops; h++) {
        if (changes->closed[link[h]]) {
            return true;
        }
    }
    return false;
}

#endif
