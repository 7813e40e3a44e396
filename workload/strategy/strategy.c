/* Making strategies; see strategy.h. */
#include "workload/strategy/strategy.h"

#include "core/arena.h"

static bool init_unsplit(struct strategy_draft *draft)
{
    uint32_t degrees = 0;
    for (uint32_t op = 0; op < draft->model->ops; op++) {
        draft->op[op] = (struct strategy_op){.parts = 1, .first_degree = degrees};
        degrees += draft->model->op[op].dims;
    }
    draft->degree = orr_arena_array(draft->arena, (size_t)degrees + 1, sizeof *draft->degree);
    draft->device = orr_arena_grow(draft->arena, NULL, &draft->capacity, draft->model->ops + 1,
                                   sizeof *draft->device);
    if (draft->degree == NULL || draft->device == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < degrees; i++) {
        draft->degree[i] = 1;
    }
    draft->device[draft->devices++] = 0; /* the device of operators that are never set */
    return true;
}

bool orr_strategy_draft_init(struct strategy_draft *draft, struct orr_arena *arena,
                             const struct model_graph *model, uint32_t devices, uint32_t copies)
{
    *draft = (struct strategy_draft){
        .arena = arena,
        .model = model,
        .strategy = {.devices = devices,
                     .copies = copies,
                     .ops = model->ops,
                     .server = {.gpus = 1}},
        .op = orr_arena_array(arena, (size_t)model->ops + 1, sizeof *draft->op)};
    return draft->op != NULL && init_unsplit(draft);
}

/* Memory for the devices of an operator: its present memory if that is large enough and not shared,
 * else new memory at the end. */
static uint32_t *alloc_devices(struct strategy_draft *draft, struct strategy_op *op, uint32_t parts)
{
    if (op->first_device == 0 || op->first_device == draft->default_devices || op->parts < parts) {
        uint32_t *grown = orr_arena_grow(draft->arena, draft->device, &draft->capacity,
                                         draft->devices + parts, sizeof *grown);
        if (grown == NULL) {
            return NULL;
        }
        draft->device = grown;
        op->first_device = (uint32_t)draft->devices;
        draft->devices += parts;
    }
    op->parts = parts;
    return draft->device + op->first_device;
}

static bool set_devices(struct strategy_draft *draft, struct strategy_op *op, uint32_t parts,
                        const uint32_t *device)
{
    const uint32_t group = orr_strategy_group(&draft->strategy);
    uint32_t *to = alloc_devices(draft, op, parts);
    for (uint32_t i = 0; i < parts && to != NULL; i++) {
        to[i] = device != NULL ? device[i] : orr_strategy_default_device(i, parts, group);
    }
    return to != NULL;
}

bool orr_strategy_set(struct strategy_draft *draft, uint32_t op, const uint32_t *degree,
                      const uint32_t *device)
{
    struct strategy_op *at = &draft->op[op];
    uint32_t parts = 1;
    for (uint32_t d = 0; d < draft->model->op[op].dims; d++) {
        draft->degree[at->first_degree + d] = degree[d];
        parts *= degree[d];
    }
    const bool default_devices = device == NULL && parts == orr_strategy_group(&draft->strategy);
    if (default_devices && draft->default_devices !=
                               0) { /* shared with all other operators with a part on each device */
        at->parts = parts;
        at->first_device = draft->default_devices;
        return true;
    }
    if (!set_devices(draft, at, parts, device)) {
        return false;
    }
    draft->default_devices = default_devices ? at->first_device : draft->default_devices;
    return true;
}

struct strategy orr_strategy_drafted(const struct strategy_draft *draft)
{
    struct strategy strategy = draft->strategy;
    strategy.op = draft->op;
    strategy.degree = draft->degree;
    strategy.device = draft->device;
    return strategy;
}

bool orr_strategy_data_parallel(struct strategy_draft *draft)
{
    const uint32_t group = orr_strategy_group(&draft->strategy);
    uint32_t max = 1, tables = 0;
    bool made = true;
    for (uint32_t op = 0; op < draft->model->ops; op++) {
        max = draft->model->op[op].dims > max ? draft->model->op[op].dims : max;
    }
    uint32_t *degree = orr_arena_array(draft->arena, max, sizeof *degree);
    for (uint32_t d = 0; d < max && degree != NULL; d++) {
        degree[d] = 1;
    }
    for (uint32_t op = 0; op < draft->model->ops && made && degree != NULL; op++) {
        const bool table = draft->model->op[op].table;
        const uint32_t device = tables % group;
        tables += table;
        degree[0] = table ? 1 : group;
        made = orr_strategy_set(draft, op, degree, table ? &device : NULL);
    }
    return made && degree != NULL;
}
