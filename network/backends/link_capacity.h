/* Dynamic capacities of a graph's links, and detours around links that carry nothing: shared by the
 * backends that model links (link_capacity.c). */
#ifndef ORR_NETWORK_BACKENDS_LINK_CAPACITY_H
#define ORR_NETWORK_BACKENDS_LINK_CAPACITY_H

#include "network/backends/link_net.h"
#include "network/capacity_changes.h"

struct net;
struct net_router;
struct orr_diag;

struct link_capacity {
    double *bytes_per_s;        /* [links] present capacity of a record */
    double *offered;            /* [links] bytes that the record could have carried until `since` */
    sim_time *since;            /* [links] */
    uint32_t *working;          /* [links] parallel links that work now; 0 if the bandwidth is 0 */
    bool *closed;               /* [links] routes avoid the record */
    uint32_t closed_links;      /* number of closed records */
    struct net_router *detours; /* paths without closed links; NULL: no rerouting */
};

enum orr_status orr_link_capacity_create(struct link_net *linked, struct orr_diag *diag);

/* Sets the capacity of a link from now on. O(1). */
void orr_link_capacity_set(struct link_net *linked, const struct net_capacity *capacity);

/* net_capacity_ops.offered: bytes that the link could have carried until `time`. */
double orr_link_capacity_offered(const struct net *net, uint32_t link, sim_time time);

/* net_capacity_ops.working: the parallel links of a record that work now. */
uint32_t orr_link_capacity_working(const struct net *net, uint32_t link);

/* If rerouting is on, closes the links that carry nothing now and opens the others. Returns whether
 * any link was closed or opened; lack of memory ends the run. O(links + nodes). */
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
