/* How long an iteration takes, without events: Algorithm 1's order as a list schedule, forwards
 * and then backwards, where transfers take time, and the gradients of l groups behind or beside it
 * (SiP-ML, SIGCOMM'21, sections 3.2 and 4). For a search's first look; a run has the last word.
 * docs/models.md, section 15, has the formulas, and how far it is from runs. */
#ifndef ORR_PLANNER_SIPML_SIPML_ESTIMATE_H
#define ORR_PLANNER_SIPML_SIPML_ESTIMATE_H

#include "planner/sipml/sipml_routes.h"
#include "workload/workload.h"

/* What is estimated: a strategy that was checked, on a network. */
struct sipml_estimate_input {
    const struct model_graph *model;
    const struct strategy *strategy;
    const struct model_speed *speed;
    const struct sipml_network *network;
};

struct sipml_estimate {
    sim_time iteration_ps;            /* ORR_TIME_MAX: longer than can be counted */
    sim_time forward_ps, backward_ps; /* when the last part of each pass is done */
};

/* Errors: memory; parts whose time nothing tells; no way between two devices. O(parts + transfers +
 * devices). */
enum orr_status orr_sipml_estimate(const struct sipml_estimate_input *of,
                                   struct sipml_estimate *out, struct orr_diag *diag);

#endif
