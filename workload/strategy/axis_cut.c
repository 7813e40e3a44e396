/* The dimensions that an axis cuts; see axis_cut.h. */
#include "workload/strategy/axis_cut.h"

#include <float.h>

#include "workload/trace/trace.h"

struct cutter {
    const struct axis_rule *rule;
    struct axis_cut *cut; /* [ops], those before the current one */
};

uint64_t orr_axis_experts(const struct model_op *op)
{
    uint64_t experts = 0;
    for (uint32_t d = 0; d < op->dims; d++) {
        experts = op->dim[d].experts_per_token > 0 ? op->dim[d].size : experts;
    }
    return experts;
}

/* ---- costs ---- */

/* Bytes that one of `degree` ranks sends and receives of a tensor. */
static double moved(const struct exchange *exchange, double bytes, uint32_t degree)
{
    if (!exchange->is_needed) {
        return 0;
    }
    return exchange->comm == ORR_COMM_ALL_REDUCE   ? 2 * bytes
           : exchange->comm == ORR_COMM_ALL_TO_ALL ? bytes / degree
                                                   : bytes;
}

/* Between different numbers of ranks all data moves, at most. */
static double edge_cost(const struct cutter *at, uint32_t op, const struct axis_cut *cut,
                        const struct model_edge *edge)
{
    const struct model_graph *model = at->rule->model;
    const struct model_op *from = &model->op[edge->from], *to = &model->op[op];
    const struct axis_cut *before = &at->cut[edge->from];
    const double bytes = (double)from->output_bytes;
    if (before->dim == 0 && cut->dim == 0) {
        return 0;
    }
    if (before->degree != cut->degree) {
        return 2 * bytes;
    }
    const struct exchange_pair pair = orr_exchange_of(from, before->dim, to, cut->dim, edge);
    return moved(&pair.forward, bytes, cut->degree) + moved(&pair.backward, bytes, cut->degree);
}

static bool gives_partial(const struct model_op *op, uint32_t dim)
{
    return dim != EXCHANGE_NO_DIM && op->dim[dim].gives == MODEL_GIVES_PARTIAL_SUM;
}

/* Of the exchanges with the operators before, and of the reduction of a partial sum. */
static double cost_of(const struct cutter *at, uint32_t op, const struct axis_cut *cut)
{
    const struct model_graph *model = at->rule->model;
    const struct model_op *of = &model->op[op];
    double cost = 0;
    for (uint32_t i = 0; i < of->edges; i++) {
        cost += edge_cost(at, op, cut, &model->edge[of->first_edge + i]);
    }
    return cost + (gives_partial(of, cut->dim) ? 2 * (double)of->output_bytes : 0);
}

/* ---- candidates ---- */

static bool slices_weights(const struct model_op *op, uint32_t dim)
{
    return dim != EXCHANGE_NO_DIM && op->dim[dim].weights == MODEL_WEIGHTS_SLICED;
}

/* Whether the weights of an operator are sliced: those that are tied as at their owner. */
static bool is_heavy(const struct cutter *at, uint32_t op)
{
    const struct model_graph *model = at->rule->model;
    const struct model_op *of = &model->op[op];
    uint64_t input = 0;
    if (of->owner != op) {
        return slices_weights(&model->op[of->owner], at->cut[of->owner].dim);
    }
    for (uint32_t i = 0; i < of->edges; i++) {
        input += model->op[model->edge[of->first_edge + i].from].output_bytes;
    }
    return of->weight_bytes > (input > 0 ? input : of->output_bytes);
}

static bool can_cut(const struct axis_rule *rule, const struct model_op *op, uint32_t dim,
                    uint32_t degree)
{
    const struct model_dim *of = &op->dim[dim];
    return of->size >= degree && of->size % degree == 0 &&
           (rule->may_cut == NULL || rule->may_cut(rule->context, of->name));
}

/* Takes the cut if it moves fewer bytes; of equal ones that of partial sums, which can be reduced
 * to slices of any axis. */
static void offer(const struct cutter *at, uint32_t op, struct axis_cut cut, struct axis_cut *best)
{
    const bool is_partial = gives_partial(&at->rule->model->op[op], cut.dim);
    cut.cost = cost_of(at, op, &cut);
    *best = cut.cost < best->cost || (is_partial && cut.cost == best->cost) ? cut : *best;
}

/* Experts that are spread are cut by nothing else. */
static void offer_dims(const struct cutter *at, uint32_t op, uint32_t degree, struct axis_cut *best)
{
    const struct model_op *of = &at->rule->model->op[op];
    const bool heavy = of->weights > 0 && is_heavy(at, op);
    const bool spread = orr_axis_experts(of) > 0 && at->rule->experts > 1;
    for (uint32_t d = 1; d < of->dims && degree > 1; d++) {
        const bool fits = spread == (of->dim[d].experts_per_token > 0);
        const bool weights =
            of->weights == 0 || heavy == slices_weights(of, d) || (of->owner == op && !heavy);
        if (fits && weights && can_cut(at->rule, of, d, degree)) {
            offer(at, op, (struct axis_cut){.dim = d, .degree = degree}, best);
        }
    }
}

/* What has no weights follows the operators before, experts or others. */
static struct axis_cut choose(const struct cutter *at, uint32_t op)
{
    const struct axis_rule *rule = at->rule;
    const struct model_op *of = &rule->model->op[op];
    const bool spread = orr_axis_experts(of) > 0 && rule->experts > 1;
    const struct axis_cut rest = {.dim = rule->rest == AXIS_SAMPLES ? 0 : EXCHANGE_NO_DIM,
                                  .degree = rule->tensor};
    struct axis_cut best = {
        .dim = rest.dim, .degree = spread ? rule->experts : rule->tensor, .cost = DBL_MAX};
    const bool may_rest = !spread && !(of->weights > 0 && is_heavy(at, op));
    if (may_rest && rule->rest == AXIS_RATHER_WHOLE) {
        offer(at, op, rest, &best);
    }
    offer_dims(at, op, best.degree, &best);
    if (!spread && of->weights == 0) {
        offer_dims(at, op, rule->experts, &best);
    }
    if (!spread && (may_rest || best.cost == DBL_MAX)) {
        offer(at, op, rest, &best);
    }
    return best;
}

void orr_axis_cut(const struct axis_rule *rule, struct axis_cut *cut)
{
    const struct cutter at = {rule, cut};
    for (uint32_t op = 0; op < rule->model->ops; op++) {
        const uint32_t given = rule->given != NULL ? rule->given[op] : AXIS_NOT_GIVEN;
        cut[op] = given != AXIS_NOT_GIVEN ? (struct axis_cut){.dim = given, .degree = rule->tensor}
                                          : choose(&at, op);
    }
}
