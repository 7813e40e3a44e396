/* Comparison of a plan with other fabrics of the same servers: predicted times of its strategies
 * (plan_fabrics.c). */
#ifndef ORR_TOPOOPT_PLAN_PLAN_FABRICS_H
#define ORR_TOPOOPT_PLAN_PLAN_FABRICS_H

#include "planner/plan_file/plan_job.h"
#include "system/sys_counts.h"
#include "topoopt/search/topoopt.h"

struct orr_arena;
struct orr_diag;

struct plan_fabric {
    const char *name;                       /* "ideal switch", or as requested */
    const char *notation;                   /* as --fabric takes it */
    double bytes_per_s;                     /* of a link of a server */
    struct sys_ring_use rings;              /* of all servers; links 0: none between servers */
    sim_time data_parallel_ps, strategy_ps; /* predicted; ORR_TIME_MAX: memory does not hold it */
};

/* Evaluates the plan's strategies on all default fabrics, or on the requested ones. Default fabrics
 * for degree d and bandwidth B:
 * - a switch of d x B;
 * - full fat-trees of d x B / 4, which costs as much as the plan's interfaces (TopoOpt, section 5),
 *   and of d x B;
 * - a fat-tree of d x B with half of the uplinks;
 * - a random regular graph of degree d;
 * - a full mesh with d x B divided among its links;
 * - torus and hypercube if they exist for d and n;
 * - the circulant with the jumps of TopoOpt's published code.
 * Requested fabrics have links of B. Arrays in the arena. Errors: memory. O(fabrics x
 * evaluation). */
enum orr_status orr_plan_fabrics(struct orr_arena *arena, const struct plan_job *job,
                                 const struct topoopt_problem *problem,
                                 const struct topoopt_result *result,
                                 const struct plan_fabric **out, uint32_t *count,
                                 struct orr_diag *diag);

#endif
