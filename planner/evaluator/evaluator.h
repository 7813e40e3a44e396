/* Fast evaluator: predicts the iteration time of a strategy on a topology without events of single
 * messages, thousands of times a second, for searches. It approximates the flow backend
 * (flow_model: equal, all-reduce `ring` or `ring_stream`); every plan is confirmed by a simulation
 * (docs/models.md, section 12).
 *
 * A job consists of operators with devices and times, edges with transfers, and all-reduces. Each
 * is set by itself, so that a move of an operator sets only what it changes; all other derived
 * values are kept. The result does not depend on the order of the calls.
 *
 * - A device computes one part at a time, first ready, first done. Devices that begin and end a
 *   part of an operator at the same time are one cohort.
 * - Transfers share links: the rate of a flow is the minimum of the equal shares of its links. Many
 *   flows of equal bytes that start at once are one pool, with a number of flows on each link; each
 *   link of a pool drains independently.
 * - All-reduces go around rings in rounds of a latency and a transmission. The all-reduces of a
 *   ring are customers of a closed queueing network: each one uses its links for a fraction of its
 *   time, and shares them with the other ones and with transfers. All-reduces of equal bytes in a
 *   ring are one class with a common clock of rounds (eval_rounds.c). */
#ifndef ORR_PLANNER_EVALUATOR_EVALUATOR_H
#define ORR_PLANNER_EVALUATOR_EVALUATOR_H

#include <stddef.h>

#include "network/flows/flows.h"
#include "network/route_options.h"

struct net_graph;
struct orr_diag;

enum { EVAL_MAX_DEVICES = 1 << 12 };

/* Constant data of an evaluator. */
struct eval_setup {
    const struct net_graph *graph; /* without changes and circuits; must outlive the evaluator */
    struct net_route_options routes;
    /* orr_net_flow_packets(false), or all 0; a forwarding limit of hosts counts as a link. */
    struct net_flow_model model;
    uint32_t devices; /* of the job: NPUs 0 .. devices - 1 of the graph */
    uint32_t ops, edges;
    const struct eval_edge { /* [edges]: the output of one operator is an input of the other */
        uint32_t from, to;   /* from < to */
    } * edge;
    const uint32_t *owner; /* [ops] the operator whose weights each one uses; NULL: its own */
    bool forward_only;     /* gradients are operators of the model: there is no backward pass */
    /* An all-reduce begins when its members have computed all their backward parts (forward_only:
     * all parts), instead of those of its own operator. Costs O(members) an evaluation. */
    bool reduce_at_end;
    bool stream; /* all-reduces are `ring_stream`: one message with all bytes to the next member */
};

struct evaluator;

/* Creates an evaluator in which operators have no parts; set all of them before the first
 * evaluation. *setup is copied, its graph is not. Errors: more devices than NPUs of the graph or
 * EVAL_MAX_DEVICES; changes or circuits of the graph; congestion windows; memory. */
enum orr_status orr_evaluator_create(struct evaluator **out, const struct eval_setup *setup,
                                     struct orr_diag *diag);
void orr_evaluator_destroy(struct evaluator *evaluator); /* NULL is fine */

/* Bytes of cached routes and ring sets. Unused ring sets are evicted above 4 MiB. */
size_t orr_evaluator_bytes(const struct evaluator *evaluator);

/* The parts of an operator: the device of each (a device may have several), and the time of a part
 * in each pass. */
struct eval_parts {
    uint32_t parts;
    const uint32_t *device; /* [parts] */
    sim_time forward_ps, backward_ps;
};

/* A transfer of an edge in the forward pass; the backward pass sends the same bytes back. Within a
 * device (from == to, bytes 0) it takes no time; a consumer waits only for the transfers that are
 * listed. */
struct eval_transfer {
    uint32_t from, to;
    uint64_t bytes;
};

/* An all-reduce of an operator's gradients. The members are in ring order. It begins `inner_ps`
 * after the last backward part (forward_only: the last part) of all operators with its weights. */
struct eval_reduce {
    uint64_t bytes;
    sim_time inner_ps;
    uint32_t members;
    const uint32_t *member;
    /* More than 1: number of members of each group that have the weights, group by group in
     * `member`. They do a reduce-scatter inside of each group, all-reduces in rings across the
     * groups, and an all-gather (SiP-ML, section 3.2; lower_reduce.c). */
    uint32_t holders;
};

/* Set an operator's parts, an edge's transfers, an operator's all-reduces; they replace the
 * previous ones, and the arrays are copied. false: memory is out. O(parts), O(transfers),
 * O(members); for a ring set that is not cached O(members x hops + links). */
bool orr_eval_set_parts(struct evaluator *evaluator, uint32_t op, const struct eval_parts *parts);
bool orr_eval_set_edge(struct evaluator *evaluator, uint32_t edge,
                       const struct eval_transfer *transfer, uint32_t transfers);
bool orr_eval_set_reduces(struct evaluator *evaluator, uint32_t op,
                          const struct eval_reduce *reduce, uint32_t reduces);

/* Discards all derived values, which the next evaluation recomputes. For tests and benchmarks. */
void orr_eval_forget(struct evaluator *evaluator);

/* The critical resource, and its busy time. */
enum eval_resource { EVAL_LINK, EVAL_DEVICE, EVAL_LATENCY };
struct eval_critical {
    enum eval_resource resource;
    /* Index of a link of the graph (from graph->links on: of a host whose forwarding is limited),
     * of a device, or of the operator of an all-reduce. */
    uint32_t index;
    sim_time busy_ps; /* transmitting, computing, or waiting for the latencies of rounds */
};

/* Computes the iteration time in *time_ps. Errors: memory, no path between two devices, a cycle.
 * Costs O((operators + edges) x devices) if cohorts stay whole, and a few passes over all links and
 * transfers for each start and end of transfers or all-reduces. */
enum orr_status orr_evaluate(struct evaluator *evaluator, sim_time *time_ps, struct orr_diag *diag);

/* The same, but stops as soon as the iteration certainly takes longer than the limit: *time_ps is
 * then ORR_TIME_MAX, and orr_eval_report has no meaning. */
enum orr_status orr_evaluate_within(struct evaluator *evaluator, sim_time limit_ps,
                                    sim_time *time_ps, struct orr_diag *diag);

/* Load of links: bytes / capacity, in seconds. */
struct eval_load {
    double mean, min, max;
};

/* Traffic of the operators, edges and all-reduces that are set: bytes without packet padding, loads
 * with it. */
struct eval_traffic {
    double transfer_bytes, reduce_bytes; /* end to end, each counted once */
    double tax;                      /* bytes that NPUs send or forward / bytes sent end to end */
    double hops_mean;                /* mean links of a transferred byte */
    struct eval_load all, transfers; /* transfers: without all-reduces */
};

/* Bytes on the wire of a link, in whole packets. */
struct eval_link_bytes {
    uint64_t transfers, reduces;
};

/* Computes the traffic after an evaluation; link[links] may be NULL. Errors: memory. O((transfers +
 * all-reduces) x hops). (eval_traffic.c) */
enum orr_status orr_eval_traffic(struct evaluator *evaluator, struct eval_traffic *out,
                                 struct eval_link_bytes *link, struct orr_diag *diag);

/* Reports the last evaluation: link_bytes[links], bytes on the wire in whole packets, and the
 * critical resource; either may be NULL. Errors: memory. O((transfers + all-reduces) x hops). */
enum orr_status orr_eval_report(struct evaluator *evaluator, uint64_t *link_bytes,
                                struct eval_critical *critical, struct orr_diag *diag);

#endif
