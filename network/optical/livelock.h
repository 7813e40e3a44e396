/* Livelock of circuits: they move for ever, and no message makes progress.
 *
 * A controller's decision depends on the waiting bytes and the present circuits. If both recur, and
 * no message was handed over or arrived in between, the same decisions follow again, unless another
 * event happens first. So it is a livelock if the state has recurred a few times, all events that
 * were pending at its first occurrence are over, and only the network and this controller have
 * events: no computation that could send, no link that will change. Cycles of any length are found
 * (Brent 1980): the kept state is that of decision 1, 2, 4, 8, ... */
#ifndef ORR_NETWORK_OPTICAL_LIVELOCK_H
#define ORR_NETWORK_OPTICAL_LIVELOCK_H

#include "network/optical/circuits.h"

struct circuits_livelock {
    /* The kept state. */
    uint16_t *present;                  /* [all] */
    struct net_circuits_request *waits; /* [all] waiting bytes of pairs */
    uint32_t all, waiting;
    sim_time kept_at, last;   /* last: time of the last event that was pending then */
    uint64_t decisions, next; /* decisions since the last progress; the next one to be kept */
    uint64_t in_flight;       /* messages */
    uint32_t repeats;
    sim_time since; /* time of the last progress: a message was handed over or arrived */
};

/* Initializes the search for `pairs` pairs; false: out of memory. */
bool orr_circuits_livelock_init(struct circuits_livelock *livelock, struct orr_arena *arena,
                                uint32_t pairs);

/* Call at each decision; `offered`: messages came since the last one. Returns whether a livelock is
 * certain. O(waiting pairs); O(pairs + events) for the first, second, fourth, ... decision without
 * progress. */
bool orr_circuits_livelocked(struct circuits_livelock *livelock,
                             const struct net_circuits_view *view, const struct net *net,
                             bool offered);

#endif
