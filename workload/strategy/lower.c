/* Lowering a strategy to a task graph; see lower.h. */
#include "workload/strategy/lower.h"

#include <inttypes.h>

#include "core/arena.h"
#include "workload/strategy/demand.h"
#include "workload/strategy/lower_private.h"

enum { MAX_TASKS = INT32_MAX };

/* ---- numbers of tasks ---- */

static void count_transfer(void *context, const struct demand_transfer *transfer)
{
    struct lowering *lower = context;
    lower->forward_tasks += transfer->from != transfer->to && !transfer->carried;
}

/* Numbers tasks: an operator's forward tasks, its transfers, then those of the next operator.
 * Backward likewise. */
static enum orr_status number_tasks(struct lowering *lower, struct orr_diag *diag)
{
    const struct model_graph *model = lower->model;
    const struct demand *demand = &lower->demand;
    for (uint32_t op = 0; op < model->ops; op++) {
        lower->forward[op] = (uint32_t)lower->forward_tasks;
        lower->forward_tasks += lower->strategy->op[op].parts;
        for (uint32_t u = demand->first_user[op]; u < demand->first_user[op + 1]; u++) {
            orr_demand_edge(&lower->demand, demand->user[u], count_transfer, lower);
        }
        if (lower->forward_tasks > MAX_TASKS / 2) {
            return orr_diag_fail(diag, ORR_ERR_INPUT, NULL,
                                 "the model \"%s\" has more than %d tasks under this strategy",
                                 model->name, MAX_TASKS);
        }
    }
    return ORR_OK;
}

/* ---- forward ---- */

static struct tg_task compute(const struct lowering *lower, uint32_t op, uint32_t part,
                              enum tg_pass pass)
{
    const uint32_t device = orr_strategy_devices(lower->strategy, op)[part];
    return (struct tg_task){.role = TG_COMPUTE,
                            .pass = (uint8_t)pass,
                            .from = device,
                            .to = device,
                            .name = lower->name[op],
                            .duration_ps = pass == TG_FORWARD ? lower->times->forward_ps[op]
                                                              : lower->times->backward_ps[op]};
}

uint32_t orr_lower_transfer(struct lowering *lower, uint32_t from, uint32_t to, uint64_t bytes,
                            enum tg_pass pass)
{
    return orr_tg_builder_add(lower->builder, &(struct tg_task){.role = TG_TRANSFER,
                                                                .pass = (uint8_t)pass,
                                                                .from = from,
                                                                .to = to,
                                                                .name = lower->name[lower->op],
                                                                .bytes = bytes});
}

/* The task of a transfer: a new one, or that of its carrier. */
static uint32_t task_of(struct lowering *lower, const struct demand_transfer *transfer,
                        enum tg_pass pass)
{
    const bool back = pass == TG_BACKWARD;
    if (transfer->carried) {
        return orr_lower_carriers_find(&lower->carriers, transfer);
    }
    const uint32_t task =
        orr_lower_transfer(lower, back ? transfer->to : transfer->from,
                           back ? transfer->from : transfer->to, transfer->bytes, pass);
    lower->failed |= !orr_lower_carriers_add(&lower->carriers, transfer, task);
    return task;
}

static void send_forward(void *context, const struct demand_transfer *transfer)
{
    struct lowering *lower = context;
    const uint32_t before = lower->forward[lower->op] + transfer->from_part;
    const uint32_t behind = lower->forward[lower->consumer] + transfer->to_part;
    if (lower->failed) {
        return;
    }
    if (transfer->from == transfer->to) {
        orr_tg_builder_wait(lower->builder, behind, before);
        return;
    }
    const uint32_t task = task_of(lower, transfer, TG_FORWARD);
    if (!transfer->carried) {
        orr_tg_builder_wait(lower->builder, task, before);
    }
    orr_tg_builder_wait(lower->builder, behind, task);
}

static void visit_users(struct lowering *lower, uint32_t op, demand_transfer_fn visit)
{
    const struct demand *demand = &lower->demand;
    orr_lower_carriers_clear(&lower->carriers);
    lower->op = op;
    for (uint32_t u = demand->first_user[op]; u < demand->first_user[op + 1]; u++) {
        lower->consumer = demand->consumer[demand->user[u]];
        orr_demand_edge(&lower->demand, demand->user[u], visit, lower);
    }
}

static void add_forward(struct lowering *lower, uint32_t op)
{
    for (uint32_t part = 0; part < lower->strategy->op[op].parts; part++) {
        const struct tg_task task = compute(lower, op, part, TG_FORWARD);
        (void)orr_tg_builder_add(lower->builder, &task);
    }
    visit_users(lower, op, send_forward);
}

/* ---- backward ---- */

/* Adds the transfers of gradients, which have smaller numbers than the tasks that wait for them. */
static void send_back(void *context, const struct demand_transfer *transfer)
{
    struct lowering *lower = context;
    const uint32_t before = lower->backward[lower->consumer] + transfer->to_part;
    const uint32_t behind = lower->backward[lower->op] + transfer->from_part;
    if (lower->failed) {
        return;
    }
    if (transfer->from == transfer->to) {
        orr_tg_builder_wait(lower->builder, behind, before);
        return;
    }
    const uint32_t task = task_of(lower, transfer, TG_BACKWARD);
    orr_tg_builder_wait(lower->builder, task, before);
    if (!transfer->carried) {
        orr_tg_builder_wait(lower->builder, behind, task);
    }
}

static void add_backward(struct lowering *lower, uint32_t op)
{
    const uint32_t next =
        op + 1 < lower->model->ops ? lower->forward[op + 1] : (uint32_t)lower->forward_tasks;
    const uint32_t parts = lower->strategy->op[op].parts;
    const uint32_t transfers = next - lower->forward[op] - parts;
    lower->backward[op] = lower->added + transfers;
    visit_users(lower, op, send_back);
    for (uint32_t part = 0; part < parts; part++) {
        const struct tg_task task = compute(lower, op, part, TG_BACKWARD);
        (void)orr_tg_builder_add(lower->builder, &task);
        orr_tg_builder_wait(lower->builder, lower->backward[op] + part, lower->forward[op] + part);
    }
    lower->added += transfers + parts;
}

static void add_reduces(struct lowering *lower, uint32_t op)
{
    lower->op = op;
    orr_demand_reduces(&lower->demand, op, orr_lower_reduce, lower);
}

/* The backward pass, with each operator's all-reduces after it or all of them at the end. */
static void add_updates(struct lowering *lower)
{
    const uint32_t ops = lower->model->ops;
    const bool at_end = lower->all_done != NULL;
    lower->added = (uint32_t)lower->forward_tasks;
    for (uint32_t op = ops; op-- > 0;) {
        if (!lower->model->lists_gradients) {
            add_backward(lower, op);
        }
        if (!at_end) {
            add_reduces(lower, op);
        }
    }
    if (at_end) {
        orr_lower_ends(lower);
    }
    for (uint32_t op = at_end ? ops : 0; op-- > 0;) {
        add_reduces(lower, op);
    }
}

/* ---- all of it ---- */

static bool begin(struct lowering *lower)
{
    const struct model_graph *model = lower->model;
    const size_t ops = (size_t)model->ops + 1;
    lower->scratch = orr_arena_create();
    if (lower->scratch == NULL ||
        !orr_demand_init(lower->scratch, model, lower->strategy, &lower->demand)) {
        return false;
    }
    lower->forward = orr_arena_array(lower->scratch, ops, sizeof *lower->forward);
    lower->backward = model->lists_gradients
                          ? lower->forward
                          : orr_arena_array(lower->scratch, ops, sizeof *lower->backward);
    lower->name = orr_arena_array(lower->scratch, ops, sizeof *lower->name);
    const bool at_end = lower->strategy->server.reduce_at_end;
    const uint32_t group = orr_strategy_group(lower->strategy);
    lower->all_done =
        at_end ? orr_arena_array(lower->scratch, group, sizeof *lower->all_done) : NULL;
    lower->builder = orr_tg_builder_create(lower->strategy->devices, lower->strategy->copies);
    for (uint32_t op = 0; op < model->ops && lower->builder != NULL && lower->name != NULL; op++) {
        lower->name[op] = orr_tg_builder_name(lower->builder, model->op[op].name);
    }
    return lower->forward != NULL && lower->backward != NULL && lower->name != NULL &&
           (!at_end || lower->all_done != NULL) && lower->builder != NULL;
}

static void end(struct lowering *lower)
{
    orr_tg_builder_destroy(lower->builder);
    orr_lower_carriers_fini(&lower->carriers);
    orr_arena_destroy(lower->scratch);
}

enum orr_status orr_strategy_lower(struct orr_arena *arena, const struct model_graph *model,
                                   const struct strategy *strategy,
                                   const struct strategy_times *times, struct tg_graph *out,
                                   struct orr_diag *diag)
{
    struct lowering lower = {.model = model, .strategy = strategy, .times = times};
    enum orr_status status =
        begin(&lower) ? ORR_OK : orr_diag_no_memory(diag, "a task graph of a strategy");
    if (status == ORR_OK) {
        status = number_tasks(&lower, diag);
    }
    if (status == ORR_OK) {
        orr_tg_builder_reserve(lower.builder, 2 * (size_t)lower.forward_tasks,
                               4 * (size_t)lower.forward_tasks);
        for (uint32_t op = 0; op < model->ops; op++) {
            add_forward(&lower, op);
        }
        add_updates(&lower);
        status = lower.failed ? orr_diag_no_memory(diag, "a task graph of a strategy")
                              : orr_tg_builder_finish(lower.builder, arena, out, diag);
    }
    end(&lower);
    return status;
}
