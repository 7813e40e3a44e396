/* The grid of an operator's parts over the axes of a tensor: its output, its input, or its weights.
 * A part's number has a digit for each split dimension; a digit belongs to the axis that it cuts,
 * or to the copies. */
#ifndef ORR_WORKLOAD_STRATEGY_DEMAND_GRID_H
#define ORR_WORKLOAD_STRATEGY_DEMAND_GRID_H

#include "workload/strategy/strategy.h"

/* Axes are the model's: 0 the samples, 1 .. MODEL_MAX_AXES those of its shape. */
enum {
    DEMAND_COPIES = MODEL_MAX_AXES + 1, /* parts that have, or need, the same data */
    DEMAND_AXES,
    DEMAND_SHARDS = 0 /* weights: all dimensions that slice them, combined */
};

enum demand_side { DEMAND_OUTPUT, DEMAND_INPUT, DEMAND_WEIGHTS };

struct demand_grid {
    uint32_t slices[DEMAND_AXES]; /* their product is the number of parts */
    uint64_t halo[DEMAND_AXES];   /* inputs: halo bytes of a sample at a cut of the axis */
    uint32_t digits;
    struct demand_digit {
        uint32_t size, stride;
        uint8_t axis;
    } digit[MODEL_MAX_DIMS]; /* in the order of the operator's dimensions */
};

/* The grid of one side of an operator split by the degrees; DEMAND_INPUT: for the tensor of the
 * edge (else NULL). O(dimensions). */
void orr_demand_grid(const struct model_op *op, const uint32_t *degree, enum demand_side side,
                     const struct model_edge *edge, struct demand_grid *out);

/* The slice of an axis that a part has; DEMAND_COPIES: the number of its copy. */
uint32_t orr_demand_slice(const struct demand_grid *grid, unsigned axis, uint32_t part);

/* The contribution of a slice to the number of a part: the number is the sum over all axes. */
uint32_t orr_demand_part(const struct demand_grid *grid, unsigned axis, uint32_t slice);

#endif
