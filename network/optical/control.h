/* Controllers of a network: what changes its capacities while a job runs.
 *
 * A controller says when it acts next, and acts then. It has the queue's clock only while messages
 * are under way: what it would have done in between it does when the next message is sent, so that
 * no run lasts longer for it, and a network without messages is as if it had always been watched. A
 * job that stands still ends too: a controller that has changed nothing, before a queue without any
 * other event, sleeps. */
#ifndef ORR_NETWORK_OPTICAL_CONTROL_H
#define ORR_NETWORK_OPTICAL_CONTROL_H

#include "network/network.h"

enum { NET_EVENT_CONTROL = ORR_EVENT_NETWORK + 7 };

struct net_controller_ops {
    const char *name;
    /* When it acts next; ORR_TIME_MAX: never again. */
    sim_time (*next)(const void *self);
    /* It is that time. Whether anything is or will be different for it: not, if it would do nothing
     * from now on as long as no message is sent and none gets ahead. */
    bool (*act)(void *self, sim_time now);
    /* Nothing is under way up to `now`, or it rests, and it would do nothing: its times before that
     * are none. NULL: it has not so many. */
    void (*skip)(void *self, sim_time now);
    /* It has done nothing last, and would do nothing, whatever goes on, until somebody has an
     * event. NULL: that is not known. */
    bool (*is_quiescent)(const void *self);
    /* A message is handed to the network; NULL: it need not know. */
    void (*offered)(void *self, const struct net_msg *msg);
    /* Adds a line about what it set last, and when. */
    void (*describe)(const void *self, struct orr_diag *diag);
    void (*fini)(void *self); /* frees what is not in the arena; NULL: there is none */
};

struct net_controller {
    const struct net_controller_ops *ops;
    void *self; /* NULL: the network has none of this kind */
};

/* The schedule of the graph's changes (schedule.c). */
enum orr_status orr_net_schedule_create(struct net_controller *out, struct net *net,
                                        struct orr_arena *arena, struct orr_diag *diag);

/* The circuits of the graph: between any pairs (circuits.c), or for demands (demand_circuits.c). */
enum orr_status orr_net_circuits_create(struct net_controller *out, struct net *net,
                                        struct orr_arena *arena, struct orr_diag *diag);
enum orr_status orr_net_allocated_create(struct net_controller *out, struct net *net,
                                         struct orr_arena *arena, struct orr_diag *diag);

#endif
