/* The result of planning, its functions (plan_solve.c, plan_simulate.c), and resuming
 * (plan_resume.c). */
#ifndef ORR_TOPOOPT_PLAN_PLAN_RESULT_H
#define ORR_TOPOOPT_PLAN_PLAN_RESULT_H

#include "planner/finder/port_map.h"
#include "planner/plan_file/plan_kind.h"
#include "topoopt/plan/plan_fabrics.h"
#include "topoopt/plan/plan_layouts.h"

struct plan_result {
    const struct plan_job *job;
    struct topoopt_problem problem;
    struct plan_network on; /* if the network is fixed */
    struct topoopt_result result;
    const struct plan_fabric *fabric; /* [fabrics] */
    uint32_t fabrics;
    struct port_map ports;          /* unless the network is fixed */
    bool simulated, both_simulated; /* the plan; data parallelism, if different */
    sim_time simulated_ps, data_parallel_ps;
    bool overruled; /* data parallelism was faster in simulation and replaces the searched plan,
                       which is: */
    struct topoopt_pair searched;
    sim_time searched_ps;      /* simulated */
    struct plan_layout layout; /* the best beside it */
    uint64_t hash;             /* of the inputs that must be equal when resuming */
    uint64_t evaluations;      /* including those before resuming */
};

/* Plans, simulates (unless stopped) and compares. The result is in the arena; `job` must outlive
 * it. Errors: those of orr_topoopt_plan; an invalid file to resume from, or one of another plan; no
 * strategy that fits the memory, with what is missing; errors of a run. */
enum orr_status orr_plan_solve(struct orr_arena *arena, const struct plan_job *job,
                               const struct plan_options *options, struct plan_result *out,
                               struct orr_diag *diag);

/* Simulates the plan from the text of its files (orr_plan_write_platform, _workload), and data
 * parallelism if it is a different strategy and fits the memory. */
enum orr_status orr_plan_simulate(struct plan_result *solution, struct orr_diag *diag);

/* Replaces the plan by data parallelism if that was faster in simulation. */
void orr_plan_choose_by_run(struct plan_result *solution);

/* ---- resuming (plan_resume.c) ---- */

/* Hash of the model, servers and network, without the keys of the search. */
uint64_t orr_plan_hash(const struct plan_job *job);

/* Writes the best strategy so far. Returns 0, or 1 if writing failed. */
int orr_plan_resume_write(FILE *out, const struct plan_result *solution);

/* Reads the file: the strategy to start from, and the evaluations used so far. Errors: an invalid
 * file, or one of another plan. */
enum orr_status orr_plan_resume_read(struct orr_arena *arena, const char *path,
                                     const struct plan_job *job, struct strategy *out,
                                     uint64_t *evaluations, struct orr_diag *diag);

#endif
