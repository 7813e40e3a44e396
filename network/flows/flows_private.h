/* What the flows (flows.c) and their weights by windows (dctcp_weights.c) share. */
#ifndef ORR_NETWORK_FLOWS_FLOWS_PRIVATE_H
#define ORR_NETWORK_FLOWS_FLOWS_PRIVATE_H

#include <math.h>

#include "network/flows/flow_heap.h"
#include "network/flows/flow_paths.h"
#include "network/flows/flow_pending.h"

enum { EVENT_JOIN = ORR_EVENT_NETWORK, EVENT_TICK, EVENT_SETTLE };

#define PS_PER_S 1e12
/* Less is rounding of what was served, not time. */
#define ROUNDING_PS 1e-3

/* A rate is finite, on a link that is as fast as one likes too. */
#define FLOWS_FASTEST 1e30

struct net_flows;
typedef void (*net_flow_visit)(void *context, uint64_t cookie, double bytes);

/* What shares the links out among the flows that have joined. */
struct flows_engine {
    bool (*create)(struct net_flows *flows); /* false: no memory */
    void (*destroy)(struct net_flows *flows);
    /* A flow with so many bytes (record->bytes) is on its path from now on. */
    void (*join)(struct net_flows *flows, uint32_t handle);
    /* How long a new flow waits in the queues of its path; NULL: not at all. */
    sim_time (*wait)(const struct net_flows *flows, const struct flow_path *path);
    /* Whether shares are to be worked out anew (settle), when all events of the instant are taken.
     */
    bool (*dirty)(const struct net_flows *flows);
    void (*settle)(struct net_flows *flows);
    /* Takes what is due now, and asks for the next tick. */
    void (*tick)(struct net_flows *flows);
    /* Bytes/s. */
    double (*capacity)(const struct net_flows *flows, uint32_t link);
    void (*set_capacity)(struct net_flows *flows, uint32_t link, double bytes_per_s);
    /* Counts flows that stand still on links without capacity, and names the first. */
    void (*stuck)(const struct net_flows *flows, struct net_flows_stuck *stuck);
    /* Flows on paths with closed links take others. */
    void (*reroute)(struct net_flows *flows);
    void (*visit)(struct net_flows *flows, net_flow_visit visit, void *context);
    /* For rounds of which one flow stands for all; NULL: none does. Numbers a path as if a flow had
     * joined on it, so that ends of an instant keep their order; UINT32_MAX: no memory. What a flow
     * that has joined has left, 0: it ends now. And how often flows go over a link. */
    uint32_t (*number)(struct net_flows *flows, uint32_t path);
    double (*left)(const struct net_flows *flows, uint32_t handle);
    uint64_t (*on)(const struct net_flows *flows, uint32_t link);
};
extern const struct flows_engine orr_dctcp_flows, orr_fair_flows;

struct net_flows {
    struct net_flows_config config;
    const struct flows_engine *engine;
    struct orr_arena *arena;
    struct flow_paths paths;
    struct orr_slab records;   /* struct flow_record */
    struct flow_pending joins; /* of those that are yet to join */
    uint32_t entity;
    sim_time tick;      /* the next one posted; ORR_TIME_MAX: none */
    bool settling;      /* an event to work out shares is posted */
    bool failed;        /* memory */
    uint64_t in_flight; /* flows that have not ended, joined or not */
    struct net_flows_counts counts;
    const struct net_flows_around *around; /* NULL: flows stay on their paths */
    struct fair_flows *fair;               /* fair_flows.c */
    const struct flows_rounds *rounds;     /* NULL: there are none */
    struct flow_bundles *bundles;          /* NULL: none (round_aggregation.c) */
    struct dctcp_flows *dctcp;             /* dctcp_flows.c */
};

static inline double flows_capacity(const struct net_link *link)
{
    const double capacity = net_link_capacity(link);
    return capacity < FLOWS_FASTEST ? capacity : FLOWS_FASTEST;
}

/* The links that flows share: the graph's, and behind them hosts (flow_paths.h). */
static inline uint32_t flows_links(const struct net_flows *flows)
{
    return flows->config.graph->links + flows->paths.hosts;
}

static inline double flows_first_capacity(const struct net_flows *flows, uint32_t link)
{
    const struct net_graph *graph = flows->config.graph;
    return link < graph->links ? flows_capacity(&graph->link[link])
                               : fmin(flows->config.model.forward_bytes_per_s, FLOWS_FASTEST);
}

void orr_flows_post(struct net_flows *flows, sim_time time, uint16_t kind, uint64_t cookie);
/* Works out the shares when all events of this instant are taken. */
void orr_flows_post_settle(struct net_flows *flows);

void orr_flows_no_memory(struct net_flows *flows); /* ends the run */

/* Asks for a tick at that time, unless one comes earlier. */
void orr_flows_post_tick(struct net_flows *flows, sim_time time);
/* The flow is over: its record is freed, and the user told. */
void orr_flows_end(struct net_flows *flows, uint32_t handle);

/* ---- flows.c and rounds.c ---- */

/* A flow with so many bytes (record->bytes) is on its path from now on. */
void orr_flows_join(struct net_flows *flows, uint32_t handle);

/* How long after its start a flow joins the path; its bytes on the wire, and what its overhead on
 * the path is worth in bytes. */
sim_time orr_flows_join_delay(const struct net_flows *flows, const struct flow_path *path);
double orr_flows_wire_bytes(const struct net_flows *flows, uint64_t bytes);
double orr_flows_overhead_bytes(const struct net_flows *flows,
                                const struct net_route_links *path_links);

/* What an event of a flow that joins is (its aux). */
enum { JOINS_ALONE, JOIN_IN_ROUND };

/* What flows that are in a round, or beside one, ask of it (rounds.c). */
struct flows_rounds {
    void (*joins)(struct net_flows *flows, uint64_t cookie);
    /* A flow with that cookie has ended, whose last byte is there at `time`; or the one that stands
     * for all of its round. */
    void (*left)(struct net_flows *flows, uint64_t cookie, sim_time time);
    void (*left_aggregated)(struct net_flows *flows, uint64_t cookie, sim_time time);
    /* The user's cookie of the round. */
    uint64_t (*cookie)(uint64_t cookie);
    /* Where there are bundles: a flow that stands for itself joins on the path; and has left it. */
    void (*enter)(struct net_flows *flows, uint32_t path);
    void (*leave)(struct net_flows *flows, uint32_t path);
};

/* What the user knows the flow by. */
static inline uint64_t flows_cookie(const struct net_flows *flows, uint32_t handle)
{
    const struct flow_record *record = flow_record_at(&flows->records, handle);
    return record->in_round != FLOW_ALONE ? flows->rounds->cookie(record->cookie) : record->cookie;
}

/* Notes the first flow that stands still: on which link, and whose it is. */
static inline void flows_stuck_at(const struct net_flows *flows, struct net_flows_stuck *stuck,
                                  uint32_t link, uint32_t handle)
{
    if (stuck->flows == 0) {
        stuck->link = link;
        stuck->cookie = flows_cookie(flows, handle);
    }
}

/* ---- paths that carry nothing (flow_reroute.c) ---- */

/* Whether the path has a closed link. */
bool orr_flows_closed(const struct net_flows *flows, uint32_t path);
/* Another path for a flow with so many bytes left; false: it stays where it is. */
bool orr_flows_find_around(struct net_flows *flows, struct flow_record *record, double bytes);
/* A flow that is about to join takes another path, if its own is closed. */
void orr_flows_reroute_joining(struct net_flows *flows, uint32_t handle);

#endif
