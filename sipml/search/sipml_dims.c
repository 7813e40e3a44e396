/* Bytes and costs of a choice of splits; see sipml_dims.h. */
#include "sipml/search/sipml_dims.h"

#include "core/saturate.h"
#include "workload/model/op_graph.h"

/* The part of a tensor that is sent if tokens go to some of the parts only. */
static double share(const struct model_dim *dim, uint32_t parts, bool whole)
{
    return whole && dim->experts_per_token > 0 && dim->experts_per_token < parts
               ? dim->experts_per_token / parts
               : 1;
}

uint64_t orr_sipml_edge_bytes(const struct sipml_problem *problem, uint32_t consumer, uint32_t edge,
                              const struct sipml_split *from, const struct sipml_split *to)
{
    const struct model_graph *model = problem->model;
    const struct model_op *producer = &model->op[model->edge[edge].from];
    const struct model_dim *gives = &producer->dim[from->dim];
    const struct model_dim *takes = &model->op[consumer].dim[to->dim];
    const struct model_cut *cut = orr_model_cut(takes, &model->edge[edge]);
    const uint64_t samples = orr_sipml_samples(problem);
    const bool sums = from->parts > 1 && gives->gives == MODEL_GIVES_PARTIAL_SUM;
    const bool all = to->parts > 1 && cut->needs == MODEL_NEEDS_ALL;
    const bool is_local =
        from->parts == to->parts && !sums && !all && (to->parts == 1 || gives->axis == cut->axis);
    const double given =
        (double)samples * (sums ? from->parts : 1) * share(gives, from->parts, sums);
    const double copies = (double)(all ? to->parts : 1) * share(takes, to->parts, all);
    const double bytes = is_local ? 0 : (double)producer->output_bytes * copies;
    const double halos =
        to->parts > 1 && !all ? 2.0 * (to->parts - 1) * (double)takes->halo_bytes : 0;
    const double both = given * (bytes + halos) * (model->lists_gradients ? 1 : 2);
    return both < (double)(SIPML_NEVER / 2) ? (uint64_t)(both + 0.5) : SIPML_NEVER / 2;
}

/* Number of transfers: between slices of one axis each part of the finer split has one partner;
 * else all pairs. */
static uint64_t transfers_of(const struct model_dim *gives, const struct model_cut *cut,
                             const struct sipml_split *from, const struct sipml_split *to)
{
    const bool slices = from->parts > 1 && to->parts > 1 && gives->gives == MODEL_GIVES_SLICE &&
                        cut->needs == MODEL_NEEDS_SLICE && gives->axis == cut->axis;
    if (from->parts == to->parts && (slices || from->parts == 1)) {
        return 0;
    }
    return slices ? (from->parts > to->parts ? from->parts : to->parts)
                  : (uint64_t)from->parts * to->parts;
}

uint64_t orr_sipml_edge_cost(const struct sipml_problem *problem, uint32_t consumer, uint32_t edge,
                             const struct sipml_split *from, const struct sipml_split *to)
{
    const struct model_graph *model = problem->model;
    const struct model_dim *gives = &model->op[model->edge[edge].from].dim[from->dim];
    const struct model_dim *takes = &model->op[consumer].dim[to->dim];
    return sat_plus(orr_sipml_edge_bytes(problem, consumer, edge, from, to),
                    transfers_of(gives, orr_model_cut(takes, &model->edge[edge]), from, to));
}

uint64_t orr_sipml_weight_bytes(const struct model_op *op, const struct sipml_split *split)
{
    const bool copied = op->dim[split->dim].weights == MODEL_WEIGHTS_COPIED;
    return copied ? sat_times(sat_times(2, op->weight_bytes), split->parts - 1) : 0;
}

uint64_t orr_sipml_shared_bytes(const struct model_op *owner, const struct sipml_split *owner_split,
                                const struct model_op *user, const struct sipml_split *split)
{
    if (orr_sipml_shards(owner, owner_split) != orr_sipml_shards(user, split)) {
        return SIPML_NEVER;
    }
    const uint64_t more = orr_sipml_weight_bytes(user, split);
    const uint64_t known = orr_sipml_weight_bytes(owner, owner_split);
    return more > known ? more - known : 0;
}

/* The cost of an operator, or only its bytes. */
static uint64_t sum_op(const struct sipml_problem *problem, const struct sipml_splits *splits,
                       const uint32_t *choice, uint32_t op, bool bytes_alone)
{
    const struct model_graph *model = problem->model;
    const struct model_op *at = &model->op[op];
    const struct sipml_split *split = &splits->split[choice[op]];
    const struct sipml_split *owner_split = &splits->split[choice[at->owner]];
    uint64_t sum = split->last_resort && !bytes_alone ? SIPML_NEVER / 4 : 0;
    sum = sat_plus(sum, at->owner == op ? orr_sipml_weight_bytes(at, split)
                                        : orr_sipml_shared_bytes(&model->op[at->owner], owner_split,
                                                                 at, split));
    for (uint32_t edge = at->first_edge; edge < at->first_edge + at->edges; edge++) {
        const struct sipml_split *from = &splits->split[choice[model->edge[edge].from]];
        sum = sat_plus(sum, bytes_alone ? orr_sipml_edge_bytes(problem, op, edge, from, split)
                                        : orr_sipml_edge_cost(problem, op, edge, from, split));
    }
    return sum;
}

uint64_t orr_sipml_op_cost(const struct sipml_problem *problem, const struct sipml_splits *splits,
                           const uint32_t *choice, uint32_t op)
{
    return sum_op(problem, splits, choice, op, false);
}

static uint64_t sum_all(const struct sipml_problem *problem, const struct sipml_splits *splits,
                        const uint32_t *choice, bool bytes_alone)
{
    uint64_t sum = 0;
    for (uint32_t op = 0; op < problem->model->ops; op++) {
        sum = sat_plus(sum, sum_op(problem, splits, choice, op, bytes_alone));
    }
    return sum;
}

uint64_t orr_sipml_split_cost(const struct sipml_problem *problem,
                              const struct sipml_splits *splits, const uint32_t *choice)
{
    return sum_all(problem, splits, choice, false);
}

uint64_t orr_sipml_split_bytes(const struct sipml_problem *problem,
                               const struct sipml_splits *splits, const uint32_t *choice)
{
    return sum_all(problem, splits, choice, true);
}
