/* Creation of systems that can say how long a collective would take alone. Predictions create
 * systems themselves, by sys_open: so this file is above them. */
#include "system/run/running.h"

static const struct sys_predictors predictors = {.scheduled = sys_predict,
                                                 .picked = sys_predict_pick};

enum orr_status sys_create(struct sys **out, const struct sys_config *config, struct net *net,
                           struct orr_evq *queue, struct orr_arena *arena, struct orr_diag *diag)
{
    const enum orr_status status = sys_open(out, config, net, queue, arena, diag);
    if (status == ORR_OK) {
        (*out)->up.predict = &predictors;
    }
    return status;
}

enum orr_status sys_planner_create(struct sys **out, const struct sys_config *config,
                                   const struct net_config *net, struct orr_arena *arena,
                                   struct orr_diag *diag)
{
    const enum orr_status status = sys_planner_open(out, config, net, arena, diag);
    if (status == ORR_OK) {
        (*out)->up.predict = &predictors;
    }
    return status;
}
