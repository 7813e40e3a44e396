/* State shared by the flows (flows.c), their engines and rounds. */
#ifndef ORR_NETWORK_FLOWS_FLOWS_PRIVATE_H
#define ORR_NETWORK_FLOWS_FLOWS_PRIVATE_H

#include <math.h>

#include "core/evq.h"
#include "core/slab.h"
#include "network/flows/flow_heap.h"
#include "network/flows/flow_paths.h"
#include "network/flows/flow_pending.h"
#include "network/flows/flows.h"
#include "network/graph.h"

struct dctcp_flows;
struct fair_flows;
struct flow_bundles;
struct orr_arena;

enum { EVENT_JOIN = ORR_EVENT_NETWORK, EVENT_TICK, EVENT_SETTLE };

#define PS_PER_S 1e12
/* A smaller remainder is rounding, not time. */
#define ROUNDING_PS 1e-3

/* Upper limit of rates, so that they are finite on links of infinite capacity. */
#define FLOWS_FASTEST 1e30

struct net_flows;
typedef void (*net_flow_visit)(void *context, uint64_t cookie, double bytes);

/* An engine solves the shares of the joined flows. */
struct flows_engine {
    bool (*create)(struct net_flows *flows); /* false: out of memory */
    void (*destroy)(struct net_flows *flows);
    /* A flow with so many bytes (record->bytes) is on its path from now on. */
    void (*join)(struct net_flows *flows, uint32_t handle);
    /* Changes the weight of a joined flow, to another one. */
    void (*set_weight)(struct net_flows *flows, uint32_t handle, uint16_t weight);
    /* Queueing delay of a new flow on its path; NULL: none. */
    sim_time (*wait)(const struct net_flows *flows, const struct flow_path *path, uint16_t weight);
    /* Whether the shares have to be solved (settle) after the events of the instant. */
    bool (*dirty)(const struct net_flows *flows);
    void (*settle)(struct net_flows *flows);
    /* Processes due events, and schedules the next tick. */
    void (*tick)(struct net_flows *flows);
    /* Bytes/s of a link. */
    double (*capacity)(const struct net_flows *flows, uint32_t link);
    void (*set_capacity)(struct net_flows *flows, uint32_t link, double bytes_per_s);
    /* Counts flows stalled on links without capacity, and names the first. */
    void (*stuck)(const struct net_flows *flows, struct net_flows_stuck *stuck);
    /* Reroutes flows on paths with closed links. */
    void (*reroute)(struct net_flows *flows);
    void (*visit)(struct net_flows *flows, net_flow_visit visit, void *context);
    /* For aggregated rounds; NULL: not supported. `number` registers a path as if a flow had
     * joined, so that ends in an instant keep their order; UINT32_MAX: out of memory. `left`:
     * remaining bytes of a joined flow; 0: it ends now. `on`: how often flows cross a link. */
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
    struct flow_pending joins; /* of flows that have not joined */
    uint32_t entity;
    sim_time tick;      /* time of the next posted tick; ORR_TIME_MAX: none */
    bool settling;      /* a settle event is posted */
    bool failed;        /* out of memory */
    uint64_t in_flight; /* flows that have not ended, pending ones included */
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

/* The number of links that flows share: the graph's, then hosts (flow_paths.h). */
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
/* Posts a solution of the shares after the events of this instant. */
void orr_flows_post_settle(struct net_flows *flows);

void orr_flows_no_memory(struct net_flows *flows); /* ends the run */

/* Posts a tick at that time, unless an earlier one is posted. */
void orr_flows_post_tick(struct net_flows *flows, sim_time time);
/* Ends a flow: frees its record and calls the user. */
void orr_flows_end(struct net_flows *flows, uint32_t handle);

/* ---- flows.c and rounds.c ---- */

/* A flow with so many bytes (record->bytes) is on its path from now on. */
void orr_flows_join(struct net_flows *flows, uint32_t handle);

/* Delay of a flow between start and joining its path; its bytes on the wire; its overhead on the
 * path in bytes. */
sim_time orr_flows_join_delay(const struct net_flows *flows, const struct flow_path *path,
                              uint16_t weight);
double orr_flows_wire_bytes(const struct net_flows *flows, uint64_t bytes);
double orr_flows_overhead_bytes(const struct net_flows *flows,
                                const struct net_route_links *path_links);

/* Kinds of join events (aux). */
enum { JOINS_ALONE, JOIN_IN_ROUND };

/* Callbacks of rounds (rounds.c), for flows of a round and for others on its links. */
struct flows_rounds {
    void (*joins)(struct net_flows *flows, uint64_t cookie);
    /* A flow of a round has ended, and its last byte arrives at `time`; `left_aggregated`: the flow
     * that represents the round. */
    void (*left)(struct net_flows *flows, uint64_t cookie, sim_time time);
    void (*left_aggregated)(struct net_flows *flows, uint64_t cookie, sim_time time);
    /* The user's cookie of the round. */
    uint64_t (*cookie)(uint64_t cookie);
    /* With bundles: an unaggregated flow joins on the path; it has left the path. */
    void (*enter)(struct net_flows *flows, uint32_t path);
    void (*leave)(struct net_flows *flows, uint32_t path);
};

/* The user's cookie of a flow. */
static inline uint64_t flows_cookie(const struct net_flows *flows, uint32_t handle)
{
    const struct flow_record *record = flow_record_at(&flows->records, handle);
    return record->in_round != FLOW_ALONE ? flows->rounds->cookie(record->cookie) : record->cookie;
}

/* Records the first stalled flow: its link and its owner. */
static inline void flows_stuck_at(const struct net_flows *flows, struct net_flows_stuck *stuck,
                                  uint32_t link, uint32_t handle)
{
    if (stuck->flows == 0) {
        stuck->link = link;
        stuck->cookie = flows_cookie(flows, handle);
    }
}

/* ---- rerouting (flow_reroute.c) ---- */

/* Whether the path has a closed link. */
bool orr_flows_closed(const struct net_flows *flows, uint32_t path);
/* Finds another path for a flow with so many bytes left; false: it stays. */
bool orr_flows_find_around(struct net_flows *flows, struct flow_record *record, double bytes);
/* Reroutes a flow that is about to join, if its path is closed. */
void orr_flows_reroute_joining(struct net_flows *flows, uint32_t handle);

#endif
