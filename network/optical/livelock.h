/* Whether circuits move for ever while no message gets anywhere.
 *
 * A controller knows what waits, and the present circuits. If both are at a decision as they were
 * at an earlier one, and between the two no message was handed over or arrived, then the same
 * follows again, unless something else happens first. So it is a standstill, when it has come back
 * a few times, all events that were to come then are over, and nobody but the network and this
 * controller has one: no computation goes on that might send, no link is to change. What is looked
 * for is a cycle of any length (Brent 1980: the state that is kept is that of decision 1, 2, 4, 8,
 * ...). */
#ifndef ORR_NETWORK_OPTICAL_LIVELOCK_H
#define ORR_NETWORK_OPTICAL_LIVELOCK_H

#include "network/optical/circuits.h"

struct circuits_livelock {
    /* What is kept. */
    uint16_t *present;                  /* [all] */
    struct net_circuits_request *waits; /* [all]: bytes that wait for pairs */
    uint32_t all, waiting;
    sim_time kept_at, last;   /* of the last event that was to come then */
    uint64_t decisions, next; /* since the last message; the one of which the state is kept next */
    uint64_t in_flight;       /* messages */
    uint32_t repeats;
    sim_time since; /* when it was last handed a message, or found one gone */
};

/* With room for that many pairs; false: memory is out. */
bool orr_circuits_livelock_init(struct circuits_livelock *livelock, struct orr_arena *arena,
                                uint32_t pairs);

/* A decision is due on what the view shows; `offered`: messages came since the last one. Whether it
 * is known by now that nothing will ever get anywhere. O(waiting pairs), and O(pairs + events) for
 * the first, second, fourth, ... in a row without a message that arrives. */
bool orr_circuits_livelocked(struct circuits_livelock *livelock,
                             const struct net_circuits_view *view, const struct net *net,
                             bool offered);

#endif
