/* Grids of parts over the axes of a tensor; see demand_grid.h. */
#include "workload/strategy/demand_grid.h"

#include "core/diag.h"
#include "workload/model/op_graph.h"

/* The axis that a dimension cuts, or DEMAND_COPIES. */
static unsigned axis_of(const struct model_dim *dim, enum demand_side side,
                        const struct model_edge *edge)
{
    const struct model_cut *cut = side == DEMAND_INPUT ? orr_model_cut(dim, edge) : NULL;
    switch (side) {
    case DEMAND_OUTPUT:
        return dim->gives == MODEL_GIVES_SLICE ? dim->axis : DEMAND_COPIES;
    case DEMAND_INPUT:
        return cut->needs == MODEL_NEEDS_SLICE ? cut->axis : DEMAND_COPIES;
    default:
        return dim->weights == MODEL_WEIGHTS_SLICED ? DEMAND_SHARDS : DEMAND_COPIES;
    }
}

void orr_demand_grid(const struct model_op *op, const uint32_t *degree, enum demand_side side,
                     const struct model_edge *edge, struct demand_grid *out)
{
    uint32_t stride = 1;
    *out = (struct demand_grid){.slices = {1, 1, 1, 1, 1}};
    for (uint32_t d = op->dims; d-- > 0;) {
        const unsigned axis = axis_of(&op->dim[d], side, edge);
        if (degree[d] == 1) {
            continue;
        }
        ORR_ASSERT(axis < DEMAND_AXES);
        out->digit[out->digits++] = (struct demand_digit){degree[d], stride, (uint8_t)axis};
        out->slices[axis] *= degree[d];
        out->halo[axis] +=
            side == DEMAND_INPUT && axis != DEMAND_COPIES ? op->dim[d].halo_bytes : 0;
        stride *= degree[d];
    }
}

uint32_t orr_demand_slice(const struct demand_grid *grid, unsigned axis, uint32_t part)
{
    uint32_t slice = 0, weight = 1;
    for (uint32_t i = 0; i < grid->digits; i++) {
        const struct demand_digit *digit = &grid->digit[i];
        if (digit->axis == axis) {
            slice += part / digit->stride % digit->size * weight;
            weight *= digit->size;
        }
    }
    return slice;
}

uint32_t orr_demand_part(const struct demand_grid *grid, unsigned axis, uint32_t slice)
{
    uint32_t part = 0;
    for (uint32_t i = 0; i < grid->digits && slice != 0; i++) {
        const struct demand_digit *digit = &grid->digit[i];
        if (digit->axis == axis) {
            part += slice % digit->size * digit->stride;
            slice /= digit->size;
        }
    }
    return part;
}
