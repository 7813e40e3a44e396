/* What a plan's strategies would take on other fabrics of the same servers (plan_fabrics.c). */
#ifndef ORR_PLANNER_PLAN_FILE_PLAN_FABRICS_H
#define ORR_PLANNER_PLAN_FILE_PLAN_FABRICS_H

#include "planner/plan_file/plan_job.h"
#include "planner/topoopt/topoopt.h"

struct plan_fabric {
    const char *name;                       /* "ideal switch", or as it was asked for */
    const char *notation;                   /* as --fabric takes it */
    double bytes_per_s;                     /* of a link of a server */
    sim_time data_parallel_ps, strategy_ps; /* predicted; ORR_TIME_MAX: memory does not hold it */
};

/* Every fabric at hand, or those asked for. For degree d and bandwidth B: a switch of d x B; full
 * fat-trees of d x B / 4, which costs what the plan's interfaces do (TopoOpt, section 5), and of
 * d x B; one of d x B with half of the uplinks; a random regular graph of degree d; all servers
 * linked to all, d x B shared; torus and hypercube where they fit d and n; the circulant of the
 * published code's jumps. Those asked for have links of B. Errors: memory. O(fabrics x evaluation).
 */
enum orr_status orr_plan_fabrics(struct orr_arena *arena, const struct plan_job *job,
                                 const struct topoopt_problem *problem,
                                 const struct topoopt_result *result,
                                 const struct plan_fabric **out, uint32_t *count,
                                 struct orr_diag *diag);

#endif
