/* Deduplication of transfers; see demand_dedup.h. */
#include "workload/strategy/demand_dedup.h"

/* The share of a tensor that the parts of an operator need (with an edge) or give, if tokens are
 * sent to only some of them. */
static double share_of(const struct model_op *op, const uint32_t *degree,
                       const struct model_edge *edge)
{
    double share = 1;
    for (uint32_t d = 0; d < op->dims; d++) {
        const struct model_dim *dim = &op->dim[d];
        const bool needs_all = edge != NULL ? orr_model_cut(dim, edge)->needs == MODEL_NEEDS_ALL
                                            : dim->gives == MODEL_GIVES_PARTIAL_SUM;
        share *= needs_all && dim->experts_per_token > 0 && dim->experts_per_token < degree[d]
                     ? dim->experts_per_token / degree[d]
                     : 1;
    }
    return share;
}

void orr_demand_pair(const struct demand *demand, uint32_t edge, struct demand_pair *out)
{
    const struct model_graph *model = demand->model;
    const struct strategy *strategy = demand->strategy;
    out->edge = edge;
    out->producer = model->edge[edge].from;
    out->consumer = demand->consumer[edge];
    orr_demand_grid(&model->op[out->producer], orr_strategy_degrees(strategy, out->producer),
                    DEMAND_OUTPUT, NULL, &out->gives);
    orr_demand_grid(&model->op[out->consumer], orr_strategy_degrees(strategy, out->consumer),
                    DEMAND_INPUT, &model->edge[edge], &out->needs);
    out->share =
        share_of(&model->op[out->producer], orr_strategy_degrees(strategy, out->producer), NULL);
    out->needs_share = share_of(&model->op[out->consumer],
                                orr_strategy_degrees(strategy, out->consumer), &model->edge[edge]);
}

void orr_demand_dedup_reset(struct demand *demand)
{
    demand->mark++;
}

/* ---- earlier consumers ---- */

/* The slice of an axis that contains the overlap of range->gives and range->needs, into *slice;
 * false if no slice contains all of it, or if halos may be missing. */
static bool covers(const struct demand_pair *pair, const struct demand_range *range, unsigned axis,
                   const struct demand_grid *other, uint32_t *slice)
{
    const uint64_t a = pair->gives.slices[axis], b = pair->needs.slices[axis];
    const uint64_t i = range->gives[axis], j = range->needs[axis], c = other->slices[axis];
    const uint64_t low = i * b > j * a ? i * b : j * a;
    const uint64_t high = (i + 1) * b < (j + 1) * a ? (i + 1) * b : (j + 1) * a;
    const uint64_t halo = b > 1 ? pair->needs.halo[axis] : 0;
    *slice = c == 1 ? 0 : halo != 0 ? range->needs[axis] : (uint32_t)(low * c / (a * b));
    return c == 1 || (halo == 0 ? high * c <= (*slice + UINT64_C(1)) * a * b
                                : c == b && other->halo[axis] >= halo);
}

/* A part of another edge's consumer on the device that has the needed data, or UINT32_MAX. */
static uint32_t find_holder(const struct demand *demand, const struct demand_pair *pair,
                            const struct demand_range *range, uint32_t edge, uint32_t device)
{
    const struct strategy *strategy = demand->strategy;
    const uint32_t other = demand->consumer[edge];
    const uint32_t *at = orr_strategy_devices(strategy, other);
    struct demand_grid grid;
    uint32_t part = 0, slice;
    if (share_of(&demand->model->op[other], orr_strategy_degrees(strategy, other),
                 &demand->model->edge[edge]) < 1) {
        return UINT32_MAX;
    }
    orr_demand_grid(&demand->model->op[other], orr_strategy_degrees(strategy, other), DEMAND_INPUT,
                    &demand->model->edge[edge], &grid);
    for (unsigned axis = 0; axis < DEMAND_COPIES; axis++) {
        if (!covers(pair, range, axis, &grid, &slice)) {
            return UINT32_MAX;
        }
        part += orr_demand_part(&grid, axis, slice);
    }
    for (uint32_t c = 0; c < grid.slices[DEMAND_COPIES]; c++) {
        const uint32_t copy = part + orr_demand_part(&grid, DEMAND_COPIES, c);
        if (at[copy] == device) {
            return copy;
        }
    }
    return UINT32_MAX;
}

static bool is_sent_earlier(const struct demand *demand, const struct demand_pair *pair,
                            const struct demand_range *range, struct demand_transfer *transfer)
{
    const uint32_t end = demand->first_user[pair->producer + 1];
    for (uint32_t u = demand->first_user[pair->producer]; u < end; u++) {
        const uint32_t edge = demand->user[u];
        if (edge >= pair->edge) {
            return false;
        }
        const uint32_t part = find_holder(demand, pair, range, edge, transfer->to);
        if (part != UINT32_MAX) {
            transfer->by_edge = edge;
            transfer->by_part = part;
            return true;
        }
    }
    return false;
}

bool orr_demand_is_duplicate(struct demand *demand, const struct demand_pair *pair,
                             const struct demand_range *range, struct demand_transfer *transfer)
{
    const uint32_t to = transfer->to;
    if (pair->needs_share < 1) { /* each part needs other tokens */
        return false;
    }
    const bool is_marked = demand->stamp[to] == demand->mark;
    if (is_marked) {
        transfer->by_edge = demand->by_edge[to];
        transfer->by_part = demand->by_part[to];
        return true;
    }
    const bool earlier = is_sent_earlier(demand, pair, range, transfer);
    demand->stamp[to] = demand->mark;
    demand->by_edge[to] = transfer->by_edge;
    demand->by_part[to] = transfer->by_part;
    return earlier;
}
