/* The section plan.sip_ml of a plan file (sipml_job.c), and its network (sipml_demands.c). */
#ifndef ORR_SIPML_PLAN_SIPML_JOB_H
#define ORR_SIPML_PLAN_SIPML_JOB_H

#include "core/conf/keys.h"
#include "planner/plan_file/plan_job.h"
#include "sipml/search/sipml_place.h"
#include "sipml/search/sipml_search.h"
#include "sipml/search/sipml_steps.h"

struct orr_arena;
struct orr_conf;
struct orr_diag;

/* Upper bounds of keys. */
enum {
    PLAN_MAX_SPLITS = 64, /* values of plan.sip_ml.model_parallel */
    PLAN_MAX_BATCHES = 256
};

/* plan.sip_ml */
struct plan_sip_ml {
    struct sipml_rules rules;
    const uint32_t *group; /* [groups] k, ascending; each divides the servers */
    uint32_t groups;
    const uint64_t *batch; /* [batches] ascending */
    uint32_t batches;
    struct sipml_steps steps;
    uint32_t simulate; /* number of the best points to simulate, at least 1 */
};

extern const struct plan_kind orr_plan_kind_sip_ml; /* sipml_kind.c */
extern const struct orr_key_table orr_plan_sip_ml_table;

/* What a job of this kind read. */
static inline const struct plan_sip_ml *sipml_asked(const struct plan_job *job)
{
    return job->own;
}

/* Reads plan.sip_ml (NULL: not set) into the job's own; the servers and the model of the job are
 * set. For jobs of another kind the keys are only checked. Errors: k that do not divide the
 * servers, no batch, batches without steps. */
enum orr_status orr_sipml_job_read(struct orr_arena *arena, const struct orr_conf *map,
                                   struct plan_job *job, struct orr_diag *diag);

/* Edges by blocks split all operators in the dimension `parts`: sets model.parts in the model,
 * which is also written to the plan's files. */
enum orr_status orr_sipml_job_prepare(struct orr_arena *arena, struct plan_job *job,
                                      struct orr_diag *diag);

/* Checks that there is a network whose flows share links, and fills job->circuits. */
enum orr_status orr_sipml_job_check_network(struct plan_job *job, struct orr_diag *diag);

#endif
