/* The iteration time of a strategy on a topology, without events of single messages: thousands of
 * answers a second, for searches. It predicts what the flow backend finds (flow_model: maxmin,
 * all-reduce `ring` or `ring_stream`); every plan is confirmed by a run (docs/models.md, section
 * 12).
 *
 * A job is operators with devices and times, edges with transfers, and all-reduces. They are set
 * one by one, so that a move of an operator sets what it touches and nothing else; what is derived
 * of the others is kept. The answer does not depend on the order in which they were set.
 *
 * - A device computes one part at a time, first ready, first done. Parts of an operator that begin
 *   and end together are one thing (a cohort).
 * - Transfers share links: a flow gets the least of equal shares of its links. Many that start at
 *   once with the same bytes are one thing with a number of flows on each link (a pool); what of it
 *   is on a link drains by itself.
 * - All-reduces go around rings in rounds, of a latency and a transmission. Those of a ring that
 * are under way are customers of a closed queueing network: each is on its links for a part of its
 *   time, and shares them with those that are, and with the transfers. Rings of equal bytes are one
 *   class with a clock of rounds (eval_rounds.c). */
#ifndef ORR_PLANNER_EVALUATOR_EVALUATOR_H
#define ORR_PLANNER_EVALUATOR_EVALUATOR_H

#include "network/network.h"

enum { EVAL_MAX_DEVICES = 1 << 12 };

/* What stays while strategies change. */
struct eval_setup {
    const struct net_graph *graph; /* without changes and circuits; it must outlive the evaluator */
    struct net_route_options routes;
    /* orr_net_flow_packets(false), or all 0; a limit of what hosts pass on counts as links do. */
    struct net_flow_model model;
    uint32_t devices; /* of the job: NPUs 0 .. devices - 1 of the graph */
    uint32_t ops, edges;
    const struct eval_edge { /* [edges]: the output of one operator is an input of the other */
        uint32_t from, to;   /* from < to */
    } * edge;
    const uint32_t *owner; /* [ops] whose weights they use; NULL: each its own */
    bool forward_only;     /* the gradients are operators: nothing goes back */
    /* An all-reduce begins when its members have done all their backward parts (forward_only: all
     * parts), and not when those of its own operator are done. Costs O(members) an answer. */
    bool reduce_at_end;
    bool stream; /* all-reduces are `ring_stream`: one message of all to the next */
};

struct evaluator;

/* An evaluator in which every operator is without parts; set all of them before the first answer.
 * Errors: more devices than the graph has NPUs, changes or circuits of the graph, memory. */
enum orr_status orr_evaluator_create(struct evaluator **out, const struct eval_setup *setup,
                                     struct orr_diag *diag);
void orr_evaluator_destroy(struct evaluator *evaluator); /* NULL is fine */

/* Memory for what it knows of the network: ways, and rings of members. Those of members that no
 * all-reduce has any more are given back when they are more than 4 MiB. */
size_t orr_evaluator_bytes(const struct evaluator *evaluator);

/* The parts of an operator: their devices, of which one may have several, and the time of a part in
 * each pass. */
struct eval_parts {
    uint32_t parts;
    const uint32_t *device; /* [parts] */
    sim_time forward_ps, backward_ps;
};

/* What goes along an edge in the forward pass; as much comes back in the backward pass. Within a
 * device (from == to, bytes 0) it takes no time, but what is not named is not waited for. */
struct eval_transfer {
    uint32_t from, to;
    uint64_t bytes;
};

/* An all-reduce of an operator's gradients, of members in ring order, which begins `inner_ps` after
 * the last backward part (forward_only: the last part) of all operators that use its weights. */
struct eval_reduce {
    uint64_t bytes;
    sim_time inner_ps;
    uint32_t members;
    const uint32_t *member;
    /* More than 1: so many of each group have the weights, group by group in `member`. Each sends
     * every other of its group a share, shares go around rings of equal places, and each sends
     * every other what it has (SiP-ML, section 3.2; lower_reduce.c). */
    uint32_t holders;
};

/* Replace what was set before; the arrays are copied. false: memory is out. O(parts), O(transfers),
 * O(members); a set of members that is not known O(members x hops + links). */
bool orr_eval_set_parts(struct evaluator *evaluator, uint32_t op, const struct eval_parts *parts);
bool orr_eval_set_edge(struct evaluator *evaluator, uint32_t edge,
                       const struct eval_transfer *transfer, uint32_t transfers);
bool orr_eval_set_reduces(struct evaluator *evaluator, uint32_t op,
                          const struct eval_reduce *reduce, uint32_t reduces);

/* Has everything worked out anew at the next answer, as if nothing had been asked before. */
void orr_eval_forget(struct evaluator *evaluator);

/* What limits the iteration most, and for how much of it. */
enum eval_resource { EVAL_LINK, EVAL_DEVICE, EVAL_LATENCY };
struct eval_critical {
    enum eval_resource resource;
    /* Of a link of the graph (or behind these, of a host: what it passes on), a device, the
     * operator whose all-reduce it is. */
    uint32_t index;
    sim_time busy_ps; /* carrying, computing, or waiting for rounds' latencies */
};

/* The iteration time in *time_ps. Errors: memory, no way between two devices, a cycle. Costs
 * O((operators + edges) x devices) where parts keep together, and a few passes over all links and
 * transfers under way whenever one of these begins or ends. */
enum orr_status orr_evaluate(struct evaluator *evaluator, sim_time *time_ps, struct orr_diag *diag);

/* The same, given up as soon as it is certain that the iteration takes longer than the limit:
 * *time_ps is then ORR_TIME_MAX, and there is nothing to report of. */
enum orr_status orr_evaluate_within(struct evaluator *evaluator, sim_time limit_ps,
                                    sim_time *time_ps, struct orr_diag *diag);

/* The time that links need for what goes over them, in seconds. */
struct eval_load {
    double mean, min, max;
};

/* Of what was set: bytes without what fills packets up, loads with it. */
struct eval_traffic {
    double transfer_bytes, reduce_bytes; /* that are sent, however far they go */
    double tax;       /* bytes that NPUs send, with those that they forward, over these */
    double hops_mean; /* links of a transferred byte */
    struct eval_load all, transfers; /* transfers: without all-reduces */
};

/* On the wire of a link, of whole packets. */
struct eval_link_bytes {
    uint64_t transfers, reduces;
};

/* After an answer; link[links] may be NULL. Errors: memory. O(all that was set x hops).
 * (eval_traffic.c) */
enum orr_status orr_eval_traffic(struct evaluator *evaluator, struct eval_traffic *out,
                                 struct eval_link_bytes *link, struct orr_diag *diag);

/* Of the last answer. Bytes are those on the wire, of whole packets, link_bytes[links]; either may
 * be NULL. O(all that was set x hops). */
enum orr_status orr_eval_report(struct evaluator *evaluator, uint64_t *link_bytes,
                                struct eval_critical *critical, struct orr_diag *diag);

#endif
