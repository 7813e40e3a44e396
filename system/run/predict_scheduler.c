/* Predicted time of a collective under a scheduler: simulates it alone, but with the group's
 * companions (plan/companions.h), by the same rules, on a separate network. The result depends only
 * on the platform, the groups and the collective, so all ranks agree. */
#include "core/evq.h"
#include "core/fold.h"
#include "network/net.h"
#include "system/groups/group.h"
#include "system/plan/companions.h"
#include "system/run/running.h"
#include "system/sys.h"
#include "system/sys_collective.h"
#include "system/sys_config.h"
#include "system/sys_groups.h"
#include "system/sys_position.h"

struct prediction {
    struct sys *sys;
    sim_time end_ps;
};

static void on_done(void *context, struct orr_slot npu, uint64_t cookie)
{
    struct prediction *prediction = context;
    (void)npu;
    (void)cookie;
    prediction->end_ps = orr_evq_now(prediction->sys->queue);
}

static void start_all(struct prediction *prediction, const struct sys_operation *operation,
                      uint32_t group, struct orr_rank root)
{
    const struct sys_group *members = prediction->sys->all.groups[group];
    for (uint32_t i = 0; i < members->members; i++) {
        const struct orr_slot npu = sys_slot_of_member(members, sys_member_id(i));
        const struct sys_collective request = {.npu = npu,
                                               .group = group,
                                               .kind = operation->kind,
                                               .bytes = operation->bytes,
                                               .root = root,
                                               .dim_mask = operation->dim_mask};
        orr_sys_collective_start(prediction->sys, &request);
        orr_evq_flush(prediction->sys->queue, npu.slot);
    }
}

/* Adds a group of the run's system, under the same name as all: they are disjoint. */
static enum orr_status add_group(struct prediction *prediction, const struct sys_group *of,
                                 uint32_t *group)
{
    struct orr_diag diag;
    orr_diag_init(&diag);
    *group = 0;
    return of->given == NULL
               ? ORR_OK
               : orr_sys_group_add(prediction->sys, "alone", of->given, of->size, group, &diag);
}

/* Adds the operation's group, and its companions behind it. */
static enum orr_status add_groups(struct prediction *prediction, const struct sys *sys,
                                  const struct sys_operation *operation, uint32_t *first)
{
    const struct sys_companions *with = orr_sys_companions_of(sys, operation->group);
    uint32_t group;
    enum orr_status status = add_group(prediction, operation->group, first);
    for (uint32_t c = 0; status == ORR_OK && with != NULL && c < with->count; c++) {
        status = add_group(prediction, with->of[c], &group);
    }
    return status;
}

static enum orr_status start_groups(struct prediction *prediction, const struct sys *sys,
                                    const struct sys_operation *operation)
{
    uint32_t first;
    const enum orr_status status = add_groups(prediction, sys, operation, &first);
    for (uint32_t g = first; status == ORR_OK && g < prediction->sys->all.count; g++) {
        start_all(prediction, operation, g,
                  g == first ? sys_rank_at(operation->group, operation->root)
                             : orr_sys_group_rank(prediction->sys, g, sys_position(0)));
    }
    return status;
}

/* ---- simulation on the full platform ---- */

static sim_time simulate(const struct sys *sys, const struct sys_operation *operation,
                         const struct sys_config *config, struct orr_evq *queue,
                         struct orr_arena *arena)
{
    struct prediction prediction = {.end_ps = ORR_TIME_MAX};
    struct net *net = NULL;
    struct orr_diag diag;
    orr_diag_init(&diag);
    enum orr_status status = orr_net_create(&net, sys->net->config, queue, arena, &diag);
    if (status == ORR_OK) {
        status = orr_sys_open(&prediction.sys, config, net, queue, arena, &diag);
    }
    if (status == ORR_OK) {
        prediction.sys->up.predict = sys->up.predict;
    }
    if (status == ORR_OK) {
        const struct sys_listener listener = {.context = &prediction, .done = on_done};
        orr_sys_set_listener(prediction.sys, &listener);
        status = start_groups(&prediction, sys, operation);
    }
    if (status == ORR_OK) {
        status = orr_evq_run(queue, &diag);
    }
    orr_sys_destroy(prediction.sys);
    orr_net_destroy(net);
    return status == ORR_OK ? prediction.end_ps : ORR_TIME_MAX;
}

sim_time orr_sys_predict(const struct sys *sys, const struct sys_operation *operation,
                         const struct sys_scheduler_ops *scheduler)
{
    struct sys_config config = *sys->config;
    config.scheduler = scheduler;
    struct orr_arena *arena = orr_arena_create();
    struct orr_evq *queue = orr_evq_create(sys->policy->order, sys->slots);
    const sim_time time = arena != NULL && queue != NULL
                              ? simulate(sys, operation, &config, queue, arena)
                              : ORR_TIME_MAX;
    orr_evq_destroy(queue);
    orr_arena_destroy(arena);
    return time;
}
