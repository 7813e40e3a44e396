/* See eval_strategy.h. All groups are equivalent: group g is group 0 with its devices shifted by g
 * times the group size. */
#include "planner/evaluator/eval_strategy.h"

#include "core/diag.h"
#include "planner/evaluator/eval_private.h"
#include "workload/model/op_graph.h"
#include "workload/strategy/demand.h"
#include "workload/strategy/strategy.h"

struct eval_strategy {
    struct orr_arena *arena;
    struct evaluator *evaluator;
    const struct model_graph *model;
    const struct strategy *strategy;
    struct demand demand;
    uint32_t group, copies;
    sim_time *forward_ps, *backward_ps; /* [ops] */
    struct eval_array device, transfer, reduce, member;
    uint64_t *edge_mark, *owner_mark; /* [edges], [ops]: `mark` of the last update */
    uint64_t mark;
    bool failed;
};

/* ---- parts ---- */

/* Appends the devices of group 0 and the corresponding ones of all other groups. NULL: memory is
 * out. */
static const uint32_t *in_groups(struct eval_strategy *evaluated, struct eval_array *to,
                                 const uint32_t *device, uint32_t count)
{
    uint32_t *all =
        orr_eval_reserve(to, to->count + (size_t)count * evaluated->copies, sizeof *all);
    if (all == NULL) {
        evaluated->failed = true;
        return NULL;
    }
    all += to->count;
    for (uint32_t g = 0; g < evaluated->copies; g++) {
        for (uint32_t i = 0; i < count; i++) {
            all[g * count + i] = g * evaluated->group + device[i];
        }
    }
    to->count += (size_t)count * evaluated->copies;
    return all;
}

static bool update_parts(struct eval_strategy *evaluated, uint32_t op)
{
    const uint32_t parts = evaluated->strategy->op[op].parts;
    evaluated->device.count = 0;
    const uint32_t *device = in_groups(evaluated, &evaluated->device,
                                       orr_strategy_devices(evaluated->strategy, op), parts);
    return device != NULL &&
           orr_eval_set_parts(evaluated->evaluator, op,
                              &(struct eval_parts){.parts = parts * evaluated->copies,
                                                   .device = device,
                                                   .forward_ps = evaluated->forward_ps[op],
                                                   .backward_ps = evaluated->backward_ps[op]});
}

/* ---- edges ---- */

static void add_transfer(struct eval_strategy *evaluated, uint32_t from, uint32_t to,
                         uint64_t bytes)
{
    struct eval_array *array = &evaluated->transfer;
    struct eval_transfer *transfer =
        orr_eval_reserve(array, array->count + evaluated->copies, sizeof *transfer);
    for (uint32_t g = 0; g < evaluated->copies && transfer != NULL; g++) {
        transfer[array->count++] =
            (struct eval_transfer){g * evaluated->group + from, g * evaluated->group + to, bytes};
    }
    evaluated->failed = evaluated->failed || transfer == NULL;
}

static void visit_transfer(void *context, const struct demand_transfer *transfer)
{
    add_transfer(context, transfer->from, transfer->to, transfer->carried ? 0 : transfer->bytes);
}

static bool update_edge(struct eval_strategy *evaluated, uint32_t edge)
{
    const uint32_t from = evaluated->model->edge[edge].from;
    const uint32_t *device = orr_strategy_devices(evaluated->strategy, from);
    evaluated->transfer.count = 0;
    if (orr_demand_is_local(&evaluated->demand, edge)) {
        for (uint32_t i = 0; i < evaluated->strategy->op[from].parts; i++) {
            add_transfer(evaluated, device[i], device[i], 0);
        }
    } else {
        orr_demand_edge(&evaluated->demand, edge, visit_transfer, evaluated);
    }
    return !evaluated->failed &&
           orr_eval_set_edge(evaluated->evaluator, edge, evaluated->transfer.items,
                             (uint32_t)evaluated->transfer.count);
}

/* ---- all-reduces ---- */

static void visit_reduce(void *context, const struct demand_reduce *reduce)
{
    struct eval_strategy *evaluated = context;
    struct eval_array *array = &evaluated->reduce, *members = &evaluated->member;
    struct eval_reduce *all = orr_eval_reserve(array, array->count + 1, sizeof *all);
    const uint32_t count = reduce->members * (reduce->across ? evaluated->copies : 1);
    const size_t before = members->count;
    if (all == NULL || in_groups(evaluated, members, reduce->member, reduce->members) == NULL) {
        evaluated->failed = true;
        return;
    }
    if (!reduce->across) {
        members->count = before + reduce->members;
    }
    /* the members are linked at the end, because the array may move */
    all[array->count++] = (struct eval_reduce){
        .bytes = reduce->bytes,
        .inner_ps = orr_strategy_inside_ps(&evaluated->strategy->server,
                                           &evaluated->model->op[reduce->op], reduce->bytes),
        .members = count,
        .holders = reduce->across ? reduce->members : 1};
}

static bool update_reduces(struct eval_strategy *evaluated, uint32_t op)
{
    evaluated->reduce.count = evaluated->member.count = 0;
    orr_demand_reduces(&evaluated->demand, op, visit_reduce, evaluated);
    struct eval_reduce *reduce = evaluated->reduce.items;
    const uint32_t *member = evaluated->member.items;
    for (size_t i = 0; i < evaluated->reduce.count && !evaluated->failed; i++) {
        reduce[i].member = member;
        member += reduce[i].members;
    }
    return !evaluated->failed && orr_eval_set_reduces(evaluated->evaluator, op, reduce,
                                                      (uint32_t)evaluated->reduce.count);
}

/* ---- updates ---- */

bool orr_eval_strategy_update_all(struct eval_strategy *evaluated)
{
    const struct model_graph *model = evaluated->model;
    evaluated->failed = false;
    for (uint32_t op = 0; op < model->ops; op++) {
        if (!update_parts(evaluated, op) || !update_reduces(evaluated, op)) {
            return false;
        }
    }
    for (uint32_t edge = 0; edge < model->edges; edge++) {
        if (!update_edge(evaluated, edge)) {
            return false;
        }
    }
    return true;
}

/* Updates the edges of an operator's output that were not updated since the last mark. */
static bool update_user_edges(struct eval_strategy *evaluated, uint32_t op)
{
    const struct demand *demand = &evaluated->demand;
    bool done = true;
    for (uint32_t u = demand->first_user[op]; u < demand->first_user[op + 1] && done; u++) {
        const uint32_t edge = demand->user[u];
        if (evaluated->edge_mark[edge] != evaluated->mark) {
            evaluated->edge_mark[edge] = evaluated->mark;
            done = update_edge(evaluated, edge);
        }
    }
    return done;
}

static bool update_owner(struct eval_strategy *evaluated, uint32_t owner)
{
    if (evaluated->owner_mark[owner] == evaluated->mark) {
        return true;
    }
    evaluated->owner_mark[owner] = evaluated->mark;
    return update_reduces(evaluated, owner);
}

static bool update_op(struct eval_strategy *evaluated, uint32_t op)
{
    const struct model_op *moved = &evaluated->model->op[op];
    bool done = update_parts(evaluated, op) && update_owner(evaluated, moved->owner) &&
                update_user_edges(evaluated, op);
    for (uint32_t i = 0; i < moved->edges && done; i++) {
        done = update_user_edges(evaluated, evaluated->model->edge[moved->first_edge + i].from);
    }
    return done;
}

bool orr_eval_strategy_update_list(struct eval_strategy *evaluated, const uint32_t *op,
                                   uint32_t ops)
{
    bool done = true;
    evaluated->failed = false;
    evaluated->mark++;
    for (uint32_t i = 0; i < ops && done; i++) {
        done = update_op(evaluated, op[i]);
    }
    return done;
}

bool orr_eval_strategy_update_op(struct eval_strategy *evaluated, uint32_t op)
{
    return orr_eval_strategy_update_list(evaluated, &op, 1);
}

void orr_eval_strategy_set_time(struct eval_strategy *evaluated, uint32_t op, sim_time forward_ps,
                                sim_time backward_ps)
{
    evaluated->forward_ps[op] = forward_ps;
    evaluated->backward_ps[op] = backward_ps;
}

void orr_eval_strategy_set_pass_time(struct eval_strategy *evaluated, uint32_t op, bool backward,
                                     sim_time time_ps)
{
    (backward ? evaluated->backward_ps : evaluated->forward_ps)[op] = time_ps;
}

struct evaluator *orr_eval_strategy_evaluator(struct eval_strategy *evaluated)
{
    return evaluated->evaluator;
}

/* ---- creation ---- */

static enum orr_status prepare(struct eval_strategy *evaluated, struct eval_setup *network,
                               struct orr_diag *diag)
{
    const struct model_graph *model = evaluated->model;
    struct orr_arena *arena = evaluated->arena;
    struct eval_edge *edge =
        arena != NULL ? orr_arena_array(arena, (size_t)model->edges + 1, sizeof *edge) : NULL;
    if (edge == NULL || !orr_demand_init(arena, model, evaluated->strategy, &evaluated->demand)) {
        return orr_diag_no_memory(diag, "an evaluator");
    }
    uint32_t *owner = orr_arena_array(arena, (size_t)model->ops + 1, sizeof *owner);
    evaluated->forward_ps = orr_arena_array(arena, (size_t)model->ops + 1, sizeof(sim_time));
    evaluated->backward_ps = orr_arena_array(arena, (size_t)model->ops + 1, sizeof(sim_time));
    evaluated->edge_mark = orr_arena_array(arena, (size_t)model->edges + 1, sizeof(uint64_t));
    evaluated->owner_mark = orr_arena_array(arena, (size_t)model->ops + 1, sizeof(uint64_t));
    if (owner == NULL || evaluated->forward_ps == NULL || evaluated->backward_ps == NULL ||
        evaluated->edge_mark == NULL || evaluated->owner_mark == NULL) {
        return orr_diag_no_memory(diag, "an evaluator");
    }
    for (uint32_t op = 0; op < model->ops; op++) {
        owner[op] = model->op[op].owner;
    }
    for (uint32_t e = 0; e < model->edges; e++) {
        edge[e] = (struct eval_edge){model->edge[e].from, evaluated->demand.consumer[e]};
    }
    network->devices = evaluated->strategy->devices;
    network->ops = model->ops;
    network->edges = model->edges;
    network->edge = edge;
    network->owner = owner;
    network->forward_only = model->lists_gradients;
    network->reduce_at_end = evaluated->strategy->server.reduce_at_end;
    return orr_evaluator_create(&evaluated->evaluator, network, diag);
}

enum orr_status orr_eval_strategy_create(struct eval_strategy **out,
                                         const struct eval_strategy_setup *setup,
                                         struct orr_diag *diag)
{
    struct eval_setup network = setup->network;
    struct eval_strategy *evaluated = orr_heap_calloc(1, sizeof *evaluated);
    if (evaluated == NULL) {
        return orr_diag_no_memory(diag, "an evaluator");
    }
    evaluated->model = setup->model;
    evaluated->strategy = setup->strategy;
    evaluated->copies = setup->strategy->copies;
    evaluated->group = orr_strategy_group(setup->strategy);
    evaluated->arena = orr_arena_create();
    const enum orr_status status = prepare(evaluated, &network, diag);
    if (status != ORR_OK) {
        orr_eval_strategy_destroy(evaluated);
        return status;
    }
    *out = evaluated;
    return ORR_OK;
}

void orr_eval_strategy_destroy(struct eval_strategy *evaluated)
{
    if (evaluated == NULL) {
        return;
    }
    orr_evaluator_destroy(evaluated->evaluator);
    orr_heap_free(evaluated->device.items);
    orr_heap_free(evaluated->transfer.items);
    orr_heap_free(evaluated->reduce.items);
    orr_heap_free(evaluated->member.items);
    orr_arena_destroy(evaluated->arena);
    orr_heap_free(evaluated);
}
