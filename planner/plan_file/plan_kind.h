/* A kind of plan: a planner, what it reads of a plan file, its result, and what is written of that.
 * Wings have them; plan_kind_list.h lists them. */
#ifndef ORR_PLANNER_PLAN_FILE_PLAN_KIND_H
#define ORR_PLANNER_PLAN_FILE_PLAN_KIND_H

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>

#include "core/status.h"
#include "core/time.h"
#include "orrery/plan.h"

struct orr_arena;
struct orr_conf;
struct orr_diag;
struct orr_object;
struct plan_job;
struct plan_names;

struct plan_progress {
    const char *doing; /* "planning", "comparing", "searching", "simulating" */
    uint32_t round;
    uint64_t evaluations, budget;
    sim_time best_ps; /* ORR_TIME_MAX: none yet */
};

struct plan_options {
    unsigned threads;                  /* 0: one for each processor */
    bool no_run;                       /* no simulation */
    const char *resume;                /* path of a file of an earlier plan; NULL: from the start */
    const volatile sig_atomic_t *stop; /* not 0: stop with the best so far; or NULL */
    void (*progress)(void *context, const struct plan_progress *progress); /* or NULL */
    void *context;
};

struct plan_kind {
    const char *name;    /* orrery plan NAME */
    const char *title;   /* in messages: "a plan of TITLE" */
    const char *section; /* its key of the section plan (wings/plan_keys.def); NULL: none */
    bool plans_topology; /* reads interfaces, groups, search, panels, strategy, compare of the
                            section plan; else the file has a network, and they are ignored */
    uint64_t (*default_budget)(uint32_t servers); /* of plan.search, if it plans the topology */
    const char *once; /* why it does not resume, "is over in seconds"; NULL: it resumes */
    enum orrery_plan_view picture; /* of the page of a plan, */
    const char *pictured;          /* and what it shows */
    size_t result_bytes;           /* of the struct that `solve` fills */

    /* Changes job->model_root before the model is read; or NULL. */
    enum orr_status (*prepare)(struct orr_arena *arena, struct plan_job *job,
                               struct orr_diag *diag);
    /* Checks the network, after it was read: job->fixed says whether there is one; or NULL. */
    enum orr_status (*check_network)(struct plan_job *job, struct orr_diag *diag);
    /* Reads its section (`map` NULL: not set) into job->own, last; for jobs of other kinds it
     * checks the keys only. NULL: without a section. */
    enum orr_status (*read)(struct orr_arena *arena, const struct orr_conf *map,
                            struct plan_job *job, struct orr_diag *diag);

    /* Plans, and simulates the plan unless stopped or told otherwise. The result is in the arena;
     * `job` must outlive it. */
    enum orr_status (*solve)(struct orr_arena *arena, const struct plan_job *job,
                             const struct plan_options *options, void *result,
                             struct orr_diag *diag);
    bool (*has_view)(const void *result, enum orrery_plan_view view);
    /* These return 0, or 1 if memory is out or writing failed. The workload names the other files
     * of its folder; NULL: they are inline. */
    int (*write_view)(FILE *out, const void *result, enum orrery_plan_view view);
    int (*write_workload)(FILE *out, const void *result, const struct plan_names *names);
};

/* All kinds, NULL-terminated. */
extern const struct plan_kind *const orr_plan_kinds[];

/* ---- the handle for programs (plan_api.c), whose functions of one kind stand with that ---- */

/* orrery_plan_KIND: plans by a kind; replaces the previous plan. */
enum orrery_status orr_plan_with(struct orrery_plan *plan, const struct plan_kind *kind,
                                 const struct orrery_plan_input *input);

/* The base of the handle. */
struct orr_object *orr_plan_object(struct orrery_plan *plan);

/* The result of the plan, which is of this kind. Errors: nothing was planned, or by another kind.
 */
enum orr_status orr_plan_result_of(struct orrery_plan *plan, const struct plan_kind *kind,
                                   const void **result);

#endif
