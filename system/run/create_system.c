/* Creation of systems with predictors. Predictors create systems themselves by orr_sys_open, so
 * this file is above them. */
#include "system/monolithic/mono_allreduce.h"
#include "system/run/running.h"

static const struct sys_predictors predictors = {.scheduled = orr_sys_predict,
                                                 .tuned = orr_sys_predict_tuning};

enum orr_status orr_sys_create(struct sys **out, const struct sys_config *config, struct net *net,
                               struct orr_evq *queue, struct orr_arena *arena,
                               struct orr_diag *diag)
{
    const enum orr_status status = orr_sys_open(out, config, net, queue, arena, diag);
    if (status == ORR_OK) {
        (*out)->up.predict = &predictors;
    }
    return status;
}

enum orr_status orr_sys_planner_create(struct sys **out, const struct sys_config *config,
                                       const struct net_config *net, struct orr_arena *arena,
                                       struct orr_diag *diag)
{
    const enum orr_status status = orr_sys_planner_open(out, config, net, arena, diag);
    if (status == ORR_OK) {
        (*out)->up.predict = &predictors;
        (*out)->up.rings_of = orr_mono_phase_rings;
    }
    return status;
}
