/* The time of a training step of a layout, estimated without events. Each stage's passes are walked
 * through once, with its computation and its exchanges beside each other as the lowering orders
 * them (workload/parallel/stage.h); the schedule's blocks take these times; gradients are reduced,
 * weights updated and gathered behind. Not in it: communication of different groups on one link at
 * the same time, memory outside of the NPU, uneven loads of experts. docs/models/estimate.md. */
#ifndef ORR_STUDY_ESTIMATE_STEP_ESTIMATE_H
#define ORR_STUDY_ESTIMATE_STEP_ESTIMATE_H

#include "study/estimate/group_costs.h"
#include "workload/parallel/rank_ops.h"
#include "workload/roofline/roofline.h"

struct wl_compute;

/* Where the time of the stage goes that ends last. Seconds; the parts add up to the step. */
struct orr_step_estimate {
    double step_s;
    double compute_s;   /* computation, without what is recomputed */
    double recompute_s; /* of this again */
    double exchange_s;  /* exchanges of tensor, context and expert ranks beside no computation */
    double bubble_s;    /* the pipeline: waiting for other stages */
    double weights_s;   /* gradients and weights: reduced and gathered behind the last pass */
};

/* What a step costs on a machine. */
struct orr_step_costs {
    struct wl_roofline roofline;
    struct orr_group_costs *groups;
    double token_pace; /* computing beside exchanges of tokens takes so many times as long; 0: 1 */
};

/* Whether the program is one that this can estimate. Else *why is said. */
bool orr_step_can_estimate(const struct rank_program *program, const char **why);

/* Estimates a step. Errors: out of memory. O(stages x operators of a stage + blocks of some
 * micro-batches). */
enum orr_status orr_step_estimate(const struct orr_step_costs *costs,
                                  const struct rank_program *program, struct orr_step_estimate *out,
                                  struct orr_diag *diag);

#endif
