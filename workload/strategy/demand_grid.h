/* How the parts of an operator lie over the axes of a tensor: its output, its input, or its
 * weights. A part's number has a digit for each dimension that is split; a digit belongs to an axis
 * that it cuts, or to the copies. */
#ifndef ORR_WORKLOAD_STRATEGY_DEMAND_GRID_H
#define ORR_WORKLOAD_STRATEGY_DEMAND_GRID_H

#include "workload/strategy/strategy.h"

/* Axes of tensors are the model's: 0 the samples, 1 .. MODEL_MAX_AXES those of its shape. */
enum {
    DEMAND_COPIES = MODEL_MAX_AXES + 1, /* parts that have, or need, the same */
    DEMAND_AXES,
    DEMAND_SHARDS = 0 /* of weights: all dimensions that slice them, together */
};

enum demand_side { DEMAND_OUTPUT, DEMAND_INPUT, DEMAND_WEIGHTS };

struct demand_grid {
    uint32_t slices[DEMAND_AXES]; /* their product is the number of parts */
    uint64_t halo[DEMAND_AXES];   /* inputs: bytes of a sample at a cut of the axis */
    uint32_t digits;
    struct demand_digit {
        uint32_t size, stride;
        uint8_t axis;
    } digit[MODEL_MAX_DIMS]; /* as the operator's dimensions */
};

/* One side of an operator split by the degrees; of DEMAND_INPUT: for what the edge brings (else
 * NULL). O(dimensions). */
void orr_demand_grid(const struct model_op *op, const uint32_t *degree, enum demand_side side,
                     const struct model_edge *edge, struct demand_grid *out);

/* Which slice of an axis a part has; of DEMAND_COPIES: which copy it is. */
uint32_t orr_demand_slice(const struct demand_grid *grid, unsigned axis, uint32_t part);

/* What a slice adds to the number of a part: parts are sums over all axes. */
uint32_t orr_demand_part(const struct demand_grid *grid, unsigned axis, uint32_t slice);

#endif
