/* Estimates the time of an iteration without events: a list schedule in Algorithm 1's order,
 * forwards and then backwards, with transfer times, and the gradients of l groups after it or
 * concurrently with it (SiP-ML, SIGCOMM'21, sections 3.2 and 4). The search ranks candidates by it;
 * the best are run. docs/models.md, section 15, has the formulas, and the error against runs. */
#ifndef ORR_SIPML_SEARCH_SIPML_ESTIMATE_H
#define ORR_SIPML_SEARCH_SIPML_ESTIMATE_H

#include "sipml/search/sipml_routes.h"

struct model_graph;
struct model_speed;
struct orr_diag;
struct strategy;

/* The input: a checked strategy on a network. */
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

/* Estimates. Errors: memory; parts without a time; no route between two devices. O(parts +
 * transfers + devices). */
enum orr_status orr_sipml_estimate(const struct sipml_estimate_input *of,
                                   struct sipml_estimate *out, struct orr_diag *diag);

#endif
