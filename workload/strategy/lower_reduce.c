/* All-reduces of a strategy's task graph; see lower.h. */
#include "core/arena.h"
#include "workload/strategy/demand.h"
#include "workload/strategy/lower_private.h"
#include "workload/strategy/strategy.h"
#include "workload/taskgraph/tg_graph.h"

void orr_lower_ends(struct lowering *lower)
{
    const struct strategy *strategy = lower->strategy;
    const uint32_t name = orr_tg_builder_name(lower->builder, "all gradients");
    for (uint32_t device = 0; device < orr_strategy_group(strategy); device++) {
        lower->all_done[device] = orr_tg_builder_add(
            lower->builder,
            &(struct tg_task){
                .role = TG_DELAY, .pass = TG_BARRIER, .from = device, .to = device, .name = name});
        lower->added++;
    }
    for (uint32_t op = strategy->ops; op-- > 0;) {
        const uint32_t *at = orr_strategy_devices(strategy, op);
        for (uint32_t part = 0; part < strategy->op[op].parts; part++) {
            orr_tg_builder_wait(lower->builder, lower->all_done[at[part]],
                                lower->backward[op] + part);
        }
    }
}

/* ---- dependencies ---- */

static void add_wait(struct lowering *lower, uint32_t task)
{
    uint32_t *grown = orr_arena_grow(lower->scratch, lower->wait, &lower->wait_capacity,
                                     lower->waits + 1, sizeof *grown);
    lower->failed = lower->failed || grown == NULL;
    if (grown != NULL) {
        lower->wait = grown;
        grown[lower->waits++] = task;
    }
}

/* Lists the end task of a device, or (UINT32_MAX) those of all members. */
static void list_all(struct lowering *lower, const struct demand_reduce *reduce, uint32_t device)
{
    if (device != UINT32_MAX) {
        add_wait(lower, lower->all_done[device]);
        return;
    }
    for (uint32_t i = 0; i < reduce->members; i++) {
        add_wait(lower, lower->all_done[reduce->member[i]]);
    }
}

/* Lists the backward tasks of all parts with the shard, on one device or (UINT32_MAX) on all. */
static void list_shard(struct lowering *lower, const struct demand_reduce *reduce, uint32_t device)
{
    const struct demand *demand = &lower->demand;
    lower->waits = 0;
    if (lower->all_done != NULL) {
        list_all(lower, reduce, device);
        return;
    }
    const uint32_t end = demand->first_sharer[reduce->op + 1];
    for (uint32_t s = demand->first_sharer[reduce->op]; s < end; s++) {
        const uint32_t op = demand->sharer[s];
        const uint32_t *at = orr_strategy_devices(lower->strategy, op);
        for (uint32_t part = 0; part < lower->strategy->op[op].parts; part++) {
            if ((device == UINT32_MAX || at[part] == device) &&
                orr_demand_shard(demand, op, part) == reduce->shard) {
                add_wait(lower, lower->backward[op] + part);
            }
        }
    }
}

static void wait_for_listed(struct lowering *lower, uint32_t task)
{
    for (size_t i = 0; i < lower->waits; i++) {
        orr_tg_builder_wait(lower->builder, task, lower->wait[i]);
    }
}

static void wait_for_shard(struct lowering *lower, const struct demand_reduce *reduce,
                           uint32_t task, uint32_t device)
{
    list_shard(lower, reduce, device);
    wait_for_listed(lower, task);
}

/* ---- tasks ---- */

static uint32_t add_reduce(struct lowering *lower, const struct demand_reduce *reduce,
                           const uint32_t *member, uint32_t members, uint64_t bytes)
{
    lower->added++;
    return orr_tg_builder_all_reduce(
        lower->builder,
        &(struct tg_task){
            .role = TG_ALL_REDUCE,
            .pass = TG_UPDATE,
            .bytes = bytes,
            .duration_ps = (uint64_t)orr_strategy_inside_ps(
                &lower->strategy->server, &lower->model->op[reduce->op], reduce->bytes),
            .name = lower->name[reduce->op],
            .across = reduce->across},
        member, members);
}

/* A transfer of a share of the gradient from each member to each other one, after a task of the
 * sender. */
static void add_exchange(struct lowering *lower, const struct demand_reduce *reduce, uint64_t bytes,
                         uint32_t first_reduce, bool gather)
{
    for (uint32_t i = 0; i < reduce->members; i++) {
        if (!gather) { /* once for all receivers */
            list_shard(lower, reduce, reduce->member[i]);
        }
        for (uint32_t j = 0; j < reduce->members; j++) {
            if (i == j) {
                continue;
            }
            const uint32_t task =
                orr_lower_transfer(lower, reduce->member[i], reduce->member[j], bytes, TG_UPDATE);
            lower->added++;
            if (gather) {
                orr_tg_builder_wait(lower->builder, task, first_reduce + i);
            } else {
                wait_for_listed(lower, task);
                orr_tg_builder_wait(lower->builder, first_reduce + j, task);
            }
        }
    }
}

/* Scatter, reduce across the groups, gather. */
static void add_scattered(struct lowering *lower, const struct demand_reduce *reduce)
{
    const uint32_t members = reduce->members;
    const uint64_t bytes = (reduce->bytes + members - 1) / members;
    const uint32_t first_reduce = lower->added + members * (members - 1);
    add_exchange(lower, reduce, bytes, first_reduce, false);
    for (uint32_t i = 0; i < members; i++) {
        const uint32_t task = add_reduce(lower, reduce, &reduce->member[i], 1, bytes);
        wait_for_shard(lower, reduce, task, reduce->member[i]);
    }
    add_exchange(lower, reduce, bytes, first_reduce, true);
}

void orr_lower_reduce(void *context, const struct demand_reduce *reduce)
{
    struct lowering *lower = context;
    if (reduce->across && reduce->members > 1) {
        add_scattered(lower, reduce);
        return;
    }
    const uint32_t task = add_reduce(lower, reduce, reduce->member, reduce->members, reduce->bytes);
    wait_for_shard(lower, reduce, task, UINT32_MAX);
}
