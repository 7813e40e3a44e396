/* Layouts as start strategies; see search_layouts.h. */
#include "planner/search/search_layouts.h"

#include <float.h>

#include "core/arena.h"
#include "workload/model/op_graph.h"
#include "workload/strategy/exchange.h"
#include "workload/trace/trace.h"

/* ---- the layouts of a model ---- */

/* The most experts of an operator; 0: none has any. */
static uint64_t experts_of(const struct model_op *op)
{
    uint64_t experts = 0;
    for (uint32_t d = 0; d < op->dims; d++) {
        experts = op->dim[d].experts_per_token > 0 ? op->dim[d].size : experts;
    }
    return experts;
}

static uint32_t most_experts(const struct model_graph *model, uint32_t group)
{
    uint64_t most = 1;
    for (uint32_t op = 0; op < model->ops; op++) {
        const uint64_t experts = experts_of(&model->op[op]);
        most = experts > most ? experts : most;
    }
    return most < group ? (uint32_t)most : group;
}

/* The n-th layout, or their number if n is as large. */
static uint32_t walk(const struct model_graph *model, uint32_t group, uint32_t n,
                     struct search_layout *out)
{
    const uint32_t most = most_experts(model, group);
    uint32_t at = 0;
    for (uint32_t t = 1; t <= group; t++) {
        for (uint32_t e = 1; group % t == 0 && e <= most; e++) {
            if (group % e == 0 && (t > 1 || e > 1) && at++ == n) {
                *out = (struct search_layout){.tensor = t, .experts = e};
                return n;
            }
        }
    }
    return at;
}

uint32_t orr_search_count_layouts(const struct model_graph *model, uint32_t group)
{
    struct search_layout none;
    return walk(model, group, UINT32_MAX, &none);
}

struct search_layout orr_search_layout_at(const struct model_graph *model, uint32_t group,
                                          uint32_t n)
{
    struct search_layout layout = {.tensor = 1, .experts = 1};
    (void)walk(model, group, n, &layout);
    return layout;
}

/* ---- the cut of an operator ---- */

struct op_cut {
    uint32_t dim, degree; /* dimension 0: more parts of the samples */
    double cost;
};

struct layout_draft {
    struct strategy_draft *draft;
    const struct search_dimensions *dimensions;
    const struct search_layout *layout;
    struct op_cut *cut; /* [ops], those before the current one */
};

/* Bytes that a device of `degree` sends and receives of a tensor. */
static double moved(const struct exchange *exchange, double bytes, uint32_t degree)
{
    if (!exchange->is_needed) {
        return 0;
    }
    return exchange->comm == ORR_COMM_ALL_REDUCE   ? 2 * bytes
           : exchange->comm == ORR_COMM_ALL_TO_ALL ? bytes / degree
                                                   : bytes;
}

/* Between different numbers of devices all data moves, at most. */
static double edge_cost(const struct layout_draft *at, uint32_t op, const struct op_cut *cut,
                        const struct model_edge *edge)
{
    const struct model_graph *model = at->draft->model;
    const struct model_op *from = &model->op[edge->from], *to = &model->op[op];
    const struct op_cut *before = &at->cut[edge->from];
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
    return op->dim[dim].gives == MODEL_GIVES_PARTIAL_SUM;
}

/* Of the exchanges with the operators before, and of the reduction of a partial sum. */
static double cost_of(const struct layout_draft *at, uint32_t op, const struct op_cut *cut)
{
    const struct model_graph *model = at->draft->model;
    const struct model_op *of = &model->op[op];
    double cost = 0;
    for (uint32_t i = 0; i < of->edges; i++) {
        cost += edge_cost(at, op, cut, &model->edge[of->first_edge + i]);
    }
    return cost + (gives_partial(of, cut->dim) ? 2 * (double)of->output_bytes : 0);
}

static bool slices_weights(const struct model_op *op, uint32_t dim)
{
    return op->dim[dim].weights == MODEL_WEIGHTS_SLICED;
}

/* Whether the weights of an operator are sliced: those that are tied as at their owner. */
static bool is_heavy(const struct layout_draft *at, uint32_t op)
{
    const struct model_graph *model = at->draft->model;
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

static bool can_cut(const struct layout_draft *at, const struct model_op *op, uint32_t dim,
                    uint32_t degree)
{
    const struct model_dim *of = &op->dim[dim];
    return of->size >= degree && of->size % degree == 0 &&
           orr_search_can_split(at->dimensions, of->name);
}

/* Takes the cut if it moves fewer bytes; of equal ones that of partial sums, which can be reduced
 * to slices of any axis. */
static void offer(const struct layout_draft *at, uint32_t op, struct op_cut cut,
                  struct op_cut *best)
{
    const bool is_partial = gives_partial(&at->draft->model->op[op], cut.dim);
    cut.cost = cost_of(at, op, &cut);
    *best = cut.cost < best->cost || (is_partial && cut.cost == best->cost) ? cut : *best;
}

/* Experts that are spread are cut by nothing else. */
static void offer_dims(const struct layout_draft *at, uint32_t op, uint32_t degree,
                       struct op_cut *best)
{
    const struct model_op *of = &at->draft->model->op[op];
    const bool heavy = of->weights > 0 && is_heavy(at, op);
    const bool spread = experts_of(of) > 0 && at->layout->experts > 1;
    for (uint32_t d = 1; d < of->dims && degree > 1; d++) {
        const bool fits = spread == (of->dim[d].experts_per_token > 0);
        const bool weights =
            of->weights == 0 || heavy == slices_weights(of, d) || (of->owner == op && !heavy);
        if (fits && weights && can_cut(at, of, d, degree)) {
            offer(at, op, (struct op_cut){.dim = d, .degree = degree}, best);
        }
    }
}

/* What has no weights follows the operators before, experts or others. */
static struct op_cut cut_of(const struct layout_draft *at, uint32_t op)
{
    const struct model_op *of = &at->draft->model->op[op];
    const struct search_layout *layout = at->layout;
    const bool spread = experts_of(of) > 0 && layout->experts > 1;
    struct op_cut best = {.degree = spread ? layout->experts : layout->tensor, .cost = DBL_MAX};
    offer_dims(at, op, best.degree, &best);
    if (!spread && of->weights == 0) {
        offer_dims(at, op, layout->experts, &best);
    }
    if (!spread && !(of->weights > 0 && is_heavy(at, op) && best.cost < DBL_MAX)) {
        offer(at, op, (struct op_cut){.dim = 0, .degree = layout->tensor}, &best);
    }
    return best;
}

/* ---- the strategy ---- */

static bool set_op(const struct layout_draft *at, uint32_t op)
{
    const struct model_op *of = &at->draft->model->op[op];
    const struct op_cut *cut = &at->cut[op];
    const uint32_t group = orr_strategy_group(&at->draft->strategy);
    uint32_t degree[MODEL_MAX_DIMS] = {group / cut->degree, 1, 1, 1, 1, 1, 1, 1};
    degree[cut->dim] *= cut->degree;
    return of->table || orr_strategy_set(at->draft, op, degree, NULL);
}

bool orr_search_set_layout(struct strategy_draft *draft, const struct search_dimensions *dimensions,
                           const struct search_layout *layout)
{
    const uint32_t ops = draft->model->ops;
    struct layout_draft at = {draft, dimensions, layout,
                              orr_arena_array(draft->arena, (size_t)ops + 1, sizeof *at.cut)};
    bool made = at.cut != NULL;
    for (uint32_t op = 0; op < ops && made; op++) {
        at.cut[op] = cut_of(&at, op);
        made = set_op(&at, op);
    }
    return made;
}
