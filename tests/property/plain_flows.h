/* Jobs of flows for tests, what came of them, and a plain simulator of them, which is what the
 * flows of the library (network/flows/flows.h) are held to: shares are filled from scratch after
 * every event, in long double, and every flow is looked at each time. Equal shares only. */
#ifndef ORR_TESTS_PROPERTY_PLAIN_FLOWS_H
#define ORR_TESTS_PROPERTY_PLAIN_FLOWS_H

#include "core/evq.h"
#include "network/flows/flows.h"
#include "network/graph.h"

enum {
    PLAIN_LINKS = 48,
    PLAIN_HOPS = 12,
    PLAIN_PATHS = 192,
    PLAIN_FLOWS = 320,
    PLAIN_EDGES = 2048,
    PLAIN_EVENTS = 32
};
#define PLAIN_NONE UINT32_MAX

struct plain_path {
    uint32_t link[PLAIN_HOPS], hops;
    uint32_t around; /* the path that its flows take when a link of it is closed; PLAIN_NONE */
};

/* Starts at `start`, or when all that it waits for have ended: at once, or when their last bytes
 * have arrived. */
struct plain_flow {
    uint32_t path, waits;
    uint64_t bytes;
    sim_time start;
    bool at_arrival;
    uint32_t first_edge; /* to those that wait for it; PLAIN_NONE */
};

struct plain_edge {
    uint32_t to, next;
};

/* From `at` on a link has another capacity, or is closed or open (flows then look for other
 * paths).*/
struct plain_event {
    sim_time at;
    uint32_t link;
    double bytes_per_s;
    bool routes, closed;
};

struct plain_job {
    uint64_t seed;
    const char *pattern;
    enum orr_order order;
    struct net_graph graph;
    struct net_link link[PLAIN_LINKS];
    struct net_flow_model model;
    struct plain_path path[PLAIN_PATHS];
    struct plain_flow flow[PLAIN_FLOWS];
    struct plain_edge edge[PLAIN_EDGES];
    struct plain_event event[PLAIN_EVENTS]; /* by time */
    uint32_t paths, flows, edges, events;
};

/* Of what `path` is, the first with the same links. */
uint32_t plain_same_path(const struct plain_job *job, uint32_t path);

#define PLAIN_NEVER INT64_MAX

struct plain_answer {
    uint32_t order[PLAIN_FLOWS], ends; /* flows in the order in which they ended */
    uint32_t rank[PLAIN_FLOWS];        /* the place of each there; PLAIN_NONE: has not ended */
    sim_time end[PLAIN_FLOWS], arrival[PLAIN_FLOWS];           /* PLAIN_NEVER */
    uint64_t path_flows[PLAIN_PATHS], path_bytes[PLAIN_PATHS]; /* by plain_same_path */
    uint64_t moves;                                            /* flows that took another path */
    uint64_t stuck;                                            /* flows that stand still for ever */
    uint64_t close; /* decisions that lay within rounding, and were taken as they were seen */
};

/* Simulates the job. `seen` is what is to be checked: it decides what the rules leave open, the
 * order of flows of one path that end at the same number of bytes, and on which side of a
 * picosecond a time lies that is nearer to it than rounding. O(events * flows * links). */
void plain_flows_run(const struct plain_job *job, const struct plain_answer *seen,
                     struct plain_answer *out);

#endif
