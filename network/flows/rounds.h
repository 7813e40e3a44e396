/* Rounds of flows, and bundles of identical paths whose rounds one flow can represent: state shared
 * by rounds.c and round_aggregation.c. */
#ifndef ORR_NETWORK_FLOWS_ROUNDS_H
#define ORR_NETWORK_FLOWS_ROUNDS_H

#include "network/flows/flows_private.h"

struct round_member {
    uint32_t path, end; /* end: index of its tail latency */
    double overhead_bytes;
};

/* The flows of a round in flight that have equal tail latency. */
struct round_end {
    struct round_run *run;
    uint32_t left;
};
struct round_run {
    struct net_flows_round *round;
    struct round_run *next; /* in the list of unused runs, or in the bundle's list */
    struct round_run *previous;
    uint64_t cookie;
    double bytes;
    uint32_t joined, ends_left; /* joined: start times done; ends_left: tail latencies not done */
    uint32_t record;            /* of the representative flow, while in the bundle's list */
    struct round_end *end;
};

/* A bundle: paths without a common link, identical hop by hop. While their links carry only
 * complete rounds, all paths have equal rates, so that one flow of a round represents all: the flow
 * on the path of the highest number, which would end last in its instant. */
struct round_bundle {
    uint32_t paths,
        representative;   /* number of paths; path of the representative (NONE: not known yet) */
    uint64_t other_flows; /* crossings of its links by other flows */
    struct round_run *first, *last; /* aggregated rounds, in join order */
};

struct net_flows_round {
    uint32_t count, starts, ends;
    struct round_member *member; /* [count] */
    uint32_t *order;             /* [count] members by join time, then by index */
    uint32_t *first;             /* [starts + 1] indices into `order` */
    uint32_t *size;              /* [ends], members of each */
    struct round_run *unused;
    struct round_bundle *bundle; /* of its paths; NULL: none */
    uint32_t representative;     /* the representative member */
};

/* The bundles of links. */
struct flow_bundles {
    struct round_bundle **of; /* [links], or NULL */
    uint32_t *path;           /* [links] path in the bundle */
};

/* ---- round_aggregation.c ---- */

/* Finds or makes the bundle of a new round's paths, if they are one; false: out of memory. */
bool orr_flows_find_bundle(struct net_flows *flows, struct net_flows_round *round);

/* Makes a flow of a round; returns its record, ORR_SLAB_NONE: out of memory. */
uint32_t orr_flows_round_flow(struct net_flows *flows, struct round_run *run, uint32_t member);

/* Joins the representative of a round; its bundle has no other flows. false: out of memory. */
bool orr_flows_join_aggregated(struct net_flows *flows, struct round_run *run);
/* Removes a finished run from its bundle. */
void orr_flows_unlink(struct round_run *run);

/* See struct flows_rounds. */
void orr_flows_bundles_enter(struct net_flows *flows, uint32_t path);
void orr_flows_bundles_leave(struct net_flows *flows, uint32_t path);

#endif
