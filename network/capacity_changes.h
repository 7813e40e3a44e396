/* Networks that change while a job runs (docs/models.md, section 4: Changing networks): what a
 * controller (network/optical/) reads of a network and sets in it. Included by network.h. */
#ifndef ORR_NETWORK_CAPACITY_CHANGES_H
#define ORR_NETWORK_CAPACITY_CHANGES_H

#include "core/core.h"

struct net;
struct net_msg;
struct net_config;

/* From now on so many of the parallel links of a record work, the first ones, with so much each.
 * 0 of either: nothing goes through. */
struct net_capacity {
    uint32_t link, lanes;
    double bytes_per_s;
};

/* What is set at once. With `reroutes` messages go around links that carry nothing from then on,
 * those under way too, where a way is left; without, routes stay as they are. With `shortest` those
 * under way take the shortest ways there are now, whether or not theirs carries something. */
struct net_batch {
    const struct net_capacity *capacity;
    uint32_t count;
    bool reroutes, shortest;
};

/* Bytes that a message under way still has to carry from where it is, to its destination. */
typedef void (*net_waiting_fn)(void *context, uint32_t at, uint32_t dst, double bytes);

/* Whether capacities of the config's network may change. Only then it is asked to change them, and
 * only then it keeps what that needs. */
bool orr_net_changes(const struct net_config *config);

/* ---- controllers (optical/) ---- */

struct net_control;

/* The controllers of the network's config, which has some; net->control is then set. */
enum orr_status orr_net_control_create(struct net *net, struct orr_arena *arena,
                                       struct orr_diag *diag);

/* Frees what they have beside their arena; NULL is fine. */
void orr_net_control_destroy(struct net_control *control);

/* Has them do what they have missed while nothing was under way: what the network is like now is
 * asked for. */
void orr_net_control_catch_up(struct net_control *control);

/* A message is handed to the network. */
void orr_net_control_watch(struct net_control *control, const struct net_msg *msg);

/* Adds to the message of a standstill what the controllers did last, and when. */
void orr_net_control_describe(const struct net_control *control, struct orr_diag *diag);

#endif
