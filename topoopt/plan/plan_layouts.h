/* Layouts beside a plan: strategies run an iteration in one pass, layouts (workload.parallel,
 * workload.training) with pipelines, micro-batches, ZeRO and recomputation, too. All layouts of the
 * model on the plan's servers are estimated on the ideal switch of d x B (study/layouts); the best
 * ones are simulated on the plan's network, and on a topology that is found for their traffic. A
 * server is an NPU as in the plan; all-reduces inside of servers take no time. */
#ifndef ORR_TOPOOPT_PLAN_PLAN_LAYOUTS_H
#define ORR_TOPOOPT_PLAN_PLAN_LAYOUTS_H

#include <stdint.h>

#include "core/status.h"
#include "core/time.h"
#include "study/layouts/layout_fastest.h"

struct orr_arena;
struct orr_diag;
struct plan_result;

struct plan_layout {
    char name[ORR_FAST_LAYOUT_BYTES]; /* "t8 p4 d1 mb1 zero1"; "": there is none */
    sim_time estimated_ps;            /* on the ideal switch */
    sim_time simulated_ps;
    uint64_t memory_bytes; /* of a server */
    uint64_t layouts;      /* that fit */
    bool on_own;           /* on a topology for its traffic; else on the plan's network */
    const char *job;       /* YAML: platform and workload */
};

/* Simulates the best plan.layout_runs of them; the best one of all is *out, in the arena. There is
 * none without a generated model or a model of operators, without a batch, or if none fits. Errors:
 * memory. O(layouts), and the simulations. */
enum orr_status orr_plan_layouts(struct orr_arena *arena, const struct plan_result *solution,
                                 struct plan_layout *out, struct orr_diag *diag);

#endif
