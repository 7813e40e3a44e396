/* What rounds.c and round_aggregation.c share: rounds of flows, and bundles of paths whose flows
 * are all alike. */
#ifndef ORR_NETWORK_FLOWS_ROUNDS_H
#define ORR_NETWORK_FLOWS_ROUNDS_H

#include "network/flows/flows_private.h"

struct round_member {
    uint32_t path, end; /* among the round's kinds of ends */
    double overhead_bytes;
};

/* A round that is under way; of it, the flows whose latencies are equal. */
struct round_end {
    struct round_run *run;
    uint32_t left;
};
struct round_run {
    struct net_flows_round *round;
    struct round_run *next; /* that is not under way; or in the bundle's list, */
    struct round_run *previous;
    uint64_t cookie;
    double bytes;
    uint32_t joined, ends_left; /* kinds of starts that have joined */
    uint32_t record;            /* of the flow that stands for all, in the bundle's list */
    struct round_end *end;
};

/* Paths that have no link in common, and of which each is as the others. As long as nothing but
 * whole rounds is on their links these all carry the same, so that one flow of a round stands for
 * all of them: that on the path of the highest number, which would end last in its instant. */
struct round_bundle {
    uint32_t paths, representative; /* how many; and that one, of flow_paths. NONE: not known yet */
    uint64_t other_flows;           /* times that other flows go over its links */
    struct round_run *first, *last; /* rounds of which one flow stands for all, as they joined */
};

struct net_flows_round {
    uint32_t count, starts, ends;
    struct round_member *member; /* [count] */
    uint32_t *order;             /* [count] members by when they join, then as they are */
    uint32_t *first;             /* [starts + 1], in it */
    uint32_t *size;              /* [ends], members of each */
    struct round_run *unused;
    struct round_bundle *bundle; /* of its paths; NULL: they are in none */
    uint32_t representative;     /* the member that stands for all */
};

/* What links are in bundles. */
struct flow_bundles {
    struct round_bundle **of; /* [links], or NULL */
    uint32_t *path;           /* [links], of the bundle */
};

/* ---- round_aggregation.c ---- */

/* The bundle that a new round's paths are, if they are one; false: no memory. */
bool orr_flows_find_bundle(struct net_flows *flows, struct net_flows_round *round);

/* A flow of a round; its record, or ORR_SLAB_NONE: no memory. */
uint32_t orr_flows_round_flow(struct net_flows *flows, struct round_run *run, uint32_t member);

/* Has one flow of a round join for all; its bundle has no strangers. false: no memory. */
bool orr_flows_join_aggregated(struct net_flows *flows, struct round_run *run);
/* It is over. */
void orr_flows_unlink(struct round_run *run);

/* See struct flows_rounds. */
void orr_flows_bundles_enter(struct net_flows *flows, uint32_t path);
void orr_flows_bundles_leave(struct net_flows *flows, uint32_t path);

#endif
