/* Dynamic link capacity (docs/models.md, section 4: Changing networks): what a controller
 * (network/optical/) reads from a network and sets in it. */
#ifndef ORR_NETWORK_CAPACITY_CHANGES_H
#define ORR_NETWORK_CAPACITY_CHANGES_H

#include <stdbool.h>
#include <stdint.h>

#include "core/status.h"

struct orr_arena;
struct orr_diag;

struct net;
struct net_msg;
struct net_config;

/* The new state of a link record: the first `lanes` of its parallel links work, each with
 * bytes_per_s. 0 of either: the record carries nothing. */
struct net_capacity {
    uint32_t link, lanes;
    double bytes_per_s;
};

/* Capacities that change at once. `reroutes`: messages avoid links that carry nothing from now on,
 * also messages in flight, if a path is left; otherwise routes stay. `shortest`: messages in flight
 * take the shortest path of now, even if their own path still works. */
struct net_batch {
    const struct net_capacity *capacity;
    uint32_t count;
    bool reroutes, shortest;
};

/* Bytes of a message in flight that remain to be carried from node `at` to `dst`. */
typedef void (*net_waiting_fn)(void *context, uint32_t at, uint32_t dst, double bytes);

/* Whether link capacities of the config's network may change. The functions below are called only
 * then, and the backend keeps the state for them only then. */
bool orr_net_changes(const struct net_config *config);

/* ---- controllers (optical/) ---- */

struct net_control;

/* Creates the controllers of the network's config, which has some, and sets net->control. */
enum orr_status orr_net_control_create(struct net *net, struct orr_arena *arena,
                                       struct orr_diag *diag);

/* Frees what the controllers hold outside the arena; NULL is fine. */
void orr_net_control_destroy(struct net_control *control);

/* Performs the actions that were skipped while no message was in flight. Call it before reading the
 * network's present state. */
void orr_net_control_catch_up(struct net_control *control);

/* Tells the controllers that a message was handed to the network. */
void orr_net_control_watch(struct net_control *control, const struct net_msg *msg);

/* Appends to the error of a stalled network what each controller did last, and when. */
void orr_net_control_describe(const struct net_control *control, struct orr_diag *diag);

#endif
