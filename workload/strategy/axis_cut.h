/* Which dimension of each operator the ranks of an axis cut, from the dimensions alone, for any
 * model (Shoeybi et al. 2019, section 3; Korthikanti et al. 2023, section 4.2):
 *
 * - weights larger than the input of a sample are sliced (tied ones as at their owner);
 * - of the dimensions that remain, the one is taken whose exchanges with the operators before move
 *   the fewest bytes (exchange.h), partial sums being reduced behind.
 *
 * So products are cut by output, then by input, attention by heads, what lies between by tokens.
 * Experts are cut as other weights, or spread over a number of ranks of their own. */
#ifndef ORR_WORKLOAD_STRATEGY_AXIS_CUT_H
#define ORR_WORKLOAD_STRATEGY_AXIS_CUT_H

#include "workload/strategy/exchange.h"

/* Where no dimension was given for an operator. */
#define AXIS_NOT_GIVEN (UINT32_MAX - 1)

/* What ranks do of an operator that is not cut otherwise: more parts of the samples; all of it,
 * where that moves fewer bytes than a cut; the same, where it moves no more. */
enum axis_rest { AXIS_SAMPLES, AXIS_WHOLE, AXIS_RATHER_WHOLE };

struct axis_cut {
    uint32_t dim;    /* of the operator; 0: samples; EXCHANGE_NO_DIM: each rank does all of it */
    uint32_t degree; /* ranks that share it */
    double cost;     /* bytes of a sample that it moves */
};

struct axis_rule {
    const struct model_graph *model;
    uint32_t tensor;  /* ranks of the axis */
    uint32_t experts; /* ranks that share the experts; 1: experts are cut as other weights */
    enum axis_rest rest;
    const uint32_t *given; /* [ops] dimensions that are set, or AXIS_NOT_GIVEN; NULL: none is */
    bool (*may_cut)(const void *context, const char *dim); /* NULL: every dimension */
    const void *context;
};

/* Sets cut[ops]. Dimensions are cut evenly only, unless given. O((operators + edges) x dimensions).
 */
void orr_axis_cut(const struct axis_rule *rule, struct axis_cut *cut);

/* The experts of an operator; 0: none. O(dims). */
uint64_t orr_axis_experts(const struct model_op *op);

#endif
