/* Predicted time of a collective under a scheduler: simulates it alone, by the same rules, on a
 * separate network. The result depends only on the platform, the group and the collective, so all
 * ranks agree. */
#include "system/run/running.h"

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
                      uint32_t group)
{
    const struct sys_group *members = prediction->sys->groups[group];
    for (uint32_t i = 0; i < members->members; i++) {
        const struct orr_slot npu = sys_slot_of_member(members, sys_member_id(i));
        const struct sys_collective request = {.npu = npu,
                                               .group = group,
                                               .kind = operation->kind,
                                               .bytes = operation->bytes,
                                               .root =
                                                   sys_rank_at(operation->group, operation->root),
                                               .dim_mask = operation->dim_mask};
        orr_sys_collective_start(prediction->sys, &request);
        orr_evq_flush(prediction->sys->queue, npu.slot);
    }
}

static enum orr_status add_group(struct prediction *prediction,
                                 const struct sys_operation *operation, uint32_t *group)
{
    struct orr_diag diag;
    orr_diag_init(&diag);
    *group = 0;
    return operation->group->given == NULL
               ? ORR_OK
               : orr_sys_group_add(prediction->sys, "alone", operation->group->given,
                                   operation->group->size, group, &diag);
}

/* ---- simulation on the full platform ---- */

static sim_time simulate(const struct sys *sys, const struct sys_operation *operation,
                         const struct sys_config *config, struct orr_evq *queue,
                         struct orr_arena *arena)
{
    struct prediction prediction = {.end_ps = ORR_TIME_MAX};
    struct net *net = NULL;
    struct orr_diag diag;
    uint32_t group;
    orr_diag_init(&diag);
    enum orr_status status = orr_net_create(&net, sys->net->config, queue, arena, &diag);
    if (status == ORR_OK) {
        status = orr_sys_open(&prediction.sys, config, net, queue, arena, &diag);
    }
    if (status == ORR_OK) {
        prediction.sys->up.predict = sys->up.predict;
    }
    if (status == ORR_OK && (status = add_group(&prediction, operation, &group)) == ORR_OK) {
        const struct sys_listener listener = {.context = &prediction, .done = on_done};
        orr_sys_set_listener(prediction.sys, &listener);
        start_all(&prediction, operation, group);
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
