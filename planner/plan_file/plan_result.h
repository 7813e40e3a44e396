/* A plan: what was planned for, what came out, and what it takes (plan_solve.c, plan_simulate.c).
 */
#ifndef ORR_PLANNER_PLAN_FILE_PLAN_RESULT_H
#define ORR_PLANNER_PLAN_FILE_PLAN_RESULT_H

#include "planner/finder/port_map.h"
#include "planner/plan_file/plan_fabrics.h"

struct plan_progress {
    const char *doing; /* "planning", "comparing", "simulating" */
    struct topoopt_progress search;
};

struct plan_options {
    unsigned threads;   /* 0: one for each processor */
    bool no_run;        /* predicts only */
    const char *resume; /* a file that orr_plan_resume_write wrote; NULL: from the start */
    const volatile sig_atomic_t *stop; /* not 0: ends with the best so far; or NULL */
    void (*progress)(void *context, const struct plan_progress *progress); /* or NULL */
    void *context;
};

struct plan_result {
    const struct plan_job *job;
    struct topoopt_problem problem;
    struct topoopt_network on; /* where the network stays */
    struct topoopt_result result;
    const struct plan_fabric *fabric; /* [fabrics] */
    uint32_t fabrics;
    struct port_map ports;          /* not of a network that stays */
    bool simulated, both_simulated; /* the plan; data parallelism, which is another, too */
    sim_time simulated_ps, data_parallel_ps;
    bool overruled; /* data parallelism is the plan, by simulation; not what was searched: */
    struct topoopt_pair searched;
    sim_time searched_ps; /* simulated */
    uint64_t hash;        /* of what resuming must find the same */
    uint64_t evaluations; /* with those before it was resumed */
};

/* Plans, simulates (unless it was stopped) and compares. All of the answer is in the arena; `job`
 * must outlive it. Errors: those of orr_topoopt_plan; a file to resume from that is none, or of
 * another plan; no strategy that fits the memory, with what is missing; what a run says. */
enum orr_status orr_plan_solve(struct orr_arena *arena, const struct plan_job *job,
                               const struct plan_options *options, struct plan_result *out,
                               struct orr_diag *diag);

/* The times that runs of the plan's files take (orr_plan_write_platform, _workload), and of those
 * of data parallelism, where the plan is another one that the memory does not rule out. */
enum orr_status orr_plan_simulate(struct plan_result *solution, struct orr_diag *diag);

/* What a run of a plan's files says. */
struct plan_run_result {
    sim_time time_ps;
    double weight; /* of bytes inside of a group, for which circuits were set; 0: none were */
};

/* A run of a strategy of the job on a network, from the very texts that its files hold. Errors:
 * what the run says. */
enum orr_status orr_plan_run(const struct plan_job *job, const struct topoopt_network *on,
                             const struct strategy *strategy, struct plan_run_result *ran,
                             struct orr_diag *diag);

/* Data parallelism is the plan where it was simulated, and took less. */
void orr_plan_choose_by_run(struct plan_result *solution);

/* ---- going on later (plan_resume.c) ---- */

/* Of the model, the servers, and what joins them: not of how it is searched. */
uint64_t orr_plan_hash(const struct plan_job *job);

/* Writes the best strategy so far. 0, or 1 when it could not be written. */
int orr_plan_resume_write(FILE *out, const struct plan_result *solution);

/* Reads it: the strategy to begin with, and the evaluations that it took. */
enum orr_status orr_plan_resume_read(struct orr_arena *arena, const char *path,
                                     const struct plan_job *job, struct strategy *out,
                                     uint64_t *evaluations, struct orr_diag *diag);

#endif
