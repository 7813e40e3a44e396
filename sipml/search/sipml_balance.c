/* The balanced graph: see sipml_balance.h. */
#include "sipml/search/sipml_balance.h"

#include "core/arena.h"
#include "core/diag.h"
#include "core/saturate.h"
#include "workload/model/op_graph.h"
#include "workload/model/part_time.h"

struct balancing {
    struct orr_arena *arena;
    const struct sipml_problem *problem;
    const struct sipml_splits *splits;
    const uint32_t *choice;
    struct sipml_task *task;
    uint32_t *first_part, *first_link;
    uint32_t *last_sharer;   /* [ops] of an owner: the last user of its weights so far, plus one */
    uint32_t *sharer_before; /* [ops] plus one: the sharer before it */
    struct sipml_link *link;
    size_t links, capacity;
    bool exchanges;
};

static const struct sipml_split *split_of(const struct balancing *balance, uint32_t op)
{
    return &balance->splits->split[balance->choice[op]];
}

/* ---- operators ---- */

/* Memory as in orr_strategy_memory: weights are where the parts of their owner are. */
static void set_memory(const struct balancing *balance, uint32_t op, struct sipml_task *task)
{
    const struct sipml_problem *problem = balance->problem;
    const struct sipml_split *split = split_of(balance, op);
    const struct model_op *at = &problem->model->op[op];
    const bool sums = at->dim[split->dim].gives == MODEL_GIVES_PARTIAL_SUM;
    const uint64_t state = sat_times(at->weights, problem->server.optimizer_bytes);
    const uint64_t held = sat_plus(sat_times(2, at->weight_bytes), state);
    task->kept_bytes = sat_integer((double)at->output_bytes * (double)orr_sipml_samples(problem) /
                                   (sums ? 1 : split->parts));
    task->weights_bytes = at->owner == op ? held / orr_sipml_shards(at, split) : 0;
    task->one_shard = at->dim[split->dim].weights == MODEL_WEIGHTS_COPIED;
    task->exchanges = task->one_shard && split->parts > 1 && at->weight_bytes != 0;
}

static enum orr_status set_task(struct balancing *balance, uint32_t op, struct orr_diag *diag)
{
    const struct sipml_problem *problem = balance->problem;
    struct sipml_task *task = &balance->task[op];
    struct model_times times;
    uint32_t degree[MODEL_MAX_DIMS];
    set_memory(balance, op, task);
    balance->exchanges |= task->exchanges;
    balance->first_part[op + 1] = balance->first_part[op] + split_of(balance, op)->parts;
    orr_sipml_degrees(&problem->model->op[op], split_of(balance, op), degree);
    const enum orr_status status = orr_model_part_time(problem->model, op, degree, problem->speed,
                                                       orr_sipml_samples(problem), &times, diag);
    task->duration_ps = status == ORR_OK ? times.forward_ps : 0;
    return status;
}

/* ---- links ---- */

static bool add_link(struct balancing *balance, struct sipml_link link)
{
    struct sipml_link *grown = orr_arena_grow(balance->arena, balance->link, &balance->capacity,
                                              balance->links + 1, sizeof *grown);
    if (grown != NULL) {
        balance->link = grown;
        grown[balance->links++] = link;
    }
    return grown != NULL;
}

static struct sipml_link link_of(const struct balancing *balance, uint32_t op,
                                 const struct model_edge *edge)
{
    const struct model_graph *model = balance->problem->model;
    const struct sipml_split *from = split_of(balance, edge->from), *to = split_of(balance, op);
    const struct model_dim *gives = &model->op[edge->from].dim[from->dim];
    const struct model_dim *takes = &model->op[op].dim[to->dim];
    const struct model_cut *cut = orr_model_cut(takes, edge);
    const bool slices = from->parts > 1 && to->parts > 1 && gives->gives == MODEL_GIVES_SLICE &&
                        cut->needs == MODEL_NEEDS_SLICE && gives->axis == cut->axis;
    return (struct sipml_link){.from = edge->from,
                               .kind = slices ? SIPML_SLICES : SIPML_ALL,
                               .halo = slices && takes->halo_bytes != 0};
}

/* Whether a device may not send to all others of its group. */
static bool is_limited(const struct sipml_problem *problem)
{
    const uint32_t degree = problem->rules.degree;
    return degree != 0 && degree < problem->devices / problem->copies;
}

/* Links to all earlier operators with the same weights: parts with the same shard send to each
 * other. If every device may send to all others, these links are left out. */
static bool add_sharers(struct balancing *balance, uint32_t op)
{
    const struct model_op *at = &balance->problem->model->op[op];
    const bool sliced = orr_sipml_shards(at, split_of(balance, op)) > 1;
    uint32_t s = balance->last_sharer[at->owner];
    bool added = true;
    balance->exchanges |= s != 0;
    for (s = is_limited(balance->problem) ? s : 0; s != 0 && added;
         s = balance->sharer_before[s - 1]) {
        added = balance->links < SIPML_MAX_LINKS &&
                add_link(balance, (struct sipml_link){.from = s - 1,
                                                      .kind = sliced ? SIPML_SLICES : SIPML_ALL,
                                                      .untimed = true});
    }
    balance->sharer_before[op] = balance->last_sharer[at->owner];
    balance->last_sharer[at->owner] = op + 1;
    return added;
}

static enum orr_status add_links(struct balancing *balance, uint32_t op, struct orr_diag *diag)
{
    const struct model_graph *model = balance->problem->model;
    const struct model_op *at = &model->op[op];
    bool added = true;
    for (uint32_t i = 0; i < at->edges && added; i++) {
        added = add_link(balance, link_of(balance, op, &model->edge[at->first_edge + i]));
    }
    added = added && (at->weight_bytes == 0 || add_sharers(balance, op));
    balance->first_link[op + 1] = (uint32_t)balance->links;
    if (!added && balance->links >= SIPML_MAX_LINKS) {
        const struct orr_location location = orr_location_none();
        return orr_diag_fail(
            diag, ORR_ERR_INPUT, &location,
            "operator \"%s\" shares its weights with too many others to place them "
            "near each other",
            at->name);
    }
    return added ? ORR_OK : orr_diag_no_memory(diag, "the balanced graph");
}

enum orr_status orr_sipml_balance(struct orr_arena *arena, const struct sipml_problem *problem,
                                  const struct sipml_splits *splits, const uint32_t *choice,
                                  struct sipml_graph *out, bool *bidirectional,
                                  struct orr_diag *diag)
{
    const size_t ops = (size_t)problem->model->ops + 1;
    struct balancing balance = {.arena = arena,
                                .problem = problem,
                                .splits = splits,
                                .choice = choice,
                                .task = orr_arena_array(arena, ops, sizeof(struct sipml_task)),
                                .first_part = orr_arena_array(arena, ops, sizeof(uint32_t)),
                                .first_link = orr_arena_array(arena, ops, sizeof(uint32_t)),
                                .last_sharer = orr_arena_array(arena, ops, sizeof(uint32_t)),
                                .sharer_before = orr_arena_array(arena, ops, sizeof(uint32_t))};
    const bool made = balance.task != NULL && balance.first_part != NULL &&
                      balance.first_link != NULL && balance.last_sharer != NULL &&
                      balance.sharer_before != NULL;
    enum orr_status status = made ? ORR_OK : orr_diag_no_memory(diag, "the balanced graph");
    for (uint32_t op = 0; op < problem->model->ops && status == ORR_OK; op++) {
        status = set_task(&balance, op, diag);
        status = status == ORR_OK ? add_links(&balance, op, diag) : status;
    }
    if (status == ORR_OK) {
        *bidirectional = balance.exchanges || !problem->model->lists_gradients;
        *out = (struct sipml_graph){.ops = problem->model->ops,
                                    .parts = balance.first_part[problem->model->ops],
                                    .task = balance.task,
                                    .first_part = balance.first_part,
                                    .first_link = balance.first_link,
                                    .link = balance.link};
    }
    return status;
}
