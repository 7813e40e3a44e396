/* How long a collective would take alone: it is run, by the same rules, on a network of its own.
 * The answer depends on the platform, the group and the collective only; so all ranks agree. */
#include "system/run/running.h"

struct alone {
    struct sys *sys;
    sim_time end_ps;
};

static void on_done(void *context, struct orr_slot npu, uint64_t cookie)
{
    struct alone *alone = context;
    (void)npu;
    (void)cookie;
    alone->end_ps = orr_evq_now(alone->sys->queue);
}

static void start_all(struct alone *alone, const struct sys_operation *operation, uint32_t group)
{
    const struct sys_group *members = alone->sys->groups[group];
    for (uint32_t i = 0; i < members->members; i++) {
        const struct orr_slot npu = sys_slot_of_member(members, sys_member_id(i));
        const struct sys_collective request = {.npu = npu,
                                               .group = group,
                                               .kind = operation->kind,
                                               .bytes = operation->bytes,
                                               .root =
                                                   sys_rank_at(operation->group, operation->root),
                                               .dim_mask = operation->dim_mask};
        orr_sys_collective_start(alone->sys, &request);
        orr_evq_flush(alone->sys->queue, npu.slot);
    }
}

static enum orr_status add_group(struct alone *alone, const struct sys_operation *operation,
                                 uint32_t *group)
{
    struct orr_diag diag;
    orr_diag_init(&diag);
    *group = 0;
    return operation->group->given == NULL
               ? ORR_OK
               : orr_sys_group_add(alone->sys, "alone", operation->group->given,
                                   operation->group->size, group, &diag);
}

/* ---- a scheduler, on the platform as it is ---- */

static sim_time simulate(const struct sys *sys, const struct sys_operation *operation,
                         const struct sys_config *config, struct orr_evq *queue,
                         struct orr_arena *arena)
{
    struct alone alone = {.end_ps = ORR_TIME_MAX};
    struct net *net = NULL;
    struct orr_diag diag;
    uint32_t group;
    orr_diag_init(&diag);
    enum orr_status status = orr_net_create(&net, sys->net->config, queue, arena, &diag);
    if (status == ORR_OK) {
        status = orr_sys_open(&alone.sys, config, net, queue, arena, &diag);
    }
    if (status == ORR_OK) {
        alone.sys->up.predict = sys->up.predict;
    }
    if (status == ORR_OK && (status = add_group(&alone, operation, &group)) == ORR_OK) {
        const struct sys_listener listener = {.context = &alone, .done = on_done};
        orr_sys_set_listener(alone.sys, &listener);
        start_all(&alone, operation, group);
        status = orr_evq_run(queue, &diag);
    }
    orr_sys_destroy(alone.sys);
    orr_net_destroy(net);
    return status == ORR_OK ? alone.end_ps : ORR_TIME_MAX;
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
