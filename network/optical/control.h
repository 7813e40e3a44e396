/* Controllers: they change the capacities of a network while a job runs.
 *
 * A controller states when it acts next, and acts then. Its events are in the queue only while
 * messages are in flight. Actions due in between are performed when the next message is sent, so
 * that no run lasts longer because of them, and a network without messages behaves as if it had
 * always been controlled. A stalled job also ends: a controller that has changed nothing, in a
 * queue without any other event, sleeps. */
#ifndef ORR_NETWORK_OPTICAL_CONTROL_H
#define ORR_NETWORK_OPTICAL_CONTROL_H

#include "core/evq.h"

struct net;
struct net_msg;
struct orr_arena;
struct orr_diag;

enum { NET_EVENT_CONTROL = ORR_EVENT_NETWORK + 7 };

struct net_controller_ops {
    const char *name;
    /* Time of the next action; ORR_TIME_MAX: never. */
    sim_time (*next)(const void *self);
    /* Acts at that time. Returns false if it would also do nothing from now on, as long as no
     * message is sent or makes progress. */
    bool (*act)(void *self, sim_time now);
    /* Skips the actions before `now`: no message is in flight, or it is quiescent. NULL: actions
     * are few. */
    void (*skip)(void *self, sim_time now);
    /* Whether its last action did nothing, and the next ones will do nothing until another event
     * occurs. NULL: not known. */
    bool (*is_quiescent)(const void *self);
    /* A message is handed to the network; NULL: not needed. */
    void (*offered)(void *self, const struct net_msg *msg);
    /* Appends a line about its last action and the time of it. */
    void (*describe)(const void *self, struct orr_diag *diag);
    void (*fini)(void *self); /* frees memory outside the arena; NULL: there is none */
};

struct net_controller {
    const struct net_controller_ops *ops;
    void *self; /* NULL: the network has none of this kind */
};

/* Creates the controller of the graph's schedule of changes (schedule.c). */
enum orr_status orr_net_schedule_create(struct net_controller *out, struct net *net,
                                        struct orr_arena *arena, struct orr_diag *diag);

/* Creates the controller of the graph's circuits, between any pairs (circuits.c) or for demands
 * (demand_circuits.c). */
enum orr_status orr_net_circuits_create(struct net_controller *out, struct net *net,
                                        struct orr_arena *arena, struct orr_diag *diag);
enum orr_status orr_net_allocated_create(struct net_controller *out, struct net *net,
                                         struct orr_arena *arena, struct orr_diag *diag);

#endif
