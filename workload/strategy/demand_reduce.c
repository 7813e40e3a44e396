/* The all-reduces of an operator's weights; see demand.h. */
#include <stdlib.h>

#include "workload/strategy/demand.h"

static void grid_of(const struct demand *demand, uint32_t op, struct demand_grid *out)
{
    orr_demand_grid(&demand->model->op[op], orr_strategy_degrees(demand->strategy, op),
                    DEMAND_WEIGHTS, NULL, out);
}

uint32_t orr_demand_shard(const struct demand *demand, uint32_t op, uint32_t part)
{
    struct demand_grid grid;
    grid_of(demand, op, &grid);
    return orr_demand_slice(&grid, DEMAND_SHARDS, part);
}

static int compare(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Adds the devices of an operator's parts with the shard to the members; returns whether they still
 * ascend. */
static bool add_members(struct demand *demand, uint32_t op, uint32_t shard, uint32_t *members)
{
    const uint32_t *device = orr_strategy_devices(demand->strategy, op);
    struct demand_grid grid;
    bool ascend = true;
    grid_of(demand, op, &grid);
    /* a shard's parts have its slices and any copy number */
    const uint32_t first = orr_demand_part(&grid, DEMAND_SHARDS, shard);
    for (uint32_t c = 0; c < grid.slices[DEMAND_COPIES]; c++) {
        const uint32_t at = device[first + orr_demand_part(&grid, DEMAND_COPIES, c)];
        if (demand->stamp[at] != demand->mark) {
            ascend &= *members == 0 || demand->member[*members - 1] < at;
            demand->stamp[at] = demand->mark;
            demand->member[(*members)++] = at;
        }
    }
    return ascend;
}

static uint32_t find_members(struct demand *demand, uint32_t op, uint32_t shard)
{
    uint32_t members = 0;
    bool ascend = true;
    demand->mark++;
    for (uint32_t s = demand->first_sharer[op]; s < demand->first_sharer[op + 1]; s++) {
        ascend &= add_members(demand, demand->sharer[s], shard, &members);
    }
    if (!ascend) {
        qsort(demand->member, members, sizeof *demand->member, compare);
    }
    return members;
}

/* Bytes of the bias tensor. */
static uint64_t bias_bytes(const struct model_op *op)
{
    return op->bias == 0
               ? 0
               : (uint64_t)((double)op->weight_bytes * ((double)op->bias / (double)op->weights) +
                            0.5);
}

static void visit_tensor(struct demand_reduce reduce, uint64_t bytes, uint32_t shards,
                         demand_reduce_fn visit, void *context)
{
    reduce.bytes = (bytes + shards / 2) / shards;
    if (reduce.bytes != 0) {
        visit(context, &reduce);
    }
}

void orr_demand_reduces(struct demand *demand, uint32_t op, demand_reduce_fn visit, void *context)
{
    const struct model_op *at = &demand->model->op[op];
    struct demand_grid grid;
    if (at->owner != op || at->weight_bytes == 0) {
        return;
    }
    grid_of(demand, op, &grid);
    const uint32_t shards = grid.slices[DEMAND_SHARDS];
    const uint64_t bias = bias_bytes(at);
    for (uint32_t shard = 0; shard < shards; shard++) {
        struct demand_reduce reduce = {.op = op,
                                       .shard = shard,
                                       .member = demand->member,
                                       .members = find_members(demand, op, shard),
                                       .across = demand->strategy->copies > 1};
        if (reduce.members > 1 || reduce.across) {
            visit_tensor(reduce, at->weight_bytes - bias, shards, visit, context);
            reduce.bias = true;
            visit_tensor(reduce, bias, shards, visit, context);
        }
    }
}
