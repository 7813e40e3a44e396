/* The known strategies, each once. */
#include <string.h>

#include "core/arena.h"
#include "topoopt/search/topoopt_private.h"
#include "workload/strategy/strategy_check.h"

static bool copy_op(struct strategy_draft *draft, const struct strategy *from, uint32_t op)
{
    return orr_strategy_set(draft, op, orr_strategy_degrees(from, op),
                            orr_strategy_devices(from, op));
}

bool orr_topoopt_copy(struct orr_arena *arena, const struct model_graph *model,
                      const struct strategy *from, struct strategy *out)
{
    struct strategy_draft draft;
    bool copied = orr_strategy_draft_init(&draft, arena, model, from->devices, from->copies);
    draft.strategy.server = from->server;
    for (uint32_t op = 0; op < model->ops && copied; op++) {
        copied = copy_op(&draft, from, op);
    }
    *out = orr_strategy_drafted(&draft);
    return copied;
}

bool orr_topoopt_op_is_identical(const struct model_graph *model, const struct strategy *a,
                                 const struct strategy *b, uint32_t op)
{
    const uint32_t parts = a->op[op].parts;
    return parts == b->op[op].parts &&
           memcmp(orr_strategy_degrees(a, op), orr_strategy_degrees(b, op),
                  model->op[op].dims * sizeof(uint32_t)) == 0 &&
           memcmp(orr_strategy_devices(a, op), orr_strategy_devices(b, op),
                  parts * sizeof(uint32_t)) == 0;
}

static uint64_t mix(uint64_t hash, const uint32_t *value, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        hash = (hash ^ value[i]) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 29;
    }
    return hash;
}

static uint64_t hash_of(const struct model_graph *model, const struct strategy *strategy)
{
    uint64_t hash = 1;
    for (uint32_t op = 0; op < model->ops; op++) {
        hash = mix(hash, orr_strategy_degrees(strategy, op), model->op[op].dims);
        hash = mix(hash, orr_strategy_devices(strategy, op), strategy->op[op].parts);
    }
    return hash;
}

static bool equal(const struct model_graph *model, const struct strategy *a,
                  const struct strategy *b)
{
    uint32_t op = 0;
    while (op < model->ops && orr_topoopt_op_is_identical(model, a, b, op)) {
        op++;
    }
    return op == model->ops;
}

enum orr_status orr_topoopt_missing(const struct topoopt_problem *problem,
                                    const struct strategy *strategy, uint64_t *missing,
                                    struct orr_diag *diag)
{
    const uint32_t group = orr_strategy_group(strategy);
    uint64_t *bytes = orr_heap_calloc(group, sizeof *bytes), max = 0;
    const bool known_bytes =
        bytes != NULL && orr_strategy_memory(problem->model, strategy, bytes, NULL);
    for (uint32_t i = 0; i < group && known_bytes; i++) {
        max = bytes[i] > max ? bytes[i] : max;
    }
    orr_heap_free(bytes);
    *missing =
        problem->memory_bytes != 0 && max > problem->memory_bytes ? max - problem->memory_bytes : 0;
    return known_bytes ? ORR_OK : orr_diag_no_memory(diag, "the memory of a strategy");
}

static uint32_t find(const struct topoopt_plan *plan, const struct strategy *strategy,
                     uint64_t hash)
{
    uint32_t i = 0;
    while (i < plan->known_count &&
           !(plan->known[i].hash == hash &&
             equal(plan->problem->model, &plan->known[i].strategy, strategy))) {
        i++;
    }
    return i;
}

enum orr_status orr_topoopt_add_strategy(struct topoopt_plan *plan, const struct strategy *strategy,
                                         enum topoopt_origin origin, uint64_t evaluations,
                                         uint32_t *number)
{
    const struct model_graph *model = plan->problem->model;
    struct topoopt_strategy known = {
        .hash = hash_of(model, strategy), .origin = origin, .evaluations = evaluations};
    *number = find(plan, strategy, known.hash);
    if (*number < plan->known_count) {
        return ORR_OK;
    }
    struct topoopt_strategy *grown = orr_arena_grow(plan->arena, plan->known, &plan->known_capacity,
                                                    plan->known_count + 1, sizeof *grown);
    if (grown == NULL || !orr_topoopt_copy(plan->arena, model, strategy, &known.strategy)) {
        return orr_diag_no_memory(plan->diag, "strategies");
    }
    plan->known = grown;
    const enum orr_status status =
        orr_topoopt_missing(plan->problem, &known.strategy, &known.missing_bytes, plan->diag);
    grown[plan->known_count] = known;
    plan->known_count += status == ORR_OK;
    return status;
}
