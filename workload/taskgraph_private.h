/* What the run of a task graph (taskgraph.c) and its all-reduces (taskgraph_reduce.c) share. */
#ifndef ORR_WORKLOAD_TASKGRAPH_PRIVATE_H
#define ORR_WORKLOAD_TASKGRAPH_PRIVATE_H

#include "workload/taskgraph.h"

enum {
    EVENT_TASK_DONE = ORR_EVENT_WORKLOAD,
    EVENT_DELIVERED,
    EVENT_REDUCE,
    /* Cookies of flows: a task, or a ring of an all-reduce. */
    COOKIE_RING_BIT = 63
};

/* A resource that does one task at a time, in the order in which they became ready. */
struct server {
    uint32_t head, tail; /* waiting tasks; UINT32_MAX: none */
    uint32_t running;    /* UINT32_MAX: idle */
    sim_time busy_ps;
};

/* A ring of an all-reduce that is under way. */
struct ring_run {
    uint32_t task, reduce;
    uint32_t step;   /* places from a server to the next */
    uint32_t rounds; /* left, the running one too */
    uint32_t flows;  /* of this round, under way */
    uint64_t bytes;  /* of each flow */
};

struct orr_taskgraph_run {
    struct orr_taskgraph_config config;
    struct orr_arena *arena;
    struct orr_evq *queue;
    struct net_flows *flows;
    struct net_router *router;
    struct server *server; /* [2 * servers]: accelerators, then CPUs */
    uint32_t *waits_for;   /* [tasks]: tasks that are not done */
    uint32_t *behind;      /* [tasks]: the next in a server's line */
    struct orr_slab rings; /* struct ring_run */
    uint64_t keys;         /* flows started */
    uint64_t done;         /* tasks */
    struct orr_taskgraph_result result;
};

void taskgraph_start_flow(struct orr_taskgraph_run *run, const uint32_t ends[2], uint64_t bytes,
                          uint64_t cookie);

/* Starts the rounds of an all-reduce; a flow of one of its rings has been delivered. */
void taskgraph_reduce(struct orr_taskgraph_run *run, uint32_t task);
void taskgraph_ring_delivered(struct orr_taskgraph_run *run, uint32_t ring);

#endif
